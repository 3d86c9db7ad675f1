import { readFileSync } from "node:fs";
import { dictionary } from "@zxcvbn-ts/language-common";
import { expect, it } from "vitest";
import { FILTER_BITS, isCommonPassword } from "../../src/accounts/common-passwords.ts";
import { seededRandom } from "../support/random.ts";

const LISTED = 16_500;
const filter = new Uint8Array(readFileSync("src/accounts/common-passwords.bin"));

const ranked = dictionary["passwords-common"].map(String).filter((password) => Array.from(password).length >= 8);

it("every one of the most common passwords is refused, in any case of its letters", () => {
	const listed = ranked.slice(0, LISTED);
	const passed = listed.filter(
		(password) => !isCommonPassword(password, filter) || !isCommonPassword(password.toUpperCase(), filter),
	);
	expect(listed).toHaveLength(LISTED);
	expect(passed).toEqual([]);
});

it("fewer than 1 in 1,000 others are refused", () => {
	const random = seededRandom(3);
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789 -";
	const trials = 200_000;
	let refused = 0;
	for (let trial = 0; trial < trials; trial += 1) {
		const password = Array.from({ length: 14 }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
		if (isCommonPassword(password, filter)) refused += 1;
	}
	expect(refused / trials).toBeLessThan(0.001);
	// It is a filter and not a list: none at all would mean that nothing was tested.
	expect(refused).toBeGreaterThan(50);
});

it("the filter is as large as the code takes it for", () => {
	expect(filter.length * 8).toBe(FILTER_BITS);
});
