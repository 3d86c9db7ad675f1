/**
 * Finds what official zones leave of their country: land that needs zones of its own, and water and slivers that do not. Slivers come from
 * outlines that do not quite reach the border or the coast; they and the sea fall to whichever zone is cut around them.
 */
import { UNITS_PER_STEP } from "../src/zones/geometry.ts";
import {
	boxOf,
	columnOfKey,
	columnsAt,
	DEEPEST_LEVEL,
	keyOfCell,
	keysAt,
	lastAtOrBefore,
	rowOfKey,
	rowsAt,
} from "../src/zones/morton.ts";
import type { Land } from "./land.ts";
import { nearbyFinder } from "./nearby.ts";
import { halve, type Outline } from "./outline.ts";
import type { Settlement } from "./settlements.ts";

/** Level of the cells in which land is searched for: 4.9 by 2.4 km at the equator. */
const LEVEL = 26;
/** How far around a left-over settlement, in kilometres, land is cut into zones; beyond, the list knows nobody. */
const SETTLED_KM = 20;
/** Finest cells of such a cell, of 64, that must be dry and left over: fewer are a sliver. */
const LEAST_CELLS = 48;

/** Whether the middle of a finest cell is on land of the territory that no official zone has. */
function isLeft(column: number, row: number, outlines: readonly Outline[], land: Land): boolean {
	if (!land.isDry(column, row)) return false;
	const { west, south, east, north } = boxOf(keyOfCell(column, row), DEEPEST_LEVEL);
	const [x, y] = [Math.floor((west + east) / 2), Math.floor((south + north) / 2)];
	return outlines.every((outline) => outline.holds(x, y));
}

/**
 * The land that is left over where two outlines meet, the country's and that of what is in no official zone. Only land around left-over
 * settlements counts, so that lakes, which the map of land lacks, get no zones.
 */
export function surveyLeftover(
	territory: Outline,
	rest: Outline,
	settlements: readonly Settlement[],
	land: Land,
): Land {
	const outlines = [rest, territory];
	const left = settlements.filter(({ x, y }) => rest.holds(x * UNITS_PER_STEP, y * UNITS_PER_STEP));
	const settled = nearbyFinder(left);
	const found: number[] = [];
	const countCells = (key: number): number => {
		let count = 0;
		for (let column = 0; column < columnsAt(LEVEL); column++) {
			for (let row = 0; row < rowsAt(LEVEL); row++) {
				if (isLeft(columnOfKey(key) + column, rowOfKey(key) + row, outlines, land)) count++;
			}
		}
		return count;
	};
	const visit = (key: number, level: number, edges: ReadonlyArray<readonly number[]>): void => {
		const { west, south } = boxOf(key, level);
		const mayHold = outlines.every((outline, index) => edges[index]!.length > 0 || outline.holds(west, south));
		if (!mayHold || !land.touches(key, level)) return;
		if (level === LEVEL) {
			const [x, y] = [west / UNITS_PER_STEP, south / UNITS_PER_STEP];
			if (settled(x, y, SETTLED_KM).length > 0 && countCells(key) >= LEAST_CELLS) found.push(key);
			return;
		}
		const cut = outlines.map((outline, index) => halve(outline.edges, edges[index]!, key, level));
		for (const half of [0, 1]) {
			visit(
				cut[0]![half]!.key,
				level + 1,
				cut.map((halves) => halves[half]!.numbers),
			);
		}
	};
	visit(
		0,
		0,
		outlines.map(({ numbers }) => numbers),
	);
	const keys = Uint32Array.from(found);
	return {
		isDry: land.isDry,
		touches(key, level) {
			const last = lastAtOrBefore(keys, key + keysAt(level) - 1, 0, keys.length);
			return last >= 0 && keys[last]! + keysAt(LEVEL) > key;
		},
	};
}
