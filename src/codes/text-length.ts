/*
 * The length of a text is checked before it is normalised. A normal form can be 18 times as long as what was sent (U+FDFA in NFKC), so
 * checking it afterwards would be too late.
 */

/** Longest text read from one field, in UTF-16 units. The longest links of map services are well below. */
export const FIELD_UNITS_MAX = 2_000;

/** Longest list of codes that is read, in UTF-16 units. */
export const LIST_UNITS_MAX = 64 * 1024;

/** A text in NFKC, in which codes are searched for. One longer than any list is empty. */
export const inNormalForm = (text: string) => (text.length > LIST_UNITS_MAX ? "" : text.normalize("NFKC"));
