/**
 * Models where people live who are in no list of settlements, from two facts only: how many a country has, and that they live on its land.
 * Half are spread evenly over it; half in proportion to the listed people around.
 */
import { CELLS_A_SIDE, columnOfKey, columnsAt, keyOfCell, rowOfKey, rowsAt } from "../src/zones/morton.ts";
import { areaOfGridPoint, type World } from "./borders.ts";
import { cosine, KM_PER_DEGREE, latitudeOfRow } from "./earth.ts";
import type { Land } from "./land.ts";
import { middleOfFinestCell } from "./listed.ts";
import { middleOfCell, type People, recount, type Tally, tallyOf, totalOf } from "./population.ts";

/** Level of the cells in which unlisted people are counted: 20 by 10 km at the equator. */
const LEVEL = 22;
/** Cells of that level around the earth, and from pole to pole. */
const SIDE = CELLS_A_SIDE / columnsAt(LEVEL);
/** How far around a cell, in kilometres, listed people count for it: about a day's trip to market and back. */
const REACH_KM = 30;
const KM_PER_ROW = (180 / SIDE) * KM_PER_DEGREE;

/** Mean over boxes of 2 * reach + 1 entries of a row that wraps around. */
function blurRow(row: Float64Array, reach: number): Float64Array {
	const width = Math.min(SIDE, 2 * reach + 1);
	const blurred = new Float64Array(SIDE);
	let sum = 0;
	for (let at = 0; at < width; at++) sum += row[at]!;
	for (let at = 0; at < SIDE; at++) {
		blurred[(at + reach) % SIDE] = sum / width;
		sum += row[(at + width) % SIDE]! - row[at]!;
	}
	return blurred;
}

/** Mean over columns of 2 * reach + 1 rows, fewer at the poles. */
function blurColumns(rows: readonly Float64Array[], reach: number): Float64Array[] {
	const sums = new Float64Array(SIDE);
	const add = (row: Float64Array | undefined, sign: number) => {
		for (let at = 0; row && at < SIDE; at++) sums[at]! += sign * row[at]!;
	};
	for (let row = 0; row < reach; row++) add(rows[row], 1);
	return rows.map((_, row) => {
		add(rows[row + reach], 1);
		const blurred = sums.map((sum) => sum / (2 * reach + 1));
		add(rows[row - reach], -1);
		return blurred;
	});
}

/** Listed people per square kilometre around each cell, row by row from the south. Two box blurs in succession make them fade out. */
function densityAround(listed: readonly Tally[]): Float64Array[] {
	let rows: Float64Array[] = Array.from({ length: SIDE }, () => new Float64Array(SIDE));
	for (const { keys, before } of listed) {
		keys.forEach((key, at) => {
			const row = rows[Math.floor(rowOfKey(key) / rowsAt(LEVEL))]!;
			row[Math.floor(columnOfKey(key) / columnsAt(LEVEL))]! += before[at + 1]! - before[at]!;
		});
	}
	const kmPerColumn = rows.map((_, row) => 2 * KM_PER_ROW * cosine(latitudeOfRow((row + 0.5) * rowsAt(LEVEL))));
	rows = rows.map((row, at) => row.map((count) => Math.max(0, count) / (kmPerColumn[at]! * KM_PER_ROW)));
	for (let pass = 0; pass < 2; pass++) {
		const across = rows.map((row, at) => blurRow(row, Math.min(SIDE / 4, Math.round(REACH_KM / 2 / kmPerColumn[at]!))));
		rows = blurColumns(across, Math.round(REACH_KM / 2 / KM_PER_ROW));
	}
	return rows;
}

/** For each area, the square kilometres of dry land in each cell, by the cell's first key. */
function landByArea(world: World, land: Land, areaCount: number): Array<Map<number, number>> {
	const byArea = Array.from({ length: areaCount + 1 }, () => new Map<number, number>());
	const [columns, rows] = [columnsAt(LEVEL), rowsAt(LEVEL)];
	for (let row = 0; row < CELLS_A_SIDE; row += rows) {
		const squareKm = 2 * KM_PER_ROW * KM_PER_ROW * cosine(latitudeOfRow(row + rows / 2));
		for (let column = 0; column < CELLS_A_SIDE; column += columns) {
			const key = keyOfCell(column, row);
			let [area, found] = [0, 0];
			const give = () => found > 0 && byArea[area]!.set(key, (byArea[area]!.get(key) ?? 0) + found);
			for (const north of [rows / 4, (3 * rows) / 4]) {
				for (const east of [columns / 4, (3 * columns) / 4]) {
					if (!land.isDry(column + east, row + north)) continue;
					const here = areaOfGridPoint(world, ...middleOfFinestCell(column + east, row + north));
					if (here !== area) {
						give();
						[area, found] = [here, 0];
					}
					found += squareKm / 4;
				}
			}
			give();
		}
	}
	return byArea;
}

/**
 * All people of each area, at its number.
 * @param listed Those of known settlements.
 * @param populations How many people each area has in all. If the list has more, the list counts.
 */
export function addUnlisted(
	listed: readonly Tally[],
	populations: readonly number[],
	world: World,
	land: Land,
): People[] {
	const density = densityAround(listed);
	const landOf = landByArea(world, land, listed.length - 1);
	return listed.map((known, area) => {
		const missing = Math.max(0, populations[area]! - totalOf(known));
		const cells = [...landOf[area]!].map(([key, squareKm]) => {
			const { column, row } = middleOfCell(key, LEVEL);
			const around = density[Math.floor(row / rowsAt(LEVEL))]![Math.floor(column / columnsAt(LEVEL))]!;
			return { key, squareKm, near: Math.max(0, around) * squareKm };
		});
		const sum = (of: (cell: (typeof cells)[number]) => number) => cells.reduce((total, cell) => total + of(cell), 0);
		const [allLand, allNear] = [sum(({ squareKm }) => squareKm), sum(({ near }) => near)];
		if (allLand === 0) {
			// On islands too small for the map of land, everybody lives in the settlements.
			const scale = totalOf(known) > 0 ? 1 + missing / totalOf(known) : 1;
			return { listed: recount(known, (_, count) => count * scale), unlisted: tallyOf(LEVEL, [], []) };
		}
		const people = cells.map(({ squareKm, near }) => {
			const evenly = squareKm / allLand;
			return (missing * (evenly + (allNear > 0 ? near / allNear : evenly))) / 2;
		});
		const keys = cells.map(({ key }) => key);
		return { listed: known, unlisted: tallyOf(LEVEL, keys, people) };
	});
}
