/** Reads lists of codes and chats that contain codes. */
import { codeWithoutCountry, mixedUpCode } from "./code-guess.ts";
import { type CodeEntry, type MentionedCode, mergedCodes, readCodes, validCodes } from "./code-text.ts";
import { withSpokenDigits } from "./spoken-digits.ts";

/** The contents of a list or a chat: its codes and what looks like one, in order, and the lines without any. */
interface CodeList {
	entries: (CodeEntry | { typed: string })[];
	rest: string[];
}

/** The most mistyped codes told apart from lines without a code: more than any page accepts. */
const MISTAKES_MAX = 1_000;

/** Fewest characters of a line that may hold a code, with or without its country. */
const LINE_MIN = 9;

/** What looks like a code in a line without a valid one. */
function mistakenIn(line: string, codes: readonly MentionedCode[]): string | undefined {
	// A number followed directly by letters is that of a parcel (UPU standard S10).
	const isWhole = ({ to }: MentionedCode) => !/^\p{L}/u.test(line.slice(to));
	const written = codes
		.filter(isWhole)
		.map(({ from, to }) => line.slice(from, to))
		.find((code) => /^\p{Lu}/u.test(code));
	return written ?? mixedUpCode(line)?.typed ?? (codeWithoutCountry(line) && line.trim());
}

/** Reads a list or a chat. Repeated codes are merged, and a code may be broken over two lines. */
export function readCodeList(input: string): CodeList {
	const { text, codes } = readCodes(input);
	const whole = validCodes(codes);
	// Digits without their country may be broken over two lines too.
	if (whole.length === 0 && codeWithoutCountry(input)) return { entries: [{ typed: input.trim() }], rest: [] };
	const found: (MentionedCode | { typed: string; from: number })[] = [...whole];
	const rest: string[] = [];
	let next = 0;
	let mistakes = 0;
	for (const { 0: line, index: from } of text.matchAll(/[^\n\r\v\f\u2028\u2029]+/g)) {
		while (next < whole.length && whole[next]!.to <= from) next += 1;
		const isRead = next < whole.length && whole[next]!.from < from + line.length;
		if (line.trim() === "") continue;
		if (isRead) {
			// Beside the codes of a line there may be another that was not understood, or that is said in other words.
			const { codes, further, unclear } = readCodes(line);
			found.push(...further.map((code) => ({ ...code, from })));
			if (unclear === undefined || mistakes >= MISTAKES_MAX) continue;
			found.push({ typed: codes.some((code) => code.unclear) ? line.trim() : unclear, from });
			mistakes += 1;
			continue;
		}
		const isWithout = line.trim().length < LINE_MIN || (!/\p{Nd}/u.test(line) && withSpokenDigits(line) === line);
		const own = isWithout || mistakes >= MISTAKES_MAX ? undefined : readCodes(line);
		const valid = own ? validCodes([...own.codes, ...own.further]) : [];
		const typed = own && valid.length === 0 ? mistakenIn(own.text, own.codes) : undefined;
		if (typed !== undefined) {
			found.push({ typed, from });
			mistakes += 1;
		} else if (valid.length > 0) found.push(...valid.map((code) => ({ ...code, from })));
		else rest.push(line.trim());
	}
	// Sorting is stable, so the codes of a line stay in order.
	found.sort((one, other) => one.from - other.from);
	const left = new Map(mergedCodes(found.filter((one) => "canonical" in one)).map((entry) => [entry.canonical, entry]));
	const entries = found.flatMap((one): CodeList["entries"] => {
		if ("typed" in one) return [{ typed: one.typed }];
		const entry = left.get(one.canonical);
		left.delete(one.canonical);
		return entry ? [entry] : [];
	});
	return { entries, rest };
}
