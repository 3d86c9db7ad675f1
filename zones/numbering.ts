/** Gives zones their numbers: those that they had in the previous edition, and never-used ones for new ground. */

import { keysAt, lastAtOrBefore } from "../src/zones/morton.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import type { EditionCountry } from "./edition.ts";
import { BoundaryError } from "./faults.ts";
import { numbersOpened, PEOPLE_AN_ADDRESS } from "./reserve.ts";

/** Every zone is expected to open at least this many numbers, so that a free one is near wherever people move to. */
const LEAST_NEED = 0.1;

/** A cell as one number: levels take six bits. */
function cellId(key: number, level: number): number {
	return key * 64 + level;
}

/** The cells of a country's zones in the previous edition, which zones of the next edition retain. */
export class KeptCells {
	readonly #keys: Uint32Array;
	/** by cellId */
	readonly #numbers = new Map<number, number>();

	/** @param taken Numbers that official zones have now: the zones that had them are not retained. */
	constructor(before: EditionCountry | undefined, taken: ReadonlySet<number> = new Set()) {
		const keys: number[] = [];
		for (const { number, cell } of before?.zones.values() ?? []) {
			if (!cell || taken.has(number)) continue;
			keys.push(cell.key);
			this.#numbers.set(cellId(cell.key, cell.level), number);
		}
		this.#keys = Uint32Array.from(keys).sort();
	}

	/** The number of a cell's zone; undefined if the cell was no zone. */
	numberOf(key: number, level: number): number | undefined {
		return this.#numbers.get(cellId(key, level));
	}

	/** Whether a cell or any part of it was a zone. */
	meets(key: number, level: number): boolean {
		const at = lastAtOrBefore(this.#keys, key + keysAt(level) - 1, 0, this.#keys.length);
		return at >= 0 && this.#keys[at]! >= key;
	}
}

/** The numbers that are not taken, ascending. */
export function freeOf(taken: ReadonlySet<number>): number[] {
	return Array.from({ length: ZONE_NUMBERS }, (_, number) => number).filter((number) => !taken.has(number));
}

/** The longest run of numbers that are not taken. */
export function longestFree(taken: ReadonlySet<number>): number[] {
	let longest: number[] = [];
	let run: number[] = [];
	for (const number of freeOf(taken)) {
		if (run.at(-1) !== number - 1) run = [];
		run.push(number);
		if (run.length > longest.length) longest = run;
	}
	return longest;
}

/**
 * Numbers for zones, in the order of their cells, in a country that is numbered for the first time. They ascend, and leave the other
 * numbers free next to the zones that are expected to open them.
 * @param free Numbers to choose from, ascending, at least as many as there are zones.
 */
export function numbersAlongCurve(zones: ReadonlyArray<{ people: number }>, free: readonly number[]): number[] {
	const needs = zones.map(({ people }) => numbersOpened(people / PEOPLE_AN_ADDRESS) + LEAST_NEED);
	const all = needs.reduce((sum, need) => sum + need, 0);
	const spare = free.length - zones.length;
	let before = 0;
	return needs.map((need, place) => {
		const middle = before + need / 2;
		before += need;
		return free[place + Math.floor((spare * middle) / all)]!;
	});
}

/**
 * Numbers for zones, in the order of their cells, in a country that had an edition before. Zones retain theirs, and new ground gets
 * never-used ones, from the last number down, where few zones look for their next.
 * @param taken Numbers that official zones have, and those that zones of the registry have opened.
 * @throws BoundaryError if there are not enough numbers.
 */
export function numbersAfter(
	cells: ReadonlyArray<{ key: number; level: number }>,
	kept: KeptCells,
	before: EditionCountry,
	taken: Iterable<number>,
): number[] {
	const fresh = freeOf(new Set([...taken, ...before.zones.keys(), ...before.retired]));
	return cells.map(({ key, level }) => {
		const number = kept.numberOf(key, level) ?? fresh.pop();
		if (number === undefined) throw new BoundaryError("a country has no number left for new ground");
		return number;
	});
}

/** Numbers that were published once and are no longer, ascending. */
export function retiredNumbers(before: EditionCountry | undefined, published: Iterable<number>): number[] {
	if (!before) return [];
	const now = new Set(published);
	return [...new Set([...before.zones.keys(), ...before.retired])]
		.filter((number) => !now.has(number))
		.sort((a, b) => a - b);
}
