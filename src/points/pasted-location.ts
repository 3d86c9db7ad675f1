/** Reads a location that a person typed or pasted. */
import { findCodes } from "../codes/code-text.ts";
import { linksIn, unwrapped, withoutClosing } from "../codes/links.ts";
import { withoutUnseen } from "../codes/normal-text.ts";
import { leftOf, type Reading } from "../codes/reading.ts";
import { withSpokenDigits } from "../codes/spoken-digits.ts";
import { FIELD_UNITS_MAX } from "../codes/text-length.ts";
import { unclearBeside } from "./beside.ts";
import { NO_DIGIT, readCoordinates, unreadDegrees, withSoftHyphens } from "./coordinate-text.ts";
import { isShortLink, readGeoUri, readLink } from "./link-text.ts";
import {
	type FoundLocation,
	type LocationReader,
	locationAt,
	locationOfCode,
	oneLocation,
	type PastedLocation,
	refused,
} from "./location-result.ts";
import { readFullPlusCodes, readVaguePlusCode } from "./plus-code-text.ts";
import { matchedPoint } from "./point.ts";

const NUMBER = String.raw`[+-]?\d{1,6}(?:\.\d{1,30})?`;
const LNG = `(?<lng>${NUMBER})`;
const LAT = `(?<lat>${NUMBER})`;

