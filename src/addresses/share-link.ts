/**
 * Links that show a private address to whoever has them. A token holds when it expires, which key made it, and how often its address and
 * its account had ended all of their links before. It is signed, so that a forged one never reaches the database. For a genuine token, the
 * database is asked whether all of that still holds.
 */

import { equalInConstantTime, keyedHash } from "../crypto/hash.ts";
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";
import { SECOND } from "../time/time.ts";

/** The content of a genuine link. */
export interface Share {
	/** The counts of its address and its account when the link was made: once either has changed, the link no longer works. */
	count: number;
	accountCount: number;
	/** Milliseconds since the epoch, a whole second. */
	expiresAt: number;
	/** The API key that made the link, such as `key_` and 22 letters and digits; undefined if its maker was signed in. */
	keyId: string | undefined;
}

/** The start of every key id, which a token leaves out. */
const KEY_ID_START = "key_";

/** Hexadecimal digits of the signature: 128 bits. */
const SIGNATURE_DIGITS = 32;

/** How many days a link works if nobody says otherwise, and at most. */
export const SHARE_DAYS = 7;
export const SHARE_DAYS_MAX = 365;

/** Longest token, in characters. */
export const SHARE_CHARACTERS_MAX = 100;

function signature({ secret }: SigningSecret, canonical: string, told: string): string {
	return keyedHash(secret, "share", `${canonical}\0${told}`).slice(0, SIGNATURE_DIGITS);
}

/** The token of a link to an address, signed by the first secret (HMAC-SHA-256). */
export function writeShare([newest]: SigningSecrets, canonical: string, share: Share): string {
	const { count, accountCount, expiresAt, keyId = KEY_ID_START } = share;
	const numbers = [expiresAt / SECOND, count, accountCount].map((number) => number.toString(36));
	const told = [...numbers, keyId.slice(KEY_ID_START.length)].join(".");
	return `${told}.${signature(newest, canonical, told)}`;
}

/**
 * Reads a token, even if the full stop of a sentence follows it; undefined if it is not genuine or has expired at `now`, in milliseconds
 * since the epoch.
 */
export function readShare(secrets: SigningSecrets, canonical: string, token: string, now: number): Share | undefined {
	const [, told = "", seconds = "", count = "", accountCount = "", key, signed = ""] =
		/^(([\da-z]{1,9})\.([\da-z]{1,6})\.([\da-z]{1,6})\.([\dA-Za-z]{22})?)\.([\da-f]{32})\W*$/.exec(token) ?? [];
	const expiresAt = Number.parseInt(seconds, 36) * SECOND;
	const isGenuine = secrets.some((secret) => equalInConstantTime(signature(secret, canonical, told), signed));
	if (!isGenuine || expiresAt <= now) return undefined;
	const keyId = key && KEY_ID_START + key;
	return { count: Number.parseInt(count, 36), accountCount: Number.parseInt(accountCount, 36), expiresAt, keyId };
}
