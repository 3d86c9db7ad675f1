import { type Language, languages } from "./languages.ts";
import type { Messages } from "./messages-en.ts";

async function messagesOf(language: string): Promise<[language: string, said: Messages]> {
	const { [language]: said } = (await import(`./messages-${language}.ts`)) as Record<string, Messages>;
	if (!said) throw new Error(`messages-${language}.ts exports no "${language}"`);
	return [language, said];
}

/** The messages of every language, from which .dev/build.ts makes data files. */
export const messages = Object.fromEntries(await Promise.all(Object.keys(languages).map(messagesOf))) as Record<
	Language,
	Messages
>;
