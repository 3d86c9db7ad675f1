import { evenSuspendedUser, ownCallLimit, ownPasswordLimits } from "../accounts/bearer-auth.ts";
import { json, representations } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { closeAccount } from "./closing-actions.ts";
import { exportOf } from "./export-actions.ts";
import { closedSchema, closingSchema, exportSchema } from "./schemas.ts";

const tag = "Accounts";

export const personalDataEndpoints: Endpoint[] = [
	endpoint({
		method: "get",
		path: "/v1/auth/me/export",
		id: "exportPersonalData",
		tag,
		summary: "Export your data",
		description:
			"Returns everything that the registry holds about you: account, sessions, keys, proofs of phone numbers, and addresses with their history as GeoJSON.",
		access: evenSuspendedUser,
		limits: [ownCallLimit],
		answer: representations({ "application/json": exportSchema }, "Everything that the registry holds about you."),
		errors: ["QUOTA_EXCEEDED"],
		handle: async ({ registry, caller, c }) =>
			c.body(await exportOf(registry, caller), 200, { "Content-Type": "application/json" }),
	}),
	endpoint({
		method: "delete",
		path: "/v1/auth/me",
		id: "closeAccount",
		tag,
		summary: "Delete your account",
		description:
			"Signs you out everywhere, stops your keys and hides your addresses at once; caches may show them for a minute longer. Everything is erased at the time that the answer names, in 7 days unless the registry is set otherwise. Signing in before then undoes it. The codes are never issued again. An account may be closed twice per day (UTC); signing in is never refused for that.",
		access: evenSuspendedUser,
		limits: ownPasswordLimits,
		body: closingSchema,
		answer: json(202, closedSchema, "The account is closed and will be erased."),
		errors: ["INVALID_CREDENTIALS", "QUOTA_EXCEEDED"],
		handle: async ({ registry, caller, body }) => ({
			erased_at: new Date(await closeAccount(registry, caller, body.password)).toISOString(),
		}),
	}),
];
