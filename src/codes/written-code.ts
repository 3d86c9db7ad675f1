/** Finds codes as they are written in a text, and judges one while it is typed. It is small, because it is also in the pages of others. */
import { checkDigitFits, hasLetterForDigit, isCanonical, normalizeCode, SEPARATOR } from "./code.ts";
import { inNormalForm } from "./text-length.ts";

/** Further separators between the parts of a code in a text: slashes, bullets, bars, and the commas and stops of a code read aloud. */
const BETWEEN_PARTS = String.raw`/,،:;~=|\\*·•・#()`;

/**
 * A pattern that matches codes within a text, each from its two letters to its ninth digit, even one right after another. It is
 * compiled when needed, because sets of Unicode characters take an isolate a millisecond.
 */
const codeInText = () =>
	new RegExp(
		`(?:(?<![\\p{L}\\p{Nd}]\\+?)|(?<=\\p{Nd}{5}))\\p{L}[${SEPARATOR}]*\\p{L}[${SEPARATOR}${BETWEEN_PARTS}]*\\p{Nd}(?:[${SEPARATOR}]*\\p{Nd}){3}[${SEPARATOR}${BETWEEN_PARTS}]*\\p{Nd}(?:[${SEPARATOR}]*\\p{Nd}){4}(?![.,]?\\p{Nd})`,
		"gu",
	);

/** A code as it is written in a text. Its check digit need not fit. */
export interface WrittenCode {
	/** `CCZZZZUUUUK`, 11 characters. */
	canonical: string;
	/** Where it starts and ends in the text, in UTF-16 units. */
	from: number;
	to: number;
}

/**
 * Two letters with a space or a mark behind them that are rather a word or a unit of a sentence than a country: `is`, `km`, the French
 * `de`. One of them is small, and nearly all such words have a vowel.
 */
const WORD = /^(?![^a-z]*\p{Nd})(?:\D{0,2}[aeiouyAEIOUY]|[kmp]m|[hmn]r|[ms]t)\w*[^\w-]/u;

/**
 * Everything that is written as a code in a text in normal form (NFKC), in order, such as `NG/0421/58212`. Two small letters of a sentence
 * may be a word, and are no country then: in `my code is 1377 48215` the country is missing.
 */
export function writtenCodes(text: string): WrittenCode[] {
	return Array.from(text.matchAll(codeInText()), ({ 0: written, index: from }) => ({
		canonical: normalizeCode(written.replace(/[^\p{L}\p{Nd}]/gu, "")),
		from,
		to: from + written.length,
	})).filter(
		({ canonical, from, to }) =>
			isCanonical(canonical) &&
			!(
				WORD.test(text.slice(from, to)) &&
				(/\p{L}/u.test(text.slice(0, from)) || /^[^/]*?\p{L}/u.test(text.slice(to)))
			),
	);
}

/**
 * The only code in a text, such as a sentence or a link, in canonical spelling: the only valid one or, if none is valid, the only one.
 * Undefined for a text longer than any list.
 */
export function codeIn(text: string): string | undefined {
	const codes = writtenCodes(inNormalForm(text)).map(({ canonical }) => canonical);
	const valid = codes.filter(checkDigitFits);
	const [code, ...others] = new Set(valid.length > 0 ? valid : codes);
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
	if (isCanonical(code)) return checkDigitFits(code) ? "complete" : "wrong";
	if (/^([A-Z]?|[A-Z]{2}\d{0,8})$/.test(code)) return "partial";
	return hasLetterForDigit(code) ? "letter" : "malformed";
}
