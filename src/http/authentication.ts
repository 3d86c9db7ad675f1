import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { callerOfAccessToken } from "../accounts/identify.ts";
import { createAccountStore } from "../accounts/store.ts";
import { openAccountsDatabase } from "../db/open.ts";
import { AppError } from "../errors.ts";
import type { AppEnv } from "./app-env.ts";

/** The scheme and credential of an Authorization header (RFC 9110 section 11.4); the scheme in lower case, as it is compared. */
function readAuthorization(c: Context<AppEnv>): { scheme: string; credential: string } | undefined {
	const [, scheme, credential] = /^([!#$%&'*+.^`|~\w-]+) +(\S+)$/.exec(c.req.header("Authorization") ?? "") ?? [];
	return scheme && credential ? { scheme: scheme.toLowerCase(), credential } : undefined;
}

/** Keeps an answer out of every cache. */
export const noStore = createMiddleware<AppEnv>(async (c, next) => {
	c.header("Cache-Control", "no-store");
	await next();
});

/** Lets a signed-in person pass: `Authorization: Bearer <access token>`, proved and of a live session. */
export const requireUser = createMiddleware<AppEnv>(async (c, next) => {
	const authorization = readAuthorization(c);
	if (authorization?.scheme !== "bearer") {
		throw new AppError("UNAUTHENTICATED", "Sign in and send the access token as Authorization: Bearer <token>.", {
			headers: { "WWW-Authenticate": "Bearer" },
		});
	}
	const store = createAccountStore(openAccountsDatabase(c.env));
	c.set("caller", await callerOfAccessToken(authorization.credential, c.var.config.signingSecrets, store, Date.now()));
	c.header("Cache-Control", "no-store");
	await next();
});
