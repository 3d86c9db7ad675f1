/** Reads from the journal what a backup lacks: once, before anything is changed. */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import path from "node:path";
import { type AccountState, accountsSince, writeAccounts } from "../accounts/account-journal.ts";
import { entriesSince, writeWaiting } from "../addresses/journal.ts";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { wrapDatabase } from "../db/open.ts";
import { RecordError, recordedSince } from "../journal/journal-record.ts";
import { type Erased, erasedSince, OVERLAP_MILLISECONDS, prunedBefore } from "../journal/retention.ts";
import type { SigningSecrets } from "../settings/signing-secrets.ts";
import { MINUTE } from "../time/time.ts";
import { linesOfTable, readBackup, type ShowProgress } from "./backup.ts";
import type { OneDatabase } from "./databases.ts";
import { tablesOf } from "./tables.ts";

/** Objects that are read at once: packs of entries, and single entries. */
const AT_ONCE = 32;

/** How many entries are read between two lines of progress. */
const REPORTED_EVERY = 20_000;

/** Missing things that a message names one by one. */
const NAMED_MAX = 10;

/** By how much clocks may differ, in milliseconds: a backup may have the earlier state of an account that changed shortly before it. */
const CLOCKS_DIFFER = 10 * MINUTE;

/** Options of reading the journal. */
export interface JournalReading {
	/** The secrets by which the journal is encrypted. */
	secrets: SigningSecrets;
	/** A folder that nobody else can read. The present state is saved into it first, then the rows of the journal. */
	saveTo: string;
	/**
	 * Whether the operator accepts a journal that does not reach back far enough, that lacks what its record names, or of which a signing
	 * secret is lost.
	 */
	isIncomplete?: boolean;
	report: ShowProgress;
}

/** The journal since a moment, as far as one database is concerned. */
export interface JournalSince {
	/** The rows of addresses, one line of JSON each, in no order. */
	file: string;
	/** By code, the version of its row in the file. */
	versions: Map<string, number>;
	/**
	 * By code, the version of an entry that cannot be read or is missing. Where its address is, and whether it is private by now, is unknown.
	 */
	unreadable: Map<string, number>;
	/** Codes that were issued, of which versions before the journal recorded nothing else. */
	issued: Set<string>;
	/** The newest states of accounts; none for a database that has no accounts. */
	accounts: AccountState[];
	/** What was erased: codes of this database, and accounts of the registry. */
	erased: Erased;
}

/** The journal of one database, of which only what was erased has been read. */
function unreadJournal({ name, holds }: OneDatabase, saveTo: string, erased: Erased): JournalSince {
	return {
		file: path.join(saveTo, `journal${name === ACCOUNTS ? "" : `.${name}`}.ndjson`),
		versions: new Map(),
		unreadable: new Map(),
		issued: new Set(),
		accounts: [],
		erased: {
			...erased,
			codes: new Set([...erased.codes].filter(holds)),
			successors: new Map([...erased.successors].filter(([canonical]) => holds(canonical))),
		},
	};
}

/**
 * Writes what waits in a database into the journal, so that a restore knows every change that was confirmed.
 * @throws What R2 throws; nothing has been changed then.
 */
export async function settleJournal(
	{ database, bucket }: Pick<OneDatabase, "database" | "bucket">,
	{ secrets, report }: Pick<JournalReading, "secrets" | "report">,
): Promise<void> {
	const there = (await tablesOf(database)).map(({ name }) => name);
	// If a table is lost, what it held is in the journal or nowhere.
	if (!["addresses", "units", "users", "api_keys"].every((name) => there.includes(name))) return;
	const places = { bucket, secrets, database: wrapDatabase(database) };
	let settled = 0;
	try {
		for (let count = 1; count > 0; settled += count) count = await writeWaiting(places);
		for (let count = 1; count > 0; settled += count) count = await writeAccounts(places);
	} catch (error) {
		// Drizzle's own error quotes the statement.
		throw error instanceof Error && error.cause ? error.cause : error;
	}
	if (settled > 0) report(`journal: ${settled.toLocaleString("en")} waiting entries written`);
}

