/** Reads the location that a link holds. Nothing is fetched. */
import { MINUS_WORD, markOf, parseCoordinates } from "./coordinate-text.ts";
import { locationAt, locationOfCode, type PastedLocation, refused } from "./location-result.ts";
import { readPlusCode } from "./plus-code-text.ts";
import { exchanged, matchedPoint } from "./point.ts";

/** The names of the parameters for the latitude and the longitude. */
type Axes = readonly [lat: string, lng: string];

/** A service whose links differ from those of others. */
interface Service {
	/** Its hosts with all their subdomains, and the schemes of its application. */
	hosts: RegExp;
	/** Parameters that hold the longitude first; `/` stands for the path. */
	longitudeFirst?: readonly string[];
	/** Parameters for latitude and longitude whose names mean something else in other services. */
	axes?: Axes;
	/** Paths of links that only the service itself can open, unless they hold a point. */
	short?: RegExp;
	/** Whether its numbers are in the datum of Chinese maps (BD-09 or GCJ-02), over 500 m off, unless a parameter says WGS 84. */
	isOffset?: true;
}

/** The only table of hosts. Services that are not in it write the latitude first, as nearly all do. */
const SERVICES: readonly Service[] = [
	{
		hosts:
			/(^|\.)(maps\.app\.goo\.gl|goo\.gl|g\.co|g\.page|share\.google|bit\.ly|t\.co|is\.gd|tinyurl\.com|rb\.gy|cutt\.ly|s\.id|w3w\.co|what3words\.com)$/,
		short: /^/,
	},
	{ hosts: /(^|\.)google\.[a-z]{2,3}(\.[a-z]{2})?$/, short: /^\/$|^\/maps(\/|$)/ },
	{ hosts: /(^|\.)(osm\.org|openstreetmap\.org)$/, short: /^\/(go|node|way|relation)\// },
	{
		hosts:
			/(^|\.)(maps\.apple(\.com)?|(share|wego)\.here\.com|her\.is|omaps\.app|comaps\.at|ge0\.me)$|^(om|ge0|cm|maps|comgooglemaps|waze):$/,
		short: /^/,
	},
	{
		hosts: /(^|\.)yandex\.[a-z]{2,3}(\.[a-z]{2})?$|^yandex(maps|navi):$/,
		longitudeFirst: ["ll", "pt", "whatshere[point]", "poi[point]", "sll"],
		short: /^\/maps(\/|$)/,
	},
	{ hosts: /(^|\.)waze\.com$/, short: /^\/(ul|live-map)(\/|$)/ },
	{ hosts: /(^|\.)mapy\.(com|cz)$/, axes: ["y", "x"], short: /^\/s\// },
	{
		hosts: /(^|\.)(map\.baidu\.com|amap\.com|map\.qq\.com)$|^(baidumap|bdapp|androidamap|iosamap|amapuri|qqmap):$/,
		isOffset: true,
	},
	{ hosts: /(^|\.)2gis\.[a-z]{2,3}(\.[a-z]{2})?$|^dgis:$/, longitudeFirst: ["m", "center", "/"], short: /^/ },
];

const serviceOf = ({ hostname, protocol }: URL): Service | undefined =>
	SERVICES.find(({ hosts }) => hosts.test(hostname) || hosts.test(protocol));

/** Whether only the service of a link can open it. */
export function isShortLink(url: URL): boolean {
	return serviceOf(url)?.short?.test(url.pathname) ?? false;
}

/** Parameters that hold a location. Destinations and pins come before others. */
const PLACE_PARAMETERS = [
	...["destination", "daddr", "rtext", "rtp", "route", "endcoord", "whatshere[point]", "poi[point]", "pt", "pin"],
	...["marker", "sp", "query", "q", "coordinate", "coordinates", "to", "latlng", "cbll", "viewpoint", "point"],
	...["location", "loc", "text", "params", "lonlats", "lonlat", "lnglat", "wps"],
];
/** Those that hold the longitude first in every service. */
const LONGITUDE_FIRST = ["lonlats", "lonlat", "lnglat", "wps"];
/** Parameters that hold the view of a map. */
const VIEW_PARAMETERS = ["ll", "center", "cp", "map", "m", "sll"];
/** The parameters for latitude and longitude of a pin, which come before all others. */
const PIN_AXES: Axes = ["mlat", "mlon"];

/** A parameter for a latitude: `lat`, `destination_lat`, `dropoff[latitude]`, `lat_to`. */
const LATITUDE = /^(.*?)(lat|latitude)((?:_?(?:to|from|start|end)|\d{1,2})?\]?)$/i;
/** What such a parameter says beside its axis: nothing or a number, the end of a way, its start, or the middle of a map. */
const ROLES: [role: "place" | "end" | "start" | "view", words: RegExp][] = [
	["start", /pick|from|start|orig|so?u?rc|depart|^s$/i],
	["end", /drop|dest|end|arriv|goal|target|^d$|^to|(?:[^a-z]|[a-z](?=T))to/i],
	["view", /^(?:c|cen\w*|map\w*|view\w*)\W?$/i],
	["place", /^\d*$/],
];

const NUMBER = String.raw`[+-]?\d{1,3}(?:\.\d{1,30})?`;
const LAT = `(?<lat>${NUMBER})`;
const LNG = `(?<lng>${NUMBER})`;
const PAIR = new RegExp(String.raw`^(?:loc:|ll\.|pos\.|point\.)?${LAT}(?:\s*[,~_]\s*|\s+)${LNG}(?=$|[\s,(;@/_])`);

/** A word behind two numbers that could change them: of minus, of an axis or a hemisphere. A name in brackets is that of the place. */
function unclearBehind(rest: string): string | undefined {
	const [, word = ""] = /^[\s,;]{0,9}(\p{L}[\p{L}\p{M}]{0,20})(?![\p{L}\p{M}])/u.exec(rest.toLowerCase()) ?? [];
	return markOf(word) || MINUS_WORD.test(word) ? word : undefined;
}

/** The location of two decimal numbers at the start of a text, as parameters of links hold them. */
function pairAtStart(text: string | null | undefined, isLongitudeFirst = false): PastedLocation | undefined {
	const written = text?.trim() ?? "";
	const match = PAIR.exec(written);
	const point = matchedPoint(match);
	if (!match || !point) return undefined;
	const part = unclearBehind(written.slice(match[0].length));
	if (part) return { kind: "refused", reason: "unclear part", part };
	return locationAt(isLongitudeFirst ? exchanged(point) : point);
}

/** The last stop of a parameter that may hold several: `a+to:b` of Google, `a~b` of Yandex and Bing, `a;b` of OpenStreetMap. */
function lastStop(name: string, text: string): string {
	if (name === "wps") return text.split(",").slice(-2).join(",");
	const separator = { daddr: "to:", rtext: "~", rtp: "~", route: ";", lonlats: ";" }[name];
	return (separator && text.split(separator).at(-1)) ?? text;
}

/** Degrees with underscores between their parts, as Wikipedia's GeoHack writes them: `1_17_31.6_S_36_49_19_E_type:city`. */
const UNDERSCORES =
	/^(\d{1,3}(?:\.\d{1,20})?(?:_\d{1,2}(?:\.\d{1,20})?){0,2}_[NS])_(\d{1,3}(?:\.\d{1,20})?(?:_\d{1,2}(?:\.\d{1,20})?){0,2}_[EWO])(?:_|$)/i;

/** The same in the signs of degrees, minutes and seconds. */
const withSigns = (angle: string) =>
	angle.split("_").reduce((said, part, index) => said + "°'\"".charAt(index - 1) + part);

/** The location that a part of a link gives: two numbers, a Plus Code, or coordinates in any spelling. */
function locationIn(text: string): PastedLocation | undefined {
	const [, lat, lng] = UNDERSCORES.exec(text) ?? [];
	if (lat && lng) return locationAt(parseCoordinates(`${withSigns(lat)} ${withSigns(lng)}`));
	const pair = pairAtStart(text);
	// Brackets hold the hemispheres or the name of the place.
	const whole = text.includes("(") ? locationAt(parseCoordinates(text)) : undefined;
	if (whole) return whole;
	return pair?.kind === "point" ? pair : (readPlusCode(text) ?? locationAt(parseCoordinates(text)) ?? pair);
}

/** Names of the parameters that a route repeats for each stop: GraphHopper's, OSRM's, and Komoot's `p[0][loc]`. */
const STOPS = /^(?:point|loc|p\[\d{1,3}\]\[loc\])$/;

/** The end of a route whose parameters repeat for each stop; undefined for other links. Its location is undefined if it is not known. */
function endOfStops({ searchParams }: URL): { location: PastedLocation | undefined } | undefined {
	const stops = [...searchParams].filter(([name]) => STOPS.test(name));
	const isRoute = stops.length > 1 || stops[0]?.[0].startsWith("p[");
	return isRoute ? { location: locationIn(stops.at(-1)![1]) } : undefined;
}

/** A parameter with its plus signs as written, because one may belong to a Plus Code. */
function writtenParameter(url: URL, name: string): string {
	const [, text = ""] =
		url.search
			.slice(1)
			.split("&")
			.map((pair) => pair.split("="))
			.findLast(([key]) => key === name) ?? [];
	return decoded(text);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function inParameter(url: URL, name: string, service: Service | undefined): PastedLocation | undefined {
	const texts = url.searchParams.getAll(name);
	const text = texts.at(-1);
	if (!text) return undefined;
	const stop = lastStop(name, text);
	const isLongitudeFirst = LONGITUDE_FIRST.includes(name) || service?.longitudeFirst?.includes(name);
	const location = isLongitudeFirst
		? pairAtStart(stop, true)
		: (locationIn(stop) ?? readPlusCode(writtenParameter(url, name)));
	// A parameter that is repeated for each stop ends with the last, even if that is not known.
	return location ?? (texts.length > 1 ? refused("unreadable") : undefined);
}

/** The parameters of a link. Those of an object in JSON have the names that a form would give them: `drop[0][latitude]`. */
function parametersOf({ searchParams }: URL): [name: string, value: string][] {
	return [...searchParams].flatMap(([name, value]): [string, string][] => {
		if (!value.startsWith("{")) return [[name, value]];
		try {
			return Object.entries(JSON.parse(value)).map(([key, inner]) => [`${name}[${key}]`, String(inner)]);
		} catch {
			return [[name, value]];
		}
	});
}

/** The last location that pairs of parameters for latitude and longitude give in one of some roles, of which the first comes first. */
function inNamedAxes(url: URL, ...roles: (typeof ROLES)[number][0][]): PastedLocation | undefined {
	const parameters = parametersOf(url);
	// The last of a name stands.
	const values = new Map(parameters.map(([name, value]) => [name.toLowerCase(), value]));
	const found = parameters.flatMap(([name, lat]) => {
		const [, before = "", axis, behind = ""] = LATITUDE.exec(name) ?? [];
		if (!axis) return [];
		const others = /e$/i.test(axis) ? ["longitude"] : ["lng", "lon", "long"];
		const [lng] = others.flatMap((other) => values.get((before + other + behind).toLowerCase()) ?? []);
		const said = before.replace(/\[$/, "") + behind.replace(/\]$/, "");
		const role = ROLES.find(([, words]) => words.test(said))?.[0];
		return lng !== undefined && role ? [{ role, lat, lng }] : [];
	});
	const last = roles.map((wanted) => found.findLast(({ role }) => role === wanted)).find(Boolean);
	return last && (pairAtStart(`${last.lat},${last.lng}`) ?? refused("unreadable"));
}

function inAxes({ searchParams }: URL, [latName, lngName]: Axes): PastedLocation | undefined {
	const [lat, lng] = [latName, lngName].map((name) => searchParams.getAll(name).at(-1));
	return lat && lng ? pairAtStart(`${lat},${lng}`) : undefined;
}

function firstOf<Item>(
	items: readonly Item[],
	read: (item: Item) => PastedLocation | undefined,
): PastedLocation | undefined {
	for (const item of items) {
		const location = read(item);
		if (location) return location;
	}
	return undefined;
}

/** The last point in Google's `data` that matches a pattern. */
const lastInData = (url: URL, pattern: RegExp) => locationAt(matchedPoint([...url.href.matchAll(pattern)].at(-1)));

/** A pin. */
const PIN = new RegExp(`!3d${LAT}!4d${LNG}`, "g");
/** The centre of an embedded map. */
const EMBEDDED = new RegExp(`!2d${LNG}!3d${LAT}`, "g");
/** A stop of a route. */
const STOP = new RegExp(`!2m2!1d${LNG}!2d${LAT}`, "g");

/** The zoom and the middle of the map in a fragment, as OpenStreetMap and others write them. */
const FRAGMENT = new RegExp(`^#(?:map=|marker=)?[\\d.]{1,10}/${LAT}/${LNG}`);

/** The path of a route up to its first stop. HERE uses `/r/`, and writes the name of a stop before a colon. */
const WAY = /^.*?\/(?:dir|directions(?:\/[a-z]+(?=\/.*:))?|r)(?:\/|$)/;

/** Two numbers at the start of a path segment, with the name of the place after them. */
const NAMED_PAIR = /^[+-]?\d{1,3}\.\d{2,30},[+-]?\d{1,3}\.\d{2,30},/;

/** The location in a path segment, where a plus sign stands for a space or belongs to a Plus Code. */
function inSegment(segment: string): PastedLocation | undefined {
	const named = NAMED_PAIR.test(segment) ? pairAtStart(segment) : undefined;
	return readPlusCode(segment) ?? named ?? locationAt(parseCoordinates(segment.replaceAll("+", " ")));
}

/** The end of a route: the last stop of the path, or of the data if the path has only its name. */
function endOfWay(url: URL, path: string): PastedLocation | undefined {
	const stops = path.replace(WAY, "").split("/");
	if (stops.length > 2 && stops.at(-1) === "") stops.pop();
	const end = stops.findIndex((stop) => /^@|^data=/.test(stop));
	const last = (end < 0 ? stops : stops.slice(0, end)).at(-1) ?? "";
	return (
		locationIn(last.replaceAll("+", " ")) ??
		readPlusCode(last) ??
		pairAtStart(last.split(":")[1]) ??
		lastInData(url, STOP)
	);
}

/** The location that the parameters of a link give, the view of its map left out. */
const inParameters = (url: URL, service: Service | undefined) =>
	(service?.axes && inAxes(url, service.axes)) ??
	inAxes(url, PIN_AXES) ??
	firstOf(PLACE_PARAMETERS, (name) => inParameter(url, name, service)) ??
	inNamedAxes(url, "end", "place");

/** A link with the parameters behind its `#` as its query: `#lat=1&lon=2`, `#/map?lat=1`. Undefined if it has none. */
function behindHash(url: URL): URL | undefined {
	const parameters = url.hash.replace(/^#[^?=]*\?|^#[!/]{0,3}/, "");
	if (!parameters.includes("=")) return undefined;
	const link = new URL(url);
	link.hash = "";
	link.search = parameters;
	return link;
}

/** Parameters that name the datum of the numbers, and how they name WGS 84. */
const DATUM = /^(?:coord_?(?:type|sys)|datum|crs|srs)$/i;
const WGS_84 = /wgs[ _-]?84|4326|crs:?84/i;

/** The location that a link holds; undefined if it has none, or if only its service knows it. */
export function readLink(url: URL): PastedLocation | undefined {
	const path = decoded(url.pathname);
	if (/\/a\/[^/]/.test(path)) return locationOfCode(path);
	const service = serviceOf(url);
	const datum = [...url.searchParams].findLast(([name]) => DATUM.test(name))?.[1];
	if (datum === undefined ? service?.isOffset : !WGS_84.test(datum)) return refused("other notation");
	const fragment = behindHash(url);
	const stops = endOfStops(url) ?? (fragment && endOfStops(fragment));
	if (stops) return stops.location;
	const isWay = WAY.test(path);
	const segments = path.split("/").filter(Boolean);
	const ofPlace =
		// Google writes the pin as !3d<lat>!4d<lng>, and the map view as @<lat>,<lng>; the last pin is the location itself.
		(isWay ? undefined : lastInData(url, PIN)) ??
		inParameters(url, service) ??
		(fragment && inParameters(fragment, service));
	// A route with an unknown end gives no location, whatever the map shows.
	if (ofPlace || isWay) return ofPlace ?? endOfWay(url, path);
	const isLongitudeFirst = service?.longitudeFirst?.includes("/");
	return (
		firstOf(segments, isLongitudeFirst ? (segment) => pairAtStart(segment, true) : inSegment) ??
		lastInData(url, EMBEDDED) ??
		firstOf(
			[url, fragment ?? []].flat(),
			(each) => firstOf(VIEW_PARAMETERS, (name) => inParameter(each, name, service)) ?? inNamedAxes(each, "view"),
		) ??
		pairAtStart(segments.find((segment) => segment.startsWith("@"))?.slice(1)) ??
		locationAt(matchedPoint(FRAGMENT.exec(url.hash)))
	);
}

/**
 * The location of a `geo:` URI (RFC 5870). Android puts it into `q`, and then writes a meaningless 0,0 in the path. Undefined for a
 * reference system other than WGS 84.
 */
export function readGeoUri(uri: string): PastedLocation | undefined {
	const [path = "", query = ""] = uri.replace(/^(?:geo:)+/i, "").split("?");
	// The GEO of a vCard 3.0 (RFC 2426, 3.4.2) and of iCalendar (RFC 5545, 3.8.1.6) has a semicolon between its numbers.
	if (/^[+-]?[\d.]+;[+-]?[\d.]+$/.test(path)) return pairAtStart(path.replace(";", ","));
	const [coordinates, ...parameters] = path.split(";");
	if (parameters.some((parameter) => /^crs=(?!wgs84$)/i.test(parameter))) return undefined;
	const asked = new URLSearchParams(query).get("q");
	const location = pairAtStart(asked) ?? readPlusCode(asked?.replaceAll(" ", "+") ?? "");
	const isPlaceholder = asked !== null && /^[+-]?0(?:\.0+)?,[+-]?0(?:\.0+)?$/.test(coordinates ?? "");
	return location ?? (isPlaceholder ? undefined : pairAtStart(coordinates));
}