/** Single points in formats that write the longitude first: WKT (OGC 06-103r4), GeoJSON (RFC 7946, 3.1.1) and KML (OGC 12-007r2). */
const LONGITUDE_FIRST = [
	new RegExp(String.raw`\bpoint\s?(?:zm?|m)?\s?\(\s?${LNG}\s${LAT}(?:\s${NUMBER}){0,2}\s?\)`, "gi"),
	new RegExp(String.raw`\bst_(?:make)?point\s?\(\s?${LNG}\s?,\s?${LAT}\s?[,)]`, "gi"),
	new RegExp(String.raw`"?\bcoordinates"?\s?:\s?\[\s?${LNG}\s?,\s?${LAT}(?:\s?,\s?${NUMBER})?\s?\]`, "gi"),
	// Sygic's links are no URLs, because of their bars.
	new RegExp(String.raw`\bcom\.sygic\.aura://coordinate(?:\||%7c)${LNG}(?:\||%7c)${LAT}(?=$|\||%7c)`, "gi"),
	new RegExp(String.raw`<coordinates>\s?${LNG},${LAT}(?:,${NUMBER})?\s?</coordinates>`, "gi"),
];
const LONGITUDE_FIRST_STARTS =
	/\b(?:multi|st_(?:make)?)?(?:point|linestring|polygon)\s?(?:zm?|m)?\s?\(|"?\bcoordinates"?\s?:\s?\[|<coordinates>|\bcom\.sygic\.aura:|\bsrid\s?=\s?(?!4326\b)/i;

/** A text that was read as a whole. */
const wholly = (text: string, value: PastedLocation | undefined): Reading<FoundLocation> => ({
	text,
	found: value ? [{ value, spans: [[0, text.length]], said: "all" }] : [],
});

/** Whether a text is one document of a program, in JSON or KML. All its other numbers have names of their own. */
function isDocument(text: string): boolean {
	if (/^<.*>$/.test(text)) return true;
	try {
		return typeof JSON.parse(text) === "object";
	} catch {
		return false;
	}
}

/** Reads single points in formats that write the longitude first, and refuses a text that has anything else in them. */
const readMachineFormats: LocationReader = (input) => {
	const text = input.replace(/\s+/g, " ");
	if (!LONGITUDE_FIRST_STARTS.test(text)) return { text, found: [] };
	const found = LONGITUDE_FIRST.flatMap((format) => [...text.matchAll(format)])
		.sort((one, other) => one.index - other.index)
		.map(
			(match): FoundLocation => ({
				value: locationAt(matchedPoint(match)),
				spans: [[match.index, match.index + match[0].length]],
				said: "all",
			}),
		);
	const [first] = found;
	if (!first || LONGITUDE_FIRST_STARTS.test(leftOf({ text, found }))) return wholly(text, refused("unreadable"));
	return found.length === 1 && isDocument(text) ? wholly(text, first.value) : { text, found };
};

/** `geo:` URIs in a text, including the space that phones write after a comma. */
const GEO_URIS = /\b(?:geo:){1,2}[^\s<>"]+(?:(?<=[:=][+-]?[\d.]{1,40},)\s[+-]?\d[\d.]*)?/gi;

/**
 * Reads a location that a person typed or pasted: coordinates in any usual spelling, a full Plus Code, a `geo:` URI, a link of a map
 * service, or an address code of this registry or its link. Each may be inside a sentence. Two that differ are refused as
 * several places, and a part that could change a location and is not understood is named. Nothing is fetched.
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
	// A link may itself hold the location and wrap another link.
	const inner = unwrapped(text);
	if (inner === text) return location;
	const wrapped = readText(inner);
	if (!isGood(location) || isAsked(wrapped)) return wrapped;
	return oneLocation([location, wrapped].filter(isGood)) ?? location;
}

/** Reads links, also those that hold no location: nothing else in them is one. */
const readLinks: LocationReader = (text) => ({
	text,
	found: linksIn(text).map(({ url, written, at }) => ({
		value: readLink(url) ?? (isShortLink(url) ? refused("short link") : undefined),
		spans: [[at, at + written.length]],
		said: "all",
	})),
});

const readGeoUris: LocationReader = (text) => ({
	text,
	found: Array.from(text.matchAll(GEO_URIS), ({ 0: found, index }) => {
		const uri = withoutClosing(found);
		return { value: readGeoUri(uri), spans: [[index, index + uri.length]], said: "all" };
	}),
});

/** A code whose digits dictation has written as numbers, which look like degrees: `NG 1,377 49,234`. */
const DICTATED = /(?<!\p{L})\p{L} ?\p{L}[\s\p{Pd}]{0,3}\d,?\d{3}[\s\p{Pd},]{1,3}\d{2},\d{3}(?![.,]?\d)/gu;

/** Reads a text that is a code and nothing else, and codes that look like degrees. */
const readPlainCodes: LocationReader = (text) => {
	const code = locationOfCode(text);
	if (code) return wholly(text, code);
	const found = Array.from(
		text.matchAll(DICTATED),
		({ 0: written, index }): FoundLocation => ({
			value: locationOfCode(withSpokenDigits(written)),
			spans: [[index, index + written.length]],
			said: "all",
		}),
	);
	return { text, found: found.filter(({ value }) => value) };
};

/** Reads the codes in a sentence, such as `NG-1377-99055 (Blue gate)`. */
const readMentionedCodes: LocationReader = (text) => {
	const { codes, unclear } = findCodes(text);
	if (unclear !== undefined) return wholly(text, { kind: "refused", reason: "unclear part", part: unclear });
	return wholly(text, oneLocation(codes.flatMap(({ canonical }) => locationOfCode(canonical) ?? [])));
};

const LINK_READERS: readonly LocationReader[] = [readLinks, readGeoUris];

/** Every reader of words that give a location by themselves. */
const READERS: readonly LocationReader[] = [readPlainCodes, readFullPlusCodes, readMachineFormats, readCoordinates];

/** Those that read a text in which none of the others found a location. */
const LAST_READERS: readonly LocationReader[] = [readVaguePlusCode, readMentionedCodes];

/** UTM and MGRS, recognised by zone and band or by name, and the words of what3words. */
const OTHER_NOTATION =
	/(?<![\p{L}\d])(?:0?[1-9]|[1-5]\d|60) ?[c-hj-np-x],? ?(?:[a-hj-np-z]{2} ?\d{2,5} ?\d{2,5}(?![\d+])|[^\d\n]{0,9}\d{6}(?!\d)[^\d\n]{1,9}\d{5,7}(?!\d))|(?<!\p{L})(?:utm|mgrs|easting|e ?\d{6}(?!\d)[ ,]{1,3}n ?\d{5,7}(?!\d))|(?<![\p{L}\d./])\/{3}\p{L}{2,30}(?:\.\p{L}{2,30}){2}|\b(?:what3words|w3w)\b/iu;

/** Names of other datums than WGS 84, in which the same numbers are a location 50 to 600 m away. */
const OTHER_DATUM =
	/(?<![\p{L}\d])(?:adindan|arc ?19[56]0|bd-?09|ed ?50|gcj-?02|nad ?27|osgb ?36|pulkovo|sk-?42|(?:accra|cape|hartebeesthoek|merchich|minna|tokyo) datum)(?!\p{L})/iu;

/** What a reader found, each refused where a part beside it could change it and is not understood. */
function judged({ text, found }: Reading<FoundLocation>, input: string): PastedLocation[] {
	return found.flatMap((one, index) => {
		if (!one.value) return [];
		const part = unclearBeside(text, one, found[index - 1]?.spans.at(-1)?.[1] ?? 0);
		if (part === undefined) return [one.value];
		return [
			{ kind: "refused", reason: "unclear part", part: part.replace(NO_DIGIT, /\p{No}/u.exec(input)?.[0] ?? "") },
		];
	});
}

const isGood = ({ kind }: PastedLocation) => kind !== "refused";
const isUnclear = (location: PastedLocation) => location.kind === "refused" && location.reason === "unclear part";
const isAsked = (location: PastedLocation) =>
	isUnclear(location) || (location.kind === "refused" && location.reason === "several places");
/** Whether no further reader is asked. One is where a part is unclear, and where a link gives no location: the text beside it may. */
const isSettled = (location: PastedLocation) =>
	location.kind !== "refused" || !["unclear part", "short link", "unreadable"].includes(location.reason);

/**
 * Reads a location in a text, without unwrapping its links. Nothing is left out without a word, because readers are composed here and
 * nowhere else: each reads what those before it have left, whatever differs is asked about, and what none of them has read must be
 * known to be harmless.
 */
function readText(input: string): PastedLocation {
	let left = input;
	const found: PastedLocation[] = [];
	const used: PastedLocation[] = [];
	const readBy = (read: LocationReader) => {
		const reading = read(left);
		const locations = judged(reading, left);
		found.push(...reading.found.flatMap(({ value }) => value ?? []));
		used.push(...locations);
		if (reading.found.length > 0 && !locations.some(isUnclear)) left = leftOf(reading);
	};
	for (const read of LINK_READERS) readBy(read);
	const words = left;
	for (const read of READERS) readBy(read);
	if (!used.some(isSettled)) for (const read of LAST_READERS) readBy(read);
	const one = oneLocation(found.filter(isGood));
	if (one?.kind === "refused") return one;
	const location = used.find(isGood) ?? used.find((other) => !isUnclear(other)) ?? used[0] ?? refused("unreadable");
	const unread = isGood(location) ? unreadDegrees(left) : undefined;
	if (unread) return { kind: "refused", reason: "unclear part", part: unread };
	const isOther =
		location.kind === "refused"
			? !location.exchanged && OTHER_NOTATION.test(words)
			: location.kind === "point" && OTHER_DATUM.test(words);
	return isOther ? refused("other notation") : location;
}
