import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { dataFile } from "../platform/data-file.ts";

/** A Bloom filter of FILTER_BITS bits. */
export type PasswordFilter = Uint8Array;

/** Reads the filter of the 16,500 most common passwords of at least 8 characters. The script .dev/common-passwords.ts writes it. */
export const readPasswordFilter = dataFile<PasswordFilter>("common-passwords.bin", (bytes) => {
	if (bytes.length * 8 !== FILTER_BITS) throw new Error(`the filter of passwords has ${bytes.length} bytes`);
	return bytes;
});

/** Size of the filter: 30,000 bytes. */
export const FILTER_BITS = 240_000;

/** How many bits a password sets: the optimum for about 14.5 bits a password. */
const BITS_PER_PASSWORD = 10;

/** The bits of the filter that a password sets, ignoring case: double hashing over SHA-256 (Kirsch and Mitzenmacher, 2006). */
export function bitsOf(password: string): number[] {
	const digest = new DataView(sha256(utf8ToBytes(password.toLowerCase())).buffer);
	const [first, second] = [digest.getUint32(0), digest.getUint32(4) | 1];
	return Array.from({ length: BITS_PER_PASSWORD }, (_, index) => (first + index * (second >>> 0)) % FILTER_BITS);
}

/** Whether a password is in the filter. Fewer than 1 in 1,000 other passwords match by chance, and no common one is missed. */
export function isCommonPassword(password: string, filter: PasswordFilter): boolean {
	return bitsOf(password).every((bit) => ((filter[bit >> 3] ?? 0) >> (bit & 7)) & 1);
}
