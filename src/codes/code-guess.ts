/** Guesses what was meant by a text that is almost a code: one with letters and digits mixed up, or without its country. */
import { checkDigitFits, DIGITS_OF_CODE } from "./code.ts";
import { readCodes } from "./code-text.ts";
import { asciiDigits } from "./digits.ts";
import { type CodeWithoutCountry, nineDigitsIn } from "./nine-digits.ts";
import { normalText } from "./normal-text.ts";
import { pattern } from "./pattern.ts";
import { withSpokenDigits } from "./spoken-digits.ts";
import { unitAfterSlash } from "./unit.ts";
import { unitOf } from "./unit-text.ts";

/** The digits that a character copied from a sign may stand for, the likeliest first, and below the letters likewise. */
const DIGITS_TAKEN: Readonly<Record<string, string>> = {
	...{ O: "0", Q: "09", D: "0", I: "1", L: "1", "|": "1", "!": "1", Z: "27", E: "3", A: "4", S: "589", $: "5" },
	...{ G: "69", T: "7", B: "8" },
};
const LETTERS_TAKEN: Readonly<Record<string, string>> = {
	...{ "0": "OQD", "1": "IL", "2": "Z", "3": "E", "4": "A", "5": "S", "6": "G", "7": "T", "8": "B" },
};

/** A possible code with letters and digits mixed up: eleven characters, in groups or without separators. */
const MIXED_UP = String.raw`(?<![\p{L}\p{Nd}])([a-z\d][\s.-]?[a-z\d])[\s\p{Pd}_.]{0,3}([a-z\d|!$]{4})[\s\p{Pd}_.]{0,3}([a-z\d|!$]{5})(?![\p{L}\p{Nd}])`;

/** The most characters of a code that may be mixed up, and the fewest digits that make a text recognisable as a code. */
const MIXED_UP_MAX = 3;
const DIGITS_MIN = 7;

/** A text with the form of a code except for mixed-up letters and digits, and the one code that it can mean. */
interface MixedUpCode {
	typed: string;
	/** Undefined if the check digit fits no reading, or more than one: a wrong digit is never guessed. */
	meant?: string;
}

/** The characters that `character` may stand for at an index of a code: itself if it is of the right kind, else its look-alikes. */
function readingsOf(character: string, index: number): string[] {
	const isRight = index < 2 ? /[A-Z]/.test(character) : /\d/.test(character);
	return isRight ? [character] : [...((index < 2 ? LETTERS_TAKEN : DIGITS_TAKEN)[character] ?? "")];
}

/** The code in a text that has letters and digits mixed up, such as `NG-1377-8192O`; undefined if there is none. */
export function mixedUpCode(input: string): MixedUpCode | undefined {
	const [typed, ...groups] = pattern(MIXED_UP).exec(normalText(input)) ?? [];
	if (typed === undefined) return undefined;
	const characters = [
		...groups
			.join("")
			.replace(/[\s.-]/g, "")
			.toUpperCase(),
	];
	const readings = characters.map(readingsOf);
	const taken = characters.filter((character, index) => readings[index]?.[0] !== character);
	// An O for each zero is one habit, and can mean nothing else.
	const mixedUp = taken.filter((character) => character !== "O").length + (taken.includes("O") ? 1 : 0);
	if (mixedUp === 0 || mixedUp > MIXED_UP_MAX || !/[A-Z]/.test(characters.slice(0, 2).join(""))) return undefined;
	const possible = readings.reduce<string[]>(
		(begun, next) => begun.flatMap((start) => next.map((character) => start + character)),
		[""],
	);
	const [meant, ...others] = possible.filter(checkDigitFits);
	if (meant && others.length === 0) return { typed, meant };
	return characters.filter((character) => /\d/.test(character)).length >= DIGITS_MIN ? { typed } : undefined;
}

/** Separators within and between the two groups of the nine digits. */
const WITHIN = String.raw`[\s\p{Pd}\u2212_.]`;

/** The nine digits of a code in their two groups, and what follows them after a slash. */
const NINE_DIGITS = String.raw`^[\s(]*(\d(?:${WITHIN}?\d){3})((?:${WITHIN}|[/,،)]){0,3})(\d(?:${WITHIN}?\d){4})[\s.,]*(/.{0,200})?$`;

