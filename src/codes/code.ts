import { AppError } from "../errors.ts";
import { checkCharacter } from "./check-digit.ts";
import { asciiDigits } from "./digits.ts";
import { INVISIBLE } from "./invisible.ts";
import { LIST_UNITS_MAX } from "./text-length.ts";

/** An address code taken apart. All parts are in canonical spelling: upper-case letters, ASCII digits. */
export interface AddressCode {
	/** `CCZZZZUUUUK`, 11 characters. */
	canonical: string;
	/** ISO 3166-1 alpha-2. */
	country: string;
	/** Four digits. */
	zone: string;
	/** Four digits. */
	unit: string;
}

/** Unit numbers of a zone, `0000` to `9999`, including those never issued because their check character is X. */
export const UNITS_PER_ZONE = 10_000;

/** Unit numbers of a zone that can be issued, because their check character is a digit: about 9,091. */
export const CODES_PER_ZONE = 9_091;

const CANONICAL = /^([A-Z]{2})(\d{4})(\d{4})(\d)$/;

/** Longest text read as a code, in UTF-16 units. With separators, a code takes at most about three times its 11 characters. */
const LONGEST_INPUT = 200;

/**
 * What couriers, keyboards and word processors put between the parts of a code: invisible characters, dashes of every kind (`\p{Pd}`,
 * the hyphen bullet and the minus sign), underscores, dots, and the plus sign that forms write for a space.
 */
const SEPARATOR = String.raw`${INVISIBLE}\p{Pd}\u2043\u2212_.+`;
const SEPARATORS = new RegExp(`[${SEPARATOR}]`, "gu");

