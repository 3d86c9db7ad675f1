/** Tells dry land from water, by rows of finest cells. */
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { CELLS_A_SIDE, lastAtOrBefore, rowOfKey, rowsAt } from "../src/zones/morton.ts";
import { stepBoxOf } from "./clip.ts";
import { STEPS_A_COLUMN, STEPS_A_ROW } from "./earth.ts";
import type { Ring } from "./sources.ts";

const WEST_END = -180 * STEPS_PER_DEGREE;
const SOUTH_END = -90 * STEPS_PER_DEGREE;

export interface Land {
	/** whether the middle of a finest cell is on land */
	isDry(column: number, row: number): boolean;
	/** whether the middle line of any row of a cell meets land */
	touches(key: number, level: number): boolean;
}

/** All land that the map has. */
export interface LandMap extends Land {
	/** where the middle line of a finest row enters and leaves land, from the west, in lattice steps; land beyond the antimeridian counts from both sides */
	crossings(row: number): Float64Array;
}

/** Intersects outlines of land with the middle line of every row of finest cells. */
export function surveyLand(rings: readonly Ring[]): LandMap {
	const crossings: number[][] = Array.from({ length: CELLS_A_SIDE }, () => []);
	for (const ring of rings) {
		for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
			const [x1, y1, x2, y2] = [ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!];
			const south = Math.min(y1, y2);
			const north = Math.max(y1, y2);
			const firstRow = Math.ceil((south - SOUTH_END) / STEPS_A_ROW - 0.5);
			for (let row = Math.max(0, firstRow); row < CELLS_A_SIDE; row++) {
				const y = SOUTH_END + (row + 0.5) * STEPS_A_ROW;
				if (y >= north) break;
				if (y >= south) crossings[row]!.push(x1 + ((x2 - x1) * (y - y1)) / (y2 - y1));
			}
		}
	}
	const rows = crossings.map((xs) => Float64Array.from(xs).sort());
	const crossedBefore = (row: Float64Array, x: number): number => lastAtOrBefore(row, x, 0, row.length) + 1;
	return {
		isDry: (column, row) => crossedBefore(rows[row]!, WEST_END + (column + 0.5) * STEPS_A_COLUMN) % 2 === 1,
		touches(key, level) {
			const { west, east } = stepBoxOf(key, level);
			const firstRow = rowOfKey(key);
			for (let row = firstRow; row < firstRow + rowsAt(level); row++) {
				const xs = rows[row]!;
				if (xs.length === 0) continue;
				const before = crossedBefore(xs, west);
				if (before % 2 === 1 || crossedBefore(xs, east) > before) return true;
			}
			return false;
		},
		crossings: (row) => rows[row]!,
	};
}
