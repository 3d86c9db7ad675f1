import { describe, expect, it } from "vitest";
import { checkCharacter } from "../../src/codes/check-digit.ts";
import { codeOfUnit } from "../../src/codes/code.ts";
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

it("units are about 9,091 a zone, and none has the check character X", () => {
	for (const zone of ["NG0421", "FJ0000", "XK9999"]) {
		const codes = Array.from({ length: 10_000 }, (_, unit) => codeOfUnit(zone.slice(0, 2), zone.slice(2), unit));
		const issued = codes.filter((code) => code !== undefined);
		expect(issued.length).toBeGreaterThanOrEqual(9_085);
		expect(issued.length).toBeLessThanOrEqual(9_095);
		expect(issued.every((code) => /^\w{6}\d{5}$/.test(code) && checkCharacter(code.slice(0, 10)) === code[10])).toBe(
			true,
		);
	}
});
