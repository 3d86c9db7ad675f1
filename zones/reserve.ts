/** Decides how many of a country's numbers are given out when the index is built, and how many are left for zones that fill up. */
import { SERIALS_PER_ZONE } from "../src/codes/code.ts";

/** Codes under one number: one of eleven units has the check digit X, which codes do not use. */
export const CODES_A_NUMBER = (SERIALS_PER_ZONE * 10) / 11;
/** People per address for which a country's numbers must suffice: a household in a country that lacks addresses. */
export const PEOPLE_AN_ADDRESS = 4.5;
/** Of 10 free numbers, how many are given out at most where people are few, because small zones take room in the index. */
const MOST_TENTHS = 5;
/** Of 10 free numbers, how many are given out however many people there are. */
const LEAST_TENTHS = 2;
/** Of 1000 free numbers, how many may be in use in the end; beyond that, the rule of fair shares begins to refuse. */
const MOST_USED_THOUSANDTHS = 985;
/** How many of 1000 are held back in addition, times the square of the share of people whose homes the model has to guess. */
const GUESSED_THOUSANDTHS = 145;

/** e to the power of -x for x from 0 on, off by less than x * x / 8192 of itself, in arithmetic that every engine rounds alike. */
function decay(x: number): number {
	let power = 1 / (1 + x / 4096);
	for (let squared = 0; squared < 12; squared++) power *= power;
	return power;
}

/**
 * How many numbers that many zones will have taken once everybody has an address, if people live elsewhere than the model says.
 *
 * A zone whose people are expected to fill `mean` numbers has in fact more or fewer, as in an exponential distribution. It then takes 1 /
 * (1 - exp(-1 / mean)) numbers: half a number more than are full where there are many people, and one where there are few.
 */
function numbersTaken(zones: number, full: number): number {
	return full === 0 ? zones : zones / (1 - decay(zones / full));
}

/**
 * How many zones may be built with the free numbers: as many as still leave a code for everybody, and a free number nearby.
 * @param guessed Share of the people whose homes are in no list.
 */
export function numbersToBuild(free: number, people: number, guessed: number): number {
	const full = people / PEOPLE_AN_ADDRESS / CODES_A_NUMBER;
	const share = (tenths: number) => Math.floor((free * tenths) / 10);
	const most = (free * (MOST_USED_THOUSANDTHS - GUESSED_THOUSANDTHS * guessed * guessed)) / 1000;
	let zones = Math.floor(Math.min(free, Math.max(share(MOST_TENTHS), free / 4 + full)));
	while (zones > share(LEAST_TENTHS) && numbersTaken(zones, full) > most) zones -= 1;
	return Math.max(1, zones);
}

/** How many numbers besides its first a zone is expected to take for that many households. */
export function numbersOpened(households: number): number {
	const full = households / CODES_A_NUMBER;
	// Within a sixth of what an exponential distribution gives, see above.
	return (full * full) / (1 + full);
}
