/** Finds address codes in what people write, speak and paste: sentences, links, chats. Nothing is looked up. */
import { checkDigitFits } from "./code.ts";
import { asciiDigits } from "./digits.ts";
import { unwrapped, withoutClosing } from "./links.ts";
import { allNineDigitsIn } from "./nine-digits.ts";
import { normalText } from "./normal-text.ts";
import { pattern } from "./pattern.ts";
import { type Found, leftOf, type Reading, type Span } from "./reading.ts";
import { codeOfSign, signLineIn } from "./sign-text.ts";
import { withLettersSaid, withSpokenDigits } from "./spoken-digits.ts";
import { normalizeUnit, unitAfterSlash } from "./unit.ts";
import { isNumberOfPhone, unitBeside, unitOf, unitsNamed } from "./unit-text.ts";
import { type WrittenCode, writtenCodes } from "./written-code.ts";

/** A code as it is written, with the unit beside it or in its link, and the token of a link to a private address. */
export interface MentionedCode extends WrittenCode {
	unit?: string;
	share?: string;
	/** What stands beside it, or in it, that could change what it means and is not understood. */
	unclear?: string;
	/** The lines of a sign that it was read from; undefined for a code that is written in one place. */
	lines?: readonly Span[];
}

/** Words of a sentence that is all in capitals, in which they stand behind another word. */
const SHOUTED = /\p{Lu}{2}[^\p{L}\p{Nd}]+(?:A[TU]|DE|E[NT]|ES|I[NST]|LA|M[EY]|N[AIO]|TO|US)$/u;

/** Whether the letters of a code are a word, as in `MY CODE IS 1377 48215`. */
function isShouted(text: string, { from, to }: WrittenCode): boolean {
	return (
		/^\p{Lu}{2}[\s,:]/u.test(text.slice(from, to)) && !/\p{Ll}/u.test(text) && SHOUTED.test(text.slice(0, from + 2))
	);
}

/** A full stop between two groups of digits, which in a sentence may end it: `I came in NG 1377. 49234 people live there`. */
const SENTENCE_END = /\p{Nd}\.\s+\p{Nd}/u;

/** The written code if it may be the end of a sentence and the start of the next. A text that is a code and nothing else is that code. */
function unclearIn(text: string, { from, to }: WrittenCode): string | undefined {
	const written = text.slice(from, to);
	const isAlone = !/[\p{L}\p{Nd}]/u.test(text.slice(Math.max(0, from - 60), from) + text.slice(to, to + 60));
	return SENTENCE_END.test(written) && !isAlone ? written : undefined;
}

/** A letter or a number that is joined to a code, as in `NG-1377-49234-12`. A word, or the next code, is not. */
const JOINED = String.raw`^(?:[\p{Pd}_](?=\p{L}{0,2}\p{Nd}|\p{L}(?!\p{L}))|(?=\p{L}(?!\p{L})))[\p{L}\p{Nd}]{1,12}(?![\p{L}\p{Nd}])`;
/** What stands behind another slash on the line, as in ` / 3B / 4C`. */
const SECOND_SLASH = String.raw`^[ \t]*/[^/\n]{1,30}/ ?([^/\n,;.]{1,40})`;

/** What stands behind a code and could name another unit than the one that was taken. The number of a phone is none. */
function unclearBehind(behind: string, unit: string | undefined, isOnly: boolean): string | undefined {
	const [joined] = pattern(JOINED).exec(behind) ?? [];
	if (joined) return joined;
	const slashed = unitAfterSlash(behind);
	const isUnread = slashed && unit === undefined && /\p{Nd}/u.test(slashed) && !isNumberOfPhone(slashed);
	if (isUnread) return `/ ${slashed}`;
	const [, second] = pattern(SECOND_SLASH).exec(behind) ?? [];
	if (second && /\p{Nd}/u.test(second) && !isNumberOfPhone(second) && !unit?.includes(second.trim()))
		return `/ ${second.trim()}`;
	return isOnly && unit
		? unitsNamed(behind).find(({ name }) => normalizeUnit(name) !== normalizeUnit(unit))?.written
		: undefined;
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
		const unclear = unclearIn(text, code) ?? unclearBehind(behind, unit, written.length === 1);
		return { ...code, ...(unit ? { unit } : {}), ...(share ? { share } : {}), ...(unclear ? { unclear } : {}) };
	});
}

/** Those of some codes whose check digit fits. */
export function validCodes(codes: readonly MentionedCode[]): MentionedCode[] {
	return codes.filter(({ canonical }) => checkDigitFits(canonical));
}

/** The codes of a text. */
interface CodesRead {
	/** The text in the form in which it was read first. `codes` are parts of it. */
	text: string;
	codes: MentionedCode[];
	/** Codes that are written in another way than those. */
	further: MentionedCode[];
	/** A part of the text that could change what the codes mean and is not understood. */
	unclear?: string;
}

/** A reader of codes: the ways to read a text. Each says by the places of its codes what it read. */
type CodeReader = (text: string) => readonly Reading<Found<MentionedCode>>[];

