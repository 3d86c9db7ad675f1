import type { Operation } from "../http/operation.ts";
import { createdKeySchema, keyListSchema, keyParameterSchema, newKeySchema } from "./schemas.ts";

export const keyOperations: Operation[] = [
	{
		method: "get",
		path: "/v1/keys",
		id: "listKeys",
		tag: "Keys",
		summary: "List your keys",
		description: "Newest first, without the revoked. Only the first characters of each are known.",
		access: "user",
		success: { status: 200, description: "Your keys.", content: { "application/json": keyListSchema } },
	},
	{
		method: "post",
		path: "/v1/keys",
		id: "createKey",
		tag: "Keys",
		summary: "Make a key",
		description: "The whole key is in this answer and never shown again: only its hash is kept.",
		access: "user",
		body: newKeySchema,
		success: { status: 201, description: "The key.", content: { "application/json": createdKeySchema } },
		errors: ["QUOTA_EXCEEDED"],
	},
	{
		method: "delete",
		path: "/v1/keys/{id}",
		id: "revokeKey",
		tag: "Keys",
		summary: "Revoke a key",
		description: "At once and for good.",
		access: "user",
		pathParameters: keyParameterSchema,
		success: { status: 204, description: "It is revoked." },
		errors: ["KEY_NOT_FOUND"],
	},
];
