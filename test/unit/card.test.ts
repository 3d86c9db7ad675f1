import { describe, expect, it } from "vitest";
import { cardSvg } from "../../src/print/card.ts";
import { isolated, plainLabel } from "../../src/print/label-for-display.ts";
import { wrapText } from "../../src/print/lines.ts";
import { plateSvg } from "../../src/print/plate.ts";
import { readQr } from "../support/read-qr.ts";
import { vectors } from "../support/vectors.ts";

const URL_OF_QR = "https://addr.example/a/NG042158212";

function card(place: string, label: string): string {
	return cardSvg({ url: URL_OF_QR, canonical: "NG042158212", place, label });
}

/** The lines of text on a card below its plate, from top to bottom, with their baselines in mm. */
function linesOf(svg: string): { baseline: number; text: string }[] {
	return [...svg.matchAll(/<text [^>]*y="([\d.]+)"[^>]*fill="#000000">([^<]*)<\/text>/g)].map(
		([, baseline, text = ""]) => ({ baseline: Number(baseline), text }),
	);
}

describe("the printable card", () => {
	it("holds the QR code, the code, the zone and the label, in millimetres", async () => {
		const svg = card("Somolu", "Blue gate");
		expect(svg).toMatch(/^<svg [^>]*width="74mm" height="105mm" viewBox="0 0 74 105">/);
		expect(linesOf(svg).map(({ text }) => text)).toEqual(["addr.example/NG-0421-58212", "Somolu", "Blue gate"]);
		expect(svg).toMatch(/#0b5d4e.*>NG 0421<.text><text [^>]*>58212</);
		expect(await readQr(svg)).toMatchObject({ jsqr: URL_OF_QR, zxing: [URL_OF_QR], mirrored: false, level: "Q" });
		expect(svg).not.toMatch(/style|class=/);
	});

	it.each([
		["a script", "<script>alert('1')</script>&amp;"],
		["an attribute's end", `" onload="alert(1)`],
	])("takes a label with %s for text", (_, label) => {
		const svg = card(label, label);
		expect(svg).not.toMatch(/<script|" onload=|&amp;/);
		expect(svg.match(/<[a-z]+/g)?.every((tag) => ["<svg", "<title", "<rect", "<path", "<text"].includes(tag))).toBe(
			true,
		);
	});

	it.each([
		["200 wide letters", "W".repeat(200)],
		["200 emoji", "😀".repeat(200)],
		["many words", "Behind the old mill, ".repeat(9)],
		["200 accents on one letter", `a${"\u0301".repeat(199)}`],
		["sentences of one character", "\ufdfd \ufdfd \ufdfd"],
	])("keeps a label of %s on the card", (_, label) => {
		for (const zoneName of ["", "Somolu", "Saint-Rémy-en-Bouzemont-Saint-Genest-et-Isson"]) {
			const lines = linesOf(card(zoneName, label));
			expect(Math.max(...lines.map(({ baseline }) => baseline))).toBeLessThanOrEqual(99);
			expect(lines.length).toBeLessThanOrEqual(7);
		}
	});

	it("keeps marks that are piled on the label's letters off the code and the zone", () => {
		const svg = card("Somolu", `o${"\u030b".repeat(39)}`.repeat(5));
		const [zone] = linesOf(svg).filter(({ text }) => text === "Somolu");
		const [, top] = /<svg x="5" y="([\d.]+)"[^>]*overflow="hidden"><text [^>]*>o\u030b/.exec(svg) ?? [];
		expect(Number(top)).toBeGreaterThan(zone?.baseline ?? Number.POSITIVE_INFINITY);
	});

	it("writes Arabic from right to left", () => {
		const svg = card("القاهرة", "Blue gate");
		expect(svg.match(/direction="rtl"/g)).toHaveLength(1);
	});

	it("leaves no empty lines for what is not there", () => {
		expect(linesOf(card("", "")).map(({ text }) => text)).toEqual(["addr.example/NG-0421-58212"]);
	});
});

describe("wrapText", () => {
	it("breaks between words, and ends what is left over in an ellipsis", () => {
		expect(wrapText("one two three four five", 5, 2)).toEqual(["one two", "three…"]);
		expect(wrapText("short", 10, 2)).toEqual(["short"]);
		expect(wrapText("", 10, 2)).toEqual([]);
	});

	it.each([
		["a Latin comma", "one two, three", 3.4, ["one", "two,", "three"]],
		["an Arabic comma", "بيت أحمد، خلف المسجد", 3.8, ["بيت", "أحمد،", "خلف", "المسجد"]],
		["brackets", "gate (blue) here", 3.6, ["gate", "(blue)", "here"]],
	])("starts no line with %s", (_, text, ems, lines) => {
		expect(wrapText(text, ems, 9)).toEqual(lines);
	});

	it("breaks a word that no line holds, but never a character", () => {
		const family = "👨‍👩‍👧‍👦";
		const lines = wrapText(family.repeat(20), 5, 10);
		expect(lines.length).toBeGreaterThan(1);
		for (const line of lines) expect(line.replaceAll(family, "").replace("…", "")).toBe("");
	});
});

describe("a label as text", () => {
	it("loses characters that would reverse the text after it, and nothing else", () => {
		expect(plainLabel("\u202eevil\u2069\u2066 label\u202c ")).toBe("evil label");
		expect(plainLabel("بيت\u200f الشيخ\u200e")).toBe("بيت\u200f الشيخ\u200e");
		expect(isolated("")).toBe("");
	});

	it.each(vectors<[string, string, string]>("labels"))("of %s: %s is shown as %s", (_, text, shown) => {
		expect(plainLabel(text)).toBe(shown);
	});

	it.each([
		["one accent", "\u030b"],
		["accents with joiners between them", "\u030b\u200d"],
		["accents with variation selectors between them", "\u030b\ufe0f"],
		["Thai tone marks", "\u0e48"],
	])("loses what is piled up beyond eight: %s", (_, pile) => {
		expect(plainLabel(`o${pile.repeat(40)}o`)).toBe(`o${pile.repeat(40).slice(0, 8)}o`);
	});
});

it.each([
	"Lagos",
	"Dar es Salaam",
	"Bangunrejo Kidul Sumberagung Wetan Karanganyar Tambakromo Kl",
	"Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch U",
	"بندر عباس الكبرى الجديدة الشرقية خلف السوق القديم والمسجد",
])("the settlement %s stands whole on a plate, in letters that can be read at the gate", (locality) => {
	const svg = plateSvg("NG144785452", { place: [locality, "Special Region of Yogyakarta, Indonesia"] });
	const texts = [...svg.matchAll(/x="872" y="([\d.]+)" font-size="([\d.]+)"[^>]*>([^<]*)</g)];
	const lines = texts.slice(0, -1).map(([, baseline, size, text = ""]) => ({ baseline, size, text }));
	expect(
		lines
			.map(({ text }) => text)
			.join("")
			.replaceAll(" ", ""),
	).toBe(locality.replaceAll(" ", ""));
	// Of a plate that is 180 mm wide, 15 of its 1,000 units are 2.7 mm.
	for (const { baseline, size } of lines) {
		expect(Number(size)).toBeGreaterThanOrEqual(15);
		expect(Number(baseline) - Number(size)).toBeGreaterThan(20);
	}
});
