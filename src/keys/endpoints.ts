import type { Context } from "hono";
import { user } from "../accounts/authentication.ts";
import type { Caller } from "../db/caller.ts";
import { openAccountsDatabase } from "../db/open.ts";
import { json, noContent } from "../http/answer.ts";
import type { AppEnv } from "../http/app-env.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { securityLog } from "../http/security-log.ts";
import type { ValueOf } from "../lazy.ts";
import { writeLimits } from "../limits/write-limits.ts";
import { keyStore } from "./authentication.ts";
import { createKey, revokeKey } from "./keys.ts";
import { createdKeySchema, keyListSchema, keyParameterSchema, type keySchema, newKeySchema } from "./schemas.ts";
import type { ApiKey } from "./store.ts";

/** The record of a key, as its owner sees it. */
function keyRecord(key: ApiKey): ValueOf<typeof keySchema> {
	return {
		id: key.id,
		name: key.name,
		mode: key.mode,
		scopes: key.scopes,
		prefix: key.prefix,
		created_at: new Date(key.createdAt).toISOString(),
		last_used_at: key.lastUsedAt === null ? null : new Date(key.lastUsedAt).toISOString(),
	};
}

/**
 * Makes a key for a caller, within what they may have and make.
 * @throws AppError As createKey does.
 */
export async function createForCaller(c: Context<AppEnv>, caller: Caller, wanted: ValueOf<typeof newKeySchema>) {
	const { apiKeyPrefix, limits } = c.var.config;
	const now = Date.now();
	const made = writeLimits(c, openAccountsDatabase(c.env), "new-keys", await caller.user(), now);
	const request = { ...wanted, prefix: apiKeyPrefix, quota: limits.LIVE_KEYS_PER_ACCOUNT };
	const created = await createKey(keyStore(c), caller, made, request, now);
	const log = securityLog(c);
	log("info", "key_created", { user: created.userId, key: created.id });
	return created;
}

/**
 * Revokes a key of a caller.
 * @throws AppError KEY_NOT_FOUND.
 */
export async function revokeForCaller(c: Context<AppEnv>, caller: Caller, id: string): Promise<void> {
	await revokeKey(keyStore(c), caller, id, Date.now());
	const log = securityLog(c);
	log("info", "key_revoked", { user: caller.userId, key: id });
}

const tag = "Keys";

export const keyEndpoints: Endpoint[] = [
	endpoint(
		{
			method: "get",
			path: "/v1/keys",
			id: "listKeys",
			tag,
			summary: "List your keys",
			description:
				"Lists your keys, newest first, without revoked ones. Only the first characters of each key are shown.",
			access: user,
			answer: json(200, keyListSchema, "Your keys."),
		},
		async ({ c, caller }) => {
			const [keys] = await caller.runAs((userId) => [keyStore(c).listOf({ userId })]);
			return keys.map(keyRecord);
		},
	),
	endpoint(
		{
			method: "post",
			path: "/v1/keys",
			id: "createKey",
			tag,
			summary: "Create a key",
			description: "Only this answer contains the whole key, because the registry stores only its hash.",
			access: user,
			body: newKeySchema,
			answer: json(201, createdKeySchema, "The new key."),
			errors: ["QUOTA_EXCEEDED"],
		},
		async ({ c, caller, body }) => {
			const created = await createForCaller(c, caller, body);
			return { ...keyRecord(created), key: created.key };
		},
	),
	endpoint(
		{
			method: "delete",
			path: "/v1/keys/{id}",
			id: "revokeKey",
			tag,
			summary: "Revoke a key",
			description: "The key stops working at once and cannot be restored.",
			access: user,
			params: keyParameterSchema,
			answer: noContent("The key has been revoked."),
			errors: ["KEY_NOT_FOUND"],
		},
		({ c, caller, params }) => revokeForCaller(c, caller, params.id),
	),
];
