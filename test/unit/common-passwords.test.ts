import { dictionary } from "@zxcvbn-ts/language-common";
import { expect, it } from "vitest";
import { COMMON_PASSWORDS } from "../../src/accounts/common-passwords.data.ts";
import { isCommonPassword } from "../../src/accounts/common-passwords.ts";
import { seededRandom } from "../support/random.ts";

const LISTED = 16_500;

const ranked = dictionary["passwords-common"].map(String).filter((password) => Array.from(password).length >= 8);

it("every one of the most common passwords is refused, in any case of its letters", () => {
	const listed = ranked.slice(0, LISTED);
	const passed = listed.filter((password) => !isCommonPassword(password) || !isCommonPassword(password.toUpperCase()));
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
		if (isCommonPassword(password)) refused += 1;
	}
	expect(refused / trials).toBeLessThan(0.001);
	// It is a filter and not a list: none at all would mean that nothing was tested.
	expect(refused).toBeGreaterThan(50);
});

it("the list takes at most 40 KB in the Worker", () => {
	expect(COMMON_PASSWORDS.length).toBeLessThanOrEqual(40_000);
});
