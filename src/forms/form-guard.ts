import type { Context } from "hono";
import { equalInConstantTime, keyedHash } from "../crypto/hash.ts";
import { randomBase62 } from "../crypto/random.ts";
import type { AppEnv } from "../http/app-env.ts";
import { isSentFromHere } from "../http/origin.ts";
import { readCookie, writeCookie } from "./cookies.ts";

/** Characters of the random value that ties a browser's forms to it: 131 bits. */
const NONCE_CHARACTERS = 22;
const NONCE = /^[\dA-Za-z]{22}$/;

/** The field of every form that holds its token. */
export const FORM_TOKEN_FIELD = "form_token";

/** The tokens by each signing secret, the current one first: a form may be older than the change of the secret. */
function tokensOf(c: Context<AppEnv>, nonce: string): string[] {
	return c.var.config.signingSecrets.map(({ secret }) => keyedHash(secret, "form", nonce).slice(0, 32));
}

/**
 * The token that this browser's forms carry, so that no other site can send them (OWASP, signed double-submit cookie). It is tied to the
 * browser and not to the session: a form that was opened before signing in, in another tab too, can still be sent after.
 */
export function formToken(c: Context<AppEnv>): string {
	const stored = readCookie(c, "form") ?? "";
	const nonce = NONCE.test(stored) ? stored : randomBase62(NONCE_CHARACTERS);
	if (nonce !== stored) writeCookie(c, "form", nonce);
	return tokensOf(c, nonce)[0] ?? "";
}

/**
 * Whether a form was sent from a page of this console, in three layers: the browser says so (Sec-Fetch-Site, else Origin), and the form
 * carries the token of the browser's own cookie, which is what browsers without either header are held to. The cookie's SameSite=Lax is
 * the third.
 */
export function isOwnForm(c: Context<AppEnv>, form: URLSearchParams): boolean {
	if (!isSentFromHere(c)) return false;
	const nonce = readCookie(c, "form") ?? "";
	const sent = form.get(FORM_TOKEN_FIELD) ?? "";
	return NONCE.test(nonce) && tokensOf(c, nonce).some((token) => equalInConstantTime(sent, token));
}