/** The newest versions of some codes in backups. */
async function versionsIn(folders: string[], codes: Set<string>): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	for (const folder of folders) {
		for await (const line of linesOfTable(folder, await readBackup(folder), "addresses")) {
			const { canonical, version } = JSON.parse(line) as { canonical: string; version: number };
			if (codes.has(canonical)) found.set(canonical, Math.max(version, found.get(canonical) ?? 0));
		}
	}
	return found;
}

/** Where a reading of the journal begins. */
interface Beginning {
	/** In milliseconds since the epoch. */
	moment: number;
	/** The newest part of the record at that moment; null if unknown. */
	recordHead: string | null;
	/** Folders of backed-up databases, whose versions of addresses need not be in the journal. */
	folders: string[];
	/** The databases for which it is read. */
	databases: OneDatabase[];
}

const isAccount = (id: string) => id.startsWith("usr_");

/** The journals of databases, each of which has the entries of the codes that it holds. */
type Journals = ReadonlyMap<OneDatabase, JournalSince>;

/** The journal that has the entry of a code; undefined for a code of a database that is not among them. */
function journalOf(journals: Journals, canonical: string): JournalSince | undefined {
	for (const [{ holds }, journal] of journals) if (holds(canonical)) return journal;
	return undefined;
}

const hasAccounts = (databases: OneDatabase[]) => databases.some(({ database, accounts }) => database === accounts);

/** The ids that the record of the journal names and the journal lacks, each with the missing version. */
async function missingIn(
	recorded: Map<string, number>,
	journals: Journals,
	erased: Erased,
	accounts: Map<string, number>,
	{ moment, folders, databases }: Beginning,
): Promise<Map<string, number>> {
	const missing = new Map<string, number>();
	for (const [id, version] of recorded) {
		if (isAccount(id)) {
			if (!hasAccounts(databases) || erased.accounts.has(id) || version < moment - CLOCKS_DIFFER) continue;
			if ((accounts.get(id) ?? 0) < version) missing.set(id, version);
			continue;
		}
		const journal = journalOf(journals, id);
		if (!journal || erased.codes.has(id) || journal.issued.has(id)) continue;
		if ((journal.versions.get(id) ?? journal.unreadable.get(id) ?? 0) < version) missing.set(id, version);
	}
	if (missing.size === 0) return missing;
	// Entries are deleted once a backup has what they held.
	const backedUp = await versionsIn(folders, new Set(missing.keys()));
	for (const [id, version] of missing) if ((backedUp.get(id) ?? 0) >= version) missing.delete(id);
	return missing;
}

/**
 * Reads what was written into the journal since a moment.
 * @returns The part that concerns each database, and what the operator must know about the journal itself.
 * @throws Error before anything is changed, if the journal does not reach back that far, lacks what its record names, or has a secret
 * under which no entry can be read.
 */
