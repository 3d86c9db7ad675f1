import { describe, expect, it } from "vitest";
import { measureDetection } from "../support/detection.ts";

/**
 * MOD 11-2 is linear: whether an error is caught depends on the characters it touches and their places, not on the others. So every
 * error is tried at every place with every pair of characters, each inside codes whose other characters are seeded random.
 */
describe("the check digit catches", () => {
	const detection = measureDetection();

	it("every single wrong digit, swap, jump swap, twin and jump twin among the nine digits", () => {
		for (const kind of ["single digit", "adjacent swap", "jump swap", "any swap of two digits", "twin", "jump twin"]) {
			const row = detection.get(kind);
			expect(row?.tried, kind).toBeGreaterThan(500);
			expect(row?.caught, kind).toBe(row?.tried);
		}
	});

	it("a wrong country letter or swapped country letters 94 % of the time, another country 91 %", () => {
		const share = (kind: string) => {
			const row = detection.get(kind);
			return row ? row.caught / row.tried : Number.NaN;
		};
		expect(share("single country letter")).toBeCloseTo(612 / 650, 3);
		expect(share("swapped country letters")).toBeCloseTo(612 / 650, 3);
		expect(share("another country")).toBeGreaterThan(0.9);
	});
});
