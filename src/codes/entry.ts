/** What a person entered where a code is asked for, judged in one place for the box and its pages. */
import { checkDigitFits } from "./code.ts";
import { codeWithoutCountry, isLargeLine, miscountedDigits, mixedUpCode } from "./code-guess.ts";
import { type CodeEntry, findCodes } from "./code-text.ts";
import type { CodeWithoutCountry } from "./nine-digits.ts";

/** What an entry is. Whatever is not a code alone is asked about or refused by what it lacks, never completed. */
type Entry =
	/** One code or several whose check digits fit. */
	| { kind: "codes"; codes: CodeEntry[] }
	/** Codes with a part beside them that could change what they mean and is not understood. */
	| { kind: "unclear"; codes: CodeEntry[]; part: string }
	/** The nine digits of a code without its country. */
	| ({ kind: "no country" } & CodeWithoutCountry)
	/** The form of a code, with a check digit that does not fit. */
	| { kind: "mistyped"; code: CodeEntry }
	/** Letters and digits mixed up, and the one code that it can mean. */
	| { kind: "mixed up"; typed: string; meant?: string }
	/** A code with so many digits instead of nine. */
	| { kind: "miscounted"; count: number }
	/** The five large digits of a sign alone. */
	| { kind: "large line" }
	| { kind: "unknown" };

/** Judges an entry. Nothing is looked up. */
export function readEntry(text: string): Entry {
	const { codes, unclear } = findCodes(text);
	const [first] = codes;
	if (unclear !== undefined) return { kind: "unclear", codes, part: unclear };
	if (first && checkDigitFits(first.canonical)) return { kind: "codes", codes };
	const without = codeWithoutCountry(text);
	if (without) return { kind: "no country", ...without };
	if (first) return { kind: "mistyped", code: first };
	const mixedUp = mixedUpCode(text);
	if (mixedUp) return { kind: "mixed up", ...mixedUp };
	const count = miscountedDigits(text);
	if (count !== undefined) return { kind: "miscounted", count };
	return { kind: isLargeLine(text) ? "large line" : "unknown" };
}
