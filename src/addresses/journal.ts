/**
 * The journal of addresses: the newest version of each that was minted or changed lately, encrypted, in R2 and so outside the database. If
 * the database is lost or goes back to an earlier moment, the journal says where every code issued since then leads. It is no archive:
 * entries that are in a verified backup are pruned after a while (src/journal/retention.ts).
 */

import { partsOf } from "../codes/code.ts";
import type { Database } from "../db/open.ts";
import { messagesOf } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { type Bindings, readConfig } from "../env.ts";
import { ADDRESS_ENTRIES, ENTRIES_AT_ONCE, pooled, readEntries, writeEntry } from "../journal/entries.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";
import { unrecorded } from "./figures-store.ts";
import type { AddressRow } from "./journal-store.ts";
import * as journalStore from "./journal-store.ts";

/** The most entries written right after one answer; the hourly run writes the rest. */
const AFTER_ANSWER_MAX = 500;

/** The most entries that an hourly run writes. A Worker may make 10,000 calls in one run. */
const QUEUED_MAX = 2_000;

/** The bucket and secrets that the journal is written with, and the database that its entries come from. */
interface Journal {
	bucket: R2Bucket;
	secrets: SigningSecrets;
	database: Database;
}

/** Writes entries and takes them out of the queue. */
async function writeEntries({ bucket, secrets, database }: Journal, rows: AddressRow[]): Promise<void> {
	await pooled(rows, ENTRIES_AT_ONCE, (row) =>
		writeEntry(bucket, secrets, ADDRESS_ENTRIES, {
			id: row.canonical,
			version: row.version,
			text: JSON.stringify(row),
		}),
	);
	if (rows.length > 0) await inOneTrip(database, journalStore.dequeue(rows));
}

/** Writes the entries that have waited longest, and returns how many. */
export async function writeWaiting(journal: Journal): Promise<number> {
	const queued = await inOneTrip(journal.database, journalStore.queued(QUEUED_MAX));
	await writeEntries(journal, queued);
	return queued.length;
}

const journalOf = (bindings: Bindings, database: Database): Journal => ({
	bucket: bindings.ZONES,
	secrets: readConfig(bindings).journalSecrets,
	database,
});

/**
 * Writes the newest versions of some addresses to the journal, after the answer. It never fails: what cannot be written is logged and
 * stays queued for the next hourly run, and the addresses are valid all the same.
 */
export function writeToJournal({ bindings, databaseOf, afterAnswer }: Registry, canonicals: string[]): void {
	const byDatabase = Map.groupBy(canonicals.slice(0, AFTER_ANSWER_MAX), (canonical) => databaseOf(partsOf(canonical)));
	const work = async ([database, codes]: [Database, string[]]) => {
		try {
			const queued = await inOneTrip(database, journalStore.queuedAmong(codes));
			await writeEntries(journalOf(bindings, database), queued);
		} catch (error) {
			log("error", "journal_not_written", { addresses: codes.length, causes: messagesOf(error) });
		}
	};
	afterAnswer(Promise.all(Array.from(byDatabase, work)));
}

/** Writes what is queued in a database for the journal: part of its hourly job. */
export async function maintainJournal(bindings: Bindings, database: Database): Promise<void> {
	const written = await writeWaiting(journalOf(bindings, database));
	if (written > 0) log("info", "journal_maintained", { written });
}

/** How many more changes the next run of the journal of a database has room for. */
export async function roomInQueue(database: Database): Promise<number> {
	const [waiting] = await inOneTrip(database, unrecorded({ max: QUEUED_MAX }));
	return QUEUED_MAX - (waiting?.count ?? 0);
}

/** Since when the oldest change has waited for the journal, in milliseconds since the epoch; null if none waits. */
export async function oldestQueued(database: Database): Promise<number | null> {
	const [row] = await inOneTrip(database, journalStore.queuedSince({}));
	return row?.queuedAt ?? null;
}

/** The journal's entry for a code that was issued or changed since a time. */
interface JournalEntry {
	canonical: string;
	/** 0 for codes from before the journal existed, when only their issue was noted. */
	version: number;
	/** The id of the secret that it is encrypted with; empty if it is not encrypted. */
	keyId: string;
	/** The row of the address in that version; undefined if it cannot be read. */
	row: AddressRow | undefined;
}

/**
 * The entries of addresses written since a time, in milliseconds since the epoch. A row whose version differs from that of its object
 * counts as unreadable.
 * @param atOnce How many are read at once.
 */
export async function* entriesSince(
	bucket: R2Bucket,
	secrets: SigningSecret[],
	since: number,
	atOnce = ENTRIES_AT_ONCE,
): AsyncGenerator<JournalEntry> {
	for await (const { id, version, keyId, text } of readEntries(bucket, secrets, ADDRESS_ENTRIES, since, atOnce)) {
		const row = text === undefined ? undefined : (JSON.parse(text) as AddressRow);
		yield { canonical: id, version, keyId, row: row?.version === version ? row : undefined };
	}
}
