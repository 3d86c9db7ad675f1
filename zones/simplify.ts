/** Leaves out points of lines (Douglas and Peucker, 1973). */
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { cosine, KM_PER_DEGREE } from "./earth.ts";

type Vertex = readonly [x: number, y: number];

const KM_PER_STEP = KM_PER_DEGREE / STEPS_PER_DEGREE;

/**
 * A line simplified to some of its points, in lattice steps, from which it strays by at most `toleranceKm` kilometres. First and last
 * stay.
 */
export function simplified<Point extends Vertex>(points: readonly Point[], toleranceKm: number): Point[] {
	const kept = new Uint8Array(points.length);
	kept[0] = kept[points.length - 1] = 1;
	const open: Array<[number, number]> = [[0, points.length - 1]];
	const most = (toleranceKm / KM_PER_STEP) ** 2;
	for (let piece = open.pop(); piece; piece = open.pop()) {
		const [first, last] = piece;
		const [x1, y1] = points[first]!;
		const [x2, y2] = points[last]!;
		let [farthest, distance] = [-1, most];
		for (let at = first + 1; at < last; at++) {
			const [x, y] = points[at]!;
			const scale = cosine(y / STEPS_PER_DEGREE);
			const [dx, dy] = [(x2 - x1) * scale, y2 - y1];
			const [px, py] = [(x - x1) * scale, y - y1];
			const squared = dx * dx + dy * dy;
			const along = squared === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / squared));
			const [ax, ay] = [px - along * dx, py - along * dy];
			if (ax * ax + ay * ay > distance) [farthest, distance] = [at, ax * ax + ay * ay];
		}
		if (farthest < 0) continue;
		kept[farthest] = 1;
		open.push([first, farthest], [farthest, last]);
	}
	return points.filter((_, at) => kept[at] === 1);
}

/** Index of the point of a line that is farthest from its first one. */
function farthestFromFirst(points: readonly Vertex[]): number {
	const [x, y] = points[0]!;
	const squared = ([px, py]: Vertex) => (px - x) ** 2 + (py - y) ** 2;
	return points.reduce((best, point, at) => (squared(point) > squared(points[best]!) ? at : best), 0);
}

/** Like `simplified`, for a line that may be closed: then the point farthest from its first one stays too. */
export function simplifiedLine<Point extends Vertex>(points: readonly Point[], toleranceKm: number): Point[] {
	const [first, last] = [points[0]!, points.at(-1)!];
	if (first[0] !== last[0] || first[1] !== last[1]) return simplified(points, toleranceKm);
	const far = farthestFromFirst(points);
	return [
		...simplified(points.slice(0, far + 1), toleranceKm).slice(0, -1),
		...simplified(points.slice(far), toleranceKm),
	];
}
