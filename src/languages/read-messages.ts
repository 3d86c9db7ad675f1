/** Reads the messages of a language from data files beside the Worker (.dev/build.ts). An isolate reads only those it is asked for. */

import type { Bindings } from "../env.ts";
import { AppError } from "../errors.ts";
import { dataFile } from "../platform/data-file.ts";
import { DEFAULT_LANGUAGE, type Language, languages } from "./languages.ts";
import type { Messages } from "./messages-en.ts";
import { type RegionalData, rememberRegionalData } from "./regional.ts";

/** The name of the file of a language's messages. */
export function messagesFile(language: Language): string {
	return `messages-${language}.json`;
}

/** The contents of a language's file. */
export interface LanguageFile {
	messages: Messages;
	regional?: RegionalData;
}

function decode(language: Language, bytes: Uint8Array): Messages {
	const { messages, regional } = JSON.parse(new TextDecoder().decode(bytes)) as LanguageFile;
	if (regional) rememberRegionalData(language, regional);
	return messages;
}

const readers = Object.fromEntries(
	(Object.keys(languages) as Language[]).map((language) => [
		language,
		dataFile(messagesFile(language), (bytes) => decode(language, bytes)),
	]),
) as Record<Language, (env: Bindings) => Promise<Messages>>;

/**
 * The messages of the language asked for, or of English while those cannot be read, which is logged.
 * @throws AppError UNAVAILABLE if English cannot be read either.
 */
export async function readMessages(
	env: Bindings,
	asked: Language,
): Promise<{ language: Language; messages: Messages }> {
	try {
		return { language: asked, messages: await readers[asked](env) };
	} catch (error) {
		if (asked === DEFAULT_LANGUAGE || !(error instanceof AppError)) throw error;
		return readMessages(env, DEFAULT_LANGUAGE);
	}
}
