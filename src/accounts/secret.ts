import { timingSafeEqual } from "node:crypto";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` random base62 characters, each log2(62) = 5.95 bits, drawn without bias. */
export function randomBase62(length: number): string {
	let text = "";
	while (text.length < length) {
		for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
			if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
		}
	}
	return text;
}

/** SHA-256 in hexadecimal: what is stored of a secret that is random enough to need no salt (NIST SP 800-63B, look-up secrets). */
export function sha256Hex(text: string): string {
	return bytesToHex(sha256(utf8ToBytes(text)));
}

/**
 * HMAC-SHA-256 in hexadecimal: what is stored of a value that could be guessed from its bare hash, such as a phone number or a short code.
 * @param purpose Keeps the hashes of one use from standing for those of another.
 */
export function keyedHash(key: Uint8Array, purpose: string, text: string): string {
	return bytesToHex(hmac(sha256, key, utf8ToBytes(`${purpose}\0${text}`)));
}

/** `length` random decimal digits, drawn without bias. */
export function randomDigits(length: number): string {
	let text = "";
	while (text.length < length) {
		for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
			if (byte < 250 && text.length < length) text += String(byte % 10);
		}
	}
	return text;
}

/** Whether two ASCII texts are equal, in a time that depends on their lengths alone. */
export function equalInConstantTime(a: string, b: string): boolean {
	const [left, right] = [utf8ToBytes(a), utf8ToBytes(b)];
	return left.length === right.length && timingSafeEqual(left, right);
}
