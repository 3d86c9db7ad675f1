import { passDuePhones } from "../accounts/phone-pending-actions.ts";
import { accountStoreOf } from "../accounts/store.ts";
import { feedStoreOf } from "../addresses/feed-store.ts";
import { ERASURES_KEPT_DAYS, recordErasure } from "../addresses/journal.ts";
import { addressStoreOf } from "../addresses/store.ts";
import { databaseBytes, openDatabase } from "../db/open.ts";
import { messagesOf } from "../db/retry.ts";
import type { Bindings } from "../env.ts";
import { keyStoreOf } from "../keys/store.ts";
import { failedLoginStoreOf } from "../limits/failed-login-store.ts";
import {
	CHANGES_KEPT,
	IDEMPOTENCY_KEY_KEPT,
	KNOWN_FOR,
	PENDING_PHONE_KEPT,
	REPORTS_KEPT,
	SHORT_RECORDS_KEPT,
} from "../limits/policy.ts";
import { limitStoreOf } from "../limits/store.ts";
import { log } from "../log.ts";
import { createPersonalDataStore } from "../personal-data/store.ts";
import { openRegistry } from "../registry.ts";
import { reportStoreOf } from "../reports/store.ts";
import { DAY } from "../time.ts";
import { otpStoreOf } from "../verification/store.ts";

/** Rows of one table deleted in one transaction: D1 does one thing at a time, so others wait no longer than this takes. */
const BATCH_ROWS = 500;

/** Batches in one run: D1 allows an invocation 1,000 queries, a batch takes thirteen at most, and the next hour goes on. */
const BATCHES_MAX = 75;

/** How long a sandbox address is kept. */
const SANDBOX_KEPT = 30 * DAY;

/** Share of the 10 GB that D1 holds, above which each run warns. */
export const FILL_WARNED = 0.8;
export const DATABASE_BYTES_MAX = 10_000_000_000;

/** Deletes up to `count` rows and returns the number of rows deleted. */
type DeleteSome = (count: number) => Promise<number>;

/** What the clean-up deletes, by the name that the log gives to the number of deleted rows. */
function deletionsOf(env: Bindings, now: number): Map<string, DeleteSome> {
	const database = openDatabase(env);
	const accounts = accountStoreOf(database);
	const failedLogins = failedLoginStoreOf(database);
	const otp = otpStoreOf(database);
	const keys = keyStoreOf(database);
	const addresses = addressStoreOf(database);
	const personalData = createPersonalDataStore(database);
	const reports = reportStoreOf(database);
	const circumstances = { requestId: "", webUrl: "", clientAddress: undefined, afterAnswer: () => {}, now };
	const registry = openRegistry(env, circumstances);
	const { signingSecrets, limits } = registry.settings;
	const { RETIRED_ADDRESSES_KEPT_DAYS, REVOKED_KEYS_KEPT_DAYS } = limits;
	const shortlyKept = now - SHORT_RECORDS_KEPT;
	const yesterday = Math.floor((now - DAY) / DAY);
	const forgetReports = (codes: string[]) => reports.deleteOf(codes);
	const noteErasure = async (codes: string[]) => {
		await Promise.all([recordErasure(env.ZONES, { codes }, now), forgetReports(codes)]);
	};
	return new Map<string, DeleteSome>([
		["refresh_tokens", (count) => accounts.deleteExpiredTokens(now, count)],
		["sessions", (count) => accounts.deleteExpiredSessions(now, count)],
		["ended_sessions", (count) => accounts.deleteEndedBefore(shortlyKept, count)],
		["revoked_keys", (count) => keys.deleteRevokedBefore(now - REVOKED_KEYS_KEPT_DAYS * DAY, count)],
		["failed_logins", (count) => failedLogins.deleteFailedBefore(shortlyKept, count)],
		["known_networks", (count) => failedLogins.deleteNetworksBefore(now - KNOWN_FOR, count)],
		["daily_counts", (count) => limitStoreOf(database).deleteCountsBefore(yesterday, count)],
		["passed_phones", (count) => passDuePhones(registry, count)],
		["pending_phones", (count) => accounts.deletePendingBefore(now - PENDING_PHONE_KEPT, count)],
		["otp_codes", (count) => otp.deleteSentBefore(shortlyKept, count)],
		[
			"retired_addresses",
			(count) => addresses.eraseRetiredBefore(now - RETIRED_ADDRESSES_KEPT_DAYS * DAY, count, noteErasure),
		],
		["sandbox_addresses", (count) => addresses.eraseSandboxBefore(now - SANDBOX_KEPT, count, forgetReports)],
		["reports", (count) => reports.deleteMadeBefore(now - REPORTS_KEPT, count)],
		["changes", (count) => feedStoreOf(database).deleteChangesBefore(now - CHANGES_KEPT, count)],
		["idempotency_keys", (count) => addresses.forgetKeysBefore(now - IDEMPOTENCY_KEY_KEPT, count)],
		["erased_accounts", (count) => personalData.forgetErasedBefore(now - ERASURES_KEPT_DAYS * DAY, count)],
		[
			"unused_accounts",
			async (count) => {
				const due = await personalData.dueForUse(now, count);
				const ids = due.map(({ id }) => id);
				const used = due.filter(({ isUsed }) => isUsed).map(({ id }) => id);
				return personalData.closeUnused(ids, new Set([...used, ...(await addresses.ownersAmong(ids))]), now);
			},
		],
		[
			"addresses_of_closed_accounts",
			async (count) => addresses.eraseOf(await personalData.due(now, count), count, noteErasure),
		],
		[
			"closed_accounts",
			async (count) => {
				const closed = await personalData.due(now, count);
				const owners = await addresses.ownersAmong(closed);
				// Whoever still has addresses is left for the next hour.
				const ready = closed.filter((id) => !owners.includes(id));
				await recordErasure(env.ZONES, { accounts: ready }, now);
				await personalData.erase(ready, now, signingSecrets[0].secret);
				return ready.length;
			},
		],
	]);
}

/**
 * Deletes what has expired until nothing is left, in bounded batches of each kind in turn, and logs how many rows of each went. Of an
 * address retired long enough ago, the burnt code alone stays, and so of the addresses of an account closed long enough ago, of which
 * nothing else stays at all. It warns when the database is nearly full.
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
				// Of accounts that come in batches, some own addresses and many do not: fewer than a batch is not the end.
				if (count === 0) unfinished.delete(kind);
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
