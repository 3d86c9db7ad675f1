import { codeInText } from "./code.ts";
import { asciiDigits } from "./digits.ts";
import { INVISIBLE } from "./invisible.ts";
import { withoutUnseen } from "./pasted-text.ts";
import { LIST_UNITS_MAX } from "./text-length.ts";

/** Longest unit, in Unicode code points. */
export const UNIT_CHARACTERS_MAX = 20;

const UNSEEN = new RegExp(`[${INVISIBLE}]`, "gu");

/** Longest text read as a unit, in UTF-16 units, spaces included. */
const LONGEST_INPUT = 200;

/**
 * The form in which units of an address, such as flats, are compared: NFKC, upper case, digits of every script as ASCII, without spaces
 * and invisible format characters. It may be empty. A text too long to be a unit is returned unchanged.
 */
export function normalizeUnit(text: string): string {
	if (text.length > LONGEST_INPUT) return text;
	return asciiDigits(text.normalize("NFKC").replace(UNSEEN, "")).toUpperCase();
}

/**
 * A unit as people read it: in the words of whoever wrote it, such as `Ground floor left`. One without a word, such as `3 b`, is shown
 * in the form in which it is compared.
 */
export function unitName(text: string): string {
	const written = withoutUnseen(text.normalize("NFC")).replace(/\s+/g, " ").trim();
	return /\p{L}{2}/u.test(written) ? written : normalizeUnit(text);
}

/** Where a unit after a slash ends: at a comma or another mark, at a dash or slash between spaces, or before another sentence. */
const END = /[,;،؛:!?"”»*|()\n\r]|\p{Extended_Pictographic}|(?<= )[/\p{Pd}] |(?<=\p{Nd}\p{L}?)\.(?= |$)/u;

/** The unit at the start of what follows the slash, without what a chat says next, as in `3B, ask for Chidi`. */
export const unitBefore = (behind: string) => behind.split(END, 1)[0]!.trim();

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
	return length > 0 && length <= UNIT_CHARACTERS_MAX && !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(unit);
}

/** The query of an address page's link in a text; null if there is no such link. */
export function askedByLink(text: string): URLSearchParams | null {
	const link = /\/a\/[^?#\s]*([^#\s]*)/.exec(text);
	return link && new URLSearchParams(link[1]);
}

/** The normalised unit written after a code, up to a comma, or named in the link of its page; empty if there is none. */
export function behindCode(text: string): string {
	if (text.length > LIST_UNITS_MAX) return "";
	const written = text.normalize("NFKC");
	const link = askedByLink(written);
	const code = codeInText().exec(written);
	const behind = code && /^\s*\/([^,;،؛\n\r]*)/.exec(written.slice(code.index + code[0].length))?.[1];
	return normalizeUnit((link ? link.get("unit") : behind) ?? "");
}
