import { checkDigitFits, displayCode } from "../codes/code.ts";
import { findCode } from "../codes/code-text.ts";
import { readEntry } from "../codes/entry.ts";
import { judgeCode } from "../codes/written-code.ts";
import { type AppError, type ProblemCode, problemTable } from "../errors.ts";
import type { Messages } from "../languages/messages-en.ts";
import { fill } from "../languages/template.ts";
import type { Point } from "../points/point.ts";
import { isolated, plainLabel } from "../print/label-for-display.ts";
import type { Zone } from "../zones/locate.ts";
import { countryName, placeWords, zoneDigits } from "../zones/naming.ts";
import { CodeField } from "./code-field.tsx";
import { type Locale, pathIn } from "./locale.ts";
import { shownPart } from "./location-refusal.ts";
import type { Page } from "./page.tsx";
import { ButtonLine } from "./parts.tsx";

import { codeFieldScript } from "./scripts.ts";
import { type LikelyCountries, WhichCode } from "./which-code.tsx";

/** Longest input that is shown again; nothing longer is a code. */
const SHOWN_CHARACTERS_MAX = 60;

/** A title and the sentence that explains it. */
export function explanationOf({ code, isClosed }: AppError, messages: Messages["pages"]) {
	const said: Partial<Record<ProblemCode, Messages["pages"]["unavailable"]>> = {
		MALFORMED_CODE: messages.malformed,
		BAD_CHECK_DIGIT: messages.badCheckDigit,
		ADDRESS_NOT_FOUND: messages.notFound,
		ADDRESS_RETIRED: isClosed ? messages.closed : messages.retired,
		ADDRESS_PRIVATE: messages.private,
		RATE_LIMITED: messages.tooMany,
		NOT_FOUND: messages.noPage,
	};
	return said[code] ?? messages.unavailable;
}

/** What was entered, cut to the length that is shown. */
function shortened(entered: string): string {
	return Array.from(plainLabel(entered)).slice(0, SHOWN_CHARACTERS_MAX).join("");
}

/** The entered code in its groups, as on a sign, or else what was entered. */
export function shownCode(entered: string): string {
	const code = findCode(entered)?.canonical;
	return code && checkDigitFits(code) ? displayCode(code) : shortened(entered);
}

/** The message at the box for a mistake that can be fixed in what was entered; undefined for others. */
function errorAtBox(error: AppError, entered: string, messages: Messages["pages"]): string | undefined {
	switch (error.code) {
		case "MALFORMED_CODE": {
			const entry = readEntry(entered);
			if (entry.kind === "miscounted") return fill(messages.codeDigits, { count: String(entry.count) });
			if (entry.kind === "large line") return messages.largeLine;
			return judgeCode(entered) === "letter" ? messages.codeLetter : messages.codeMalformed;
		}
		case "BAD_CHECK_DIGIT":
			return messages.codeWrong;
		case "ADDRESS_NOT_FOUND":
			return messages.notFound.title;
		default:
			return undefined;
	}
}

/** A place that was entered instead of a code, with the zone that holds its point. A short Plus Code has no point yet. */
export interface FoundPlace {
	point?: Point;
	zone: Zone | undefined;
}

/** Leads on from a place: to a map, and to an address of its own. */
function PlaceFound({
	found: { point, zone },
	entered,
	locale,
}: {
	found: FoundPlace;
	entered: string;
	locale: Locale;
}) {
	const { messages, language } = locale;
	const place = point ? `${point.lat},${point.lng}` : entered;
	const words = zone && [...placeWords(zone.name, zone.region), countryName(zone.country, language)].join(", ");
	return (
		<>
			{zone ? (
				<p class="kind">
					{messages.zone}: <bdi>{`${zone.country}-${zoneDigits(zone.zone)}`}</bdi> · <bdi>{words}</bdi>
				</p>
			) : null}
			<p class="buttons">
				{point ? (
					<a
						class="button first"
						href={`https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(place)}`}
						rel="noopener noreferrer"
					>
						{messages.openMap}
					</a>
				) : null}
				<a class="button" href={pathIn(locale, "/my/new", { place })}>
					{messages.getMine}
				</a>
			</p>
		</>
	);
}

