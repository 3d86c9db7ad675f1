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
 * Hemispheres and axes as the six languages of the pages and common applications write them. `O` is west in French (ouest) and
 * Portuguese (oeste); `L` is east in Portuguese (leste).
 */
const MARKS: [words: RegExp, mark: Mark][] = [
	[/^(n|north|nord|norte|kaskazini|arewa|شمالا?|ش)$/, { axis: "lat", sign: 1 }],
	[/^(s|south|sud|sul|kusini|kudu|جنوبا?|ج)$/, { axis: "lat", sign: -1 }],
	[/^(e|east|est|l|leste|mashariki|gabas|شرقا?|ق)$/, { axis: "lng", sign: 1 }],
	[/^(w|west|o|ouest|oeste|magharibi|yamma|غربا?|غ)$/, { axis: "lng", sign: -1 }],
	[/^(lat|latitude|latitudo|latitudi|(ال)?عرض)$/, { axis: "lat", sign: undefined }],
	[/^(lng|lon|long|longitude|longitudo|longitudi|(ال)?طول)$/, { axis: "lng", sign: undefined }],
];

/** Marks that are also ordinary words, such as French "est" and Portuguese "e". Away from an angle they are ignored. */
const ORDINARY_WORDS = /^(.|est|long)$/u;

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

/** A text with one spelling each for digits, minus, decimal separators, and the signs of degrees, minutes and seconds. */
function plain(text: string): string {
	const signed = text
		.replace(/[\u02da\u00ba\u00b0^]/g, " ° ")
		.replace(MINUTES, "'")
		.replace(SECONDS, '"');
	let spelled = withoutUnseen(asciiDigits(signed.normalize("NFKC")))
		.toLowerCase()
		.replaceAll("\u066c", "")
		.replace(/[\u2212\u2010-\u2014\ufe58\ufe63\uff0d]/g, "-")
		.replace(/\u066b|(?<=\d)\u00b7(?=\d)/g, ".")
		.replace(/(?<=\d)_(?=[+-]?\d)/g, " ")
		.replace(BOTH_AXES, "$1 $2")
		.replace(RECEIVER, "$1°$2'$3 $4°$5'$6")
		.replace(/[\u060c\u061b\u3001]/g, ",")
		.replace(/''/g, '"');
	for (const [word, sign] of UNITS) spelled = spelled.replace(word, sign);
	return spelled;
}

