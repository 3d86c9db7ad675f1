import { sha256Hex } from "../crypto/hash.ts";
import { BASE62, randomBase62 } from "../crypto/random.ts";
import { nodeZlib } from "../platform/node.ts";

/** The mode of a key. Keys of both modes read any address. Test keys list and write sandbox addresses only. */
export type KeyMode = "test" | "live";

/** 32 base62 characters are 190 bits. */
const RANDOM_CHARACTERS = 32;

/** 32 bits of CRC in base62. */
const CHECKSUM_CHARACTERS = 6;

/** How much of the random part a listing shows, so that a person can tell keys apart: 48 of 190 bits. */
const SHOWN_CHARACTERS = 8;

/** `<prefix>_<mode>_<secret>`. Any prefix, so that keys survive a change of the configured one. */
const KEY = new RegExp(`^[a-z][a-z0-9]{1,15}_(?:test|live)_[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

/**
 * The checksum of what is before it: six base62 digits of its CRC-32, the form GitHub uses for its tokens. It is no protection; it
 * tells a mistyped key, or what a scan for leaked keys found, from a real one without the database.
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

/** A random key, which is shown once, the beginning that is shown of it later, and what is stored: its SHA-256, hexadecimal. */
export function newKey(prefix: string, mode: KeyMode) {
	const start = `${prefix}_${mode}_`;
	const body = start + randomBase62(RANDOM_CHARACTERS);
	const key = body + checksum(body);
	return { key, prefix: body.slice(0, start.length + SHOWN_CHARACTERS), hash: sha256Hex(key) };
}

/** The hash to look a key up by; undefined when it cannot be one, by its form or checksum. */
export function hashOfKey(key: string): string | undefined {
	if (!KEY.test(key)) return undefined;
	const body = key.slice(0, -CHECKSUM_CHARACTERS);
	return key.endsWith(checksum(body)) ? sha256Hex(key) : undefined;
}