const readingOf = (text: string, codes: readonly MentionedCode[]): Reading<Found<MentionedCode>> => ({
	text,
	found: codes.map((value) => ({ value, spans: value.lines ?? [[value.from, value.to]] })),
});

/** The valid codes in the texts that a text may stand for. */
const readingsOf = (texts: readonly string[]) =>
	[...new Set(texts)]
		.map((text) => readingOf(text, validCodes(mentionsIn(text))))
		.filter(({ found }) => found.length > 0);

/** Each reads what those before it have left. Where the names of letters can stand for several, all of them are there to choose from. */
const READERS: readonly CodeReader[] = [
	(text) => readingsOf([text]),
	(text) => readingsOf([unwrapped(text)]),
	(text) => readingsOf([withSpokenDigits(text)]),
	(text) => readingsOf(withLettersSaid(text)),
	(text) => {
		const code = codeOfSign(text);
		return code && checkDigitFits(code.canonical) ? [readingOf(text, [code])] : [];
	},
];

/** A code in its own form, and not the number of a parcel, which letters follow directly (UPU standard S10). */
const isOwnForm = (text: string, { from, to }: WrittenCode) =>
	/^\p{Lu}{2}[\s\p{Pd}]?\p{Nd}{4}[\s\p{Pd}]?\p{Nd}{5}$/u.test(text.slice(from, to)) && !/^\p{L}/u.test(text.slice(to));

/** Whether one code is the other with a digit wrong or two exchanged: a wrong spelling of it, and no other. */
function isMisspelt(one: string, other: string): boolean {
	const differing = [...one].flatMap((character, index) => (character === other[index] ? [] : [index]));
	const [first = 0, second = 0] = differing;
	return (
		differing.length === 1 || (differing.length === 2 && one[first] === other[second] && one[second] === other[first])
	);
}

/** What may be another code in what the readers left of a text: one with a wrong digit, or nine digits without their country. */
function otherCodeIn(text: string, left: string, valid: readonly MentionedCode[]): string | undefined {
	const said = asciiDigits(withSpokenDigits(left));
	const isOther = (code: string) => valid.every(({ canonical }) => !canonical.endsWith(code));
	const written = writtenCodes(said).filter((code) => isOwnForm(said, code));
	const isWrongSpelling = (code: WrittenCode) => valid.some(({ canonical }) => isMisspelt(canonical, code.canonical));
	const mistyped = written.find((code) => isOther(code.canonical) && !isWrongSpelling(code));
	if (mistyped) return said.slice(mistyped.from, mistyped.to);
	const rest = leftOf(readingOf(said, written));
	// Also as all of it is written: as it was said, a text lacks the marks that part one number from the next.
	const nineDigits = [rest, asciiDigits(text)].flatMap(allNineDigitsIn).find(({ digits }) => isOther(digits));
	return nineDigits?.written ?? signLineIn(rest);
}

/**
 * Reads the codes in a text: as they are written, in the contents of links that wrap others, as they are spoken in six languages, and on
 * the sign of one place; or, if it has none, what has the form of a code. This is the only place where readers of codes are
 * composed: each reads what the others left, and what none of them read is searched for another code.
 */
export function readCodes(input: string): CodesRead {
	const text = normalText(input);
	let left = text;
	const readings: Reading<Found<MentionedCode>>[] = [];
	for (const read of READERS) {
		const [first, ...others] = read(left);
		if (!first) continue;
		readings.push(first, ...others);
		left = leftOf(first);
	}
	const [first] = readings;
	if (!first) {
		const codes = mentionsIn(text);
		const ofSign = codes.length === 0 ? codeOfSign(text) : undefined;
		return { text, codes: ofSign ? [ofSign] : codes, further: [] };
	}
	const [codes = [], ...further] = readings.map(({ found }) => found.map(({ value }) => value));
	const valid = [codes, further].flat(2);
	const unclear = valid.find((code) => code.unclear)?.unclear ?? otherCodeIn(text, left, valid);
	return { text: first.text, codes, further: further.flat(), ...(unclear ? { unclear } : {}) };
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

/** The codes that an entry has, and what is unclear about them. */
export interface EnteredCodes {
	codes: CodeEntry[];
	unclear?: string;
}

/** The valid codes in a text, each once, or, if it has none, whatever has the form of a code. A text longer than any list has none. */
export function findCodes(input: string): EnteredCodes {
	const { codes, further, unclear } = readCodes(input);
	return { codes: mergedCodes([...codes, ...further]), ...(unclear ? { unclear } : {}) };
}

/**
 * The only code in a text; undefined if there is none, more than one, or a part beside it that could change what it means.
 * @example
 * ```ts
 * findCode("Meet me at NG 1377 48215, flat 3B")?.canonical // "NG137748215"
 * ```
 */
export function findCode(input: string): CodeEntry | undefined {
	const { codes, unclear } = findCodes(input);
	return codes.length === 1 && unclear === undefined ? codes[0] : undefined;
}
