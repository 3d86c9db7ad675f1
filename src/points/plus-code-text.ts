import { OpenLocationCode } from "open-location-code";
import { type Point, roundedDegrees } from "./coordinate-text.ts";

const openLocationCode = new OpenLocationCode();

/** A Plus Code without its first four characters, and the settlement beside it. */
export interface ShortPlusCode {
	code: string;
	settlement: string;
}

/** What a Plus Code says: a point; or that it is short, with what is beside it, or the cell of a whole area. */
export type PlusCodePlace =
	| { point: Point }
	| { refusal: "short plus code"; short?: ShortPlusCode }
	| { refusal: "coarse plus code" };

/** A Plus Code, full or not, with whatever stands beside it. */
const PLUS_CODE =
	/(?:^|[\s/,:(])((?:[023456789CFGHJMPQRVWX]{2}){1,4}\+(?:[23456789CFGHJMPQRVWX]{2,7})?)(?=$|[\s\p{P}]|\+\p{L})/iu;

/** Spaces that people put into a Plus Code: around the plus sign, and behind the first four digits. */
const SPACED =
	/(?<![\p{L}\p{Nd}])((?:[2-9CFGHJMPQRVWX]{4} )?[2-9CFGHJMPQRVWX]{2,4}) ?\+ ?(?=[2-9CFGHJMPQRVWX]{2,3}(?![\p{L}\p{Nd}]))/giu;

/** One without its first digits: none of the others stands for a whole area. */
const SHORT = /^[^0+]{2,6}\+../;

/** Digits of a cell of 14 m; with fewer it has 275 m or more. */
const PLUS_CODE_DIGITS_MIN = 10;

/** What is beside a short Plus Code on its line, without the marks around it. */
function settlementIn(beside: string): string {
	const lines = beside.replaceAll("+", " ").split(/[\n\r]+/);
	const names = lines.map((line) => line.replace(/^[\s\p{P}]+|(?<![\s\p{P}])[\s\p{P}]+$/gu, ""));
	return names.find(Boolean) ?? "";
}

/** The place of the Plus Code in a text; undefined where it holds none. */
export function readPlusCode(input: string): PlusCodePlace | undefined {
	const text = input
		.normalize("NFKC")
		.replace(/%2b/gi, "+")
		.replace(SPACED, (_, digits: string) => `${digits.replace(" ", "")}+`);
	const found = PLUS_CODE.exec(text);
	if (!found) return undefined;
	const [whole, code = ""] = found;
	if (!openLocationCode.isFull(code)) {
		if (!SHORT.test(code)) return undefined;
		const { index } = found;
		const settlement = settlementIn(text.slice(index + whole.length)) || settlementIn(text.slice(0, index));
		return { refusal: "short plus code", ...(settlement ? { short: { code, settlement } } : {}) };
	}
	const { latitudeCenter, longitudeCenter, codeLength } = openLocationCode.decode(code);
	if (codeLength < PLUS_CODE_DIGITS_MIN) return { refusal: "coarse plus code" };
	return { point: { lat: latitudeCenter, lng: longitudeCenter } };
}

/** The point of a short Plus Code, given a point near it: within about 50 km for one of four digits and the last ones. */
export function pointOfShortPlusCode(code: string, near: Point): Point {
	const { latitudeCenter, longitudeCenter } = openLocationCode.decode(
		openLocationCode.recoverNearest(code, near.lat, near.lng),
	);
	return { lat: roundedDegrees(latitudeCenter), lng: roundedDegrees(longitudeCenter) };
}
