import { accountStoreOf } from "./accounts/store.ts";
import { enumerationStoreOf } from "./addresses/enumeration-store.ts";
import { addressStoreOf } from "./addresses/store.ts";
import { openAccountsDatabase, openAllAddressesDatabases } from "./db/open.ts";
import { messagesOf } from "./db/retry.ts";
import { type Bindings, readConfig } from "./env.ts";
import { limitStoreOf } from "./limits/store.ts";
import { log } from "./log.ts";
import { createPersonalDataStore } from "./personal-data/store.ts";
import { DAY } from "./time.ts";
import { otpStoreOf } from "./verification/store.ts";

/** Rows of one table deleted in one transaction: D1 does one thing at a time, so others wait no longer than this takes. */
const BATCH_ROWS = 500;

/** Batches of one kind in a night, within a Worker's limit of queries; a larger backlog is worked off over several nights. */
const BATCHES_MAX = 100;

/** Deletes up to `count` rows and says how many went. */
type DeleteSome = (count: number) => Promise<number>;

/** Deletes from several databases, one after the other, and says how many rows went in all. */
async function inAll<Store>(stores: Store[], deleteFrom: (store: Store) => Promise<number>): Promise<number> {
	let deleted = 0;
	for (const store of stores) deleted += await deleteFrom(store);
	return deleted;
}

/**
 * Deletes what has expired, in bounded batches, and logs how many rows of each kind went. Used refresh tokens stay until they would have
 * expired, so that a replay is recognised all that time. Of an address retired long enough ago, the burnt code alone stays, and so of the addresses of an
 * account closed long enough ago, of which nothing else stays at all.
 * @param now Milliseconds since the epoch.
 * @param batchesMax How many batches of a kind are deleted at most.
 */
export async function cleanUp(env: Bindings, now: number, batchesMax = BATCHES_MAX): Promise<void> {
	const database = openAccountsDatabase(env);
	const accounts = accountStoreOf(database);
	const limits = limitStoreOf(database);
	const otp = otpStoreOf(database);
	const addressStores = openAllAddressesDatabases(env).map(addressStoreOf);
	const personalData = createPersonalDataStore(database);
	const enumerationStores = openAllAddressesDatabases(env).map(enumerationStoreOf);
	const dayAgo = now - DAY;
	const retiredBefore = now - readConfig(env).limits.RETIRED_ADDRESSES_KEPT_DAYS * DAY;
	const deletions: Record<string, DeleteSome> = {
		refresh_tokens: (count) => accounts.deleteExpiredTokens(now, count),
		sessions: (count) => accounts.deleteExpiredSessions(now, count),
		failed_logins: (count) => limits.deleteFailedBefore(dayAgo, count),
		unknown_codes: (count) => inAll(enumerationStores, (store) => store.deleteBefore(Math.floor(dayAgo / DAY), count)),
		daily_counts: (count) => limits.deleteCountsBefore(Math.floor(dayAgo / DAY), count),
		otp_codes: (count) => otp.deleteSentBefore(dayAgo, count),
		retired_addresses: (count) => inAll(addressStores, (store) => store.eraseRetiredBefore(retiredBefore, count)),
		addresses_of_closed_accounts: async (count) => {
			const owners = await personalData.due(now, count);
			return inAll(addressStores, (store) => store.eraseOf(owners, count));
		},
		closed_accounts: async (count) => {
			const due = await personalData.due(now, count);
			const owners = new Set<string>();
			for (const store of addressStores) for (const id of await store.ownersAmong(due)) owners.add(id);
			// Whoever still has addresses is left for the next night.
			const ready = due.filter((id) => !owners.has(id));
			return personalData.erase(ready, now);
		},
	};
	const deleted: Record<string, number> = {};
	const failures: unknown[] = [];
	for (const [kind, deleteSome] of Object.entries(deletions)) {
		deleted[kind] = 0;
		try {
			for (let batch = 0; batch < batchesMax; batch += 1) {
				const count = await deleteSome(BATCH_ROWS);
				deleted[kind] += count;
				if (count < BATCH_ROWS) break;
			}
		} catch (error) {
			// One kind that fails must not keep the others for ever.
			log("error", "clean_up_failed", { kind, causes: messagesOf(error) });
			failures.push(error);
		}
	}
	log("info", "cleaned_up", deleted);
	if (failures.length > 0) throw failures[0];
}
