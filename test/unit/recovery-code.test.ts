import { describe, expect, it } from "vitest";
import { newRecoveryCode, recoveryHashOf } from "../../src/accounts/recovery-code.ts";

describe("a recovery code", () => {
	it("has at least 112 bits, in six groups of characters that are not taken for one another", () => {
		const { code } = newRecoveryCode();
		expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){5}$/);
		expect(code.replaceAll("-", "").length * Math.log2(32)).toBeGreaterThanOrEqual(112);
	});

	it("uses its whole alphabet evenly, and is never the same twice", () => {
		const counts = new Map<string, number>();
		const codes = 2000;
		const seen = new Set<string>();
		for (let index = 0; index < codes; index += 1) {
			const { code } = newRecoveryCode();
			seen.add(code);
			for (const character of code.replaceAll("-", "")) {
				counts.set(character, (counts.get(character) ?? 0) + 1);
			}
		}
		const expected = (codes * 24) / 32;
		expect([counts.size, seen.size]).toEqual([32, codes]);
		// The spread of a fair draw is sqrt(1500) = 39; seven of them leave no room for chance.
		for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(7 * Math.sqrt(expected));
	});

	it.each([
		["lower case", (code: string) => code.toLowerCase()],
		["without separators", (code: string) => code.replaceAll("-", "")],
		["with spaces and line ends", (code: string) => ` ${code.replaceAll("-", " \n ")} `],
		["with dashes that a phone makes", (code: string) => code.replaceAll("-", "\u2013")],
		["with O for 0", (code: string) => code.replaceAll("0", "O")],
		["with I and l for 1", (code: string) => code.replace("1", "I").replaceAll("1", "l")],
		["full width", (code: string) => code.replace(/\w/g, (c) => String.fromCodePoint(c.charCodeAt(0) + 0xfee0))],
		["Arabic digits", (code: string) => code.replace(/\d/g, (d) => String.fromCodePoint(0x660 + Number(d)))],
	])("is read when it is written %s", (_, write) => {
		for (let index = 0; index < 50; index += 1) {
			const { code, hash } = newRecoveryCode();
			expect(recoveryHashOf(write(code)), code).toBe(hash);
		}
	});

	it("is not read when one character is another, is missing or too many", () => {
		const { code, hash } = newRecoveryCode();
		for (let at = 0; at < code.length; at += 1) {
			if (code[at] === "-") continue;
			const other = code[at] === "7" ? "8" : "7";
			expect(recoveryHashOf(code.slice(0, at) + other + code.slice(at + 1))).not.toBe(hash);
			expect(recoveryHashOf(code.slice(0, at) + code.slice(at + 1))).not.toBe(hash);
		}
		expect(recoveryHashOf(`${code}7`)).not.toBe(hash);
		expect(recoveryHashOf("")).not.toBe(hash);
	});
});
