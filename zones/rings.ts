/** Makes rings of edges that have the same land to their left. */
import type { Ends } from "./borders.ts";
import type { Ring } from "./sources.ts";

interface Departure {
	ends: Ends;
	used: boolean;
}

/** A lattice point as one number. */
const keyOf = (x: number, y: number): number => x * 2 ** 25 + y;

/** The clockwise angle from looking back along an edge to the next one: the smaller, the sharper the turn to the left. */
function turnLeft([x1, y1, x2, y2]: Ends, [, , x3, y3]: Ends): number {
	const back = Math.atan2(y1 - y2, x1 - x2);
	const next = Math.atan2(y3 - y2, x3 - x2);
	const turn = back - next;
	return turn <= 0 ? turn + 2 * Math.PI : turn;
}

/** A closed walk as rings that visit no point twice. */
function withoutTouching(points: ReadonlyArray<readonly [number, number]>): Ring[] {
	const rings: Ring[] = [];
	const path: Array<readonly [number, number]> = [];
	const places = new Map<number, number>();
	for (const point of points) {
		const key = keyOf(...point);
		const from = places.get(key);
		if (from !== undefined) {
			const loop = path.splice(from);
			for (const visited of loop) places.delete(keyOf(...visited));
			if (loop.length > 2) rings.push(loop.flat());
		}
		places.set(key, path.length);
		path.push(point);
	}
	if (path.length > 2) rings.push(path.flat());
	return rings;
}

/**
 * Rings with land to their left: outer ones run counter-clockwise, holes clockwise. Where rings meet at a point, each turns back to
 * its own land, so that none visits a point twice.
 * @param directed Edges with the land to the left of each; as many begin as end at each point.
 */
export function traceRings(directed: readonly Ends[]): Ring[] {
	const all = directed.map((ends): Departure => ({ ends, used: false }));
	const departures = Map.groupBy(all, ({ ends: [x, y] }) => keyOf(x, y));
	const rings: Ring[] = [];
	for (const start of all) {
		if (start.used) continue;
		const points: Array<readonly [number, number]> = [];
		let current: Departure | undefined = start;
		while (current && !current.used) {
			const { ends }: Departure = current;
			current.used = true;
			points.push([ends[0], ends[1]]);
			const onward: Departure[] = (departures.get(keyOf(ends[2], ends[3])) ?? []).filter(({ used }) => !used);
			current = onward.reduce<Departure | undefined>(
				(best, next) => (best && turnLeft(ends, best.ends) <= turnLeft(ends, next.ends) ? best : next),
				undefined,
			);
		}
		rings.push(...withoutTouching(points));
	}
	return rings;
}

/** A box around rings, in lattice steps. */
interface Box {
	west: number;
	south: number;
	east: number;
	north: number;
}

/** The box around rings. */
export function boxAround(rings: readonly Ring[]): Box {
	const box = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
	for (const ring of rings) {
		for (let at = 0; at < ring.length; at += 2) {
			box.west = Math.min(box.west, ring[at]!);
			box.east = Math.max(box.east, ring[at]!);
			box.south = Math.min(box.south, ring[at + 1]!);
			box.north = Math.max(box.north, ring[at + 1]!);
		}
	}
	return box;
}

/** Whether two boxes meet. */
export function boxesMeet(a: Box, b: Box): boolean {
	return a.west <= b.east && a.east >= b.west && a.south <= b.north && a.north >= b.south;
}
