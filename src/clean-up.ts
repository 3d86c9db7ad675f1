import { accountStoreOf } from "./accounts/store.ts";
import { enumerationStoreOf } from "./addresses/enumeration-store.ts";
import { addressStoreOf } from "./addresses/store.ts";
import { databaseBytes, openAccountsDatabase, openAllAddressesDatabases } from "./db/open.ts";
import { messagesOf } from "./db/retry.ts";
import { type Bindings, readConfig } from "./env.ts";
import { keyStoreOf } from "./keys/store.ts";
import { failedLoginStoreOf } from "./limits/failed-login-store.ts";
import { limitStoreOf } from "./limits/store.ts";
import { log } from "./log.ts";
import { createPersonalDataStore } from "./personal-data/store.ts";
import { DAY } from "./time.ts";
import { otpStoreOf } from "./verification/store.ts";

/** Rows of one table deleted in one transaction: D1 does one thing at a time, so others wait no longer than this takes. */
const BATCH_ROWS = 500;

/** Batches in one run: D1 allows an invocation 1,000 queries, and a batch takes eleven at most. What is left then goes in the next hour. */
const BATCHES_MAX = 90;

/** Share of the 10 GB that D1 holds, above which each run warns. */
const FILL_WARNED = 0.8;
const DATABASE_BYTES_MAX = 10_000_000_000;

/** Deletes up to `count` rows and says how many went. */
type DeleteSome = (count: number) => Promise<number>;

/** Deletes from several databases, one after the other, and says how many rows went in all. */
async function inAll<Store>(stores: Store[], deleteFrom: (store: Store) => Promise<number>): Promise<number> {
	let deleted = 0;
	for (const store of stores) deleted += await deleteFrom(store);
	return deleted;
}

/** What the clean-up deletes, by the name that the log gives to the number of deleted rows. */
function deletionsOf(env: Bindings, now: number): Map<string, DeleteSome> {
	const database = openAccountsDatabase(env);
	const accounts = accountStoreOf(database);
	const failedLogins = failedLoginStoreOf(database);
	const otp = otpStoreOf(database);
	const keys = keyStoreOf(database);
	const addressDatabases = openAllAddressesDatabases(env);
	const addressStores = addressDatabases.map(addressStoreOf);
	const personalData = createPersonalDataStore(database);
	const { KNOWN_NETWORKS_KEPT_DAYS, RETIRED_ADDRESSES_KEPT_DAYS, REVOKED_KEYS_KEPT_DAYS } = readConfig(env).limits;
	const dayAgo = now - DAY;
	const yesterday = Math.floor(dayAgo / DAY);
	const countStores = [...new Set([database, ...addressDatabases])].map(limitStoreOf);
	return new Map<string, DeleteSome>([
		["refresh_tokens", (count) => accounts.deleteExpiredTokens(now, count)],
		["sessions", (count) => accounts.deleteExpiredSessions(now, count)],
		["ended_sessions", (count) => accounts.deleteEndedBefore(dayAgo, count)],
		["revoked_keys", (count) => keys.deleteRevokedBefore(now - REVOKED_KEYS_KEPT_DAYS * DAY, count)],
		["failed_logins", (count) => failedLogins.deleteFailedBefore(dayAgo, count)],
		["known_networks", (count) => failedLogins.deleteNetworksBefore(now - KNOWN_NETWORKS_KEPT_DAYS * DAY, count)],
		[
			"unknown_codes",
			(count) => inAll(addressDatabases, (db) => enumerationStoreOf(db).deleteBefore(yesterday, count)),
		],
		["daily_counts", (count) => inAll(countStores, (store) => store.deleteCountsBefore(yesterday, count))],
		["otp_codes", (count) => otp.deleteSentBefore(dayAgo, count)],
		[
			"retired_addresses",
			(count) => {
				const before = now - RETIRED_ADDRESSES_KEPT_DAYS * DAY;
				return inAll(addressStores, (store) => store.eraseRetiredBefore(before, count));
			},
		],
		[
			"addresses_of_closed_accounts",
			async (count) => {
				const owners = await personalData.due(now, count);
				return inAll(addressStores, (store) => store.eraseOf(owners, count));
			},
		],
		[
			"closed_accounts",
			async (count) => {
				const due = await personalData.due(now, count);
				const owners = new Set<string>();
				for (const store of addressStores) for (const id of await store.ownersAmong(due)) owners.add(id);
				// Whoever still has addresses is left for the next hour.
				const ready = due.filter((id) => !owners.has(id));
				return personalData.erase(ready, now);
			},
		],
	]);
}

/**
 * Deletes what has expired until nothing is left, in bounded batches of each kind in turn, and logs how many rows of each went. Of an address
 * retired long enough ago, the burnt code alone stays, and so of the addresses of an account closed long enough ago, of which nothing else stays
 * at all. It warns when the database is nearly full.
 * @param now Milliseconds since the epoch.
 * @param batchesMax How many batches are deleted at most.
 */
export async function cleanUp(env: Bindings, now: number, batchesMax = BATCHES_MAX): Promise<void> {
	const unfinished = deletionsOf(env, now);
	const deleted = Object.fromEntries([...unfinished.keys()].map((kind) => [kind, 0]));
	const failed: string[] = [];
	let batches = 0;
	while (unfinished.size > 0 && batches < batchesMax) {
		for (const [kind, deleteSome] of unfinished) {
			batches += 1;
			try {
				const count = await deleteSome(BATCH_ROWS);
				deleted[kind] = (deleted[kind] ?? 0) + count;
				if (count < BATCH_ROWS) unfinished.delete(kind);
			} catch (error) {
				// One kind that fails must not keep the others for ever.
				log("error", "clean_up_failed", { kind, causes: messagesOf(error) });
				failed.push(kind);
				unfinished.delete(kind);
			}
		}
	}
	const bytes = await databaseBytes(env);
	log("info", "cleaned_up", { ...deleted, unfinished: [...unfinished.keys()], database_bytes: bytes });
	if (bytes > FILL_WARNED * DATABASE_BYTES_MAX) log("warn", "database_filling", { database_bytes: bytes });
	// The run counts as failed. Why stands in the lines above, without the statements and their values.
	if (failed.length > 0) throw new Error(`The clean-up could not delete ${failed.join(", ")}`);
}
