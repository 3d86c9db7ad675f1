import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { regionalData, varietyOf } from "../languages/regional.ts";
import englishNames from "./country-names.json" with { type: "json" };

/** Names that have been asked for, by language and country. */
const knownNames = new Map<string, string>();
const displayNames = new Map<string, Intl.DisplayNames>();

/**
 * The English names of the countries in the zone index (ISO 3166-1 alpha-2, or XK), as the runtime of Workers knows them from the Unicode
 * CLDR.
 */
export const COUNTRY_NAMES: Readonly<Record<string, string>> = englishNames;

/** The name of a country in a language, from the runtime's CLDR. */
function displayName(country: string, language: string): string {
	const names = displayNames.get(language) ?? new Intl.DisplayNames([varietyOf(language)], { type: "region" });
	displayNames.set(language, names);
	return names.of(country) ?? country;
}

/**
 * The name of a country (ISO 3166-1 alpha-2, or XK for Kosovo) in a language (ISO 639-1). English names, which every answer of the API
 * has, come from a table, because the first use of Intl costs a new process 10 ms.
 */
export function countryName(country: string, language = "en"): string {
	if (country === SANDBOX_COUNTRY) return "Sandbox";
	const own = regionalData(language)?.countries[country];
	if (own !== undefined) return own;
	const key = `${language} ${country}`;
	const known = knownNames.get(key);
	if (known !== undefined) return known;
	const name = (language === "en" ? COUNTRY_NAMES[country] : undefined) ?? displayName(country, language);
	knownNames.set(key, name);
	return name;
}

/** How many zone numbers each country has: 0 to 9999. */
export const ZONE_NUMBERS = 10_000;

/** A zone number as it appears in a code: four digits, such as `1377`. */
export function zoneDigits(zone: number): string {
	return String(zone).padStart(4, "0");
}

/** The directions in which a zone may lie from the place it is named after, in the order of their numbers. */
export const DIRECTIONS: ReadonlyArray<{ name: string; north: number; east: number }> = [
	{ name: "north", north: 1, east: 0 },
	{ name: "north-east", north: 1, east: 1 },
	{ name: "east", north: 0, east: 1 },
	{ name: "south-east", north: -1, east: 1 },
	{ name: "south", north: -1, east: 0 },
	{ name: "south-west", north: -1, east: -1 },
	{ name: "west", north: 0, east: -1 },
	{ name: "north-west", north: 1, east: -1 },
];

/** Encodes where a zone lies from its place as one number: a direction, and the distance in kilometres, 0 for none. */
export function suffixOf(direction: number, kilometres: number): number {
	return 1 + direction + DIRECTIONS.length * kilometres;
}

/** A zone's name as people read it: "Ikorodu", "Ikorodu north-east" or, if other zones lie that way too, "Ikorodu 3 km north-east". */
export function zoneName(place: string, suffix: number): string {
	if (suffix === 0) return place;
	const { name } = DIRECTIONS[(suffix - 1) % DIRECTIONS.length]!;
	const kilometres = Math.floor((suffix - 1) / DIRECTIONS.length);
	return kilometres === 0 ? `${place} ${name}` : `${place} ${kilometres} km ${name}`;
}

/**
 * The words that say where a place is, narrowest first: its name, and its region unless one contains the other. Empty words are left out.
 * So "Lagos" follows "Surulere", but "Lagos Island" stands alone, and so does "Monaco" of the "Municipality of Monaco".
 */
export function placeWords(name: string, region: string): string[] {
	const isRepeated =
		name.startsWith(`${region}, `) || ` ${region} `.includes(` ${name} `) || name.startsWith(`${region} `);
	return (isRepeated ? [name] : [name, region]).filter((word) => word !== "");
}