export async function readJournal(
	bucket: R2Bucket,
	beginning: Beginning,
	{ secrets, saveTo, isIncomplete = false, report }: JournalReading,
): Promise<{ journals: Journals; remarks: string[] }> {
	const { moment, databases } = beginning;
	const pruned = await prunedBefore(bucket);
	if (pruned > moment && !isIncomplete) {
		throw new Error(
			`This goes back to ${new Date(moment).toISOString()}, but the journal begins at ${new Date(pruned).toISOString()}. Addresses created in between would be lost, and their codes could be issued again. Use a newer backup, or accept the loss with --incomplete.`,
		);
	}
	const since = moment - OVERLAP_MILLISECONDS;
	const erased = await erasedSince(bucket, since);
	const journals: Journals = new Map(databases.map((one) => [one, unreadJournal(one, saveTo, erased)]));
	const remarks: string[] = [];
	/** Ids of secrets under which an entry could be read, and of those under which one could not. */
	const keyIds = { read: new Set<string>(), unreadable: new Set<string>() };
	const rows = new Map(
		Array.from(journals.values(), (journal) => [journal, createWriteStream(journal.file, { mode: 0o600 })]),
	);
	let count = 0;
	for await (const { canonical, version, keyId, row } of entriesSince(bucket, secrets, since, AT_ONCE)) {
		count += 1;
		if (count % REPORTED_EVERY === 0) report(`journal: ${count.toLocaleString("en")} entries read`);
		const journal = journalOf(journals, canonical);
		if (!journal || erased.codes.has(canonical)) continue;
		if (row) {
			keyIds.read.add(keyId);
			journal.versions.set(canonical, row.version);
			const own = rows.get(journal)!;
			if (!own.write(`${JSON.stringify(row)}\n`)) await once(own, "drain");
		} else if (version === 0) journal.issued.add(canonical);
		else {
			keyIds.unreadable.add(keyId);
			journal.unreadable.set(canonical, version);
		}
	}
	await Promise.all(Array.from(rows.values(), (own) => once(own.end(), "close")));
	const accounts = new Map<string, number>();
	const states: AccountState[] = [];
	/** By phone, the account that proved it last. The entry of the one that it was taken from may not have been written any more. */
	const holders = new Map<string, AccountState>();
	const entries = hasAccounts(databases) ? accountsSince(bucket, secrets, since, AT_ONCE) : [];
	for await (const { id, version, keyId, state } of entries) {
		accounts.set(id, version);
		if (!state) {
			keyIds.unreadable.add(keyId);
			remarks.push(
				`${id}: its entry in the journal cannot be read. Its phone, password and keys are those of the backup.`,
			);
		} else if (version >= moment - CLOCKS_DIFFER && !erased.accounts.has(id)) {
			states.push(state);
			const other = holders.get(state.phone ?? "");
			const [holder, loser] = other && version < (accounts.get(other.id) ?? 0) ? [other, state] : [state, other];
			if (state.phone) holders.set(state.phone, holder);
			if (loser) Object.assign(loser, { phone: null, phone_verified: 0 });
		}
		if (state) keyIds.read.add(keyId);
	}
	for (const [{ database, accounts }, journal] of journals) if (database === accounts) journal.accounts = states;
	const lacking = [...keyIds.unreadable].find((id) => !keyIds.read.has(id));
	if (lacking !== undefined && !isIncomplete) {
		throw new Error(
			`No entry of the journal under the secret '${lacking}' can be read. Set JOURNAL_SECRETS to all secrets of the last 35 days, each as id:secret, and JWT_SECRETS too if it was written by a version before 1.0.0. If that secret is lost, accept the loss of its entries with --incomplete: new addresses among them never come back, and older ones come back as private.`,
		);
	}
	const accept = (what: string, consequence: string) => {
		if (!isIncomplete) throw new Error(`${what} Restore the bucket, or continue with --incomplete: ${consequence}`);
		remarks.push(what);
	};
	const recorded = await recordedSince(bucket, secrets, beginning.recordHead, since).catch((error: unknown) => {
		if (!(error instanceof RecordError)) throw error;
		accept(
			`The journal cannot be proved complete: ${error.message}.`,
			"missing entries go unnoticed, and their codes could be issued again.",
		);
		return new Map<string, number>();
	});
	const missing = await missingIn(recorded, journals, erased, accounts, beginning);
	if (missing.size > 0) {
		const named = [...missing.keys()].slice(0, NAMED_MAX).join(", ");
		accept(
			`The journal lacks ${missing.size.toLocaleString("en")} entries that its record names: ${named}${missing.size > NAMED_MAX ? " and others" : ""}.`,
			"codes of which nothing else is known are burnt, addresses come back as private, and accounts as in the backup.",
		);
	}
	for (const [id, version] of missing) if (!isAccount(id)) journalOf(journals, id)?.unreadable.set(id, version);
	const sum = (counted: "versions" | "unreadable") =>
		[...journals.values()].reduce((sum, journal) => sum + journal[counted].size, 0);
	report(
		`journal: ${sum("versions").toLocaleString("en")} addresses and ${states.length} accounts since, ${erased.codes.size} erased, ${sum("unreadable")} that cannot be read`,
	);
	return { journals, remarks };
}
