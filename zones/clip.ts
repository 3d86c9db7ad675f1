/** Clips rings to cells (Sutherland and Hodgman, 1974), to draw the part of a territory in each zone. */
import { CELLS_A_SIDE, columnOfKey, columnsAt, rowOfKey, rowsAt } from "../src/zones/morton.ts";
import type { Ends } from "./borders.ts";
import { STEPS_A_COLUMN, STEPS_A_ROW } from "./earth.ts";
import { traceRings } from "./rings.ts";
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

/** The points of rings on one side of a box, sorted along it, without repeats. */
function pointsAlong(rings: readonly Ring[], axis: 0 | 1, line: number): number[] {
	const found = new Set<number>();
	for (const ring of rings) {
		for (let at = 0; at < ring.length; at += 2) if (ring[at + axis] === line) found.add(ring[at + 1 - axis]!);
	}
	return [...found].sort((a, b) => a - b);
}

/** An edge in pieces, cut at each point of the side of a box on which it lies, if it does. */
function cutAlongSides(
	ends: Ends,
	sides: ReadonlyArray<{ axis: 0 | 1; line: number; points: readonly number[] }>,
): Ends[] {
	const side = sides.find(({ axis, line }) => ends[axis] === line && ends[axis + 2] === line);
	if (!side) return [ends];
	const [from, to] = [ends[1 - side.axis]!, ends[3 - side.axis]!];
	const between = side.points.filter((point) => Math.min(from, to) < point && point < Math.max(from, to));
	const stops = [from, ...(from < to ? between : between.reverse()), to];
	return stops
		.slice(1)
		.map(
			(stop, at): Ends =>
				side.axis === 0 ? [side.line, stops[at]!, side.line, stop] : [stops[at]!, side.line, stop, side.line],
		);
}

/**
 * The parts of rings in a box as rings of whole lattice steps that do not touch themselves. Clipping leaves parts joined by lines that run
 * along a side and back again; these are removed.
 */
export function partsInBox(rings: readonly Ring[], box: StepBox): Ring[] {
	const clipped = clipToBox(rings, box).map((ring) => ring.map(Math.round));
	const sides = (
		[
			[0, box.west],
			[0, box.east],
			[1, box.south],
			[1, box.north],
		] as const
	).map(([axis, side]) => ({ axis, line: Math.round(side), points: pointsAlong(clipped, axis, Math.round(side)) }));
	const kept = new Map<string, Ends>();
	for (const ring of clipped) {
		for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
			for (const [x1, y1, x2, y2] of cutAlongSides([ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!], sides)) {
				if (x1 === x2 && y1 === y2) continue;
				if (!kept.delete(`${x2},${y2},${x1},${y1}`)) kept.set(`${x1},${y1},${x2},${y2}`, [x1, y1, x2, y2]);
			}
		}
	}
	return traceRings([...kept.values()]);
}
