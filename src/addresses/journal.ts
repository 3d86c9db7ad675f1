/**
 * The journal: outside the database, in R2, the newest version of each address that was minted or changed lately, encrypted. When the
 * database is lost or goes back to an earlier moment, it says where every code that was issued since leads, and which codes were erased.
 * It is no archive: what a verified backup holds is pruned after a while.
 */
import { inAttempts } from "../attempts.ts";
import { type Database, openDatabase } from "../db/open.ts";
import { messagesOf } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { type Bindings, readConfig, type SigningSecret, type SigningSecrets } from "../env.ts";
import { log } from "../log.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time.ts";
import { decrypt, encrypt } from "./journal-cipher.ts";
import type { AddressRow } from "./journal-store.ts";
import * as journalStore from "./journal-store.ts";

/** One object for each code, whose key ends in the code. Older registries wrote empty ones, with the day in the key. */
const ENTRIES = "issued-codes/";

/** One object for what was erased at a time, whose entries are gone: codes and accounts. It begins with the time in ISO 8601. */
const ERASED = "erased-codes/";

/** When the newest verified backup began, in ISO 8601. */
const VERIFIED_BACKUP = "journal/verified-backup";

/** Before which time entries may have been pruned. */
const PRUNING = "journal/pruning";

/** After which key pruning continues; empty at the beginning. Apart, because R2 refuses two writes of an object in a second. */
const PRUNED_UP_TO = "journal/pruned-up-to";

/** How long an entry stays, if a verified backup holds what it holds. D1's Time Travel reaches back 30 days. */
export const ENTRIES_KEPT_DAYS = 35;

/** How long it is known what was erased: backups that are older must not be kept, or the erased would come back with them. */
export const ERASURES_KEPT_DAYS = 400;

/** The margin when times of entries and backups are compared, for clocks that differ and answers that took long. */
export const OVERLAP_MILLISECONDS = DAY;

/** How often an entry is tried again because another request has written it meanwhile. */
const RACES_MAX = 5;

/** Entries written at once: a Worker has six connections. */
const AT_ONCE = 6;

/** Entries that are written right after one answer; the hourly run writes the rest. */
const AFTER_ANSWER_MAX = 500;

/**
 * Entries that an hourly run writes, and pages of 1,000 keys that it looks through to prune: a Worker may make 10,000 calls in one run.
 */
const QUEUED_MAX = 2_000;
const PAGES_MAX = 50;

function keyOf(canonical: string): string {
	return ENTRIES + canonical;
}

/** Writes an entry, unless there is one of the same or a newer version, also where several write at once. */
async function writeEntry(bucket: R2Bucket, secrets: SigningSecrets, row: AddressRow): Promise<void> {
	const { canonical, version } = row;
	const { bytes, keyId } = await encrypt(secrets, canonical, JSON.stringify(row));
	const customMetadata = { version: String(version), key: keyId };
	for (let attempt = 1; attempt <= RACES_MAX; attempt += 1) {
		// The first version of an address has no entry yet: one call where there would be two.
		const isFirst = version === 1 && attempt === 1;
		const known = isFirst ? null : await inAttempts(() => bucket.head(keyOf(canonical)));
		if (known && Number(known.customMetadata?.version ?? 0) >= version) return;
		const onlyIf = known ? { etagMatches: known.etag } : { etagDoesNotMatch: "*" };
		if (await inAttempts(() => bucket.put(keyOf(canonical), bytes, { customMetadata, onlyIf }))) return;
	}
	throw new Error(`Others wrote the same entry of the journal ${RACES_MAX} times`);
}

/** Writes entries and takes them out of the queue. */
async function writeEntries(bindings: Bindings, database: Database, rows: AddressRow[]): Promise<void> {
	const { signingSecrets } = readConfig(bindings);
	for (let from = 0; from < rows.length; from += AT_ONCE) {
		const some = rows.slice(from, from + AT_ONCE);
		await Promise.all(some.map((row) => writeEntry(bindings.ZONES, signingSecrets, row)));
	}
	if (rows.length > 0) await inOneTrip(database, journalStore.settle(rows));
}

/**
 * Writes the newest versions of some addresses into the journal, after the answer. It never fails: what cannot be written is logged and
 * stays in the queue for the next hour, and the addresses are valid all the same.
 */
export function keepInJournal({ bindings, database, afterAnswer }: Registry, canonicals: string[]): void {
	const work = async () => {
		try {
			await writeEntries(
				bindings,
				database,
				await inOneTrip(database, journalStore.queuedAmong(canonicals.slice(0, AFTER_ANSWER_MAX))),
			);
		} catch (error) {
			log("error", "journal_not_written", { addresses: canonicals.length, causes: messagesOf(error) });
		}
	};
	afterAnswer(work());
}

/** Writes what is missing in the journal and prunes it: part of the hourly job. */
export async function maintainJournal(bindings: Bindings, now: number): Promise<void> {
	const database = openDatabase(bindings);
	const queued = await inOneTrip(database, journalStore.queued(QUEUED_MAX));
	await writeEntries(bindings, database, queued);
	const pruned = await pruneJournal(bindings.ZONES, now);
	if (queued.length > 0 || pruned > 0) log("info", "journal_maintained", { written: queued.length, pruned });
}

/**
 * Notes that codes and accounts are about to be erased, and drops what the journal holds of them. Run it before they are erased: then
 * they cannot come back, whatever fails in between.
 */
