/** Gives zones their numbers: those they had in the edition before, and to new ground such as nobody has had. */

import { lastAtOrBefore } from "../src/zones/buckets.ts";
import { keysAt } from "../src/zones/morton.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import type { EditionCountry } from "./edition.ts";
import { BoundaryError } from "./faults.ts";

/** A cell as one number: levels take six bits. */
function cellId(key: number, level: number): number {
	return key * 64 + level;
}

/** The cells of a country's zones in the edition before. Zones that are made anew keep to them. */
export class KeptCells {
	readonly #keys: Uint32Array;
	/** by cellId */
	readonly #numbers = new Map<number, number>();

	/** @param taken Numbers that official zones have now: the zones that had them are not kept. */
	constructor(before: EditionCountry | undefined, taken: ReadonlySet<number> = new Set()) {
		const keys: number[] = [];
		for (const { number, cell } of before?.zones.values() ?? []) {
			if (!cell || taken.has(number)) continue;
			keys.push(cell.key);
			this.#numbers.set(cellId(cell.key, cell.level), number);
		}
		this.#keys = Uint32Array.from(keys).sort();
	}

	/** The number that a cell's zone has; undefined where the cell was no zone. */
	numberOf(key: number, level: number): number | undefined {
		return this.#numbers.get(cellId(key, level));
	}

	/** Whether a cell or any part of it was a zone. */
	meets(key: number, level: number): boolean {
		const at = lastAtOrBefore(this.#keys, key + keysAt(level) - 1, 0, this.#keys.length);
		return at >= 0 && this.#keys[at]! >= key;
	}
}

/**
 * Numbers of zones in the order of their cells: kept ones first of all. New ones count up from `first` where the country is
 * numbered afresh; else down from the last, because zones that fill up open theirs from below.
 * @param opened Numbers that zones of the registry have opened.
 * @throws BoundaryError when the numbers do not suffice.
 */
export function numberZones(
	cells: ReadonlyArray<{ key: number; level: number }>,
	kept: KeptCells,
	before: EditionCountry | undefined,
	official: ReadonlySet<number>,
	opened: readonly number[],
	first: number,
): number[] {
	const spent = new Set([...official, ...opened, ...(before ? [...before.zones.keys(), ...before.retired] : [])]);
	const step = before ? -1 : 1;
	let next = before ? ZONE_NUMBERS - 1 : first;
	const fresh = (): number => {
		while (spent.has(next)) next += step;
		if (next < 0 || next >= ZONE_NUMBERS) throw new BoundaryError("a country has no number left for new ground");
		const number = next;
		next += step;
		return number;
	};
	return cells.map(({ key, level }) => kept.numberOf(key, level) ?? fresh());
}

/** Numbers that were published once and are no longer, ascending. */
export function retiredNumbers(before: EditionCountry | undefined, published: Iterable<number>): number[] {
	if (!before) return [];
	const now = new Set(published);
	return [...new Set([...before.zones.keys(), ...before.retired])]
		.filter((number) => !now.has(number))
		.sort((a, b) => a - b);
}
