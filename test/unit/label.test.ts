import { describe, expect, it } from "vitest";
import { labelSvg, wrapText } from "../../src/addresses/label.ts";
import { isolated, plainLabel } from "../../src/addresses/plain-label.ts";
import { readQr } from "../support/read-qr.ts";

const URL_OF_QR = "https://addr.example/a/NG042158212";

function card(zoneName: string, label: string): string {
	return labelSvg(URL_OF_QR, "NG042158212", zoneName, label);
}

/** The lines of text on a card, from top to bottom, with their baselines in mm. */
function linesOf(svg: string): { baseline: number; text: string }[] {
	return [...svg.matchAll(/<text [^>]*y="([\d.]+)"[^>]*>([^<]*)<\/text>/g)].map(([, baseline, text = ""]) => ({
		baseline: Number(baseline),
		text,
	}));
}

describe("the printable label", () => {
	it("holds the QR code, the code, the zone and the label, in millimetres", async () => {
		const svg = card("Somolu", "Blue gate");
		expect(svg).toMatch(/^<svg [^>]*width="74mm" height="105mm" viewBox="0 0 74 105">/);
		expect(linesOf(svg).map(({ text }) => text)).toEqual(["NG-0421-58212", "Somolu", "Blue gate"]);
		expect(await readQr(svg)).toMatchObject({ jsqr: URL_OF_QR, zxing: [URL_OF_QR], mirrored: false });
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
	])("keeps a label of %s on the card", (_, label) => {
		for (const zoneName of ["", "Somolu", "Saint-Rémy-en-Bouzemont-Saint-Genest-et-Isson"]) {
			const lines = linesOf(card(zoneName, label));
			expect(Math.max(...lines.map(({ baseline }) => baseline))).toBeLessThanOrEqual(95);
			expect(lines.length).toBeLessThanOrEqual(6);
		}
	});

	it("writes Arabic from right to left", () => {
		const svg = card("القاهرة", "Blue gate");
		expect(svg.match(/direction="rtl"/g)).toHaveLength(1);
	});

	it("leaves no empty lines for what is not there", () => {
		expect(linesOf(card("", "")).map(({ text }) => text)).toEqual(["NG-0421-58212"]);
	});
});

describe("wrapText", () => {
	it("breaks between words, and ends what is left over in an ellipsis", () => {
		expect(wrapText("one two three four five", 5, 2)).toEqual(["one two", "three…"]);
		expect(wrapText("short", 10, 2)).toEqual(["short"]);
		expect(wrapText("", 10, 2)).toEqual([]);
	});

	it("breaks a word that no line holds, but never a character", () => {
		const family = "👨‍👩‍👧‍👦";
		for (const line of wrapText(family.repeat(20), 5, 10))
			expect(line.replaceAll(family, "").replace("…", "")).toBe("");
	});
});

describe("a label as text", () => {
	it("loses what would turn the text after it around, and nothing else", () => {
		expect(plainLabel("\u202eevil\u2069\u2066 label\u202c ")).toBe("evil label");
		expect(plainLabel("بيت\u200f الشيخ\u200e")).toBe("بيت\u200f الشيخ\u200e");
		expect(isolated("")).toBe("");
	});
});
