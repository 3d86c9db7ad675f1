import { maintainAccountJournal } from "../accounts/account-journal.ts";
import { maintainJournal } from "../addresses/journal.ts";
import { renewAddresses } from "../addresses/renewal.ts";
import { settleAccounts, tellClosings } from "../addresses/settle-actions.ts";
import { continueSnapshot } from "../changes/snapshot.ts";
import { type Database, openAllDatabases, openDatabase } from "../db/open.ts";
import { messagesOf } from "../db/retry.ts";
import type { Bindings } from "../env.ts";
import { checkAllTogether, extendRecord, pruneAndPack, requireOwnBucket } from "../journal/maintain.ts";
import { log } from "../logs/log.ts";
import { openRegistry } from "../registry.ts";
import { HOUR, MINUTE } from "../time/time.ts";
import { cleanUp } from "./clean-up.ts";
import { countOn, watch, watchMeanwhile } from "./watch.ts";

/** The trigger of the hourly job. Any other trigger makes snapshots: every five minutes or, in a large registry, every minute. */
const HOURLY_CRON = /^\d+ \* \* \* \*$/;

const SLOT = 5 * MINUTE;
const SLOTS = HOUR / SLOT;

/**
 * The databases, besides that of accounts, whose hourly turn falls into the present slot of five minutes. Each has one slot in an hour,
 * and so an invocation's budget to itself as long as there are no more databases than slots. Those that share a slot come first by turns,
 * because the first may use up the budget.
 */
export function databasesDue(env: Bindings, now: number): Database[] {
	if (now % SLOT >= MINUTE) return [];
	const slot = Math.floor(now / SLOT) % SLOTS;
	const due = openAllDatabases(env).filter((_, index) => index > 0 && index % SLOTS === slot);
	const first = Math.floor(now / HOUR) % Math.max(1, due.length);
	return [...due.slice(first), ...due.slice(0, first)];
}

/** Does the hourly job for databases that hold addresses alone, one by one. */
async function maintainDatabases(
	env: Bindings,
	now: number,
	databases: readonly Database[],
	isBehind: boolean,
): Promise<void> {
	for (const database of databases) {
		const parts = {
			clean_up: () => (isBehind ? undefined : cleanUp(env, now, undefined, [database])),
			renewal: () => renewAddresses(env, database, now),
			journal: () => requireOwnBucket(env).then(() => maintainJournal(env, database)),
			count: () => countOn(env, now, database),
		};
		for (const [part, run] of Object.entries(parts)) {
			try {
				await run();
			} catch (error) {
				// A part or database that fails must not stop the others.
				log("error", "database_job_failed", { database: database.name, part, causes: messagesOf(error) });
			}
		}
	}
}

/**
 * Whether a database is behind the bucket, as after a rollback. Until it is restored, nothing is erased and no snapshot is made: what it
 * says of closed accounts, retired addresses and private homes is no longer true.
 */
const isAnyBehind = (apart: ReadonlyMap<string, string>) => [...apart.values()].includes("database_behind");

/** Runs the hourly job, and in between makes snapshots and, if there are several databases, maintains the others (wrangler.toml). */
export const scheduled: ExportedHandlerScheduledHandler<Bindings> = async (controller, env, context) => {
	const now = controller.scheduledTime;
	if (!HOURLY_CRON.test(controller.cron)) {
		const registry = openRegistry(env, {
			requestId: "snapshot",
			webUrl: "",
			clientAddress: undefined,
			now,
			afterAnswer: (work) => context.waitUntil(work),
		});
		// A large registry has a run every minute, of which one in five minutes gives the next checkpoint.
		const apart = await checkAllTogether(env, now % SLOT >= MINUTE);
		const isBehind = isAnyBehind(apart);
		const maintaining = maintainDatabases(env, now, databasesDue(env, now), isBehind);
		// Told first, so that the parts of snapshots are rewritten in the same run.
		const following = settleAccounts(registry).then(() => tellClosings(registry));
		const snapshot = following.catch(() => {}).then(() => (isBehind ? undefined : continueSnapshot(registry)));
		await Promise.all([snapshot, watchMeanwhile(env, now, apart), following, maintaining]);
		return;
	}
	const database = openDatabase(env);
	const isBehind = isAnyBehind(await checkAllTogether(env, true));
	const cleaning = isBehind ? Promise.resolve() : cleanUp(env, now, undefined, [database]);
	// Side by side with the clean-up, the journal would record again what has just been erased.
	const renewing = cleaning.catch(() => {}).then(() => renewAddresses(env, database, now));
	const writeJournal = async () => {
		await renewing.catch(() => {});
		await requireOwnBucket(env);
		await maintainAccountJournal(env);
		await maintainJournal(env, database);
		await pruneAndPack(env, now);
		await extendRecord(env, now);
	};
	const jobs = { clean_up: cleaning, renewal: renewing, journal: writeJournal() };
	const outcomes = await Promise.allSettled(Object.values(jobs));
	const failed = Object.keys(jobs).filter((_, index) => outcomes[index]?.status === "rejected");
	await watch(env, now, failed);
	// The run counts as failed if one of them has failed.
	await Promise.all(Object.values(jobs));
};
