import { raw } from "hono/html";
import type { StreetSketch } from "../basemap/sketch.ts";
import { groupsOf } from "../codes/code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { fill } from "../languages/template.ts";
import { COMPASS } from "../points/plane.ts";
import { whereToType } from "../print/card.ts";
import { isolated, plainLabel } from "../print/label-for-display.ts";
import { TEST_MARK } from "../print/plate.ts";
import { qrSymbol } from "../print/qr.ts";
import { type AddressView, carriedQuery, codeText, directions, nearbyText } from "./address-view.ts";
import { inline } from "./inline.ts";
import type { Locale } from "./locale.ts";
import type { Page } from "./page.tsx";
import { ButtonItem, Plate, Written } from "./parts.tsx";
import { deviceScript, distanceScript } from "./scripts.ts";
import { pageStyles, streetStyles } from "./styles.ts";

/** A label of more UTF-16 units than this is written smaller, so that it does not push the directions off a phone's screen. */
const SHORT_LABEL_MAX = 80;

/** The styles of the page. On paper it shows what leads back to the address, and nothing to press. */
const plainStyles = inline(`${pageStyles.text}
.place{position:relative;padding:0;border:0;background:none;margin:0 0 .75rem}
.long{font-size:1.0625rem}
.badge{display:inline-flex;align-items:center;gap:.5rem;margin-top:.5rem;padding:.25rem .875rem .25rem .25rem;border-radius:1.5rem;background:var(--own);font-weight:600;font-size:.9375rem}
.badge svg{flex:none;width:1.5rem;height:1.5rem;fill:var(--accent);stroke:var(--on-accent)}
.badge.none{background:none;padding:0;color:var(--wrong)}
.badge.none svg{fill:none;stroke:var(--wrong)}
.go{min-height:3.5rem;margin-top:.875rem;font-size:1.0625rem}
.go~.button,.go~.buttons{margin-top:.625rem}
.icons li{flex:1 1 0}
.icons .button,.icons button{flex-direction:column;gap:.125rem}
.icons svg{width:1.5rem;height:1.5rem;fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.words{margin-top:.875rem}
.words+dl{margin-top:.75rem}
.paper{display:none}
.groups{display:grid;grid-template-columns:auto 1fr;gap:.25rem .75rem}
.groups b{font-size:1.0625rem}
@media(scripting:enabled){#distance[hidden]{display:block!important}.icons [hidden]{display:flex!important}}
#distance p{margin-top:.375rem;font-weight:600}
@media print{@page{margin:15mm}.screen,.buttons,.go,button,details,.streets{display:none!important}body{background:#fff;color:#000}section{border:0;padding:0;break-inside:avoid}h1{margin:0!important;max-width:none!important}.paper{display:block}.paper svg{width:60mm;height:60mm;margin-inline-start:-5mm}}
`);

/** The same styles for an operator who has a map. */
const mappedStyles = inline(`${plainStyles.text}${streetStyles}
.place .streets{border-radius:1rem}
.place .streets~h1{position:relative;max-width:15rem;margin:-2.125rem auto 0;filter:drop-shadow(0 4px 8px #0003)}
@media(max-width:44rem){.place{margin:-.75rem max(-1rem,-4.5vw) .75rem}.place .streets{border-radius:0}}
`);

/**
 * Android drops a pin at `q` alone; others read RFC 5870's coordinates and pass over it. An iPhone knows no such links, so it
 * comes last.
 */
function geoLink({ target: { lat, lng }, display }: AddressView): string {
	return `geo:${lat},${lng}?q=${lat},${lng}(${display})`;
}

function Copyable({ name, text, locale }: { name: string; text: string; locale: Locale }) {
	const { copy, copied } = locale.messages;
	return (
		<div>
			<dt>{name}</dt>
			<dd class="value">
				<span dir="ltr">{text}</span>
				<button
					type="button"
					hidden
					data-does="copy"
					data-text={text}
					data-done={copied}
					aria-label={`${copy}: ${name}`}
				>
					{copy}
				</button>
			</dd>
		</div>
	);
}

/** What the parts of the page show. */
interface Shown {
	view: AddressView;
	locale: Locale;
	sketch: StreetSketch | undefined;
	/** The link to send on; for a private address, the one that the page was opened by. */
	link: string;
	/** The part of the query that its links carry on. */
	query: string;
}

/** The top of the page: the streets, if the operator has a map of them, and the plate of the code. */
function PlaceAndPlate({ view, locale, sketch }: Shown) {
	return (
		<section class="place">
			{sketch ? (
				<>
					<p class="unseen">{locale.messages.mapOf}</p>
					{raw(sketch.svg)}
				</>
			) : null}
			<h1 class="code">
				<Plate canonical={view.canonical} unit={view.unit?.name} />
			</h1>
		</section>
	);
}

