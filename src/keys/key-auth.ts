import { user } from "../accounts/bearer-auth.ts";
import { accountSuspended, callerOfAccessToken } from "../accounts/signed-in.ts";
import { type Caller, createCaller } from "../db/caller.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import type { Access, SecurityScheme } from "../http/endpoint.ts";
import { assertMayProve, noteProved, noteUnproved } from "../limits/credentials.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import { MINUTE } from "../time/time.ts";
import { hashOfKey } from "./secret.ts";
import type { KeyScope } from "./store.ts";
import * as keyStore from "./store.ts";

/** How systems present their credential. */
const apiKeyScheme: SecurityScheme = {
	name: "apiKey",
	definition: {
		type: "apiKey",
		in: "header",
		name: "Authorization",
		description:
			"For systems: `Authorization: Api-Key <key>`, or `Authorization: Bearer <key>`, which generated clients send.",
	},
};

/** How often the use of a key is recorded, in milliseconds. */
const USE_NOTED_EVERY = MINUTE;

/**
 * The caller of an API key. A text that cannot be a key is refused without a database trip. Use is recorded after the answer. If that
 * fails, the answer stands and the failure is logged.
 * @param scope The scope that the key must have; null if the endpoint itself checks the scopes.
 * @throws AppError INVALID_TOKEN; RATE_LIMITED if too many keys from the network were wrong. The caller's trips also throw INVALID_TOKEN,
 * ACCOUNT_SUSPENDED, and FORBIDDEN for a key without the scope.
 */
function callerOfKey(registry: Registry, key: string, scope: KeyScope | null): Caller {
	const { requestId, now } = registry;
	const notGood = () =>
		new AppError("INVALID_TOKEN", "The API key is wrong or revoked.", {
			headers: { "WWW-Authenticate": 'Api-Key realm="registry"' },
		});
	const hash = hashOfKey(key);
	if (hash === undefined) throw notGood();
	assertMayProve(registry, hash);
	return createCaller(registry, {
		check: keyStore.liveKey(
			{ hash, scope },
			{
				notLive() {
					noteUnproved(registry);
					return notGood();
				},
				suspended: () => accountSuspended(registry),
				lacksScope: () =>
					new AppError("FORBIDDEN", `This API key does not have the scope ${scope}. Create a key that has it.`),
			},
		),
		userId: undefined,
		countedBy: hash,
		proved({ id, lastUsedAt }) {
			noteProved(registry, hash);
			const unlessAfter = now - USE_NOTED_EVERY;
			if (lastUsedAt !== null && lastUsedAt > unlessAfter) return;
			const noting = inOneTrip(registry.database, keyStore.markUsed({ id, now, unlessAfter }));
			registry.afterAnswer(noting.catch(() => log("error", "key_use_not_noted", { request_id: requestId })));
		},
	});
}

/**
 * Admits a signed-in person as `user` does, or a system with an API key that has a scope: `Authorization: Api-Key <key>` or `Bearer <key>`.
 * @param otherwise What a caller without a credential can do instead: a sentence that starts with a space.
 */
function userOrKeyWith(scope: KeyScope | null, otherwise = ""): Access<Caller> {
	return {
		schemes: [...user.schemes, apiKeyScheme],
		summary: "Needs an access token or an API key.",
		errors: scope === null ? user.errors : [...user.errors, "FORBIDDEN"],
		async admit(registry, credential) {
			if (credential?.kind === "api-key") return callerOfKey(registry, credential.text, scope);
			if (credential?.kind === "access-token") return callerOfAccessToken(registry, credential.text);
			const detail =
				"Send an access token as Authorization: Bearer <token>, or an API key as Authorization: Api-Key <key>.";
			const challenges = 'Bearer realm="registry", Api-Key realm="registry"';
			throw new AppError("UNAUTHENTICATED", detail + otherwise, { headers: { "WWW-Authenticate": challenges } });
		},
	};
}

/** Admits a signed-in person, or a system whose key has `addresses:read`. Every key has it unless an operator took it away. */
export const userOrKey = userOrKeyWith("addresses:read");

/** Admits a signed-in person or any system, whatever the scopes of its key, for an endpoint that checks them itself. */
export const userOrAnyKey = userOrKeyWith(null);

/** Admits the same callers as `userOrKey`. The error tells others which public endpoint to use instead. */
export const userOrKeyForRecord = userOrKeyWith(
	"addresses:read",
	" Without either, resolve the code with GET /v1/public/addresses/{code}.",
);

/** Admits a signed-in person or a system that may act for its owner. */
export const userOrWritingKey: Access<Caller> = {
	...userOrKeyWith("addresses:write"),
	summary: "Needs an access token, or an API key with the scope `addresses:write`.",
};