/** A text with decimal commas turned into points, if it has no decimal point and a comma is not what separates the two numbers. */
function withDecimalPoints(text: string): string {
	if (/\d\.\d/.test(text)) return text;
	const [before = "", between = "", behind = "", ...more] = text.split(/(?<!\d)\d+,\d+/);
	const isPair = more.length === 0 && !/[\d,]/.test(before + behind) && /[\s;,/]/.test(between) && !/\d/.test(between);
	return text.replace(isPair ? /(\d+),(\d+)/g : /(\d),(\d+\s*["'°])/g, "$1.$2");
}

/** A piece of a text of coordinates. */
type Token = { kind: "number" | "word" | "sign"; text: string };

function tokensOf(text: string): Token[] {
	const kindOf = (token: string) => (/^[+-]?\.?\d/.test(token) ? "number" : /^\p{L}/u.test(token) ? "word" : "sign");
	const found = text.match(/[+-]?\d+(?:\.\d+)?|(?<!\d)[+-]?\.\d+|\p{L}+|[^\s]/gu) ?? [];
	return found.map((token) => ({ kind: kindOf(token), text: token }));
}

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
	return input.length > FIELD_UNITS_MAX ? undefined : readWhole(tokensOf(withDecimalPoints(plain(input))));
}

const isBetweenNumbers = (tokens: Token[], index: number) =>
	tokens[index - 1]?.kind === "number" && tokens[index + 1]?.kind === "number";

function readWhole(tokens: Token[]): Point | undefined {
	const numbers: string[] = [];
	/** Whether a sign of minutes joins two numbers. */
	let isJoined = false;
	/** Indexes of the numbers that a degree sign follows: these start the angles. */
	const starts: number[] = [];
	const marks: Mark[] = [];
	for (const [index, { kind, text }] of tokens.entries()) {
		if (kind === "number") numbers.push(text);
		else if (text === "°") starts.push(numbers.length - 1);
		else if (text === "'" && isBetweenNumbers(tokens, index)) isJoined = true;
		else if (kind === "word") {
			const mark = markOf(text);
			if (!mark) return undefined;
			marks.push(mark);
		} else if (text === "." ? isBetweenNumbers(tokens, index) : !/^['",;:/=&()[\]{}]$/.test(text)) return undefined;
	}
	// In 0'34, 32'58 the sign may as well be a decimal separator: 0.34 is 25 km from 0° 34'.
	const isWhole = numbers.length === 4 && numbers.every((number) => /^[+-]?\d+$/.test(number));
	if (isJoined && isWhole && starts.length === 0 && marks.length === 0) return undefined;
	const split = starts.length === 2 ? starts[1]! : numbers.length / 2;
	if (numbers.length < 2 || !Number.isInteger(split) || (starts.length > 0 && starts[0] !== 0)) return undefined;
	const [first, second] = [angle(numbers.slice(0, split)), angle(numbers.slice(split))];
	return Number.isNaN(first + second) ? undefined : onAxes(first, second, marks);
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
function farthestMark(tokens: Token[], at: number, step: 1 | -1): number {
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
		if (isSigned || isNamed(tokens, from, to) || DECIMALS_OF_DEGREES.test(parts[0]!)) {
			angles.push({ degrees: angle(parts), from, to, firstMark, lastMark });
		}
		from = to;
	}
	return angles;
}

/** What may stand between two numbers that have no marks. */
const BETWEEN = /^[,;/|]$/;
/** Units of an altitude or an accuracy after coordinates, and the unit of a map's zoom. */
const LENGTH = /^(z|m|meters?|metres?|mètres?|metros?|mita|ft|feet|km)$/;

/**
 * The point that two successive angles of a sentence give.
 * @param start Index of the first token that does not belong to an earlier pair.
 */
function pointOfPair(tokens: Token[], first: Angle, second: Angle, start = 0): Point | undefined {
	const between = tokens.slice(first.to + 1, second.from);
	const marked = tokens
		.slice(Math.max(first.firstMark, start), second.lastMark + 1)
		.flatMap(({ kind, text }) => (kind === "word" ? (markOf(text) ?? []) : []));
	if (Number.isNaN(first.degrees + second.degrees)) return undefined;
	if (marked.length === 0) {
		const isList = tokens[second.to + 1]?.kind === "sign" && tokens[second.to + 2]?.kind === "number";
		const isMeasured = LENGTH.test(tokens[second.to + 3]?.text ?? "");
		const isApart = between.length > 1 || between.some(({ text }) => !BETWEEN.test(text));
		if (isApart || (isList && BETWEEN.test(tokens[second.to + 1]!.text) && !isMeasured)) return undefined;
	}
	return onAxes(first.degrees, second.degrees, marked);
}

/** Whether a token is a dash that may be a minus sign, as in `- 1.2921, 36.8219`: there is nothing before it that it could separate. */
function isPerhapsMinus(tokens: Token[], at: number): boolean {
	const before = tokens[at - 1];
	return tokens[at]?.text === "-" && (before === undefined || before.kind === "sign");
}

/**
 * Finds the points in a sentence, or beside their names as programs write them: one, or two, which may be two spellings of one place.
 * None if the text has more numbers than that, or names an axis or a hemisphere that belongs to no number.
 */
export function findCoordinates(input: string): Point[] {
	if (input.length > FIELD_UNITS_MAX) return [];
	const text = withDecimalPoints(plain(input));
	if (LONE_DEGREES.test(text)) return [];
	const tokens = tokensOf(text);
	const angles = anglesIn(tokens);
	if (angles.some(({ from }) => isPerhapsMinus(tokens, from - 1))) return [];
	if (angles.length < 2 || angles.length > 4 || angles.length % 2 > 0) return [];
	const [first, second, third, fourth] = angles as [Angle, Angle, Angle?, Angle?];
	const isBeside = (index: number) => angles.some(({ firstMark, lastMark }) => index >= firstMark && index <= lastMark);
	const isStray = ({ kind, text }: Token, index: number) =>
		kind === "word" && !ORDINARY_WORDS.test(text) && markOf(text) !== undefined && !isBeside(index);
	if (tokens.some(isStray)) return [];
	const point = pointOfPair(tokens, first, second);
	if (!third || !fourth) return point ? [point] : [];
	const again = pointOfPair(tokens, third, fourth, second.lastMark + 1);
	return point && again ? [point, again] : [];
}
