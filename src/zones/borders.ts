/**
 * Which area a point of a cell is in, decided exactly.
 *
 * Border cells say which area their south-west corner is in and which edges pass through them. Each edge carries the
 * exclusive or of the areas on its two sides, so that a path ends in (area of its start) ^ (codes of the edges it
 * crosses), in whatever order it crosses them. Area 0 is no area.
 */
import { lastAtOrBefore } from "./buckets.ts";
import { crosses, EDGE_STRIDE, isWest, UNITS_PER_STEP } from "./geometry.ts";
import { columnOfKey, type GridBox, rowOfKey, southOfRow, westOfColumn } from "./morton.ts";

/** A cell that few edges pass through. */
export interface BorderCell {
	/** its first key */
	key: number;
	/** area of its south-west grid point */
	area: number;
	/** numbers of the edges that pass through it */
	edges: readonly number[];
}

/**
 * The borders within a cell of the earth. All that is said of a border cell is in one record, and the records of neighbours are
 * neighbours: memory is read by the line, and a line that is not in the processor's cache takes as long as the rest of a look-up.
 */
export interface Borders {
	/** first key of each border cell, sorted; the first is that of the whole cell */
	cellStarts: Uint32Array;
	/** where each border cell's record begins */
	cellRecords: Uint32Array;
	/** of each cell its first key, where the next record begins, the area and the place of its south-west grid point, and its edges */
	records: Int32Array;
}

/** Numbers of a record before its edges: key, next record, area, x, y. */
const RECORD_HEAD = 5;
/** Numbers an edge takes in a record: its ends as in an edge array, and the exclusive or of the areas at its sides. */
const RECORD_STRIDE = EDGE_STRIDE + 1;

/** Packs border cells, in the order of their keys. */
export function packBorders(cells: readonly BorderCell[], edges: Int32Array, codes: Uint16Array): Borders {
	const cellStarts = Uint32Array.from(cells, ({ key }) => key);
	const cellRecords = new Uint32Array(cells.length);
	const edgeCount = cells.reduce((sum, cell) => sum + cell.edges.length, 0);
	const records = new Int32Array(cells.length * RECORD_HEAD + edgeCount * RECORD_STRIDE);
	let at = 0;
	for (let cell = 0; cell < cells.length; cell++) {
		const { key, area, edges: numbers } = cells[cell]!;
		cellRecords[cell] = at;
		const next = at + RECORD_HEAD + numbers.length * RECORD_STRIDE;
		records[at++] = key;
		records[at++] = next;
		records[at++] = area;
		records[at++] = westOfColumn(columnOfKey(key));
		records[at++] = southOfRow(rowOfKey(key));
		for (const number of numbers) {
			const edge = number * EDGE_STRIDE;
			records[at++] = edges[edge]!;
			records[at++] = edges[edge + 1]!;
			records[at++] = edges[edge + 2]!;
			records[at++] = edges[edge + 3]!;
			records[at++] = codes[number]!;
		}
	}
	return { cellStarts, cellRecords, records };
}

/** Where the record of the border cell that holds a key begins. */
export function recordOfKey({ cellStarts, cellRecords }: Borders, key: number): number {
	return cellRecords[lastAtOrBefore(cellStarts, key, 0, cellStarts.length)]!;
}

/** Where the record of the border cell that holds a key begins, sought from a record on: that of the cell itself, or of one before it. */
export function recordFrom(records: Int32Array, record: number, key: number): number {
	let at = record;
	for (let next = records[at + 1]!; next < records.length && records[next]! >>> 0 <= key; next = records[at + 1]!)
		at = next;
	return at;
}

/** Where in the records the edges of a border cell begin, one after the other. */
export function edgesOfRecord(records: Int32Array, record: number): number[] {
	const edges: number[] = [];
	for (let at = record + RECORD_HEAD; at < records[record + 1]!; at += RECORD_STRIDE) edges.push(at);
	return edges;
}

/** The exclusive or of the areas at the sides of the edge that begins at a place in the records. */
export function codeOfEdge(records: Int32Array, at: number): number {
	return records[at + EDGE_STRIDE]!;
}

/** A record, to be put at a place of an array, of a cell through which but some edges of a record pass; `areaSet` is the area of its south-west grid point. */
export function recordOfPart(
	records: Int32Array,
	edges: readonly number[],
	key: number,
	areaSet: number,
	place: number,
): number[] {
	const next = place + RECORD_HEAD + edges.length * RECORD_STRIDE;
	const head = [key, next, areaSet, westOfColumn(columnOfKey(key)), southOfRow(rowOfKey(key))];
	return [...head, ...edges.flatMap((at) => [...records.subarray(at, at + RECORD_STRIDE)])];
}

/** The ends of every edge, in steps of 1e-5 degree, southern end first. An edge comes once for each border cell that it passes through. */
export function* edgesIn({
	cellRecords,
	records,
}: Borders): Generator<[x1: number, y1: number, x2: number, y2: number]> {
	for (const record of cellRecords) {
		for (const at of edgesOfRecord(records, record)) {
			yield [records[at]!, records[at + 1]!, records[at + 2]!, records[at + 3]!];
		}
	}
}

/** Whether the edge that begins at `at` of an array can part two grid points of a cell's box; exact, but for edges that only pass near a corner. */
export function passesThrough(edges: Int32Array, at: number, { south, west, north, east }: GridBox): boolean {
	if (edges[at + 3]! * UNITS_PER_STEP <= south || edges[at + 1]! * UNITS_PER_STEP >= north) return false;
	const [x1, x2] = [edges[at]! * UNITS_PER_STEP, edges[at + 2]! * UNITS_PER_STEP];
	if ((x1 <= west && x2 <= west) || (x1 >= east && x2 >= east)) return false;
	const corner = isWest(edges, at, west, south);
	return (
		corner !== isWest(edges, at, east - 1, south) ||
		corner !== isWest(edges, at, west, north - 1) ||
		corner !== isWest(edges, at, east - 1, north - 1)
	);
}

/** The area that holds a grid point, or 0 where none does. The point must be in the border cell of the record. */
export function areaByRecord(records: Int32Array, record: number, x: number, y: number): number {
	const end = records[record + 1]!;
	let area = records[record + 2]!;
	for (let at = record + RECORD_HEAD; at < end; at += RECORD_STRIDE) {
		if (crosses(records, at, records[record + 3]!, records[record + 4]!, x, y)) area ^= records[at + EDGE_STRIDE]!;
	}
	return area;
}

/** The area that holds a grid point, or 0 where none does. `key` is the Morton key of the point, which must be in the cell of these borders. */
export function areaAt(borders: Borders, key: number, x: number, y: number): number {
	return areaByRecord(borders.records, recordOfKey(borders, key), x, y);
}