/** What has been attested, as a badge; in the colour of warnings if nothing has. */
function Badge({ view }: { view: AddressView }) {
	return (
		<p class={view.level === 0 ? "badge none" : "badge"}>
			<svg viewBox="0 0 18 18" aria-hidden="true">
				{view.level === 0 ? (
					<path d="M9 1.5a7.5 7.5 0 1 0 .1 0zM9 5v5m0 2.6v.2" stroke-width="2" stroke-linecap="round" />
				) : (
					<>
						<circle cx="9" cy="9" r="9" stroke="none" />
						<path d="M5 9.2l2.8 2.8L13 6.5" fill="none" stroke-width="2" />
					</>
				)}
			</svg>
			{view.level === 0 ? view.shortVerification : view.verification}
		</p>
	);
}

/** Icons of the three buttons, 24 units square: an arrow out of a box, a speech bubble, two sheets. */
const ICONS = {
	share: "M12 15V4m-4 4 4-4 4 4M6 12v7h12v-7",
	whatsApp: "M4 20l1.3-4A8 8 0 1 1 8.400 19zM9 9c0 3 3 6 6 6",
	copy: "M9 9h10v11H9zM15 6V4H5v11h1",
};

function ButtonIcon({ name }: { name: keyof typeof ICONS }) {
	return (
		<svg viewBox="0 0 24 24" aria-hidden="true">
			<path d={ICONS[name]} />
		</svg>
	);
}

/** The unit that was asked for. */
function UnitWords({ view: { unit }, locale: { messages } }: Pick<Shown, "view" | "locale">) {
	if (!unit) return null;
	return (
		<>
			<p class="label">
				{[fill(messages.unitOf, { unit: isolated(plainLabel(unit.name)) }), isolated(plainLabel(unit.label ?? ""))]
					.filter(Boolean)
					.join(" · ")}
			</p>
			{unit.label === undefined ? <p class="kind">{messages.unitUnknown}</p> : null}
		</>
	);
}

/** The text to send to a visitor: the words, the code with its unit, and the link. */
function sentText(view: AddressView, link: string): string {
	const words = [view.unit?.label, view.label].filter(Boolean).join(", ");
	return [words, codeText(view), link].filter(Boolean).join("\n");
}

/** The address in words, and the one thing that most people want: directions. */
function WordsAndDirections({ view, locale, sketch, link }: Shown) {
	const { messages } = locale;
	const [[google, way], [apple, appleWay]] = directions(view) as [[string, string], [string, string]];
	const nearby = sketch && nearbyText(sketch, locale);
	const { lat, lng } = view.coordinates;
	return (
		<section>
			<UnitWords view={view} locale={locale} />
			<Written class={view.label.length > SHORT_LABEL_MAX ? "label long" : "label"} text={view.label} />
			<p class="where kind">
				{view.placeAndCountry}
				{nearby ? ` · ${nearby}` : null}
			</p>
			<Badge view={view} />
			<a
				class="button first go"
				href={way}
				rel="noopener noreferrer"
				data-apple={appleWay}
				data-maps={`${apple}|${google}`}
			>
				{messages.directions}
			</a>
			<ul class="buttons icons">
				<li hidden>
					<button type="button" hidden data-does="share" data-text={link} data-done={messages.copied}>
						<ButtonIcon name="share" />
						<span>{messages.share}</span>
					</button>
				</li>
				<li>
					<a
						class="button"
						href={`https://wa.me/?text=${encodeURIComponent(sentText(view, link))}`}
						rel="noopener noreferrer"
					>
						<ButtonIcon name="whatsApp" />
						WhatsApp
					</a>
				</li>
				<li hidden>
					<button type="button" hidden data-does="copy" data-text={codeText(view)} data-done={messages.copied}>
						<ButtonIcon name="copy" />
						<span>{messages.copyCode}</span>
					</button>
				</li>
			</ul>
			{view.texts.map((text) => (
				<Written class="words" text={text} />
			))}
			<dl class="words">
				<Copyable name={messages.coordinates} text={`${lat}, ${lng}`} locale={locale} />
			</dl>
			<p role="status" class="unseen" />
		</section>
	);
}

/** What appears only on paper, when the page itself is printed: the way back to it. */
function OnPaper({ view }: { view: AddressView }) {
	const { path, size } = qrSymbol(view.url);
	return (
		<section class="paper">
			<svg viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
				<path d={path} />
			</svg>
			<p dir="ltr">{whereToType(view.url, view.canonical)}</p>
		</section>
	);
}

