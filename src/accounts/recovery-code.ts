import { asciiDigits } from "../codes/digits.ts";
import { INVISIBLE } from "../codes/invisible.ts";
import { sha256Hex } from "../crypto/hash.ts";
import { randomText } from "../crypto/random.ts";

/** Crockford's base 32: digits and letters that are not mistaken for one another in handwriting. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** 24 characters of 5 bits are 120 bits, in groups that are easy to copy. */
const CHARACTERS = 24;
const GROUP_CHARACTERS = 4;

/** What people, or their phones, put between the groups. */
const SEPARATORS = new RegExp(String.raw`[${INVISIBLE}\p{Pd}\p{Cc}\u2212_.,]`, "gu");

/** The longest text that is read, in UTF-16 units. A code is shorter, whatever its separators. */
const LONGEST_INPUT = 200;

/** A new recovery code as it is shown, such as `7KQ2-M9XD-4TBN-0WZR-H3YC-E8VA`, and the hash that is stored. */
export function newRecoveryCode(): { code: string; hash: string } {
	const characters = randomText(ALPHABET, CHARACTERS);
	const groups = characters.match(new RegExp(`.{${GROUP_CHARACTERS}}`, "g")) ?? [];
	return { code: groups.join("-"), hash: sha256Hex(characters) };
}

/**
 * The hash of a recovery code as somebody types it: in either case, with any separators, in the digits of any script. O counts as 0, and I
 * or L as 1, as Crockford has it. A text that is not a code gets a hash that no code has.
 */
export function recoveryHashOf(text: string): string {
	const entered = text.length <= LONGEST_INPUT ? text : "";
	const characters = asciiDigits(entered.normalize("NFKC").replace(SEPARATORS, "").toUpperCase())
		.replaceAll("O", "0")
		.replace(/[IL]/g, "1");
	return sha256Hex(characters);
}
