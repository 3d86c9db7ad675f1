/** A unit, such as a flat, as people write it: its name, and where it is beside a code. */
import { withoutUnseen } from "./normal-text.ts";
import { pattern } from "./pattern.ts";
import { isUnit, normalizeUnit, unitAfterSlash } from "./unit.ts";

/** Words for a unit in the six languages, written before its number. */
const UNIT_WORDS = [
	...["flat", "unit", "apt", "apartment", "suite", "ste", "room", "rm", "shop", "door"],
	...["appartement", "appart", "appt", "app", "logement", "porte", "chambre", "bureau", "boutique", "unité"],
	...["apartamento", "apto", "ap", "unidade", "sala", "loja", "quarto", "porta", "fracção", "fração"],
	...["الشقة", "شقة", "الوحدة", "وحدة", "غرفة", "محل", "مكتب", "باب"],
	...["nyumba", "chumba", "duka", "fleti", "mlango", "ghorofa"],
	...["gida", "ɗaki", "daki", "shago", "ofis", "ƙofa", "kofa"],
].join("|");

/** What may stand between such a word and the number, as in `Flat No. 3B`. */
const NUMBER_WORDS = "n[o°º]?\\.? ?|#|number |numéro |número |رقم |namba |nambari |(?:mai )?lamba ";

/** A unit after such a word or a number sign. It contains a digit, or is a single letter. */
const UNIT = String.raw`(?:(?<![\p{L}\p{Nd}])(?:${UNIT_WORDS})(?!\p{L})\.?|#)[ :-]{0,2}(?:${NUMBER_WORDS})?((?:[\p{L}]{0,3}[-.]?\p{Nd}[\p{L}\p{Nd}-]{0,8}|\p{L})(?![\p{L}\p{Nd}]))`;

/** A unit after such a word, at the start of a line, at its end, or alone on it. */
const BEHIND = String.raw`^[\s,،;:·(–-]{0,4}(?:(?:in|at|à l['’]|au|em|no|na|kwenye|a|في) ?)?${UNIT}`;
const BEFORE = String.raw`${UNIT}[\s,،;:·)–-]{0,4}(?: (?:at|à|em|na|kwa|a|في) )?$`;
const ALONE = String.raw`^\s*${UNIT}\s*$`;

/**
 * A unit as people read it: in the words of whoever wrote it, such as `Ground floor left`. One without a word, such as `3 b`, is shown
 * in the form in which it is compared.
 */
export function unitName(text: string): string {
	const written = withoutUnseen(text.normalize("NFC")).replace(/\s+/g, " ").trim();
	return /\p{L}{2}/u.test(written) ? written : normalizeUnit(text);
}

/** So many digits in a row are the number of a phone or a parcel, which must not stand in a link. */
const NUMBER_OF_PHONE = /\p{Nd}(?:[\s().-]{0,2}\p{Nd}){6}/u;

/** Whether a text holds the number of a phone or a parcel. */
export const isNumberOfPhone = (text: string) => NUMBER_OF_PHONE.test(text);

/** The name of a unit as people read it; undefined for text that is not one, such as the number of a phone. */
export function unitOf(text: string | null | undefined): string | undefined {
	return text && isUnit(normalizeUnit(text)) && !isNumberOfPhone(text) ? unitName(text) : undefined;
}

/**
 * The unit that a line names by a word. A small letter counts only before a mark or at the end: "flat a mile away" names no unit.
 * @param place BEHIND, BEFORE or ALONE.
 */
function unitNamed(place: string, line: string): string | undefined {
	const [whole, unit] = pattern(place).exec(line) ?? [];
	const isWord = unit && /^\p{Ll}$/u.test(unit) && whole !== line && !/^\s*[,;.)]/.test(line.slice(whole!.length));
	return isWord ? undefined : unitOf(unit);
}

/**
 * The unit beside a code on its line: after a slash, up to a comma or the end of the line, or after a word such as "flat", which may
 * follow or precede the code.
 * @param isOnly Whether the text has no other code. Then a line of its own with a unit belongs to this one.
 */
export function unitBeside(before: string, behind: string, isOnly: boolean): string | undefined {
	const slashed = unitAfterSlash(behind);
	if (slashed !== undefined) return unitOf(slashed);
	const [line = "", next = ""] = behind.split(/[\n\r]+/, 2);
	const above = before.slice(-60).split(/[\n\r]+/);
	const unit = unitNamed(BEHIND, line) ?? unitNamed(BEFORE, above.at(-1)!);
	return unit || !isOnly || line.trim() !== "" ? unit : unitNamed(ALONE, next);
}

/** Every unit with a number that a line names by a word, with that word. */
export function unitsNamed(text: string): { name: string; written: string }[] {
	const [line = ""] = text.split(/[\n\r]+/, 1);
	return Array.from(line.matchAll(new RegExp(pattern(UNIT), "giu"))).flatMap(({ 0: written, 1: name = "" }) =>
		/\p{Nd}/u.test(name) && unitOf(name) ? [{ name, written }] : [],
	);
}
