/** Reads the place that a link holds. Nothing is fetched. */
import { LINK } from "../codes/code.ts";
import { type Point, parseCoordinates } from "./coordinate-text.ts";
import { type PlusCodePlace, readPlusCode } from "./plus-code-text.ts";

/** A service whose links differ from those of others. */
interface Service {
	/** Its hosts, below each of which it may have others, and the schemes of its application. */
	hosts: RegExp;
	/** Parameters that hold the longitude first, and `/` where the path does. */
	longitudeFirst?: readonly string[];
	/** Parameters that hold longitude and latitude by names that mean something else elsewhere. */
	axes?: readonly [lng: string, lat: string];
	/** Paths of links that only the service itself can open, where they hold no point. */
	short?: RegExp;
}

/** The one table of hosts. Whatever is not in it writes the latitude first, as nearly all do. */
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

/** Parameters that hold a place, those of a pin or of where a way leads before others. */
const PLACE_PARAMETERS = [
	...["destination", "daddr", "rtext", "rtp", "route", "endcoord", "whatshere[point]", "poi[point]", "pt", "pin"],
	...["marker", "sp", "query", "q", "coordinate", "coordinates", "to", "latlng", "cbll", "viewpoint", "point"],
	...["location", "loc"],
];
/** Parameters that hold what a map shows. */
const VIEW_PARAMETERS = ["ll", "center", "cp", "map", "m", "sll"];
/** Names of latitude and longitude that are in two parameters. */
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

/** What a text of a link says: two numbers, a Plus Code, or coordinates of any spelling. */
function placeIn(text: string): LinkPlace | undefined {
	const point = pairAtStart(text);
	return point ? { point } : (readPlusCode(text) ?? wrap(parseCoordinates(text)));
}

const wrap = (point: Point | undefined): LinkPlace | undefined => point && { point };

/** What a link holds: a point, which may be out of the world, an entry that is read as a code, or a Plus Code that is not enough. */
export type LinkPlace = PlusCodePlace | { code: string };

/** A parameter as it was written, where a plus sign may be that of a Plus Code. */
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

/** A place whose numbers stand the other way round, as a point. */
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

/** The last pair of numbers that Google writes into its `data`, such as `!3d6.5!4d3.3`: latitude and longitude by their names there. */
function lastInData(url: URL, pattern: RegExp): { first: number; second: number } | undefined {
	const found = [...url.href.matchAll(pattern)].at(-1);
	return found && { first: Number(found[1]), second: Number(found[2]) };
}

const PIN = new RegExp(`!3d(${NUMBER})!4d(${NUMBER})`, "g");
/** The middle of a map that is embedded in a page. */
const EMBEDDED = new RegExp(`!2d(${NUMBER})!3d(${NUMBER})`, "g");
/** A stop of a way, with the longitude first. */
const STOP = new RegExp(`!2m2!1d(${NUMBER})!2d(${NUMBER})`, "g");

/** The path of a way up to its first stop, `/r/` with HERE, which writes the name of a stop before a colon. */
const WAY = /^.*?\/(?:dir|directions(?:\/[a-z]+(?=\/.*:))?|r)(?:\/|$)/;

/** Two numbers at the start of a part of a path, with the name of the place behind them. */
const NAMED_PAIR = /^[+-]?\d{1,3}\.\d{2,30},[+-]?\d{1,3}\.\d{2,30},/;

/** The place in a part of a path, in which a plus sign stands for a space or is that of a Plus Code. */
function inSegment(segment: string): LinkPlace | undefined {
	const text = segment.replaceAll("+", " ");
	const named = NAMED_PAIR.test(segment) ? pairAtStart(segment) : undefined;
	return readPlusCode(segment) ?? wrap(named ?? parseCoordinates(text));
}

/** Where a way leads: the last stop of the path, or of the data where that has only its name. */
function endOfWay(url: URL, path: string): LinkPlace | undefined {
	const stops = path.replace(WAY, "").split("/");
	if (stops.length > 2 && stops.at(-1) === "") stops.pop();
	const end = stops.findIndex((stop) => /^@|^data=/.test(stop));
	const last = (end < 0 ? stops : stops.slice(0, end)).at(-1) ?? "";
	const place = placeIn(last.replaceAll("+", " ")) ?? readPlusCode(last) ?? wrap(pairAtStart(last.split(":")[1]));
	const stop = lastInData(url, STOP);
	return place ?? (stop && { point: { lat: stop.second, lng: stop.first } });
}

/** The place that a link holds; undefined where it has none, or only its service knows it. */
export function readLink(url: URL): LinkPlace | undefined {
	const path = decoded(url.pathname);
	if (/\/a\/[^/]/.test(path)) return { code: path.replace(LINK, "$1") };
	const service = serviceOf(url);
	const isWay = WAY.test(path);
	// Google writes the pin as !3d<lat>!4d<lng>, and what the map shows as @<lat>,<lng>; the last pin is the place itself.
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
	// A way whose end is not known leads nowhere, whatever the map shows.
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
 * A `geo:` URI (RFC 5870). Android puts a place into `q`, beside 0,0 in the path, which then is none. Undefined for another reference
 * system than WGS 84.
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
