/**
 * Decides exactly which area a point of a cell is in.
 *
 * Each border cell stores the area of its south-west corner and the edges that pass through it. The code of an edge is the exclusive or of
 * the areas on its two sides. So a path ends in (area of its start) ^ (codes of the edges it crosses), whatever their order. Area 0 means
 * no area.
 */
import { crosses, EDGE_STRIDE } from "./geometry.ts";
import { columnOfKey, lastAtOrBefore, rowOfKey, southOfRow, westOfColumn } from "./morton.ts";

/** The borders within a cell of the earth. Border cells tile that cell, and few edges pass through each. */
export interface Borders {
	/** first key of each border cell, sorted; the first is that of the whole cell */
	cellStarts: Uint32Array;
	/** area of each border cell's south-west grid point */
	cellAreas: Uint16Array;
	/** where the edges of each border cell end in cellEdges; they begin where those of the previous cell end */
	cellEnds: Uint32Array;
	/** numbers of the edges that pass through each border cell */
	cellEdges: Uint32Array;
	/** the endpoints of each edge, laid out as an edge array (geometry.ts) */
	edges: Int32Array;
	/** exclusive or of the areas at the two sides of each edge */
	codes: Uint16Array;
}

/** The endpoints of every edge, in steps of 1e-5 degree, southern end first. */
export function* edgesIn({ edges }: Borders): Generator<[x1: number, y1: number, x2: number, y2: number]> {
	for (let at = 0; at < edges.length; at += EDGE_STRIDE) {
		yield [edges[at]!, edges[at + 1]!, edges[at + 2]!, edges[at + 3]!];
	}
}

/**
 * The area that holds a grid point, or 0 if none does. `key` is the Morton key of the point, which must lie in the cell of these borders.
 */
export function areaAt(borders: Borders, key: number, x: number, y: number): number {
	const { cellStarts, cellEnds, cellEdges, edges, codes } = borders;
	const cell = lastAtOrBefore(cellStarts, key, 1, cellStarts.length);
	let area = borders.cellAreas[cell]!;
	const end = cellEnds[cell]!;
	let at = cell === 0 ? 0 : cellEnds[cell - 1]!;
	if (at === end) return area;
	const west = westOfColumn(columnOfKey(cellStarts[cell]!));
	const south = southOfRow(rowOfKey(cellStarts[cell]!));
	for (; at < end; at++) {
		const edge = cellEdges[at]!;
		if (crosses(edges, edge * EDGE_STRIDE, west, south, x, y)) area ^= codes[edge]!;
	}
	return area;
}
