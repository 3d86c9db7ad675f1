import type { Context } from "hono";
import { equalInConstantTime, keyedHash } from "../crypto/hash.ts";
import { randomBase62 } from "../crypto/random.ts";
import type { AppEnv } from "../http/app-env.ts";
import { isSentFromHere } from "../http/origin.ts";
import { readCookie, writeCookie } from "./cookies.ts";

/** The length of the random value that ties a browser's forms to it. Its 22 base62 characters are 131 bits. */
const NONCE_CHARACTERS = 22;
const NONCE = /^[\dA-Za-z]{22}$/;

/** The field of every form that holds the token. */
export const FORM_TOKEN_FIELD = "form_token";

/** The tokens made with each signing secret, the current one first. A form may be older than the change of the secret. */
function tokensOf(c: Context<AppEnv>, nonce: string): string[] {
	return c.var.config.signingSecrets.map(({ secret }) => keyedHash(secret, "form", nonce).slice(0, 32));
}

/**
 * The token that this browser's forms carry, so that no other site can send them (OWASP, signed double-submit cookie). It is tied to the
 * browser, not to the session. So a form that was opened before signing in, even in another tab, can still be sent afterwards.
 */
export function formToken(c: Context<AppEnv>): string {
	const stored = readCookie(c, "form") ?? "";
	const nonce = NONCE.test(stored) ? stored : randomBase62(NONCE_CHARACTERS);
	if (nonce !== stored) writeCookie(c, "form", nonce);
	return tokensOf(c, nonce)[0] ?? "";
}

/**
 * Whether a form was sent from a page of this console. There are three layers. The browser says so (Sec-Fetch-Site, else Origin). The form
 * carries the token of the browser's cookie, which protects browsers without either header. And the cookie is SameSite=Lax.
 */
export function isOwnForm(c: Context<AppEnv>, form: URLSearchParams): boolean {
	if (!isSentFromHere(c)) return false;
	const nonce = readCookie(c, "form") ?? "";
	const sent = form.get(FORM_TOKEN_FIELD) ?? "";
	return NONCE.test(nonce) && tokensOf(c, nonce).some((token) => equalInConstantTime(sent, token));
}
