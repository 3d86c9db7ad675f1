/*
 * What all readers of free text have in common: each says which parts of a text it read. So whoever composes them knows what is left, and
 * drops no part without a word that is not known to be harmless.
 */

/** A part of a text, as indexes in UTF-16 units. */
export type Span = readonly [from: number, to: number];

/** A value that was found in a text. */
export interface Found<Value> {
	value: Value;
	/** The parts of the text that it was read from, in order. What stands between them was not read. */
	spans: readonly Span[];
}

/** What a reader made of a text. */
export interface Reading<One extends Found<unknown>> {
	/** The text in the form in which it was read. The spans are parts of it. */
	text: string;
	/** What was found, in order. */
	found: readonly One[];
}

/** Stands for a part that was read in what is left of a text. No reader takes it for a part of anything. */
export const READ = " \ufffc ";

/** What a reading leaves of its text. */
export function leftOf({ text, found }: Reading<Found<unknown>>): string {
	let left = "";
	let from = 0;
	for (const [start, end] of found.flatMap(({ spans }) => spans)) {
		left += text.slice(from, start) + READ;
		from = end;
	}
	return left + text.slice(from);
}
