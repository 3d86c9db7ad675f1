/**
 * The journal: the newest version of each address that was minted or changed lately, encrypted, in R2 and so outside the database. If the
 * database is lost or goes back to an earlier moment, the journal says where every code issued since then leads, and which were erased. It
 * is no archive: entries that are in a verified backup are pruned after a while.
 */

import { partsOf } from "../codes/code.ts";
import { ACCOUNTS, type Database, openAllDatabases } from "../db/open.ts";
import { messagesOf } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { type Bindings, readConfig } from "../env.ts";
import {
	ACCOUNT_ENTRIES,
	ADDRESS_ENTRIES,
	ENTRIES_AT_ONCE,
	packEntries,
	packsOf,
	pooled,
	readEntries,
	writeEntry,
} from "../journal/entries.ts";
import { RECORDS } from "../journal/journal-record.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";
import { inAttempts } from "../time/attempts.ts";
import { DAY } from "../time/time.ts";
import { unrecorded } from "./figures-store.ts";
import type { AddressRow } from "./journal-store.ts";
import * as journalStore from "./journal-store.ts";

/** The prefix of objects that each list codes and accounts erased at one time, whose entries are gone. The time follows in ISO 8601. */
const ERASED = "erased-codes/";

/** The object that says when the newest verified backup began, in ISO 8601. */
const VERIFIED_BACKUP = "journal/verified-backup";

/** The object that says before which time entries may have been pruned. */
const PRUNING = "journal/pruning";

/**
 * The objects that say after which key pruning continues below each prefix; empty for the beginning. They are separate objects because R2
 * refuses two writes of one object within a second.
 */
const PRUNED_UP_TO = "journal/pruned-up-to/";

/** How long an entry stays in the journal, if a verified backup has its content. D1's Time Travel reaches back 30 days. */
export const ENTRIES_RETENTION_DAYS = 35;

/** How long the journal records what was erased, in days. Older backups must not be retained, or the erased would come back with them. */
export const ERASURES_RETENTION_DAYS = 400;

/** The margin when the times of entries and backups are compared, because clocks differ and answers take time. */
export const OVERLAP_MILLISECONDS = DAY;

/** The most entries written right after one answer; the hourly run writes the rest. */
const AFTER_ANSWER_MAX = 500;

/**
 * The most entries that an hourly run writes, and the most pages of 1,000 keys that it searches for entries to prune. A Worker may make
 * 10,000 calls in one run.
 */
const QUEUED_MAX = 2_000;
const PAGES_MAX = 50;

/** R2 deletes no more keys in one call. */
const KEYS_DELETED_AT_ONCE = 1_000;

/** The bucket and secrets that the journal is written with, and the database that its entries come from. */
interface Places {
	bucket: R2Bucket;
	secrets: SigningSecrets;
	database: Database;
}

/** Writes entries and takes them out of the queue. */
async function writeEntries({ bucket, secrets, database }: Places, rows: AddressRow[]): Promise<void> {
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
export async function writeWaiting(places: Places): Promise<number> {
	const queued = await inOneTrip(places.database, journalStore.queued(QUEUED_MAX));
	await writeEntries(places, queued);
	return queued.length;
}

const placesOf = (bindings: Bindings, database: Database): Places => ({
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
			await writeEntries(placesOf(bindings, database), queued);
		} catch (error) {
			log("error", "journal_not_written", { addresses: codes.length, causes: messagesOf(error) });
		}
	};
	afterAnswer(Promise.all(Array.from(byDatabase, work)));
}

/** Writes what is queued for the journal, then packs and prunes it: part of the hourly job. */
export async function maintainJournal(
	bindings: Bindings,
	now: number,
	databases: readonly Database[] = openAllDatabases(bindings),
): Promise<void> {
	let written = 0;
	for (const database of databases) written += await writeWaiting(placesOf(bindings, database));
	const isOfAll = databases.some(({ name }) => name === ACCOUNTS);
	const pruned = isOfAll ? await pruneJournal(bindings.ZONES, now) : 0;
	if (isOfAll) await packEntries(bindings.ZONES);
	if (written > 0 || pruned > 0) log("info", "journal_maintained", { written, pruned });
}

/** How many more changes the next run of the journal of a database has room for. */
export async function roomInQueue(database: Database): Promise<number> {
	const [waiting] = await inOneTrip(database, unrecorded({ max: QUEUED_MAX }));
	return QUEUED_MAX - (waiting?.count ?? 0);
}

/** Since when the oldest change has waited for the journal, in milliseconds since the epoch; null if none waits. */
export async function oldestQueued(database: Database): Promise<number | null> {
	const [row] = await inOneTrip(database, journalStore.oldestQueued({}));
	return row?.queuedAt ?? null;
}

/**
 * Records that codes and accounts are about to be erased, and deletes their journal entries. Run it before erasing them: then they cannot
 * come back, whatever fails in between.
 */
