import { OpenLocationCode } from "open-location-code";
import { FIELD_UNITS_MAX } from "../codes/text-length.ts";
import {
	type FoundLocation,
	type LocationReader,
	locationAt,
	type PastedLocation,
	refused,
} from "./location-result.ts";
import { type Point, roundedDegrees } from "./point.ts";

const openLocationCode = new OpenLocationCode();

/** Full and short Plus Codes in a text, set off by spaces or punctuation. */
const PLUS_CODES =
	/(?:^|[\s/,:(])((?:[023456789CFGHJMPQRVWX]{2}){1,4}\+(?:[23456789CFGHJMPQRVWX]{2,7})?)(?=$|[\s\p{P}]|\+\p{L})/giu;

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
	const names = lines.map((line) => line.replace(/^[\s\ufffc\p{P}]+|(?<![\s\ufffc\p{P}])[\s\ufffc\p{P}]+$/gu, ""));
	return names.filter(Boolean).join(", ");
}

/** A text as Plus Codes are searched for in it; empty if it grew to waste time. */
function written(input: string): string {
	const normal = input.normalize("NFKC");
	if (normal.length > 2 * FIELD_UNITS_MAX) return "";
	return normal.replace(/%2b/gi, "+").replace(SPACED, (_, digits: string) => `${digits.replace(" ", "")}+`);
}

/** Reads the Plus Codes of a text that give a point by themselves. */
export const readFullPlusCodes: LocationReader = (input) => {
	const text = written(input);
	const found = Array.from(text.matchAll(PLUS_CODES)).flatMap(({ 0: whole, 1: code = "", index }): FoundLocation[] => {
		if (!openLocationCode.isFull(code)) return [];
		const { latitudeCenter, longitudeCenter, codeLength } = openLocationCode.decode(code);
		if (codeLength < PLUS_CODE_DIGITS_MIN) return [];
		const end = index + whole.length;
		const value = locationAt({ lat: latitudeCenter, lng: longitudeCenter });
		return [{ value, spans: [[end - code.length, end]], said: "all" }];
	});
	return { text, found };
};

/**
 * Reads a Plus Code that gives no point by itself: a short one, with everything beside it, which may name its settlement, or one whose
 * cell is a whole area.
 */
export const readVaguePlusCode: LocationReader = (input) => {
	const text = written(input);
	const [match] = text.matchAll(PLUS_CODES);
	const [whole = "", code = ""] = match ?? [];
	const { index = 0 } = match ?? {};
	if (openLocationCode.isFull(code))
		return {
			text,
			found: [{ value: refused("coarse plus code"), spans: [[index, index + whole.length]], said: "all" }],
		};
	if (!SHORT.test(code)) return { text, found: [] };
	const [before, behind] = [settlementIn(text.slice(0, index)), settlementIn(text.slice(index + whole.length))];
	const [settlement, otherwise] = behind ? [behind, before] : [before, ""];
	const value: PastedLocation = {
		kind: "refused",
		reason: "short plus code",
		...(settlement ? { short: { code, settlement, otherwise } } : {}),
	};
	return { text, found: [{ value, spans: [[0, text.length]], said: "all" }] };
};

/** The location of the Plus Code in a text; undefined if it holds none. It is refused if it is short, or its cell is a whole area. */
export const readPlusCode = (input: string): PastedLocation | undefined =>
	[readFullPlusCodes, readVaguePlusCode].flatMap((read) => read(input).found)[0]?.value;

/** The point of a short Plus Code, given a point near it: within about 50 km for a code of four digits before the plus sign. */
export function pointOfShortPlusCode(code: string, near: Point): Point {
	const { latitudeCenter, longitudeCenter } = openLocationCode.decode(
		openLocationCode.recoverNearest(code, near.lat, near.lng),
	);
	return { lat: roundedDegrees(latitudeCenter), lng: roundedDegrees(longitudeCenter) };
}
