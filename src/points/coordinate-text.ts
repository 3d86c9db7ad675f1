import { asciiDigits } from "../codes/digits.ts";
import { withoutUnseen } from "../codes/normal-text.ts";
import { FIELD_UNITS_MAX } from "../codes/text-length.ts";
import type { Point } from "./point.ts";

type Axis = "lat" | "lng";

/** A word that says which axis an angle is on and, for a hemisphere, also its sign. */
interface Mark {
	axis: Axis;
	sign: 1 | -1 | undefined;
}

/**
 * Hemispheres and axes as the six languages of the pages, Spanish, German, Indonesian and common applications write them. `O` is west in
 * French (ouest) and Portuguese (oeste); `L` is east in Portuguese (leste).
 */
const MARKS: [words: RegExp, mark: Mark][] = [
	[/^(n|north|nord|norte|utara|kaskazini|arewa|شمالا?|ش)$/, { axis: "lat", sign: 1 }],
	[/^(s|south|sud|süd|sul|sur|selatan|kusini|kudu|جنوبا?|ج)$/, { axis: "lat", sign: -1 }],
	[/^(e|east|est|ost|este|l|leste|timur|mashariki|gabas|شرقا?|ق)$/, { axis: "lng", sign: 1 }],
	[/^(w|west|barat|o|ouest|oeste|magharibi|yamma|غربا?|غ)$/, { axis: "lng", sign: -1 }],
	[/^(lat|latitude|latitudo|latitudi|(ال)?عرض)$/, { axis: "lat", sign: undefined }],
	[/^(lng|lon|long|longitude|longitudo|longitudi|(ال)?طول)$/, { axis: "lng", sign: undefined }],
];

/** Marks that are also ordinary words, such as French "est" and Portuguese "e". Away from an angle they are ignored. */
const ORDINARY_WORDS = /^(.|est|este|sur|long)$/u;

function markOf(word: string): Mark | undefined {
	return MARKS.find(([words]) => words.test(word))?.[1];
}

