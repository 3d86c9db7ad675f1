/**
 * Exact crossings of paths and borders, in plain numbers.
 *
 * Borders are straight edges between vertices on a 1e-5 degree lattice. A point, rounded to 1e-7 degree, is judged half a grid unit (5 mm)
 * to its north-east. In half grid units every vertex is therefore even and every point odd: no point ever shares a latitude or a longitude
 * with a vertex, and a point that lies on a border belongs to the land north-east of it. If it still lies on an edge, it counts as east of
 * it.
 */
import { UNITS_PER_DEGREE } from "./morton.ts";

/** Steps of the vertex lattice in a degree: the sources of borders and settlements have at most five decimals. */
export const STEPS_PER_DEGREE = 100_000;
/** Grid units (1e-7 degree) in a step of the vertex lattice (1e-5 degree). */
export const UNITS_PER_STEP = UNITS_PER_DEGREE / STEPS_PER_DEGREE;
/** Half grid units (5e-8 degree) in a step of the vertex lattice. */
const HALF_UNITS_PER_STEP = 2 * UNITS_PER_STEP;

/** How many numbers each edge has in an edge array: x1, y1, x2, y2 in steps of 1e-5 degree, with y1 <= y2. */
export const EDGE_STRIDE = 4;

/**
 * Bound on the relative error of a 2x2 determinant of exact differences in double precision: two rounded products and a
 * rounded difference, 2^-53 each; doubled for safety (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997).
 */
const DETERMINANT_ERROR = 2 ** -51;

/** Whether a point (half grid units) is west of an edge that runs north; exact for every input. */
function isWestOf(x1: number, y1: number, x2: number, y2: number, x: number, y: number): boolean {
	const left = (x2 - x1) * (y - y1);
	const right = (x - x1) * (y2 - y1);
	const determinant = left - right;
	const error = (Math.abs(left) + Math.abs(right)) * DETERMINANT_ERROR;
	if (determinant > error) return true;
	if (determinant < -error) return false;
	return isWestOfExactly(x1, y1, x2, y2, x, y);
}

/** Whether a point (half grid units) is west of an edge, in integers of any size: for points very close to the line of the edge. */
function isWestOfExactly(x1: number, y1: number, x2: number, y2: number, x: number, y: number): boolean {
	return BigInt(x2 - x1) * BigInt(y - y1) > BigInt(x - x1) * BigInt(y2 - y1);
}

/** Whether a grid point is west of the edge at index `at` of an edge array (or, for a level edge, on one fixed side of it). */
export function isWest(edges: Int32Array, at: number, x: number, y: number): boolean {
	return isWestOf(
		edges[at]! * HALF_UNITS_PER_STEP,
		edges[at + 1]! * HALF_UNITS_PER_STEP,
		edges[at + 2]! * HALF_UNITS_PER_STEP,
		edges[at + 3]! * HALF_UNITS_PER_STEP,
		2 * x + 1,
		2 * y + 1,
	);
}

/**
 * Whether the path from (fromX, fromY) along the meridian to (fromX, y), then along the parallel to (x, y), crosses the edge at index `at`
 * of an edge array an odd number of times. All points are grid points.
 *
 * It does if its start and its end are on different sides of the edge, as far as the edge reaches. If the edge ends short of the parallel,
 * the corner of the path stands for its end. Most edges need comparisons only.
 */
export function crosses(edges: Int32Array, at: number, fromX: number, fromY: number, x: number, y: number): boolean {
	const x1 = edges[at]! * HALF_UNITS_PER_STEP;
	const y1 = edges[at + 1]! * HALF_UNITS_PER_STEP;
	const x2 = edges[at + 2]! * HALF_UNITS_PER_STEP;
	const y2 = edges[at + 3]! * HALF_UNITS_PER_STEP;
	const startX = 2 * fromX + 1;
	const endY = 2 * y + 1;
	const spansMeridian = x1 < startX !== x2 < startX;
	if (y1 < endY && endY < y2) {
		const startIsWest = spansMeridian ? isWestOrBeyond(x1, y1, x2, y2, startX, 2 * fromY + 1) : startX < x1;
		const endX = 2 * x + 1;
		const endIsWest = endX < x1 === endX < x2 ? endX < x1 : isWestOf(x1, y1, x2, y2, endX, endY);
		return startIsWest !== endIsWest;
	}
	if (!spansMeridian) return false;
	return isWestOrBeyond(x1, y1, x2, y2, startX, 2 * fromY + 1) !== (x1 < x2 === y2 < endY);
}

/**
 * Whether a point at a longitude that an edge spans is west of it. For a point above or below both endpoints, the slope of the edge
 * decides.
 */
function isWestOrBeyond(x1: number, y1: number, x2: number, y2: number, x: number, y: number): boolean {
	return y1 < y && y < y2 ? isWestOf(x1, y1, x2, y2, x, y) : x1 < x2 === y2 < y;
}
