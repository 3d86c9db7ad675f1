/** What becomes of a country's numbers when every household asks for a code, in random order. */
import { ZONE_NUMBERS } from "../../src/zones/naming.ts";
import { FAIR_SHARE } from "../../src/zones/numbers.ts";
import { CODES_A_NUMBER } from "../reserve.ts";

/** A zone of a country that fills. */
export interface FillingZone {
	number: number;
	households: number;
}

export interface Filling {
	households: number;
	/** households that have a code in the end */
	served: number;
	/** share of the households that had asked when the first one was refused; undefined when none was */
	firstRefusal: number | undefined;
	/** numbers that full zones have opened */
	opened: number;
	/** the most numbers that one zone has opened */
	mostOpened: number;
	/** codes under numbers that full zones have opened, by how far the number is from that of the zone, nearest first */
	overflow: Array<{ distance: number; codes: number }>;
}

/** Gives out numbers of a country that are free, the one nearest to a number first, of two alike the lower. */
class FreeNumbers {
	/** towards the nearest free number from each number on, and from each number back; shortened as it is walked */
	readonly #up = Int32Array.from({ length: ZONE_NUMBERS + 1 }, (_, number) => number);
	readonly #down = Int32Array.from({ length: ZONE_NUMBERS + 1 }, (_, number) => number);

	constructor(taken: Iterable<number>) {
		for (const number of taken) this.#take(number);
	}

	#take(number: number): void {
		this.#up[number] = number + 1;
		// Shifted by one, so that 0 stands for none.
		this.#down[number + 1] = number;
	}

	#walk(steps: Int32Array, from: number): number {
		let end = from;
		while (steps[end] !== end) end = steps[end]!;
		for (let at = from; at !== end; ) {
			const next = steps[at]!;
			steps[at] = end;
			at = next;
		}
		return end;
	}

	/** Takes the free number nearest to another one; there has to be one. */
	nearestTo(number: number): number {
		const above = this.#walk(this.#up, number);
		const below = this.#walk(this.#down, number + 1) - 1;
		const nearest = above === ZONE_NUMBERS || (below >= 0 && number - below <= above - number) ? below : above;
		this.#take(nearest);
		return nearest;
	}
}

/**
 * Fills a country, by the rules of fair shares and of the nearest free number that src/addresses/code-store.ts keeps.
 * @param retired Numbers that nobody may take.
 */
export function fillCountry(zones: readonly FillingZone[], retired: readonly number[] = []): Filling {
	const numbers = zones.map(() => 1);
	// In random order zones fill in proportion to their households: each wants its next number at these shares of all.
	const wanted = zones.flatMap(({ households }, zone) =>
		Array.from({ length: Math.ceil(households / CODES_A_NUMBER) - 1 }, (_, full) => ({
			zone,
			at: ((full + 1) * CODES_A_NUMBER) / households,
		})),
	);
	wanted.sort((a, b) => a.at - b.at);
	const free = new FreeNumbers([...zones.map(({ number }) => number), ...retired]);
	const all = ZONE_NUMBERS - zones.length - retired.length;
	let left = all;
	let unopened = zones.length;
	let firstRefusal: number | undefined;
	const overflow: Filling["overflow"] = [];
	for (const { zone, at } of wanted) {
		const opened = numbers[zone]! - 1;
		if (left > 0 && (opened * FAIR_SHARE <= left || unopened === 0)) {
			left -= 1;
			if (opened === 0) unopened -= 1;
			const { number, households } = zones[zone]!;
			const codes = Math.min(CODES_A_NUMBER, households - numbers[zone]! * CODES_A_NUMBER);
			overflow.push({ distance: Math.abs(free.nearestTo(number) - number), codes });
			numbers[zone]! += 1;
		} else firstRefusal ??= at;
	}
	return {
		households: zones.reduce((sum, { households }) => sum + households, 0),
		served: zones.reduce((sum, { households }, zone) => sum + Math.min(households, numbers[zone]! * CODES_A_NUMBER), 0),
		firstRefusal,
		opened: all - left,
		mostOpened: numbers.reduce((most, number) => Math.max(most, number - 1), 0),
		overflow: overflow.sort((a, b) => a.distance - b.distance),
	};
}

/** The distance that a share of the codes under opened numbers keeps to; 0 where none are opened. */
export function overflowDistance({ overflow }: Filling, share: number): number {
	let codes = share * overflow.reduce((sum, opened) => sum + opened.codes, 0);
	const found = overflow.find((opened) => {
		codes -= opened.codes;
		return codes <= 0;
	});
	return (found ?? overflow.at(-1))?.distance ?? 0;
}
