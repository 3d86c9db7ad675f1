/*
 * The length of a text is checked before it is normalised. A normal form can be 18 times as long as what was sent (U+FDFA in NFKC), so
 * checking it afterwards would be too late.
 */

/** Longest text read from one field, in UTF-16 units. The longest links of map services are well below. */
export const FIELD_UNITS_MAX = 2_000;

/** What a line of text may not contain: control characters, line breaks, surrogates and noncharacters. */
export const NOT_IN_LINE = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029]/u;

/** Whether a text is one line of at most `charactersMax` Unicode code points, in NFC. */
export function isLine(text: string, charactersMax: number): boolean {
	const composed = text.length <= FIELD_UNITS_MAX ? text.normalize("NFC") : text;
	return Array.from(composed).length <= charactersMax && !NOT_IN_LINE.test(composed);
}

/** Longest list of codes that is read, in UTF-16 units. */
export const LIST_UNITS_MAX = 64 * 1024;

/** A text in NFKC, in which codes are searched for. One longer than any list is empty. */
export const inNormalForm = (text: string) => (text.length > LIST_UNITS_MAX ? "" : text.normalize("NFKC"));
