/** Which characters a line of text may have, such as a label or the name of a unit. */
import { FIELD_UNITS_MAX } from "./text-length.ts";

/** What a line of text may not contain: control characters, line breaks, surrogates and noncharacters. */
export const NOT_IN_LINE = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029]/u;

/** Whether a text is one line of at most `charactersMax` Unicode code points, in NFC. */
export function isLine(text: string, charactersMax: number): boolean {
	const composed = text.length <= FIELD_UNITS_MAX ? text.normalize("NFC") : text;
	return Array.from(composed).length <= charactersMax && !NOT_IN_LINE.test(composed);
}
