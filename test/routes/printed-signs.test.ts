/** A sign that was printed is photographed, and a phone reads its text: the box for a code takes it as it stands there. */
import { beforeAll, describe, expect, it } from "vitest";
import { languages } from "../../src/languages/languages.ts";
import { call } from "../support/client.ts";
import { mint, signUp } from "../support/people.ts";

/** Gates whose places are written in other letters and lengths, with labels that have numbers of their own. */
const GATES = [
	{ lat: 6.5244, lng: 3.3792, label: "Blue gate, behind the mosque" },
	{ lat: -1.2921, lng: 36.8219, label: "Flat 12, block C" },
	{ lat: 5.3599, lng: -4.0083, label: "Portail bleu, près du marché" },
	{ lat: 30.0444, lng: 31.2357, label: "بجانب المسجد، شقة ٥" },
	{ lat: -25.9692, lng: 32.5732, label: "Casa azul, n.º 7" },
];

let codes: string[] = [];
beforeAll(async () => {
	const { access } = await signUp();
	codes = [];
	for (const gate of GATES) codes.push(String((await mint(access, gate)).canonical));
});

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };

/** Markup without its tags, with each piece of text on a line of its own. */
const textOf = (markup: string) =>
	markup
		.replace(/<(style|script|title)\b.*?<\/\1>/gs, "")
		.replace(/<[^>]*>/g, "\n")
		.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
		.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
		.replace(/\s*\n\s*/g, "\n")
		.trim();

/** The lines of an SVG drawing from top to bottom, as text recognition gives them. */
function linesOf(svg: string): string[] {
	const lines = Array.from(svg.matchAll(/<text\b[^>]*>.*?<\/text>/gs), ([line]) => line);
	const depthOf = (line: string) => Number(/\by="([\d.]+)"/.exec(line)?.[1] ?? 0);
	return lines.sort((one, other) => depthOf(one) - depthOf(other)).map(textOf);
}

/** Where the box for a code leads with a text. */
async function found(text: string): Promise<string | null> {
	const answer = await call(`/a?code=${encodeURIComponent(text)}`, { redirect: "manual" } as object);
	return answer.headers.get("Location");
}

describe("the text of a photographed sign", () => {
	it("is the code of a card, from top to bottom and with the large line first", async () => {
		for (const code of codes) {
			const svg = await (await call(`/v1/addresses/${code}/label.svg`)).text();
			const lines = linesOf(svg);
			expect(lines.length, svg).toBeGreaterThan(2);
			for (const text of [lines.join("\n"), lines.join(" "), lines.toReversed().join("\n")]) {
				expect(await found(text), text).toMatch(new RegExp(`/a/${code}(?:\\?|$)`));
			}
		}
	});

	it.each(Object.keys(languages))(
		"is the code of a sheet in %s, with its sentences and all its stickers",
		async (language) => {
			for (const code of codes) {
				const page = await (await call(`/a/${code}/print?lang=${language}`)).text();
				const [, sheet = ""] = /<div class="sheet">(.*)<\/main>/s.exec(page) ?? [];
				const text = textOf(sheet);
				expect(text.length).toBeGreaterThan(60);
				expect(await found(text), text).toMatch(new RegExp(`/a/${code}(?:\\?|$)`));
			}
		},
	);
});
