/** Finds the gaps between official zones, and closes those that are too narrow to be meant. */
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { lastAtOrBefore } from "../src/zones/morton.ts";
import { doCross, type Ends, type FoundEdge } from "./borders.ts";
import { cosine, KM_PER_DEGREE } from "./earth.ts";
import { traceRings } from "./rings.ts";
import { doubleArea, type Ring } from "./sources.ts";

/** Gaps narrower than this, in metres, come from how outlines are drawn: about the width of a road. */
export const NARROW_METRES = 20;

/** Metres in a lattice step along the meridian. */
const METRES_PER_STEP = (KM_PER_DEGREE * 1000) / STEPS_PER_DEGREE;

/** Land that zones surround but that is in none. */
interface Gap {
	squareMetres: number;
	/** a lattice point at its edge */
	at: readonly [x: number, y: number];
}

export interface ClosedGaps {
	edges: FoundEdge[];
	/** how many gaps were closed */
	closed: number;
	/** those that were not closed, largest first */
	gaps: Gap[];
}

/** An edge with the zone on each side; 0 for none. The sides are east and west of it, or north and south of a level edge. */
type SidedEdge = FoundEdge;

/** The ends of an edge in the direction that has no zone to its left; both directions if neither side has one. */
function besideNothing({ ends: [x1, y1, x2, y2], sides: [beyond, here] }: SidedEdge): Ends[] {
	const left = (y1 === y2 ? x1 < x2 : y1 > y2) ? beyond : here;
	const right = left === beyond ? here : beyond;
	return [...(left === 0 ? [[x1, y1, x2, y2] as Ends] : []), ...(right === 0 ? [[x2, y2, x1, y1] as Ends] : [])];
}

/** The distance in metres between two lattice points that are near each other. */
export function metresBetween(x1: number, y1: number, x2: number, y2: number): number {
	return Math.hypot((x2 - x1) * cosine((y1 + y2) / 2 / STEPS_PER_DEGREE), y2 - y1) * METRES_PER_STEP;
}

/** Short lines across the open ends of narrow gaps, between facing corners of two zones. */
function bridges(open: readonly SidedEdge[]): Ends[] {
	const corners = new Map<string, { x: number; y: number; zones: Set<number> }>();
	for (const { ends, sides } of open) {
		for (const [x, y] of [ends.slice(0, 2), ends.slice(2)] as Array<[number, number]>) {
			const corner = corners.get(`${x},${y}`) ?? { x, y, zones: new Set() };
			for (const zone of sides) if (zone !== 0) corner.zones.add(zone);
			corners.set(`${x},${y}`, corner);
		}
	}
	const inOrder = [...corners.values()].sort((a, b) => a.x - b.x || a.y - b.y);
	const byWest = [...open].sort((a, b) => Math.min(a.ends[0], a.ends[2]) - Math.min(b.ends[0], b.ends[2]));
	const longest = byWest.reduce((most, { ends }) => Math.max(most, Math.abs(ends[2] - ends[0])), 0);
	const wests = Float64Array.from(byWest, ({ ends }) => Math.min(ends[0], ends[2]));
	const isFree = (ends: Ends): boolean => {
		const east = Math.max(ends[0], ends[2]);
		const before = lastAtOrBefore(wests, Math.min(ends[0], ends[2]) - longest - 1, 0, wests.length);
		for (let at = before + 1; at < byWest.length && wests[at]! <= east; at++) {
			if (doCross(ends, byWest[at]!.ends)) return false;
		}
		return true;
	};
	const found: Ends[] = [];
	inOrder.forEach((a, place) => {
		const reach = NARROW_METRES / METRES_PER_STEP / Math.max(0.01, cosine(a.y / STEPS_PER_DEGREE));
		let nearest: { ends: Ends; metres: number } | undefined;
		for (let next = place + 1; next < inOrder.length && inOrder[next]!.x - a.x <= reach; next++) {
			const b = inOrder[next]!;
			const metres = metresBetween(a.x, a.y, b.x, b.y);
			const isShared = [...a.zones].some((zone) => b.zones.has(zone));
			if (isShared || metres > NARROW_METRES || (nearest && nearest.metres <= metres)) continue;
			nearest = { ends: [a.x, a.y, b.x, b.y], metres };
		}
		if (nearest && isFree(nearest.ends)) found.push(nearest.ends);
	});
	return found;
}