/** The distance and direction of the address, once the visitor asks. The script needs the visitor's own position. */
function Distance({ view, locale }: { view: AddressView; locale: Locale }) {
	const { messages } = locale;
	return (
		<div
			hidden
			id="distance"
			data-lat={view.coordinates.lat}
			data-lng={view.coordinates.lng}
			data-away={messages.away}
			data-compass={COMPASS.map((direction) => messages.compass[direction]).join("|")}
			data-unknown={messages.positionUnknown}
		>
			<button type="button">{messages.howFar}</button>
			<p aria-live="polite" />
		</div>
	);
}

/** A group of a code as it is said aloud, character by character: `N G`, `one three seven seven`. */
function spokenGroup(group: string, digits: readonly string[]): string {
	return Array.from(group, (character) => digits[Number(character)] ?? character).join(" ");
}

/** What fewer people need, folded away: other applications, figures, what to save and print. */
function Folded({ view, locale, link, query }: Shown) {
	const { messages } = locale;
	const files = `/v1/addresses/${view.canonical}`;
	const links = [
		[`/a/${view.canonical}/contact.vcf${query}`, messages.addToContacts],
		[`/a/${view.canonical}/print${query}`, messages.printSheet],
		[`${files}/qr.svg`, isSandboxCode(view.canonical) ? `${TEST_MARK} · ${messages.qrCode}` : messages.qrCode],
		[`${files}/label.svg`, messages.card],
	] as const;
	return (
		<section>
			<details>
				<summary>{messages.otherMaps}</summary>
				<Distance view={view} locale={locale} />
				<ul class="buttons">
					{directions(view)
						.slice(1)
						.map(([name, way]) => (
							<ButtonItem href={way} rel="noopener noreferrer" text={name} />
						))}
					<li class="wide">
						<a class="button" href={geoLink(view)}>
							{messages.deviceMap}
						</a>
					</li>
				</ul>
				<dl>
					<Copyable name={messages.plusCode} text={view.plusCode} locale={locale} />
					<Copyable name={messages.link} text={link} locale={locale} />
					<div>
						<dt>{messages.readAloud}</dt>
						<dd class="groups">
							{groupsOf(view.canonical).map((group) => (
								<>
									<b>{group}</b> <span>{spokenGroup(group, messages.digits)}</span>
								</>
							))}
						</dd>
					</div>
					<div>
						<dt>{messages.zone}</dt>
						<dd>
							<bdi>{view.zone}</bdi> <bdi>{view.zoneName}</bdi>
						</dd>
					</div>
				</dl>
			</details>
			<details>
				<summary>{messages.keepAndPrint}</summary>
				<ul class="buttons">
					{links.map(([link, name]) => (
						<ButtonItem href={link} text={name} />
					))}
				</ul>
			</details>
		</section>
	);
}

/** The page that a scanned QR code opens. */
export function addressPage(
	view: AddressView,
	locale: Locale,
	{
		sketch,
		share,
	}: {
		sketch?: StreetSketch | undefined;
		/** The token of the link that shows a private address. */
		share?: string | undefined;
	} = {},
): Page {
	const { messages } = locale;
	const link = share ? `${view.url}${view.unit ? "&" : "?"}share=${encodeURIComponent(share)}` : view.url;
	const shown: Shown = { view, locale, sketch, link, query: carriedQuery(locale, share, view.unit) };
	const { lat, lng } = view.coordinates;
	return {
		locale,
		// Messengers store the title of a page that is sent, even once the link to a private address has ended.
		title: share ? view.display : [codeText(view), view.label, view.placeAndCountry].filter(Boolean).join(" · "),
		description: `${view.display} · ${view.placeAndCountry} · ${lat}, ${lng} · ${view.verification}`,
		path: `/a/${view.canonical}`,
		image: `/a/${view.canonical}/og.png`,
		// Browsers do not store a shared page, nor the page of a unit, because that has a query.
		asOf: view.isPrivate || share ? undefined : locale.asOf,
		scripts: [deviceScript, distanceScript],
		styles: sketch ? mappedStyles : plainStyles,
		body: (
			<>
				<PlaceAndPlate {...shown} />
				<OnPaper view={view} />
				<WordsAndDirections {...shown} />
				<Folded {...shown} />
				<p class="screen way">
					<a href={`/a/${view.canonical}/report${locale.query}`}>{messages.report.link}</a>
				</p>
			</>
		),
	};
}
