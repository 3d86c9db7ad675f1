/**
 * What the Unicode CLDR says of a language that the runtime of Workers does not know: .dev/build.ts writes it into the file of its
 * messages, and reading that file brings it here. Of every other language the runtime knows it.
 */

/** Units that pages count in. */
export const UNITS = ["day", "minute", "meter", "kilometer"] as const;
export type MeasureUnit = (typeof UNITS)[number];

export interface RegionalData {
	/** From January on, whole and short. */
	months: { long: string[]; short: string[] };
	/** Names of countries by their codes (ISO 3166-1 alpha-2). */
	countries: Record<string, string>;
	/** How one and how several of a unit are written; `{0}` is the number. */
	units: Record<MeasureUnit, [one: string, several: string]>;
}

const known = new Map<string, RegionalData>();

/** Remembers what is known of a language. */
export function rememberRegionalData(language: string, data: RegionalData): void {
	known.set(language, data);
}

/** What is known of a language, where the runtime does not know it. */
export function regionalData(language: string): RegionalData | undefined {
	return known.get(language);
}

/** Varieties that texts are written in where the runtime takes a language for another one: Brazil's, and that of the United States. */
const VARIETIES: Record<string, string> = { pt: "pt-PT", en: "en-GB" };

/** The variety of a language that its texts are written in, for the runtime (BCP 47). */
export function varietyOf(language: string): string {
	return VARIETIES[language] ?? language;
}
