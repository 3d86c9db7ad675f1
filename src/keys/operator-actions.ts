/** What operators read of keys and do to them, as statements for the batch that keeps the act. */
import { inOneTrip, type Statements } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import type { ApiKey, KeyScope } from "./store.ts";
import * as keyStore from "./store.ts";

export type { ApiKey, KeyScope };

/** The live keys of an account, newest first. */
export function readingKeys(userId: string) {
	return keyStore.listOf({ userId });
}

/** The account of a key; undefined where there is no such key. */
export async function accountIdOfKey(registry: Registry, id: string): Promise<string | undefined> {
	const [key] = await inOneTrip(registry.database, keyStore.byId({ id }));
	return key?.userId;
}

/** Revokes a live key of a user; refuses where it is not live. */
export function revokingKey({ now }: Registry, id: string, userId: string): Statements {
	return { isLive: keyStore.assertLive({ id }), revoked: keyStore.revoke({ id, userId, now }) };
}

/** Gives a live key other scopes; refuses where it is not live. */
export function grantingScopes(id: string, scopes: KeyScope[]): Statements {
	return { isLive: keyStore.assertLive({ id }), granted: keyStore.setScopes({ id, scopes }) };
}
