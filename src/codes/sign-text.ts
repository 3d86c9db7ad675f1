/** Finds the code of a photographed sign, whose name of a place stands between the digits. */
import { asciiDigits } from "./digits.ts";
import type { Span } from "./reading.ts";
import type { WrittenCode } from "./written-code.ts";

/** Longer texts are no sign, in UTF-16 units. */
const SIGN_UNITS_MAX = 1_000;

/** The small line of a sign: two capital letters and four digits. */
const SMALL_LINE =
	/(?<![\p{L}\p{Nd}]\+?)(\p{Lu})[ .]?(\p{Lu})(?!\.\s)[\s\p{Pd}·.|]{0,3}(\p{Nd}(?: ?\p{Nd}){3})(?!\p{L}|[ .,]?\p{Nd})/gu;
/** Any number, also one whose digits or thousands are apart. */
const NUMBERS =
	/(?<![\p{Nd}.,]|\p{Nd} )\p{Nd}{2} \p{Nd}{3}(?![.,]?\p{Nd}| \p{Nd})|\p{Nd}(?: \p{Nd}(?!\p{Nd}))+|\p{Nd}+(?:[.,]\p{Nd}+)*/gu;

/** A code in two lines of a text, with what else stands on the sign between them. */
interface SignCode extends WrittenCode {
	lines: readonly Span[];
}

/** The small line of a sign in a text that also has five large digits; undefined if it has not both. */
export function signLineIn(text: string): string | undefined {
	const [line] = text.match(SMALL_LINE) ?? [];
	return line && text.match(NUMBERS)?.some((digits) => /^\p{Nd}{5}$/u.test(digits.replace(/ /g, "")))
		? line
		: undefined;
}

/**
 * The code that the text of one sign has in two places: the small line and, before or behind it, its five large digits, as in `NG 1377
 * Lagos, Nigeria 48215`. Its check digit need not fit. Undefined if either line could be another: nothing is chosen between two.
 */
export function codeOfSign(text: string): SignCode | undefined {
	if (text.length > SIGN_UNITS_MAX) return undefined;
	const [line, another] = text.matchAll(SMALL_LINE);
	if (!line || another) return undefined;
	const [small, first = "", second = "", zone = ""] = line;
	const smallEnd = line.index + small.length;
	const others = [...text.matchAll(NUMBERS)].filter(({ index }) => index < line.index || index >= smallEnd);
	const large = others.filter(([digits]) => digits.replace(/ /g, "").length === 5);
	if (large.length !== 1 || !/^[A-Z]{2}$/.test(first + second)) return undefined;
	const { 0: digits, index } = large[0]!;
	const lines: Span[] = [
		[line.index, smallEnd],
		[index, index + digits.length],
	];
	lines.sort(([one], [other]) => one - other);
	return {
		canonical: first + second + asciiDigits((zone + digits).replace(/ /g, "")),
		from: lines[0]![0],
		to: lines[1]![1],
		lines,
	};
}
