import type { Context } from "hono";
import { openAccountsDatabase } from "../db/open.ts";
import { AppError } from "../errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readAuthorization } from "../http/authorization.ts";
import { type Access, CREDENTIAL_ERRORS, type SecurityScheme } from "../http/endpoint.ts";
import { perNetwork } from "../http/rate-limit.ts";
import { looksLikeApiKey } from "../secret.ts";
import { type AccessClaims, verifyAccessToken } from "./access-token.ts";
import { currentUser } from "./accounts.ts";
import { type AccountStore, createAccountStore } from "./store.ts";

/** How people present their credential. */
export const accessTokenScheme: SecurityScheme = {
	name: "accessToken",
	definition: {
		type: "http",
		scheme: "bearer",
		bearerFormat: "JWT",
		description:
			"For people: the access token that register, login and refresh return. It lives 30 minutes and is validated as RFC8725 (JWT Best Current Practices) recommends.",
	},
};

/** The store of accounts that a request works with. */
export function accountStore(c: Context<AppEnv>): AccountStore {
	return createAccountStore(openAccountsDatabase(c.env));
}

/**
 * The user and session that an access token speaks for. Besides the signature, its session must still be live, so that signing out or changing
 * the password ends access at once, and not only when the token expires.
 * @throws AppError INVALID_TOKEN.
 */
export async function callerOfAccessToken(c: Context<AppEnv>, token: string): Promise<AccessClaims> {
	const now = Date.now();
	const claims = await verifyAccessToken(token, c.var.config.signingSecrets, now);
	if (!claims || !(await accountStore(c).isSessionLive(claims.sessionId, claims.userId, now))) {
		throw new AppError(
			"INVALID_TOKEN",
			"The access token is wrong, expired or signed out. Refresh it or sign in again.",
			{ headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' } },
		);
	}
	return claims;
}

/** Admits a signed-in person: `Authorization: Bearer <access token>`. */
export const user: Access<AccessClaims> = {
	schemes: [accessTokenScheme],
	summary: "Needs an access token.",
	errors: CREDENTIAL_ERRORS,
	async admit(c) {
		const authorization = readAuthorization(c);
		if (authorization?.scheme !== "bearer" || looksLikeApiKey(authorization.credential)) {
			throw new AppError("UNAUTHENTICATED", "Sign in and send the access token as Authorization: Bearer <token>.", {
				headers: { "WWW-Authenticate": "Bearer" },
			});
		}
		return callerOfAccessToken(c, authorization.credential);
	},
};

/** Admits a signed-in person who is an agent of the registry. */
export const agent: Access<AccessClaims> = {
	...user,
	summary: "Needs the access token of an agent.",
	errors: [...user.errors, "FORBIDDEN"],
	async admit(c) {
		const caller = await user.admit(c);
		const { role } = await currentUser(accountStore(c), caller.userId);
		if (role !== "agent") throw new AppError("FORBIDDEN", "Only agents may attest.");
		return caller;
	},
};

/** The limit that all endpoints under /v1/auth share. */
export const authCallLimit = perNetwork("AUTH_CALLS", "Too many calls from your network. Wait a minute.");

/** The limit that those of them share that hash a password. */
export const passwordCallLimit = perNetwork("PASSWORD_CALLS", "Too many sign-ins from your network. Wait a minute.");
