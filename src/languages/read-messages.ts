/**
 * The messages of the languages that the Worker does not hold itself. English stands in it, for whoever asks for no language; the others
 * are data files beside it (.dev/build.ts), of which an isolate reads those that it is asked for.
 */
import { dataFile } from "../data-file.ts";
import type { Bindings } from "../env.ts";
import { AppError } from "../errors.ts";
import { type Language, languages } from "./languages.ts";
import { en, type Messages } from "./messages-en.ts";
import { keepRegionalData, type RegionalData } from "./regional.ts";

/** The name of the file of a language's messages. */
export function messagesFile(language: Language): string {
	return `messages-${language}.json`;
}

/** What the file of a language holds. */
export interface LanguageFile {
	messages: Messages;
	regional?: RegionalData;
}

function decode(language: Language, bytes: Uint8Array): Messages {
	const { messages, regional } = JSON.parse(new TextDecoder().decode(bytes)) as LanguageFile;
	if (regional) keepRegionalData(language, regional);
	return messages;
}

/** Readers of all languages but English. */
const readers = new Map<Language, (env: Bindings) => Promise<Messages>>(
	(Object.keys(languages) as Language[])
		.filter((language) => language !== "en")
		.map((language) => [language, dataFile(messagesFile(language), (bytes) => decode(language, bytes))]),
);

/** The messages of a language, or undefined while they cannot be read, which the log tells. */
export async function readMessages(env: Bindings, language: Language): Promise<Messages | undefined> {
	try {
		return (await readers.get(language)?.(env)) ?? en;
	} catch (error) {
		if (error instanceof AppError) return undefined;
		throw error;
	}
}
