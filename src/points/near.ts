/** Finds points that are probably one place entered twice. */
import type { Point } from "./coordinate-text.ts";
import { metresBetween } from "./plane.ts";

/** Points that are this near to each other, in metres, are reported as duplicates. */
export const DUPLICATE_METRES = 5;

/** Cells of a degree of latitude, each 5.56 m high, and of longitude, each at least 5 m wide up to 87 degrees. */
export const CELLS_PER_DEGREE = { lat: 20_000, lng: 1_000 };

/** The number of the cell that a point lies in, which the database reckons alike (src/addresses/store.ts). */
export const CELLS_IN_ROW = 1_000_000;

/** Columns of cells around the earth. A longitude of 180 degrees, which is that of -180, lies in one more. */
const COLUMNS = 360 * CELLS_PER_DEGREE.lng;

/**
 * The cells of a point and around it, across the antimeridian too: every point within DUPLICATE_METRES lies in one of them. The first is
 * its own.
 */
export function cellsAround({ lat, lng }: Point): number[] {
	const ownRow = Math.floor((lat + 90) * CELLS_PER_DEGREE.lat);
	const ownColumn = Math.floor((lng + 180) * CELLS_PER_DEGREE.lng) % COLUMNS;
	const columns = [0, -1, 1].map((step) => (ownColumn + step + COLUMNS) % COLUMNS);
	if (columns.includes(0)) columns.push(COLUMNS);
	return [0, -1, 1].flatMap((step) => columns.map((column) => (ownRow + step) * CELLS_IN_ROW + column));
}

/** A point that is within DUPLICATE_METRES of an earlier one of a list: the places of both in it, and how far they are apart. */
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
