/**
 * What the journal retains: how long entries and the codes of what was erased stay in it, and which backup must have their content before
 * they go.
 */

import { inAttempts } from "../time/attempts.ts";
import { DAY } from "../time/time.ts";
import { ACCOUNT_ENTRIES, ADDRESS_ENTRIES, packsOf } from "./entries.ts";
import { RECORDS } from "./journal-record.ts";
import { pagesOfObjects } from "./objects.ts";

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

/** The most pages of 1,000 keys that a run searches for entries to prune. A Worker may make 10,000 calls in one run. */
const PAGES_MAX = 50;

/** R2 deletes no more keys in one call. */
const KEYS_DELETED_AT_ONCE = 1_000;

/** What was erased: codes, accounts, and the successors of codes, by code. */
export interface Erased {
	codes: Set<string>;
	accounts: Set<string>;
	successors: Map<string, string>;
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

/** Records that the journal may lack what was written before a time, as in a new bucket: older backups do not go with it. */
export async function recordBeginning(bucket: R2Bucket, time: number): Promise<void> {
	await bucket.put(PRUNING, JSON.stringify({ prunedBefore: Math.max(await prunedBefore(bucket), time) }));
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
	await recordBeginning(bucket, before);
	const deleted = await prune(bucket, ADDRESS_ENTRIES, before);
	await prune(bucket, ACCOUNT_ENTRIES, before);
	await prune(bucket, RECORDS, before);
	await prune(bucket, ERASED, Math.min(now - ERASURES_RETENTION_DAYS * DAY, verified - OVERLAP_MILLISECONDS));
	return deleted;
}

async function* keysSince(bucket: R2Bucket, prefix: string, since: number): AsyncGenerator<string[]> {
	for await (const objects of pagesOfObjects(bucket, prefix))
		yield objects.filter(({ uploaded }) => uploaded.getTime() >= since).map(({ key }) => key);
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
