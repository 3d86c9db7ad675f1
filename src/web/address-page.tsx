import { raw } from "hono/html";
import { type PublicAddress, qrUrl, whereabouts } from "../addresses/address-record.ts";
import type { StreetSketch } from "../basemap/sketch.ts";
import { displayCode, groupsOf, partsOf } from "../codes/code.ts";
import { plusCode } from "../codes/plus-code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { fill } from "../languages/template.ts";
import { COMPASS } from "../points/plane.ts";
import { whereToType } from "../print/card.ts";
import { isolated, plainLabel } from "../print/plain-label.ts";
import { TEST_MARK } from "../print/plate.ts";
import { qrSymbol } from "../print/qr.ts";
import { countryName } from "../zones/naming.ts";
import { timeZoneOf } from "../zones/time-zones.ts";
import { inline } from "./inline.ts";
import { type Locale, pathIn } from "./locale.ts";
import { dateText, lengthText } from "./measures.ts";
import type { Page } from "./page.tsx";
import { ButtonItem, Plate, Written } from "./parts.tsx";
import { deviceScript, distanceScript } from "./scripts.ts";
import { pageStyles, streetStyles } from "./styles.ts";

/**
 * Decimal places of coordinates as people read them: 0.000001 degree is about 11 cm. All of them are shown, so that nobody takes
 * `6.5` for a rough value.
 */
const COORDINATE_DECIMALS = 6;

/** A label of more UTF-16 units is written smaller, so that it does not push the way there off a phone's screen. */
const SHORT_LABEL_MAX = 80;

function degrees(value: number): string {
	// Adding zero takes the sign from a zero that has one.
	return (Number(value.toFixed(COORDINATE_DECIMALS)) + 0).toFixed(COORDINATE_DECIMALS);
}

/**
 * On a wide screen the place stands beside the actions. On paper there is what leads back to the address, and nothing to press.
 */
const plainStyles = inline(`${pageStyles.text}
.place{position:relative;padding:0;border:0;background:none;margin:0 0 1rem}
h1{position:relative;filter:drop-shadow(0 4px 8px #0003)}
.label bdi:before{content:open-quote}
.label bdi:after{content:close-quote}
.long{font-size:1.0625rem}
.badge{display:inline-flex;align-items:center;gap:.5rem;margin-top:.75rem;padding:.25rem .875rem .25rem .25rem;border-radius:1.5rem;background:var(--own);font-weight:600;font-size:.9375rem}
.badge svg{flex:none;width:1.5rem;height:1.5rem;fill:var(--accent);stroke:var(--on-accent)}
.badge.none{background:none;padding:0;color:var(--soft);font-weight:400}
.go{min-height:3.5rem;margin-top:1rem;border-radius:1rem;font-size:1.1875rem}
.go+.buttons{margin-top:.625rem}
.go+.buttons li:not(.wide){flex:1 1 auto}
.paper{display:none}
.where{margin-top:.25rem}
.groups{display:grid;grid-template-columns:auto 1fr;gap:.25rem .75rem}
.groups b{font-size:1.1875rem}
details{border-top:1px solid var(--line)}
details:first-child{border:0}
@media(scripting:enabled){#distance[hidden],#share[hidden]{display:grid!important}#share button{display:flex!important}}
#distance p{margin-top:.375rem;font-weight:600}
@media(min-width:64rem){main{display:grid;grid-template:repeat(4,auto) 1fr/1fr 1fr;gap:0 1.5rem;align-items:start}main>*{max-width:none;grid-column:1}.paper+section{grid-area:1/2/6}}
@media print{@page{margin:15mm}.screen,.buttons,.go,button,details,.streets{display:none!important}body{background:#fff;color:#000}main{max-width:none;display:block}section{border:0;padding:0;break-inside:avoid}h1{margin:0!important}.paper{display:block}.paper svg{width:60mm;height:60mm;margin-inline-start:-5mm}}
`);

/** The same where the operator has a map. */
const mappedStyles = inline(`${plainStyles.text}${streetStyles}
.place .streets{border-radius:1rem}
.place .streets~h1{margin:-2.25rem min(1rem,4.5vw) 0}
@media(max-width:40rem){.place{margin:-.75rem max(-1rem,-4.5vw) 1rem}.place .streets{border-radius:0}}
`);

/**
 * What the pages show of an address, in the words of a locale. Every text is kept in its own direction: codes and numbers run
 * left to right, names as they are written.
 */
export interface AddressView {
	canonical: string;
	display: string;
	label: string;
	/** From the road to the door; "" where the owner has written none. */
	directions: string;
	zone: string;
	zoneName: string;
	/** The settlement that a person there would name. */
	locality: string;
	/** What lies beyond it: its region and the country. */
	beyond: string;
	/** Locality and region, and the same with the country, for a line of plain text. */
	place: string;
	placeAndCountry: string;
	/** The unit that it was asked for with. */
	unit: AskedUnit | undefined;
	coordinates: { lat: string; lng: string };
	/** Where navigation leads: the entrance, or else the point. */
	target: { lat: string; lng: string };
	plusCode: string;
	/** Whether it is private, so that its sign on the street says no more than it must. */
	isPrivate: boolean;
	level: number;
	/** What has been attested, in words. */
	verification: string;
	/** The day it was created, by the time there, in words. */
	created: string;
	url: string;
}

