/**
 * Which area a point of a cell is in, decided exactly.
 *
 * Border cells say which area their south-west corner is in and which edges pass through them. Each edge carries the
 * exclusive or of the areas on its two sides, so that a path ends in (area of its start) ^ (codes of the edges it
 * crosses), in whatever order it crosses them. Area 0 is no area.
 */
import { type Buckets, bucketsOf, lastInBucket } from "./buckets.ts";
import { crosses, EDGE_STRIDE, isWest, UNITS_PER_STEP } from "./geometry.ts";
import { boxOf, columnOfKey, keysAt, rowOfKey, southOfRow, westOfColumn } from "./morton.ts";

/** The borders within a cell of the earth, as they are stored. */
export interface StoredBorders {
	/** first key of each border cell, sorted; the first is that of the whole cell */
	cellStarts: Uint32Array;
	/** area of each border cell's south-west grid point */
	cellAreas: Uint16Array;
	/** each border cell's edges are edgeList[cellEdges[cell]] up to edgeList[cellEdges[cell + 1]] */
	cellEdges: Uint32Array;
	/** the builder has the edges of more than a shard */
	edgeList: Uint16Array | Uint32Array;
	/** x1, y1, x2, y2 of each edge in steps of 1e-5 degree, y1 <= y2 */
	edges: Int32Array;
	/** exclusive or of the areas at both sides of each edge */
	edgeCodes: Uint16Array;
}

/** The borders within a cell of the earth, with the tables that make look-ups in them quick. */
export interface Borders extends StoredBorders {
	cellBuckets: Buckets;
	/** each border cell's south-west grid point: x, y, in turn */
	cellCorners: Float64Array;
}

/** Adds the tables for quick look-ups to the stored borders of a cell, given by its first Morton key and its level. */
export function indexBorders(stored: StoredBorders, start: number, level: number): Borders {
	const { cellStarts } = stored;
	const cellBuckets = bucketsOf(cellStarts, 0, cellStarts.length, start, start + keysAt(level));
	const cellCorners = new Float64Array(2 * cellStarts.length);
	cellStarts.forEach((key, cell) => {
		cellCorners[2 * cell] = westOfColumn(columnOfKey(key));
		cellCorners[2 * cell + 1] = southOfRow(rowOfKey(key));
	});
	return { ...stored, cellBuckets, cellCorners };
}

/** Whether an edge can separate two grid points of a cell. It is exact, except for edges that only pass near a corner. */
export function passesThrough(edges: Int32Array, edge: number, key: number, level: number): boolean {
	const { south, west, north, east } = boxOf(key, level);
	const [x1, y1, x2, y2] = [0, 1, 2, 3].map((part) => edges[edge * EDGE_STRIDE + part]! * UNITS_PER_STEP) as [
		number,
		number,
		number,
		number,
	];
	if (y2 <= south || y1 >= north || Math.max(x1, x2) <= west || Math.min(x1, x2) >= east) return false;
	const corner = isWest(edges, edge, west, south);
	return (
		corner !== isWest(edges, edge, east - 1, south) ||
		corner !== isWest(edges, edge, west, north - 1) ||
		corner !== isWest(edges, edge, east - 1, north - 1)
	);
}

/** The area that holds a grid point, or 0 where none does. `key` is the Morton key of the point, which must be in the cell of these borders. */
export function areaAt(borders: Borders, key: number, x: number, y: number): number {
	const { cellBuckets, cellEdges } = borders;
	const cell = lastInBucket(cellBuckets, borders.cellStarts, key);
	let area = borders.cellAreas[cell]!;
	const fromX = borders.cellCorners[2 * cell]!;
	const fromY = borders.cellCorners[2 * cell + 1]!;
	const end = cellEdges[cell + 1]!;
	for (let at = cellEdges[cell]!; at < end; at++) {
		const edge = borders.edgeList[at]!;
		if (crosses(borders.edges, edge, fromX, fromY, x, y)) area ^= borders.edgeCodes[edge]!;
	}
	return area;
}
