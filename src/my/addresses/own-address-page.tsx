import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { qrUrl, type UnitRecord } from "../../addresses/address-record.ts";
import type { HistoryEvent } from "../../addresses/history.ts";
import { mayBePrivate } from "../../addresses/retired-or-withheld.ts";
import type { Address } from "../../addresses/store.ts";
import { perText, TEXTS, textsBelowLabel } from "../../addresses/texts.ts";
import type { StreetSketch } from "../../basemap/sketch.ts";
import { displayCode } from "../../codes/code.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { ownSheet } from "../../forms/console-sheet.ts";
import type { Failure } from "../../forms/failure.ts";
import { ButtonForm, Form } from "../../forms/form.tsx";
import { pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import { isolated, plainLabel } from "../../print/label-for-display.ts";
import type { Report } from "../../reports/actions.ts";
import { shortVerification, timeZoneAt, verificationText } from "../../web/address-view.ts";
import { Field, Labelled } from "../../web/fields.tsx";
import { dateText, durationText, timeText } from "../../web/measures.ts";
import { ButtonItem, ButtonLine, CodeLine, LinkItems, Plate, Submit, Way, Written } from "../../web/parts.tsx";
import { deviceScript } from "../../web/scripts.ts";
import { TextFields, type Texts, VisibilityChoice } from "../create/text-fields.tsx";
import { pointText } from "../create/where-page.tsx";
import { versionFor, versionOfSent, versionOfUnits } from "./changed-page.tsx";
import { ReportsSection } from "./reports-section.tsx";

/** A link that the owner has just made. `expiresAt` is in milliseconds since the epoch. */
export interface SharedLink {
	url: string;
	expiresAt: number;
}

/** The choices of how many days a link to a private address works. */
export const SHARED_DAYS = [1, 7, 30] as const;

/** The path of the page with the sign of an address: the public page, or the owner's page if the address is private. */
function signOf(visit: SignedInVisit, { canonical, visibility }: Address): string {
	return visibility === "private"
		? pathTo(visit, "/my/print", { code: canonical, as: "signs" })
		: `/a/${canonical}/print${visit.locale.query}#print`;
}

/** One of the visitor's own addresses. */
interface OwnAddress {
	visit: SignedInVisit;
	address: Address;
}

/** The button to print the sign, which comes first wherever it is offered. */
function PrintSignItem({ visit, address }: OwnAddress) {
	return (
		<li class="wide">
			<a class="button first" href={signOf(visit, address)}>
				{visit.words.address.printSign}
			</a>
		</li>
	);
}

/** A WhatsApp link that writes a message with the code, the label and a link to an address. The sender chooses the recipient. */
function whatsAppLink({ canonical, label }: Address, url: string): string {
	const text = [displayCode(canonical), plainLabel(label), url].filter(Boolean).join("\n");
	return `https://wa.me/?text=${encodeURIComponent(text)}`;
}

/** Ways to send somebody the link to an address. */
function SendItems({ visit, address, url }: OwnAddress & { url: string }) {
	const { words, locale } = visit;
	const { messages } = locale;
	return (
		<>
			<ButtonItem href={whatsAppLink(address, url)} rel="noopener noreferrer" text={words.address.whatsApp} />
			<li hidden>
				<button type="button" hidden data-does="share" data-text={url} data-done={messages.copied}>
					{messages.share}
				</button>
			</li>
		</>
	);
}

/** Ways to save and share an address, the sign first. A private one is shared only by a link, which has its own buttons. */
function SaveAndShare({ visit, address }: OwnAddress) {
	const { words, locale } = visit;
	return (
		<>
			<ul class="buttons">
				<PrintSignItem visit={visit} address={address} />
				{address.visibility === "public" ? (
					<SendItems visit={visit} address={address} url={qrUrl(address.canonical, visit.registry.webUrl)} />
				) : null}
				<ButtonItem
					href={`/v1/addresses/${address.canonical}/label.png`}
					download={`${displayCode(address.canonical)}.png`}
					text={words.address.savePicture}
				/>
				<ButtonItem href={`/a/${address.canonical}${locale.query}`} text={words.address.publicPage} />
			</ul>
			<p role="status" class="unseen" />
		</>
	);
}

/** The page of one of the visitor's addresses: to print, share, change and retire it. */
export function ownAddressPage(
	visit: SignedInVisit,
	address: Address,
	{
		isNew = false,
		sketch,
		reports = [],
		link,
		hiddenBecause,
	}: {
		isNew?: boolean;
		/** The streets around it, if there is a base map. */
		sketch?: StreetSketch | undefined;
		/** The reports about it. */
		reports?: Report[];
		link?: SharedLink | undefined;
		/** Why an operator hides it, if one does. */
		hiddenBecause?: string | undefined;
	},
): Response {
	const { words } = visit;
	const display = displayCode(address.canonical);
	return consolePage(visit, {
		title: isNew ? words.done.title : display,
		hasHeading: true,
		styles: ownSheet,
		scripts: [deviceScript],
		body: (
			<>
				{hiddenBecause ? (
					<p class="notice">{fill(words.hiddenBecause, { reason: plainLabel(hiddenBecause) })}</p>
				) : null}
				<section class="done">
					{isNew ? <p class="label">{words.done.title}</p> : null}
					{sketch ? raw(sketch.svg) : null}
					<h1 class="code">
						<Plate canonical={address.canonical} />
					</h1>
					{isNew ? <p>{words.done.writeDown}</p> : null}
					<Written class="label" text={plainLabel(address.label)} />
					{textsBelowLabel(address).map((text) => (
						<Written text={plainLabel(text)} />
					))}
					{isNew ? (
						<FirstSteps visit={visit} address={address} />
					) : (
						<>
							<p class="kind">
								{verificationText(address, visit.locale)}{" "}
								{address.verificationLevel === 0 ? words.done.howVerified : null}
							</p>
							<SaveAndShare visit={visit} address={address} />
						</>
					)}
				</section>
				{isNew ? null : (
					<>
						<ReportsSection visit={visit} reports={reports} />
						<section>
							<Visibility visit={visit} address={address} link={link} />
							<Changes visit={visit} address={address} />
						</section>
					</>
				)}
			</>
		),
	});
}

/** The first steps with a new address. Everything else is on its page. */
function FirstSteps({ visit, address }: OwnAddress) {
	const { words, registry } = visit;
	return (
		<ul class="buttons">
			<PrintSignItem visit={visit} address={address} />
			{address.visibility === "public" ? (
				<ButtonItem
					href={whatsAppLink(address, qrUrl(address.canonical, registry.webUrl))}
					rel="noopener noreferrer"
					text={words.address.whatsApp}
				/>
			) : null}
			<ButtonItem href={pathTo(visit, `/my/${address.canonical}`)} text={words.address.manage} />
		</ul>
	);
}

/** Links to change an address. */
function Changes({ visit, address }: OwnAddress) {
	const { words } = visit;
	const way = (action: string, name: string) => [pathTo(visit, `/my/${address.canonical}/${action}`), name] as const;
	return (
		<ul class="doors">
			<LinkItems
				links={[
					way("label", words.address.changeWords),
					way("move", words.move.title),
					way("entrance", words.entrance.title),
					way("units", words.units.title),
					way("history", words.address.history),
					way("retire", words.address.retire),
				]}
			/>
		</ul>
	);
}

/** Warns, before an address is changed, that this ends its verification, if it has one. */
export function VerificationEnds({ visit, address }: OwnAddress) {
	return address.verificationLevel > 0 ? <p class="notice">{visit.words.endsVerification}</p> : null;
}

/** Who can see an address: everyone with the code, or those to whom its owner gives a link. It is folded away while everyone can. */
function Visibility({ visit, address, link }: OwnAddress & { link: SharedLink | undefined }) {
	const { registry, words, locale } = visit;
	const { visibility } = words;
	if (!mayBePrivate(registry, address.visibility)) return null;
	const isPrivate = address.visibility === "private";
	const action = (name: string) => `/my/${address.canonical}/${name}`;
	return (
		<details id="visibility" open={isPrivate}>
			<summary>{visibility.seenBy}</summary>
			{isPrivate ? <p>{visibility.nowPrivate}</p> : null}
			{link ? (
				<>
					<p>{fill(visibility.linkText, { date: dateText(link.expiresAt, locale.language, timeZoneAt(address)) })}</p>
					<p class="secret" dir="ltr" tabindex={-1} autofocus>
						{link.url}
					</p>
					<ul class="buttons">
						<SendItems visit={visit} address={address} url={link.url} />
					</ul>
				</>
			) : null}
			{isPrivate ? (
				<>
					<Form visit={visit} action={action("share")} sends={versionFor("address", address)}>
						<p>{visibility.makeLink}</p>
						<div class="inline">
							{SHARED_DAYS.map((days) => (
								<Submit name="days" value={String(days)} text={durationText(days, "day", locale.language)} />
							))}
						</div>
					</Form>
					<ButtonForm visit={visit} action={action("end-links")} text={visibility.endLinks} />
				</>
			) : null}
			<Form visit={visit} action={action("visibility")} sends={versionFor("visibility", address)}>
				<VisibilityChoice visit={visit} chosen={address.visibility} isNamed />
				<Submit text={visibility.change} />
			</Form>
		</details>
	);
}

/** A page that does one thing with an address, with a link back to it. */
function taskPage(
	visit: SignedInVisit,
	{ canonical }: Address,
	{ title, body, leave, failure }: { title: string; body: Child; leave: string; failure?: Failure | undefined },
): Response {
	return consolePage(visit, {
		title,
		failure,
		body: (
			<section>
				<CodeLine canonical={canonical} />
				{body}
				<Way to={pathTo(visit, `/my/${canonical}`)} text={leave} />
			</section>
		),
	});
}

/** The page to change the texts. */
export function textsPage(visit: SignedInVisit, address: Address, texts: Texts, failure?: Failure): Response {
	return taskPage(visit, address, {
		title: visit.words.address.changeWords,
		leave: visit.words.cancel,
		failure,
		body: (
			<Form
				visit={visit}
				action={`/my/${address.canonical}/label`}
				sends={versionOfSent(visit, versionFor("texts", address))}
			>
				<VerificationEnds visit={visit} address={address} />
				<TextFields visit={visit} texts={texts} failure={failure} />
				<Submit class="first" text={visit.words.save} />
			</Form>
		),
	});
}

/** The page to retire an address for good. */
export function retirePage(visit: SignedInVisit, address: Address, others: Address[], failure?: Failure): Response {
	const { retire, cancel } = visit.words;
	return taskPage(visit, address, {
		title: retire.title,
		leave: cancel,
		failure,
		body: (
			<>
				<p>{retire.text}</p>
				<Form
					visit={visit}
					action={`/my/${address.canonical}/retire`}
					sends={versionOfSent(visit, versionFor("address", address))}
				>
					<Field name="digits" label={retire.lastFive} dir="ltr" inputmode="numeric" maxlength={20} failure={failure} />
					<Labelled
						name="successor"
						label={`${visit.locale.messages.movedTo} ${visit.words.optional}`}
						control={(attributes) => (
							<select {...attributes}>
								<option value="">{retire.nowhere}</option>
								{others.map(({ canonical, label }) => (
									<option value={canonical} selected={canonical === visit.form.get("successor")}>
										{`\u2066${displayCode(canonical)}\u2069 ${plainLabel(label)}`.trim()}
									</option>
								))}
							</select>
						)}
					/>
					<Submit class="danger" text={retire.button} />
				</Form>
			</>
		),
	});
}

/** The page to name and remove the units of an address. */
export function unitsPage(
	visit: SignedInVisit,
	address: Address,
	units: UnitRecord[],
	{ failure, unit, label }: { failure?: Failure | undefined; unit?: string; label?: string } = {},
): Response {
	const { words } = visit;
	const action = `/my/${address.canonical}/units`;
	const version = versionOfSent(visit, versionOfUnits(units));
	// Non-breaking, so that the example stays on one line.
	const example = `\u2066${displayCode(address.canonical).replaceAll("-", "\u2011")}\u00a0/\u00a03B\u2069`;
	return taskPage(visit, address, {
		title: words.units.title,
		leave: words.back,
		failure,
		body: (
			<>
				<p>{fill(words.units.text, { example })}</p>
				{units.length > 0 ? (
					<Form visit={visit} action={action} sends={version}>
						<dl class="rows">
							{units.map(({ unit, name, label }) => (
								<div>
									<dt>
										{address.visibility === "public" ? (
											<a href={pathTo(visit, `/a/${address.canonical}`, { unit })}>
												<bdi>{name}</bdi>
											</a>
										) : (
											<bdi>{name}</bdi>
										)}
									</dt>
									<dd class="value">
										{label ? <bdi>{plainLabel(label)}</bdi> : null}
										<button type="submit" name="remove" value={unit} aria-label={`${words.units.remove}: ${name}`}>
											{words.units.remove}
										</button>
									</dd>
								</div>
							))}
						</dl>
						<ButtonLine
							to={pathTo(visit, "/my/print", { code: address.canonical, as: "signs", units: "" })}
							text={words.units.print}
						/>
					</Form>
				) : null}
				<Form visit={visit} action={action} sends={version}>
					<Field name="unit" label={words.units.unit} value={unit} maxlength={600} failure={failure} />
					<Field
						name="label"
						label={`${words.texts.label.name} ${words.optional}`}
						value={label}
						maxlength={2 * TEXTS.label.charactersMax}
						failure={failure}
					/>
					<Submit class="first" text={words.save} />
				</Form>
			</>
		),
	});
}

/** The page of an address's history, oldest first. */
export function historyPage(visit: SignedInVisit, address: Address, events: HistoryEvent[]): Response {
	const { words, locale } = visit;
	const names: Record<HistoryEvent["change"], string> = {
		created: words.history.created,
		...perText((field) => words.texts[field].changed),
		point: words.history.point,
		entrance: words.history.entrance,
		attested: locale.messages.verification,
		read: words.history.read,
		shared: words.history.shared,
		retired: words.history.retired,
	};
	const before = (text: string) => text && fill(words.history.before, { before: isolated(text) });
	/** What was there before the event, or another detail of it. */
	const beforeOf = (event: HistoryEvent): string => {
		switch (event.change) {
			case "created":
			case "read":
			case "retired":
				return "";
			case "point":
				return before(pointText({ lat: event.previous_lat, lng: event.previous_lng }));
			case "entrance":
				return before(event.previous_entrance ? pointText(event.previous_entrance) : "");
			case "shared":
				return timeText(Date.parse(event.expires_at), locale.language, timeZoneAt(address));
			case "attested":
				return shortVerification(locale, event.level);
			default:
				return before(plainLabel(event[`previous_${event.change}`]));
		}
	};
	return taskPage(visit, address, {
		title: words.address.history,
		leave: words.back,
		body: (
			<dl>
				{events.map((event) => (
					<div>
						<dt>{timeText(Date.parse(event.at), locale.language, timeZoneAt(address))}</dt>
						<dd>{names[event.change]}</dd>
						<dd class="kind">{beforeOf(event)}</dd>
					</div>
				))}
			</dl>
		),
	});
}
