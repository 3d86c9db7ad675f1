import { timingSafeEqual } from "node:crypto";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Digits of base 62, in order of value. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` random characters of an alphabet of at most 256, drawn without bias: bytes past its last whole multiple are drawn again. */
export function randomText(alphabet: string, length: number): string {
	const usable = 256 - (256 % alphabet.length);
	let text = "";
	while (text.length < length) {
		for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
			if (byte < usable && text.length < length) text += alphabet[byte % alphabet.length];
		}
	}
	return text;
}

/** `length` random base62 characters, each log2(62) = 5.95 bits. */
export function randomBase62(length: number): string {
	return randomText(BASE62, length);
}

/** How every API key begins, whatever its configured prefix. No access token does, because a JWT begins with `eyJ`. */
const API_KEY_START = /^[a-z][a-z0-9]{1,15}_(?:test|live)_/;

/** Whether a credential has the form of an API key, so that one sent as `Bearer` is not taken for an access token. */
export function looksLikeApiKey(credential: string): boolean {
	return API_KEY_START.test(credential);
}

/** A new name for a row, such as `usr_7dN3kq0vXW2mZrB8cT5yLa`: 131 random bits, more than a UUID has. */
export function newId(prefix: string): string {
	return `${prefix}_${randomBase62(22)}`;
}

/** `length` random decimal digits, each log2(10) = 3.32 bits. */
export function randomDigits(length: number): string {
	return randomText("0123456789", length);
}

/** SHA-256 in hexadecimal: what is stored of a secret that is random enough to need no salt (NIST SP 800-63B, look-up secrets). */
export function sha256Hex(data: string | Uint8Array): string {
	return bytesToHex(sha256(typeof data === "string" ? utf8ToBytes(data) : data));
}

/**
 * HMAC-SHA-256 in hexadecimal: what is stored of a value that could be guessed from its bare hash, such as a phone number or a short code.
 * @param purpose Keeps the hashes of one use from standing for those of another.
 */
export function keyedHash(key: Uint8Array, purpose: string, text: string): string {
	return bytesToHex(hmac(sha256, key, utf8ToBytes(`${purpose}\0${text}`)));
}

/** Whether two ASCII texts are equal, in a time that depends on their lengths alone. */
export function equalInConstantTime(a: string, b: string): boolean {
	const [left, right] = [utf8ToBytes(a), utf8ToBytes(b)];
	return left.length === right.length && timingSafeEqual(left, right);
}
