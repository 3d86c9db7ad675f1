import type { Context } from "hono";
import { dictionary } from "./dictionary.ts";
import { chooseLanguage, type Language } from "./languages.ts";
import type { Messages } from "./messages-en.ts";

/** The language that a page is asked for in, its messages, and how links keep it. */
export interface Locale {
	language: Language;
	messages: Messages;
	/** `?lang=xx` if the language was asked for by name, else nothing: the browser's choice then holds on the next page too. */
	query: string;
}

/** The locale of a request: by `?lang=`, else by Accept-Language. */
export function localeOf(c: Context): Locale {
	const asked = c.req.query("lang");
	const language = chooseLanguage(asked, c.req.header("Accept-Language"));
	return { language, messages: dictionary[language], query: asked === undefined ? "" : `?lang=${language}` };
}
