import * as accountStore from "../accounts/store.ts";
import { assertAllBound } from "../addresses/databases-of-owner.ts";
import * as feedStore from "../addresses/feed-store.ts";
import * as addressStore from "../addresses/store.ts";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { type Database, databaseBytes, openAllDatabases, openDatabase } from "../db/open.ts";
import { messagesOf } from "../db/retry.ts";
import { inEach } from "../db/several.ts";
import { inOneTrip, type Statement } from "../db/statement.ts";
import type { Bindings } from "../env.ts";
import { ERASURES_RETENTION_DAYS, recordErasure } from "../journal/retention.ts";
import * as keyStore from "../keys/store.ts";
import * as failedLoginStore from "../limits/failed-login-store.ts";
import * as limitStore from "../limits/store.ts";
import { log } from "../logs/log.ts";
import * as personalDataStore from "../personal-data/store.ts";
import { openRegistry, type Registry } from "../registry.ts";
import * as reportStore from "../reports/store.ts";
import {
	CHANGES_RETENTION,
	IDEMPOTENCY_KEY_RETENTION,
	KNOWN_FOR,
	PENDING_PHONE_RETENTION,
	REPORTS_RETENTION,
	SANDBOX_RETENTION,
	SHORT_RECORDS_RETENTION,
} from "../settings/retention.ts";
import { DAY } from "../time/time.ts";
import * as otpStore from "../verification/store.ts";

/** Rows of one table deleted in one transaction. D1 does one thing at a time, so others wait no longer than one such deletion takes. */
const BATCH_ROWS = 500;

/** Batches in one run: D1 allows an invocation 1,000 queries, and a batch takes thirteen at most. The next hour continues. */
const BATCHES_MAX = 75;

/** Share of the 10 GB limit of a D1 database above which each run warns. */
export const DATABASE_FILL_WARNED = 0.8;
export const DATABASE_BYTES_MAX = 10_000_000_000;

/** Deletes up to `count` rows and returns the number of rows deleted. */
type DeleteSome = (count: number) => Promise<number>;

/** What the clean-up deletes of the addresses of a database and the rows that belong to them, by the names that the log uses. */
function deletionsOfAddresses(
	registry: Registry,
	db: Database,
	dueAccounts: (count: number) => Promise<string[]>,
): [string, DeleteSome][] {
	const { bindings, now } = registry;
	const { RETIRED_ADDRESSES_KEPT_DAYS } = registry.settings.numbers;
	const forgetReports = (codes: string[]) => inOneTrip(db, reportStore.deleteOf({ codes }));
	const noteErasure = async (codes: string[], successors: Record<string, string>) => {
		await Promise.all([recordErasure(bindings.ZONES, { codes, successors }, now), forgetReports(codes)]);
	};
	/**
	 * Erases the addresses that a statement finds, after `beforehand` has run. If that fails, nothing is erased.
	 * @param isLinked As `erasing` takes it. If false, links to them from other databases are removed first.
	 */
	const erase = async (
		finding: Statement<{ canonical: string; successor: string | null }[]>,
		isLinked: boolean,
		beforehand: (codes: string[], successors: Record<string, string>) => Promise<unknown>,
	): Promise<number> => {
		const found = await inOneTrip(db, finding);
		const codes = found.map(({ canonical }) => canonical);
		if (codes.length === 0) return 0;
		const links = found.flatMap((row) => (isLinked && row.successor ? [[row.canonical, row.successor]] : []));
		await beforehand(codes, Object.fromEntries(links));
		if (!isLinked) {
			const others = registry.databases.filter((other) => other !== db);
			await inEach(others, addressStore.unlinking(codes));
		}
		await inOneTrip(db, addressStore.erasing(codes, isLinked));
		return codes.length;
	};
	const deleted = (statement: Statement<number>) => inOneTrip(db, statement);
	const deletions: [string, DeleteSome][] = [
		[
			"retired_addresses",
			(count) =>
				erase(addressStore.retiredBefore({ time: now - RETIRED_ADDRESSES_KEPT_DAYS * DAY, count }), true, noteErasure),
		],
		[
			"sandbox_addresses",
			(count) => erase(addressStore.sandboxBefore({ time: now - SANDBOX_RETENTION, count }), false, forgetReports),
		],
		["reports", (count) => deleted(reportStore.deleteMadeBefore({ time: now - REPORTS_RETENTION, count }))],
		["changes", (count) => deleted(feedStore.deleteChangesBefore({ time: now - CHANGES_RETENTION, count }))],
		[
			"idempotency_keys",
			(count) => deleted(addressStore.forgetKeysBefore({ time: now - IDEMPOTENCY_KEY_RETENTION, count })),
		],
		[
			"addresses_of_closed_accounts",
			async (count) => {
				const ownerIds = await dueAccounts(count);
				return erase(addressStore.ownedByAny({ ownerIds, count }), false, noteErasure);
			},
		],
	];
	if (db === registry.database) return deletions;
	const yesterday = Math.floor((now - DAY) / DAY);
	deletions.push(["daily_counts", (count) => deleted(limitStore.deleteCountsBefore({ day: yesterday, count }))]);
	return deletions;
}

