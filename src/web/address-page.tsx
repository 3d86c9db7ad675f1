import { raw } from "hono/html";
import { whereToType } from "../addresses/card.ts";
import { displayCode, partsOf } from "../addresses/code.ts";
import type { Neighbourhood } from "../addresses/map.ts";
import { drawMap } from "../addresses/map-drawing.ts";
import { isolated, plainLabel } from "../addresses/plain-label.ts";
import { COMPASS } from "../addresses/plane.ts";
import { plusCode } from "../addresses/plus-code.ts";
import { qrSymbol } from "../addresses/qr.ts";
import { type PublicAddress, qrUrl } from "../addresses/record.ts";
import { countryName } from "../zones/naming.ts";
import { inline } from "./inline.ts";
import { lengthText } from "./lengths.ts";
import type { Locale } from "./locale.ts";
import type { Page } from "./page.tsx";
import { deviceScript, distanceScript } from "./scripts.ts";
import { pageStyles } from "./styles.ts";

/** Decimal places of coordinates as people read them: 0.000001 degree is about 11 cm. All of them are shown, so that nobody takes `6.5` for a rough value. */
const COORDINATE_DECIMALS = 6;

function degrees(value: number): string {
	// Adding zero takes the sign from a zero that has one.
	return (Number(value.toFixed(COORDINATE_DECIMALS)) + 0).toFixed(COORDINATE_DECIMALS);
}

/** On a wide screen the cards stand in two columns. On paper stands what leads back to the address, and nothing to press. */
const addressStyles = inline(`${pageStyles.text}
.trust{font-weight:600}
.paper{display:none}
summary{min-height:2.75rem;display:flex;align-items:center;cursor:pointer}
summary::before{content:"+";width:1.25rem;font-weight:700}
[open]>summary::before{content:"−"}
details dl{margin-top:.5rem}
details figure{margin:.75rem 0 0}
dl+details{margin-top:.75rem}
#distance p{margin-top:.375rem;font-weight:600}
@media(min-width:64rem){header,main,footer{max-width:64rem}main{display:grid;grid-template-columns:1fr 1fr;gap:0 1rem;align-items:start}main>:first-child,main>.way{grid-column:1/-1}}
@media print{@page{margin:15mm}.screen,.buttons,h2,button,details,.code~.kind:last-child{display:none!important}body{background:#fff;color:#000}main{max-width:none;display:block}section{border:0;padding:0;break-inside:avoid}.paper{display:block}.paper svg{width:60mm;height:60mm;margin-inline-start:-5mm}.code{font-size:15mm}}
`);

/** What the pages show of an address, in the words of a locale. Every text is kept in its own direction: codes and numbers run left to right, names as they are written. */
export interface AddressView {
	canonical: string;
	display: string;
	label: string;
	zone: string;
	zoneName: string;
	country: string;
	/** Zone name and country, for a line of plain text. */
	place: string;
	coordinates: { lat: string; lng: string };
	plusCode: string;
	/** What has been attested, in words. */
	verification: string;
	/** The day it was created, by UTC, in words. */
	created: string;
	url: string;
}

export function viewOf(address: PublicAddress, locale: Locale, origin: string): AddressView {
	const { canonical, lat, lng, zoneName } = address;
	const { country: letters, zone } = partsOf(canonical);
	const country = countryName(letters, locale.language);
	const levels = locale.messages.verificationLevels;
	return {
		canonical,
		display: displayCode(canonical),
		label: plainLabel(address.label),
		zone,
		zoneName,
		country,
		place: [zoneName, country].filter(Boolean).map(isolated).join(`${locale.messages.comma} `),
		coordinates: { lat: degrees(lat), lng: degrees(lng) },
		plusCode: plusCode(lat, lng),
		verification: levels[Math.min(address.verificationLevel, levels.length - 1)] ?? levels[0],
		created: locale.messages.createdOn(
			new Intl.DateTimeFormat(locale.language, { dateStyle: "long", timeZone: "UTC" }).format(address.createdAt),
		),
		url: qrUrl(canonical, origin),
	};
}

/** Links that start navigation to a point. Each opens the application where the device has it, else its web page; the most widespread first. */
function directions({ coordinates: { lat, lng } }: AddressView): [name: string, link: string][] {
	return [
		["Google Maps", `https://www.google.com/maps/dir/?api=1&destination=${lat}%2C${lng}`],
		["Apple Maps", `https://maps.apple.com/?daddr=${lat}%2C${lng}`],
		["Waze", `https://waze.com/ul?ll=${lat}%2C${lng}&navigate=yes`],
		["OpenStreetMap", `https://www.openstreetmap.org/directions?to=${lat}%2C${lng}`],
	];
}

