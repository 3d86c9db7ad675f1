const countryNames = new Map<string, Intl.DisplayNames>();

/** The name of a country (ISO 3166-1 alpha-2, or XK for Kosovo) in a language (ISO 639-1), from the runtime's CLDR. */
export function countryName(country: string, language = "en"): string {
	const names = countryNames.get(language) ?? new Intl.DisplayNames([language], { type: "region" });
	countryNames.set(language, names);
	return names.of(country) ?? country;
}

/** Zone numbers that a country has: 0 to one less. */
export const ZONE_NUMBERS = 10_000;

/** A zone number as a code spells it: four digits. */
export function zoneDigits(zone: number): string {
	return String(zone).padStart(4, "0");
}
