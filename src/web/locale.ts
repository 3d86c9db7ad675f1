import type { Context } from "hono";
import type { Identity } from "../env.ts";
import type { AppEnv } from "../http/app-env.ts";
import { chooseLanguage, type Language } from "../languages/languages.ts";
import { en, type Messages } from "../languages/messages-en.ts";
import { readMessages } from "../languages/read-messages.ts";

/** The language that a page is asked for in, and how links keep it. */
export interface AskedLanguage {
	asked: Language;
	/** `?lang=xx` if the language was asked for by name, else nothing: the browser's choice then holds on the next page too. */
	query: string;
}

/**
 * The language that a page speaks, with its messages, and whose registry it is. It is the one asked for, or English while that
 * cannot be read.
 */
export interface Locale extends AskedLanguage {
	language: Language;
	messages: Messages["pages"];
	/** What the console says beside those. */
	console: Messages["console"];
	identity: Identity;
	/** What the registry is called. */
	siteName: string;
}

/** The language that a request asks for: by `?lang=` or what is kept of it, else by Accept-Language. */
export function askedLanguage(c: Context<AppEnv>, kept?: string): AskedLanguage {
	const named = c.req.query("lang") ?? kept;
	const asked = chooseLanguage(named, c.req.header("Accept-Language"));
	return { asked, query: named === undefined ? "" : `?lang=${asked}` };
}

function speaking(asked: AskedLanguage, language: Language, messages: Messages, identity: Identity): Locale {
	const { pages, console } = messages;
	const siteName = identity.registryName ?? pages.siteName;
	return { asked: asked.asked, query: asked.query, language, messages: pages, console, identity, siteName };
}

/** Nobody has said who stands behind a page that is the same in every registry. */
const NOBODY: Identity = {
	registryName: undefined,
	crest: undefined,
	operatorName: undefined,
	operatorContact: undefined,
	operatorAddress: undefined,
	privacyUrl: undefined,
};

/** The locale of pages that are made before they are deployed. */
export const english: Locale = speaking({ asked: "en", query: "" }, "en", en, NOBODY);

/**
 * The locale of a request.
 * @param kept the language that a visitor of the console chose before; public pages keep none, because caches hold them
 */
export async function localeOf(c: Context<AppEnv>, kept?: string): Promise<Locale> {
	const asked = askedLanguage(c, kept);
	const { identity } = c.get("registry").settings;
	const messages = await readMessages(c.env, asked.asked);
	// English takes the place of a language that cannot be read; links keep the one that was asked for.
	return messages ? speaking(asked, asked.asked, messages, identity) : speaking(asked, "en", en, identity);
}

/** Whether a page speaks another language than the one asked for, so that no cache may keep it. */
export function isStandIn({ asked, language }: Locale): boolean {
	return language !== asked;
}
