/**
 * Joins outlines that were drawn one by one, and so may miss or overlap each other by a hair, into edges that nowhere cross, each with one
 * area on either side.
 *
 * Edges are cut where they cross and where they pass within half a lattice step of an end of another, and led through that lattice point
 * (snap rounding: Hobby, Practical segment intersection with finite precision output, 1999). Where areas still overlap, the first of them
 * prevails.
 */
import { EDGE_STRIDE } from "../src/zones/geometry.ts";
import {
	type Arrangement,
	type DrawnEdge,
	doCross,
	type Ends,
	edgesOfAreas,
	type FoundEdge,
	joinLines,
} from "./borders.ts";
import type { Ring } from "./sources.ts";

/** Cutting moves edges by less than a step, so it soon ends; more rounds than this would be a bug. */
const MOST_ROUNDS = 50;
/** Height of the rows in which edges are searched, in lattice steps: about the length of edges. */
const ROW_STEPS = 100;

/** Whether an edge passes through the inside of the square of one step around a point, which is not one of its ends. */
function passesBy([x1, y1, x2, y2]: Ends, x: number, y: number): boolean {
	if (x < Math.min(x1, x2) || x > Math.max(x1, x2) || y < Math.min(y1, y2) || y > Math.max(y1, y2)) return false;
	const [dx, dy] = [x2 - x1, y2 - y1];
	return 2 * Math.abs((x - x1) * dy - (y - y1) * dx) < Math.abs(dx) + Math.abs(dy);
}

/** The lattice point nearest to where two edges cross. */
function crossingOf([x1, y1, x2, y2]: Ends, [x3, y3, x4, y4]: Ends): [x: number, y: number] {
	const along = ((x3 - x1) * (y4 - y3) - (y3 - y1) * (x4 - x3)) / ((x2 - x1) * (y4 - y3) - (y2 - y1) * (x4 - x3));
	return [Math.round(x1 + along * (x2 - x1)), Math.round(y1 + along * (y2 - y1))];
}

/** Lattice points, x and y in turn, that each edge must be led through, besides its ends. */
function pointsToMeet(edges: readonly DrawnEdge[]): number[][] {
	const meets: number[][] = edges.map(() => []);
	const meet = (edge: number, x: number, y: number): void => {
		const [x1, y1, x2, y2] = edges[edge]!.ends;
		if (!((x === x1 && y === y1) || (x === x2 && y === y2))) meets[edge]!.push(x, y);
	};
	const wests = edges.map(({ ends }) => Math.min(ends[0], ends[2]));
	const order = [...edges.keys()].sort((a, b) => wests[a]! - wests[b]! || a - b);
	const ends = edges
		.flatMap(
			({ ends: [x1, y1, x2, y2] }): Array<[number, number]> => [
				[x1, y1],
				[x2, y2],
			],
		)
		.sort(([x1, y1], [x2, y2]) => x1 - x2 || y1 - y2);
	let firstEnd = 0;
	order.forEach((edge, place) => {
		const own = edges[edge]!.ends;
		const east = Math.max(own[0], own[2]);
		const [south, north] = [Math.min(own[1], own[3]), Math.max(own[1], own[3])];
		for (let next = place + 1; next < order.length && wests[order[next]!]! <= east; next++) {
			const other = edges[order[next]!]!.ends;
			if (Math.max(other[1], other[3]) < south || Math.min(other[1], other[3]) > north || !doCross(own, other))
				continue;
			const [x, y] = crossingOf(own, other);
			meet(edge, x, y);
			meet(order[next]!, x, y);
		}
		while (firstEnd < ends.length && ends[firstEnd]![0] < wests[edge]!) firstEnd++;
		for (let at = firstEnd; at < ends.length && ends[at]![0] <= east; at++) {
			const [x, y] = ends[at]!;
			if (passesBy(own, x, y)) meet(edge, x, y);
		}
	});
	return meets;
}

/** The line that follows an edge through the points that it meets, in their order along it. */
function lineThrough({ ends: [x1, y1, x2, y2] }: DrawnEdge, meets: readonly number[]): number[] {
	const along = (x: number, y: number) => (x - x1) * (x2 - x1) + (y - y1) * (y2 - y1);
	const between = Array.from({ length: meets.length / 2 }, (_, place) => meets.slice(2 * place, 2 * place + 2));
	between.sort(([ax, ay], [bx, by]) => along(ax!, ay!) - along(bx!, by!) || ax! - bx! || ay! - by!);
	return [x1, y1, ...between.flat(), x2, y2];
}

/** Edges of areas 1, 2, ... that meet only at their ends. */
function cutAtCrossings(areas: ReadonlyArray<readonly Ring[]>): DrawnEdge[] {
	let edges = edgesOfAreas(areas);
	for (let round = 0; round < MOST_ROUNDS; round++) {
		const meets = pointsToMeet(edges);
		if (meets.every(({ length }) => length === 0)) return edges;
		edges = joinLines(edges.map((edge, at) => ({ points: lineThrough(edge, meets[at]!), owners: edge.owners })));
	}
	throw new Error("the outlines cannot be cut where they cross");
}

