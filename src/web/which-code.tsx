/** Questions about what was entered instead of a code: which country, or whether another code was meant. */
import type { Context } from "hono";
import { displayCode } from "../codes/code.ts";
import { countriesOf } from "../codes/code-guess.ts";
import type { CodeEntry } from "../codes/code-text.ts";
import { readEntry } from "../codes/entry.ts";
import type { CodeWithoutCountry } from "../codes/nine-digits.ts";
import type { AppEnv } from "../http/app-env.ts";
import { fill } from "../languages/template.ts";
import { isolated } from "../print/label-for-display.ts";
import { COUNTRY_NAMES, countryName } from "../zones/naming.ts";
import { askedLanguage, type Locale, pathIn } from "./locale.ts";
import { countriesBeside } from "./named-country.ts";
import { ButtonItem } from "./parts.tsx";

/** Countries (ISO 3166-1 alpha-2), the likeliest first; unknown ones are undefined. */
export type LikelyCountries = readonly (string | undefined)[];

/** The most codes of an entry to choose from. A longer one is a list. */
export const CODES_MAX = 5;

/** The codes that nine digits can form, by country: the likely ones first, then by name. Few remain, because the check digit must fit. */
export function codesByCountry(
	digits: string,
	language: string,
	likely: LikelyCountries,
): { code: string; label: string }[] {
	const byName = new Intl.Collator(language);
	const rank = ({ code }: { code: string }) => likely.indexOf(code.slice(0, 2)) + 1 || Number.POSITIVE_INFINITY;
	return countriesOf(digits, Object.keys(COUNTRY_NAMES))
		.map((country) => ({ code: country + digits, name: countryName(country, language) }))
		.sort((one, other) => Math.sign(rank(one) - rank(other)) || byName.compare(one.name, other.name))
		.map(({ code, name }) => ({ code, label: `${name} (${code.slice(0, 2)})` }));
}

/** The country that a request comes from (Cloudflare's CF-IPCountry), then the registry's own. */
export function likelyCountries(c: Context<AppEnv>): LikelyCountries {
	return [c.req.header("CF-IPCountry"), c.get("registry").settings.identity.country];
}

/** The code whose nine digits stand beside the name of one country, such as `Kenya 1377 49238`, if the check digit allows it. */
export async function codeOfNamedCountry(
	c: Context<AppEnv>,
	{ digits, beside }: CodeWithoutCountry,
): Promise<string | undefined> {
	if (!beside) return undefined;
	const named = await countriesBeside(c.env, beside, askedLanguage(c).asked);
	const [country] = countriesOf(digits, named);
	return named.length === 1 && country ? country + digits : undefined;
}

/** The same with a country first that an entry hints at: two small letters before its digits may be a word. */
export function likelyFor(c: Context<AppEnv>, entered: string): LikelyCountries {
	const entry = readEntry(entered);
	const before = entry.kind === "no country" ? (entry.beside?.before ?? "") : "";
	return [/(?<!\p{L})([a-z]{2})[\s.,:]*$/iu.exec(before)?.[1]?.toUpperCase(), ...likelyCountries(c)];
}

/**
 * The codes that may have been meant, each a link to its page, with the unlikely countries folded away; nothing if there is no
 * question.
 */
export function WhichCode({
	entered,
	locale,
	likely,
	carried = {},
}: {
	entered: string;
	locale: Locale;
	likely: LikelyCountries;
	/** What the page of the code takes over from the entry. */
	carried?: Record<string, string>;
}) {
	const { messages, language } = locale;
	const entry = readEntry(entered);
	const linkTo = ({ canonical, units: [unit], share }: CodeEntry) =>
		pathIn(locale, `/a/${canonical}`, { ...carried, ...(unit ? { unit } : {}), ...(share ? { share } : {}) });
	if (entry.kind === "unclear" || (entry.kind === "codes" && entry.codes.length > 1)) {
		return (
			<ul class="buttons">
				{entry.codes.slice(0, CODES_MAX).map((code) => (
					<ButtonItem href={linkTo(code)} text={isolated(displayCode(code.canonical))} />
				))}
			</ul>
		);
	}
	if (entry.kind === "no country") {
		const { digits, unit } = entry;
		const carriedToCode = { ...carried, ...(unit ? { unit } : {}) };
		const all = codesByCountry(digits, language, likely);
		const first = all.filter(({ code }) => likely.includes(code.slice(0, 2)));
		const buttonsOf = (codes: typeof all) => (
			<ul class="buttons">
				{codes.map(({ code, label }) => (
					<ButtonItem href={pathIn(locale, `/a/${code}`, carriedToCode)} text={label} />
				))}
			</ul>
		);
		if (first.length === 0 || first.length === all.length) return buttonsOf(all);
		return (
			<>
				{buttonsOf(first)}
				<details>
					<summary>{messages.otherCountry}</summary>
					{buttonsOf(all.slice(first.length))}
				</details>
			</>
		);
	}
	const meant = entry.kind === "mixed up" ? entry.meant : undefined;
	return meant ? (
		<ul class="buttons">
			<ButtonItem
				href={pathIn(locale, `/a/${meant}`, carried)}
				text={fill(messages.didYouMean, { code: isolated(displayCode(meant)) })}
			/>
		</ul>
	) : null;
}