/** A link as the QR code holds it. Its code is the first group. */
export const LINK = /^.*\/a\/([^/?#]*).*$/s;

/** Further separators between the parts of a code in a text: slashes, bullets, bars, and the commas and stops of a code read aloud. */
const BETWEEN_PARTS = String.raw`/,،:;~=|\\*·•・`;

/**
 * A pattern that matches codes within a text, each from its two letters to its ninth digit, even one right after another. It is
 * compiled when needed, because sets of Unicode characters take an isolate a millisecond.
 */
export const codeInText = () =>
	new RegExp(
		`(?:(?<![\\p{L}\\p{Nd}])|(?<=\\p{Nd}{5}))(\\p{L}[${SEPARATOR}]{0,3}\\p{L}[${SEPARATOR}${BETWEEN_PARTS}]*\\p{Nd}(?:[${SEPARATOR}/]*\\p{Nd}){3}[${SEPARATOR}${BETWEEN_PARTS}]*\\p{Nd}(?:[${SEPARATOR}/]*\\p{Nd}){4})(?!\\p{Nd})`,
		"gu",
	);

/** The canonical spelling of what `codeInText` matches. */
export const spelledCode = (match: string) => normalizeCode(match.replace(/[^\p{L}\p{Nd}]/gu, ""));

/** Whether a text is a code in canonical spelling. Its check digit need not fit. */
export const isCanonical = (text: string) => CANONICAL.test(text);

/**
 * The canonical spelling of anything that reads as a code: NFKC, separators removed, upper case, digits of every script as ASCII.
 * Nothing is padded or guessed, and no letter is taken for a digit or another letter (so only ASCII letters are upper-cased: Unicode
 * would make SS of ß and I of ı). A text that is not a code is returned normalised, and one too long to be a code unchanged.
 */
export function normalizeCode(input: string): string {
	if (CANONICAL.test(input) || input.length > LONGEST_INPUT) return input;
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

/**
 * The codes in a text, such as a sentence, a link or `NG/0421/58212`, in canonical spelling. If the check digit of any fits, only those
 * with a fitting one are returned. A text longer than any list has none.
 */
export function codesIn(text: string): string[] {
	if (text.length > LIST_UNITS_MAX) return [];
	const found = Array.from(text.normalize("NFKC").matchAll(codeInText()), ([, code = ""]) => spelledCode(code));
	const candidates = [...new Set([normalizeCode(text.replace(/[/,،]/g, "")), ...found])].filter((code) =>
		CANONICAL.test(code),
	);
	const fitting = candidates.filter(checkDigitFits);
	return fitting.length > 0 ? fitting : candidates;
}

/** The only code in a text, in canonical spelling; undefined if there is none, or more than one. */
export function codeIn(text: string): string | undefined {
	const [code, ...others] = codesIn(text);
	return others.length === 0 ? code : undefined;
}

/**
 * The state of an entry, judged without a look-up: `partial` may still become a code, `letter` has a letter where only a digit can
 * stand, `wrong` is a code whose check digit does not fit, and `complete` one whose check digit does.
 */
type CodeState = "empty" | "partial" | "letter" | "malformed" | "wrong" | "complete";

/** The state of a code while it is being typed. Nothing is looked up. */
export function judgeCode(entered: string): CodeState {
	const code = codeIn(entered) ?? normalizeCode(entered);
	if (code === "") return "empty";
	if (CANONICAL.test(code)) return checkDigitFits(code) ? "complete" : "wrong";
	if (/^([A-Z]?|[A-Z]{2}\d{0,8})$/.test(code)) return "partial";
	return /^[A-Z]{2}(?=[A-Z]*\d)[A-Z\d]{2,9}$/.test(code) ? "letter" : "malformed";
}

/**
 * Reads a code in canonical, display or spaced form, with or without a unit, or as the link of its page, and judges its check digit,
 * without any look-up.
 * @throws AppError MALFORMED_CODE when it does not have two letters and nine digits, BAD_CHECK_DIGIT when the last digit does not
 * fit the others. Neither tells which digit would.
 */
export function parseCode(input: string): AddressCode {
	const text = input.length <= LONGEST_INPUT ? input.normalize("NFKC") : "";
	const [code = ""] = text.replace(LINK, "$1").split("/");
	const canonical = normalizeCode(code);
	const match = CANONICAL.exec(canonical);
	if (!match && judgeCode(canonical) === "letter") {
		throw new AppError(
			"MALFORMED_CODE",
			"An address code is two letters and nine digits, such as NG-1377-48215. Replace the letter among the nine digits with a digit.",
		);
	}
	if (!match) {
		throw new AppError(
			"MALFORMED_CODE",
			"An address code is two letters and nine digits, such as NG-1377-48215. Case, spaces and dashes do not matter.",
		);
	}
	const [, country = "", zone = "", unit = ""] = match;
	if (!checkDigitFits(canonical)) {
		throw new AppError(
			"BAD_CHECK_DIGIT",
			"The check digit does not match, so the code was mistyped or misheard. Compare it with its source, character by character.",
		);
	}
	return { canonical, country, zone, unit };
}

/** The parts of a canonical code: the country (two letters), the zone (four digits), and the unit with its check digit as `rest`. */
export function partsOf(canonical: string): { country: string; zone: string; rest: string } {
	return { country: canonical.slice(0, 2), zone: canonical.slice(2, 6), rest: canonical.slice(6) };
}

/** The groups in which people read a canonical code, such as `NG`, `1377` and `48215`. */
export function groupsOf(canonical: string): string[] {
	const { country, zone, rest } = partsOf(canonical);
	return [country, zone, rest];
}

/** `NG137748215` as people read it: `NG-1377-48215`. */
export function displayCode(canonical: string): string {
	return groupsOf(canonical).join("-");
}

/** A canonical code as it is read aloud or to a screen reader, character by character: `N G, 0 3 1 1, 4 8 2 1 1`. */
export function spokenCode(canonical: string): string {
	return groupsOf(canonical)
		.map((group) => [...group].join(" "))
		.join(", ");
}

/**
 * The canonical code of one unit (0 to 9999) of a zone (`country` two letters, `zone` four digits), or undefined for a unit
 * whose check character would be X: such units are never issued.
 */
export function codeOfUnit(country: string, zone: string, unit: number): string | undefined {
	const body = country + zone + String(unit).padStart(4, "0");
	const check = checkCharacter(body);
	return check === "X" ? undefined : body + check;
}
