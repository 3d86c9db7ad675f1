/** What operators do to keys. */
import { inOneTrip } from "../db/statement.ts";
import { grantedScopes, keyParameterSchema } from "../keys/schemas.ts";
import type { ApiKey } from "../keys/store.ts";
import * as keyStore from "../keys/store.ts";
import { sent } from "../schemas/common.ts";
import { type Act, type ActContext, act, reason, type Target } from "./act.ts";

/** A key by its id, whether or not it exists: the statements of each act refuse a missing one. */
export const key: Target<ActContext, { id: string }, ApiKey> = {
	name: "key",
	path: "keys/{id}",
	params: keyParameterSchema,
	example: "key_7dN3kq0vXW2mZrB8cT5yLa",
	printedBy: "find",
	errors: ["KEY_NOT_FOUND"],
	async find({ database }, { id }) {
		const [found] = await inOneTrip(database, keyStore.byId({ id }));
		return { subject: id, userId: found?.userId ?? "", db: database };
	},
	idOf: ({ id }) => id,
};

const scopesRequest = sent("ScopesRequest", () => ({ scopes: grantedScopes(), reason: reason() }));

export const keyActs: Act[] = [
	act({
		name: "scopes",
		on: key,
		id: "setKeyScopes",
		summary: "Set what a key may do",
		description: "Replaces the scopes of a live key. Only this grants `changes:read`.",
		button: "Set the scopes of this key",
		done: "Scopes of the key set.",
		body: scopesRequest,
		offer: ({ scopes }) => ({ scopes }),
		plan: (_, { subject: id }, { scopes }) => ({
			detail: scopes.join(" "),
			statements: { isLive: keyStore.assertLive({ id }), granted: keyStore.setScopes({ id, scopes }) },
		}),
	}),
	act({
		name: "revoke-key",
		on: key,
		path: "revoke",
		id: "revokeKeyOfAccount",
		summary: "Revoke a key",
		description: "It stops at once and for good. The other keys of its account keep working.",
		button: "Revoke this key",
		done: "Key revoked.",
		plan: ({ now }, { subject: id, userId }) => ({
			statements: { isLive: keyStore.assertLive({ id }), revoked: keyStore.revoke({ id, userId, now }) },
		}),
	}),
];
