/** Which of a country's zone numbers an index publishes, and which earlier editions did: zones/FORMAT.md, "Numbers". */
import { ColumnReader } from "./columns.ts";
import { ZONE_NUMBERS } from "./naming.ts";

/** Zone numbers of one country, each list ascending. */
export interface CountryNumbers {
	/** the numbers of its zones in this edition */
	published: number[];
	/** numbers that earlier editions published and this one does not; they are never given to other ground */
	retired: number[];
}

/** Size in bytes of a set of zone numbers, one bit each. */
export const NUMBER_SET_BYTES = ZONE_NUMBERS / 8;

function numbersIn(set: Uint8Array): number[] {
	const numbers: number[] = [];
	for (let number = 0; number < ZONE_NUMBERS; number++) {
		if (set[number >>> 3]! & (1 << (number & 7))) numbers.push(number);
	}
	return numbers;
}

/**
 * Reads the zone numbers of a country.
 * @throws RangeError where the payload is too short.
 */
export function readNumbers(payload: ArrayBuffer): CountryNumbers {
	const columns = new ColumnReader(payload);
	return {
		published: numbersIn(columns.uint8(NUMBER_SET_BYTES)),
		retired: numbersIn(columns.uint8(NUMBER_SET_BYTES)),
	};
}

/**
 * The numbers of a country that no edition has published, nearest to `number` first; of two equally near, the lower comes first. Zones
 * that filled up may have opened some of them already.
 */
export function freeNumbersNear(number: number, { published, retired }: CountryNumbers): number[] {
	const taken = new Set([...published, ...retired]);
	const free = Array.from({ length: ZONE_NUMBERS }, (_, other) => other).filter((other) => !taken.has(other));
	return free.sort((a, b) => Math.abs(a - number) - Math.abs(b - number) || a - b);
}

/**
 * A zone that has opened some of its country's free numbers may open another while it has at most one for every this many that are left,
 * or once every zone of the country has opened one.
 */
export const FAIR_SHARE = 10;
