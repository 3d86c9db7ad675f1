import { base64url } from "jose";

/**
 * Whether a token is written in the one way that its JWT has: base64url without padding (RFC 7515 section 2), and without bits in its last
 * character that decoders drop. The other parts are signed as they are written. So nothing that is stored under a token's text has it
 * twice.
 */
export function isOneSpelling(token: string): boolean {
	const [, signature] = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token) ?? [];
	return signature !== undefined && base64url.encode(base64url.decode(signature)) === signature;
}
