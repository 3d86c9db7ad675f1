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
import { ADDRESS_ENTRIES, ENTRIES_AT_ONCE, readEntries, writeEntries } from "../journal/entries.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";
import { unrecorded } from "./figures-store.ts";
import type { AddressRow, QueuedRow } from "./journal-store.ts";
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

/**
 * Whether two rows of one version are of one history: each change of an address sets another time, ends its links or hands it over, so two
 * histories differ in one of these.
 */
function isOfOneHistory(own: string, written: string): boolean {
	const [row, other] = [own, written].map((text) => JSON.parse(text) as AddressRow) as [AddressRow, AddressRow];
	return ["owner_id", "created_at", "updated_at", "share_count"].every((name) => row[name] === other[name]);
}

/** Writes entries, takes them out of the queue, and returns how many. A row whose entry is newer stays queued, and is marked. */
async function writeRows({ bucket, secrets, database }: Journal, rows: QueuedRow[]): Promise<number> {
	if (rows.length === 0) return 0;
	const entryOf = ({ newer_entry: _, ...row }: QueuedRow) => ({ id: String(row.canonical), text: JSON.stringify(row) });
	const { written, newer } = await writeEntries(bucket, secrets, ADDRESS_ENTRIES, rows, entryOf, isOfOneHistory);
	await inOneTrip(database, { ...journalStore.dequeue(written), newer: journalStore.noteNewer({ newer }) });
	return written.length;
}

/** Writes the entries that have waited longest, and returns how many. */
export async function writeWaiting(journal: Journal): Promise<number> {
	return writeRows(journal, await inOneTrip(journal.database, journalStore.queued(QUEUED_MAX)));
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
			await writeRows(journalOf(bindings, database), queued);
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
