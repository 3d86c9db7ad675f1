import { parseCode } from "../codes/code.ts";
import { findCode } from "../codes/code-text.ts";
import { linksIn, replaceLinks, unwrapped } from "../codes/links.ts";
import { withoutUnseen } from "../codes/normal-text.ts";
import { FIELD_UNITS_MAX } from "../codes/text-length.ts";
import { AppError } from "../errors.ts";
import { findCoordinates, isInWorld, type Point, parseCoordinates, roundedDegrees } from "./coordinate-text.ts";
import { isShortLink, type LinkPlace, readGeoUri, readLink } from "./link-text.ts";
import { readPlusCode, type ShortPlusCode } from "./plus-code-text.ts";

/** Why a pasted text is not a place. */
type PlaceRefusal =
	| "empty"
	| "unreadable"
	/** A link that only its own service can open, such as `maps.app.goo.gl/…`, or that names a place. The registry asks no third party. */
	| "short link"
	/** A place in another notation than degrees: UTM, MGRS, the words of what3words. */
	| "other notation"
	/** A Plus Code without its first four characters, which needs a town beside it. */
	| "short plus code"
	/** A Plus Code of fewer than ten digits, a cell of 275 m or more. */
	| "coarse plus code"
	/** An address code whose check digit does not fit. */
	| "mistyped code"
	/** Degrees that are out of range in either order. */
	| "out of range"
	/** Degrees that are in range only once they are exchanged. The caller asks: nothing is exchanged silently. */
	| "swapped";

/** The place that a pasted text gives: a point, an address code of this registry (`CCZZZZUUUUK`), or a refusal with its reason. */
type PlaceText =
	| { kind: "point"; point: Point }
	| { kind: "code"; canonical: string }
	| {
			kind: "refused";
			reason: PlaceRefusal;
			/** For `swapped`: the point with latitude and longitude exchanged. */
			exchanged?: Point;
			/** For `short plus code`: the code, and what is beside it, such as `Lagos, Nigeria`. */
			short?: ShortPlusCode;
	  };

function refused(reason: PlaceRefusal): PlaceText {
	return { kind: "refused", reason };
}

function judged(point: Point): PlaceText {
	const rounded = { lat: roundedDegrees(point.lat), lng: roundedDegrees(point.lng) };
	if (isInWorld(rounded)) return { kind: "point", point: rounded };
	const exchanged = { lat: rounded.lng, lng: rounded.lat };
	return isInWorld(exchanged) ? { kind: "refused", reason: "swapped", exchanged } : refused("out of range");
}

const judgedIf = (point: Point | undefined) => point && judged(point);

/** The place that a link or a Plus Code gives. */
function placeOf(found: LinkPlace | undefined): PlaceText | undefined {
	if (!found) return undefined;
	if ("point" in found) return judged(found.point);
	if ("code" in found) return readCode(found.code);
	const { refusal, ...rest } = found;
	return { kind: "refused", reason: refusal, ...rest };
}

/** An address code of this registry; undefined when the text does not have the form of one. */
function readCode(text: string): PlaceText | undefined {
	try {
		return { kind: "code", canonical: parseCode(text).canonical };
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		return error.code === "BAD_CHECK_DIGIT" ? refused("mistyped code") : undefined;
	}
}

const NUMBER = String.raw`[+-]?\d{1,6}(?:\.\d{1,30})?`;

