import { confirmIdentity } from "../accounts/actions.ts";
import { passwordLimitsOf, user } from "../accounts/bearer-auth.ts";
import { json, noContent } from "../http/answer.ts";
import { type Endpoint, endpoint, withinLimits } from "../http/endpoint.ts";
import { createKey, listKeys, revokeKey } from "./actions.ts";
import { keyRecord } from "./key-record.ts";
import { createdKeySchema, keyListSchema, keyParameterSchema, newKeySchema } from "./schemas.ts";

const tag = "Keys";

export const keyEndpoints: Endpoint[] = [
	endpoint({
		method: "get",
		path: "/v1/keys",
		id: "listKeys",
		tag,
		summary: "List your keys",
		description:
			"Lists your keys, newest first, without revoked ones. Only the first characters of each key are shown.",
		access: user,
		answer: json(200, keyListSchema, "Your keys."),
		handle: async ({ registry, caller }) => (await listKeys(registry, caller)).map(keyRecord),
	}),
	endpoint({
		method: "post",
		path: "/v1/keys",
		id: "createKey",
		tag,
		summary: "Create a key",
		description:
			"Only this answer contains the whole key, because the registry stores only its hash. A key with `addresses:write` outlives your session, so more than ten minutes after signing in it needs your password.",
		access: user,
		body: newKeySchema,
		answer: json(201, createdKeySchema, "The new key."),
		errors: ["QUOTA_EXCEEDED", "INVALID_CREDENTIALS"],
		handle: async ({ registry, caller, body: { password, ...body } }) => {
			if (body.scopes.includes("addresses:write")) {
				const limits = password === undefined ? [] : passwordLimitsOf(caller.claims);
				await withinLimits(registry, limits, () => confirmIdentity(registry, caller, password));
			}
			const created = await createKey(registry, caller, body);
			return { ...keyRecord(created), key: created.key };
		},
	}),
	endpoint({
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
		handle: ({ registry, caller, params }) => revokeKey(registry, caller, params.id),
	}),
];
