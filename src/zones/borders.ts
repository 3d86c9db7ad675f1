/**
 * Which area a point of a cell is in, decided exactly.
 *
 * Border cells say which area their south-west corner is in and which edges pass through them. Each edge carries the
 * exclusive or of the areas on its two sides, so that a path ends in (area of its start) ^ (codes of the edges it
 * crosses), in whatever order it crosses them. Area 0 is no area.
 */
import { type Buckets, bucketsOf, lastInBucket } from "./buckets.ts";
import { crosses } from "./geometry.ts";
import { columnOfKey, keysAt, rowOfKey, southOfRow, westOfColumn } from "./morton.ts";

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

/** The same with what makes look-ups quick. */
export interface Borders extends StoredBorders {
	cellBuckets: Buckets;
	/** each border cell's south-west grid point: x, y, in turn */
	cellCorners: Float64Array;
}

/** Makes look-ups quick in the borders of the cell at `start` of this level. */
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

/** Area of all points between two keys, or undefined where border cells meet or a border passes. */
export function areaOfCells({ cellBuckets, cellStarts, cellAreas, cellEdges }: Borders, first: number, last: number) {
	const cell = lastInBucket(cellBuckets, cellStarts, first);
	const isOne = cell === lastInBucket(cellBuckets, cellStarts, last) && cellEdges[cell] === cellEdges[cell + 1];
	return isOne ? cellAreas[cell]! : undefined;
}

/** Area at a grid point of the cell, whose key is given too, or 0. */
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
