/** Cuts rings with the sides of cells (Sutherland and Hodgman, 1974), to draw the part of a territory in each zone. */
import { CELLS_A_SIDE, columnOfKey, columnsAt, rowOfKey, rowsAt } from "../src/zones/morton.ts";
import { STEPS_A_COLUMN, STEPS_A_ROW } from "./earth.ts";
import type { Ring } from "./sources.ts";

/** A cell's sides in lattice steps. */
export interface StepBox {
	west: number;
	south: number;
	east: number;
	north: number;
}

export function stepBoxOf(key: number, level: number): StepBox {
	const column = columnOfKey(key) - CELLS_A_SIDE / 2;
	const row = rowOfKey(key) - CELLS_A_SIDE / 2;
	return {
		west: column * STEPS_A_COLUMN,
		south: row * STEPS_A_ROW,
		east: (column + columnsAt(level)) * STEPS_A_COLUMN,
		north: (row + rowsAt(level)) * STEPS_A_ROW,
	};
}

/** The part of a ring on one side of a line of constant x (axis 0) or y (axis 1). Pieces stay joined along the line. */
function clipRing(ring: Ring, axis: 0 | 1, line: number, keepBelow: boolean): Ring {
	const kept: number[] = [];
	let lastX = ring[ring.length - 2]!;
	let lastY = ring[ring.length - 1]!;
	let lastIn = keepBelow ? (axis === 0 ? lastX : lastY) <= line : (axis === 0 ? lastX : lastY) >= line;
	for (let at = 0; at < ring.length; at += 2) {
		const x = ring[at]!;
		const y = ring[at + 1]!;
		const value = axis === 0 ? x : y;
		const isIn = keepBelow ? value <= line : value >= line;
		if (isIn !== lastIn) {
			if (axis === 0) kept.push(line, lastY + ((y - lastY) * (line - lastX)) / (x - lastX));
			else kept.push(lastX + ((x - lastX) * (line - lastY)) / (y - lastY), line);
		}
		if (isIn) kept.push(x, y);
		lastX = x;
		lastY = y;
		lastIn = isIn;
	}
	return kept.length < 6 ? [] : kept;
}

function clipRings(rings: readonly Ring[], axis: 0 | 1, line: number, keepBelow: boolean): Ring[] {
	return rings.map((ring) => clipRing(ring, axis, line, keepBelow)).filter((ring) => ring.length > 0);
}

/** The parts of rings in a box. */
export function clipToBox(rings: readonly Ring[], box: StepBox): Ring[] {
	const columns = clipRings(clipRings(rings, 0, box.east, true), 0, box.west, false);
	return clipRings(clipRings(columns, 1, box.north, true), 1, box.south, false);
}
