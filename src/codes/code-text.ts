/** Finds address codes in what people write, speak and paste: sentences, links, chats. Nothing is looked up. */
import { checkDigitFits } from "./code.ts";
import { unwrapped, withoutClosing } from "./links.ts";
import { normalText } from "./normal-text.ts";
import { withSpokenDigits } from "./spoken-digits.ts";
import { normalizeUnit } from "./unit.ts";
import { unitBeside, unitOf } from "./unit-text.ts";
import { type WrittenCode, writtenCodes } from "./written-code.ts";

/** A code as it is written, with the unit beside it or in its link, and the token of a link to a private address. */
export interface MentionedCode extends WrittenCode {
	unit?: string;
	share?: string;
}

/** The codes in a text exactly as written, in order, with what is written beside them. */
function mentionsIn(text: string): MentionedCode[] {
	const written = writtenCodes(text);
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

/**
 * Reads the codes in a text in the first way that yields a valid one: as it is written, with the contents of links that wrap others, or
 * as it is spoken, digit by digit in six languages. If none does, the text is read as it is written.
 */
export function readCodes(input: string): Reading {
	const text = normalText(input);
	const asWritten: Reading = { text, codes: mentionsIn(text) };
	if (validCodes(asWritten.codes).length > 0) return asWritten;
	for (const read of [unwrapped, withSpokenDigits]) {
		const changed = read(text);
		const codes = changed === text ? [] : mentionsIn(changed);
		if (validCodes(codes).length > 0) return { text: changed, codes };
	}
	return asWritten;
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

/** The only code in a text; undefined if there is none, or more than one. */
export function findCode(input: string): CodeEntry | undefined {
	const [code, ...others] = findCodes(input);
	return others.length === 0 ? code : undefined;
}
