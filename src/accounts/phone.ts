import {
	type CountryCode,
	getCountries,
	getCountryCallingCode,
	isSupportedCountry,
	parsePhoneNumberFromString,
	validatePhoneNumberLength,
} from "libphonenumber-js/max";
import { asciiDigits } from "../codes/digits.ts";
import { INVISIBLE } from "../codes/invisible.ts";
import type { SmsNumbers } from "../env.ts";
import { AppError } from "../errors.ts";

/** The longest text that is read, in UTF-16 units. */
const TEXT_MAX = 64;

/** What people put between the digits: invisible characters, dashes, dots, brackets, slashes. */
const SEPARATORS = new RegExp(String.raw`[${INVISIBLE}\p{Pd}\u2212.()[\]/]`, "gu");

/** The most digits that a number has after its plus sign (ITU-T E.164, section 6.1). */
const DIGITS_MAX = 15;

/** Mexico dropped the 1 before mobile numbers in 2019, but contacts still have it. libphonenumber no longer removes it. */
const MEXICAN_MOBILE = /^\+521(?=\d{10}$)/;

const EXAMPLE = "such as +234 803 123 4567";

/** How to mend a number, by what libphonenumber finds wrong with its length. */
const MENDS = {
	INVALID_COUNTRY: `No country has this country code. Check the digits behind the plus sign, ${EXAMPLE}.`,
	TOO_SHORT: "The phone number has too few digits for its country. Check that none is missing.",
	TOO_LONG: "The phone number has too many digits for its country. Check that none is there twice.",
	INVALID_LENGTH: "No phone number of this country has so many digits. Check them.",
	NOT_A_NUMBER: `Write the phone number in digits behind a plus sign, without letters and extensions, ${EXAMPLE}.`,
};

/** A text without separators, in ASCII digits. */
function compact(text: string): string {
	return asciiDigits(text.normalize("NFKC").replace(SEPARATORS, ""));
}

/** The number in a text, as libphonenumber reads it. The country (ISO 3166-1 alpha-2) is where a national number is dialled. */
function readNumber(text: string, country?: CountryCode) {
	return parsePhoneNumberFromString(text, { extract: false, ...(country && { defaultCountry: country }) });
}

/**
 * The E.164 form of a phone number, with or without separators, in the digits of any script. A 0 that is dialled only inside the country,
 * as in +234 0803 123 4567, is dropped. The length must be possible for the country; no more is checked, because plans change faster than
 * metadata.
 * @throws AppError INVALID_PHONE, which says how to mend the number.
 */
export function parsePhone(input: string): string {
	const refused = (detail: string) => new AppError("INVALID_PHONE", detail);
	const text = input.length <= TEXT_MAX ? compact(input).replace(MEXICAN_MOBILE, "+52") : "";
	if (/^\d/.test(text)) throw refused(`Begin the phone number with a plus sign and its country code, ${EXAMPLE}.`);
	if (!/^\+\d+$/.test(text)) throw refused(MENDS.NOT_A_NUMBER);
	const number = readNumber(text);
	if (number?.isPossible() && number.number.length <= 1 + DIGITS_MAX) return number.number;
	throw refused(MENDS[validatePhoneNumberLength(number?.number ?? text) ?? "TOO_LONG"]);
}

/**
 * The E.164 form of a number as people of a country dial it, such as `0803 123 4567` in Nigeria. A number that starts with a plus sign or
 * `00` is international, whatever the country.
 * @param country The country chosen beside the number (ISO 3166-1 alpha-2).
 * @throws AppError INVALID_PHONE, as parsePhone does.
 */
export function parseNationalPhone(input: string, country: string | undefined): string {
	const text = compact(input.slice(0, TEXT_MAX)).replace(/^00(?=[1-9])/, "+");
	const national = /^\d+$/.test(text) ? phoneCountry(country) : undefined;
	return parsePhone((national && readNumber(text, national)?.number) ?? text);
}

/** The countries (ISO 3166-1 alpha-2) whose national phone numbers are understood, with their calling codes such as `+234`. */
export function phoneCountries(): { country: string; callingCode: string }[] {
	return getCountries().map((country) => ({ country, callingCode: `+${getCountryCallingCode(country)}` }));
}

/** The country (two letters, any case) if its national numbers are understood, else undefined. */
export function phoneCountry(country: string | undefined): CountryCode | undefined {
	const letters = country?.toUpperCase() ?? "";
	return isSupportedCountry(letters) ? letters : undefined;
}

/**
 * Refuses a number to which this registry sends no one-time codes, because messages to it are expensive or cannot arrive.
 * @param phone E.164.
 * @returns The country calling code of the number, such as `+234`. Several countries may share one.
 * @throws AppError INVALID_PHONE.
 */
export function assertSmsNumber({ callingCodes, types }: SmsNumbers, phone: string): string {
	const number = readNumber(phone);
	const callingCode = number?.countryCallingCode ?? "";
	const isServed = callingCodes ? callingCodes.has(callingCode) : number?.isNonGeographic() === false;
	if (!isServed) throw new AppError("INVALID_PHONE", "This registry sends no one-time codes to this country.");
	// Numbering plans change faster than metadata, so UNKNOWN is a type of its own.
	if (!types.has(number?.getType() ?? "UNKNOWN")) {
		throw new AppError("INVALID_PHONE", "This registry sends one-time codes to mobile phones only.");
	}
	return `+${callingCode}`;
}
