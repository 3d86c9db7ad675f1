import type { Context } from "hono";
import { callerOfAccessToken, user } from "../accounts/authentication.ts";
import { openAccountsDatabase } from "../db/open.ts";
import { AppError } from "../errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readAuthorization } from "../http/authorization.ts";
import type { Access, SecurityScheme } from "../http/endpoint.ts";
import { log } from "../log.ts";
import { callerOfKey } from "./keys.ts";
import { createKeyStore, type KeyStore } from "./store.ts";

/** How systems present their credential. */
export const apiKeyScheme: SecurityScheme = {
	name: "apiKey",
	definition: {
		type: "apiKey",
		in: "header",
		name: "Authorization",
		description: "For systems: `Authorization: Api-Key <key>`.",
	},
};

/** The store of keys that a request works with. */
export function keyStore(c: Context<AppEnv>): KeyStore {
	return createKeyStore(openAccountsDatabase(c.env));
}

/** The user that an API key speaks for. Its use is noted after the answer; when that fails, the answer stands and the failure is logged. */
async function callerOfApiKey(c: Context<AppEnv>, key: string): Promise<{ userId: string }> {
	const { userId, noteUse } = await callerOfKey(keyStore(c), key, Date.now());
	const requestId = c.var.requestId;
	if (noteUse) {
		c.executionCtx.waitUntil(noteUse().catch(() => log("error", "key_use_not_noted", { request_id: requestId })));
	}
	return { userId };
}

/** Admits a signed-in person as `user` does, or a system: `Authorization: Api-Key <key>`. */
export const userOrKey: Access<{ userId: string }> = {
	schemes: [...user.schemes, apiKeyScheme],
	summary: "Needs an access token or an API key.",
	errors: user.errors,
	async admit(c) {
		const { scheme, credential = "" } = readAuthorization(c) ?? {};
		if (scheme === "bearer") return callerOfAccessToken(c, credential);
		if (scheme === "api-key") return callerOfApiKey(c, credential);
		throw new AppError(
			"UNAUTHENTICATED",
			"Send an access token as Authorization: Bearer <token>, or an API key as Authorization: Api-Key <key>.",
			{ headers: { "WWW-Authenticate": "Bearer, Api-Key" } },
		);
	},
};
