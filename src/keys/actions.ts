/** What a person does with their API keys. */

import { newId } from "../crypto/random.ts";
import type { Caller } from "../db/caller.ts";
import { spending } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { spendingWrite } from "../limits/daily-limits.ts";
import type { Registry } from "../registry.ts";
import { standingLimits } from "../settings/limits.ts";
import { type KeyMode, newKey } from "./secret.ts";
import type { ApiKey, KeyScope } from "./store.ts";
import * as keyStore from "./store.ts";

/** What a user asks for in a new key. */
interface KeyRequest {
	name: string;
	mode: KeyMode;
	scopes: KeyScope[];
}

/** The live keys of a user, newest first. */
export function listKeys(registry: Registry, caller: Caller): Promise<ApiKey[]> {
	return caller.run(registry.database, (userId) => keyStore.listOf({ userId }));
}

/** Reads the live keys of an account, newest first. */
export function readingKeys(userId: string) {
	return keyStore.listOf({ userId });
}

/**
 * Makes a key for a user, within the limits on live keys and on new keys in a day. Only this call returns the key itself.
 * @throws AppError QUOTA_EXCEEDED.
 */
export async function createKey(
	registry: Registry,
	caller: Caller,
	{ name, mode, scopes: wanted }: KeyRequest,
): Promise<ApiKey & { key: string }> {
	const { settings, database, now } = registry;
	const { quota } = standingLimits["live-keys"];
	// Permission to change an address includes permission to read it.
	const scopes: KeyScope[] = wanted.includes("addresses:write")
		? ["addresses:read", "addresses:write"]
		: ["addresses:read"];
	const { key, prefix, hash } = newKey(settings.apiKeyPrefix, mode);
	const row = { id: newId("key"), name, mode, scopes, prefix, hash, createdAt: now, sandbox: mode === "test" };
	const {
		records: [record],
	} = await caller.run(database, (userId) => ({
		inserted: spending(
			keyStore.insert({ ...row, userId, quota }),
			spendingWrite(registry, "new-keys", userId, { texts: [name] }),
		),
		records: keyStore.byId(row),
	}));
	if (!record) {
		throw new AppError("QUOTA_EXCEEDED", `An account may have ${quota} live keys. Revoke one that you no longer need.`);
	}
	registry.log("info", "key_created", { user: record.userId, key: record.id });
	return { ...record, key };
}

/**
 * Revokes a key of a user at once and for good.
 * @throws AppError KEY_NOT_FOUND, also for a key of another user and for one that is revoked already.
 */
export async function revokeKey(registry: Registry, caller: Caller, id: string): Promise<void> {
	const { now } = registry;
	const [revoked] = await caller.run(registry.database, (userId) => keyStore.revoke({ id, userId, now }));
	if (!revoked) throw new AppError("KEY_NOT_FOUND", "You have no live key with this id.");
	registry.log("info", "key_revoked", { user: caller.userId, key: id });
}
