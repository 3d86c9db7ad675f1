import { lookUpAddresses, resolveAddress } from "../../addresses/actions.ts";
import { publicRequestOf } from "../../addresses/public-endpoints.ts";
import { parseCode } from "../../codes/code.ts";
import { unwrapped } from "../../codes/links.ts";
import { AppError } from "../../errors.ts";
import { presetCountry } from "../../forms/credentials.tsx";
import { type Failure, failureOf, fieldFailure } from "../../forms/failure.ts";
import type { Visit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import type { ShortPlusCode } from "../../points/location-result.ts";
import { readPastedLocation } from "../../points/pasted-location.ts";
import { pointOfShortPlusCode } from "../../points/plus-code-text.ts";
import type { Point } from "../../points/point.ts";
import { refusalText, shownPart } from "../../web/location-refusal.ts";
import { countryNamed, folded, isTerritoryOf } from "../../web/named-country.ts";
import { type NamedPlace, radiusOf } from "../../zones/locality.ts";
import { COUNTRY_NAMES } from "../../zones/naming.ts";
import { AREA_METRES } from "./draft.ts";

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

/** The parts of a text with a place. In capitals, an abbreviation needs no comma, as in `Birmingham MI`. */
function partsOf(text: string): string[] {
	return text
		.replace(/ (\p{Lu}{2,3})(?=\P{L}*$|,)/gu, ", $1")
		.split(/[,;،、\n]| \p{Pd} /u)
		.map((part) => part.trim().replace(/\.$/, ""))
		.filter(Boolean);
}

const countryIn = ({ c, locale }: Visit, text: string) => countryNamed(c.env, text, locale.language);

/**
 * The places that a text names, such as `Yaba market, Lagos`. They have the narrowest name in it that the gazetteer knows, and lie in the
 * region or city that it also names. The one with most people comes first. If the text names no country, that of `presetCountry` counts.
 */
async function settlementsNamed(visit: Visit, text: string): Promise<Settlement[]> {
	if (text.length > NAMED_UNITS_MAX) return [];
	const parts = partsOf(text);
	const named = await countryIn(visit, parts.at(-1) ?? "");
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
	const ofName = (name: string) => found.filter((place) => folded(place.former ?? place.name) === name);
	const narrowest = names.find((name) => ofName(name).length > 0) ?? "";
	const places = ofName(narrowest);
	const within = places.filter(({ region, city }) =>
		[region, city].some((wider) => folded(wider) !== narrowest && wanted.has(folded(wider))),
	);
	return (within.length > 0 ? within : places)
		.sort((a, b) => b.people - a.people)
		.map((place) => ({ ...place, country }));
}

/** A part with a digit and few letters: the postal code behind a town, a state or a country. */
const POSTAL_CODE = /^(?=\P{Nd}{0,5}\p{Nd})[\p{L}\p{Nd} -]{3,10}$/u;

/** Words that say what kind of region a name is of. Maps write them, and the gazetteer may leave them out. */
const KIND_OF_REGION =
	/ ?\b(state|county|province|region|district|department|governorate|prefecture|oblast|estado|provincia|departement|wilaya)\b( of| de)? ?/g;

const sameRegion = (one: string, other: string) => {
	const [first, second] = [one, other].map((name) => folded(name).replace(KIND_OF_REGION, ""));
	return first !== "" && first === second;
};

/** A text parted into what is beside a town: its country, what else stands behind its name, and whether a postal code does. */
interface Beside {
	country: string | undefined;
	wider: string[];
	hasPostalCode: boolean;
}

/** What stands behind the name of a town. A part that is itself a territory is the country, as in `San Juan, Puerto Rico, USA`. */
async function besideOf(visit: Visit, behind: readonly string[]): Promise<Beside> {
	const rest = behind.filter((part) => !POSTAL_CODE.test(part));
	let country = await countryIn(visit, rest.at(-1) ?? "");
	if (country) rest.pop();
	const wider: string[] = [];
	for (const part of rest) {
		const code = /^\p{Lu}{2}$/u.test(part) ? part : await countryIn(visit, part);
		if (country && code && isTerritoryOf(code, country)) country = code;
		else if (!country || code !== country) wider.push(part);
	}
	return { country, wider, hasPostalCode: rest.length + (country ? 1 : 0) < behind.length };
}

/** The likely names of a town in a part of a text, the longest first, each with the words behind it: `Hamilton` in `Hamilton Bermuda`. */
function townsIn(part: string): { name: string; behind: string[] }[] {
	const words = part.split(/\s+/).filter(Boolean).slice(0, NAMED_WORDS_MAX);
	return words.map((_, at) => {
		const length = words.length - at;
		const behind = words.slice(length).join(" ");
		return { name: words.slice(0, length).join(" "), behind: behind ? [behind] : [] };
	});
}

/**
 * The towns that the text beside a short Plus Code names. Unlike settlementsNamed, it leaves out nothing: a part that is neither a region
 * or city around the town nor its country is returned as unknown, because the code may mean a namesake on another continent.
 */
async function townNamed(visit: Visit, text: string): Promise<{ towns: Settlement[]; unknown?: string }> {
	if (text.length > NAMED_UNITS_MAX) return { towns: [] };
	const parts = partsOf(text);
	// The number of a house says that a part is a street.
	while (parts.length > 1 && /^\p{Nd}/u.test(parts[0]!)) parts.shift();
	const [first = "", ...others] = parts;
	let unknown: string | undefined;
	for (const { name, behind } of townsIn(first)) {
		const { country, wider, hasPostalCode } = await besideOf(visit, [...behind, ...others]);
		const short = wider.length > 0 && SHORT_NAME.test(wider.at(-1)!) ? wider.at(-1)!.toUpperCase() : undefined;
		const inCountry = country ?? presetCountry(visit);
		const tried = [{ country: inCountry, wider }];
		// What abbreviates no region may be the code of a country.
		if (!country && short && short in COUNTRY_NAMES) tried.push({ country: short, wider: wider.slice(0, -1) });
		for (const { country, wider } of tried) {
			if (!country) continue;
			const wanted = folded(name);
			const found = await visit.registry.zones.placesNamed(country, (other) => folded(other) === wanted);
			const isIn = (part: string, { region, city }: NamedPlace) =>
				[region, city].some((around) => sameRegion(part, around)) ||
				(part === wider.at(-1) && SHORT_NAME.test(part) && isShortFor(part, region));
			const towns = found.filter((place) => wider.every((part) => isIn(part, place)));
			// A postal code, or letters that stand for several regions, may mean the smaller of two namesakes.
			const isVague =
				hasPostalCode ||
				(short !== undefined && wider.length > 0 && new Set(towns.map(({ region }) => region)).size > 1);
			const largest = Math.max(...towns.map(({ people }) => people));
			const likely = towns.filter(({ people }) => isVague || people * MINOR_PART >= largest);
			if (likely.length > 0) return { towns: likely.map((place) => ({ ...place, country })) };
			if (found.length > 0) unknown ??= wider.find((part) => !found.some((place) => isIn(part, place)));
		}
	}
	return { towns: [], ...(unknown === undefined ? {} : { unknown }) };
}

/**
 * The point of a short Plus Code near a settlement, such as `G9FH+QM Lagos, Nigeria`, or the part of the text beside it that is not known.
 * Neither if no settlement has the name, or if several do and lead to different points.
 */
async function nearSettlement(
	visit: Visit,
	{ code, settlement, otherwise }: ShortPlusCode,
): Promise<{ point?: Point | undefined; unknown?: string }> {
	const { towns, unknown } = await townNamed(visit, settlement);
	for (const part of otherwise.length > NAMED_UNITS_MAX ? [] : otherwise.split(/[,;:،\n]/)) {
		const country = await countryIn(visit, part);
		if (country && towns.some((town) => town.country !== country)) return { unknown: part.trim() };
	}
	const [first, ...rest] = towns.map((place) => pointOfShortPlusCode(code, place));
	const isOne = rest.every(({ lat, lng }) => lat === first?.lat && lng === first.lng);
	return { point: isOne ? first : undefined, ...(unknown === undefined ? {} : { unknown }) };
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
	const place = readPastedLocation(entered);
	if (place.kind === "point") return { point: place.point, isOfCode: false };
	if (place.kind === "refused") {
		const { point, unknown } = place.short ? await nearSettlement(visit, place.short) : {};
		if (point) return { point, isOfCode: false };
		const settlements = place.reason === "unreadable" ? await settlementsNamed(visit, entered) : [];
		const { refused } = visit.words;
		const said = unknown ? fill(refused.unknownPart, { part: shownPart(unknown) }) : refusalText(place, refused);
		const failure = fieldFailure("place", said);
		return { failure, exchanged: place.exchanged, settlements: settlements.slice(0, OFFERED_MAX) };
	}
	try {
		const { c, registry, signedIn } = visit;
		const code = parseCode(place.canonical);
		const asked = publicRequestOf(c, code, unwrapped(entered));
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
