/** What becomes of a country's numbers when every household asks for a code, in random order. */
import { FAIR_SHARE } from "../src/addresses/fair-share.ts";
import { CODES_A_NUMBER } from "./reserve.ts";

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
}

/**
 * Fills a country, by the rule of fair shares that src/addresses/code-store.ts keeps.
 * @param byZone Households of each zone.
 * @param free Numbers left for zones that fill up.
 */
export function fillCountry(byZone: readonly number[], free: number): Filling {
	const numbers = byZone.map(() => 1);
	// In random order zones fill in proportion to their households: each wants its next number at these shares of all.
	const wanted = byZone.flatMap((households, zone) =>
		Array.from({ length: Math.ceil(households / CODES_A_NUMBER) - 1 }, (_, full) => ({
			zone,
			at: ((full + 1) * CODES_A_NUMBER) / households,
		})),
	);
	wanted.sort((a, b) => a.at - b.at);
	let left = free;
	let unopened = byZone.length;
	let firstRefusal: number | undefined;
	for (const { zone, at } of wanted) {
		const opened = numbers[zone]! - 1;
		if (left > 0 && (opened * FAIR_SHARE <= left || unopened === 0)) {
			left -= 1;
			if (opened === 0) unopened -= 1;
			numbers[zone]! += 1;
		} else firstRefusal ??= at;
	}
	return {
		households: byZone.reduce((sum, households) => sum + households, 0),
		served: byZone.reduce((sum, households, zone) => sum + Math.min(households, numbers[zone]! * CODES_A_NUMBER), 0),
		firstRefusal,
		opened: free - left,
		mostOpened: numbers.reduce((most, number) => Math.max(most, number - 1), 0),
	};
}
