/** Names by language and country, because asking Intl costs a hundred times as much as looking here. */
const countryNames = new Map<string, string>();
const displayNames = new Map<string, Intl.DisplayNames>();

/** The name of a country (ISO 3166-1 alpha-2, or XK for Kosovo) in a language (ISO 639-1), from the runtime's CLDR. */
export function countryName(country: string, language = "en"): string {
	const key = `${language} ${country}`;
	const known = countryNames.get(key);
	if (known !== undefined) return known;
	const names = displayNames.get(language) ?? new Intl.DisplayNames([language], { type: "region" });
	displayNames.set(language, names);
	const name = names.of(country) ?? country;
	countryNames.set(key, name);
	return name;
}

/** How many zone numbers each country has: 0 to 9999. */
export const ZONE_NUMBERS = 10_000;

/** A zone number as it appears in a code: four digits, such as `0311`. */
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

/** Where a zone lies from its place, as one number: a direction and the distance in tenths of a kilometre, 0 for none. */
export function suffixOf(direction: number, tenthsOfKilometre: number): number {
	return 1 + direction + DIRECTIONS.length * tenthsOfKilometre;
}

/** A zone's name as people read it: "Ikorodu", "Ikorodu north-east" or, where others lie there too, "Ikorodu 3 km north-east". */
export function zoneName(place: string, suffix: number): string {
	if (suffix === 0) return place;
	const { name } = DIRECTIONS[(suffix - 1) % DIRECTIONS.length]!;
	const tenths = Math.floor((suffix - 1) / DIRECTIONS.length);
	return tenths === 0 ? `${place} ${name}` : `${place} ${tenths / 10} km ${name}`;
}