export async function recordErasure(
	bucket: R2Bucket,
	erased: { codes?: string[]; accounts?: string[] },
	now = Date.now(),
): Promise<void> {
	const { codes = [], accounts = [] } = erased;
	if (codes.length + accounts.length === 0) return;
	const key = `${ERASED}${new Date(now).toISOString()}-${crypto.randomUUID()}`;
	await inAttempts(() => bucket.put(key, JSON.stringify({ codes, accounts })));
	if (codes.length > 0) await inAttempts(() => bucket.delete(codes.map(keyOf)));
}

/** Notes that all rows from before a time are in a verified backup, so that the journal may be pruned. */
export async function recordVerifiedBackup(bucket: R2Bucket, startedAt: string): Promise<void> {
	await bucket.put(VERIFIED_BACKUP, startedAt);
}

/** When the newest verified backup began, in milliseconds since the epoch; undefined while there is none. */
export async function verifiedBackup(bucket: R2Bucket): Promise<number | undefined> {
	const time = Date.parse((await (await bucket.get(VERIFIED_BACKUP))?.text()) ?? "");
	return Number.isNaN(time) ? undefined : time;
}

/** Entries written before this time may be gone from the journal: a backup that is older does not make it whole. */
export async function prunedBefore(bucket: R2Bucket): Promise<number> {
	const state = await (await bucket.get(PRUNING))?.json<{ prunedBefore: number }>();
	return state?.prunedBefore ?? 0;
}

/**
 * Deletes objects that were written before a time, from just after a key on; how many, and where to go on, unless the end was reached.
 */
async function prune(bucket: R2Bucket, prefix: string, before: number, after: string | undefined) {
	let deleted = 0;
	let startAfter = after;
	for (let page = 0; page < PAGES_MAX; page += 1) {
		const listed = await inAttempts(() => bucket.list({ prefix, ...(startAfter ? { startAfter } : {}) }));
		const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key);
		if (old.length > 0) await inAttempts(() => bucket.delete(old));
		deleted += old.length;
		startAfter = listed.objects.at(-1)?.key;
		if (!listed.truncated) return { deleted, after: undefined };
	}
	return { deleted, after: startAfter };
}

/** Deletes entries that are old enough and in a verified backup, and returns how many. A long journal takes several runs. */
export async function pruneJournal(bucket: R2Bucket, now: number): Promise<number> {
	const verified = await verifiedBackup(bucket);
	if (verified === undefined) return 0;
	const before = Math.min(now - ENTRIES_KEPT_DAYS * DAY, verified - OVERLAP_MILLISECONDS);
	// Written first, so that a restore does not take a journal for whole that is being pruned.
	await bucket.put(PRUNING, JSON.stringify({ prunedBefore: Math.max(await prunedBefore(bucket), before) }));
	const after = await (await bucket.get(PRUNED_UP_TO))?.text();
	const entries = await prune(bucket, ENTRIES, before, after);
	if (after || entries.after) await bucket.put(PRUNED_UP_TO, entries.after ?? "");
	await prune(bucket, ERASED, Math.min(now - ERASURES_KEPT_DAYS * DAY, verified - OVERLAP_MILLISECONDS), undefined);
	return entries.deleted;
}

/** What the journal says of a code that was issued or changed since a time. */
interface JournalEntry {
	canonical: string;
	/** 0 where registries before the journal noted that the code was issued, and nothing else. */
	version: number;
	/** The id of the signing secret that it is encrypted under; empty where it is not. */
	keyId: string;
	/** The row of the address in that version; undefined where it cannot be read. */
	row: AddressRow | undefined;
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

async function readEntry(bucket: R2Bucket, secrets: SigningSecret[], key: string): Promise<JournalEntry> {
	const canonical = key.slice(key.lastIndexOf("/") + 1);
	const object = await inAttempts(() => bucket.get(key));
	if (!object?.customMetadata?.version) return { canonical, version: 0, keyId: "", row: undefined };
	const { version, key: keyId = "" } = object.customMetadata;
	const bytes = new Uint8Array(await object.arrayBuffer());
	const text = await decrypt(secrets, canonical, { bytes, keyId });
	return {
		canonical,
		version: Number(version),
		keyId,
		row: text === undefined ? undefined : (JSON.parse(text) as AddressRow),
	};
}

/**
 * The entries that were written since a time, in milliseconds since the epoch.
 * @param atOnce How many are read at once.
 */
export async function* entriesSince(
	bucket: R2Bucket,
	secrets: SigningSecret[],
	since: number,
	atOnce = AT_ONCE,
): AsyncGenerator<JournalEntry> {
	for await (const keys of keysSince(bucket, ENTRIES, since)) {
		for (let from = 0; from < keys.length; from += atOnce) {
			yield* await Promise.all(keys.slice(from, from + atOnce).map((key) => readEntry(bucket, secrets, key)));
		}
	}
}

/** The codes and accounts that were erased since a time, in milliseconds since the epoch. */
export async function erasedSince(
	bucket: R2Bucket,
	since: number,
): Promise<{ codes: Set<string>; accounts: Set<string> }> {
	const codes = new Set<string>();
	const accounts = new Set<string>();
	for await (const keys of keysSince(bucket, ERASED, since)) {
		for (const key of keys) {
			const noted = await (await inAttempts(() => bucket.get(key)))?.json<{ codes: string[]; accounts: string[] }>();
			for (const code of noted?.codes ?? []) codes.add(code);
			for (const account of noted?.accounts ?? []) accounts.add(account);
		}
	}
	return { codes, accounts };
}
