import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * SHA-256 (FIPS 180-4) of a short text, in hexadecimal: the form in which secrets are stored that are random enough to need no salt (NIST
 * SP 800-63B section 5.1.2, look-up secrets).
 */
export function sha256Hex(text: string): string {
	return bytesToHex(sha256(utf8ToBytes(text)));
}

/** SHA-256 of content, in hexadecimal, computed by the platform: in a third of the time for an answer, and a hundredth for a file. */
export async function digestHex(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
	const bytes = typeof content === "string" ? utf8ToBytes(content) : content;
	return bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/**
 * HMAC-SHA-256 (RFC 2104), in hexadecimal: the form in which values are stored that could be guessed from a plain hash, such as phone
 * numbers or short codes.
 * @param purpose Separates the hashes of one use from those of another.
 */
export function keyedHash(key: Uint8Array, purpose: string, text: string): string {
	return bytesToHex(hmac(sha256, key, utf8ToBytes(`${purpose}\0${text}`)));
}

/** Whether two texts are equal, in a time that depends on their lengths alone. */
export function equalInConstantTime(a: string, b: string): boolean {
	const [left, right] = [utf8ToBytes(a), utf8ToBytes(b)];
	return left.length === right.length && crypto.subtle.timingSafeEqual(left, right);
}
