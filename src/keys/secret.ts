import { sha256Hex } from "../crypto/hash.ts";
import { BASE62, randomBase62 } from "../crypto/random.ts";
import { nodeZlib } from "../platform/node.ts";

/** The mode of a key. Keys of both modes read any public address. As their owner, test keys reach sandbox addresses only. */
export type KeyMode = "test" | "live";

/** 32 base62 characters are 190 bits. */
const RANDOM_CHARACTERS = 32;

/** Six base62 characters hold the 32 bits of a CRC. */
const CHECKSUM_CHARACTERS = 6;

/** How many random characters a listing shows, so that a person can tell keys apart: 48 of 190 bits. */
const SHOWN_CHARACTERS = 8;

/** `<prefix>_<mode>_<secret>`. Any prefix matches, so that keys survive a change of the configured one. */
const KEY = new RegExp(`^[a-z][a-z0-9]{1,15}_(?:test|live)_[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

/**
 * The checksum of the rest of a key: its CRC-32 in six base62 digits, as in GitHub's tokens. It is no protection. It tells a real key from
 * a mistyped one, or from a false match of a scan for leaked keys, without the database.
 */
export function checksum(text: string): string {
	let rest = nodeZlib().crc32(new TextEncoder().encode(text));
	let digits = "";
	for (let index = 0; index < CHECKSUM_CHARACTERS; index += 1) {
		digits = BASE62[rest % BASE62.length] + digits;
		rest = Math.floor(rest / BASE62.length);
	}
	return digits;
}

/** A random key, which is shown once; its beginning, which is shown later; and what is stored, its SHA-256 in hexadecimal. */
export function newKey(prefix: string, mode: KeyMode) {
	const start = `${prefix}_${mode}_`;
	const body = start + randomBase62(RANDOM_CHARACTERS);
	const key = body + checksum(body);
	return { key, prefix: body.slice(0, start.length + SHOWN_CHARACTERS), hash: sha256Hex(key) };
}

/** The hash to look up a key by, or undefined if its form or checksum is not that of a key. */
export function hashOfKey(key: string): string | undefined {
	if (!KEY.test(key)) return undefined;
	const body = key.slice(0, -CHECKSUM_CHARACTERS);
	return key.endsWith(checksum(body)) ? sha256Hex(key) : undefined;
}