/** Returns a function that finds all areas, in order, just beyond an edge's middle: east of it, or north of a level edge. */
function beyondFinder(edges: readonly DrawnEdge[]): (edge: number) => number[] {
	const rowOf = (y: number) => Math.floor(y / ROW_STEPS);
	const rows = new Map<number, number[]>();
	edges.forEach(({ ends: [, y1, , y2] }, edge) => {
		for (let row = rowOf(Math.min(y1, y2)); row <= rowOf(Math.max(y1, y2)); row++) {
			const inRow = rows.get(row);
			if (inRow) inRow.push(edge);
			else rows.set(row, [edge]);
		}
	});
	return (edge) => {
		const [x1, y1, x2, y2] = edges[edge]!.ends;
		const beyond = new Set<number>();
		for (const other of rows.get(rowOf((y1 + y2) / 2))!) {
			const { ends, owners } = edges[other]!;
			// As seen from the middle, in half steps. A ray to the east passes just north of what is level with it.
			const [fromY, toY] = [2 * ends[1] - y1 - y2, 2 * ends[3] - y1 - y2];
			if (other === edge || fromY <= 0 === toY <= 0) continue;
			const [fromX, toX] = [2 * ends[0] - x1 - x2, 2 * ends[2] - x1 - x2];
			const isEast = toY > fromY ? fromX * toY > toX * fromY : fromX * toY < toX * fromY;
			if (isEast) for (const owner of owners) if (!beyond.delete(owner)) beyond.add(owner);
		}
		return [...beyond].sort((a, b) => a - b);
	};
}

/** Land that two zones both draw. */
export interface Overlap {
	/** which gets the land, and which does not */
	shown: number;
	hidden: number;
	/** in square lattice steps */
	area: number;
	/** a lattice point at its edge */
	at: readonly [x: number, y: number];
}

/** The result of joining zones 1, 2, ... that were drawn one by one. */
interface JoinedOutlines {
	/** edges with the zones on their sides: east and west, or north and south of level edges */
	edges: FoundEdge[];
	/** at each zone's number, its area as drawn, in square lattice steps */
	drawn: Float64Array;
	/** in the order of the zones that lose */
	overlaps: Overlap[];
}

/** Adds up, edge by edge, the areas of land that two zones both draw. */
class Overlaps {
	readonly #found = new Map<string, Overlap>();

	add(within: readonly number[], shown: number, double: number, at: readonly [number, number]): void {
		for (const hidden of within) {
			if (hidden === shown) continue;
			const key = `${hidden},${shown}`;
			const overlap = this.#found.get(key) ?? { shown, hidden, area: 0, at };
			overlap.area += double / 2;
			this.#found.set(key, overlap);
		}
	}

	list(): Overlap[] {
		return [...this.#found.values()].sort((a, b) => a.hidden - b.hidden || a.shown - b.shown);
	}
}

/**
 * The edges that separate zones 1, 2, ..., each of one or more polygons with their rings. Rings of a polygon count by even and odd;
 * polygons of a zone are united. Where zones overlap, the one of the lowest rank prevails, the first of those of one rank.
 * @param rank Returns the rank of a zone, from zone 1 on.
 */
export function joinOutlines(
	zones: ReadonlyArray<ReadonlyArray<readonly Ring[]>>,
	rank: (zone: number) => number = () => 0,
): JoinedOutlines {
	const zoneOf = [0, ...zones.flatMap((polygons, index) => polygons.map(() => index + 1))];
	const zonesOf = (parts: readonly number[]) => [...new Set(parts.map((part) => zoneOf[part]!))].sort((a, b) => a - b);
	const prevailing = (within: readonly number[]) =>
		within.reduce((best, zone) => (best === 0 || rank(zone) < rank(best) ? zone : best), 0);
	const cut = cutAtCrossings(zones.flat());
	const partsBeyond = beyondFinder(cut);
	const [originX, originY] = cut[0]?.ends ?? [0, 0];
	const drawn = new Float64Array(zones.length + 1);
	const overlaps = new Overlaps();
	const kept: FoundEdge[] = [];
	cut.forEach(({ ends: [x1, y1, x2, y2], owners }, edge) => {
		const parts = partsBeyond(edge);
		const beyond = zonesOf(parts);
		const here = zonesOf([
			...parts.filter((part) => !owners.includes(part)),
			...owners.filter((part) => !parts.includes(part)),
		]);
		const shown: [number, number] = [prevailing(beyond), prevailing(here)];
		// Twice the area between the edge and the origin, positive if what is beyond the edge is on its left.
		const turn = (x1 - originX) * (y2 - originY) - (x2 - originX) * (y1 - originY);
		const double = (y1 === y2 ? x1 < x2 : y1 > y2) ? turn : -turn;
		overlaps.add(beyond, shown[0], double, [x1, y1]);
		overlaps.add(here, shown[1], -double, [x1, y1]);
		for (const zone of beyond) drawn[zone]! += double / 2;
		for (const zone of here) drawn[zone]! -= double / 2;
		if (shown[0] !== shown[1]) kept.push({ ends: [x1, y1, x2, y2], sides: shown });
	});
	return { edges: kept, drawn, overlaps: overlaps.list() };
}

/** The box around each area of an arrangement, at its number, in lattice steps: west, south, east, north. */
export function boxesOf({
	edges,
	sides,
}: Arrangement): Array<[west: number, south: number, east: number, north: number]> {
	const boxes: Array<[number, number, number, number]> = [];
	sides.forEach((both, edge) => {
		const at = edge * EDGE_STRIDE;
		for (const area of both) {
			boxes[area] ??= [Infinity, Infinity, -Infinity, -Infinity];
			const box = boxes[area];
			box[0] = Math.min(box[0], edges[at]!, edges[at + 2]!);
			box[1] = Math.min(box[1], edges[at + 1]!);
			box[2] = Math.max(box[2], edges[at]!, edges[at + 2]!);
			box[3] = Math.max(box[3], edges[at + 3]!);
		}
	});
	return boxes;
}
