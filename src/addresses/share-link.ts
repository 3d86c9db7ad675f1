/**
 * Links that show a private address to whoever has them. A link holds when it expires, by which key it was made, and how often its address
 * and its account had ended all of their links before, signed, so that a wrong one never reaches the database. Of a genuine one the
 * database is asked whether all of that still holds.
 */

import { equalInConstantTime, keyedHash } from "../crypto/hash.ts";
import type { Config } from "../env.ts";
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";
import { SECOND } from "../time/time.ts";

/** What a genuine link says. */
export interface Share {
	/** The address's count and its account's when it was made: with another count it is over. */
	count: number;
	accountCount: number;
	/** Milliseconds since the epoch, a whole second. */
	expiresAt: number;
	/** The API key that made it, such as `key_` and 22 letters and digits; undefined where its holder was signed in. */
	keyId: string | undefined;
}

/** What the id of a key begins with, which a token leaves out. */
const KEY_ID_START = "key_";

/** Hexadecimal digits of the signature: 128 bits. */
const SIGNATURE_DIGITS = 32;

/**
 * Up to when links count that a secret of access tokens has signed, in milliseconds since the epoch:
 * versions before 1.0.0 made them so, for a year at most.
 */
const SIGNED_AS_TOKENS_UNTIL = Date.UTC(2027, 11, 1);

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
 * What a token says, also with the full stop of the sentence that its link ends; undefined for one that is not genuine or has expired at
 * `now`, in milliseconds since the epoch.
 */
export function readShare(
	{ shareSecrets, signingSecrets }: Pick<Config, "shareSecrets" | "signingSecrets">,
	canonical: string,
	token: string,
	now: number,
): Share | undefined {
	const [, told = "", seconds = "", count = "", accountCount = "", key, signed = ""] =
		/^(([\da-z]{1,9})\.([\da-z]{1,6})\.([\da-z]{1,6})\.([\dA-Za-z]{22})?)\.([\da-f]{32})\W*$/.exec(token) ?? [];
	const expiresAt = Number.parseInt(seconds, 36) * SECOND;
	const secrets = expiresAt < SIGNED_AS_TOKENS_UNTIL ? [...shareSecrets, ...signingSecrets] : shareSecrets;
	const isGenuine = secrets.some((secret) => equalInConstantTime(signature(secret, canonical, told), signed));
	if (!isGenuine || expiresAt <= now) return undefined;
	const keyId = key && KEY_ID_START + key;
	return { count: Number.parseInt(count, 36), accountCount: Number.parseInt(accountCount, 36), expiresAt, keyId };
}
