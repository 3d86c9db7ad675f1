import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { whereabouts } from "../../addresses/address-record.ts";
import type { Address } from "../../addresses/store.ts";
import { displayCode } from "../../codes/code.ts";
import { privateHeaders } from "../../forms/console-page.tsx";
import { plainSheet } from "../../forms/console-sheet.ts";
import type { Failure } from "../../forms/failure.ts";
import { FailureSummary, Form } from "../../forms/form.tsx";
import { pathTo, type SignedInVisit, type Visit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import { plainLabel } from "../../print/label-for-display.ts";
import { inOneLine } from "../../web/address-view.ts";
import { Labelled } from "../../web/fields.tsx";
import { htmlResponse, Icon } from "../../web/layout.tsx";
import { durationText } from "../../web/measures.ts";
import { LanguageChoice, pageLayout } from "../../web/page.tsx";
import { CodeLine, LinkItems, Submit } from "../../web/parts.tsx";
import { deviceScript, formsScript, giveScript } from "../../web/scripts.ts";
import type { Shop } from "./shop.ts";

/** For how many days a link that is sent to a shop shows a private address. */
export const GIVEN_DAYS = 7;

/** The longest search for one of many addresses, in characters. */
const SEARCH_CHARACTERS_MAX = 200;

/** A text in its own direction within a line: a code, or the name of a shop. */
const isolatedLine = (text: string) => `\u2066${text}\u2069`;

const named = ({ name }: Shop) => ({ shop: isolatedLine(name) });

/**
 * A page of /give. Its first line says whose page it is and for which shop. Nothing on it leads elsewhere in the same tab: the other pages
 * cut the tab off from the page that opened it.
 */
export function givePage(
	visit: Visit,
	shop: Shop | undefined,
	{ title, body, failure, isFirst = false }: { title: string; body?: Child; failure?: Failure; isFirst?: boolean },
): Response {
	const { c, locale, words } = visit;
	const { siteName, messages, identity, query } = locale;
	const line = shop ? fill(words.give.title, { registry: siteName, ...named(shop) }) : siteName;
	const elsewhere = { target: "_blank", rel: "noopener" };
	return htmlResponse(
		c,
		{
			...pageLayout({
				locale,
				title: `${failure ? `${words.errorPrefix}: ` : ""}${line}`,
				description: title,
				path: c.req.path,
				previewed: false,
				styles: plainSheet,
				scripts: [formsScript, deviceScript, giveScript],
				body: (
					<>
						<FailureSummary visit={visit} failure={failure} isAll />
						{failure ? null : <h1>{title}</h1>}
						{body}
					</>
				),
			}),
			header: (
				<p class="for">
					<Icon />
					<strong>{line}</strong>
				</p>
			),
			footer: (
				<>
					<ul>
						<li>
							<a href={identity.privacyUrl ?? `/privacy${query}`} {...elsewhere}>
								{messages.privacy}
							</a>
						</li>
					</ul>
					{isFirst && shop ? <LanguageChoice locale={locale} carried={{ to: shop.origin, nonce: shop.nonce }} /> : null}
				</>
			),
		},
		{
			status: (failure?.status ?? 200) as ContentfulStatusCode,
			headers: { ...failure?.headers, ...privateHeaders, "Cross-Origin-Opener-Policy": "unsafe-none" },
		},
	);
}

const carried = ({ origin, nonce }: Shop) => ({ to: origin, nonce });

/** The form that leads to the visitor's addresses, and to them again after they have made one in another tab. */
function ShowForm({ visit, shop, isFirst = false }: { visit: Visit; shop: Shop; isFirst?: boolean }) {
	const { words } = visit;
	return (
		<Form visit={visit} action="/give" sends={carried(shop)}>
			<Submit {...(isFirst ? { class: "first" } : {})} text={words.give.show} />
		</Form>
	);
}

/** The first page. It is the same for everybody, so the shop cannot tell by its size or time who is signed in. */
export function firstPage(visit: Visit, shop: Shop): Response {
	const { give } = visit.words;
	return givePage(visit, shop, {
		title: fill(give.ask, named(shop)),
		isFirst: true,
		body: (
			<section>
				<p>{give.text}</p>
				<ShowForm visit={visit} shop={shop} isFirst />
			</section>
		),
	});
}

/** Links to create an address and to sign in, each in a tab of its own that cannot reach this one. */
function MakeOne({ visit, shop, isFirst }: { visit: Visit; shop: Shop; isFirst: boolean }) {
	const { words, signedIn } = visit;
	const links = [
		["/my/new", words.list.create],
		...(signedIn ? [] : [["/my/sign-in", words.signIn.title] as const]),
	] as const;
	return (
		<section>
			{signedIn ? null : <p>{words.give.first}</p>}
			{links.map(([path, text], index) => (
				<p>
					<a
						class={isFirst && index === 0 ? "button first" : "button"}
						href={pathTo(visit, path)}
						target="_blank"
						rel="noopener"
					>
						{text}
					</a>
				</p>
			))}
			<ShowForm visit={visit} shop={shop} />
		</section>
	);
}

/** The page for who is not signed in. */
export function strangerPage(visit: Visit, shop: Shop): Response {
	const title = fill(visit.words.give.ask, named(shop));
	return givePage(visit, shop, { title, body: <MakeOne visit={visit} shop={shop} isFirst /> });
}

/**
 * A button that sends. It has no id, so no link can give it the focus. It is off until the script has seen the page in focus for a while.
 * Without a script it stays hidden, because nothing could be sent.
 */
function SendButton({
	name,
	code,
	text,
	copied,
}: {
	name: "code" | "link";
	code: string;
	text: string;
	copied: string;
}) {
	return (
		<button type="submit" class="first" name={name} value={code} hidden disabled data-sends data-copied={copied}>
			{text}
		</button>
	);
}

/** One of the visitor's addresses, with what the shop sees when it is sent. */
function Offered({ visit, shop, address }: { visit: SignedInVisit; shop: Shop; address: Address }) {
	const { words, locale } = visit;
	const { give } = words;
	const { canonical, label, visibility } = address;
	const at = { ...named(shop), code: isolatedLine(displayCode(canonical)) };
	const days = durationText(GIVEN_DAYS, "day", locale.language);
	return (
		<li>
			<CodeLine canonical={canonical} />
			{label ? <bdi>{plainLabel(label)}</bdi> : null}
			<span class="kind">{inOneLine(whereabouts(address), locale.language)}</span>
			<p class="help">{fill(visibility === "private" ? give.private : give.public, at)}</p>
			<SendButton name="code" code={canonical} text={fill(give.send, at)} copied={fill(give.display, at)} />
			{visibility === "private" ? (
				<>
					<p class="help">{fill(give.link, { ...at, days })}</p>
					<SendButton name="link" code={canonical} text={fill(give.sendLink, at)} copied={fill(give.displayLink, at)} />
				</>
			) : null}
		</li>
	);
}

/** The visitor's addresses, of which one can be sent. */
export function choicePage(
	visit: SignedInVisit,
	shop: Shop,
	{ addresses, search, hasMore }: { addresses: Address[]; search: string; hasMore: boolean },
): Response {
	const { words } = visit;
	const { give, list } = words;
	return givePage(visit, shop, {
		title: give.choose,
		body: (
			<>
				{hasMore || search ? (
					<Form visit={visit} action="/give" sends={carried(shop)}>
						<Labelled
							name="q"
							label={list.search}
							control={(attributes) => (
								<div class="row">
									<input {...attributes} value={search} maxlength={SEARCH_CHARACTERS_MAX} autocomplete="off" />
									<Submit text={list.find} />
								</div>
							)}
						/>
					</Form>
				) : null}
				{addresses.length === 0 ? <p role="status">{search ? list.noMatch : list.empty}</p> : null}
				{addresses.length > 0 ? (
					<Form visit={visit} action="/give/send" sends={carried(shop)}>
						<noscript>
							<p>{fill(give.copy, named(shop))}</p>
						</noscript>
						<ul class="cards">
							{addresses.map((address) => (
								<Offered visit={visit} shop={shop} address={address} />
							))}
						</ul>
					</Form>
				) : null}
				<MakeOne visit={visit} shop={shop} isFirst={addresses.length === 0} />
			</>
		),
	});
}

/**
 * The page that sends a code to the shop by its script. Until the field there has answered, and where nothing can be sent, it shows the
 * code to copy.
 * @param url The link to a private address, if that is sent with the code.
 */
export function sentPage(visit: Visit, shop: Shop, { canonical }: Address, url: string | undefined): Response {
	const { words, locale } = visit;
	const { give } = words;
	const { messages } = locale;
	const display = displayCode(canonical);
	const token = url && new URL(url).searchParams.get("share");
	return givePage(visit, shop, {
		title: isolatedLine(display),
		body: (
			<section>
				<div id="given" data-to={shop.origin} data-nonce={shop.nonce} data-code={canonical} data-share={token}>
					<p class="secret" dir="ltr">
						{url ?? display}
					</p>
					<ul class="buttons">
						<li hidden>
							<button
								type="button"
								class="first"
								hidden
								data-does="copy"
								data-text={url ?? display}
								data-done={messages.copied}
							>
								{messages.copy}
							</button>
						</li>
					</ul>
					<p>{fill(give.copy, named(shop))}</p>
				</div>
				<p id="received" hidden>
					{fill(give.sent, { ...named(shop), code: isolatedLine(display) })}
				</p>
				<p role="status" />
			</section>
		),
	});
}

/** The page for a link that names no shop to which a code could be sent. */
export function noShopPage(visit: Visit, failure: Failure): Response {
	return givePage(visit, undefined, {
		title: failure.message,
		failure,
		body: (
			<ul>
				<LinkItems links={[[pathTo(visit, "/my"), visit.words.list.title]]} />
			</ul>
		),
	});
}
