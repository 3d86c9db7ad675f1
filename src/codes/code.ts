import { AppError } from "../errors.ts";
import { checkCharacter } from "./check-digit.ts";
import { asciiDigits } from "./digits.ts";
import { INVISIBLE } from "./invisible.ts";

/** An address code taken apart. All parts are in canonical spelling: upper-case letters, ASCII digits. */
export interface AddressCode {
	/** `CCZZZZUUUUK`, 11 characters. */
	canonical: string;
	/** ISO 3166-1 alpha-2. */
	country: string;
	/** Four digits. */
	zone: string;
}

/** Serial numbers of a zone, `0000` to `9999` (the `UUUU` of a code), including those never issued because their check character is X. */
export const SERIALS_PER_ZONE = 10_000;

/** Serial numbers of a zone that can be issued, because their check character is a digit: about 9,091. */
export const CODES_PER_ZONE = 9_091;

/** The digits of a code, behind the two letters of its country. */
export const DIGITS_OF_CODE = 9;

const CANONICAL = /^[A-Z]{2}\d{9}$/;

/** Longest text read as a code, in UTF-16 units. With separators, a code takes at most about three times its 11 characters. */
const LONGEST_INPUT = 200;

/**
 * What couriers, keyboards and word processors put between the parts of a code: invisible characters, dashes of every kind (`\p{Pd}`,
 * the hyphen bullet and the minus sign), underscores, dots, and the plus sign that forms write for a space.
 */
export const SEPARATOR = String.raw`${INVISIBLE}\p{Pd}\u2043\u2212_.+`;
const SEPARATORS = new RegExp(`[${SEPARATOR}]`, "gu");

/** A link as the QR code holds it. Its code is the first group. */
export const LINK = /^.*\/a\/([^/?#]*).*$/s;

/** Whether a text is a code in canonical spelling. Its check digit need not fit. */
export const isCanonical = (text: string) => CANONICAL.test(text);

/**
 * The canonical spelling of anything that reads as a code: NFKC, separators removed, upper case, digits of every script as ASCII.
 * Nothing is padded or guessed, and no letter is taken for a digit or another letter (so only ASCII letters are upper-cased: Unicode
 * would make SS of ß and I of ı). A text that is not a code is returned normalised, and one too long to be a code unchanged.
 * @example
 * ```ts
 * normalizeCode("ng 1377–٤٨٢١٥") // "NG137748215"
 * normalizeCode("12 Broad Street") // "12BROADSTREET"
 * ```
 */
export function normalizeCode(input: string): string {
	if (isCanonical(input) || input.length > LONGEST_INPUT) return input;
	const letters = input
		.normalize("NFKC")
		.replace(SEPARATORS, "")
		.replace(/[a-z]+/g, (run) => run.toUpperCase());
	return asciiDigits(letters);
}

/** Whether the check digit of a code in canonical spelling fits. */
export function checkDigitFits(canonical: string): boolean {
	return checkCharacter(canonical.slice(0, -1)) === canonical.slice(-1);
}

/** Whether the canonical spelling of a text has a letter where only one of the nine digits can stand, such as an O for a 0. */
export function hasLetterForDigit(canonical: string): boolean {
	return /^[A-Z]{2}(?!\d*$|[A-Z]*$)[A-Z\d]{2,9}$/.test(canonical);
}

/**
 * Reads a code in canonical, display or spaced form, with or without a unit, or as the link of its page, and judges its check digit,
 * without any look-up.
 * @throws AppError MALFORMED_CODE when it does not have two letters and nine digits, BAD_CHECK_DIGIT when the last digit does not
 * fit the others. Neither tells which digit would.
 * @example
 * ```ts
 * parseCode("ng-1377-48215") // { canonical: "NG137748215", country: "NG", zone: "1377" }
 * parseCode("https://addr.example/a/NG137748215").canonical // "NG137748215"
 * ```
 */
export function parseCode(input: string): AddressCode {
	const text = input.length <= LONGEST_INPUT ? input.normalize("NFKC") : "";
	const [code = ""] = text.replace(LINK, "$1").split("/");
	const canonical = normalizeCode(code);
	if (!isCanonical(canonical)) {
		const mend = hasLetterForDigit(canonical)
			? "Replace the letter among the nine digits with a digit."
			: "Case, spaces and dashes do not matter.";
		throw new AppError(
			"MALFORMED_CODE",
			`An address code is two letters and nine digits, such as NG-1377-48215. ${mend}`,
		);
	}
	if (!checkDigitFits(canonical)) {
		throw new AppError(
			"BAD_CHECK_DIGIT",
			"The check digit does not match, so the code was mistyped or misheard. Compare it with its source, character by character.",
		);
	}
	const { country, zone } = partsOf(canonical);
	return { canonical, country, zone };
}

/** The groups in which people read a canonical code, such as `NG`, `1377` and `48215`. */
export function groupsOf(canonical: string): [country: string, zone: string, rest: string] {
	return [canonical.slice(0, 2), canonical.slice(2, 6), canonical.slice(6)];
}

/** The same parts by name: the country, the zone, and the unit with its check digit as `rest`. */
export function partsOf(canonical: string): { country: string; zone: string; rest: string } {
	const [country, zone, rest] = groupsOf(canonical);
	return { country, zone, rest };
}

/**
 * `NG137748215` as people read it: `NG-1377-48215`.
 * @example
 * ```ts
 * displayCode("NG137748215") // "NG-1377-48215"
 * ```
 */
export function displayCode(canonical: string): string {
	return groupsOf(canonical).join("-");
}

/**
 * A canonical code as it is read aloud or to a screen reader, character by character: `N G, 0 3 1 1, 4 8 2 1 1`.
 * @example
 * ```ts
 * spokenCode("NG137748215") // "N G, 1 3 7 7, 4 8 2 1 5"
 * ```
 */
export function spokenCode(canonical: string): string {
	return groupsOf(canonical)
		.map((group) => [...group].join(" "))
		.join(", ");
}

/**
 * The canonical code of one serial number (0 to 9999) of a zone (`country` two letters, `zone` four digits), or undefined if its check
 * character would be X: such a number is never issued.
 * @example
 * ```ts
 * codeOfSerial("NG", "1377", 4821) // "NG137748215"
 * ```
 */
export function codeOfSerial(country: string, zone: string, serial: number): string | undefined {
	const body = country + zone + String(serial).padStart(4, "0");
	const check = checkCharacter(body);
	return check === "X" ? undefined : body + check;
}
