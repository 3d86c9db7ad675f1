/** Models where people live: each settlement spread evenly over a disc, on dry land of its own country. */

import { lastAtOrBefore } from "../src/zones/buckets.ts";
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "../src/zones/geometry.ts";
import {
	CELLS_A_SIDE,
	columnOfKey,
	keyOf,
	keyOfCell,
	keysAt,
	rowOfKey,
	southOfRow,
	westOfColumn,
} from "../src/zones/morton.ts";
import { areaOfGridPoint, type World } from "./borders.ts";
import { cosine, KM_PER_DEGREE, latitudeOfRow, STEPS_A_COLUMN, STEPS_A_ROW } from "./earth.ts";
import type { Land } from "./land.ts";
import type { Settlement } from "./sources.ts";

/** People on a square kilometre of a settlement: about what towns have where addresses are missing. */
const PEOPLE_PER_SQUARE_KM = 4000;
/** People are packed beside their cell's key in one double: 32 bits of key and 21 of people. */
const PACKED_PEOPLE = 2 ** 21;
/** Section of a place: its people count in the place. */
const SECTION = "PPLX";

/** People of one area by finest cell. */
export interface People {
	/** sorted keys of finest cells with people */
	keys: Uint32Array;
	/** people in all cells before each, and, one entry more, in all */
	before: Float64Array;
}

/** When fewer than one in this many cells of a disc is dry, the map of the land is too coarse to know the islands there. */
const LEAST_DRY_SHARE = 5;

/** Grid point in the middle of a finest cell. */
function middleOfCell(column: number, row: number): [x: number, y: number] {
	return [
		Math.floor((westOfColumn(column) + westOfColumn(column + 1)) / 2),
		Math.floor((southOfRow(row) + southOfRow(row + 1)) / 2),
	];
}

/** Finest cells within a settlement's disc whose middle is in its area, the dry ones; its own cell when there is none. */
function cellsOf(settlement: Settlement, area: number, world: World, land: Land): number[] {
	const own = keyOf(settlement.x * UNITS_PER_STEP, settlement.y * UNITS_PER_STEP);
	const squaredRadius = settlement.population / PEOPLE_PER_SQUARE_KM / Math.PI;
	const kmPerRow = (KM_PER_DEGREE * STEPS_A_ROW) / STEPS_PER_DEGREE;
	const ownRow = rowOfKey(own);
	const reach = Math.ceil(Math.sqrt(squaredRadius) / kmPerRow);
	const column = settlement.x / STEPS_A_COLUMN + CELLS_A_SIDE / 2;
	const row = settlement.y / STEPS_A_ROW + CELLS_A_SIDE / 2;
	const dry: number[] = [];
	const all: number[] = [];
	for (let at = Math.max(0, ownRow - reach); at <= Math.min(CELLS_A_SIDE - 1, ownRow + reach); at++) {
		const north = (at + 0.5 - row) * kmPerRow;
		const squaredRest = squaredRadius - north * north;
		if (squaredRest < 0) continue;
		const kmPerColumn = ((KM_PER_DEGREE * STEPS_A_COLUMN) / STEPS_PER_DEGREE) * cosine(latitudeOfRow(at + 0.5));
		const half = Math.sqrt(squaredRest) / kmPerColumn;
		for (let across = Math.ceil(column - half - 0.5); across + 0.5 <= column + half; across++) {
			const wrapped = ((across % CELLS_A_SIDE) + CELLS_A_SIDE) % CELLS_A_SIDE;
			const key = keyOfCell(wrapped, at);
			if (areaOfGridPoint(world, ...middleOfCell(wrapped, at)) !== area) continue;
			all.push(key);
			if (land.isDry(wrapped, at)) dry.push(key);
		}
	}
	if (all.length === 0) return [own];
	return dry.length * LEAST_DRY_SHARE < all.length ? all : dry;
}

/** People of each area, at its number, from its settlements. */
export function spreadPeople(byArea: ReadonlyArray<readonly Settlement[]>, world: World, land: Land): People[] {
	return byArea.map((settlements, area) => {
		const packed: number[] = [];
		for (const settlement of settlements) {
			if (settlement.featureCode === SECTION) continue;
			const cells = cellsOf(settlement, area, world, land);
			const share = Math.floor(settlement.population / cells.length);
			let left = settlement.population - share * cells.length;
			for (const key of cells) {
				const people = share + (left-- > 0 ? 1 : 0);
				packed.push(key * PACKED_PEOPLE + Math.min(people, PACKED_PEOPLE - 1));
			}
		}
		return gather(packed);
	});
}

/** Sorts packed cells and adds up those of one key. */
function gather(packed: number[]): People {
	const sorted = Float64Array.from(packed).sort();
	const keys: number[] = [];
	const before: number[] = [];
	let total = 0;
	for (const cell of sorted) {
		const key = Math.floor(cell / PACKED_PEOPLE);
		if (keys.at(-1) !== key) {
			keys.push(key);
			before.push(total);
		}
		total += cell % PACKED_PEOPLE;
	}
	return { keys: Uint32Array.from(keys), before: Float64Array.from([...before, total]) };
}

/** The people of those cells whose middle, a grid point, is one to keep. */
export function peopleWhere(people: People, keep: (x: number, y: number) => boolean): People {
	const keys: number[] = [];
	const before = [0];
	people.keys.forEach((key, at) => {
		if (!keep(...middleOfCell(columnOfKey(key), rowOfKey(key)))) return;
		keys.push(key);
		before.push(before.at(-1)! + people.before[at + 1]! - people.before[at]!);
	});
	return { keys: Uint32Array.from(keys), before: Float64Array.from(before) };
}

function firstAtOrAfter(keys: Uint32Array, key: number): number {
	return lastAtOrBefore(keys, key - 1, 0, keys.length) + 1;
}

/** People in a cell. */
export function peopleIn(people: People, key: number, level: number): number {
	const from = firstAtOrAfter(people.keys, key);
	const to = firstAtOrAfter(people.keys, key + keysAt(level));
	return people.before[to]! - people.before[from]!;
}

/** Lattice point in the middle of a cell's people, or undefined where nobody lives. */
export function middleOfPeople(people: People, key: number, level: number): { x: number; y: number } | undefined {
	const from = firstAtOrAfter(people.keys, key);
	const to = firstAtOrAfter(people.keys, key + keysAt(level));
	const total = people.before[to]! - people.before[from]!;
	if (total === 0) return undefined;
	let columns = 0;
	let rows = 0;
	for (let at = from; at < to; at++) {
		const count = people.before[at + 1]! - people.before[at]!;
		columns += count * (columnOfKey(people.keys[at]!) + 0.5);
		rows += count * (rowOfKey(people.keys[at]!) + 0.5);
	}
	return {
		x: Math.round((columns / total - CELLS_A_SIDE / 2) * STEPS_A_COLUMN),
		y: Math.round((rows / total - CELLS_A_SIDE / 2) * STEPS_A_ROW),
	};
}
