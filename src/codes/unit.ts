import { asciiDigits } from "./digits.ts";
import { INVISIBLE } from "./invisible.ts";
import { NOT_IN_LINE } from "./line-characters.ts";
import { inNormalForm } from "./text-length.ts";
import { writtenCodes } from "./written-code.ts";

/** Longest unit, in Unicode code points. */
export const UNIT_CHARACTERS_MAX = 20;

const INVISIBLES = new RegExp(`[${INVISIBLE}]`, "gu");

/** Longest text read as a unit, in UTF-16 units, spaces included. */
const LONGEST_INPUT = 200;

/**
 * The form in which units of an address, such as flats, are compared: NFKC, upper case, digits of every script as ASCII, without spaces
 * and invisible format characters. It may be empty. A text too long to be a unit is returned unchanged.
 * @example
 * ```ts
 * normalizeUnit(" 3 b") // "3B"
 * ```
 */
export function normalizeUnit(text: string): string {
	if (text.length > LONGEST_INPUT) return text;
	return asciiDigits(text.normalize("NFKC").replace(INVISIBLES, "")).toUpperCase();
}

/** Where a unit written after a code ends: at a comma or another mark, at a dash or slash between spaces, or before another sentence. */
const END = /[,;،؛:!?"”»*|()]|\p{ExtPict}| [/\p{Pd}] |(?<=\p{Nd}\p{L}?)\.(?= |$)/u;

/**
 * The unit after the slash that follows a code, without what a chat says next, as in `/ 3B, ask for Chidi`. Undefined if no slash follows.
 * @param behind What follows the code, in normal form (NFKC).
 */
export function unitAfterSlash(behind: string): string | undefined {
	return /^[ \t]{0,9}\/(.{0,200})/.exec(behind)?.[1]?.split(END, 1)[0]?.trim();
}

/** A unit's name for display after a code, without the marks that would end it when the text is pasted. */
export const besideCode = (name: string) =>
	name
		.split(END)
		.map((part) => part.trim())
		.filter(Boolean)
		.join(" ") || name;

/** Whether a normalised text is a unit: 1 to 20 characters, none of them a control character, surrogate or noncharacter. */
export function isUnit(unit: string): boolean {
	const { length } = Array.from(unit);
	return length > 0 && length <= UNIT_CHARACTERS_MAX && !NOT_IN_LINE.test(unit);
}

/** The query of an address page's link in a text; null if there is no such link. */
export function askedByLink(text: string): URLSearchParams | null {
	const link = /\/a\/[^?#\s]*([^#\s]*)/.exec(text);
	return link && new URLSearchParams(link[1]);
}

/** The unit after the slash behind the first code of a text; undefined if there is none. */
export function unitBehindCode(text: string): string | undefined {
	const written = inNormalForm(text);
	const [code] = writtenCodes(written);
	return code && unitAfterSlash(written.slice(code.to));
}
