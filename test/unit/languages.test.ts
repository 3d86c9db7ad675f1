import { describe, expect, it } from "vitest";
import { chooseLanguage, type Language, languages } from "../../src/languages/languages.ts";
import { messages } from "../../src/languages/messages.ts";
import { fill, translator, written } from "../../src/languages/template.ts";
import { vectors } from "../support/vectors.ts";

describe("chooseLanguage", () => {
	it.each(vectors<[string, string, string, Language]>("languages"))("answers %s", (_, asked, accepted, language) => {
		expect(chooseLanguage(asked, accepted)).toBe(language);
	});

	it("takes a very long header in its stride", () => {
		expect(chooseLanguage(undefined, "fr;q=0.1,".repeat(100_000))).toBe("fr");
	});
});

/** Every text of a language, by the path to it. */
function texts(said: object): Map<string, string> {
	const found = new Map<string, string>();
	const walk = (path: string, value: string | object): void => {
		if (typeof value === "string") found.set(path, value);
		else for (const [key, inner] of Object.entries(value)) walk(`${path}.${key}`, inner);
	};
	walk("", said);
	return found;
}

/** Alike in several languages by right. */
const SHARED = new Set([
	// French says six and Portuguese zero as English does.
	".pages.digits.0",
	".pages.digits.6",
	".pages.zone",
	".pages.plusCode",
]);

it("French keeps its double punctuation, and every language its per cent, on the line of what is before it", () => {
	for (const text of texts(messages.fr).values()) expect(text).not.toMatch(/[^\u00a0\u202f][:;?!»]/);
	for (const { pages } of Object.values(messages)) expect(pages.printHow).toMatch(/100[\u00a0\u202f]?%/);
});

describe("a text with gaps", () => {
	const english = written({ left: "{a} of {b}, {a}", steps: ["Go", "Stop at {place}"] });
	const translation = translator<typeof english>();

	it("is filled by their names, whatever the values hold", () => {
		expect(fill(english.left, { a: "$&", b: "{a}" })).toBe("$& of {a}, $&");
		// @ts-expect-error a value is missing
		expect(fill(english.left, { a: "1" })).toContain("undefined");
	});

	it("compiles in another language with the same gaps alone", () => {
		const german = translation({ left: "von {b} noch {a}", steps: ["Los", "Halt in {place}"] });
		expect(fill(german.left, { a: "1", b: "2" })).toBe("von 2 noch 1");
		const texts = [
			// @ts-expect-error a message is missing
			translation({ left: "{a}{b}" }),
			// @ts-expect-error one of a list is missing
			translation({ left: "{a}{b}", steps: ["Los"] }),
			// @ts-expect-error a message is unknown
			translation({ left: "{a}{b}", steps: ["Los", "{place}"], right: "" }),
			// @ts-expect-error a gap is missing
			translation({ left: "{a}", steps: ["Los", "{place}"] }),
			// @ts-expect-error a gap is unknown
			translation({ left: "{a}{b}", steps: ["Los", "{place} {a}"] }),
			// @ts-expect-error a gap is where English has none
			translation({ left: "{a}{b}", steps: ["{place}", "{place}"] }),
		];
		expect(texts.length).toBe(6);
		// @ts-expect-error a text with gaps is nothing to show
		const shown: string = german.left;
		expect(shown).toContain("{a}");
	});
});

describe.each(Object.keys(languages).filter((language) => language !== "en") as Language[])(
	"the messages in %s",
	(language) => {
		const english = texts(messages.en);

		it("say everything, in their own words and script", () => {
			const own = texts(messages[language]);
			expect([...own.keys()]).toEqual([...english.keys()]);
			for (const [path, text] of own) {
				expect(text.trim(), path).toBe(text);
				expect(text.length, path).toBeGreaterThan(0);
				if (!SHARED.has(path)) expect(text, path).not.toBe(english.get(path));
				if (language === "ar") expect(text, path).toMatch(/\p{Script=Arabic}/u);
				expect(/[.!?؟]$/.test(text), `${path} ends as the English one`).toBe(/[.!?؟]$/.test(english.get(path) ?? ""));
			}
		});
	},
);
