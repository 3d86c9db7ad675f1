import type { Context } from "hono";

/** The Authorization header of a request (RFC 9110 section 11.6.2): the scheme in lower case, as it is compared; undefined for any other form. */
export function readAuthorization(c: Context): { scheme: string; credential: string } | undefined {
	const [, scheme, credential] = /^([!#$%&'*+.^`|~\w-]+) +(\S+)$/.exec(c.req.header("Authorization") ?? "") ?? [];
	return scheme && credential ? { scheme: scheme.toLowerCase(), credential } : undefined;
}