/** The time zone of an address. */
export function timeZoneAt({ canonical, lng }: Pick<PublicAddress, "canonical" | "lng">): string {
	return timeZoneOf(partsOf(canonical).country, lng);
}

/** What an agent has attested of an address and when, in words; whether it has changed since. */
export function verificationText(
	{
		verificationLevel,
		verifiedAt,
		...place
	}: Pick<PublicAddress, "verificationLevel" | "verifiedAt" | "canonical" | "lng">,
	{ messages, language }: Locale,
): string {
	if (verifiedAt === null) return messages.verificationLevels[verificationLevel] ?? messages.verificationLevels[0];
	const date = dateText(verifiedAt, language, timeZoneAt(place), "long");
	return fill(messages.verifiedOn[verificationLevel] ?? messages.verifiedOn[0], { date });
}

/** Names in one line of plain text, the narrowest first, each in its own direction. */
function inOneLine(names: string[], { messages }: Locale): string {
	return [...new Set(names)].map(isolated).join(`${messages.comma} `);
}

export function viewOf(address: PublicAddress, locale: Locale, origin: string, unit?: AskedUnit): AddressView {
	const { canonical, lat, lng, zoneName } = address;
	const { country: letters, zone } = partsOf(canonical);
	const country = countryName(letters, locale.language);
	const [locality = country, ...regions] = whereabouts(address);
	const url = qrUrl(canonical, origin);
	return {
		canonical,
		display: displayCode(canonical),
		label: plainLabel(address.label),
		directions: plainLabel(address.directions),
		zone,
		zoneName,
		locality,
		beyond: inOneLine(
			[...regions, country].filter((name) => name !== locality),
			locale,
		),
		place: inOneLine([locality, ...regions], locale),
		placeAndCountry: inOneLine([locality, ...regions, country], locale),
		unit,
		coordinates: { lat: degrees(lat), lng: degrees(lng) },
		target: { lat: degrees(address.entrance?.lat ?? lat), lng: degrees(address.entrance?.lng ?? lng) },
		plusCode: plusCode(lat, lng),
		isPrivate: address.visibility === "private",
		level: address.verificationLevel,
		verification: verificationText(address, locale),
		created: fill(locale.messages.createdOn, {
			date: dateText(address.createdAt, locale.language, timeZoneAt(address), "long"),
		}),
		url: unit ? `${url}?unit=${encodeURIComponent(unit.unit)}` : url,
	};
}

/**
 * Links that start navigation to a point. Each opens the application where the device has it, else its web page; the most
 * widespread first.
 */
export function directions({ target: { lat, lng }, display }: AddressView): [name: string, link: string][] {
	return [
		["Google Maps", `https://www.google.com/maps/dir/?api=1&destination=${lat}%2C${lng}`],
		["Apple Maps", `https://maps.apple.com/?daddr=${lat}%2C${lng}`],
		["Waze", `https://waze.com/ul?ll=${lat}%2C${lng}&navigate=yes`],
		["OpenStreetMap", `https://www.openstreetmap.org/directions?to=${lat}%2C${lng}`],
		[
			"Uber",
			// Without a name the application shows no destination (developer.uber.com, the FAQ of deep links).
			`https://m.uber.com/ul/?action=setPickup&pickup=my_location&dropoff%5Blatitude%5D=${lat}&dropoff%5Blongitude%5D=${lng}&dropoff%5Bnickname%5D=${display}`,
		],
	];
}

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
	/** Where it is found, as one sends it on: of a private address, by the link that was asked for. */
	link: string;
	/** What its links keep of the query. */
	query: string;
}

/** The place first: the streets where the operator has a map of them, and the plate of the code. */
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
				<Plate canonical={view.canonical} unit={view.unit?.unit} />
			</h1>
		</section>
	);
}

/** What has been attested, as a badge; in plain words where nothing has. */
function Badge({ view }: { view: AddressView }) {
	if (view.level === 0) return <p class="badge none">{view.verification}</p>;
	return (
		<p class="badge">
			<svg viewBox="0 0 18 18" aria-hidden="true">
				<circle cx="9" cy="9" r="9" stroke="none" />
				<path d="M5 9.2l2.8 2.8L13 6.5" fill="none" stroke-width="2" />
			</svg>
			{view.verification}
		</p>
	);
}

/** Where the point lies from the nearest thing with a name, such as "140 m north of Fadeyi Bus Stop". */
export function nearbyText({ nearby }: StreetSketch, { messages, language }: Locale): string | undefined {
	if (!nearby) return undefined;
	const metres = Math.max(10, Math.round(nearby.metres / 10) * 10);
	const distance = lengthText(metres, language);
	return fill(messages.nearby, {
		distance,
		direction: messages.compass[nearby.direction],
		name: isolated(plainLabel(nearby.name)),
	});
}

