import { asciiDigits } from "../codes/digits.ts";
import { withoutUnseen } from "../codes/normal-text.ts";
import type { Span } from "../codes/reading.ts";
import { FIELD_UNITS_MAX } from "../codes/text-length.ts";
import { type FoundLocation, type LocationReader, locationAt } from "./location-result.ts";
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

export function markOf(word: string): Mark | undefined {
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
export const MINUS_WORD = new RegExp(`^(?:${MINUS_WORDS})$`, "u");
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
export const NO_DIGIT = "\u00a4";

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
export type Token = { kind: "number" | "word" | "sign"; text: string; at: number; end: number };

/** A text with its tokens. */
export interface Tokens {
	text: string;
	all: Token[];
}

export function tokensOf(text: string): Tokens {
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

/** Numbers that are rather degrees than anything else: by their decimals, unless they are of a measure, by names, or by signs. */
const BY_DECIMALS =
	/(?<!(?:accuracy|altitude|alt|elevation|height|speed|bearing)["']? ?[:=]? ?["']?[+-]?)(?<!\d)\d{1,3}[.,]\d{4,15}(?!\d)/u;
const BY_SIGNS = /\d{1,3}(?:[.,]\d{1,9})? ?[°'](?! ?[cf](?!\p{L}))/gu;
const BY_NAME = /(?<!\p{L})(?:lat|lng|lon|long)(?:itude)?["']? ?[:=] ?["']?[+-]?\d[\d.,]{0,20}/u;
const BY_HEMISPHERES = /\d{1,3}(?:[.,]\d{1,9})? ?[ns](?![\p{L}\d])[^\p{L}\n]{1,20}\d ?[ewo](?![\p{L}\d])/u;

/** A number in a text that is rather degrees than anything else. A single sign of degrees may be of a turn. */
export function unreadDegrees(text: string): string | undefined {
	const written = plain(text);
	const [first, second] = written.match(BY_SIGNS) ?? [];
	return (BY_DECIMALS.exec(written) ?? BY_NAME.exec(written) ?? BY_HEMISPHERES.exec(written))?.[0] ?? (second && first);
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
export function isJoinedMinus({ text, all }: Tokens, index: number): boolean {
	const token = all[index]!;
	const before = text[token.at - 1] ?? "";
	const isSigned = /^[+-]/.test(all[index - 1]?.text ?? "") && /\d/.test(before);
	return token.kind === "number" && token.text.startsWith("-") && /[\p{L}\p{M}\d°'"]/u.test(before) && !isSigned;
}

/** @param splitAt How many numbers belong to the first angle, where that is known. */
function readWhole(tokens: Tokens, splitAt?: number): Point | undefined {
	const numbers: string[] = [];
	/** Whether a sign of minutes joins two numbers. */
	let isJoined = false;
	/** Indexes of the numbers before which a word or a mark that parts them stands. */
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
		else if (/^[,;/.]$/.test(text)) parted.push(numbers.length);
	}
	// In 0'34, 32'58 the sign may as well be a decimal separator: 0.34 is 25 km from 0° 34'.
	const isWhole = numbers.length === 4 && numbers.every((number) => /^[+-]?\d+$/.test(number));
	if (isJoined && isWhole && starts.length === 0 && marks.length === 0) return undefined;
	const split = starts.length === 2 ? starts[1]! : numbers.length / 2;
	if (numbers.length < 2 || !Number.isInteger(split) || (starts.length > 0 && starts[0] !== 0)) return undefined;
	if (splitAt !== undefined && split !== splitAt) return undefined;
	// A hemisphere or a comma ends an angle: in `6°31'N 3°E, 1.` the last number is no minute.
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

/** What the number behind it is of, rather than of degrees: applications show it beside a position. */
const MEASURE = /^(accuracy|altitude|alt|elevation|height|speed|bearing)$/;

function anglesIn(tokens: Token[]): Angle[] {
	const angles: Angle[] = [];
	for (let from = 0; from < tokens.length; from += 1) {
		if (tokens[from]!.kind !== "number") continue;
		const { parts, to, isSigned } = partsAt(tokens, from);
		const [firstMark, lastMark] = [farthestMark(tokens, from, -1), farthestMark(tokens, to, 1)];
		// The altitude behind a hemisphere is named by it no more than by its unit: `32°34′57″ E 3900 ft`.
		const isLength = !isSigned && /^\d+$/.test(parts[0]!) && LENGTH.test(tokens[to + 1]?.text ?? "");
		const isOther = MEASURE.test(tokens[from - (/^[:=]$/.test(tokens[from - 1]?.text ?? "") ? 2 : 1)]?.text ?? "");
		if (isOther || (isSigned && /^[cf]$/.test(tokens[to + 1]?.text ?? ""))) continue;
		if (isSigned || (!isLength && isNamed(tokens, from, to)) || DECIMALS_OF_DEGREES.test(parts[0]!)) {
			angles.push({ degrees: angle(parts), from, to, firstMark, lastMark });
		}
		from = to;
	}
	return angles;
}

/** Units of an altitude or an accuracy after coordinates, and the unit of a map's zoom. */
export const LENGTH = /^(z|m|meters?|metres?|mètres?|metros?|mita|ft|feet|km)$/;
/** Directions between two hemispheres, as one word. */
const CORNERS = /^(north|south|nord|sud|sul|sur|norte)(east|west|est|ouest|este|oeste|leste|ost)(ern)?$/;

/** Two successive angles of a sentence, and the marks beside them. */
interface Pair {
	first: Angle;
	second: Angle;
	marks: Mark[];
}

function pairOf({ all }: Tokens, first: Angle, second: Angle, start = 0): Pair {
	const marks = all
		.slice(Math.max(first.firstMark, start), second.lastMark + 1)
		.flatMap(({ kind, text }) => (kind === "word" ? (markOf(text) ?? []) : []));
	return { first, second, marks };
}

/** Two angles of a sentence with the marks beside them. What stands between the two was not read. */
function foundPair({ all }: Tokens, { first, second, marks }: Pair, start: number, point: Point): FoundLocation {
	const spanOf = ({ firstMark, from, lastMark }: Angle, earliest: number): Span => [
		all[Math.min(from, Math.max(firstMark, earliest))]!.at,
		all[lastMark]!.end,
	];
	const hasHemispheres = marks.some(({ sign }) => sign !== undefined);
	return {
		value: locationAt(point),
		spans: [spanOf(first, start), spanOf(second, first.lastMark + 1)],
		said: hasHemispheres ? "hemispheres" : marks.length > 0 ? "axes" : "nothing",
	};
}

/**
 * Finds the points in a text that is coordinates and nothing else, in a sentence, or beside their names as programs write them. None if
 * the text has more than two, or names an axis or a hemisphere that belongs to no number.
 */
export const readCoordinates: LocationReader = (input) => {
	const nothing = { text: input, found: [] };
	if (input.length > FIELD_UNITS_MAX) return nothing;
	const tokens = readable(input);
	const { text, all } = tokens;
	const whole = readWhole(tokens);
	if (whole) return { text, found: [{ value: locationAt(whole), spans: [[0, text.length]], said: "all" }] };
	if (LONE_DEGREES.test(text)) return nothing;
	const angles = anglesIn(all);
	if (angles.length < 2 || angles.length > 4 || angles.length % 2 > 0) return nothing;
	const [first, second, third, fourth] = angles as [Angle, Angle, Angle?, Angle?];
	const isBeside = (index: number) => angles.some(({ firstMark, lastMark }) => index >= firstMark && index <= lastMark);
	const isStray = ({ kind, text: word }: Token, index: number) =>
		kind === "word" &&
		!ORDINARY_WORDS.test(word) &&
		(CORNERS.test(word) || markOf(word) !== undefined) &&
		!isBeside(index);
	if (all.some(isStray)) return nothing;
	// In `6.52, 3.37 Long/Lat: 3.37, 6.52` the words may be of either pair, and exchange the numbers of the one that they are of.
	const between = third ? all.slice(second.to + 1, third.from).flatMap(({ text: word }) => markOf(word) ?? []) : [];
	if (between[0]?.axis === "lng" && between.some(({ axis, sign }) => axis === "lat" && sign === undefined))
		return nothing;
	const starts = [0, second.lastMark + 1];
	const pairs = [pairOf(tokens, first, second)];
	if (third && fourth) pairs.push(pairOf(tokens, third, fourth, starts[1]));
	const found = pairs.flatMap((pair, index) => {
		const point = onAxes(pair.first.degrees, pair.second.degrees, pair.marks);
		return point ? foundPair(tokens, pair, starts[index]!, point) : [];
	});
	const isWhole = angles.every(({ degrees }) => !Number.isNaN(degrees)) && found.length === pairs.length;
	return isWhole ? { text, found } : nothing;
};