/** Characters used for the sign of minutes or of seconds. NFKC would decompose some of them. */
const MINUTES = /[\u00b4\u02b9\u02bc\u02ca\u0384\u1ffd\u2018\u2019\u201b\u2032\u2035`]/g;
const SECONDS = /''|[\u00a8\u02ba\u02dd\u02ee\u201c-\u201f\u2033\u2036\u3003]/g;

/** Both axes in one word, as programs write them: `LngLat`, `latlon`. */
const BOTH_AXES = /(?<!\p{L})(lat|lng|long?)(lat|lng|long?)(?!\p{L})/gu;

/**
 * Words for degrees, minutes and seconds in the six languages, and other spellings of their signs. Swahili and Hausa put the word
 * before the number, the other languages after it.
 */
const UNITS: [word: RegExp, sign: string][] = [
	[/(?<![\d.] {0,9})(?:digrii|digiri) {0,9}(\d+(?:\.\d+)?)/gu, "$1°"],
	[/(?<![\d.] {0,9})(?:dakika|minti) {0,9}(\d+(?:\.\d+)?)/gu, "$1'"],
	[/(?<![\d.] {0,9})(?:sekunde|daƙiƙa) {0,9}(\d+(?:\.\d+)?)/gu, '$1"'],
	[/(?<![\d.-])(\d{1,3})-(\d{1,2})-(\d{1,2}(?:\.\d{1,30})?)(?= ?[nsewol](?!\p{L}))/gu, "$1°$2'$3\""],
	[/(\d)\*(?= ?\d{1,2}(?:\.\d{1,30})? ?')/g, "$1°"],
	[/(\d) {0,9}(?:deg(?:ree)?s?|d|degr[eé]s?|graus?|digrii|digiri|درجات|درجة)(?!\p{L})\.?/gu, "$1°"],
	[/(\d) {0,9}(?:min(?:ute)?s?|minutos?|dakika|minti|دقائق|دقيقة)(?!\p{L})\.?/gu, "$1'"],
	[/(\d) {0,9}(?:sec(?:ond)?s?|secondes?|segundos?|sekunde|daƙiƙa|ثواني|ثانية)(?!\p{L})\.?/gu, '$1"'],
	[/(° ?\d{1,2}(?:\.\d{1,30})?) ?m(?!\p{L})/gu, "$1'"],
	[/(' ?\d{1,2}(?:\.\d{1,30})?) ?s(?= ?[nsewol](?!\p{L}))/gu, '$1"'],
];

/** Degrees and minutes without a space, as receivers write them: `ddmm.mmm,N,dddmm.mmm,E` (NMEA 0183). */
const RECEIVER = /(?<![\d.])(\d{2})(\d{2}\.\d{2,9}),? ?([ns]),? ?([01]\d{2})(\d{2}\.\d{2,9}),? ?([ew])(?![\p{L}\d])/gu;

/** A word for degrees without a number beside it. A text with such a word is not read at all. */
const LONE_DEGREES = /(?<!\p{L})(?:degrees?|degrés?|graus?|digrii|digiri|درجات|درجة)(?!\p{L})/u;

/** Words of minus, a language each line: those of the pages, then other large ones. */
const MINUS_WORDS = [
	"minus|negative|neg",
	"moins|négatif|négative",
	"menos|negativo|negativa",
	"hasi|kutoa|toa|minasi",
	"debe|ɗebe|korau|mainas",
	"ناقص|سالب|سالبة|السالب",
	"负|負|减|減|负数|負數",
	"माइनस|ऋण|ऋणात्मक|घटा",
	"minus|negatif",
	"মাইনাস|ঋণাত্মক|বিয়োগ",
	"минус|отрицательная",
	"منفی|منفي|منها",
	"negativ|マイナス|마이너스|eksi|meno|âm",
].join("|");
const MINUS_WORD = new RegExp(`^(?:${MINUS_WORDS})$`, "u");
/** A word of minus right before a number. Behind a number it may separate, and "mais ou menos" or "au moins" say something else. */
const SAID_MINUS = new RegExp(
	String.raw`(?<![\p{L}\p{M}])(?<![\d°'"][ )]{0,9})(?<!(?<!\p{L})(?:or|ou|o|u|à|au|du|al|ao|lo|pelo|ko|atau|или|أو|او|या|বা) {1,9})(?:${MINUS_WORDS})\s{0,9}(?=\.?\d)`,
	"gu",
);

/** Minus signs and hyphens of every kind, without the dashes that are drawn as waves or twice. */
const MINUS_SIGNS = /[\u2212\u02d7\u2043\u2796]|(?![\u2e17\u2e40\u301c\u3030\u30a0])\p{Pd}/gu;

/** A text with a hyphen for minus signs of every kind. */
export const withHyphens = (text: string) => text.replace(MINUS_SIGNS, "-");

/**
 * A text with a mark that is seen for each soft hyphen before a number. Some documents write a minus sign so, but others only allow a line
 * break there.
 */
export const withSoftHyphens = (text: string) => text.replace(/(?<![\p{L}\p{Nd}])\u00ad(?=\.?\p{Nd})/gu, "\u00ac");

/** Characters that the source of a page names. */
const ENTITIES: Readonly<Record<string, string>> = {
	...{ minus: "-", ndash: "-", mdash: "-", hyphen: "-", dash: "-", shy: "\u00ac", plus: "+", deg: "°" },
	...{ prime: "′", Prime: "″", apos: "'", rsquo: "'", lsquo: "'", quot: '"', rdquo: '"', ldquo: '"' },
	...{ nbsp: " ", ensp: " ", emsp: " ", thinsp: " ", comma: ",", semi: ";", period: ".", middot: "·", colon: ":" },
	...{ lrm: "", rlm: "", zwj: "", zwnj: "", amp: "&" },
};

/** A text with characters for those that it names as the source of a page does, such as `&minus;`. One that is not known stays. */
function withoutEntities(text: string): string {
	return text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,8}));/gi, (entity, decimal, hex, name) => {
		const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
		return name ? (ENTITIES[name] ?? entity) : String.fromCodePoint(code);
	});
}

