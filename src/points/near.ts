/** Finds points that are probably one place entered twice. */

import { metresBetween } from "./plane.ts";
import type { Point } from "./point.ts";

/** Points at most this far apart, in metres, are reported as duplicates. */
export const DUPLICATE_METRES = 5;

/** Cells per degree: of latitude, each 5.56 m high, and of longitude, each at least 5 m wide up to a latitude of 87 degrees. */
export const CELLS_PER_DEGREE = { lat: 20_000, lng: 1_000 };

/**
 * What the row of a cell is multiplied by in its number: more than there are columns. The database computes the number in the same way
 * (src/addresses/list-store.ts).
 */
export const CELLS_IN_ROW = 1_000_000;

/** Columns of cells around the Earth. A longitude of 180 degrees, the same as -180, falls into one more. */
const COLUMNS = 360 * CELLS_PER_DEGREE.lng;

/**
 * The numbers of a point's cell, which comes first, and of the cells around it, also across the antimeridian. Every point within
 * DUPLICATE_METRES lies in one of them.
 */
export function cellsAround({ lat, lng }: Point): number[] {
	const ownRow = Math.floor((lat + 90) * CELLS_PER_DEGREE.lat);
	const ownColumn = Math.floor((lng + 180) * CELLS_PER_DEGREE.lng) % COLUMNS;
	const columns = [0, -1, 1].map((step) => (ownColumn + step + COLUMNS) % COLUMNS);
	if (columns.includes(0)) columns.push(COLUMNS);
	return [0, -1, 1].flatMap((step) => columns.map((column) => (ownRow + step) * CELLS_IN_ROW + column));
}

/** A point within DUPLICATE_METRES of an earlier one of a list: the indexes of both, and their distance. */
export interface Duplicate {
	index: number;
	of: number;
	metres: number;
}

/** The points of a list that are near an earlier one of it. */
export function duplicatesAmong(points: Point[]): Duplicate[] {
	const cells = new Map<number, number[]>();
	return points.flatMap((point, index) => {
		const metresTo = (earlier: number) => metresBetween(point, points[earlier] as Point);
		const around = cellsAround(point);
		let of: number | undefined;
		for (const cell of around) of ??= cells.get(cell)?.find((earlier) => metresTo(earlier) <= DUPLICATE_METRES);
		const [own = 0] = around;
		const inOwn = cells.get(own);
		if (inOwn) inOwn.push(index);
		else cells.set(own, [index]);
		return of === undefined ? [] : [{ index, of, metres: metresTo(of) }];
	});
}
