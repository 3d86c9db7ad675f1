/** Distances on the earth, in arithmetic that every engine rounds the same (no Math.cos: engines differ in its last bit). */
import { METRES_PER_DEGREE } from "../src/points/plane.ts";
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { CELLS_A_SIDE, columnsAt, rowOfKey, rowsAt } from "../src/zones/morton.ts";

/** Length of a degree of a great circle, with the mean radius of the earth of 6371.0088 km (IUGG). */
export const KM_PER_DEGREE = METRES_PER_DEGREE / 1000;
/** Lattice steps that a finest column and a finest row span; both are exact binary fractions. */
export const STEPS_A_COLUMN = (360 * STEPS_PER_DEGREE) / CELLS_A_SIDE;
export const STEPS_A_ROW = (180 * STEPS_PER_DEGREE) / CELLS_A_SIDE;
const RADIANS_PER_DEGREE = Math.PI / 180;

/** Cosine of a latitude by its Taylor series: off by at most 1e-8 between the poles. */
export function cosine(degrees: number): number {
	const radians = degrees * RADIANS_PER_DEGREE;
	const square = radians * radians;
	let term = 1;
	let sum = 1;
	for (let order = 2; order <= 14; order += 2) {
		term *= -square / (order * (order - 1));
		sum += term;
	}
	return Math.max(0, sum);
}

/** Latitude in degrees of the southern edge of a finest row. */
export function latitudeOfRow(row: number): number {
	return (row * 180) / CELLS_A_SIDE - 90;
}

/** Sides of a cell in kilometres, along the parallel where the cell is widest and along the meridian. */
export function sidesOfCell(key: number, level: number): [width: number, height: number] {
	const south = latitudeOfRow(rowOfKey(key));
	const north = latitudeOfRow(rowOfKey(key) + rowsAt(level));
	const nearest = south > 0 ? south : Math.min(north, 0);
	const width = ((columnsAt(level) * 360) / CELLS_A_SIDE) * cosine(nearest) * KM_PER_DEGREE;
	return [width, (north - south) * KM_PER_DEGREE];
}

/** Square of the distance in kilometres between two lattice points that are near each other; longitude wraps. */
export function squaredKm(x1: number, y1: number, x2: number, y2: number): number {
	const turn = 360 * STEPS_PER_DEGREE;
	const apart = Math.abs(x1 - x2);
	const scale = KM_PER_DEGREE / STEPS_PER_DEGREE;
	const east = Math.min(apart, turn - apart) * scale * cosine((y1 + y2) / 2 / STEPS_PER_DEGREE);
	const north = (y1 - y2) * scale;
	return east * east + north * north;
}

/** Converts an area near a lattice point from square lattice steps to square metres. */
export function squareMetres(area: number, [, y]: readonly [number, number]): number {
	const step = (KM_PER_DEGREE * 1000) / STEPS_PER_DEGREE;
	return area * step * step * cosine(y / STEPS_PER_DEGREE);
}
