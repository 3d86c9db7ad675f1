import { OpenLocationCode } from "open-location-code";
import { type Point, roundedDegrees } from "./coordinate-text.ts";

const openLocationCode = new OpenLocationCode();

/** A Plus Code without its first four characters, and the settlement beside it. */
export interface ShortPlusCode {
	code: string;
	settlement: string;
}

/** What a Plus Code says: a point; or that it is short, with what stands beside it, or the cell of a whole area. */
export type PlusCodePlace =
	| { point: Point }
	| { refusal: "short plus code"; short?: ShortPlusCode }
	| { refusal: "coarse plus code" };

/** A Plus Code, full or not, with whatever stands beside it. */
const PLUS_CODE =
	/(?:^|[\s/,:(])((?:[023456789CFGHJMPQRVWX]{2}){1,4}\+(?:[23456789CFGHJMPQRVWX]{2,7})?)(?=$|[\s,.;:!?)/])/i;

/** One without its first digits: none of the others stands for a whole area. */
const SHORT = /^[^0+]{2,6}\+../;

/** Digits of a cell of 14 m; with fewer it has 275 m or more. */
const PLUS_CODE_DIGITS_MIN = 10;

/** The place of the Plus Code in a text; undefined where it holds none. */
export function readPlusCode(input: string): PlusCodePlace | undefined {
	const text = input.normalize("NFKC").replace(/%2b/gi, "+");
	const [, code] = PLUS_CODE.exec(text) ?? [];
	if (!code) return undefined;
	if (!openLocationCode.isFull(code)) {
		if (!SHORT.test(code)) return undefined;
		const settlement = text.replace(code, "").replace(/^[\s,+.]+|(?<![\s,+.])[\s,+.]+$/g, "");
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
