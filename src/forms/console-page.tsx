import { createMiddleware } from "hono/factory";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { displayCode } from "../codes/code.ts";
import type { AppEnv } from "../http/app-env.ts";
import { fill } from "../languages/template.ts";
import type { Inline } from "../web/inline.ts";
import { type Page, pageResponse } from "../web/page.tsx";
import { LinkItems, Section } from "../web/parts.tsx";
import { formsScript } from "../web/scripts.ts";
import { plainSheet, stylesFor } from "./console-sheet.ts";
import type { Failure } from "./failure.ts";
import { ButtonForm, FailureSummary, Notice } from "./form.tsx";
import { pathTo, type Visit } from "./visit.ts";

/** The parts of a console page. */
interface ConsolePage extends Pick<Page, "title" | "body" | "scripts" | "policy"> {
	/** What was wrong with the form that was sent. */
	failure?: Failure | undefined;
	/** What has just been done, if `?did=` does not say it. */
	notice?: string | undefined;
	/** Which of the three steps of creating an address the page is. */
	step?: 1 | 2 | 3;
	/** Whether the page has its own heading of level 1. */
	hasHeading?: boolean;
	styles?: Inline;
}

/** Links to the parts of the console that the header does not lead to, and to sign in and out. */
function ConsoleNavigation({ visit }: { visit: Visit }) {
	const { words, signedIn } = visit;
	const { path } = visit.c.req;
	// The sign-in pages link to each other already.
	if (!signedIn && /^\/my\/(sign-|deleted)/.test(path)) return null;
	const to = (path: string, name: string) => [pathTo(visit, path), name] as const;
	const links = signedIn
		? [
				to("/my/account", words.account.title),
				...(signedIn.user.role === "agent" ? [to("/my/attest", words.attest.title)] : []),
			]
		: // After signing in, the visitor returns to the address they had begun.
			[[pathTo(visit, "/my/sign-in", path.startsWith("/my/new") ? { next: path } : {}), words.signIn.title] as const];
	return (
		<nav class="console screen" aria-label={words.account.title}>
			<ul>
				<LinkItems links={links} />
				{signedIn ? (
					<li>
						<ButtonForm visit={visit} action="/my/sign-out" class="link" text={words.signIn.signOut} />
					</li>
				) : null}
			</ul>
		</nav>
	);
}

/** The values of `?did=` on the page after an account was opened, and after a forgotten password was replaced. */
export const SIGNED_UP = "signed-up";
export const RESET = "reset";

/** A sentence that says what was done before the browser was sent to this page, by `?did=`. */
function doneBefore({ c, words, signedIn }: Visit): string | undefined {
	if (!signedIn) return undefined;
	const did = c.req.query("did") ?? "";
	const sentences: Record<string, string> = {
		saved: words.saved,
		"links-ended": words.visibility.linksEnded,
		password: words.account.changed,
		[RESET]: words.account.changed,
		reopened: words.account.reopened,
		phone: words.account.phoneChanged,
		ended: words.account.ended,
		revoked: words.keys.revoked,
	};
	const [, retired] = /^retired-([A-Z]{2}\d{9})$/.exec(did) ?? [];
	if (retired) return fill(words.retire.done, { code: `\u2066${displayCode(retired)}\u2069` });
	return Object.hasOwn(sentences, did) ? sentences[did] : undefined;
}

/**
 * Offers a recovery code to somebody who has none: on the page after they opened an account or used their code up, and as the last step of
 * creating an address.
 */
function RecoveryOffer({ visit }: { visit: Visit }) {
	const { signedIn, words, c } = visit;
	const isNewAddress = c.req.query("new") !== undefined;
	const isAsked = isNewAddress || [SIGNED_UP, RESET].includes(c.req.query("did") ?? "");
	if (!signedIn || !isAsked || signedIn.user.recoveryHash !== null) return null;
	const { account } = words;
	const [action, next] = ["/my/account/recovery", isNewAddress ? `${c.req.path}?new=` : c.req.path];
	return (
		<Section title={isNewAddress ? account.recoveryStep : account.recoveryTitle}>
			<p>{account.recoveryText}</p>
			<ButtonForm visit={visit} action={action} sends={{ next }} text={account.recoveryMake} />
		</Section>
	);
}

/** Tells the user on their next page that somebody claims their number, or that a number waits for their answer. */
function PhoneNews({ visit }: { visit: Visit }) {
	const { signedIn, words, c } = visit;
	if (c.req.path.endsWith("/account") || !(signedIn?.isPhoneClaimed || signedIn?.isPhonePending)) return null;
	return (
		<p class="notice">
			<a href={pathTo(visit, "/my/account")}>
				{signedIn.isPhoneClaimed ? words.account.claimedTitle : words.account.pendingTitle}
			</a>
		</p>
	);
}

/** Answers with a console page. No cache may store it, because it may hold personal data and the token of a form. */
export function consolePage(visit: Visit, page: ConsolePage): Response {
	const { c, locale, words } = visit;
	const { title, body, failure, notice = doneBefore(visit), scripts = [], step, hasHeading = false } = page;
	return pageResponse(c, {
		locale,
		title: `${failure ? `${words.errorPrefix}: ` : ""}${title}`,
		description: title,
		path: c.req.path,
		previewed: false,
		status: (failure?.status ?? 200) as ContentfulStatusCode,
		styles: stylesFor(c, page.styles ?? plainSheet),
		scripts: [formsScript, ...scripts],
		policy: page.policy ?? [],
		headers: { ...failure?.headers, ...privateHeaders },
		body: (
			<>
				<FailureSummary visit={visit} failure={failure} isAll={hasHeading} />
				<Notice text={notice} />
				<PhoneNews visit={visit} />
				{step ? <p class="step">{fill(words.step, { number: String(step) })}</p> : null}
				{hasHeading ? null : <h1>{title}</h1>}
				{body}
				<RecoveryOffer visit={visit} />
				<ConsoleNavigation visit={visit} />
			</>
		),
	});
}

/** Headers of every answer under /my, for caches, search engines and browsers. */
export const privateHeaders = {
	"Cache-Control": "private, no-store",
	Vary: "Cookie, Accept-Language",
	"X-Robots-Tag": "noindex",
	// With no-referrer, which the rest of the site uses, browsers send `Origin: null` with a form. It would look like a form from another
	// site.
	"Referrer-Policy": "same-origin",
	"Permissions-Policy": "geolocation=(self), camera=(self), microphone=()",
} as const;

/** Sets these headers on every answer, including redirects and errors. */
export const keepPrivate = createMiddleware<AppEnv>(async (c, next) => {
	await next();
	for (const [name, value] of Object.entries(privateHeaders)) c.res.headers.set(name, value);
});
