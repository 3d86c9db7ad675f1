import type { Child } from "hono/jsx";
import { displayCode } from "../addresses/code.ts";
import type { HistoryEvent } from "../addresses/own-addresses.ts";
import { plainLabel } from "../addresses/plain-label.ts";
import { qrSymbol } from "../addresses/qr.ts";
import { qrUrl } from "../addresses/record.ts";
import type { Address } from "../addresses/resolve.ts";
import { webUrl } from "../http/app-env.ts";
import { deviceScript } from "../web/scripts.ts";
import type { Failure } from "./failure.ts";
import { Field, Form } from "./form.tsx";
import { shortVerification } from "./list-page.tsx";
import { LabelField } from "./name-page.tsx";
import { consolePage } from "./page.tsx";
import { timeText } from "./times.ts";
import { pathTo, type SignedInVisit } from "./visit.ts";
import { pointText } from "./where-page.tsx";

/** What can be done with an address to keep and pass it on. */
function Keep({ visit, address }: { visit: SignedInVisit; address: Address }) {
	const { words, locale } = visit;
	const { messages } = locale;
	const display = displayCode(address.canonical);
	const url = qrUrl(address.canonical, webUrl(visit.c));
	const text = [display, plainLabel(address.label), url].filter(Boolean).join("\n");
	return (
		<section>
			<h2>{messages.keepAndShare}</h2>
			<ul class="buttons">
				<li>
					<a class="button first" href={`/a/${address.canonical}/print${locale.query}`}>
						{words.address.printSign}
					</a>
				</li>
				<li>
					<a class="button" href={`/v1/addresses/${address.canonical}/label.png`} download={`${display}.png`}>
						{words.address.savePicture}
					</a>
				</li>
				<li>
					<a class="button" href={`https://wa.me/?text=${encodeURIComponent(text)}`} rel="noopener noreferrer">
						{words.address.whatsApp}
					</a>
				</li>
				<li hidden>
					<button type="button" hidden data-does="share" data-text={url}>
						{messages.share}
					</button>
				</li>
				<li hidden>
					<button type="button" hidden data-does="copy" data-text={url} data-done={messages.copied}>
						{messages.copyLink}
					</button>
				</li>
				<li>
					<a class="button" href={`/a/${address.canonical}${locale.query}`}>
						{words.address.publicPage}
					</a>
				</li>
			</ul>
			<p role="status" class="unseen" />
		</section>
	);
}

/** One address of the visitor's own: to print, share, change and retire. */
export function ownAddressPage(
	visit: SignedInVisit,
	address: Address,
	{ isNew, notice }: { isNew: boolean; notice: string | undefined },
): Response {
	const { words, locale } = visit;
	const { messages } = locale;
	const display = displayCode(address.canonical);
	const { path, size } = qrSymbol(qrUrl(address.canonical, webUrl(visit.c)));
	const level = messages.verificationLevels[address.verificationLevel] ?? messages.verificationLevels[0];
	return consolePage(visit, {
		title: isNew ? words.done.title : display,
		notice,
		hasHeading: true,
		scripts: [deviceScript],
		body: (
			<>
				<section class="done">
					{isNew ? <p class="notice-text">{words.done.title}</p> : <p class="kind">{messages.address}</p>}
					<h1 class="code">
						<span dir="ltr">{display}</span>
					</h1>
					{isNew ? <p>{words.done.writeDown}</p> : null}
					{address.label ? (
						<p class="label">
							<bdi>{plainLabel(address.label)}</bdi>
						</p>
					) : null}
					<svg
						class="qr"
						viewBox={`0 0 ${size} ${size}`}
						role="img"
						aria-label={messages.qrCode}
						shape-rendering="crispEdges"
					>
						<path d={path} />
					</svg>
					<p class="kind">
						{level} {address.verificationLevel === 0 ? words.done.howVerified : null}
					</p>
				</section>
				<Keep visit={visit} address={address} />
				<ul class="buttons">
					{(
						[
							["label", words.address.changeWords],
							["move", words.address.movePin],
							["history", words.address.history],
							["retire", words.address.retire],
						] as const
					).map(([action, name]) => (
						<li>
							<a class="button" href={pathTo(visit, `/my/${address.canonical}/${action}`)}>
								{name}
							</a>
						</li>
					))}
				</ul>
			</>
		),
	});
}

/** A page on which one thing is done with an address, with the way back to it. */
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
				<p class="code">
					<span dir="ltr">{displayCode(canonical)}</span>
				</p>
				{body}
				<p class="way">
					<a href={pathTo(visit, `/my/${canonical}`)}>{leave}</a>
				</p>
			</section>
		),
	});
}

/** The page on which the label is changed. The form holds the version it was made from, so that a change elsewhere meanwhile is noticed. */
export function labelPage(visit: SignedInVisit, address: Address, value: string, failure?: Failure): Response {
	return taskPage(visit, address, {
		title: visit.words.label.title,
		leave: visit.words.cancel,
		failure,
		body: (
			<Form visit={visit} action={`/my/${address.canonical}/label`}>
				<input type="hidden" name="version" value={String(address.version)} />
				<LabelField visit={visit} value={value} failure={failure} />
				<button type="submit" class="first">
					{visit.words.save}
				</button>
			</Form>
		),
	});
}

/** The page on which an address is retired for good. */
export function retirePage(visit: SignedInVisit, address: Address, others: Address[], failure?: Failure): Response {
	const { retire, cancel } = visit.words;
	return taskPage(visit, address, {
		title: retire.title,
		leave: cancel,
		failure,
		body: (
			<>
				<p>{retire.text}</p>
				<Form visit={visit} action={`/my/${address.canonical}/retire`}>
					<Field name="digits" label={retire.lastFive} dir="ltr" inputmode="numeric" maxlength={20} failure={failure} />
					<div class="field">
						<label for="successor">
							{retire.movedTo} {visit.words.optional}
						</label>
						<select id="successor" name="successor">
							<option value="">{retire.nowhere}</option>
							{others.map(({ canonical, label }) => (
								<option value={canonical}>{`\u2066${displayCode(canonical)}\u2069 ${plainLabel(label)}`.trim()}</option>
							))}
						</select>
					</div>
					<button type="submit" class="danger">
						{retire.button}
					</button>
				</Form>
			</>
		),
	});
}

/** What happened to an address, oldest first. */
export function historyPage(visit: SignedInVisit, address: Address, events: HistoryEvent[]): Response {
	const { words, locale } = visit;
	const names: Record<HistoryEvent["change"], string> = {
		created: words.list.created,
		label: words.history.label,
		point: words.history.point,
		attested: locale.messages.verification,
		retired: words.history.retired,
	};
	const beforeOf = ({ previousLabel, previousLat, previousLng, level }: HistoryEvent): string => {
		if (previousLat != null && previousLng != null) return pointText({ lat: previousLat, lng: previousLng });
		return level === undefined ? plainLabel(previousLabel ?? "") : shortVerification(visit, level);
	};
	return taskPage(visit, address, {
		title: words.address.history,
		leave: words.back,
		body: (
			<dl>
				{events.map((event) => (
					<div>
						<dt>{timeText(event.at, locale.language)}</dt>
						<dd>
							{names[event.change]} <bdi class="kind">{beforeOf(event)}</bdi>
						</dd>
					</div>
				))}
			</dl>
		),
	});
}
