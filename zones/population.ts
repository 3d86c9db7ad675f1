/** Counts people by cells of the grid: what the builder knows, or assumes, about where a country's people live. */
import { CELLS_A_SIDE, columnOfKey, columnsAt, keysAt, lastAtOrBefore, rowOfKey, rowsAt } from "../src/zones/morton.ts";
import { STEPS_A_COLUMN, STEPS_A_ROW } from "./earth.ts";

/** People by cells of one level. They count as spread evenly within a cell. */
export interface Tally {
	level: number;
	/** sorted first keys of the cells that hold people */
	keys: Uint32Array;
	/** people in all cells before each; one more entry has the people in all cells */
	before: Float64Array;
}

/** People of one country, or of a part of it. */
export interface People {
	/** those of known settlements, by finest cells */
	listed: Tally;
	/** all others, by coarser cells; they count on dry land only */
	unlisted: Tally;
}

/** Cells are sorted as doubles made of their key and their index in the list, which leaves 21 bits for the index. */
const PLACES = 2 ** 21;

/** A tally of cells in any order, with the people of each; the counts of a repeated cell are added up. */
export function tallyOf(level: number, cells: readonly number[], counts: readonly number[]): Tally {
	if (cells.length > PLACES) throw new Error(`${cells.length} cells are too many for one tally`);
	const order = new Float64Array(cells.length);
	for (let place = 0; place < cells.length; place++) order[place] = cells[place]! * PLACES + place;
	order.sort();
	const keys = new Uint32Array(cells.length);
	const before = new Float64Array(cells.length + 1);
	let known = 0;
	for (let at = 0; at < order.length; at++) {
		const key = Math.floor(order[at]! / PLACES);
		const count = counts[order[at]! % PLACES]!;
		if (known > 0 && keys[known - 1] === key) before[known]! += count;
		else {
			keys[known++] = key;
			before[known] = before[known - 1]! + count;
		}
	}
	return { level, keys: keys.slice(0, known), before: before.slice(0, known + 1) };
}

/** All people of a tally. */
export function totalOf({ before }: Tally): number {
	return before.at(-1)!;
}

/** A tally of the same cells with other counts: `change` is given each cell's first key and its people. */
export function recount({ level, keys, before }: Tally, change: (key: number, count: number) => number): Tally {
	const changed = new Float64Array(before.length);
	keys.forEach((key, at) => {
		changed[at + 1] = changed[at]! + change(key, before[at + 1]! - before[at]!);
	});
	return { level, keys, before: changed };
}

/** Grid column and row in the middle of a cell. */
export function middleOfCell(key: number, level: number): { column: number; row: number } {
	return { column: columnOfKey(key) + columnsAt(level) / 2, row: rowOfKey(key) + rowsAt(level) / 2 };
}

function firstAtOrAfter(keys: Uint32Array, key: number): number {
	return lastAtOrBefore(keys, key - 1, 0, keys.length) + 1;
}

/** People that a tally has in a cell. */
export function countIn(tally: Tally, key: number, level: number): number {
	if (level > tally.level) {
		const at = lastAtOrBefore(tally.keys, key, 0, tally.keys.length);
		if (at < 0 || key >= tally.keys[at]! + keysAt(tally.level)) return 0;
		return ((tally.before[at + 1]! - tally.before[at]!) * keysAt(level)) / keysAt(tally.level);
	}
	const from = firstAtOrAfter(tally.keys, key);
	const to = firstAtOrAfter(tally.keys, key + keysAt(level));
	return tally.before[to]! - tally.before[from]!;
}

/** Lattice point in the middle of the listed people of a cell, or undefined if none are listed. */
export function middleOfPeople({ listed }: People, key: number, level: number): { x: number; y: number } | undefined {
	const from = firstAtOrAfter(listed.keys, key);
	const to = firstAtOrAfter(listed.keys, key + keysAt(level));
	const total = listed.before[to]! - listed.before[from]!;
	if (total === 0) return undefined;
	let columns = 0;
	let rows = 0;
	for (let at = from; at < to; at++) {
		const count = listed.before[at + 1]! - listed.before[at]!;
		const { column, row } = middleOfCell(listed.keys[at]!, listed.level);
		columns += count * column;
		rows += count * row;
	}
	return {
		x: Math.round((columns / total - CELLS_A_SIDE / 2) * STEPS_A_COLUMN),
		y: Math.round((rows / total - CELLS_A_SIDE / 2) * STEPS_A_ROW),
	};
}
