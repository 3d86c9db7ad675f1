/** Finds address codes in what people write, speak and paste: sentences, links, chats, lists. Nothing is looked up. */
import { checkDigitFits, codeInText, isCanonical, spelledCode } from "./code.ts";
import { asciiDigits } from "./digits.ts";
import { INVISIBLE } from "./invisible.ts";
import { unwrapped, withoutClosing, withoutUnseen } from "./pasted-text.ts";
import { withSpokenDigits } from "./spoken-digits.ts";
import { LIST_UNITS_MAX } from "./text-length.ts";
import { isUnit, normalizeUnit, unitBefore, unitName } from "./unit.ts";

/** A code found in a text. */
export interface FoundCode {
	/** `CCZZZZUUUUK`, 11 characters. */
	canonical: string;
	/** Whether its check digit fits. */
	isRight: boolean;
	/** The unit written beside it or in its link, as people read it. */
	unit?: string;
	/** The token, if the code came from a link to a private address. */
	share?: string;
	/** Where it starts and ends in the text as read (normalised), in UTF-16 units. */
	from: number;
	to: number;
}

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

/** Compiled patterns by source. Each is compiled on first use, because sets of Unicode characters take an isolate a millisecond. */
const patterns = new Map<string, RegExp>();

function pattern(source: string): RegExp {
	const made = patterns.get(source) ?? new RegExp(source, "iu");
	patterns.set(source, made);
	return made;
}

/**
 * The name of a unit; undefined for text that is not one. A single letter counts only as a capital or at the end: "flat a mile away"
 * names no unit.
 */
function unitOf(text: string | undefined, isAtEnd = false): string | undefined {
	if (!text || (!isAtEnd && /^\p{L}$/u.test(text) && text !== text.toUpperCase())) return undefined;
	return isUnit(normalizeUnit(text)) ? unitName(text) : undefined;
}

/**
 * The unit beside a code on its line: after a slash, up to a comma or the end of the line, or after a word such as "flat", which may
 * follow or precede the code.
 * @param isOnly Whether the text has no other code. Then a line of its own with a unit belongs to this one.
 */
function unitBeside(before: string, behind: string, isOnly: boolean): string | undefined {
	const [, slashed] = /^[ \t\u00a0]{0,9}\/([^\n\r]{0,200})/.exec(behind) ?? [];
	if (slashed !== undefined) return unitOf(unitBefore(slashed));
	const [line = "", next = ""] = behind.split(/[\n\r]+/, 2);
	const above = before.slice(-60).split(/[\n\r]+/);
	const named = (source: string, text: string) => {
		const [whole, unit] = pattern(source).exec(text) ?? [];
		return unit && unitOf(unit, whole === text || /^\s*[,;.)]/.test(text.slice(whole!.length)));
	};
	const besides = named(String.raw`^[\s,،;:·(–-]{0,4}(?:(?:in|at|à l['’]|au|em|no|na|kwenye|a|في) ?)?${UNIT}`, line);
	if (besides) return besides;
	const earlier = named(String.raw`${UNIT}[\s,،;:·)–-]{0,4}(?: (?:at|à|em|na|kwa|a|في) )?$`, above.at(-1) ?? "");
	if (earlier || !isOnly || line.trim() !== "") return earlier;
	return named(String.raw`^\s*${UNIT}\s*$`, next) ?? undefined;
}