/** What the clean-up of a database deletes, by the name that the log gives to the number of deleted rows. */
function deletionsOf(env: Bindings, now: number, db: Database): Map<string, DeleteSome> {
	const database = openDatabase(env);
	const circumstances = { requestId: "", webUrl: "", clientAddress: undefined, afterAnswer: () => {}, now };
	const registry = openRegistry(env, circumstances);
	const { signingSecrets, numbers } = registry.settings;
	const { REVOKED_KEYS_KEPT_DAYS } = numbers;
	const shortRecordsSince = now - SHORT_RECORDS_RETENTION;
	const yesterday = Math.floor((now - DAY) / DAY);
	/** Those of some accounts that have addresses. @throws ConfigError while a database with addresses is not bound. */
	const ownersAmong = async (ids: string[]) => {
		await assertAllBound(registry);
		const owners = await inEach(registry.databases, addressStore.ownersAmong({ userIds: ids }));
		return owners.flat().map(({ id }) => id);
	};
	const dueAccounts = async (count: number) =>
		(await inOneTrip(database, personalDataStore.due({ now, count }))).map(({ id }) => id);
	if (db !== database) return new Map(deletionsOfAddresses(registry, db, dueAccounts));
	const deleted = (statement: Statement<number>) => inOneTrip(database, statement);
	return new Map<string, DeleteSome>([
		["refresh_tokens", (count) => deleted(accountStore.deleteExpiredTokens({ now, count }))],
		["sessions", (count) => deleted(accountStore.deleteExpiredSessions({ now, count }))],
		[
			"ended_sessions",
			async (count) =>
				(await inOneTrip(database, accountStore.deleteEndedBefore({ time: shortRecordsSince, count }))).sessions,
		],
		[
			"revoked_keys",
			(count) => deleted(keyStore.deleteRevokedBefore({ time: now - REVOKED_KEYS_KEPT_DAYS * DAY, count })),
		],
		["failed_sign_ins", (count) => deleted(failedLoginStore.deleteFailedBefore({ time: shortRecordsSince, count }))],
		["failed_logins", (count) => deleted(failedLoginStore.deleteFormerBefore({ time: shortRecordsSince, count }))],
		["known_networks", (count) => deleted(failedLoginStore.deleteNetworksBefore({ time: now - KNOWN_FOR, count }))],
		["daily_counts", (count) => deleted(limitStore.deleteCountsBefore({ day: yesterday, count }))],
		[
			"pending_phones",
			(count) => deleted(accountStore.deletePendingBefore({ time: now - PENDING_PHONE_RETENTION, count })),
		],
		[
			"reservations",
			(count) => deleted(personalDataStore.deleteReservedBefore({ time: now - IDEMPOTENCY_KEY_RETENTION, count })),
		],
		["otp_codes", (count) => deleted(otpStore.deleteSentBefore({ time: shortRecordsSince, count }))],
		[
			"erased_accounts",
			(count) => deleted(personalDataStore.forgetErasedBefore({ time: now - ERASURES_RETENTION_DAYS * DAY, count })),
		],
		[
			"unused_accounts",
			async (count) => {
				const due = await inOneTrip(database, personalDataStore.dueForUse({ now, count }));
				const ids = due.map(({ id }) => id);
				const used = due.filter(({ isUsed }) => isUsed === 1).map(({ id }) => id);
				const inUse = new Set([...used, ...(await ownersAmong(ids))]);
				const unused = ids.filter((id) => !inUse.has(id));
				await inOneTrip(database, personalDataStore.closeUnused({ userIds: ids, unused, now }));
				return ids.length;
			},
		],
		...deletionsOfAddresses(registry, database, dueAccounts),
		[
			"closed_accounts",
			async (count) => {
				const closed = await dueAccounts(count);
				const owners = await ownersAmong(closed);
				// Accounts that still have addresses are left for the next hour.
				const ready = closed.filter((id) => !owners.includes(id));
				if (ready.length === 0) return 0;
				await recordErasure(env.ZONES, { accounts: ready }, now);
				const [{ secret }] = signingSecrets;
				const closings = addressStore.forgetOwners({ ownerIds: ready });
				for (const db of registry.databases.filter((other) => other !== database))
					await inOneTrip(db, { ...personalDataStore.eraseActsAndCounts(ready, now, secret), closings });
				await inOneTrip(database, { ...personalDataStore.erase(ready, now, secret), closings });
				return ready.length;
			},
		],
	]);
}

