/** Which country a text names, in any of the languages of the pages. */
import type { Bindings } from "../../env.ts";
import { type Language, languages } from "../../languages/languages.ts";
import { readMessages } from "../../languages/read-messages.ts";
import { COUNTRY_NAMES, countryName } from "../../zones/naming.ts";

/**
 * A name in the form in which names are compared: in lower case, without accents, apostrophes or other marks, without a leading article,
 * with "and" for "&" and "saint" for a leading "st".
 */
export function folded(name: string): string {
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
	GF: ["guyane"],
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

/** Territories with a country code of their own, by the country that maps and people write behind them. */
const TERRITORIES: Readonly<Record<string, string>> = {
	AU: "CC CX HM NF",
	CN: "HK MO TW",
	DK: "FO GL",
	FI: "AX",
	FR: "BL GF GP MF MQ NC PF PM RE TF WF YT",
	GB: "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG",
	NL: "AW BQ CW SX",
	NO: "BV SJ",
	NZ: "CK NU TK",
	US: "AS GU MP PR UM VI",
};

/** Whether a country's code stands for a territory of another country. */
export function isTerritoryOf(territory: string, country: string): boolean {
	return TERRITORIES[country]?.split(" ").includes(territory) ?? false;
}

/** The codes of countries by their folded names in a language that has been asked for. */
const namesIn = new Map<Language, Map<string, string>>();

async function countriesIn(env: Bindings, language: Language): Promise<Map<string, string>> {
	const known = namesIn.get(language);
	if (known) return known;
	// The names in a language that the runtime does not know come with its texts.
	await readMessages(env, language);
	const codes = Object.keys(COUNTRY_NAMES);
	const names = new Map(codes.map((code) => [folded(countryName(code, language)), code]));
	namesIn.set(language, names);
	return names;
}

/**
 * The country or territory (ISO 3166-1 alpha-2, or XK) that a text names: in English, in the visitor's language, by another common name, or
 * in another language of the pages.
 */
export async function countryNamed(env: Bindings, text: string, language: Language): Promise<string | undefined> {
	const wanted = folded(text);
	if (!wanted) return undefined;
	const common = Object.keys(OTHER_NAMES).find((code) => OTHER_NAMES[code]?.includes(wanted));
	if (common) return common;
	const english = Object.keys(COUNTRY_NAMES).find((code) => folded(COUNTRY_NAMES[code]!) === wanted);
	if (english) return english;
	for (const each of new Set([language, ...(Object.keys(languages) as Language[])])) {
		const country = (await countriesIn(env, each)).get(wanted);
		if (country) return country;
	}
	return undefined;
}
