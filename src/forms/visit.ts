import type { Context } from "hono";
import { accountSuspended } from "../accounts/signed-in.ts";
import { findWebSession, type WebSession } from "../accounts/web-session.ts";
import { AppError } from "../errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readFields } from "../http/form.ts";
import { isLanguage } from "../languages/languages.ts";
import type { Messages } from "../languages/messages-en.ts";
import type { Registry } from "../registry.ts";
import { type Locale, localeOf, pathIn } from "../web/locale.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import { formToken, isOwnForm } from "./form-guard.ts";

/** How long the console remembers the chosen language, in seconds: a year. */
const LANGUAGE_SECONDS = 365 * 24 * 3600;

/** One request to the console: who sent it, in which language, and with which form. */
export interface Visit {
	c: Context<AppEnv>;
	registry: Registry;
	locale: Locale;
	/** The console's texts in the visitor's language. */
	words: Messages["console"];
	/** Who is signed in on this browser. */
	signedIn: WebSession | undefined;
	/** The token that forms on the answered page must carry. */
	formToken: string;
	/** The fields of the form that was sent; empty for a GET. */
	form: URLSearchParams;
}

/** A visit by somebody who is signed in. */
export interface SignedInVisit extends Visit {
	signedIn: WebSession;
}

/**
 * Reads a visit. `form` holds the fields that were sent.
 * @param token Of the browser's session. A page that must not depend on who is signed in passes an empty one.
 */
export async function readVisit(
	c: Context<AppEnv>,
	form: URLSearchParams,
	token: string | undefined = readCookie(c, "session"),
): Promise<Visit> {
	const chosen = c.req.query("lang");
	const remembered = readCookie(c, "lang");
	if (chosen && isLanguage(chosen) && chosen !== remembered) writeCookie(c, "lang", chosen, LANGUAGE_SECONDS);
	const [locale, signedIn] = await Promise.all([localeOf(c, remembered), findWebSession(c.get("registry"), token)]);
	return {
		c,
		registry: c.get("registry"),
		locale,
		words: locale.console,
		signedIn,
		formToken: formToken(c),
		form,
	};
}

/** The detail of the error for a form that no page of this registry sent, or whose page is too old. */
export const FOREIGN_FORM = "This form was not sent from a page of this registry.";

/**
 * The fields of the form that was sent; none for a GET.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE for a body that is not a plain form, FORBIDDEN for a form from another site; also whatever
 * readFields throws.
 */
export async function readForm(c: Context<AppEnv>, bytesMax?: number): Promise<URLSearchParams> {
	if (c.req.method !== "POST") return new URLSearchParams();
	if (!/^application\/x-www-form-urlencoded\b/i.test(c.req.header("Content-Type") ?? "")) {
		throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the fields of the form as application/x-www-form-urlencoded.");
	}
	const form = await readFields(c, bytesMax);
	if (!isOwnForm(c, form)) throw new AppError("FORBIDDEN", FOREIGN_FORM);
	return form;
}

/** A path of the console with parameters. It carries the language that was asked for. */
export function pathTo({ locale }: Visit, path: string, parameters?: Record<string, string>): string {
	return pathIn(locale, path, parameters);
}

/** Redirects the browser to a console page by GET, so that reloading repeats nothing (303, RFC 9110 section 15.4.4). */
export function goTo(visit: Visit, path: string, parameters?: Record<string, string>): Response {
	return visit.c.redirect(pathTo(visit, path, parameters), 303);
}

/** A handler of a page for any visitor. */
export function forAnyone(handle: (visit: Visit) => Response | Promise<Response>) {
	return async (c: Context<AppEnv>) => handle(await readVisit(c, await readForm(c)));
}

/** The longest form, in URL-encoded characters, that the sign-in form carries along, where it is encoded once more. */
const CARRIED_CHARACTERS_MAX = 5000;

/** The field of the sign-in form that holds what was sent before: the path, `?`, and the fields. */
export const CARRIED_FIELD = "carried";

/**
 * A handler of a page for people who are signed in. Others are asked to sign in, and come back to the page afterwards. A form that they
 * sent goes with them and is handled then, so that nothing typed is lost (307 preserves it, RFC 9110 section 15.4.8). A form with a
 * password is not carried along. A suspended account is refused with ACCOUNT_SUSPENDED.
 */
export function forSignedIn(handle: (visit: SignedInVisit) => Response | Promise<Response>, bytesMax?: number) {
	return forEvenSuspended((visit) => {
		if (visit.signedIn.user.suspendedAt !== null) throw accountSuspended(visit.registry);
		return handle(visit);
	}, bytesMax);
}

/** As forSignedIn, for pages that suspended accounts may use too. */
export function forEvenSuspended(handle: (visit: SignedInVisit) => Response | Promise<Response>, bytesMax?: number) {
	return async (c: Context<AppEnv>) => {
		const visit = await readVisit(c, await readForm(c, bytesMax));
		const { form, signedIn } = visit;
		const carried = form.get(CARRIED_FIELD);
		if (signedIn) {
			return handle({ ...visit, signedIn, form: carried ? new URLSearchParams(carried.replace(/^[^?]*/, "")) : form });
		}
		if (c.req.method !== "POST") {
			return goTo(visit, "/my/sign-in", { next: c.req.path + new URL(c.req.url).search });
		}
		return form.has("password") || form.toString().length > CARRIED_CHARACTERS_MAX
			? goTo(visit, "/my/sign-in", { next: "/my" })
			: c.redirect(pathTo(visit, "/my/sign-in", { for: c.req.path }), 307);
	};
}

/** Where to go after signing in: a page of the console, never another site. */
export function safeNext(next: string | null | undefined): string {
	return next && /^\/my(\/[\w-]+)*(\?[\w=&%.-]*)?$/.test(next) ? next : "/my";
}
