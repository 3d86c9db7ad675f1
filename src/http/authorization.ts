/** Reads the credential of the Authorization header, and tells its kind by scheme and form. */
export interface Credential {
	kind: "access-token" | "api-key";
	text: string;
}

/** How every API key begins, whatever its configured prefix. No access token does, because a JWT begins with `eyJ`. */
const API_KEY_START = /^[a-z][a-z0-9]{1,15}_(?:test|live)_/;

/**
 * The credential of an Authorization header (RFC 9110 section 11.6.2): `Bearer <access token>`, `Api-Key <key>`, or `Bearer
 * <key>`, which generated clients send. Undefined for any other header.
 * @param assertion The access token that a proxy in front has put into a header of its own, which counts before the other.
 */
export function readCredential(header: string | undefined, assertion?: string): Credential | undefined {
	if (assertion) return { kind: "access-token", text: assertion };
	const [, scheme, text] = /^([!#$%&'*+.^`|~\w-]+) +(\S+)$/.exec(header ?? "") ?? [];
	if (!scheme || !text) return undefined;
	if (scheme.toLowerCase() === "api-key") return { kind: "api-key", text };
	if (scheme.toLowerCase() !== "bearer") return undefined;
	return { kind: API_KEY_START.test(text) ? "api-key" : "access-token", text };
}
