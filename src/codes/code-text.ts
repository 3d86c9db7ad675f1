/** Finds address codes in what people write, speak and paste: sentences, links, chats. Nothing is looked up. */
import { checkDigitFits } from "./code.ts";
import { unwrapped, withoutClosing } from "./links.ts";
import { normalText } from "./normal-text.ts";
import { codeOfSign } from "./sign-text.ts";
import { withLettersSaid, withSpokenDigits } from "./spoken-digits.ts";
import { normalizeUnit } from "./unit.ts";
import { unitBeside, unitOf } from "./unit-text.ts";
import { type WrittenCode, writtenCodes } from "./written-code.ts";

/** A code as it is written, with the unit beside it or in its link, and the token of a link to a private address. */
export interface MentionedCode extends WrittenCode {
	unit?: string;
	share?: string;
}

/** Words of a sentence that is all in capitals, in which they stand behind another word. */
const SHOUTED = /\p{Lu}{2}[^\p{L}\p{Nd}]+(?:A[TU]|DE|E[NT]|ES|I[NST]|LA|M[EY]|N[AIO]|TO|US)$/u;

/** Whether the letters of a code are a word, as in `MY CODE IS 1377 48215`. */
function isShouted(text: string, { from, to }: WrittenCode): boolean {
	return (
		/^\p{Lu}{2}[\s,:]/u.test(text.slice(from, to)) && !/\p{Ll}/u.test(text) && SHOUTED.test(text.slice(0, from + 2))
	);
}

/** The codes in a text exactly as written, in order, with what is written beside them. */
function mentionsIn(text: string): MentionedCode[] {
	const written = writtenCodes(text).filter((code) => !isShouted(text, code));
	return written.map((code, index) => {
		const { from, to } = code;
		const before = text.slice(Math.max(written[index - 1]?.to ?? 0, from - 60), from);
		const behind = text.slice(to, Math.min(written[index + 1]?.from ?? text.length, to + 2_000));
		const [, query] = /\/a\/$/.test(before) ? (/^[^\s?#]{0,9}\?([^\s#]{1,400})/.exec(behind) ?? []) : [];
		const asked = query === undefined ? undefined : new URLSearchParams(withoutClosing(query));
		const unit = asked ? unitOf(asked.get("unit")) : unitBeside(before, behind, written.length === 1);
		const share = asked?.get("share");
		return { ...code, ...(unit ? { unit } : {}), ...(share ? { share } : {}) };
	});
}

/** Those of some codes whose check digit fits. */
export function validCodes(codes: readonly MentionedCode[]): MentionedCode[] {
	return codes.filter(({ canonical }) => checkDigitFits(canonical));
}

/** One way to read a text, with the codes found in it. */
interface Reading {
	text: string;
	codes: MentionedCode[];
}

/** The ways to read a text after the one that takes it as it is written. Each gives the texts that it may stand for. */
const READINGS: readonly ((text: string) => string[])[] = [
	(text) => [unwrapped(text)],
	(text) => [withSpokenDigits(text)],
	withLettersSaid,
];

/**
 * Reads the codes in a text in the first way that yields valid ones: as it is written, with the contents of links that wrap others, as it
 * is spoken in six languages, or as the sign of one place. If none does, the text is read as it is written.
 */
export function readCodes(input: string): Reading {
	const text = normalText(input);
	const asWritten: Reading = { text, codes: mentionsIn(text) };
	if (validCodes(asWritten.codes).length > 0) return asWritten;
	for (const read of READINGS) {
		const readings = [...new Set(read(text))]
			.filter((changed) => changed !== text)
			.map((changed) => ({ text: changed, codes: mentionsIn(changed) }))
			.filter(({ codes }) => validCodes(codes).length > 0);
		// Where the names of letters can stand for several, all of them are there to be chosen from.
		const [first] = readings;
		if (first) return { text: first.text, codes: readings.flatMap(({ codes }) => codes) };
	}
	const ofSign = asWritten.codes.length === 0 ? codeOfSign(text) : undefined;
	return ofSign ? { text, codes: [ofSign] } : asWritten;
}

/** A code of a text, with the units and the token written beside any mention of it. Each unit is spelled as at its first mention. */
export interface CodeEntry {
	canonical: string;
	units: string[];
	share?: string;
}

/** Merges the mentions of each code, in the order of the first ones. */
export function mergedCodes(mentions: readonly MentionedCode[]): CodeEntry[] {
	const entries = new Map<string, CodeEntry>();
	for (const { canonical, unit, share } of mentions) {
		const entry = entries.get(canonical) ?? { canonical, units: [] };
		const isNamed = unit && entry.units.some((other) => normalizeUnit(other) === normalizeUnit(unit));
		if (unit && !isNamed) entry.units.push(unit);
		if (share) entry.share = share;
		entries.set(canonical, entry);
	}
	return [...entries.values()];
}

/** The valid codes in a text, each once, or, if it has none, whatever has the form of a code. A text longer than any list has none. */
export function findCodes(input: string): CodeEntry[] {
	const { codes } = readCodes(input);
	const valid = validCodes(codes);
	return mergedCodes(valid.length > 0 ? valid : codes);
}

/**
 * The only code in a text; undefined if there is none, or more than one.
 * @example
 * ```ts
 * findCode("Meet me at NG 1377 48215, flat 3B")?.canonical // "NG137748215"
 * ```
 */
export function findCode(input: string): CodeEntry | undefined {
	const [code, ...others] = findCodes(input);
	return others.length === 0 ? code : undefined;
}
