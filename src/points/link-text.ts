/** Reads the place that a link holds. Nothing is fetched. */
import { LINK } from "../codes/code.ts";
import { type Point, parseCoordinates } from "./coordinate-text.ts";
import { type PlusCodePlace, readPlusCode } from "./plus-code-text.ts";

/** A service whose links differ from those of others. */
interface Service {
	/** Its hosts with all their subdomains, and the schemes of its application. */
	hosts: RegExp;
	/** Parameters that hold the longitude first; `/` stands for the path. */
	longitudeFirst?: readonly string[];
	/** Parameters for longitude and latitude whose names mean something else in other services. */
	axes?: readonly [lng: string, lat: string];
	/** Paths of links that only the service itself can open, unless they hold a point. */
	short?: RegExp;
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
	{ hosts: /(^|\.)mapy\.(com|cz)$/, axes: ["x", "y"], short: /^\/s\// },
	{ hosts: /(^|\.)2gis\.[a-z]{2,3}(\.[a-z]{2})?$|^dgis:$/, longitudeFirst: ["m", "center", "/"], short: /^/ },
];

const serviceOf = ({ hostname, protocol }: URL): Service | undefined =>
	SERVICES.find(({ hosts }) => hosts.test(hostname) || hosts.test(protocol));

/** Whether only the service of a link can open it. */
export function isShortLink(url: URL): boolean {
	return serviceOf(url)?.short?.test(url.pathname) ?? false;
}

/** Parameters that hold a place. Destinations and pins come before others. */
const PLACE_PARAMETERS = [
	...["destination", "daddr", "rtext", "rtp", "route", "endcoord", "whatshere[point]", "poi[point]", "pt", "pin"],
	...["marker", "sp", "query", "q", "coordinate", "coordinates", "to", "latlng", "cbll", "viewpoint", "point"],
	...["location", "loc"],
];
/** Parameters that hold the view of a map. */
const VIEW_PARAMETERS = ["ll", "center", "cp", "map", "m", "sll"];
/** Pairs of parameters that hold the latitude and the longitude. */
const AXES = [
	["mlat", "mlon"],
	["lat", "lon"],
	["lat", "lng"],
	["lat", "long"],
	["latitude", "longitude"],
	["lat_to", "lon_to"],
] as const;

const NUMBER = String.raw`[+-]?\d{1,3}(?:\.\d{1,30})?`;
const PAIR = new RegExp(
	String.raw`^(?:loc:|ll\.|pos\.|point\.)?(${NUMBER})(?:\s*[,~_]\s*|\s+)(${NUMBER})(?=$|[\s,(;@/_])`,
);

/** Two decimal numbers at the start of a text, latitude first, as parameters of links hold them. */
function pairAtStart(text: string | null | undefined): Point | undefined {
	const [, lat, lng] = PAIR.exec(text?.trim() ?? "") ?? [];
	return lat && lng ? { lat: Number(lat), lng: Number(lng) } : undefined;
}

/** The last stop of a parameter that may hold several: `a+to:b` of Google, `a~b` of Yandex and Bing, `a;b` of OpenStreetMap. */
function lastStop(name: string, text: string): string {
	const separator = { daddr: "to:", rtext: "~", rtp: "~", route: ";" }[name];
	return (separator && text.split(separator).at(-1)) ?? text;
}

/** The place that a part of a link gives: two numbers, a Plus Code, or coordinates in any spelling. */
function placeIn(text: string): LinkPlace | undefined {
	const point = pairAtStart(text);
	return point ? { point } : (readPlusCode(text) ?? wrap(parseCoordinates(text)));
}

const wrap = (point: Point | undefined): LinkPlace | undefined => point && { point };

/** The place that a link gives: a point, which may be out of range; text to be read as an address code; or an insufficient Plus Code. */
export type LinkPlace = PlusCodePlace | { code: string };

/** A parameter with its plus signs as written, because one may belong to a Plus Code. */
function writtenParameter(url: URL, name: string): string {
	const [, text = ""] =
		url.search
			.slice(1)
			.split("&")
			.map((pair) => pair.split("="))
			.find(([key]) => key === name) ?? [];
	return decoded(text);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function inParameter(url: URL, name: string, service: Service | undefined): LinkPlace | undefined {
	const text = url.searchParams.get(name);
	if (!text) return undefined;
	const place = placeIn(lastStop(name, text)) ?? readPlusCode(writtenParameter(url, name));
	return turnedIf(service?.longitudeFirst?.includes(name), place);
}

/** A place with its latitude and longitude exchanged, if `isTurned`. */
function turnedIf(isTurned: boolean | undefined, place: LinkPlace | undefined): LinkPlace | undefined {
	return isTurned && place && "point" in place ? { point: { lat: place.point.lng, lng: place.point.lat } } : place;
}

function inAxes({ searchParams }: URL, [latName, lngName]: readonly [string, string]): LinkPlace | undefined {
	const [lat, lng] = [searchParams.get(latName), searchParams.get(lngName)];
	return lat && lng ? wrap(pairAtStart(`${lat},${lng}`)) : undefined;
}

function firstOf<Item>(items: readonly Item[], read: (item: Item) => LinkPlace | undefined): LinkPlace | undefined {
	for (const item of items) {
		const place = read(item);
		if (place) return place;
	}
	return undefined;
}

/** The last pair of numbers in Google's `data` that matches a pattern, such as `!3d6.5!4d3.3` for a latitude and a longitude. */
function lastInData(url: URL, pattern: RegExp): { first: number; second: number } | undefined {
	const found = [...url.href.matchAll(pattern)].at(-1);
	return found && { first: Number(found[1]), second: Number(found[2]) };
}

const PIN = new RegExp(`!3d(${NUMBER})!4d(${NUMBER})`, "g");
/** The centre of an embedded map, longitude first. */
const EMBEDDED = new RegExp(`!2d(${NUMBER})!3d(${NUMBER})`, "g");
/** A stop of a route, longitude first. */
const STOP = new RegExp(`!2m2!1d(${NUMBER})!2d(${NUMBER})`, "g");

/** The path of a route up to its first stop. HERE uses `/r/`, and writes the name of a stop before a colon. */
const WAY = /^.*?\/(?:dir|directions(?:\/[a-z]+(?=\/.*:))?|r)(?:\/|$)/;

/** Two numbers at the start of a path segment, with the name of the place after them. */
const NAMED_PAIR = /^[+-]?\d{1,3}\.\d{2,30},[+-]?\d{1,3}\.\d{2,30},/;

/** The place in a path segment, where a plus sign stands for a space or belongs to a Plus Code. */
function inSegment(segment: string): LinkPlace | undefined {
	const text = segment.replaceAll("+", " ");
	const named = NAMED_PAIR.test(segment) ? pairAtStart(segment) : undefined;
	return readPlusCode(segment) ?? wrap(named ?? parseCoordinates(text));
}

/** The end of a route: the last stop of the path, or of the data if the path has only its name. */
function endOfWay(url: URL, path: string): LinkPlace | undefined {
	const stops = path.replace(WAY, "").split("/");
	if (stops.length > 2 && stops.at(-1) === "") stops.pop();
	const end = stops.findIndex((stop) => /^@|^data=/.test(stop));
	const last = (end < 0 ? stops : stops.slice(0, end)).at(-1) ?? "";
	const place = placeIn(last.replaceAll("+", " ")) ?? readPlusCode(last) ?? wrap(pairAtStart(last.split(":")[1]));
	const stop = lastInData(url, STOP);
	return place ?? (stop && { point: { lat: stop.second, lng: stop.first } });
}

/** The place that a link holds; undefined if it has none, or if only its service knows it. */
export function readLink(url: URL): LinkPlace | undefined {
	const path = decoded(url.pathname);
	if (/\/a\/[^/]/.test(path)) return { code: path.replace(LINK, "$1") };
	const service = serviceOf(url);
	const isWay = WAY.test(path);
	// Google writes the pin as !3d<lat>!4d<lng>, and the map view as @<lat>,<lng>; the last pin is the place itself.
	const pin = isWay ? undefined : lastInData(url, PIN);
	if (pin) return { point: { lat: pin.first, lng: pin.second } };
	const parameter =
		(service?.axes && inAxes(url, [service.axes[1], service.axes[0]])) ??
		inAxes(url, AXES[0]) ??
		firstOf(PLACE_PARAMETERS, (name) => inParameter(url, name, service)) ??
		firstOf(AXES.slice(1), (axes) => inAxes(url, axes));
	if (parameter) return parameter;
	const segments = path.split("/").filter(Boolean);
	const inPath = isWay
		? endOfWay(url, path)
		: turnedIf(service?.longitudeFirst?.includes("/"), firstOf(segments, inSegment));
	// A route with an unknown end gives no place, whatever the map shows.
	if (inPath || isWay) return inPath;
	const embedded = lastInData(url, EMBEDDED);
	if (embedded) return { point: { lat: embedded.second, lng: embedded.first } };
	const view =
		firstOf(VIEW_PARAMETERS, (name) => inParameter(url, name, service)) ??
		wrap(pairAtStart(segments.find((segment) => segment.startsWith("@"))?.slice(1)));
	if (view) return view;
	const [, lat, lng] = new RegExp(`^#(?:map=|marker=)?[\\d.]{1,10}/(${NUMBER})/(${NUMBER})`).exec(url.hash) ?? [];
	return lat && lng ? { point: { lat: Number(lat), lng: Number(lng) } } : undefined;
}

/**
 * The place of a `geo:` URI (RFC 5870). Android puts the place into `q`, and then writes a meaningless 0,0 in the path. Undefined for a
 * reference system other than WGS 84.
 */
export function readGeoUri(uri: string): LinkPlace | undefined {
	const [path = "", query = ""] = uri.slice("geo:".length).split("?");
	const [coordinates, ...parameters] = path.split(";");
	if (parameters.some((parameter) => /^crs=(?!wgs84$)/i.test(parameter))) return undefined;
	const asked = new URLSearchParams(query).get("q");
	const point = pairAtStart(coordinates);
	const isPlaceholder = asked !== null && point?.lat === 0 && point.lng === 0;
	const place = asked === null ? undefined : (wrap(pairAtStart(asked)) ?? readPlusCode(asked.replaceAll(" ", "+")));
	return place ?? (isPlaceholder ? undefined : wrap(point));
}