/** A number in scientific notation, as programs write one near zero and spreadsheets any: `3.4e-05`, `3.68219E+01`. */
const SCIENTIFIC = /(?<![\w.])([+-]?\d(?:\.(\d{1,15}))?)e([+-]\d{1,2})(?![\w.])/gi;
/** The fewest decimals of degrees in scientific notation, 11 m. A spreadsheet that shows fewer has lost the others. */
const SCIENTIFIC_DECIMALS_MIN = 4;

/** A text with numbers in scientific notation written out. One whose digits were lost stays, and is not read. */
export function withoutExponents(text: string): string {
	return text.replace(SCIENTIFIC, (whole, _, digits: string | undefined, exponent: string) => {
		const decimals = (digits ?? "").length - Number(exponent);
		return decimals < SCIENTIFIC_DECIMALS_MIN ? whole : Number(whole).toFixed(Math.min(decimals, 20));
	});
}

/** The comma of thousands in a length, such as an altitude of `3,900 ft`. It is no decimal comma. */
const LENGTH_IN_THOUSANDS =
	/(?<![\d.,])(\d{1,3}),(\d{3})(?= {0,3}(?:m|ft|feet|met(?:er|re)s?|mètres|metros)(?!\p{L}))/giu;

/** What stands for a superscript, fraction or number in a circle, whose normal form would add digits to a number. */
const NO_DIGIT = "\u00a4";

/** A text with one spelling each for digits, minus, decimal separators, and the signs of degrees, minutes and seconds. */
function plain(text: string): string {
	const signed = withoutEntities(withSoftHyphens(text))
		.replace(/\p{No}/gu, NO_DIGIT)
		.replace(/[\u02da\u00ba\u00b0^]/g, " ° ")
		.replace(MINUTES, "'")
		.replace(SECONDS, '"');
	const normal = signed.normalize("NFKC");
	// A text that grows so much in its normal form holds no coordinates: it was made to waste time.
	if (normal.length > 2 * FIELD_UNITS_MAX) return "";
	const hyphenated = withHyphens(withoutUnseen(asciiDigits(normal)).toLowerCase());
	let spelled = withoutExponents(hyphenated)
		.replace(LENGTH_IN_THOUSANDS, "$1$2")
		.replaceAll("\u066c", "")
		.replace(/\u066b|(?<=\d)\u00b7(?=\d)/g, ".")
		.replace(/(?<=\d)_(?=[+-]?\d)/g, " ")
		.replace(BOTH_AXES, "$1 $2")
		.replace(RECEIVER, "$1°$2'$3 $4°$5'$6")
		.replace(/[\u060c\u061b\u3001]/g, ",")
		.replace(/''/g, '"');
	for (const [word, sign] of UNITS) spelled = spelled.replace(word, sign);
	return spelled.replace(SAID_MINUS, "-");
}

