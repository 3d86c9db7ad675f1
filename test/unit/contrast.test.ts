import { describe, expect, it } from "vitest";
import { palette } from "../../src/web/styles.ts";

/** The colours of the light and of the dark palette, by name. */
const [light, dark] = palette
	.split("@media")
	.map((part) => Object.fromEntries([...part.matchAll(/--([\w-]+):(#[\da-f]+)/g)].map(([, name, hex]) => [name, hex])));

/** The relative luminance of a colour such as #fff or #17211d (WCAG 2.2). */
function luminance(hex: string): number {
	const digits = hex.length === 4 ? hex.replace(/[\da-f]/g, "$&$&") : hex;
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
		const channel = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
		return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
function contrast(one: string, other: string): number {
	const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
	return (lighter + 0.05) / (darker + 0.05);
}

describe.each([
	["light", light],
	["dark", dark],
])("the %s palette", (_, colours = {}) => {
	const colour = (name: string) => colours[name] ?? "";

	// Placeholders have the colour "soft" on the page's ground; browsers' own grey would be too pale.
	it.each(["text", "soft", "accent", "wrong"])("%s can be read on the page and on a card (WCAG 1.4.3)", (name) => {
		expect(contrast(colour(name), colour("ground"))).toBeGreaterThanOrEqual(4.5);
		expect(contrast(colour(name), colour("card"))).toBeGreaterThanOrEqual(4.5);
	});

	it("the text of a filled button can be read", () => {
		expect(contrast(colour("on-accent"), colour("accent"))).toBeGreaterThanOrEqual(4.5);
	});

	it("the lines of fields and of the drawing of a pin stand out from what is behind them (WCAG 1.4.11)", () => {
		for (const behind of ["ground", "card", "near", "own"]) {
			expect(contrast(colour("soft"), colour(behind)), behind).toBeGreaterThanOrEqual(3);
		}
	});
});
