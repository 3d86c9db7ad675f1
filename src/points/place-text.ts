import { OpenLocationCode } from "open-location-code";
import { LINK, parseCode } from "../codes/code.ts";
import { FIELD_UNITS_MAX } from "../codes/text-length.ts";
import { AppError } from "../errors.ts";
import { isInWorld, type Point, parseCoordinates, roundedDegrees } from "./coordinate-text.ts";

/** Why a pasted text is not a place. */
type PlaceRefusal =
	| "empty"
	| "unreadable"
	/** A link that only its own service can open, such as `maps.app.goo.gl/…`. The registry asks no third party. */
	| "short link"
	/** A Plus Code without its first four characters, which needs a town beside it. */
	| "short plus code"
	/** A Plus Code of fewer than ten digits, a cell of 275 m or more. */
	| "coarse plus code"
	/** An address code whose check digit does not fit. */
	| "mistyped code"
	/** Degrees beyond the world, whichever way round. */
	| "out of range"
	/** Degrees beyond the world that fit once they are exchanged. The caller asks: nothing is exchanged silently. */
	| "swapped";

/** What a pasted text says of a place: a point, an address code of this registry (`CCZZZZUUUUK`), or nothing, for a reason. */
export type PlaceText =
	| { kind: "point"; point: Point }
	| { kind: "code"; canonical: string }
	| {
			kind: "refused";
			reason: PlaceRefusal;
			/** Of `swapped`: the point the other way round. */
			exchanged?: Point;
			/** Of `short plus code`: the code, and what stands beside it, such as `Lagos, Nigeria`. */
			short?: ShortPlusCode;
	  };

/** A Plus Code without its first four characters, and the settlement beside it. */
export interface ShortPlusCode {
	code: string;
	settlement: string;
}

const openLocationCode = new OpenLocationCode();

function refused(reason: PlaceRefusal): PlaceText {
	return { kind: "refused", reason };
}

function judged(point: Point): PlaceText {
	const rounded = { lat: roundedDegrees(point.lat), lng: roundedDegrees(point.lng) };
	if (isInWorld(rounded)) return { kind: "point", point: rounded };
	const exchanged = { lat: rounded.lng, lng: rounded.lat };
	return isInWorld(exchanged) ? { kind: "refused", reason: "swapped", exchanged } : refused("out of range");
}

const NUMBER = String.raw`[+-]?\d+(?:\.\d+)?`;
const PAIR = new RegExp(String.raw`^(?:loc:|ll\.)?(${NUMBER})(?:\s*[,~]\s*|\s+)(${NUMBER})(?=$|[\s,(;@])`);

/** Two decimal numbers at the start of a text, latitude first, as parameters of links hold them. */
function pairAtStart(text: string | null | undefined): Point | undefined {
	const [, lat, lng] = PAIR.exec(text?.trim() ?? "") ?? [];
	return lat && lng ? { lat: Number(lat), lng: Number(lng) } : undefined;
}

/** A Plus Code, full or not, in a text that holds nothing but it or a town beside it. */
const PLUS_CODE = /(?:^|[\s/])([23456789CFGHJMPQRVWX]{2,8}0{0,6}\+[23456789CFGHJMPQRVWX]{0,7})(?=$|[\s,])/i;
const PLUS_CODE_DIGITS_MIN = 10;

function readPlusCode(text: string): PlaceText | undefined {
	const [, code] = PLUS_CODE.exec(text) ?? [];
	if (!code) return undefined;
	if (!openLocationCode.isFull(code)) {
		const settlement = text.replace(code, "").replace(/^[\s,+]+|(?<![\s,+])[\s,+]+$/g, "");
		return { kind: "refused", reason: "short plus code", ...(settlement ? { short: { code, settlement } } : {}) };
	}
	const { latitudeCenter, longitudeCenter, codeLength } = openLocationCode.decode(code);
	if (codeLength < PLUS_CODE_DIGITS_MIN) return refused("coarse plus code");
	return judged({ lat: latitudeCenter, lng: longitudeCenter });
}

/** The point of a short Plus Code, given a point near it: within about 50 km for one of four digits and the last ones. */
export function pointOfShortPlusCode(code: string, near: Point): Point {
	const { latitudeCenter, longitudeCenter } = openLocationCode.decode(
		openLocationCode.recoverNearest(code, near.lat, near.lng),
	);
	return { lat: roundedDegrees(latitudeCenter), lng: roundedDegrees(longitudeCenter) };
}

/** A `geo:` URI (RFC 5870). Android puts the place into `q` and 0,0 into the path. Undefined for another reference system than WGS 84. */
function readGeoUri(uri: string): Point | undefined {
	const [path = "", query = ""] = uri.slice("geo:".length).split("?");
	const [coordinates, ...parameters] = path.split(";");
	if (parameters.some((parameter) => /^crs=(?!wgs84$)/i.test(parameter))) return undefined;
	return pairAtStart(new URLSearchParams(query).get("q")) ?? pairAtStart(coordinates);
}

