import type { Context } from "hono";
import { ownCallLimit, ownPasswordLimits, user } from "../accounts/authentication.ts";
import type { SignedInCaller } from "../accounts/caller.ts";
import { accountContext, loginThrottleOf } from "../accounts/endpoints.ts";
import { purgeAddress } from "../addresses/address-cache.ts";
import { allAddressStores } from "../addresses/look-up.ts";
import { listAddresses } from "../addresses/own-addresses.ts";
import { openAccountsDatabase } from "../db/open.ts";
import { AppError } from "../errors.ts";
import { json } from "../http/answer.ts";
import type { AppEnv } from "../http/app-env.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { closeAccount } from "./closing.ts";
import { exportDocument } from "./export.ts";
import { closedSchema, closingSchema, exportSchema } from "./schemas.ts";
import { createPersonalDataStore } from "./store.ts";

/** Addresses of a closed account that are purged from caches; what those hold of others expires within a minute. */
const PURGED_MAX = 100;

function personalDataStore(c: Context<AppEnv>) {
	return createPersonalDataStore(openAccountsDatabase(c.env));
}

/**
 * Everything that the registry holds on a user.
 * @throws AppError INVALID_TOKEN when the account is gone.
 */
export async function exportOf(c: Context<AppEnv>, userId: string): Promise<ReturnType<typeof exportDocument>> {
	const [data, ...addresses] = await Promise.all([
		personalDataStore(c).allOf(userId),
		...allAddressStores(c.env).map((store) => store.allOf(userId)),
	]);
	if (!data) throw new AppError("INVALID_TOKEN", "The account of this token is gone.");
	return exportDocument(data, addresses.flat(), Date.now());
}

/**
 * Closes the account of a user, and drops what caches hold of its addresses.
 * @returns When it is erased, in milliseconds since the epoch.
 * @throws AppError As `closeAccount` does.
 */
export async function closeAccountOf(c: Context<AppEnv>, caller: SignedInCaller, password: string): Promise<number> {
	const { addresses } = await listAddresses(allAddressStores(c.env), caller, PURGED_MAX, undefined);
	const closing = { password, days: c.var.config.limits.ACCOUNT_ERASURE_DAYS };
	const eraseAt = await closeAccount(personalDataStore(c), accountContext(c), caller, loginThrottleOf(c), closing);
	await Promise.all(addresses.map(({ canonical }) => purgeAddress(c, canonical)));
	return eraseAt;
}

const tag = "Accounts";

export const personalDataEndpoints: Endpoint[] = [
	endpoint(
		{
			method: "get",
			path: "/v1/auth/me/export",
			id: "exportPersonalData",
			tag,
			summary: "Export your data",
			description:
				"Returns everything that the registry holds on you: account, sessions, keys, proofs of phone numbers, and addresses with their history as GeoJSON.",
			access: user,
			limits: [ownCallLimit],
			answer: json(200, exportSchema, "Everything held on you."),
		},
		async ({ c, caller }) => {
			await caller.run();
			return exportOf(c, caller.userId);
		},
	),
	endpoint(
		{
			method: "delete",
			path: "/v1/auth/me",
			id: "closeAccount",
			tag,
			summary: "Delete your account",
			description:
				"Signs you out everywhere, stops your keys and hides your addresses at once. Everything is erased at the time that the answer names, in 7 days unless the registry is set otherwise. Signing in before then undoes it. The codes are never issued again.",
			access: user,
			limits: ownPasswordLimits,
			body: closingSchema,
			answer: json(202, closedSchema, "The account is closed and will be erased."),
			errors: ["INVALID_CREDENTIALS"],
		},
		async ({ c, caller, body }) => ({
			erased_at: new Date(await closeAccountOf(c, caller, body.password)).toISOString(),
		}),
	),
];