/** Single points in formats that write the longitude first: WKT (OGC 06-103r4), GeoJSON (RFC 7946, 3.1.1) and KML (OGC 12-007r2). */
const LONGITUDE_FIRST = [
	new RegExp(String.raw`\bpoint\s?(?:zm?|m)?\s?\(\s?(${NUMBER})\s(${NUMBER})(?:\s${NUMBER}){0,2}\s?\)`, "i"),
	new RegExp(String.raw`\bst_(?:make)?point\s?\(\s?(${NUMBER})\s?,\s?(${NUMBER})\s?[,)]`, "i"),
	new RegExp(String.raw`"?\bcoordinates"?\s?:\s?\[\s?(${NUMBER})\s?,\s?(${NUMBER})(?:\s?,\s?${NUMBER})?\s?\]`, "i"),
	new RegExp(String.raw`<coordinates>\s?(${NUMBER}),(${NUMBER})(?:,${NUMBER})?\s?</coordinates>`, "i"),
];
const LONGITUDE_FIRST_STARTS =
	/\b(?:multi|st_(?:make)?)?(?:point|linestring|polygon)\s?(?:zm?|m)?\s?\(|"?\bcoordinates"?\s?:\s?\[|<coordinates>|\bsrid\s?=\s?(?!4326\b)/i;

/** The point in a format that writes the longitude first; a refusal for anything but a single point. */
function readMachineFormat(text: string): PlaceText | undefined {
	const spaced = text.replace(/\s+/g, " ");
	if (!LONGITUDE_FIRST_STARTS.test(spaced)) return undefined;
	if (/\bsrid\s?=\s?(?!4326\b)/i.test(spaced)) return refused("unreadable");
	const [, lng, lat] = LONGITUDE_FIRST.map((format) => format.exec(spaced)).find(Boolean) ?? [];
	return lng && lat ? judged({ lat: Number(lat), lng: Number(lng) }) : refused("unreadable");
}

/** `geo:` URIs in a text, including the space that phones write after a comma. */
const GEO_URIS = /\bgeo:[^\s<>"]+(?:(?<=,)\s[+-]?\d[\d.]*)?/gi;

/**
 * Reads a place that a person typed or pasted: coordinates in any usual spelling, a full Plus Code, a `geo:` URI, a link of a map
 * service, or an address code of this registry or its link. Each may be inside a sentence. Links come first; the text around them is
 * read only if none of them gives the place. Nothing is fetched.
 */
export function readPlace(input: string): PlaceText {
	if (input.length > FIELD_UNITS_MAX) return refused("unreadable");
	// Contact cards escape commas (RFC 6350, 3.4), and pages escape ampersands.
	const text = withoutUnseen(input)
		.replace(/\\([,;])/g, "$1")
		.replaceAll("&amp;", "&")
		.trim();
	if (!text) return refused("empty");
	const place = readText(text);
	const inner = place.kind === "refused" ? unwrapped(text) : text;
	return inner === text ? place : readText(inner);
}

/** Reads a place in a text, without unwrapping its links. */
function readText(text: string): PlaceText {
	const links = linksIn(text);
	const withoutLinks = replaceLinks(text, links, () => " ");
	const geoUris = [...withoutLinks.matchAll(GEO_URIS)].map(([uri]) => uri);
	const rest = withoutLinks.replace(GEO_URIS, " ").trim();
	let ofLinks: PlaceText | undefined;
	for (const found of [...links.map(({ url }) => readLink(url)), ...geoUris.map(readGeoUri)]) {
		const place = placeOf(found);
		if (place && place.kind !== "refused") return place;
		ofLinks ??= place;
	}
	if (links.some(({ url }) => isShortLink(url))) ofLinks ??= refused("short link");
	const ofText = rest ? readWords(rest) : undefined;
	if (ofText && (ofText.kind !== "refused" || !ofLinks)) return ofText;
	return ofLinks ?? refused("unreadable");
}

/** UTM and MGRS, recognised by zone and band or by name, and the words of what3words. */
const OTHER_NOTATION =
	/(?<![\p{L}\d])(?:0?[1-9]|[1-5]\d|60) ?[c-hj-np-x],? ?(?:[a-hj-np-z]{2} ?\d{2,5} ?\d{2,5}(?![\d+])|[^\d\n]{0,9}\d{6}(?!\d)[^\d\n]{1,9}\d{5,7}(?!\d))|(?<!\p{L})(?:utm|mgrs|easting|e ?\d{6}(?!\d)[ ,]{1,3}n ?\d{5,7}(?!\d))|(?<![\p{L}\d./])\/{3}\p{L}{2,30}(?:\.\p{L}{2,30}){2}|\b(?:what3words|w3w)\b/iu;

/** Reads a place in a text without links. */
function readWords(text: string): PlaceText | undefined {
	const found = readNotations(text);
	const isOther = (!found || (found.kind === "refused" && !found.exchanged)) && OTHER_NOTATION.test(text);
	return isOther ? refused("other notation") : found;
}

function readNotations(text: string): PlaceText | undefined {
	const plusCode = readPlusCode(text);
	return (
		readCode(text) ??
		(plusCode && "point" in plusCode ? placeOf(plusCode) : undefined) ??
		readMachineFormat(text) ??
		judgedIf(parseCoordinates(text)) ??
		judgedIf(findCoordinates(text)) ??
		placeOf(plusCode) ??
		readCode(findCode(text)?.canonical ?? "")
	);
}
