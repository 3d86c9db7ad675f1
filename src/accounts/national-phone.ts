import { asciiDigits } from "../codes/digits.ts";
import { CALLING_CODES } from "./calling-codes.data.ts";
import { type NumberingPlans, readNumber } from "./numbering-plans.ts";
import { PHONE_SEPARATORS, parsePhone } from "./phone.ts";

/** Countries (ISO 3166-1 alpha-2) whose national phone numbers are understood, with their calling codes such as `+234`. */
export function phoneCountries(): { country: string; callingCode: string }[] {
	return CALLING_CODES.split(" ").map((entry) => ({ country: entry.slice(0, 2), callingCode: `+${entry.slice(2)}` }));
}

/** A country (two letters, any case) whose national numbers are understood, or undefined. */
export function phoneCountry(country: string | undefined): string | undefined {
	const letters = country?.toUpperCase();
	return phoneCountries().some(({ country }) => country === letters) ? letters : undefined;
}

/**
 * The E.164 form of a number as people of a country dial it, such as `0803 123 4567` in Nigeria, in the digits of any script. A number
 * with a plus sign, or with `00` before it, is taken as international whatever the country.
 * @param country ISO 3166-1 alpha-2, of the form beside the number.
 * @throws AppError INVALID_PHONE.
 */
export function parseNationalPhone(plans: NumberingPlans, input: string, country: string | undefined): string {
	const text = asciiDigits(input.slice(0, 64).normalize("NFKC")).trim();
	const international = /^00\s*[1-9]/.test(text) ? text.replace(/^00/, "+") : text;
	const known = phoneCountry(country);
	if (international.startsWith("+") || !known) return parsePhone(plans, international);
	const number = readNumber(plans, international.replace(PHONE_SEPARATORS, ""), known);
	return parsePhone(plans, number?.number ?? international);
}
