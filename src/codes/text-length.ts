/*
 * Text is judged by its length before anything else: some normal forms are 18 times as long as what was sent (U+FDFA in NFKC), so that a
 * limit behind them is none.
 */

/** Longest text of one field that is read, in UTF-16 units: the longest links of map services are well below. */
export const FIELD_UNITS_MAX = 2_000;

/** What a line of text never holds: control characters, line breaks and what is no character. */
export const NOT_IN_LINE = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029]/u;

/** Whether a text is one line of at most so many Unicode code points, in NFC. */
export function isLine(text: string, charactersMax: number): boolean {
	const composed = text.length <= FIELD_UNITS_MAX ? text.normalize("NFC") : text;
	return Array.from(composed).length <= charactersMax && !NOT_IN_LINE.test(composed);
}

/** Longest list of codes that is read, in UTF-16 units. */
export const LIST_UNITS_MAX = 64 * 1024;
