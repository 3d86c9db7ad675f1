import { OpenLocationCode } from "open-location-code";
import { FIELD_UNITS_MAX } from "../codes/text-length.ts";
import { locationAt, type PastedLocation, refused } from "./pasted-location.ts";
import { type Point, roundedDegrees } from "./point.ts";

const openLocationCode = new OpenLocationCode();

/** A full or short Plus Code in a text, set off by spaces or punctuation. */
const PLUS_CODE =
	/(?:^|[\s/,:(])((?:[023456789CFGHJMPQRVWX]{2}){1,4}\+(?:[23456789CFGHJMPQRVWX]{2,7})?)(?=$|[\s\p{P}]|\+\p{L})/iu;

/** Spaces that people put into a Plus Code: around the plus sign, and after the first four digits. */
const SPACED =
	/(?<![\p{L}\p{Nd}])((?:[2-9CFGHJMPQRVWX]{4} )?[2-9CFGHJMPQRVWX]{2,4}) ?\+ ?(?=[2-9CFGHJMPQRVWX]{2,3}(?![\p{L}\p{Nd}]))/giu;

/** A Plus Code without its first digits. It has no padding and goes on after the plus sign, so it is not the code of a whole area. */
const SHORT = /^[^0+]{2,6}\+../;

/** Fewest digits of a code that gives a point: its cell is 14 m wide. With fewer digits it is 275 m or more. */
const PLUS_CODE_DIGITS_MIN = 10;

/** The settlement beside a short Plus Code: its lines without the marks around them, joined by commas, so that none is left out. */
function settlementIn(beside: string): string {
	const lines = beside.replaceAll("+", " ").split(/[\n\r]+/);
	const names = lines.map((line) => line.replace(/^[\s\p{P}]+|(?<![\s\p{P}])[\s\p{P}]+$/gu, ""));
	return names.filter(Boolean).join(", ");
}

/** The location of the Plus Code in a text; undefined if it holds none. It is refused if it is short, or its cell is a whole area. */
export function readPlusCode(input: string): PastedLocation | undefined {
	const normal = input.normalize("NFKC");
	if (normal.length > 2 * FIELD_UNITS_MAX) return undefined;
	const text = normal.replace(/%2b/gi, "+").replace(SPACED, (_, digits: string) => `${digits.replace(" ", "")}+`);
	const found = PLUS_CODE.exec(text);
	if (!found) return undefined;
	const [whole, code = ""] = found;
	if (!openLocationCode.isFull(code)) {
		if (!SHORT.test(code)) return undefined;
		const { index } = found;
		const [before, behind] = [settlementIn(text.slice(0, index)), settlementIn(text.slice(index + whole.length))];
		const [settlement, otherwise] = behind ? [behind, before] : [before, ""];
		return {
			kind: "refused",
			reason: "short plus code",
			...(settlement ? { short: { code, settlement, otherwise } } : {}),
		};
	}
	const { latitudeCenter, longitudeCenter, codeLength } = openLocationCode.decode(code);
	if (codeLength < PLUS_CODE_DIGITS_MIN) return refused("coarse plus code");
	return locationAt({ lat: latitudeCenter, lng: longitudeCenter });
}

/** The point of a short Plus Code, given a point near it: within about 50 km for a code of four digits before the plus sign. */
export function pointOfShortPlusCode(code: string, near: Point): Point {
	const { latitudeCenter, longitudeCenter } = openLocationCode.decode(
		openLocationCode.recoverNearest(code, near.lat, near.lng),
	);
	return { lat: roundedDegrees(latitudeCenter), lng: roundedDegrees(longitudeCenter) };
}