/** Services whose links hold the place in a form of their own that nobody else can read. */
const SHORT_LINK_HOSTS =
	/^(maps\.app\.goo\.gl|goo\.gl|g\.co|bit\.ly|tinyurl\.com|osm\.org|w3w\.co|what3words\.com|maps\.apple|wego\.here\.com|share\.here\.com)$/;

/** Parameters that hold a place, those of a pin before those of what the map shows. */
const PLACE_PARAMETERS = ["destination", "daddr", "query", "q", "coordinate", "to", "ll", "latlng", "center", "cp"];

function readParameters(url: URL): PlaceText | undefined {
	const { searchParams } = url;
	const [mlat, mlon] = [searchParams.get("mlat"), searchParams.get("mlon")];
	const marker = mlat && mlon ? pairAtStart(`${mlat},${mlon}`) : undefined;
	if (marker) return judged(marker);
	for (const name of PLACE_PARAMETERS) {
		const text = searchParams.get(name);
		const place = text && (pointOf(pairAtStart(text)) ?? readPlusCode(text) ?? pointOf(parseCoordinates(text)));
		if (place) return place;
	}
	return undefined;
}

function pointOf(point: Point | undefined): PlaceText | undefined {
	return point && judged(point);
}

/** A path as people read it: percent signs decoded, `+` as a space between the words of a search, but not inside a Plus Code. */
function decodedPath(url: URL): string {
	try {
		return decodeURIComponent(url.pathname);
	} catch {
		return url.pathname;
	}
}

/** Reads a link of Google, OpenStreetMap, Apple, Waze, Bing, plus.codes or this registry. */
function readLink(url: URL): PlaceText {
	const path = decodedPath(url);
	if (/\/a\/[^/]/.test(path)) return readCode(path.replace(LINK, "$1")) ?? refused("unreadable");
	// Google writes the pin as !3d<lat>!4d<lng>, and what the map shows as @<lat>,<lng>; the last pin is the place itself.
	const pin = [...url.href.matchAll(new RegExp(`!3d(${NUMBER})!4d(${NUMBER})`, "g"))].at(-1);
	if (pin) return judged({ lat: Number(pin[1]), lng: Number(pin[2]) });
	const parameter = readParameters(url);
	if (parameter) return parameter;
	const segments = path.split("/").filter(Boolean);
	for (const segment of segments) {
		const place = readPlusCode(segment) ?? pointOf(parseCoordinates(segment.replaceAll("+", " ")));
		if (place) return place;
	}
	const shown = pairAtStart(segments.find((segment) => segment.startsWith("@"))?.slice(1));
	if (shown) return judged(shown);
	const [, lat, lng] = new RegExp(`#map=[\\d.]+/(${NUMBER})/(${NUMBER})`).exec(url.href) ?? [];
	if (lat && lng) return judged({ lat: Number(lat), lng: Number(lng) });
	return refused(SHORT_LINK_HOSTS.test(url.hostname.replace(/^www\./, "")) ? "short link" : "unreadable");
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

/** Two decimal numbers of at least three places in the middle of a sentence. */
const PAIR_IN_SENTENCE =
	/(?:^|[^\d.])([+-]?\d{1,3}\.\d{3,})(?:[°\s]*[,;]\s*|[°\s]*\s)([+-]?\d{1,3}\.\d{3,})(?![\d.]|\s*[,;]\s*[+-]?\d)/g;

function readSentence(text: string): PlaceText | undefined {
	const [only, ...more] = text.matchAll(PAIR_IN_SENTENCE);
	return only && more.length === 0 ? judged({ lat: Number(only[1]), lng: Number(only[2]) }) : undefined;
}

/**
 * Reads a place that a person typed or pasted: coordinates in any usual spelling, a full Plus Code, a `geo:` URI, a link of a map
 * service, or an address code of this registry or the link of one. A link may stand inside a sentence. Nothing is fetched.
 */
export function readPlace(input: string): PlaceText {
	if (input.length > FIELD_UNITS_MAX) return refused("unreadable");
	const text = input.trim();
	if (!text) return refused("empty");
	const [link] = /\bhttps?:\/\/[^\s<>"]+/i.exec(text) ?? [];
	const bare =
		link ?? (/^(www\.|maps\.|goo\.gl|osm\.org|waze\.com)[^\s/]*\/\S*$/i.test(text) ? `https://${text}` : undefined);
	if (bare) return URL.canParse(bare) ? readLink(new URL(bare)) : refused("unreadable");
	const [geo] = /\bgeo:\S+/i.exec(text) ?? [];
	if (geo) return pointOf(readGeoUri(geo)) ?? refused("unreadable");
	return (
		readCode(text.includes("/a/") ? text.replace(LINK, "$1") : text) ??
		readPlusCode(text) ??
		pointOf(parseCoordinates(text)) ??
		readSentence(text) ??
		refused("unreadable")
	);
}
