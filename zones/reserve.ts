/** How many of a country's numbers are given out when the index is built, and how many are left for zones that fill up. */
import { UNITS_PER_ZONE } from "../src/codes/code.ts";

/** Codes under one number: one of eleven units has the check digit X, which codes do not use. */
export const CODES_A_NUMBER = (UNITS_PER_ZONE * 10) / 11;
/** People to an address that a country's numbers must do for: a household of a country where addresses are missing. */
export const PEOPLE_AN_ADDRESS = 4.5;
/** Of 10 numbers that are free, no more than so many are given out where people are few: small zones take room in the index. */
const MOST_TENTHS = 5;
/** Of 10 numbers that are free, so many are given out however many people there are. */
const LEAST_TENTHS = 2;
/** Of 1000 numbers that are free, so many may be in use in the end: from there on the rule of fair shares begins to refuse. */
const MOST_USED_THOUSANDTHS = 985;
/** So many of 1000 are kept back beside, times the square of the share of people whose homes the model has to guess. */
const GUESSED_THOUSANDTHS = 145;

/** e to the power of -x for x from 0 on, off by less than x * x / 8192 of itself, in arithmetic that every engine rounds alike. */
function decay(x: number): number {
	let power = 1 / (1 + x / 4096);
	for (let squared = 0; squared < 12; squared++) power *= power;
	return power;
}

/**
 * How many numbers so many zones will have opened and filled, when everybody has an address and people live otherwise than the model says.
 *
 * A zone in which `mean` numbers of people are expected has in fact more or fewer: as many as an exponential distribution gives. Then it takes
 * 1 / (1 - exp(-1 / mean)) numbers: half a number more than are full where people are many, and one where they are few.
 */
function numbersTaken(zones: number, full: number): number {
	return full === 0 ? zones : zones / (1 - decay(zones / full));
}

/**
 * How many zones may be built with the numbers that are free: as many as still leave everybody a code, and a free number near.
 * @param guessed Share of the people that no list says the homes of.
 */
export function numbersToBuild(free: number, people: number, guessed: number): number {
	const full = people / PEOPLE_AN_ADDRESS / CODES_A_NUMBER;
	const share = (tenths: number) => Math.floor((free * tenths) / 10);
	const most = (free * (MOST_USED_THOUSANDTHS - GUESSED_THOUSANDTHS * guessed * guessed)) / 1000;
	let zones = Math.floor(Math.min(free, Math.max(share(MOST_TENTHS), free / 4 + full)));
	while (zones > share(LEAST_TENTHS) && numbersTaken(zones, full) > most) zones -= 1;
	return Math.max(1, zones);
}

/** How many numbers, beside its first, a zone is expected to take for so many households. */
export function numbersOpened(households: number): number {
	const full = households / CODES_A_NUMBER;
	// Within a sixth of what an exponential distribution gives, see above.
	return (full * full) / (1 + full);
}
