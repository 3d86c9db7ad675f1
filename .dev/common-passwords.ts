/**
 * Writes src/accounts/common-passwords.bin: a Bloom filter of the most common passwords of 8 and more characters, from the ranked
 * list of @zxcvbn-ts/language-common (MIT). Run it with `npm run passwords:build` when that package is updated.
 */
import { writeFileSync } from "node:fs";
import { dictionary } from "@zxcvbn-ts/language-common";
import { bitsOf, FILTER_BITS } from "../src/accounts/common-passwords.ts";
import { PASSWORD_CHARACTERS_MIN } from "../src/accounts/password.ts";

/** As many as the filter takes at less than 1 false refusal in 1,000. */
const PASSWORDS = 16_500;

const passwords = dictionary["passwords-common"]
	.map(String)
	.filter((password) => Array.from(password).length >= PASSWORD_CHARACTERS_MIN)
	.slice(0, PASSWORDS);
const filter = new Uint8Array(FILTER_BITS / 8);
for (const password of passwords) {
	for (const bit of bitsOf(password)) filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
}
writeFileSync("src/accounts/common-passwords.bin", filter);
console.log(`${passwords.length} passwords in ${filter.length} bytes`);
