/*
 * Text is judged by its length before anything else: some normal forms are 18 times as long as what was sent (U+FDFA in NFKC), so that a
 * limit behind them is none.
 */

/** Longest text of one field that is read, in UTF-16 units: the longest links of map services are well below. */
export const FIELD_UNITS_MAX = 2_000;

/** Longest list of codes that is read, in UTF-16 units. */
export const LIST_UNITS_MAX = 64 * 1024;