/** The zone that borders on most of a gap. */
function neighbourOf(ring: Ring, zonesAlong: ReadonlyMap<string, number>): number | undefined {
	const lengths = new Map<number, number>();
	for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
		const [x1, y1, x2, y2] = [ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!];
		const zone = zonesAlong.get(`${x1},${y1},${x2},${y2}`);
		if (zone !== undefined) lengths.set(zone, (lengths.get(zone) ?? 0) + metresBetween(x1, y1, x2, y2));
	}
	const [most] = [...lengths].sort(([a, x], [b, y]) => y - x || a - b);
	return most?.[0];
}

/** Gives each narrow gap to the zone that borders on most of it. */
export function closeGaps(edges: readonly SidedEdge[]): ClosedGaps {
	const open = edges.filter(({ sides }) => sides.includes(0));
	const zonesAlong = new Map<string, number>();
	const directed: Ends[] = bridges(open).flatMap(([x1, y1, x2, y2]): Ends[] => [
		[x1, y1, x2, y2],
		[x2, y2, x1, y1],
	]);
	for (const edge of open) {
		for (const ends of besideNothing(edge)) {
			directed.push(ends);
			zonesAlong.set(ends.join(), edge.sides[0] || edge.sides[1]);
		}
	}
	const given = new Map<string, number>();
	const gaps: Gap[] = [];
	let closed = 0;
	for (const ring of traceRings(directed)) {
		const double = doubleArea(ring);
		if (double <= 0) continue;
		let around = 0;
		for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
			around += metresBetween(ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!);
		}
		const squareMetres = (double / 2) * METRES_PER_STEP * METRES_PER_STEP * cosine(ring[1]! / STEPS_PER_DEGREE);
		const owner = neighbourOf(ring, zonesAlong);
		if (owner === undefined || (2 * squareMetres) / around >= NARROW_METRES) {
			gaps.push({ squareMetres, at: [ring[0]!, ring[1]!] });
			continue;
		}
		closed++;
		for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
			given.set([ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!].join(), owner);
		}
	}
	const bridged = bridgesBetween(directed, zonesAlong, given);
	const filled = edges.map((edge): FoundEdge => {
		const [empty] = besideNothing(edge);
		const owner = empty && given.get(empty.join());
		return owner === undefined
			? edge
			: { ends: edge.ends, sides: edge.sides.map((zone) => (zone === 0 ? owner : zone)) as [number, number] };
	});
	return {
		edges: [...filled, ...bridged].filter(({ sides: [a, b] }) => a !== b),
		closed,
		gaps: gaps.sort((a, b) => b.squareMetres - a.squareMetres),
	};
}

/** Bridges that became borders, because a gap on one side of them was closed. */
function bridgesBetween(
	directed: readonly Ends[],
	zonesAlong: ReadonlyMap<string, number>,
	given: ReadonlyMap<string, number>,
): FoundEdge[] {
	return directed.flatMap((ends): FoundEdge[] => {
		const [x1, y1, x2, y2] = ends;
		const back = [x2, y2, x1, y1].join();
		// Each bridge exists in both directions, and is looked at once.
		if (zonesAlong.has(ends.join()) || zonesAlong.has(back) || ends.join() > back) return [];
		const [left, right] = [given.get(ends.join()) ?? 0, given.get(back) ?? 0];
		const leftIsBeyond = y1 === y2 ? x1 < x2 : y1 > y2;
		return [{ ends, sides: leftIsBeyond ? [left, right] : [right, left] }];
	});
}
