/**
 * Which area a point of a cell is in, decided exactly.
 *
 * Border cells say which area their south-west corner is in and which edges pass through them. Each edge carries the
 * exclusive or of the areas on its two sides, so that a path ends in (area of its start) ^ (codes of the edges it
 * crosses), in whatever order it crosses them. Area 0 is no area.
 */
import { crosses, EDGE_STRIDE } from "./geometry.ts";
import { columnOfKey, lastAtOrBefore, rowOfKey, southOfRow, westOfColumn } from "./morton.ts";

/** The borders within a cell of the earth, which border cells tile: pieces through which few edges pass. */
export interface Borders {
	/** first key of each border cell, sorted; the first is that of the whole cell */
	cellStarts: Uint32Array;
	/** area of each border cell's south-west grid point */
	cellAreas: Uint16Array;
	/** where in cellEdges the edges of each border cell end; they begin where those of the cell before end */
	cellEnds: Uint32Array;
	/** numbers of the edges that pass through each border cell */
	cellEdges: Uint32Array;
	/** the ends of each edge as an edge array has them (geometry.ts) */
	edges: Int32Array;
	/** exclusive or of the areas at the two sides of each edge */
	codes: Uint16Array;
}

/** The ends of every edge, in steps of 1e-5 degree, southern end first. */
export function* edgesIn({ edges }: Borders): Generator<[x1: number, y1: number, x2: number, y2: number]> {
	for (let at = 0; at < edges.length; at += EDGE_STRIDE) {
		yield [edges[at]!, edges[at + 1]!, edges[at + 2]!, edges[at + 3]!];
	}
}

/**
 * The area that holds a grid point, or 0 where none does. `key` is the Morton key of the point, which must be in the cell of these
 * borders.
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