/**
 * The page of a code or path that leads nowhere: which kind of mistake it is, what was entered, and the box to try again or to enter
 * another code. It names another code only for a retired address, its successor. For an entry that is no code, it asks whether a code
 * that the check digit allows was meant.
 * @param likely The countries that are offered first for the digits of a plate.
 * @param found The place that was entered instead.
 */
export function mistakePage(
	error: AppError,
	entered: string,
	locale: Locale,
	likely: LikelyCountries = [],
	found?: FoundPlace | undefined,
): Page {
	const { messages } = locale;
	const entry = error.code === "MALFORMED_CODE" ? readEntry(entered) : undefined;
	const lacksCountry = entry?.kind === "no country";
	const isSeveral = entry?.kind === "codes" && entry.codes.length > 1;
	const code = shortened(entered);
	// Words alone, such as "Yaba market, Lagos", name a place that may have no code yet.
	const isNamed = error.code === "MALFORMED_CODE" && /\p{L}{3}/u.test(code) && !/\p{Nd}/u.test(code);
	const unclear = entry?.kind === "unclear" ? entry.part : undefined;
	const { title, text } = unclear
		? { ...messages.unclearCode, text: fill(messages.unclearCode.text, { part: shownPart(unclear) }) }
		: lacksCountry
			? { title: messages.whichCountry, text: messages.whichCountryText }
			: isSeveral
				? { title: messages.whichCode, text: "" }
				: found
					? messages.placeFound
					: explanationOf(error, messages);
	const errorShown = unclear || lacksCountry || isSeveral || found ? undefined : errorAtBox(error, entered, messages);
	const groups = displayCode(findCode(entered)?.canonical ?? "").replaceAll("-", "\u00a0·\u00a0");
	const isKnown = error.code === "ADDRESS_RETIRED" || error.code === "ADDRESS_PRIVATE";
	const shown = isKnown ? shownCode(code) : code;
	return {
		locale,
		title: shown ? `${title} · ${isolated(shown)}` : title,
		description: text,
		path: code ? `/a/${encodeURIComponent(code)}` : "/",
		scripts: [codeFieldScript],
		status: problemTable[error.code].status as NonNullable<Page["status"]>,
		headers: error.headers,
		body: (
			<>
				<section>
					<h1>{title}</h1>
					{error.successor || !text ? null : <p>{text}</p>}
					{shown ? (
						<p class="entered">
							<span class="kind">{isKnown ? `${messages.codeField}:` : messages.youEntered}</span>{" "}
							<strong>
								<bdi>{shown}</bdi>
							</strong>
						</p>
					) : null}
					{error.code === "BAD_CHECK_DIGIT" && groups ? (
						<p>{fill(messages.readBack, { groups: isolated(groups) })}</p>
					) : null}
					{error.code === "MALFORMED_CODE" ? <WhichCode entered={entered} locale={locale} likely={likely} /> : null}
					{found ? <PlaceFound found={found} entered={code} locale={locale} /> : null}
					{isNamed ? (
						<ButtonLine class="button first" to={pathIn(locale, "/my/new", { place: code })} text={messages.getMine} />
					) : null}
					{error.zone?.zone_name ? (
						<p class="kind">
							{messages.zone}: <bdi>{error.zone.zone_name}</bdi>
						</p>
					) : null}
					{error.successor ? (
						<p>
							{messages.movedTo}{" "}
							<a href={`/a/${error.successor}${locale.query}`}>
								<bdi>{displayCode(error.successor)}</bdi>
							</a>
						</p>
					) : null}
				</section>
				<section>
					{errorShown ? <h2>{messages.tryAgain}</h2> : null}
					<CodeField locale={locale} {...(errorShown ? { entered: shown, error: errorShown } : {})} />
				</section>
			</>
		),
	};
}
