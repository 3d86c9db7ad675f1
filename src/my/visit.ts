import type { Context } from "hono";
import { accountStore } from "../accounts/authentication.ts";
import { sessionStart } from "../accounts/endpoints.ts";
import { findWebSession, type WebSession } from "../accounts/web-session.ts";
import { AppError } from "../errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { log } from "../log.ts";
import { askedLanguage, inEnglish, isStandIn, type Locale, localeOf } from "../web/locale.ts";
import { translations } from "../web/translations.ts";
import { readCookie } from "./cookies.ts";
import { formToken, isOwnForm } from "./form-guard.ts";
import { type ConsoleMessages, en } from "./messages-en.ts";

const readMessages = translations("console", en);

/** One request to the console: who it is from, in which language, and the form it sends. */
export interface Visit {
	c: Context<AppEnv>;
	locale: Locale;
	/** What the console says, in the visitor's language. */
	words: ConsoleMessages;
	/** Who is signed in on this browser. */
	signedIn: WebSession | undefined;
	/** What forms on the answered page must carry. */
	formToken: string;
	/** The fields of the form that was sent; empty for a GET. */
	form: URLSearchParams;
	/** Milliseconds since the epoch. */
	now: number;
}

/** A visit of somebody who is signed in. */
export interface SignedInVisit extends Visit {
	signedIn: WebSession;
}

async function signedInOn(c: Context<AppEnv>): Promise<WebSession | undefined> {
	const found = await findWebSession(accountStore(c), readCookie(c, "session"), sessionStart(c));
	if (!found) return undefined;
	const { noteUse, ...signedIn } = found;
	const requestId = c.var.requestId;
	// The answer does not wait for it, and stands when it fails.
	if (noteUse)
		c.executionCtx.waitUntil(noteUse().catch(() => log("error", "session_use_not_noted", { request_id: requestId })));
	return signedIn;
}

/** Reads who visits; `form` holds the fields that they send. */
export async function readVisit(c: Context<AppEnv>, form: URLSearchParams): Promise<Visit> {
	const asked = askedLanguage(c);
	const now = Date.now();
	const [locale, words, signedIn] = await Promise.all([localeOf(c), readMessages(c.env, asked.asked), signedInOn(c)]);
	return {
		c,
		// A page speaks one language, so a part of one that can be read is not used alone.
		...(words && !isStandIn(locale) ? { locale, words } : { locale: inEnglish(asked), words: en }),
		signedIn,
		formToken: formToken(c),
		form,
		now,
	};
}

/**
 * Reads who visits and what they send.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE for a body that is not a plain form, FORBIDDEN for a form of another site.
 */
async function openVisit(c: Context<AppEnv>): Promise<Visit> {
	if (c.req.method !== "POST") return readVisit(c, new URLSearchParams());
	if (!/^application\/x-www-form-urlencoded\b/i.test(c.req.header("Content-Type") ?? "")) {
		throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the fields of the form as application/x-www-form-urlencoded.");
	}
	// Not as text(): the platform warns of a body whose type is not text.
	const form = new URLSearchParams(new TextDecoder().decode(await c.req.arrayBuffer()));
	if (!isOwnForm(c, form)) throw new AppError("FORBIDDEN", "This form was not sent from a page of this registry.");
	return readVisit(c, form);
}

/** A path of the console that keeps the language that was asked for, with parameters. */
export function pathTo(visit: Visit, path: string, parameters: Record<string, string> = {}): string {
	const query = new URLSearchParams([...new URLSearchParams(visit.locale.query), ...Object.entries(parameters)]);
	return query.size > 0 ? `${path}?${query}` : path;
}

/** Sends the browser on to a page of the console by GET, so that reloading repeats nothing (303, RFC 9110 section 15.4.4). */
export function goTo(visit: Visit, path: string, parameters?: Record<string, string>): Response {
	return visit.c.redirect(pathTo(visit, path, parameters), 303);
}

/** A handler of a page for whoever visits. */
export function forAnyone(handle: (visit: Visit) => Response | Promise<Response>) {
	return async (c: Context<AppEnv>) => handle(await openVisit(c));
}

/** A handler of a page for people who are signed in; others are asked to, and come back to the page after. */
export function forSignedIn(handle: (visit: SignedInVisit) => Response | Promise<Response>) {
	return async (c: Context<AppEnv>) => {
		const visit = await openVisit(c);
		const { signedIn } = visit;
		if (signedIn) return handle({ ...visit, signedIn });
		const next = c.req.method === "GET" ? c.req.path + new URL(c.req.url).search : "/my";
		return goTo(visit, "/my/sign-in", { next });
	};
}

/** Where to go after signing in: a page of the console, and never another site. */
export function safeNext(next: string | null | undefined): string {
	return next && /^\/my(\/[\w-]+)*(\?[\w=&%.-]*)?$/.test(next) ? next : "/my";
}
