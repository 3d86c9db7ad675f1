import { lookUpAddresses, resolveAddress } from "../../addresses/actions.ts";
import { askedPublicly } from "../../addresses/public-endpoints.ts";
import { parseCode } from "../../codes/code.ts";
import { unwrapped } from "../../codes/links.ts";
import { AppError } from "../../errors.ts";
import { presetCountry } from "../../forms/credentials.tsx";
import { type Failure, failureOf, fieldFailure } from "../../forms/failure.ts";
import type { Visit } from "../../forms/visit.ts";
import type { ShortPlusCode } from "../../points/place.ts";
import { readPlace } from "../../points/place-text.ts";
import { pointOfShortPlusCode } from "../../points/plus-code-text.ts";
import type { Point } from "../../points/point.ts";
import { refusalText } from "../../web/place-refusal.ts";
import { type NamedPlace, radiusOf } from "../../zones/locality.ts";
import { COUNTRY_NAMES, countryName } from "../../zones/naming.ts";
import { AREA_METRES } from "./draft.ts";

/**
 * A name in the form in which names are compared: in lower case, without accents, apostrophes or other marks, without a leading article,
 * with "and" for "&" and "saint" for a leading "st".
 */
function folded(name: string): string {
	return name
		.normalize("NFD")
		.toLowerCase()
		.replaceAll("&", " and ")
		.replace(/[^\p{L}\p{Nd} -]/gu, "")
		.replace(/[ -]+/g, " ")
		.trim()
		.replace(/^the /, "")
		.replace(/^st /, "saint ");
}

/** What people and maps call countries, besides the names in the Unicode CLDR. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
	AE: ["uae", "emirates"],
	BA: ["bosnia"],
	CD: ["democratic republic of the congo", "democratic republic of congo", "dr congo", "drc", "congo drc", "rdc"],
	CF: ["car"],
	CG: ["republic of the congo", "republic of congo", "congo"],
	CI: ["ivory coast"],
	CV: ["cabo verde"],
	CZ: ["czech republic"],
	FM: ["federated states of micronesia"],
	GB: ["uk", "great britain", "england", "scotland", "wales", "northern ireland"],
	GN: ["guinea conakry"],
	GQ: ["equatorial guinea"],
	HK: ["hong kong sar"],
	KP: ["democratic peoples republic of korea"],
	KR: ["republic of korea", "korea"],
	LA: ["lao pdr"],
	MK: ["macedonia"],
	MM: ["burma", "myanmar"],
	MO: ["macau"],
	NL: ["holland"],
	PS: ["palestinian territories", "state of palestine"],
	RU: ["russian federation"],
	SY: ["syrian arab republic"],
	SZ: ["swaziland"],
	TL: ["east timor"],
	TR: ["turkey"],
	TZ: ["united republic of tanzania"],
	US: ["usa", "us", "united states of america", "america"],
	VA: ["holy see"],
	VN: ["viet nam"],
};

/** The country that a text names, in English, in the visitor's language or by another common name. */
function countryNamed(text: string, language: string): string | undefined {
	const wanted = folded(text);
	const isNamed = (code: string) =>
		folded(countryName(code)) === wanted ||
		folded(countryName(code, language)) === wanted ||
		OTHER_NAMES[code]?.includes(wanted);
	return wanted ? Object.keys(COUNTRY_NAMES).find(isNamed) : undefined;
}

/** The longest text, in UTF-16 units, and the most words of each of its parts, in which places are looked up by name. */
const NAMED_UNITS_MAX = 120;
const NAMED_WORDS_MAX = 8;
/** The worst accuracy, in metres, that the centre of a settlement is given. */
const AREA_METRES_MAX = 10_000;
/** The most places that are offered for a text. */
const OFFERED_MAX = 4;
/** A place with less than this fraction (1/5) of the people of its largest namesake is not meant by the name alone. */
const MINOR_PART = 5;

/** A place that a text names, with the country it was looked for in. */
export interface Settlement extends NamedPlace {
	country: string;
}

/** The accuracy of a settlement's centre as a point for a gate in it, in metres. */
export function areaMetres({ people }: Settlement): number {
	return Math.round(Math.min(AREA_METRES_MAX, Math.max(AREA_METRES, radiusOf(people))));
}

/** The name by which people tell a settlement from others, with the city that it is part of. */
export function titleOf({ name, city }: Settlement): string {
	return city && !name.includes(city) ? `${name}, ${city}` : name;
}

/** A part of an address that is not a name but an abbreviation of a region or country: `MI`, `KE`. */
const SHORT_NAME = /^\p{L}{2,3}$/u;

/** Whether letters can abbreviate a region's name: they occur in it in order, the first at its start, as in `MI` for Michigan. */
function isShortFor(short: string, region: string): boolean {
	const name = folded(region).replaceAll(" ", "");
	let at = -1;
	return [...folded(short)].every((letter, index) => {
		at = name.indexOf(letter, at + 1);
		return index === 0 ? at === 0 : at > 0;
	});
}