/** The unit that a page was asked for; its label is undefined where the owner has not named it. */
export interface AskedUnit {
	unit: string;
	label: string | undefined;
}

/** The address in words, and the one thing that most people want. */
function WordsAndDirections({ view, locale, sketch, link, query }: Shown) {
	const { messages } = locale;
	const { unit } = view;
	const [[, way], [, apple]] = directions(view) as [[string, string], [string, string]];
	const nearby = sketch && nearbyText(sketch, locale);
	return (
		<section>
			{unit ? (
				<p class="label">
					{fill(messages.unitOf, { unit: isolated(plainLabel(unit.unit)) })}
					{unit.label ? (
						<>
							{" "}
							<bdi>{plainLabel(unit.label)}</bdi>
						</>
					) : null}
				</p>
			) : null}
			{unit && unit.label === undefined ? <p class="kind">{messages.unitUnknown}</p> : null}
			<Written class={view.label.length > SHORT_LABEL_MAX ? "label long" : "label"} text={view.label} />
			<Written text={view.directions} />
			<p class="where kind">
				{view.placeAndCountry}
				{nearby ? ` · ${nearby}` : null}
			</p>
			<Badge view={view} />
			<p class="kind">{view.created}</p>
			<a class="button first go" href={way} data-apple={apple} rel="noopener noreferrer">
				{messages.directions}
			</a>
			<ul class="buttons">
				<li hidden id="share">
					<button type="button" hidden data-does="share" data-text={link} data-done={messages.copied}>
						{messages.share}
					</button>
				</li>
				<li>
					<a
						class="button"
						href={`https://wa.me/?text=${encodeURIComponent([view.label, link].filter(Boolean).join("\n"))}`}
						rel="noopener noreferrer"
					>
						WhatsApp
					</a>
				</li>
				<ButtonItem href={`/a/${view.canonical}/contact.vcf${query}`} text={locale.console.save} />
				<Distance view={view} locale={locale} />
			</ul>
			<p role="status" class="unseen" />
		</section>
	);
}

/** What is on paper when the page itself is printed, and not on a screen: the way back to it. */
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

/** How far away the address is and in which direction, once the visitor asks; the script needs the visitor's own position. */
function Distance({ view, locale }: { view: AddressView; locale: Locale }) {
	const { messages } = locale;
	return (
		<li
			class="wide"
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
		</li>
	);
}

/** A group of a code as one says it, character by character: `N G`, `one three seven seven`. */
function spokenGroup(group: string, digits: readonly string[]): string {
	return Array.from(group, (character) => digits[Number(character)] ?? character).join(" ");
}

/** The query that the pages of an address keep from one to the other: the language, the unit, and the token of a link to a private one. */
export function keptQuery({ query }: Locale, share: string | undefined, unit?: AskedUnit): string {
	const kept = new URLSearchParams(query);
	if (unit) kept.set("unit", unit.unit);
	if (share) kept.set("share", share);
	return kept.size > 0 ? `?${kept}` : "";
}

/** What fewer people need, folded: other applications, figures, what to print. */
function Folded({ view, locale, link, query }: Shown) {
	const { messages } = locale;
	const { lat, lng } = view.coordinates;
	const files = `/v1/addresses/${view.canonical}`;
	const printed = [
		[`/a/${view.canonical}/print${query}`, messages.printSheet],
		[`${files}/qr.svg`, isSandboxCode(view.canonical) ? `${TEST_MARK} · ${messages.qrCode}` : messages.qrCode],
		[`${files}/label.svg`, messages.card],
	] as const;
	return (
		<section>
			<details>
				<summary>{messages.otherMaps}</summary>
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
					<Copyable name={messages.coordinates} text={`${lat}, ${lng}`} locale={locale} />
					<Copyable name={messages.plusCode} text={view.plusCode} locale={locale} />
					<Copyable name={messages.copyLink} text={link} locale={locale} />
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
				<summary>{messages.printSheet}</summary>
				<ul class="buttons">
					{printed.map(([link, name]) => (
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
	const shown: Shown = { view, locale, sketch, link, query: keptQuery(locale, share, view.unit) };
	const { lat, lng } = view.coordinates;
	return {
		locale,
		// Messengers keep the title of a page that is sent, even once the link to a private address has ended.
		title: share
			? view.display
			: [view.display, isolated(view.label), view.placeAndCountry].filter(Boolean).join(" · "),
		description: `${view.display} · ${view.placeAndCountry} · ${lat}, ${lng} · ${view.verification}`,
		path: `/a/${view.canonical}`,
		image: `/a/${view.canonical}/og.png`,
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
				<p class="screen way">
					<a href={pathIn(locale, "/my/attest", { code: view.canonical })}>{messages.forAgents}</a>
				</p>
			</>
		),
	};
}
