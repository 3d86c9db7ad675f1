/** What the hourly job does for the journal as a whole. */
import { openAllDatabases, openDatabase } from "../db/open.ts";
import { messagesOf } from "../db/retry.ts";
import { inEach } from "../db/several.ts";
import { inOneTrip } from "../db/statement.ts";
import { type Bindings, readConfig } from "../env.ts";
import { log } from "../logs/log.ts";
import { claimBucket } from "./bucket-identity.ts";
import { checkTogether, type Incident } from "./checkpoint.ts";
import { ENTRIES_AT_ONCE, packEntries, pooled } from "./entries.ts";
import { addToRecord } from "./journal-record.ts";
import * as recordStore from "./record-store.ts";
import { pruneJournal } from "./retention.ts";

/** Rows that one statement deletes. */
const FORGOTTEN_AT_ONCE = 5_000;

/** Entries that one part of the record names. */
const RECORDED_MAX = 50_000;

/**
 * Claims the bucket for this registry, if it is unclaimed.
 * @throws Error if it belongs to another registry, whose journal must not be written or pruned.
 */
export async function requireOwnBucket(bindings: Bindings): Promise<void> {
	const [own] = await inOneTrip(openDatabase(bindings), recordStore.identity({}));
	if (!own || !(await claimBucket(bindings.ZONES, own.id)))
		throw new Error("The bucket holds the journal of another registry, as when a lost database was not restored");
}

/**
 * Compares every database with the bucket, and gives each the next checkpoint that it shares with it. One that does not answer is logged
 * and left for the next run.
 * @param isComparedOnly Whether all keep the checkpoints that they have.
 * @returns What is wrong, by the names of databases.
 */
export async function checkAllTogether(bindings: Bindings, isComparedOnly = false): Promise<Map<string, Incident>> {
	const found = new Map<string, Incident>();
	const identity = inOneTrip(openDatabase(bindings), recordStore.identity({}));
	await pooled([...openAllDatabases(bindings)], ENTRIES_AT_ONCE, async (database) => {
		try {
			const [{ id } = { id: "" }] = await identity;
			const incident = await checkTogether(bindings.ZONES, database, id, isComparedOnly);
			if (incident) found.set(database.name, incident);
		} catch (error) {
			log("error", "checkpoint_failed", { database: database.name, causes: messagesOf(error) });
		}
	});
	return found;
}

/** Prunes the journal of entries that a verified backup has, and packs those that are new. */
export async function pruneAndPack({ ZONES: bucket }: Bindings, now: number): Promise<void> {
	const pruned = await pruneJournal(bucket, now);
	await packEntries(bucket);
	if (pruned > 0) log("info", "journal_maintained", { pruned });
}

/** Adds to the record of the journal what was written since: one part, because R2 refuses two writes of its head in a second. */
export async function extendRecord(bindings: Bindings, now: number): Promise<void> {
	const databases = openAllDatabases(bindings);
	const count = Math.ceil(RECORDED_MAX / databases.length);
	const written = await inEach(databases, recordStore.unnamed({ count }));
	const versions = Object.fromEntries(written.flat().map(({ id, version }) => [id, version]));
	if (Object.keys(versions).length === 0) return;
	if (!(await addToRecord(bindings.ZONES, readConfig(bindings).journalSecrets, versions, now))) return;
	for (const [index, database] of databases.entries()) {
		const own = written[index] ?? [];
		for (let from = 0; from < own.length; from += FORGOTTEN_AT_ONCE) {
			const some = own.slice(from, from + FORGOTTEN_AT_ONCE).map(({ id, version }) => [id, version] as const);
			await inOneTrip(database, recordStore.forgetNamed({ named: some }));
		}
	}
}
