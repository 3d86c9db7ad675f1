import { base64url } from "jose";

/**
 * Whether a token's signature is written in its only canonical form: base64url without padding (RFC 7515 section 2), and without bits in
 * its last character that decoders drop. The other parts are signed as they are written. So one JWT cannot be stored twice under different
 * texts.
 */
export function isOneSpelling(token: string): boolean {
	const [, signature] = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token) ?? [];
	return signature !== undefined && base64url.encode(base64url.decode(signature)) === signature;
}
