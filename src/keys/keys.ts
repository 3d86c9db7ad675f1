import { AppError } from "../errors.ts";
import { newId } from "../secret.ts";
import { MINUTE } from "../time.ts";
import { hashOfKey, type KeyMode, newKey } from "./secret.ts";
import type { ApiKey, KeyScope, KeyStore } from "./store.ts";

export type { ApiKey, KeyScope };

/** How often the use of a key is written down, in milliseconds. */
const USE_NOTED_EVERY = MINUTE;

/** When a caller whose keys are used up may ask again, in seconds. Nothing frees one but revoking, so this only keeps retries slow. */
const RETRY_SECONDS = 3600;

/** What is asked for. */
export interface KeyRequest {
	userId: string;
	name: string;
	mode: KeyMode;
	scopes: KeyScope[];
	/** What keys start with. */
	prefix: string;
	/** How many live keys the account may have. */
	quota: number;
}

/**
 * Makes a key for a user. The key itself is returned here and never again.
 * @param now Milliseconds since the epoch.
 * @throws AppError QUOTA_EXCEEDED.
 */
export async function createKey(store: KeyStore, request: KeyRequest, now: number): Promise<ApiKey & { key: string }> {
	const { userId, name, mode, quota } = request;
	// Whoever may change an address may read it.
	const scopes: KeyScope[] = request.scopes.includes("addresses:write")
		? ["addresses:read", "addresses:write"]
		: ["addresses:read"];
	const { key, prefix, hash } = newKey(request.prefix, mode);
	const record = await store.insert(
		{ id: newId("key"), userId, name, mode, scopes, prefix, hash, createdAt: now },
		quota,
	);
	if (!record) {
		throw new AppError("QUOTA_EXCEEDED", `An account may have ${quota} live keys. Revoke one that is not used.`, {
			headers: { "Retry-After": String(RETRY_SECONDS) },
		});
	}
	return { ...record, key };
}

/**
 * Revokes a key of a user at once and for good.
 * @throws AppError KEY_NOT_FOUND, also for a key of another user and for one that is revoked.
 */
export async function revokeKey(store: KeyStore, id: string, userId: string, now: number): Promise<void> {
	if (!(await store.revoke(id, userId, now))) {
		throw new AppError("KEY_NOT_FOUND", "You have no live key with this id.");
	}
}

/**
 * Who an API key speaks for. A text that cannot be a key is refused without asking the database.
 * @returns The user, and the writing of the key's last use when that is due, which need not be waited for.
 * @throws AppError INVALID_TOKEN.
 */
export async function callerOfKey(
	store: KeyStore,
	key: string,
	now: number,
): Promise<{ userId: string; scopes: KeyScope[]; noteUse: (() => Promise<void>) | undefined }> {
	const hash = hashOfKey(key);
	const record = hash === undefined ? undefined : await store.liveByHash(hash);
	if (!record) {
		throw new AppError("INVALID_TOKEN", "The API key is wrong or revoked.", {
			headers: { "WWW-Authenticate": "Api-Key" },
		});
	}
	const isDue = record.lastUsedAt === null || record.lastUsedAt <= now - USE_NOTED_EVERY;
	return {
		userId: record.userId,
		scopes: record.scopes,
		noteUse: isDue ? () => store.markUsed(record.id, now, now - USE_NOTED_EVERY) : undefined,
	};
}
