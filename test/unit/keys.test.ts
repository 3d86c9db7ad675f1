import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { checksum, hashOfKey, newKey } from "../../src/keys/secret.ts";

/** The number that base-62 digits spell. */
function decode(digits: string): number {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	return Array.from(digits).reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0);
}

describe("an API key", () => {
	it("has 190 random bits and a checksum of all before it, as an independent CRC-32 computes it", () => {
		const keys = Array.from({ length: 200 }, () => newKey("addr", "live").key);
		expect(new Set(keys).size).toBe(200);
		for (const key of keys) {
			expect(key).toMatch(/^addr_live_[0-9A-Za-z]{38}$/);
			expect(decode(key.slice(-6))).toBe(crc32(key.slice(0, -6)));
		}
	});

	it("is refused without the database when any one character is wrong", () => {
		const { key, hash } = newKey("addr", "test");
		expect(hashOfKey(key)).toBe(hash);
		for (let index = 0; index < key.length; index += 1) {
			const wrong = key[index] === "x" ? "y" : "x";
			expect(hashOfKey(key.slice(0, index) + wrong + key.slice(index + 1)), `at ${index}`).toBeUndefined();
		}
		const swapped = key.replace(/(.)(.)(?=.{10}$)/, "$2$1");
		expect(swapped === key || hashOfKey(swapped) === undefined).toBe(true);
		for (const text of ["", "addr_live_", `${key} `, key.toUpperCase(), "x".repeat(10_000)]) {
			expect(hashOfKey(text)).toBeUndefined();
		}
	});

	it("has a checksum of six characters, whatever it is of", () => {
		expect(checksum("")).toBe("000000");
		// CRC-32's check value, 0xCBF43926 = 3,421,780,262.
		expect(decode(checksum("123456789"))).toBe(3_421_780_262);
		expect(checksum("123456789")).toHaveLength(6);
	});
});
