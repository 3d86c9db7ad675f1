import { raw } from "hono/html";
import { type PublicAddress, qrUrl, whereabouts } from "../addresses/address-record.ts";
import { textsBelowLabel } from "../addresses/texts.ts";
import type { StreetSketch } from "../basemap/sketch.ts";
import { displayCode, groupsOf, partsOf } from "../codes/code.ts";
import { plusCode } from "../codes/plus-code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { type Language, languages } from "../languages/languages.ts";
import { fill } from "../languages/template.ts";
import { COMPASS } from "../points/plane.ts";
import { whereToType } from "../print/card.ts";
import { isolated, plainLabel } from "../print/plain-label.ts";
import { TEST_MARK } from "../print/plate.ts";
import { qrSymbol } from "../print/qr.ts";
import { countryName } from "../zones/naming.ts";
import { timeZoneOf } from "../zones/time-zones.ts";
import { inline } from "./inline.ts";
import type { Locale } from "./locale.ts";
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

/** A label of more UTF-16 units than this is written smaller, so that it does not push the directions off a phone's screen. */
const SHORT_LABEL_MAX = 80;

function degrees(value: number): string {
	// Adding zero turns -0 into 0.
	return (Number(value.toFixed(COORDINATE_DECIMALS)) + 0).toFixed(COORDINATE_DECIMALS);
}

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
 * What the pages show of an address, in the words of a locale. Every text runs in its own direction: codes and numbers run
 * left to right, names as they are written.
 */
export interface AddressView {
	canonical: string;
	display: string;
	label: string;
	/** Further texts of the owner, such as the way from the road to the door. */
	texts: string[];
	zone: string;
	zoneName: string;
	/** The settlement that a person there would name. */
	locality: string;
	/** Its region and the country. */
	beyond: string;
	/** Locality and region, and the same with the country, for a line of plain text. */
	place: string;
	placeAndCountry: string;
	/** The unit that the page was asked for. */
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
	/** The verification in a word or two. */
	shortVerification: string;
	url: string;
}

/** The time zone of an address. */
export function timeZoneAt({ canonical, lng }: Pick<PublicAddress, "canonical" | "lng">): string {
	return timeZoneOf(partsOf(canonical).country, lng);
}

/**
 * What an agent has attested of an address, when, and whether it has changed since, in words.
 * @param isOfUnit Whether this is for the page of a unit: agents attest only the building.
 */
export function verificationText(
	{
		verificationLevel,
		verifiedAt,
		...place
	}: Pick<PublicAddress, "verificationLevel" | "verifiedAt" | "canonical" | "lng">,
	{ messages, language }: Locale,
	isOfUnit = false,
): string {
	// The person whom an agent identified may live behind another door.
	const level = isOfUnit ? Math.min(verificationLevel, 2) : verificationLevel;
	if (verifiedAt === null) return messages.verificationLevels[level] ?? messages.verificationLevels[0];
	const date = dateText(verifiedAt, language, timeZoneAt(place), "long");
	const verifiedOn = isOfUnit ? messages.buildingVerifiedOn : messages.verifiedOn;
	return fill(verifiedOn[level] ?? verifiedOn[0], { date });
}

/** What has been attested, in a word or two: the part of the whole sentence before its colon. */
export function shortVerification({ messages }: Pick<Locale, "messages">, level: number): string {
	const levels = messages.verificationLevels;
	return (levels[level] ?? levels[0]).split(/\s?:/)[0] ?? "";
}

/** Names in one line of plain text, the narrowest first, each in its own direction. */
export function inOneLine(names: string[], language: Language): string {
	return [...new Set(names)].map(isolated).join(`${languages[language].comma} `);
}

export function viewOf(address: PublicAddress, locale: Locale, origin: string, unit?: AskedUnit): AddressView {
	const { language } = locale;
	const { canonical, lat, lng, zoneName } = address;
	const { country: letters, zone } = partsOf(canonical);
	const country = countryName(letters, language);
	const [locality = country, ...regions] = whereabouts(address);
	const url = qrUrl(canonical, origin);
	return {
		canonical,
		display: displayCode(canonical),
		label: plainLabel(address.label),
		texts: textsBelowLabel(address).map(plainLabel),
		zone,
		zoneName,
		locality,
		beyond: inOneLine(
			[...regions, country].filter((name) => name !== locality),
			language,
		),
		place: inOneLine([locality, ...regions], language),
		placeAndCountry: inOneLine([locality, ...regions, country], language),
		unit,
		coordinates: { lat: degrees(lat), lng: degrees(lng) },
		target: { lat: degrees(address.entrance?.lat ?? lat), lng: degrees(address.entrance?.lng ?? lng) },
		plusCode: plusCode(lat, lng),
		isPrivate: address.visibility === "private",
		level: address.verificationLevel,
		verification: verificationText(address, locale, unit !== undefined),
		shortVerification: shortVerification(locale, address.verificationLevel),
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

/**
 * What is near a point, such as "140 m north of Fadeyi Bus Stop". The distance is left out unless the point is known more accurately
 * than that, because it would say more than is known.
 * @param accuracy The accuracy of the point in metres, which only a device tells that has just measured it. Addresses do not store it, so
 * their pages say "near Fadeyi Bus Stop".
 */
export function nearbyText(
	{ nearby }: StreetSketch,
	{ messages, language }: Locale,
	accuracy = Number.POSITIVE_INFINITY,
): string | undefined {
	if (!nearby) return undefined;
	const name = isolated(plainLabel(nearby.name));
	const metres = Math.max(10, Math.round(nearby.metres / 10) * 10);
	if (accuracy >= metres) return fill(messages.near, { name });
	const distance = lengthText(metres, language);
	return fill(messages.nearby, { distance, direction: messages.compass[nearby.direction], name });
}

/** The unit that a page was asked for. */
export interface AskedUnit {
	/** The unit as links carry it. */
	unit: string;
	/** Its name in the words of its owner, or else of whoever asked. */
	name: string;
	/** The owner's label for it; undefined if the owner has not named the unit. */
	label: string | undefined;
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

/** The code as it is copied and sent, with its unit. */
export function codeText({ display, unit }: Pick<AddressView, "display" | "unit">): string {
	return unit ? `${display} / ${unit.name}` : display;
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

/** The query that the pages of an address pass on to one another: the language, the unit, and the token of a link to a private address. */
export function carriedQuery({ query }: Locale, share: string | undefined, unit?: AskedUnit): string {
	const carried = new URLSearchParams(query);
	if (unit) carried.set("unit", unit.unit);
	if (share) carried.set("share", share);
	return carried.size > 0 ? `?${carried}` : "";
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
