import { nodeCrypto } from "./node.ts";

/**
 * SHA-256 (FIPS 180-4) in hexadecimal: how a secret is stored that is random enough to need no salt (NIST SP 800-63B section 5.1.2, look-up
 * secrets).
 */
export function sha256Hex(data: string | Uint8Array): string {
	return nodeCrypto().createHash("sha256").update(data).digest("hex");
}

/**
 * HMAC-SHA-256 (RFC 2104) in hexadecimal: how a value is stored that could be guessed from its bare hash, such as a phone number or a
 * short code.
 * @param purpose Keeps the hashes of one use from standing for those of another.
 */
export function keyedHash(key: Uint8Array, purpose: string, text: string): string {
	return nodeCrypto().createHmac("sha256", key).update(`${purpose}\0${text}`).digest("hex");
}

/** Whether two texts are equal, in a time that depends on their lengths alone. */
export function equalInConstantTime(a: string, b: string): boolean {
	const [left, right] = [Buffer.from(a), Buffer.from(b)];
	return left.length === right.length && nodeCrypto().timingSafeEqual(left, right);
}
