import { describe, expect, it } from "vitest";
import { type ConsoleMessages, consoleMessages } from "../../src/my/messages.ts";
import { chooseLanguage, type Language, languages } from "../../src/web/languages.ts";
import { pageMessages } from "../../src/web/messages.ts";
import type { Messages } from "../../src/web/messages-en.ts";
import { readMessages, writeMessages } from "../../src/web/translations.ts";

describe("chooseLanguage", () => {
	it.each<[string, string | undefined, string | undefined, Language]>([
		["nothing asked", undefined, undefined, "en"],
		["the only one accepted", undefined, "fr", "fr"],
		["a region of a language", undefined, "pt-BR", "pt"],
		["a script and region of a language", undefined, "ha-Latn-NG", "ha"],
		["capitals", undefined, "AR-eg", "ar"],
		["the first that is spoken here", undefined, "yo, ig, ha, en", "ha"],
		["the heaviest", undefined, "en;q=0.5, sw;q=0.9, fr;q=0.8", "sw"],
		["no weight, which is 1", undefined, "en;q=0.9, ar", "ar"],
		["the first among equals", undefined, "pt;q=0.7,fr;q=0.7", "pt"],
		["a weight among other parameters", undefined, "en;v=1;q=0.1, fr; Q = 0.2", "fr"],
		["weight 0, which refuses", undefined, "fr;q=0, sw;q=0.1", "sw"],
		["only refusals", undefined, "fr;q=0", "en"],
		["any", undefined, "*", "en"],
		["an inherited property's name", undefined, "constructor, toString, fr;q=0.1", "fr"],
		["a weight that cannot be read, as 1", undefined, "sw;q=0.9,fr;q=abc", "fr"],
		["nonsense", undefined, ";;,,q=,=;q=1,-", "en"],
		["?lang= over the header", "ar", "fr", "ar"],
		["?lang= with a region", "sw-TZ", "fr", "sw"],
		["an unknown ?lang=", "xx", "fr", "fr"],
		["an empty ?lang=", "", "fr", "fr"],
	])("answers %s", (_, asked, acceptLanguage, language) => {
		expect(chooseLanguage(asked, acceptLanguage)).toBe(language);
	});

	it("takes a very long header in its stride", () => {
		expect(chooseLanguage(undefined, "fr;q=0.1,".repeat(100_000))).toBe("fr");
	});
});

/** Every text of a language, by the path to it; what takes parameters is given them. */
function texts(messages: Messages | ConsoleMessages, given = ["0421", "0421"]): Map<string, string> {
	const found = new Map<string, string>();
	const walk = (path: string, value: unknown): void => {
		if (typeof value === "string") found.set(path, value);
		else if (typeof value === "function") found.set(path, (value as (...given: string[]) => string)(...given));
		else for (const [key, inner] of Object.entries(value as object)) walk(`${path}.${key}`, inner);
	};
	walk("", messages);
	return found;
}

/** Alike in several languages by right. */
const SHARED = new Set([".zone", ".comma", ".plusCode"]);

it("French keeps its double punctuation, and every language its per cent, on the line of what is before it", () => {
	const french = [...texts(pageMessages.fr).values(), ...texts(consoleMessages.fr).values()];
	for (const text of french) expect(text).not.toMatch(/[^\u00a0\u202f][:;?!»]/);
	for (const messages of Object.values(pageMessages)) expect(messages.printHow).toMatch(/100[\u00a0\u202f]?%/);
});

describe.each([
	["pages", pageMessages],
	["console", consoleMessages],
])("the messages of the %s", (_, messages) => {
	const english = texts(messages.en);

	it.each(Object.keys(languages) as Language[])("says the same in %s from the text of a file", (language) => {
		const own = messages[language];
		for (const given of [
			["1", "2"],
			["$&", "{0}"],
			["", "Maïs"],
		])
			expect([...texts(readMessages(writeMessages(own)), given)]).toEqual([...texts(own, given)]);
	});

	it.each(Object.keys(languages).filter((language) => language !== "en") as Language[])(
		"says everything in %s, in its own words and script",
		(language) => {
			const own = texts(messages[language]);
			expect([...own.keys()]).toEqual([...english.keys()]);
			for (const [path, text] of own) {
				expect(text.trim(), path).toBe(text);
				expect(text.length, path).toBeGreaterThan(0);
				if (!SHARED.has(path)) expect(text, path).not.toBe(english.get(path));
				if (language === "ar" && path !== ".comma") expect(text, path).toMatch(/\p{Script=Arabic}/u);
				if (english.get(path)?.includes("0421")) expect(text, path).toContain("0421");
				if (path !== ".comma") {
					expect(/[.!?؟]$/.test(text), `${path} ends as the English one`).toBe(/[.!?؟]$/.test(english.get(path) ?? ""));
				}
			}
		},
	);
});
