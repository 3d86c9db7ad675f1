/** How many of a country's numbers are given out when the index is built, and how many are left for zones that fill up. */
import { UNITS_PER_ZONE } from "../src/addresses/code.ts";

/** Codes under one number: one of eleven units has the check digit X, which codes do not use. */
export const CODES_A_NUMBER = (UNITS_PER_ZONE * 10) / 11;
/** People to an address that a country's numbers must do for: fewer than a household has where addresses are missing. */
const PEOPLE_AN_ADDRESS = 3.5;
/** Of 10 numbers that are free, no more than so many are given out. */
const MOST_TENTHS = 5;
/** Of 10 numbers that are free, so many are given out however many people there are. */
const LEAST_TENTHS = 2;

/**
 * How many zones may be built with the numbers that are free.
 *
 * Wherever people live, at most one number a zone is not full when everybody has an address. So if `built` zones and the
 * full numbers of all addresses are no more than what is free, nobody is refused, whatever the model of population.
 */
export function numbersToBuild(free: number, people: number): number {
	const full = people / PEOPLE_AN_ADDRESS / CODES_A_NUMBER;
	const share = (tenths: number) => Math.floor((free * tenths) / 10);
	return Math.max(1, share(LEAST_TENTHS), Math.min(share(MOST_TENTHS), Math.floor(free - full)));
}