/** A text with decimal commas turned into points, if it has no decimal point and a comma is not what separates the two numbers. */
function withDecimalPoints(text: string): string {
	if (/\d\.\d/.test(text)) return text;
	const [before = "", between = "", behind = "", ...more] = text.split(/(?<!\d)\d+,\d+/);
	const isPair = more.length === 0 && !/[\d,]/.test(before + behind) && /[\s;,/]/.test(between) && !/\d/.test(between);
	return text.replace(isPair ? /(\d+),(\d+)/g : /(\d),(\d+\s*["'°])/g, "$1.$2");
}

/** A piece of a text of coordinates, with its first index in the text and the index behind it. */
type Token = { kind: "number" | "word" | "sign"; text: string; at: number; end: number };

/** A text with its tokens. */
interface Tokens {
	text: string;
	all: Token[];
}

function tokensOf(text: string): Tokens {
	const kindOf = (token: string) => (/^[+-]?\.?\d/.test(token) ? "number" : /^\p{L}/u.test(token) ? "word" : "sign");
	const found = text.matchAll(/[+-]?\d+(?:\.\d+)?|(?<!\d)[+-]?\.\d+|\p{L}[\p{L}\p{M}]*|[^\s]/gu);
	const all = Array.from(found, ({ 0: token, index: at }) => ({
		kind: kindOf(token),
		text: token,
		at,
		end: at + token.length,
	})) satisfies Token[];
	return { text, all };
}

const readable = (input: string) => tokensOf(withDecimalPoints(plain(input)));

/** Degrees of an angle written as degrees, degrees and minutes, or degrees, minutes and seconds. NaN if the parts do not form an angle. */
function angle(parts: string[]): number {
	const [degrees = "", ...smaller] = parts;
	const isWhole = parts.slice(0, -1).every((part) => /^[+-]?\d+$/.test(part));
	// Rounding can produce 60 as the last part.
	const isTooLarge = (part: string, index: number) =>
		!/^[\d.]/.test(part) || Number(part) > 60 || (Number(part) === 60 && index < smaller.length - 1);
	if (!isWhole || parts.length > 3 || smaller.some(isTooLarge)) return Number.NaN;
	const size = parts.reduce((sum, part, index) => sum + Math.abs(Number(part)) / 60 ** index, 0);
	return degrees.startsWith("-") ? -size : size;
}

/**
 * Reads a text that consists of a latitude and a longitude: decimal or with minutes and seconds, signed or with hemispheres, in the
 * digits of any script. Without hemispheres the latitude comes first. The result may be out of range; undefined if the text is not two
 * angles, or is too long.
 */
export function parseCoordinates(input: string): Point | undefined {
	return input.length > FIELD_UNITS_MAX ? undefined : readWhole(readable(input));
}

/** Reads two cells as `parseCoordinates` reads a text. Each must hold one angle. */
export function parseCells(lat: string, lng: string): Point | undefined {
	if (lat.length + lng.length > FIELD_UNITS_MAX) return undefined;
	const tokens = readable(`${lat} ; ${lng}`);
	const between = tokens.all.findIndex(({ text }) => text === ";");
	if (tokens.all.some(({ text }, index) => text === ";" && index > between)) return undefined;
	return readWhole(tokens, tokens.all.slice(0, between).filter(({ kind }) => kind === "number").length);
}

const isBetweenNumbers = (tokens: Token[], index: number) =>
	tokens[index - 1]?.kind === "number" && tokens[index + 1]?.kind === "number";

/**
 * Whether the hyphen of a number may as well join it to what it touches, as in `6.5244-3.3792` or `gate-6.5244`. With a sign before the
 * latitude too, it is ISO 6709: `+00.3476-074.0447`.
 */
function isJoinedMinus({ text, all }: Tokens, index: number): boolean {
	const token = all[index]!;
	const before = text[token.at - 1] ?? "";
	const isSigned = /^[+-]/.test(all[index - 1]?.text ?? "") && /\d/.test(before);
	return token.kind === "number" && token.text.startsWith("-") && /[\p{L}\p{M}\d°'"]/u.test(before) && !isSigned;
}

/** Whether one angle stands alone in round brackets, which mean minus in accounting and the tables of spreadsheets. */
function isBracketed(tokens: Token[], from: number, to: number): boolean {
	const [opening, closing] = [tokens[from - 1]?.text, tokens[to + 1]?.text];
	return opening === "(" && closing === ")";
}

/** @param splitAt How many numbers belong to the first angle, where that is known. */
function readWhole(tokens: Tokens, splitAt?: number): Point | undefined {
	const numbers: string[] = [];
	/** Whether a sign of minutes joins two numbers. */
	let isJoined = false;
	/** Indexes of the numbers before which a word stands. */
	const parted: number[] = [];
	/** Indexes of the numbers that a degree sign follows: these start the angles. */
	const starts: number[] = [];
	const marks: Mark[] = [];
	/** How many numbers stand in each pair of round brackets, and before the one that is open. */
	const bracketed: number[] = [];
	let opened: number | undefined;
	for (const [index, { kind, text }] of tokens.all.entries()) {
		if (text === "(") opened = numbers.length;
		if (text === ")" && opened !== undefined) {
			bracketed.push(numbers.length - opened);
			opened = undefined;
		}
		if (kind === "number") {
			if (isJoinedMinus(tokens, index)) return undefined;
			numbers.push(text);
		} else if (text === "°") starts.push(numbers.length - 1);
		else if (text === "'" && isBetweenNumbers(tokens.all, index)) isJoined = true;
		else if (kind === "word") {
			const mark = markOf(text);
			if (!mark) return undefined;
			marks.push(mark);
			parted.push(numbers.length);
		} else if (text === "." ? isBetweenNumbers(tokens.all, index) : !/^['",;:/=&()[\]{}]$/.test(text)) return undefined;
	}
	// In 0'34, 32'58 the sign may as well be a decimal separator: 0.34 is 25 km from 0° 34'.
	const isWhole = numbers.length === 4 && numbers.every((number) => /^[+-]?\d+$/.test(number));
	if (isJoined && isWhole && starts.length === 0 && marks.length === 0) return undefined;
	const split = starts.length === 2 ? starts[1]! : numbers.length / 2;
	if (numbers.length < 2 || !Number.isInteger(split) || (starts.length > 0 && starts[0] !== 0)) return undefined;
	if (splitAt !== undefined && split !== splitAt) return undefined;
	// A hemisphere ends an angle: in `6°31'N 3°E, 1.` the last number is no minute.
	if (parted.some((index) => index > 0 && index < numbers.length && index !== split)) return undefined;
	const [first, second] = [angle(numbers.slice(0, split)), angle(numbers.slice(split))];
	if (Number.isNaN(first + second)) return undefined;
	// An angle alone in brackets is negative in accounting, unless a hemisphere is said.
	const isSaid = marks.some(({ sign }) => sign !== undefined);
	if (!isSaid && bracketed.some((count) => count > 0 && count < numbers.length)) return undefined;
	return onAxes(first, second, marks);
}

/** Assigns two angles to their axes by the marks beside them. Undefined if the marks are incomplete, too many or contradictory. */
function onAxes(first: number, second: number, marks: Mark[]): Point | undefined {
	const hemispheres = marks.filter(({ sign }) => sign !== undefined);
	const axes = marks.filter(({ sign }) => sign === undefined);
	if (marks.length === 0) return { lat: first, lng: second };
	const [one, other] = hemispheres.length > 0 ? hemispheres : axes;
	const isPair = (said: Mark[]) => said.length === 2 && said[0]?.axis !== said[1]?.axis;
	if (![hemispheres, axes].every((said) => said.length === 0 || (isPair(said) && said[0]?.axis === one?.axis)))
		return undefined;
	if (!one || !other) return undefined;
	const isSignedTwice = (value: number, { sign }: Mark) => sign !== undefined && value < 0;
	if (isSignedTwice(first, one) || isSignedTwice(second, other)) return undefined;
	const values = { [one.axis]: first * (one.sign ?? 1), [other.axis]: second * (other.sign ?? 1) };
	return { lat: values.lat ?? Number.NaN, lng: values.lng ?? Number.NaN };
}

/** An angle in a sentence, with the indexes of its first and last tokens and of the farthest mark on each side. */
interface Angle {
	degrees: number;
	from: number;
	to: number;
	firstMark: number;
	lastMark: number;
}

/** Signs that may stand between a mark and its number, or between marks. */
const JOINING = /^[:=.,;/'"&(){}[\]]$/;
/** Signs that may stand between a name and its value. */
const NAMING = /^[:=.'"]$/;

/** The index of the farthest mark in the row of marks beside a token, or of the token itself if there are none. */
function farthestMark(tokens: readonly Token[], at: number, step: 1 | -1): number {
	let farthest = at;
	for (let index = at + step; index >= 0 && index < tokens.length; index += step) {
		const { kind, text } = tokens[index]!;
		if (kind === "word" && markOf(text)) farthest = index;
		else if (kind !== "sign" || !JOINING.test(text)) break;
	}
	return farthest;
}

/** Whether a mark belongs to exactly this number: right before it, or right after it. */
function isNamed(tokens: Token[], from: number, to: number): boolean {
	let index = from - 1;
	while (NAMING.test(tokens[index]?.text ?? "")) index -= 1;
	return [tokens[index], tokens[to + 1]].some((token) => token?.kind === "word" && markOf(token.text) !== undefined);
}

/** The parts of an angle that starts at a number: the numbers that are followed by their signs or, without signs, that number alone. */
function partsAt(tokens: Token[], from: number): { parts: string[]; to: number; isSigned: boolean } {
	const parts = [tokens[from]!.text];
	let to = from;
	for (const sign of ["°", "'", '"']) {
		if (tokens[to + 1]?.text !== sign) break;
		to += 1;
		const next = tokens[to + 1];
		const ahead = tokens[to + 2]?.text;
		if (sign === '"' || next?.kind !== "number" || (ahead !== "'" && ahead !== '"')) {
			return { parts, to, isSigned: true };
		}
		parts.push(next.text);
		to += 1;
	}
	return { parts, to, isSigned: to > from };
}

/** A number in a sentence with at least this many decimal places is taken for degrees. */
const DECIMALS_OF_DEGREES = /\.\d{3}/;

function anglesIn(tokens: Token[]): Angle[] {
	const angles: Angle[] = [];
	for (let from = 0; from < tokens.length; from += 1) {
		if (tokens[from]!.kind !== "number") continue;
		const { parts, to, isSigned } = partsAt(tokens, from);
		const [firstMark, lastMark] = [farthestMark(tokens, from, -1), farthestMark(tokens, to, 1)];
		// The altitude behind a hemisphere is named by it no more than by its unit: `32°34′57″ E 3900 ft`.
		const isLength = !isSigned && /^\d+$/.test(parts[0]!) && LENGTH.test(tokens[to + 1]?.text ?? "");
		if (isSigned || (!isLength && isNamed(tokens, from, to)) || DECIMALS_OF_DEGREES.test(parts[0]!)) {
			angles.push({ degrees: angle(parts), from, to, firstMark, lastMark });
		}
		from = to;
	}
	return angles;
}

/** What may stand between two numbers that have no marks. */
const BETWEEN = /^[,;/|]$/;
/** Signs that may stand between two numbers beside words of axes, and words that join them or stand before those words. */
const BETWEEN_MARKED = /^[,;:/|=&()[\]{}"'.<>*]$/;
const JOINING_WORD = /^(and|et|e|na|da|و|خط|y)$/;
/** Units of an altitude or an accuracy after coordinates, and the unit of a map's zoom. */
const LENGTH = /^(z|m|meters?|metres?|mètres?|metros?|mita|ft|feet|km)$/;

/** What may touch the first number from the left, besides signs that are drawn there, such as a pin. */
const OPENING = /^[\s([{"'«“‘„,;:/|=@&>*?!\p{Ps}\p{Pi}]|^\p{Extended_Pictographic}/u;
/** Symbols that can stand for a minus sign or say that a number is not meant exactly, without arrows. */
const MINUS_LIKE = /^(?![\u2190-\u21ff])[\p{Sm}\p{Sk}\p{M}\u2500\u2501]/u;
/** What may touch the second number from the right, but for letters behind a hyphen. */
const CLOSING = /^[\s<>|±=\p{Extended_Pictographic}]|^(?![%‰]|\p{Pd})\p{P}/u;
/** Directions between two hemispheres, written as one word beside a number or anywhere. */
const CORNER = /^(n[eow]|s[eow])$/;
const CORNERS = /^(north|south|nord|sud|sul|sur|norte)(east|west|est|ouest|este|oeste|leste|ost)(ern)?$/;

const isNumber = (token: Token | undefined) => token?.kind === "number";
const isMarkWord = (token: Token | undefined) => token?.kind === "word" && markOf(token.text) !== undefined;

/** Two successive angles of a sentence, and the marks beside them. */
interface Pair {
	first: Angle;
	second: Angle;
	/** Index of the first token that does not belong to an earlier pair. */
	start: number;
	marks: Mark[];
	/** Whether hemispheres say the signs. */
	isSigned: boolean;
}

function pairOf({ all }: Tokens, first: Angle, second: Angle, start = 0): Pair {
	const marks = all
		.slice(Math.max(first.firstMark, start), second.lastMark + 1)
		.flatMap(({ kind, text }) => (kind === "word" ? (markOf(text) ?? []) : []));
	return { first, second, start, marks, isSigned: marks.filter(({ sign }) => sign !== undefined).length > 1 };
}

/** What stands before a pair and could change its first number; undefined for names and marks. */
function unclearBefore({ text, all }: Tokens, { first, start, marks, isSigned }: Pair): string | undefined {
	const number = all[first.from]!;
	const touching = text.slice(0, number.at).match(/.$/su)?.[0] ?? " ";
	const previous = first.from > start ? all[first.from - 1] : undefined;
	if (/[\p{L}\p{M}]/u.test(touching)) return isMarkWord(previous) ? undefined : (previous?.text ?? touching);
	if (!OPENING.test(touching)) return touching;
	// A dash with nothing before it that it could separate may be a minus sign, as in `- 1.2921, 36.8219`.
	let at = first.from - 1;
	while (at >= start && all[at]!.kind === "sign" && OPENING.test(all[at]!.text)) at -= 1;
	const [sign, beyond] = [all[at], all[at - 1]];
	if (at >= start && sign?.kind === "sign") {
		const isTouching = at < first.from - 1 && sign.end === all[at + 1]!.at;
		const isAlone = at === start || beyond?.kind === "sign" || isMarkWord(beyond);
		if (isTouching && !CLOSING.test(sign.text)) return sign.text;
		if ((sign.text === "-" || MINUS_LIKE.test(sign.text)) && isAlone && !isSigned) return sign.text;
	}
	if (marks.length === 0 && previous?.kind === "word" && CORNER.test(previous.text)) return previous.text;
	// A number in a row with the pair may be one of it, unless it belongs to a name: `Plot 5, 6.5244, 3.3792`. Where axes are said, one with a
	// decimal point may still be: `6.52, 3.37 Long/Lat: 3.37`.
	let beside = first.from - 1;
	while (beside >= start && BETWEEN.test(all[beside]!.text)) beside -= 1;
	const isDecimal = /\./.test(all[beside]?.text ?? "");
	const isOfName = marks.length > 0 ? !isDecimal : all[beside - 1]?.kind === "word" && !isDecimal;
	return beside >= start && isNumber(all[beside]) && !isOfName ? all[beside]!.text : undefined;
}

/** What stands between the numbers of a pair and is neither a separator nor a word of axes. */
function unclearBetween({ text, all }: Tokens, { first, second, marks, isSigned }: Pair): string | undefined {
	const between = all.slice(first.to + 1, second.from);
	const unknown = between.find((token) =>
		token.kind === "word"
			? !isMarkWord(token) && !JOINING_WORD.test(token.text)
			: isNumber(token) || !(BETWEEN_MARKED.test(token.text) || (token.text === "-" && isSigned)),
	);
	if (marks.length > 0) return unknown?.text;
	const isApart = between.length > 1 || between.some((token) => !BETWEEN.test(token.text));
	return isApart
		? text.slice(all[first.to]!.end, all[second.from]!.at).replace(/^[\s,;]+|(?<![\s,;])[\s,;]+$/g, "")
		: undefined;
}

/** What stands behind a pair and could change its second number. */
function unclearBehind({ text, all }: Tokens, { second, marks, isSigned }: Pair): string | undefined {
	const { end } = all[second.to]!;
	const touching = text.slice(end).match(/^./su)?.[0] ?? " ";
	const [next, afterNext, third] = all.slice(second.to + 1);
	if (/[\p{L}\p{M}]/u.test(touching)) return isMarkWord(next) ? undefined : next?.text;
	if (isNumber(next) && (next!.at === end || next!.text.startsWith("."))) return next!.text;
	if (touching === "-") {
		const isJoining = afterNext?.kind === "word" && afterNext.at === next!.end;
		if (!isJoining && !isSigned) return "-";
	} else if (!CLOSING.test(touching)) return touching;
	// More digits behind a point, an apostrophe and so on.
	if (/^[.:'"_]$/.test(touching) && isNumber(afterNext) && afterNext!.at === next!.end)
		return touching + afterNext!.text;
	if (marks.length > 0) return undefined;
	if (next?.kind === "word" && CORNER.test(next.text)) return next.text;
	const number = isNumber(next) ? next : BETWEEN.test(next?.text ?? "") && isNumber(afterNext) ? afterNext : undefined;
	const unit = number === next ? afterNext : third;
	// A third number in a row is an altitude or an accuracy if it has a unit, or that of a house if a word follows it.
	const isMeasured = LENGTH.test(unit?.text ?? "");
	const isOfHouse = number === next && unit?.kind === "word" && !/\./.test(number?.text ?? "");
	return number && !isMeasured && !isOfHouse ? number.text : undefined;
}

/** The part of a sentence that could change the numbers of a pair and is not understood; undefined if there is none. */
function unclearPart(tokens: Tokens, pair: Pair): string | undefined {
	const { text, all } = tokens;
	const { first, second, isSigned } = pair;
	const entity = /&#?[a-z\d]{2,31};/.exec(text)?.[0];
	const minus = all.find(({ kind, text: word }, index) => {
		const isNear = index < second.from || index === second.to + 1;
		return kind === "word" && isNear && MINUS_WORD.test(word);
	});
	const joined = [first.from, second.from].find((index) => isJoinedMinus(tokens, index) && !isSigned);
	const bracketed = [first, second].find(({ from, to }) => isBracketed(all, from, to) && !isSigned);
	return (
		entity ??
		minus?.text ??
		(joined === undefined
			? undefined
			: all
					.slice(Math.max(0, joined - 1), joined + 1)
					.map(({ text }) => text)
					.join("")) ??
		(bracketed && `(${all[bracketed.from]!.text})`) ??
		unclearBefore(tokens, pair) ??
		unclearBetween(tokens, pair) ??
		unclearBehind(tokens, pair)
	);
}

/** What coordinates in a sentence give. */
interface Found {
	/** One point, or two, which may be two spellings of one place; none if there is none. */
	points: Point[];
	/** A part that could change a number and is not understood. Then the points are not to be used. */
	unclear?: string;
}

const NOTHING: Found = { points: [] };

/**
 * Finds the points in a sentence, or beside their names as programs write them. None if the text has more than two, or names an axis or a
 * hemisphere that belongs to no number. Nothing that could change a number is left out: before the first number there are names, between
 * the numbers only separators and words of axes.
 */
export function findCoordinates(input: string): Found {
	if (input.length > FIELD_UNITS_MAX) return NOTHING;
	const tokens = readable(input);
	const { text, all } = tokens;
	if (LONE_DEGREES.test(text)) return NOTHING;
	const angles = anglesIn(all);
	if (angles.length < 2 || angles.length > 4 || angles.length % 2 > 0) return NOTHING;
	const [first, second, third, fourth] = angles as [Angle, Angle, Angle?, Angle?];
	const isBeside = (index: number) => angles.some(({ firstMark, lastMark }) => index >= firstMark && index <= lastMark);
	const isStray = ({ kind, text: word }: Token, index: number) =>
		kind === "word" &&
		!ORDINARY_WORDS.test(word) &&
		(CORNERS.test(word) || markOf(word) !== undefined) &&
		!isBeside(index);
	if (all.some(isStray)) return NOTHING;
	// In `6.52, 3.37 Long/Lat: 3.37, 6.52` the words may be of either pair, and exchange the numbers of the one that they are of.
	const between = third ? all.slice(second.to + 1, third.from).flatMap(({ text: word }) => markOf(word) ?? []) : [];
	if (between[0]?.axis === "lng" && between.some(({ axis, sign }) => axis === "lat" && sign === undefined))
		return NOTHING;
	const pairs = [pairOf(tokens, first, second)];
	if (third && fourth) pairs.push(pairOf(tokens, third, fourth, second.lastMark + 1));
	const points = pairs.flatMap(({ first, second, marks }) => onAxes(first.degrees, second.degrees, marks) ?? []);
	if (angles.some(({ degrees }) => Number.isNaN(degrees)) || points.length < pairs.length) return NOTHING;
	const unclear = pairs.map((pair) => unclearPart(tokens, pair)).find(Boolean);
	return unclear === undefined
		? { points }
		: { points, unclear: unclear.replace(NO_DIGIT, /\p{No}/u.exec(input)?.[0] ?? NO_DIGIT) };
}
