import { user } from "../accounts/authentication.ts";
import { json, noContent } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { ValueOf } from "../lazy.ts";
import { createKey, listKeys, revokeKey } from "./actions.ts";
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
		async ({ registry, caller }) => (await listKeys(registry, caller)).map(keyRecord),
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
		async ({ registry, caller, body }) => {
			const created = await createKey(registry, caller, body);
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
		({ registry, caller, params }) => revokeKey(registry, caller, params.id),
	),
];
