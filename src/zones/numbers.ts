/** Which of a country's zone numbers an index publishes, and which earlier editions did: zones/FORMAT.md, "Numbers". */
import { ZoneIndexError } from "./format.ts";
import { ZONE_NUMBERS } from "./naming.ts";
import { PayloadReader } from "./payload.ts";

/** Zone numbers of one country, each list ascending. */
export interface CountryNumbers {
	/** the numbers of its zones in this edition */
	published: number[];
	/** numbers that earlier editions published and this one does not; they never stand for other ground */
	retired: number[];
}

function readRuns(payload: PayloadReader): number[] {
	const numbers: number[] = [];
	let next = 0;
	for (let runs = payload.unsigned(); runs > 0; runs--) {
		next += payload.unsigned();
		const end = next + payload.unsigned();
		if (end > ZONE_NUMBERS) throw new ZoneIndexError("corrupt", `a country cannot have the zone number ${end - 1}`);
		while (next < end) numbers.push(next++);
	}
	return numbers;
}

/**
 * Reads the zone numbers of the first `countries` countries of an index, in the order of its directory.
 * @throws ZoneIndexError corrupt.
 */
export function readNumbers(bytes: Uint8Array, countries: number): CountryNumbers[] {
	const payload = new PayloadReader(bytes);
	return Array.from({ length: countries }, () => ({ published: readRuns(payload), retired: readRuns(payload) }));
}

/** The numbers of a country that no edition has published, in ascending order. Zones that filled up may have opened some of them. */
export function freeNumbers({ published, retired }: CountryNumbers): number[] {
	const taken = new Set([...published, ...retired]);
	return Array.from({ length: ZONE_NUMBERS }, (_, number) => number).filter((number) => !taken.has(number));
}
