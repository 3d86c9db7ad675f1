/** Puts a text into the form in which codes are searched for. */
import { UNSEEN } from "./invisible.ts";
import { FIELD_UNITS_MAX, inNormalForm } from "./text-length.ts";

const UNSEEN_CHARACTERS = new RegExp(`[${UNSEEN}]`, "gu");

/** A text without the characters that take no room, and with a line feed for U+0085, the one white space character that `\s` lacks. */
export function withoutUnseen(text: string): string {
	return text.replace(UNSEEN_CHARACTERS, "").replaceAll("\u0085", "\n");
}

/** The first of the symbols that form flags in pairs, each of which stands for a letter of a country code. */
const FIRST_FLAG = 0x1_f1e6;

/** A text with flags replaced by their two letters, and digits without the keycaps drawn around them. */
function withoutEmoji(text: string): string {
	const letter = (flag: string) => String.fromCharCode((flag.codePointAt(0) ?? 0) - FIRST_FLAG + 65);
	return text.replace(/[\u{1f1e6}-\u{1f1ff}]/gu, letter).replaceAll("\u20e3", "");
}

/** A text in NFKC, without invisible characters and emoji that stand for letters and digits. One longer than any list is empty. */
export function normalText(input: string): string {
	const normal = inNormalForm(input);
	// A text that grows beyond this in its normal form was made to waste time.
	return normal.length > 2 * input.length + FIELD_UNITS_MAX ? "" : withoutEmoji(withoutUnseen(normal));
}