export async function recordErasure(
	bucket: R2Bucket,
	erased: { codes?: string[]; accounts?: string[]; successors?: Record<string, string> },
	now = Date.now(),
): Promise<void> {
	const { codes = [], accounts = [], successors = {} } = erased;
	if (codes.length + accounts.length === 0) return;
	const key = `${ERASED}${new Date(now).toISOString()}-${crypto.randomUUID()}`;
	await inAttempts(() => bucket.put(key, JSON.stringify({ codes, accounts, successors })));
	// Packs hold copies of the erased entries. They are made again later.
	const gone = [
		...codes.map((code) => ADDRESS_ENTRIES + code),
		...packsOf(codes),
		...accounts.map((id) => ACCOUNT_ENTRIES + id),
	];
	for (let from = 0; from < gone.length; from += KEYS_DELETED_AT_ONCE)
		await inAttempts(() => bucket.delete(gone.slice(from, from + KEYS_DELETED_AT_ONCE)));
}

/** Records that all rows from before a time are in a verified backup, so that the journal may be pruned. */
export async function recordVerifiedBackup(bucket: R2Bucket, startedAt: string): Promise<void> {
	await bucket.put(VERIFIED_BACKUP, startedAt);
}

/** When the newest verified backup began, in milliseconds since the epoch; undefined if there is none. */
export async function verifiedBackup(bucket: R2Bucket): Promise<number | undefined> {
	const time = Date.parse((await (await bucket.get(VERIFIED_BACKUP))?.text()) ?? "");
	return Number.isNaN(time) ? undefined : time;
}

/** The time before which entries may have been pruned, in milliseconds since the epoch. With an older backup, the journal is incomplete. */
export async function prunedBefore(bucket: R2Bucket): Promise<number> {
	const state = await (await bucket.get(PRUNING))?.json<{ prunedBefore: number }>();
	return state?.prunedBefore ?? 0;
}

/** Deletes objects written before a time, going on where the run before stopped, and returns how many. */
async function prune(bucket: R2Bucket, prefix: string, before: number): Promise<number> {
	const reached = (await (await bucket.get(PRUNED_UP_TO + prefix))?.text()) ?? "";
	let deleted = 0;
	let startAfter = reached;
	for (let page = 0; page < PAGES_MAX; page += 1) {
		const listed = await inAttempts(() => bucket.list({ prefix, ...(startAfter ? { startAfter } : {}) }));
		const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key);
		if (old.length > 0) await inAttempts(() => bucket.delete(old));
		deleted += old.length;
		startAfter = listed.truncated ? (listed.objects.at(-1)?.key ?? "") : "";
		if (startAfter === "") break;
	}
	if (startAfter !== reached) await bucket.put(PRUNED_UP_TO + prefix, startAfter);
	return deleted;
}

/** Deletes entries that are old enough and in a verified backup, and returns how many. A long journal takes several runs. */
export async function pruneJournal(bucket: R2Bucket, now: number): Promise<number> {
	const verified = await verifiedBackup(bucket);
	if (verified === undefined) return 0;
	const before = Math.min(now - ENTRIES_RETENTION_DAYS * DAY, verified - OVERLAP_MILLISECONDS);
	// Written first, so that a restore does not take a journal that is being pruned for a complete one.
	await bucket.put(PRUNING, JSON.stringify({ prunedBefore: Math.max(await prunedBefore(bucket), before) }));
	const deleted = await prune(bucket, ADDRESS_ENTRIES, before);
	await prune(bucket, ACCOUNT_ENTRIES, before);
	await prune(bucket, RECORDS, before);
	await prune(bucket, ERASED, Math.min(now - ERASURES_RETENTION_DAYS * DAY, verified - OVERLAP_MILLISECONDS));
	return deleted;
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

/** What was erased: codes, accounts, and the successors of codes, by code. */
export interface Erased {
	codes: Set<string>;
	accounts: Set<string>;
	successors: Map<string, string>;
}

async function* keysSince(bucket: R2Bucket, prefix: string, since: number): AsyncGenerator<string[]> {
	let cursor: string | undefined;
	do {
		const from = cursor === undefined ? {} : { cursor };
		const listed = await inAttempts(() => bucket.list({ prefix, ...from }));
		yield listed.objects.filter(({ uploaded }) => uploaded.getTime() >= since).map(({ key }) => key);
		cursor = listed.truncated ? listed.cursor : undefined;
	} while (cursor !== undefined);
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

/** What was erased since a time, in milliseconds since the epoch. */
export async function erasedSince(bucket: R2Bucket, since: number): Promise<Erased> {
	const erased: Erased = { codes: new Set(), accounts: new Set(), successors: new Map() };
	for await (const keys of keysSince(bucket, ERASED, since)) {
		for (const key of keys) {
			const noted = await (await inAttempts(() => bucket.get(key)))?.json<{
				codes: string[];
				accounts: string[];
				successors?: Record<string, string>;
			}>();
			for (const code of noted?.codes ?? []) erased.codes.add(code);
			for (const account of noted?.accounts ?? []) erased.accounts.add(account);
			for (const [code, successor] of Object.entries(noted?.successors ?? {})) erased.successors.set(code, successor);
		}
	}
	return erased;
}

/** Whether the journal knows of anything that happened after a time, in milliseconds since the epoch. */
export async function hasNewsSince(bucket: R2Bucket, since: number): Promise<boolean> {
	for (const prefix of [ERASED, ADDRESS_ENTRIES, ACCOUNT_ENTRIES])
		for await (const keys of keysSince(bucket, prefix, since)) if (keys.length > 0) return true;
	return false;
}