/** Names that a part of a text may hold, the likeliest first: all of it, its first words, as in `Yaba market`, then its last words. */
function namesIn(part: string): string[] {
	const words = folded(part).split(" ").filter(Boolean).slice(0, NAMED_WORDS_MAX);
	const firstWords = words.map((_, at) => words.slice(0, words.length - at).join(" "));
	const lastWords = words.slice(1).map((_, at) => words.slice(at + 1).join(" "));
	return [...firstWords, ...lastWords];
}

/**
 * The places that a text names, such as `Yaba market, Lagos`. They have the narrowest name in it that the gazetteer knows, and lie in the
 * region or city that it also names. The one with most people comes first. If the text names no country, that of `presetCountry` counts.
 */
async function settlementsNamed(visit: Visit, text: string): Promise<Settlement[]> {
	if (text.length > NAMED_UNITS_MAX) return [];
	// In capitals, an abbreviation needs no comma, as in `Birmingham MI`.
	const written = text.replace(/ (\p{Lu}{2,3})(?=\P{L}*$|,)/gu, ", $1");
	const parts = written
		.split(/[,;،、\n]/)
		.map((part) => part.trim().replace(/\.$/, ""))
		.filter(Boolean);
	const named = countryNamed(parts.at(-1) ?? "", visit.locale.language);
	if (named) parts.pop();
	const short = parts.length > 1 && SHORT_NAME.test(parts.at(-1)!) ? parts.pop() : undefined;
	const country = named ?? presetCountry(visit);
	const inCountry = country ? await placesIn(visit, country, parts) : [];
	if (short === undefined) return inCountry;
	const inRegion = inCountry.filter(({ region }) => isShortFor(short, region));
	const code = short.toUpperCase();
	// If it abbreviates no region, it is a country's code or something unknown. The unknown is not left out silently.
	return inRegion.length > 0 || named || !(code in COUNTRY_NAMES) ? inRegion : placesIn(visit, code, parts);
}

/** The places in a country (ISO 3166-1 alpha-2) that the parts of a text name. */
async function placesIn(visit: Visit, country: string, parts: readonly string[]): Promise<Settlement[]> {
	const names = [...new Set(parts.flatMap(namesIn))];
	if (names.length === 0) return [];
	const wanted = new Set(names);
	const found = await visit.registry.zones.placesNamed(country, (name) => wanted.has(folded(name)));
	const ofName = (name: string) => found.filter((place) => folded(place.name) === name);
	const narrowest = names.find((name) => ofName(name).length > 0) ?? "";
	const places = ofName(narrowest);
	const within = places.filter(({ region, city }) =>
		[region, city].some((wider) => folded(wider) !== narrowest && wanted.has(folded(wider))),
	);
	return (within.length > 0 ? within : places)
		.sort((a, b) => b.people - a.people)
		.map((place) => ({ ...place, country }));
}

/**
 * The point of a short Plus Code near a settlement, such as `G9FH+QM Lagos, Nigeria`. Undefined if no settlement has the name, or if
 * several do and lead to different points.
 */
async function nearSettlement(visit: Visit, { code, settlement }: ShortPlusCode) {
	const places = await settlementsNamed(visit, settlement);
	const [first, ...rest] = places
		.filter(({ people }) => people * MINOR_PART >= places[0]!.people)
		.map((place) => pointOfShortPlusCode(code, place));
	return rest.every(({ lat, lng }) => lat === first?.lat && lng === first.lng) ? first : undefined;
}

/**
 * Where a pasted text says that a place is. Otherwise, what is wrong with it, the point with latitude and longitude swapped if that is
 * valid, and the places that it names.
 */
type FoundPlace =
	| { point: Point; isOfCode: boolean }
	| { failure: Failure; exchanged?: Point | undefined; settlements?: Settlement[] };

/**
 * Finds the place that a pasted text names: by its coordinates, by the address of its code, or near the settlement of a short Plus Code.
 */
export async function findPlace(visit: Visit, entered: string): Promise<FoundPlace> {
	const place = readPlace(entered);
	if (place.kind === "point") return { point: place.point, isOfCode: false };
	if (place.kind === "refused") {
		const point = place.short && (await nearSettlement(visit, place.short));
		if (point) return { point, isOfCode: false };
		const settlements = place.reason === "unreadable" ? await settlementsNamed(visit, entered) : [];
		const failure = fieldFailure("place", refusalText(place, visit.words.refused));
		return { failure, exchanged: place.exchanged, settlements: settlements.slice(0, OFFERED_MAX) };
	}
	try {
		const { c, registry, signedIn } = visit;
		const code = parseCode(place.canonical);
		const asked = askedPublicly(c, code, unwrapped(entered));
		// A visitor who is not signed in learns what is public, and one with a link what the link shows. An agent is not about to visit.
		const [found] =
			signedIn && !asked.share
				? await lookUpAddresses(registry, signedIn.caller, [code.canonical])
				: [(await resolveAddress(registry, asked)).address];
		if (!found || found instanceof AppError) throw found;
		return { point: found, isOfCode: true };
	} catch (error) {
		return { failure: { ...failureOf(visit, error), field: "place" } };
	}
}
