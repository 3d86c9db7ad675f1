const englishCountryNames = new Intl.DisplayNames(["en"], { type: "region" });

/** The English name of a country (ISO 3166-1 alpha-2, or XK for Kosovo), from the runtime's CLDR. */
export function countryName(country: string): string {
	return englishCountryNames.of(country) ?? country;
}

/** A zone number as a code spells it: four digits. */
export function zoneDigits(zone: number): string {
	return String(zone).padStart(4, "0");
}
