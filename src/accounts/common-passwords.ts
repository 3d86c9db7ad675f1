import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { COMMON_PASSWORDS } from "./common-passwords.data.ts";

/** Size of the Bloom filter: 30,000 bytes, which are 40,000 characters of base64. */
export const FILTER_BITS = 240_000;

/** Bits a password sets: what is best for about 14.5 bits a password. */
const BITS_PER_PASSWORD = 10;

const filter = Buffer.from(COMMON_PASSWORDS, "base64");

/** The bits of the filter that a password sets, in any case of its letters: double hashing over SHA-256 (Kirsch and Mitzenmacher, 2006). */
export function bitsOf(password: string): number[] {
	const digest = createHash("sha256").update(password.toLowerCase()).digest();
	const [first, second] = [digest.readUInt32BE(0), digest.readUInt32BE(4) | 1];
	return Array.from({ length: BITS_PER_PASSWORD }, (_, index) => (first + index * (second >>> 0)) % FILTER_BITS);
}

/** Whether a password is among the 16,500 most common ones; wrongly so for less than 1 password in 1,000, never wrongly not. */
export function isCommonPassword(password: string): boolean {
	return bitsOf(password).every((bit) => ((filter[bit >> 3] ?? 0) >> (bit & 7)) & 1);
}