/** The codes in a text exactly as written, in order. */
function codesOf(text: string): FoundCode[] {
	const codes: FoundCode[] = [];
	const spans: { from: number; to: number; canonical: string }[] = [];
	const code = codeInText();
	for (let match = code.exec(text); match; match = code.exec(text)) {
		const [whole, spelled = ""] = match;
		const canonical = spelledCode(spelled);
		const isRight = isCanonical(canonical) && checkDigitFits(canonical);
		if (isCanonical(canonical)) spans.push({ from: match.index, to: match.index + whole.length, canonical });
		// After a match that is not a valid code, one may still start at its second letter.
		if (!isRight) code.lastIndex = match.index + 1;
	}
	for (const [index, { from, to, canonical }] of spans.entries()) {
		const before = text.slice(Math.max(spans[index - 1]?.to ?? 0, from - 60), from);
		const behind = text.slice(to, Math.min(spans[index + 1]?.from ?? text.length, to + 2_000));
		const [, query] = /\/a\/$/.test(before) ? (/^[^\s?#]{0,9}\?([^\s#]{1,400})/.exec(behind) ?? []) : [];
		const asked = query === undefined ? undefined : new URLSearchParams(withoutClosing(query));
		const unit = asked ? unitOf(asked.get("unit") ?? "") : unitBeside(before, behind, spans.length === 1);
		const share = asked?.get("share");
		const found = { canonical, isRight: checkDigitFits(canonical), from, to };
		codes.push({ ...found, ...(unit ? { unit } : {}), ...(share ? { share } : {}) });
	}
	return codes;
}

/** A text with the codes found in it. Of several ways to read a text, it is the first that yields a valid code. */
interface ReadText {
	text: string;
	codes: FoundCode[];
}

/** The first of the symbols that form flags in pairs, each of which stands for a letter of a country code. */
const FIRST_FLAG = 0x1_f1e6;

/** A text with flags replaced by their two letters, and digits without the keycaps drawn around them. */
function withoutEmoji(text: string): string {
	const letter = (flag: string) => String.fromCharCode((flag.codePointAt(0) ?? 0) - FIRST_FLAG + 65);
	return text.replace(/[\u{1f1e6}-\u{1f1ff}]/gu, letter).replaceAll("\u20e3", "");
}

/**
 * Reads the codes in a text: as written (NFKC, without invisible characters), with the contents of wrapping links, and as spoken, digit
 * by digit in six languages. A text longer than any list has no codes.
 */
function readCodes(input: string): ReadText {
	const normal = input.length > LIST_UNITS_MAX ? "" : input.normalize("NFKC");
	// A text that grows beyond this in its normal form is no list: it was made to waste time.
	const text = normal.length > 2 * LIST_UNITS_MAX ? "" : withoutEmoji(withoutUnseen(normal));
	const asWritten = { text, codes: codesOf(text) };
	for (const other of [() => unwrapped(text), () => withSpokenDigits(text)]) {
		if (asWritten.codes.some(({ isRight }) => isRight)) return asWritten;
		const changed = other();
		const read = changed === text ? asWritten : { text: changed, codes: codesOf(changed) };
		if (read.codes.some(({ isRight }) => isRight)) return read;
	}
	return asWritten;
}

/** The valid codes in a text or, if it has none, whatever has the form of a code. */
export function findCodes(input: string): FoundCode[] {
	const { codes } = readCodes(input);
	const right = codes.filter(({ isRight }) => isRight);
	return right.length > 0 ? right : codes;
}

/** The digits that a character copied from a sign may stand for, the likeliest first, and below the letters likewise. */
const DIGITS_TAKEN: Readonly<Record<string, string>> = {
	...{ O: "0", Q: "09", D: "0", I: "1", L: "1", "|": "1", "!": "1", Z: "27", E: "3", A: "4", S: "589", $: "5" },
	...{ G: "69", T: "7", B: "8" },
};
const LETTERS_TAKEN: Readonly<Record<string, string>> = {
	...{ "0": "OQD", "1": "IL", "2": "Z", "3": "E", "4": "A", "5": "S", "6": "G", "7": "T", "8": "B" },
};

/** A possible code with letters and digits mixed up: eleven characters, in groups or without separators. */
const MIXED_UP = String.raw`(?<![\p{L}\p{Nd}])([A-Za-z\d][${INVISIBLE}.-]?[A-Za-z\d])[${INVISIBLE}\p{Pd}_.]{0,3}([A-Za-z\d|!$]{4})[${INVISIBLE}\p{Pd}_.]{0,3}([A-Za-z\d|!$]{5})(?![\p{L}\p{Nd}])`;

/** The most characters of a code that may be mixed up, and the fewest digits that make a text recognisable as a code. */
const MIXED_UP_MAX = 3;
const DIGITS_MIN = 7;
const DIGITS_OF_PLATE = 9;

/** A text with the form of a code except for mixed-up letters and digits, and the one code that it can mean. */
interface MixedUpCode {
	typed: string;
	/** Undefined if the check digit fits no reading, or more than one: a wrong digit is never guessed. */
	meant?: string;
}

/** The characters that `character` may stand for at an index of a code: itself if it is of the right kind, else its look-alikes. */
function readingsOf(character: string, index: number): string[] {
	const isRight = index < 2 ? /[A-Z]/.test(character) : /\d/.test(character);
	return isRight ? [character] : [...((index < 2 ? LETTERS_TAKEN : DIGITS_TAKEN)[character] ?? "")];
}

/** The code in a text that has letters and digits mixed up, such as `NG-1377-8192O`; undefined if there is none. */
export function mixedUpCode(input: string): MixedUpCode | undefined {
	if (input.length > LIST_UNITS_MAX) return undefined;
	const [typed, ...groups] = pattern(MIXED_UP).exec(withoutUnseen(input.normalize("NFKC"))) ?? [];
	if (typed === undefined) return undefined;
	const characters = [
		...groups
			.join("")
			.replace(/[^A-Za-z\d|!$]/g, "")
			.toUpperCase(),
	];
	const readings = characters.map(readingsOf);
	const isMixedUp = readings.filter(([only], index) => only !== characters[index]).length;
	if (isMixedUp === 0 || isMixedUp > MIXED_UP_MAX || !/[A-Z]/.test(characters.slice(0, 2).join(""))) return undefined;
	const possible = readings.reduce<string[]>(
		(begun, next) => begun.flatMap((start) => next.map((character) => start + character)),
		[""],
	);
	const [meant, ...others] = possible.filter(checkDigitFits);
	if (meant && others.length === 0) return { typed, meant };
	return characters.filter((character) => /\d/.test(character)).length >= DIGITS_MIN ? { typed } : undefined;
}

/** Separators within and between the groups of a plate's digits. */
const WITHIN = String.raw`[${INVISIBLE}\p{Pd}\u2212_.]`;

/** The nine digits of a plate without its country, and any unit after them. */
const NINE_DIGITS = new RegExp(
	String.raw`^[${INVISIBLE}(]*(\d(?:${WITHIN}?\d){3})((?:${WITHIN}|[/,،)]){0,3})(\d(?:${WITHIN}?\d){4})[${INVISIBLE}.,]*(?:/(.{0,200}))?$`,
	"u",
);

/** The nine digits of a plate, and the unit written after them. */
export interface Plate {
	digits: string;
	unit?: string;
}

/** A text with each letter replaced by the digit it most resembles. Only a short text with seven to nine digits is changed. */
function withDigitsTaken(text: string): string {
	const digits = text.replace(/\D/g, "").length;
	if (digits < DIGITS_MIN || digits > DIGITS_OF_PLATE || text.length > 2 * DIGITS_OF_PLATE) return text;
	return text.replace(/[A-Za-z|!$]/g, (letter) => DIGITS_TAKEN[letter.toUpperCase()]?.[0] ?? letter);
}

/** The nine digits of a code if they are the whole text, such as `1377-81920`; also with a unit, spoken, or with an O for a 0. */
export function plateAlone(input: string): Plate | undefined {
	if (input.length > 120) return undefined;
	const text = withSpokenDigits(asciiDigits(withoutEmoji(withoutUnseen(input.normalize("NFKC")))));
	const [, zone, between = "", rest, behind] = NINE_DIGITS.exec(text) ?? NINE_DIGITS.exec(withDigitsTaken(text)) ?? [];
	if (!zone || !rest) return undefined;
	// Digits grouped in any other way may be a phone number.
	if (between === "" && /\D/.test(zone + rest)) return undefined;
	const unit = unitOf(behind && unitBefore(behind));
	return { digits: (zone + rest).replace(/\D/g, ""), ...(unit ? { unit } : {}) };
}

/** The given countries (ISO 3166-1 alpha-2) with which the check digit of nine digits fits: about one in eleven. */
export function countriesOf(digits: string, countries: readonly string[]): string[] {
	return countries.filter((country) => checkDigitFits(country + digits));
}

/** A code of a text, with the units and the token written beside any mention of it. Each unit is spelled as at its first mention. */
export interface CodeEntry {
	canonical: string;
	units: string[];
	share?: string;
}

/** Merges repeated codes, in the order of their first mention. */
export function mergedCodes(codes: readonly FoundCode[]): CodeEntry[] {
	const entries = new Map<string, CodeEntry>();
	for (const { canonical, unit, share } of codes) {
		const entry = entries.get(canonical) ?? { canonical, units: [] };
		const isNamed = unit && entry.units.some((other) => normalizeUnit(other) === normalizeUnit(unit));
		if (unit && !isNamed) entry.units.push(unit);
		if (share) entry.share = share;
		entries.set(canonical, entry);
	}
	return [...entries.values()];
}

/** The contents of a list or a chat: its codes and what looks like one, in order, and the lines without any. */
interface CodeList {
	entries: (CodeEntry | { typed: string })[];
	rest: string[];
}

/** The most mistyped codes told apart from lines without a code: more than any page accepts. */
const MISTAKES_MAX = 1_000;

/** What looks like a code in a line without a valid one. */
function mistakenIn(line: string, codes: readonly FoundCode[]): string | undefined {
	// A number followed directly by letters is that of a parcel (UPU standard S10).
	const isWhole = ({ to }: FoundCode) => !/^\p{L}/u.test(line.slice(to));
	const written = codes
		.filter(isWhole)
		.map(({ from, to }) => line.slice(from, to))
		.find((code) => /^\p{Lu}/u.test(code));
	return written ?? mixedUpCode(line)?.typed ?? (plateAlone(line) && line.trim());
}

/** Reads a list or a chat. Repeated codes are merged, and a code may be broken over two lines. */
export function readCodeList(input: string): CodeList {
	const { text, codes } = readCodes(input);
	const right = codes.filter(({ isRight }) => isRight);
	// The digits of one plate may be broken over two lines too.
	if (right.length === 0 && plateAlone(input)) return { entries: [{ typed: input.trim() }], rest: [] };
	const found: FoundCode[] = [...right];
	const mistaken: { typed: string; from: number }[] = [];
	const rest: string[] = [];
	let next = 0;
	for (const { 0: line, index: start } of text.matchAll(/[^\n\r\v\f\u2028\u2029]+/g)) {
		while (next < right.length && right[next]!.to <= start) next += 1;
		if (line.trim() === "" || (right[next]?.from ?? Number.POSITIVE_INFINITY) < start + line.length) continue;
		const isShort = line.trim().length < DIGITS_OF_PLATE;
		if (isShort || mistaken.length >= MISTAKES_MAX || (!/\p{Nd}/u.test(line) && withSpokenDigits(line) === line)) {
			rest.push(line.trim());
			continue;
		}
		const own = readCodes(line);
		const ownRight = own.codes.filter(({ isRight }) => isRight);
		if (ownRight.length > 0) {
			found.push(...ownRight.map((code) => ({ ...code, from: start })));
			continue;
		}
		const typed = mistakenIn(own.text, own.codes);
		if (typed === undefined) rest.push(line.trim());
		else mistaken.push({ typed, from: start });
	}
	found.sort((one, other) => one.from - other.from);
	const starts = new Map<string, number>();
	for (const { canonical, from } of found) if (!starts.has(canonical)) starts.set(canonical, from);
	const placed = [
		...mergedCodes(found).map((entry) => ({ entry, from: starts.get(entry.canonical) ?? 0 })),
		...mistaken.map(({ typed, from }) => ({ entry: { typed }, from })),
	];
	return { entries: placed.sort((one, other) => one.from - other.from).map(({ entry }) => entry), rest };
}