/**
 * Deletes what has expired from some databases, in bounded batches of each kind in turn, and logs how many rows of each kind went. Of an
 * address that was retired, or whose account was closed, long enough ago, only the burnt code stays. Of such an account nothing else
 * stays, so databases that hold addresses alone must come before that of accounts. It warns when a database is nearly full.
 * @param now Milliseconds since the epoch.
 * @param batchesMax The most batches deleted from each database.
 * @throws Error that names what could not be deleted.
 */
export async function cleanUp(
	env: Bindings,
	now: number,
	batchesMax = BATCHES_MAX,
	databases: readonly Database[] = openAllDatabases(env).toReversed(),
): Promise<void> {
	const failed: string[] = [];
	for (const database of databases) failed.push(...(await cleanDatabase(env, now, batchesMax, database)));
	// This makes the run count as failed. The log says why, without the statements and their values.
	if (failed.length > 0) throw new Error(`The clean-up could not delete ${failed.join(", ")}`);
}

/** Deletes what has expired from a database, and returns the kinds that failed. */
async function cleanDatabase(env: Bindings, now: number, batchesMax: number, database: Database): Promise<string[]> {
	const unfinished = deletionsOf(env, now, database);
	const deleted = Object.fromEntries([...unfinished.keys()].map((kind) => [kind, 0]));
	const failed: string[] = [];
	let batches = 0;
	while (unfinished.size > 0 && batches < batchesMax) {
		for (const [kind, deleteSome] of unfinished) {
			batches += 1;
			try {
				const count = await deleteSome(BATCH_ROWS);
				deleted[kind] = (deleted[kind] ?? 0) + count;
				// Of a batch of accounts, many own no addresses, so fewer rows than a batch do not mean the end.
				if (count === 0) unfinished.delete(kind);
			} catch (error) {
				// One kind that fails must not hold back the others.
				log("error", "clean_up_failed", { kind, causes: messagesOf(error) });
				failed.push(kind);
				unfinished.delete(kind);
			}
		}
	}
	const of = database.name === ACCOUNTS ? {} : { database: database.name };
	const bytes = await databaseBytes(database);
	log("info", "cleaned_up", { ...of, ...deleted, unfinished: [...unfinished.keys()], database_bytes: bytes });
	if (bytes > DATABASE_FILL_WARNED * DATABASE_BYTES_MAX)
		log("warn", "database_filling", { ...of, database_bytes: bytes });
	return failed;
}
