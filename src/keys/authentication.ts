import type { Context } from "hono";
import { callerOfAccessToken, user } from "../accounts/authentication.ts";
import type { Caller } from "../db/caller.ts";
import { openAccountsDatabase } from "../db/open.ts";
import { AppError, type ProblemCode } from "../errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readCredential } from "../http/authorization.ts";
import type { Access, SecurityScheme } from "../http/endpoint.ts";
import { log } from "../log.ts";
import { callerOfKey, type KeyScope } from "./keys.ts";
import { type KeyStore, keyStoreOf } from "./store.ts";

/** How systems present their credential. */
export const apiKeyScheme: SecurityScheme = {
	name: "apiKey",
	definition: {
		type: "apiKey",
		in: "header",
		name: "Authorization",
		description:
			"For systems: `Authorization: Api-Key <key>`, or `Authorization: Bearer <key>`, which generated clients send.",
	},
};

/** The store of keys that a request works with. */
export function keyStore(c: Context<AppEnv>): KeyStore {
	return keyStoreOf(openAccountsDatabase(c.env));
}

/** Whoever calls with an API key that has a scope. Its use is noted after the answer; when that fails, the answer stands and the failure is logged. */
function callerOfApiKey(c: Context<AppEnv>, key: string, scope: KeyScope): Caller {
	const requestId = c.get("requestId");
	return callerOfKey(keyStore(c), key, scope, Date.now(), (write) =>
		c.executionCtx.waitUntil(write().catch(() => log("error", "key_use_not_noted", { request_id: requestId }))),
	);
}

/** Admits a signed-in person as `user` does, or a system by an API key that has a scope: `Authorization: Api-Key <key>` or `Bearer <key>`. */
function userOrKeyWith(scope: KeyScope, summary: string, errors: readonly ProblemCode[]): Access<Caller> {
	return {
		schemes: [...user.schemes, apiKeyScheme],
		summary,
		errors,
		async admit(c) {
			const credential = readCredential(c);
			if (credential?.kind === "api-key") return callerOfApiKey(c, credential.text, scope);
			if (credential?.kind === "access-token") return callerOfAccessToken(c, credential.text);
			throw new AppError(
				"UNAUTHENTICATED",
				"Send an access token as Authorization: Bearer <token>, or an API key as Authorization: Api-Key <key>.",
				{ headers: { "WWW-Authenticate": "Bearer, Api-Key" } },
			);
		},
	};
}

/** Admits a signed-in person or any system. */
export const userOrKey = userOrKeyWith(
	// Every key has it.
	"addresses:read",
	"Needs an access token or an API key.",
	user.errors,
);

/** Admits a signed-in person or a system that may act for its owner. */
export const userOrWritingKey = userOrKeyWith(
	"addresses:write",
	"Needs an access token, or an API key with the scope `addresses:write`.",
	[...user.errors, "FORBIDDEN"],
);
