import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { chooseLanguage, type Language } from "./languages.ts";
import { en, type Messages } from "./messages-en.ts";
import { translations } from "./translations.ts";

/** The language that a page is asked for in, and how links keep it. */
export interface AskedLanguage {
	asked: Language;
	/** `?lang=xx` if the language was asked for by name, else nothing: the browser's choice then holds on the next page too. */
	query: string;
}

/** The language that a page speaks, with its messages. It is the one asked for, or English while that cannot be read. */
export interface Locale extends AskedLanguage {
	language: Language;
	messages: Messages;
}

const readMessages = translations("pages", en);

/** The language that a request asks for: by `?lang=`, else by Accept-Language. */
export function askedLanguage(c: Context<AppEnv>): AskedLanguage {
	const named = c.req.query("lang");
	const asked = chooseLanguage(named, c.req.header("Accept-Language"));
	return { asked, query: named === undefined ? "" : `?lang=${asked}` };
}

/** English in the place of the language that was asked for, which links keep. */
export function inEnglish(asked: AskedLanguage): Locale {
	return { asked: asked.asked, query: asked.query, language: "en", messages: en };
}

/** The locale of a request. */
export async function localeOf(c: Context<AppEnv>): Promise<Locale> {
	const asked = askedLanguage(c);
	const messages = await readMessages(c.env, asked.asked);
	return messages ? { ...asked, language: asked.asked, messages } : inEnglish(asked);
}

/** Whether a page speaks another language than the one asked for, so that nobody may keep it. */
export function isStandIn({ asked, language }: Locale): boolean {
	return language !== asked;
}