/** The longest text that may be nine digits and nothing else, in UTF-16 units. */
const ALONE_UNITS_MAX = 120;
/** The gap one digit too late. Any other grouping may be that of a phone number. */
const LATE_GAP = /^\d{5}[ -]\d{4}$/;

/** A text with each letter replaced by the digit it most resembles. Only a short text with seven to nine digits is changed. */
function withDigitsTaken(text: string): string {
	const digits = text.replace(/\D/g, "").length;
	if (digits < DIGITS_MIN || digits > DIGITS_OF_CODE || text.length > 2 * DIGITS_OF_CODE) return text;
	return text.replace(/[A-Za-z|!$]/g, (letter) => DIGITS_TAKEN[letter.toUpperCase()]?.[0] ?? letter);
}

/** The longest text in which a person may have to be asked for the country, in UTF-16 units. */
const ASKED_UNITS_MAX = 1_000;

/**
 * The nine digits of a code whose country is missing, such as `1377-81920`: alone, with a unit, spoken, with an O for a 0, or in a
 * sentence. Undefined where a text has several, or letters before them that are a country's.
 */
export function codeWithoutCountry(input: string): CodeWithoutCountry | undefined {
	if (input.length > ASKED_UNITS_MAX) return undefined;
	const written = asciiDigits(normalText(input));
	const text = withSpokenDigits(written);
	return nineDigitsAlone(text) ?? (readCodes(written).codes.length > 0 ? undefined : nineDigitsIn(text));
}

/** The nine digits if they are a whole text, in two groups. */
function nineDigitsAlone(text: string): CodeWithoutCountry | undefined {
	if (text.length > ALONE_UNITS_MAX) return undefined;
	const nineDigits = pattern(NINE_DIGITS);
	const [, zone, between = "", rest, behind = ""] =
		nineDigits.exec(text) ?? nineDigits.exec(withDigitsTaken(text)) ?? [];
	if (!zone || !rest) return undefined;
	if (between === "" && /\D/.test(zone + rest) && !LATE_GAP.test(zone + rest)) return undefined;
	const unit = unitOf(unitAfterSlash(behind));
	return { digits: (zone + rest).replace(/\D/g, ""), ...(unit ? { unit } : {}) };
}

/** A text as it was said, with the digits of any script in ASCII. */
const said = (input: string) => withSpokenDigits(asciiDigits(normalText(input)));

/** How many digits a text has that would be a code with nine of them: one or two too few or too many. Undefined for other texts. */
export function miscountedDigits(input: string): number | undefined {
	if (input.length > ASKED_UNITS_MAX) return undefined;
	const text = said(input);
	const groups = text.match(/\d+/g) ?? [];
	const count = groups.join("").length;
	const isNear = count !== DIGITS_OF_CODE && Math.abs(count - DIGITS_OF_CODE) <= 2;
	const [letters = ""] = /^[A-Z]{2}(?=[\s\p{Pd}.,:]{0,3}\d)/iu.exec(text.trim()) ?? [];
	const isAlone =
		text
			.trim()
			.slice(letters.length)
			.replace(/[\s\p{Pd}.,]/gu, "").length === count;
	const isGrouped =
		groups.length === 2 && /^\d+[ \p{Pd}]{1,3}\d+$/u.test(text.slice(text.search(/\d/), text.search(/\d\D*$/) + 1));
	// Seven or eleven digits without letters are a phone's.
	const isCode =
		letters !== ""
			? isNear && isAlone
			: Math.abs(count - DIGITS_OF_CODE) === 1 && (isAlone ? groups.length <= 2 : isGrouped);
	return isCode ? count : undefined;
}

/** Whether a text is only the five large digits of a sign. */
export const isLargeLine = (input: string) =>
	input.length <= ALONE_UNITS_MAX && /^\d(?: ?\d){4}$/.test(said(input).trim());

/** The given countries (ISO 3166-1 alpha-2) with which the check digit of nine digits fits: about one in eleven. */
export function countriesOf(digits: string, countries: readonly string[]): string[] {
	return countries.filter((country) => checkDigitFits(country + digits));
}
