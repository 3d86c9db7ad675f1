import { describe, expect, it } from "vitest";
import { checkCharacter } from "../../src/codes/check-digit.ts";

describe("checkCharacter", () => {
	it.each([
		// ISO 7064's own example, and identifiers in public use of the same system: ISNI and ORCID (their digits before the check).
		["0794", "0"],
		["000000012146438", "X"],
		["000000021825009", "7"],
		["000000021694233", "X"],
	])("of %s is %s", (body, check) => {
		expect(checkCharacter(body)).toBe(check);
	});

	it("takes a letter as ten more than its place in the alphabet", () => {
		// (P + a) * 2 mod 11 by hand: N=23 -> 2, G=16 -> 3, 0 -> 6, 4 -> 9, 2 -> 0, 1 -> 2, 5 -> 3, 8 -> 0, 2 -> 4, 1 -> 10; (12 - 10) mod 11 = 2
		expect(checkCharacter("NG04215821")).toBe("2");
	});
});
