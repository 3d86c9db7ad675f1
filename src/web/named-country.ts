/** Which country a text names, in any of the languages of the pages. */
import type { Bindings } from "../env.ts";
import { type Language, languages } from "../languages/languages.ts";
import { readMessages } from "../languages/read-messages.ts";
import { COUNTRY_NAMES, countryName } from "../zones/naming.ts";

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

/** The codes of countries by their folded names, in a language or by their other names. */
type Names = ReadonlyMap<string, string>;

const commonNames: Names = new Map(
	Object.entries(OTHER_NAMES).flatMap(([code, names]) => names.map((name) => [name, code] as const)),
);
/** The names in the languages that have been asked for. */
const namesIn = new Map<Language, Names>();

async function countriesIn(env: Bindings, language: Language): Promise<Names> {
	const known = namesIn.get(language);
	if (known) return known;
	// The names in a language that the runtime does not know come with its texts.
	if (language !== "en") await readMessages(env, language);
	const names = new Map(Object.keys(COUNTRY_NAMES).map((code) => [folded(countryName(code, language)), code]));
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
	const common = commonNames.get(wanted);
	if (common) return common;
	for (const each of new Set<Language>(["en", language, ...(Object.keys(languages) as Language[])])) {
		const country = (await countriesIn(env, each)).get(wanted);
		if (country) return country;
	}
	return undefined;
}

/** The most words of a country's name. */
const NAME_WORDS_MAX = 5;
/** Words before the country in which somebody is. A name without one, away from the digits, may be a person's: Jordan, Chad. */
const IN = /(?<![\p{L}\p{M}])(?:in|from|en|au|aux|em|no|na|de|du|da|do|nchini|a|في)\s+/giu;

/**
 * The countries that a sentence with nine digits gives them: by a name or two capital letters beside the digits, or by a name behind a word
 * such as `in`. Names of up to three letters count in capitals alone: `us` is a word.
 * @param beside The text before and behind the digits.
 */
export async function countriesBeside(
	env: Bindings,
	{ before, behind }: { before: string; behind: string },
	language: Language,
): Promise<string[]> {
	const wordsOf = (text: string) => text.split(/[\s,.;:·|،]+/).filter(Boolean);
	const leading = (text: string) => wordsOf(text).slice(0, NAME_WORDS_MAX);
	const starts = [behind, ...[before, behind].flatMap((text) => text.split(IN).slice(1))].map(leading);
	const last = wordsOf(before).slice(-NAME_WORDS_MAX);
	const tried = [
		...starts.map((words) => words.map((_, at) => words.slice(0, words.length - at).join(" "))),
		last.map((_, at) => last.slice(at).join(" ")),
	];
	const found = new Set<string>();
	for (const names of tried) {
		for (const name of names) {
			const isShort = name.length <= 3;
			if (isShort && !/^\p{Lu}+$/u.test(name)) continue;
			const country = name in COUNTRY_NAMES ? name : await countryNamed(env, name, language);
			if (!country) continue;
			found.add(country);
			break;
		}
	}
	return [...found];
}
