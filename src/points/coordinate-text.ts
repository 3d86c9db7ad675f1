import { asciiDigits } from "../codes/digits.ts";
import { FIELD_UNITS_MAX } from "../codes/text-length.ts";

/** A point in degrees, WGS 84: latitude -90 to 90, longitude -180 to 180. */
export interface Point {
	lat: number;
	lng: number;
}

/** Decimal places that are kept of degrees: 0.000001 degree is at most 11 cm. */
const DECIMALS = 6;

/** Degrees without the digits that no receiver measures: six decimal places. */
export function roundedDegrees(degrees: number): number {
	return Number(degrees.toFixed(DECIMALS)) || 0;
}

/** Whether a latitude and a longitude, in degrees, are within the world. False for what is not a number. */
export function isInWorld({ lat, lng }: Point): boolean {
	return Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
}

type Axis = "lat" | "lng";

/** A word that says which axis an angle is on, and for a hemisphere also its sign. */
interface Mark {
	axis: Axis;
	sign: 1 | -1 | undefined;
}

/**
 * Hemispheres and axes as the six languages of the pages and common applications write them. `O` is west in French (ouest) and Portuguese
 * (oeste); `L` is east in Portuguese (leste).
 */
const MARKS: [words: RegExp, mark: Mark][] = [
	[/^(n|north|nord|norte|kaskazini|arewa|شمالا?|ش)$/, { axis: "lat", sign: 1 }],
	[/^(s|south|sud|sul|kusini|kudu|جنوبا?|ج)$/, { axis: "lat", sign: -1 }],
	[/^(e|east|est|l|leste|mashariki|gabas|شرقا?|ق)$/, { axis: "lng", sign: 1 }],
	[/^(w|west|o|ouest|oeste|magharibi|yamma|غربا?|غ)$/, { axis: "lng", sign: -1 }],
	[/^(lat|latitude)$/, { axis: "lat", sign: undefined }],
	[/^(lng|lon|long|longitude)$/, { axis: "lng", sign: undefined }],
];

function markOf(word: string): Mark | undefined {
	return MARKS.find(([words]) => words.test(word))?.[1];
}

/** Typographic spellings brought to one each: digits, minus, decimal separators, and the signs of degrees, minutes and seconds. */
function plain(text: string): string {
	return asciiDigits(text.replace(/[\u02da\u00ba\u00b0]/g, " ° ").normalize("NFKC"))
		.toLowerCase()
		.replace(/[\p{Cf}\u066c]/gu, "")
		.replace(/[\u2212\u2010-\u2014]/g, "-")
		.replace(/\u066b/g, ".")
		.replace(/[\u060c\u061b]/g, ",")
		.replace(/[\u2032\u2018\u2019\u00b4`]{2}|\u2033|\u201c|\u201d|''/g, '"')
		.replace(/[\u2032\u2018\u2019\u00b4`]/g, "'")
		.replace(/(\d)\s*(?:deg(?:rees)?|d)(?!\p{L})/gu, "$1°");
}

/** Commas between digits as points, where the text has no point and its commas cannot stand between the two numbers alone. */
function withDecimalPoints(text: string): string {
	if (text.includes(".")) return text;
	const [before = "", between = "", behind = "", ...more] = text.split(/(?<!\d)\d+,\d+/);
	const isPair = more.length === 0 && !/[\d,]/.test(before + behind) && /[\s;,/]/.test(between) && !/\d/.test(between);
	return text.replace(isPair ? /(\d),(\d)/g : /(\d),(\d+\s*["'°])/g, "$1.$2");
}

/** Degrees of an angle written as degrees, degrees and minutes, or degrees, minutes and seconds. NaN when its parts do not make one. */
function angle(parts: string[]): number {
	const [degrees = "", ...smaller] = parts;
	const isWhole = parts.slice(0, -1).every((part) => /^[+-]?\d+$/.test(part));
	if (!isWhole || parts.length > 3 || smaller.some((part) => !/^\d/.test(part) || Number(part) >= 60))
		return Number.NaN;
	const size = parts.reduce((sum, part, index) => sum + Math.abs(Number(part)) / 60 ** index, 0);
	return degrees.startsWith("-") ? -size : size;
}

/**
 * Reads a latitude and a longitude: decimal or with minutes and seconds, signed or with hemispheres, in the digits of any script. Without
 * hemispheres the latitude comes first. The result may lie out of the world; undefined when the text is not two angles, or too long.
 */
export function parseCoordinates(input: string): Point | undefined {
	if (input.length > FIELD_UNITS_MAX) return undefined;
	const text = withDecimalPoints(plain(input));
	const tokens = text.match(/[+-]?\d+(?:\.\d+)?|°|['"]|\p{L}+|[^\s]/gu) ?? [];
	const numbers: string[] = [];
	/** Which numbers a degree sign follows: they start the angles. */
	const starts: number[] = [];
	const marks: Mark[] = [];
	for (const token of tokens) {
		if (/^[+-]?\d/.test(token)) numbers.push(token);
		else if (token === "°") starts.push(numbers.length - 1);
		else if (/^\p{L}/u.test(token)) {
			const mark = markOf(token);
			if (!mark) return undefined;
			marks.push(mark);
		} else if (!/^['",;:/=()[\]{}]$/.test(token)) return undefined;
	}
	const split = starts.length === 2 ? starts[1]! : numbers.length / 2;
	if (numbers.length < 2 || !Number.isInteger(split) || (starts.length > 0 && starts[0] !== 0)) return undefined;
	const [first, second] = [angle(numbers.slice(0, split)), angle(numbers.slice(split))];
	return Number.isNaN(first + second) ? undefined : onAxes(first, second, marks);
}

/** Puts two angles on their axes, as the marks beside them say. */
function onAxes(first: number, second: number, marks: Mark[]): Point | undefined {
	const hemispheres = marks.filter(({ sign }) => sign !== undefined);
	const said = hemispheres.length > 0 ? hemispheres : marks;
	if (said.length === 0) return { lat: first, lng: second };
	const [one, other] = said;
	if (said.length !== 2 || !one || !other || one.axis === other.axis) return undefined;
	const isSignedTwice = (value: number, { sign }: Mark) => sign !== undefined && value < 0;
	if (isSignedTwice(first, one) || isSignedTwice(second, other)) return undefined;
	const values = { [one.axis]: first * (one.sign ?? 1), [other.axis]: second * (other.sign ?? 1) };
	return { lat: values.lat ?? Number.NaN, lng: values.lng ?? Number.NaN };
}
