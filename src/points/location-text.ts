/** Reads a location that a person typed or pasted. */
import { findCodes } from "../codes/code-text.ts";
import { linksIn, replaceLinks, unwrapped, withoutClosing } from "../codes/links.ts";
import { withoutUnseen } from "../codes/normal-text.ts";
import { withSpokenDigits } from "../codes/spoken-digits.ts";
import { FIELD_UNITS_MAX } from "../codes/text-length.ts";
import { findCoordinates, parseCoordinates, withSoftHyphens } from "./coordinate-text.ts";
import { isShortLink, readGeoUri, readLink } from "./link-text.ts";
import { locationAt, locationOfCode, oneLocation, type PastedLocation, refused } from "./pasted-location.ts";
import { readPlusCode } from "./plus-code-text.ts";
import { matchedPoint } from "./point.ts";

const NUMBER = String.raw`[+-]?\d{1,6}(?:\.\d{1,30})?`;
const LNG = `(?<lng>${NUMBER})`;
const LAT = `(?<lat>${NUMBER})`;

/** Single points in formats that write the longitude first: WKT (OGC 06-103r4), GeoJSON (RFC 7946, 3.1.1) and KML (OGC 12-007r2). */
const LONGITUDE_FIRST = [
	new RegExp(String.raw`\bpoint\s?(?:zm?|m)?\s?\(\s?${LNG}\s${LAT}(?:\s${NUMBER}){0,2}\s?\)`, "i"),
	new RegExp(String.raw`\bst_(?:make)?point\s?\(\s?${LNG}\s?,\s?${LAT}\s?[,)]`, "i"),
	new RegExp(String.raw`"?\bcoordinates"?\s?:\s?\[\s?${LNG}\s?,\s?${LAT}(?:\s?,\s?${NUMBER})?\s?\]`, "i"),
	// Sygic's links are no URLs, because of their bars.
	new RegExp(String.raw`\bcom\.sygic\.aura://coordinate(?:\||%7c)${LNG}(?:\||%7c)${LAT}(?=$|\||%7c)`, "i"),
	new RegExp(String.raw`<coordinates>\s?${LNG},${LAT}(?:,${NUMBER})?\s?</coordinates>`, "i"),
];
const LONGITUDE_FIRST_STARTS =
	/\b(?:multi|st_(?:make)?)?(?:point|linestring|polygon)\s?(?:zm?|m)?\s?\(|"?\bcoordinates"?\s?:\s?\[|<coordinates>|\bcom\.sygic\.aura:|\bsrid\s?=\s?(?!4326\b)/i;

/** The point in a format that writes the longitude first; a refusal for anything but a single point. */
function readMachineFormat(text: string): PastedLocation | undefined {
	const spaced = text.replace(/\s+/g, " ");
	if (!LONGITUDE_FIRST_STARTS.test(spaced)) return undefined;
	if (/\bsrid\s?=\s?(?!4326\b)/i.test(spaced)) return refused("unreadable");
	const point = matchedPoint(LONGITUDE_FIRST.map((format) => format.exec(spaced)).find(Boolean));
	return locationAt(point) ?? refused("unreadable");
}

/** `geo:` URIs in a text, including the space that phones write after a comma. */
const GEO_URIS = /\b(?:geo:){1,2}[^\s<>"]+(?:(?<=[:=][+-]?[\d.]{1,40},)\s[+-]?\d[\d.]*)?/gi;

/**
 * Reads a location that a person typed or pasted: coordinates in any usual spelling, a full Plus Code, a `geo:` URI, a link of a map
 * service, or an address code of this registry or its link. Each may be inside a sentence. Links come first; the text around them is
 * read only if none of them gives the location. Nothing is fetched.
 * @example
 * ```ts
 * readPastedLocation("6°31'27.8\"N 3°22'45.1\"E") // { kind: "point", point: { lat: 6.524389, lng: 3.379194 } }
 * readPastedLocation("ng 1377 48215") // { kind: "code", canonical: "NG137748215" }
 * readPastedLocation("the blue gate") // { kind: "refused", reason: "unreadable" }
 * ```
 */
export function readPastedLocation(input: string): PastedLocation {
	if (input.length > FIELD_UNITS_MAX) return refused("unreadable");
	// Contact cards escape commas (RFC 6350, 3.4), and pages escape ampersands.
	const text = withoutUnseen(withSoftHyphens(input))
		.replace(/\\([,;])/g, "$1")
		.replaceAll("&amp;", "&")
		.trim();
	if (!text) return refused("empty");
	const location = readText(text);
	const inner = location.kind === "refused" ? unwrapped(text) : text;
	return inner === text ? location : readText(inner);
}

/** Reads a location in a text, without unwrapping its links. */
function readText(text: string): PastedLocation {
	const links = linksIn(text);
	const withoutLinks = replaceLinks(text, links, () => " ");
	const geoUris = [...withoutLinks.matchAll(GEO_URIS)].map(([uri]) => uri);
	const rest = withoutLinks.replace(GEO_URIS, " ").trim();
	const linked = [
		...links.map(({ url }) => readLink(url)),
		...geoUris.map((uri) => readGeoUri(withoutClosing(uri))),
	].filter((location) => !!location);
	const location = oneLocation(linked.filter(({ kind }) => kind !== "refused"));
	if (location) return location;
	const ofLinks = linked[0] ?? (links.some(({ url }) => isShortLink(url)) ? refused("short link") : undefined);
	const ofText = rest ? readWords(rest) : undefined;
	if (ofText && (ofText.kind !== "refused" || !ofLinks)) return ofText;
	return ofLinks ?? refused("unreadable");
}

/** UTM and MGRS, recognised by zone and band or by name, and the words of what3words. */
const OTHER_NOTATION =
	/(?<![\p{L}\d])(?:0?[1-9]|[1-5]\d|60) ?[c-hj-np-x],? ?(?:[a-hj-np-z]{2} ?\d{2,5} ?\d{2,5}(?![\d+])|[^\d\n]{0,9}\d{6}(?!\d)[^\d\n]{1,9}\d{5,7}(?!\d))|(?<!\p{L})(?:utm|mgrs|easting|e ?\d{6}(?!\d)[ ,]{1,3}n ?\d{5,7}(?!\d))|(?<![\p{L}\d./])\/{3}\p{L}{2,30}(?:\.\p{L}{2,30}){2}|\b(?:what3words|w3w)\b/iu;

/** Names of other datums than WGS 84, in which the same numbers are a location 50 to 600 m away. */
const OTHER_DATUM =
	/(?<![\p{L}\d])(?:adindan|arc ?19[56]0|bd-?09|ed ?50|gcj-?02|nad ?27|osgb ?36|pulkovo|sk-?42|(?:accra|cape|hartebeesthoek|merchich|minna|tokyo) datum)(?!\p{L})/iu;

/** Reads a location in a text without links. */
function readWords(text: string): PastedLocation | undefined {
	const found = readNotations(text);
	if (found?.kind === "point" && OTHER_DATUM.test(text)) return refused("other notation");
	const isOther = (!found || (found.kind === "refused" && !found.exchanged)) && OTHER_NOTATION.test(text);
	return isOther ? refused("other notation") : found;
}

/** The location that the codes in a text give, such as `NG-1377-99055 (Blue gate)`. */
function readCodes(text: string): PastedLocation | undefined {
	return oneLocation(findCodes(text).flatMap(({ canonical }) => locationOfCode(canonical) ?? []));
}

/** The location that the coordinates in a text give, or a code in it if a part beside them is unclear. */
function readCoordinates(text: string, plusCode: PastedLocation | undefined): PastedLocation | undefined {
	const { points, unclear } = findCoordinates(text);
	const location = oneLocation(points.flatMap((point) => locationAt(point) ?? []));
	const isSeveral = location?.kind === "refused" && location.reason === "several places";
	if (unclear === undefined || isSeveral) return location;
	return plusCode ?? readCodes(text) ?? { kind: "refused", reason: "unclear part", part: unclear };
}

/** A code whose digits dictation has written as numbers, which look like degrees: `NG 1,377 49,234`. */
const DICTATED = /(?<!\p{L})\p{L} ?\p{L}[\s\p{Pd}]{0,3}\d,?\d{3}[\s\p{Pd},]{1,3}\d{2},\d{3}(?![.,]?\d)/u;

function readDictatedCode(text: string): PastedLocation | undefined {
	const [written] = DICTATED.exec(text) ?? [];
	return written === undefined ? undefined : locationOfCode(withSpokenDigits(written));
}

function readNotations(text: string): PastedLocation | undefined {
	const plusCode = readPlusCode(text);
	return (
		locationOfCode(text) ??
		readDictatedCode(text) ??
		(plusCode?.kind === "point" ? plusCode : undefined) ??
		readMachineFormat(text) ??
		locationAt(parseCoordinates(text)) ??
		readCoordinates(text, plusCode) ??
		plusCode ??
		readCodes(text)
	);
}