/** Android drops a pin at `q` alone; others read RFC 5870's coordinates and pass over it. An iPhone knows no such links, so it comes last. */
function geoLink({ coordinates: { lat, lng }, display }: AddressView): string {
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

function Heading({ view, locale }: { view: AddressView; locale: Locale }) {
	return (
		<section>
			<p class="kind">{locale.messages.address}</p>
			<h1 class="code">
				<span dir="ltr">{view.display}</span>
			</h1>
			{view.label ? (
				<p class="label">
					<bdi>{view.label}</bdi>
				</p>
			) : null}
			<p class="where kind">{view.place}</p>
			<p class="trust">{view.verification}</p>
			<p class="kind">{view.created}</p>
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
			data-away={messages.away("{d}", "{w}")}
			data-compass={COMPASS.map((direction) => messages.compass[direction]).join("|")}
			data-unknown={messages.positionUnknown}
		>
			<button type="button">{messages.howFar}</button>
			<p aria-live="polite" />
		</li>
	);
}

function KeepAndShare({ view, locale }: { view: AddressView; locale: Locale }) {
	const { messages, query } = locale;
	const files = `/v1/addresses/${view.canonical}`;
	return (
		<section>
			<h2>{messages.keepAndShare}</h2>
			<ul class="buttons">
				<li hidden>
					<button type="button" class="first" hidden data-does="share" data-text={view.url}>
						{messages.share}
					</button>
				</li>
				<li hidden>
					<button type="button" hidden data-does="copy" data-text={view.url} data-done={messages.copied}>
						{messages.copyLink}
					</button>
				</li>
				<li>
					<a class="button" href={`${files}/qr.svg`}>
						{messages.qrCode}
					</a>
				</li>
				<li>
					<a class="button" href={`${files}/label.svg`}>
						{messages.card}
					</a>
				</li>
				<li>
					<a class="button" href={`/a/${view.canonical}/print${query}`}>
						{messages.printSheet}
					</a>
				</li>
			</ul>
			<p role="status" class="unseen" />
		</section>
	);
}

/** The page that a scanned QR code opens. `around` is undefined when there is nothing to draw a map of. */
export function addressPage(view: AddressView, around: Neighbourhood | undefined, locale: Locale): Page {
	const { messages, language } = locale;
	const { lat, lng } = view.coordinates;
	return {
		locale,
		title: [view.display, isolated(view.label), view.place].filter(Boolean).join(" · "),
		description: `${view.display} · ${view.place} · ${lat}, ${lng} · ${view.verification}`,
		path: `/a/${view.canonical}`,
		scripts: [deviceScript, distanceScript],
		styles: addressStyles,
		body: (
			<>
				<Heading view={view} locale={locale} />
				<OnPaper view={view} />
				<section>
					<h2>{messages.directions}</h2>
					<ul class="buttons">
						{directions(view).map(([name, link], index) => (
							<li>
								<a class={index === 0 ? "button first" : "button"} href={link} rel="noopener noreferrer">
									{name}
								</a>
							</li>
						))}
						<li class="wide">
							<a class="button" href={geoLink(view)}>
								{messages.deviceMap}
							</a>
						</li>
						<Distance view={view} locale={locale} />
					</ul>
				</section>
				<section>
					<dl>
						<Copyable name={messages.coordinates} text={`${lat}, ${lng}`} locale={locale} />
						<Copyable name={messages.plusCode} text={view.plusCode} locale={locale} />
					</dl>
					<details>
						<summary>{messages.aboutZone}</summary>
						<dl>
							<div>
								<dt>{messages.zone}</dt>
								<dd>
									<bdi>{view.zone}</bdi> <bdi>{view.zoneName}</bdi>
								</dd>
							</div>
							<div>
								<dt>{messages.country}</dt>
								<dd>{view.country}</dd>
							</div>
						</dl>
						{around ? (
							<figure>
								{raw(drawMap(around, messages.mapOf(view.zone), view.zone, (metres) => lengthText(metres, language)))}
							</figure>
						) : null}
					</details>
				</section>
				<KeepAndShare view={view} locale={locale} />
				<p class="screen way">
					<a
						href={`/my/attest?${new URLSearchParams([...new URLSearchParams(locale.query), ["code", view.canonical]])}`}
					>
						{messages.forAgents}
					</a>
				</p>
			</>
		),
	};
}
