/**
 * The journal of accounts. What holders and operators end or replace, such as a password, a phone or a key, stays so even if the database
 * is lost. An entry holds the newest state of an account, encrypted like the entries of addresses.
 */
import { type Database, openDatabase } from "../db/open.ts";
import { messagesOf } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { type Bindings, readConfig } from "../env.ts";
import { ACCOUNT_ENTRIES, readEntries, writeEntries } from "../journal/entries.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";
import {
	type AccountState,
	dequeueAccounts,
	noteNewerAccounts,
	type QueuedAccount,
	queuedAccounts,
} from "./account-journal-store.ts";

export type { AccountState };

/** How many accounts are written right after one answer. The hourly run writes the rest. */
const AFTER_ANSWER_MAX = 20;
/** How many accounts an hourly run writes. */
const QUEUED_MAX = 1_000;

/** Writes the journal entries of queued accounts, and returns how many it wrote. */
export async function writeAccounts(
	{ bucket, secrets, database }: { bucket: R2Bucket; secrets: SigningSecrets; database: Database },
	count = QUEUED_MAX,
): Promise<number> {
	const queued = await inOneTrip(database, queuedAccounts(count));
	if (queued.length === 0) return 0;
	const entryOf = ({ version: _version, newer_entry: _newer, ...state }: QueuedAccount) => ({
		id: state.id,
		text: JSON.stringify(state),
	});
	const { written, newer } = await writeEntries(bucket, secrets, ACCOUNT_ENTRIES, queued, entryOf);
	await inOneTrip(database, { ...dequeueAccounts(written), newer: noteNewerAccounts({ newer }) });
	return written.length;
}

/** Writes queued accounts after an answer that may have changed one. It never throws: what is left is written within the hour. */
export function writeWaitingAccounts({ bindings, database, settings, afterAnswer }: Registry): void {
	const places = { bucket: bindings.ZONES, secrets: settings.journalSecrets, database };
	afterAnswer(
		writeAccounts(places, AFTER_ANSWER_MAX).catch((error) =>
			log("error", "journal_not_written", { accounts: true, causes: messagesOf(error) }),
		),
	);
}

/** Writes the queued accounts, as part of the hourly job. */
export async function maintainAccountJournal(bindings: Bindings): Promise<void> {
	const secrets = readConfig(bindings).journalSecrets;
	await writeAccounts({ bucket: bindings.ZONES, secrets, database: openDatabase(bindings) });
}

/** A journal entry of an account. The state is undefined if it cannot be read. */
interface AccountEntry {
	id: string;
	version: number;
	keyId: string;
	state: AccountState | undefined;
}

/** The entries of accounts that were written since a time (milliseconds since the epoch). */
export async function* accountsSince(
	bucket: R2Bucket,
	secrets: SigningSecret[],
	since: number,
	atOnce: number,
): AsyncGenerator<AccountEntry> {
	for await (const { id, version, keyId, text } of readEntries(bucket, secrets, ACCOUNT_ENTRIES, since, atOnce))
		yield { id, version, keyId, state: text === undefined ? undefined : (JSON.parse(text) as AccountState) };
}
