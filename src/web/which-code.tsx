/** Questions about what was entered instead of a code: which country, or whether another code was meant. */
import type { Context } from "hono";
import { displayCode } from "../codes/code.ts";
import { countriesOf, digitsAlone, mixedUpCode } from "../codes/code-text.ts";
import type { AppEnv } from "../http/app-env.ts";
import { fill } from "../languages/template.ts";
import { isolated } from "../print/plain-label.ts";
import { COUNTRY_NAMES, countryName } from "../zones/naming.ts";
import { type Locale, pathIn } from "./locale.ts";
import { ButtonItem } from "./parts.tsx";

/** The codes that nine digits can be, by country: the visitor's own first, then by name. Few pass, since the check digit has a say. */
export function codesByCountry(
	digits: string,
	language: string,
	own: string | undefined,
): { code: string; name: string }[] {
	const byName = new Intl.Collator(language);
	const isOwn = ({ code }: { code: string }) => Number(code.slice(0, 2) === own);
	return countriesOf(digits, Object.keys(COUNTRY_NAMES))
		.map((country) => ({ code: country + digits, name: countryName(country, language) }))
		.sort((one, other) => isOwn(other) - isOwn(one) || byName.compare(one.name, other.name));
}

/** The country that a request comes from (Cloudflare's CF-IPCountry). */
export const countryOfRequest = (c: Context<AppEnv>) => c.req.header("CF-IPCountry");

/** The possible answers to what code was meant, each a link to its page; nothing where there is no question. */
export function WhichCode({
	entered,
	locale,
	own,
	kept = {},
}: {
	entered: string;
	locale: Locale;
	own: string | undefined;
	/** What the page of the code keeps of the entry. */
	kept?: Record<string, string>;
}) {
	const { messages, language } = locale;
	const digits = digitsAlone(entered);
	if (digits) {
		return (
			<ul class="buttons">
				{codesByCountry(digits, language, own).map(({ code, name }) => (
					<ButtonItem href={pathIn(locale, `/a/${code}`, kept)} text={`${name} · ${isolated(displayCode(code))}`} />
				))}
			</ul>
		);
	}
	const meant = mixedUpCode(entered)?.meant;
	return meant ? (
		<ul class="buttons">
			<ButtonItem
				href={pathIn(locale, `/a/${meant}`, kept)}
				text={fill(messages.didYouMean, { code: isolated(displayCode(meant)) })}
			/>
		</ul>
	) : null;
}
