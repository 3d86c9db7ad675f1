import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { currentUser } from "../accounts/accounts.ts";
import { callerOfAccessToken } from "../accounts/identify.ts";
import { createAccountStore } from "../accounts/store.ts";
import { openAccountsDatabase } from "../db/open.ts";
import { AppError } from "../errors.ts";
import { callerOfKey } from "../keys/keys.ts";
import { createKeyStore } from "../keys/store.ts";
import type { AppEnv } from "./app-env.ts";
import { log } from "./log.ts";

/** The scheme and credential of an Authorization header (RFC 9110 section 11.4); the scheme in lower case, as it is compared. */
function readAuthorization(c: Context<AppEnv>): { scheme: string; credential: string } | undefined {
	const [, scheme, credential] = /^([!#$%&'*+.^`|~\w-]+) +(\S+)$/.exec(c.req.header("Authorization") ?? "") ?? [];
	return scheme && credential ? { scheme: scheme.toLowerCase(), credential } : undefined;
}

/** The store of accounts for a request. */
export function accountStore(c: Context<AppEnv>) {
	return createAccountStore(openAccountsDatabase(c.env));
}

async function admitUser(c: Context<AppEnv>, token: string): Promise<void> {
	c.set("caller", await callerOfAccessToken(token, c.var.config.signingSecrets, accountStore(c), Date.now()));
}

/** The use of a key is noted after the answer; when that fails, the answer stands and the failure is logged. */
async function admitKey(c: Context<AppEnv>, key: string): Promise<void> {
	const { userId, noteUse } = await callerOfKey(createKeyStore(openAccountsDatabase(c.env)), key, Date.now());
	c.set("caller", { userId, sessionId: undefined });
	const requestId = c.var.requestId;
	if (noteUse) {
		c.executionCtx.waitUntil(noteUse().catch(() => log("error", "key_use_not_noted", { request_id: requestId })));
	}
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
	await admitUser(c, authorization.credential);
	c.header("Cache-Control", "no-store");
	await next();
});

/** Lets a signed-in person pass as requireUser does, or a system: `Authorization: Api-Key <key>`. */
export const requireUserOrKey = createMiddleware<AppEnv>(async (c, next) => {
	const authorization = readAuthorization(c);
	if (authorization?.scheme === "bearer") await admitUser(c, authorization.credential);
	else if (authorization?.scheme === "api-key") await admitKey(c, authorization.credential);
	else {
		throw new AppError(
			"UNAUTHENTICATED",
			"Send an access token as Authorization: Bearer <token>, or an API key as Authorization: Api-Key <key>.",
			{ headers: { "WWW-Authenticate": "Bearer, Api-Key" } },
		);
	}
	c.header("Cache-Control", "no-store");
	await next();
});

/** Lets an agent pass. Stands after requireUser, which proves who calls. */
export const requireAgent = createMiddleware<AppEnv>(async (c, next) => {
	const user = await currentUser(accountStore(c), c.var.caller.userId);
	if (user.role !== "agent") throw new AppError("FORBIDDEN", "Only agents may attest.");
	await next();
});
