/**
 * The messages of the languages that the Worker does not hold itself. English stands in it, for whoever asks for no language; the others are data
 * files beside it (.dev/build.ts), of which an isolate reads those that it is asked for.
 */
import { dataFile } from "../data-file.ts";
import type { Bindings } from "../env.ts";
import { AppError } from "../errors.ts";
import { type Language, languages } from "./languages.ts";

/** Who says something: the public pages or the console. Each has its own files. */
export type Speaker = "pages" | "console";

/** The languages that are read from files. */
export const translatedLanguages = (Object.keys(languages) as Language[]).filter((language) => language !== "en");

/** The name of the file of a speaker's messages in a language. */
export function translationFile(speaker: Speaker, language: Language): string {
	return `${speaker}-${language}.json`;
}

/** A message with parameters, in a file: `{0}` stands for the first of them. */
interface Template {
	template: string;
}

type Filled = (...given: string[]) => string;

/** Messages as the text of a file. A message with parameters may do nothing but put them into its text. */
export function writeMessages(messages: object): string {
	return JSON.stringify(messages, (_, value: Filled | string | object) =>
		typeof value === "function"
			? ({ template: value(...Array.from({ length: value.length }, (_, index) => `{${index}}`)) } satisfies Template)
			: value,
	);
}

/** The messages that `writeMessages` wrote. */
export function readMessages<Messages>(text: string): Messages {
	return JSON.parse(text, (_, value: Partial<Template> | string) => {
		if (typeof value !== "object" || value.template === undefined) return value;
		const { template } = value;
		return ((...given) => template.replace(/\{(\d)\}/g, (_, index) => given[Number(index)] ?? "")) satisfies Filled;
	}) as Messages;
}

/**
 * A reader of a speaker's messages in a language.
 * @returns The reader; it gives undefined while a language cannot be read, which the log tells.
 */
export function translations<Messages extends object>(
	speaker: Speaker,
	english: Messages,
): (env: Bindings, language: Language) => Promise<Messages | undefined> {
	const readers = new Map<Language, (env: Bindings) => Promise<Messages>>(
		translatedLanguages.map((language) => [
			language,
			dataFile<Messages>(translationFile(speaker, language), (bytes) => readMessages(new TextDecoder().decode(bytes))),
		]),
	);
	return async (env, language) => {
		try {
			return (await readers.get(language)?.(env)) ?? english;
		} catch (error) {
			if (error instanceof AppError) return undefined;
			throw error;
		}
	};
}
