/**
 * Links that show a private address to whoever has them. A link holds when it expires and how often its address had ended all of
 * its links before, signed, so that nothing is stored of it and a wrong one never reaches the database.
 */
import type { SigningSecret, SigningSecrets } from "../env.ts";
import { equalInConstantTime, keyedHash } from "../hash.ts";
import { SECOND } from "../time.ts";

/** What a genuine link says. */
export interface Share {
	/** The address's count of ended links when it was made: with another count it is over. */
	count: number;
	/** Milliseconds since the epoch, a whole second. */
	expiresAt: number;
}

/** Hexadecimal digits of the signature: 128 bits. */
const SIGNATURE_DIGITS = 32;

/** Longest token, in characters. */
export const SHARE_CHARACTERS_MAX = 64;

function signature({ secret }: SigningSecret, canonical: string, told: string): string {
	return keyedHash(secret, "share", `${canonical}\0${told}`).slice(0, SIGNATURE_DIGITS);
}

/** The token of a link to an address, signed by the first secret (HMAC-SHA-256). */
export function writeShare([newest]: SigningSecrets, canonical: string, { count, expiresAt }: Share): string {
	const told = `${(expiresAt / SECOND).toString(36)}.${count.toString(36)}`;
	return `${told}.${signature(newest, canonical, told)}`;
}

/**
 * What a token says, also with the full stop of the sentence that its link ends; undefined for one that is not genuine or has expired at
 * `now`, in milliseconds since the epoch.
 */
export function readShare(secrets: SigningSecrets, canonical: string, token: string, now: number): Share | undefined {
	const [, told = "", seconds = "", count = "", signed = ""] =
		/^(([\da-z]{1,9})\.([\da-z]{1,6}))\.([\da-f]{32})\W*$/.exec(token) ?? [];
	const isGenuine = secrets.some((secret) => equalInConstantTime(signature(secret, canonical, told), signed));
	const expiresAt = Number.parseInt(seconds, 36) * SECOND;
	return isGenuine && expiresAt > now ? { count: Number.parseInt(count, 36), expiresAt } : undefined;
}
