/** Reads the edges of a part of the zone index: zones/FORMAT.md, "Edges". */
import type { ColumnReader } from "./columns.ts";
import { EDGE_STRIDE } from "./geometry.ts";

/**
 * Reads edges into an edge array (geometry.ts). Stored are the differences of each endpoint from the one before it, in the order of
 * drawing.
 */
export function readEdges(columns: ColumnReader, count: number): Int32Array {
	const [x1s, y1s, x2s, y2s] = [columns.int32(count), columns.int32(count), columns.int32(count), columns.int32(count)];
	const edges = new Int32Array(count * EDGE_STRIDE);
	let x = 0;
	let y = 0;
	for (let edge = 0; edge < count; edge++) {
		const fromX = x + x1s[edge]!;
		const fromY = y + y1s[edge]!;
		x = fromX + x2s[edge]!;
		y = fromY + y2s[edge]!;
		const isNorthward = fromY <= y;
		const at = edge * EDGE_STRIDE;
		edges[at] = isNorthward ? fromX : x;
		edges[at + 1] = isNorthward ? fromY : y;
		edges[at + 2] = isNorthward ? x : fromX;
		edges[at + 3] = isNorthward ? y : fromY;
	}
	return edges;
}
