import type { Context } from "hono";
import type { Identity } from "../env.ts";
import type { AppEnv } from "../http/app-env.ts";
import { chooseLanguage, type Language } from "../languages/languages.ts";
import type { Messages } from "../languages/messages-en.ts";
import { readMessages } from "../languages/read-messages.ts";

/** The language that a page is asked for in, and how links carry it. */
export interface AskedLanguage {
	asked: Language;
	/** `?lang=xx` if the language was asked for by name, else nothing: the browser's choice then holds on the next page too. */
	query: string;
}

/**
 * The language of a page, its messages, and the identity of the registry. The language is the one asked for, or English while that
 * cannot be read.
 */
export interface Locale extends AskedLanguage {
	language: Language;
	messages: Messages["pages"];
	/** The messages of the console. */
	console: Messages["console"];
	identity: Identity;
	/** The name of the registry. */
	siteName: string;
	/** The sentence that a browser adds to a page without a network; undefined if browsers store no pages. */
	asOf?: Messages["pages"]["asOf"] | undefined;
}

/** The language that a request asks for: by `?lang=`, else as remembered, else by Accept-Language. */
export function askedLanguage(c: Context<AppEnv>, remembered?: string): AskedLanguage {
	const named = c.req.query("lang") ?? remembered;
	const asked = chooseLanguage(named, c.req.header("Accept-Language"));
	return { asked, query: named === undefined ? "" : `?lang=${asked}` };
}

/** The locale of pages in a language that has been read. */
export function localeIn(
	{ asked, query }: AskedLanguage,
	language: Language,
	{ pages, console }: Messages,
	identity: Identity,
): Locale {
	return {
		asked,
		query,
		language,
		messages: pages,
		console,
		identity,
		siteName: identity.registryName ?? pages.siteName,
	};
}

async function readLocale(c: Context<AppEnv>, asked: AskedLanguage): Promise<Locale> {
	// English takes the place of a language that cannot be read; links carry the one that was asked for.
	const { language, messages } = await readMessages(c.env, asked.asked);
	const { identity, hasOfflinePages } = c.get("registry").settings;
	const locale = localeIn(asked, language, messages, identity);
	return hasOfflinePages ? { ...locale, asOf: messages.pages.asOf } : locale;
}

/**
 * The locale of a request.
 * @param remembered the language that a visitor of the console chose before; public pages remember none, because caches hold them
 * @throws AppError UNAVAILABLE while no messages can be read, not even those of an error: src/app.ts answers then.
 */
export function localeOf(c: Context<AppEnv>, remembered?: string): Promise<Locale> {
	return readLocale(c, askedLanguage(c, remembered));
}

/** The locale of what is in English for everyone. @throws as `localeOf` does. */
export function englishOf(c: Context<AppEnv>): Promise<Locale> {
	return readLocale(c, { asked: "en", query: "" });
}

/** A path with parameters, which carries the language that was asked for. */
export function pathIn({ query }: AskedLanguage, path: string, parameters: Record<string, string> = {}): string {
	const all = new URLSearchParams([...new URLSearchParams(query), ...Object.entries(parameters)]);
	return all.size > 0 ? `${path}?${all}` : path;
}

/** Whether a page speaks another language than the one asked for, so that no cache may store it. */
export function isStandIn({ asked, language }: Locale): boolean {
	return language !== asked;
}
