/** What can be told about a code without asking the registry. */
import { displayCode, partsOf } from "../codes/code.ts";
import { askedByLink, normalizeUnit, unitBehindCode } from "../codes/unit.ts";
import { codeIn, judgeCode } from "../codes/written-code.ts";

/**
 * What is wrong with a text: `empty`; `partial`, which may still become a code; `letter`, with a letter where only a digit can stand;
 * `malformed`, which is no code; `wrong`, whose check digit does not fit the rest, so it was mistyped or misheard.
 */
export type Mistake = "empty" | "partial" | "letter" | "malformed" | "wrong";

/**
 * The result of reading a text: a code whose check digit fits, in canonical and display form and in its parts, or the kind of mistake.
 * `unit` is what stands behind the code or in a link, as the registry spells it, and `share` opens the private address of a link. Each is
 * empty if there is none.
 */
export type ParsedCode =
	| {
			canonical: string;
			display: string;
			country: string;
			zone: string;
			unit: string;
			share: string;
			mistake?: never;
	  }
	| { mistake: Mistake; canonical?: never };

/**
 * Finds the one code in a text in any spelling, such as a line of a form, a sentence or a link, and checks its check digit. It guesses
 * nothing, and only the registry knows whether an address has the code.
 * @example
 * ```ts
 * parseCode("Deliver to ng 1377-48215").canonical // "NG137748215"
 * parseCode("NG-1377-48215/3b").unit // "3B"
 * parseCode("NG-1377-48216") // { mistake: "wrong" }
 * ```
 */
export function parseCode(text: string): ParsedCode {
	const state = judgeCode(text);
	if (state !== "complete") return { mistake: state };
	const canonical = codeIn(text) ?? "";
	const { country, zone } = partsOf(canonical);
	const link = askedByLink(text);
	const unit = normalizeUnit((link ? link.get("unit") : unitBehindCode(text)) ?? "");
	return { canonical, display: displayCode(canonical), country, zone, unit, share: link?.get("share") ?? "" };
}
