/** What operators read of keys and do to them, as statements for the batch that keeps the act. */
import { inOneTrip, type Statements } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { type ApiKey, KEY_NOT_LIVE, type KeyScope, keyStore } from "./store.ts";

export type { ApiKey, KeyScope };
export { KEY_NOT_LIVE };

/** The live keys of an account, newest first. */
export function readingKeys(registry: Registry, userId: string) {
	return keyStore(registry).listOf({ userId });
}

/** The account of a key; undefined where there is no such key. */
export async function accountIdOfKey(registry: Registry, id: string): Promise<string | undefined> {
	const [key] = await inOneTrip(keyStore(registry).byId({ id }));
	return key?.userId;
}

/** Revokes a live key of a user; refuses for KEY_NOT_LIVE. */
export function revokingKey(registry: Registry, id: string, userId: string): Statements {
	const store = keyStore(registry);
	return { isLive: store.assertLive({ id }), revoked: store.revoke({ id, userId, now: registry.now }) };
}

/** Gives a live key other scopes; refuses for KEY_NOT_LIVE. */
export function grantingScopes(registry: Registry, id: string, scopes: KeyScope[]): Statements {
	const store = keyStore(registry);
	return { isLive: store.assertLive({ id }), granted: store.setScopes({ id, scopes }) };
}
