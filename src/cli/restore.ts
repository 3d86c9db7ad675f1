/**
 * Bringing a registry back to an earlier moment without losing an address, or ever giving a code to a second place. Rows of the backup
 * come back, with what the journal knows of later changes, and codes of which nothing else is known are burnt.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { wrapDatabase } from "../db/open.ts";
import { RESTORING } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { limitTable, type SigningSecret } from "../env.ts";
import { erase } from "../personal-data/store.ts";
import { DAY } from "../time.ts";
import {
	exportRegistry,
	identityOf,
	proveRegistry,
	type Registry,
	type Report,
	readBackup,
	requireTables,
	setIdentity,
	writePrivately,
} from "./backup.ts";
import { putIndexBack } from "./import.ts";
import { type JournalReading, type JournalSince, readJournal, settleJournal } from "./journal-since.ts";
import {
	asOwn,
	endWatching,
	linesAmong,
	type Merging,
	mergeAddresses,
	mergeBackup,
	mergeTable,
	type Putting,
	type Restored,
	watchChanges,
} from "./merge.ts";
import { batchesOf, chunksOf, linesOf } from "./ndjson.ts";
import { keepOverflowNumbers } from "./overflow-numbers.ts";
import type { Table } from "./tables.ts";
import { waitingAddresses } from "./waiting.ts";

export type { Restored };

/** How many codes are burnt or asked about in one statement. */
const CODES_AT_ONCE = 5_000;

/** Codes that a remark names one by one. */
const NAMED_MAX = 20;

/** Accounts of which is erased in one transaction what came back. */
const ACCOUNTS_AT_ONCE = 500;

/** The condition that an address is among some. */
const AMONG = "canonical in (select value from json_each(?))";

/** Makes addresses private that meet a condition on some values, and are not private already. */
async function makePrivate(database: D1Database, condition: string, values: unknown[]): Promise<void> {
	const statement = database
		.prepare(
			`update addresses set visibility = 'private', version = version + 1, updated_at = cast(unixepoch('subsec') * 1000 as integer)
			where visibility <> 'private' and ${condition}`,
		)
		.bind(JSON.stringify(values));
	await database.batch(asOwn(database, [statement]));
}

/** Makes the addresses private that the journal says are private by now. */
async function hideAgain(database: D1Database, { file }: JournalSince): Promise<void> {
	for await (const lines of batchesOf(linesOf(file))) {
		const rows = lines.map((line) => JSON.parse(line) as { canonical: string; visibility?: string });
		const codes = rows.filter(({ visibility }) => visibility === "private").map(({ canonical }) => canonical);
		await makePrivate(database, AMONG, codes);
	}
}

/** Makes the addresses private whose entries cannot be read and are newer than their rows. */
async function hideUnreadable(database: D1Database, table: Table, { unreadable }: JournalSince): Promise<void> {
	if (!table.columns.includes("visibility")) return;
	const isOlder = "version < (select value ->> 1 from json_each(?) where value ->> 0 = canonical)";
	await makePrivate(database, isOlder, [...unreadable]);
}

/** Notes what was erased since, before anything that the backup has of it can come back. */
async function recordErased(database: D1Database, { erased }: JournalSince): Promise<void> {
	const insert = (into: string, values: Set<string>) =>
		database
			.prepare(`insert into ${into} from json_each(?) where true on conflict do nothing`)
			.bind(JSON.stringify([...values]));
	const successors = database
		.prepare(
			"insert into burnt_codes (canonical, successor) select value ->> 0, value ->> 1 from json_each(?) where true on conflict do nothing",
		)
		.bind(JSON.stringify([...erased.successors]));
	await database.batch([
		successors,
		insert("burnt_codes (canonical) select value", erased.codes),
		insert(`erased_accounts (user_id, erased_at) select value, ${Date.now()}`, erased.accounts),
	]);
}

/** Tells the operator which addresses and codes need somebody. */
async function remarkOnRest(database: D1Database, journal: JournalSince, { remarks }: Restored): Promise<void> {
	for (const canonical of journal.unreadable.keys()) {
		remarks.push(
			`${canonical}: its entry in the journal cannot be read. It comes back as private if the backup has it. Otherwise its code is burnt.`,
		);
	}
	for (const codes of chunksOf([...journal.versions.keys()], CODES_AT_ONCE)) {
		const waiting = await waitingAddresses(database, codes);
		// Rows that have outlived their account may be public still.
		await makePrivate(database, AMONG, waiting);
		for (const canonical of waiting)
			remarks.push(`${canonical} is private and waits for its holder, whose account is not in the backup.`);
	}
}

/** Erases again what came back of accounts that have been erased. */
async function eraseAgain(database: D1Database, secrets: SigningSecret[]): Promise<void> {
	await database.prepare("delete from users where id in (select user_id from erased_accounts)").run();
	const { results } = await database.prepare("select user_id from erased_accounts").all<{ user_id: string }>();
	const secret = secrets[0]?.secret ?? crypto.getRandomValues(new Uint8Array(32));
	for (const accounts of chunksOf(results, ACCOUNTS_AT_ONCE)) {
		const ids = accounts.map(({ user_id }) => user_id);
		await inOneTrip(wrapDatabase(database), erase(ids, Date.now(), secret));
	}
}

/** Burns every code that the journal says was issued since, and that no row has. */
async function burnUnknown(
	{ database, bucket }: Registry,
	{ versions, issued, unreadable, erased }: JournalSince,
	restored: Restored,
	report: Report,
): Promise<void> {
	const codes = [...issued, ...unreadable.keys()];
	const burning = database.prepare(
		`insert into burnt_codes (canonical) select value from json_each(?)
		where value not in (select canonical from addresses) on conflict do nothing`,
	);
	for (const some of chunksOf(codes, CODES_AT_ONCE))
		restored.burnt += (await burning.bind(JSON.stringify(some)).run()).meta.changes;
	report(`burnt_codes: ${restored.burnt} codes that were issued since and are not known`);
	// What was erased since stands again after Time Travel. It goes, in the order that the database's own rules allow.
	for (const table of ["address_changes", "attestations", "private_reads", "units", "reports", "addresses"]) {
		await database.prepare(`delete from ${table} where canonical in (select canonical from burnt_codes)`).run();
	}
	// A successor that is not there leads nowhere: its account was erased, too.
	await database
		.prepare(
			`update burnt_codes set successor = null where canonical in (select value from json_each(?))
			and successor not in (select canonical from addresses) and successor not in (select canonical from burnt_codes)`,
		)
		.bind(JSON.stringify([...erased.successors.keys()]))
		.run();
	const unknown = await keepOverflowNumbers({ database, bucket }, [...versions.keys(), ...codes], report);
	if (unknown) restored.remarks.push(unknown);
	// Last codes may have been issued since. They are written down again when a zone needs them.
	await database.prepare("delete from last_codes").run();
}

/**
 * Gives accounts back what the journal says of them: what their holders or operators have ended or replaced since holds.
 * @param isReviving Whether what was closed or revoked since comes back to life.
 */
async function endAgain(
	database: D1Database,
	{ accounts }: JournalSince,
	isReviving: boolean,
	{ remarks }: Restored,
	report: Report,
): Promise<void> {
	const from = "from json_each(?1) as entry";
	const of = (column: string) => `entry.value ->> '${column}'`;
	const isOf = `users.id = ${of("id")} and users.id not in (select id from restoring_changes)`;
	const eraseAt = `case when ${of("erase_at")} is null then null else max(${of("erase_at")}, ?2) end`;
	const isTaken = `exists (select 1 from users as other where other.phone = ${of("phone")} and other.id <> users.id)`;
	const plain = ["phone_verified", "password_hash", "recovery_hash", "role", "disabled_at"];
	const statements = [
		// Numbers that went from one account to another are free before anybody gets them.
		`update users set phone = null ${from} where ${isOf} and users.phone is not ${of("phone")}`,
		`update users set phone = case when ${isTaken} then null else ${of("phone")} end,
			share_count = max(users.share_count, ${of("share_count")}),
			${plain.map((column) => `${column} = ${of(column)}`).join(", ")} ${from} where ${isOf}`,
		...(isReviving
			? []
			: [
					`update users set erase_at = ${eraseAt} ${from} where ${isOf} and (users.erase_at is null) <> (${of("erase_at")} is null)`,
					`update api_keys set revoked_at = coalesce(api_keys.revoked_at, entry.value ->> 'revoked_at'), scopes = entry.value ->> 'scopes'
						from (select value from json_each((select json_group_array(json(key.value)) from json_each(?1) as account, json_each(account.value ->> 'keys') as key))) as entry
						where api_keys.id = entry.value ->> 'id' and api_keys.id not in (select id from restoring_changes)`,
				]),
	];
	const soonest = Date.now() + limitTable.ACCOUNT_ERASURE_DAYS.default * DAY;
	let closed = 0;
	for (const some of chunksOf(accounts, ACCOUNTS_AT_ONCE)) {
		const text = JSON.stringify(some);
		const done = await database.batch(
			asOwn(
				database,
				statements.map((statement) =>
					statement.includes("?2")
						? database.prepare(`${statement} returning erase_at`).bind(text, soonest)
						: database.prepare(statement).bind(text),
				),
			),
		);
		if (!isReviving) closed += (done[3]!.results as { erase_at: number | null }[]).filter((row) => row.erase_at).length;
	}
	report(`accounts: ${accounts.length.toLocaleString("en")} are as they were last`);
	if (closed === 0) return;
	remarks.push(
		`${closed} accounts were closed since the backup, and are closed again. They are erased after ${new Date(soonest).toISOString()} unless their holders sign in.`,
	);
}

/**
 * Refuses new addresses until the restore ends, because they could be given codes that were issued since. Rows that are put back are
 * older.
 */
async function refuseCreations(database: D1Database): Promise<void> {
	await allowCreations(database);
	const now = await database.prepare("select cast(unixepoch('subsec') * 1000 as integer) as now").first<number>("now");
	await database
		.prepare(
			`create trigger restoring before insert on addresses when new.created_at >= ${now} begin select raise(abort, '${RESTORING}'); end`,
		)
		.run();
}

/** Accepts new addresses again, also after a restore that was given up. */
async function allowCreations(database: D1Database): Promise<void> {
	await database.prepare("drop trigger if exists restoring").run();
}

/** Begins a new feed of changes: no reader can go on in the one before, into which putting rows back has brought them. */
async function beginFeed(database: D1Database): Promise<void> {
	const begin =
		"insert into changes (canonical, kind, at) values ('', 'reset', cast(unixepoch('subsec') * 1000 as integer))";
	const end = "delete from changes where seq < (select max(seq) from changes)";
	await database.batch([database.prepare(begin), database.prepare(end)]);
}

interface RestoreOptions extends JournalReading {
	/** Whether the operator vouches for a backup of another registry, or one that is not signed. */
	isForeign?: boolean;
	/** Whether what was retired or revoked since comes back to life too. What was erased stays erased. */
	isReviving: boolean;
}

/**
 * Brings a registry back to a backup, and addresses on to what the journal says of them. Rows that are newer stay. When it is
 * interrupted, it may be run again.
 * @throws Error when the backup is damaged, the registry lacks a migration or the journal does not reach back far enough, before
 * anything is changed.
 */
export async function restoreBackup(registry: Registry, folder: string, options: RestoreOptions): Promise<Restored> {
	const { saveTo, isReviving, report } = options;
	const { database } = registry;
	const manifest = await readBackup(folder, options);
	await requireTables(database, manifest);
	const identity = await proveRegistry(registry, manifest, options.isForeign);
	if ((await identityOf(database)) === identity) await settleJournal(registry, options);
	await exportRegistry(registry, saveTo, report);
	const { startedAt, recordHead = null } = manifest;
	const since = { moment: Date.parse(startedAt), recordHead, folders: [folder, saveTo] };
	const journal = await readJournal(registry, since, options);
	await setIdentity(registry, identity);
	await watchChanges(database);
	await recordErased(database, journal);
	const restored: Restored = { rows: {}, remarks: journal.remarks, reverted: [], burnt: 0 };
	const merging: Merging = { database, prevailing: "backup", isReviving, restored };
	await mergeBackup(merging, folder, report, mergeAddresses(merging, journal));
	const remark = await putIndexBack(registry, folder, manifest);
	if (remark) restored.remarks.push(remark);
	const { reverted } = restored;
	if (reverted.length > 0) {
		const named = reverted.slice(0, NAMED_MAX).join(", ") + (reverted.length > NAMED_MAX ? " and others" : "");
		restored.remarks.push(
			`${reverted.length} addresses were there in another state, and are as the backup or the journal has them: ${named}.`,
		);
	}
	await finishRestore(registry, journal, merging, options);
	return restored;
}

/** Brings a registry whose rows are back into use: what must stay gone goes, and new addresses are accepted. */
async function finishRestore(
	registry: Registry,
	journal: JournalSince,
	{ isReviving, restored }: Merging,
	{ secrets, report }: RestoreOptions,
): Promise<void> {
	const { database } = registry;
	await eraseAgain(database, secrets);
	// All else that the journal says of them is undone.
	if (isReviving) await hideAgain(database, journal);
	await burnUnknown(registry, journal, restored, report);
	await endAgain(database, journal, isReviving, restored, report);
	await beginFeed(database);
	await remarkOnRest(database, journal, restored);
	await endWatching(database);
	await allowCreations(database);
}

/**
 * In the folder of what was there, from before the registry goes back in time until all that is newer has been put back: the accounts and
 * reports that are newer are nowhere else then. It says to which moment, in milliseconds since the epoch, and whether the database has
 * been taken back.
 */
const GOING_BACK = "going-back.json";

function readReturn(folder: string): { moment: number; isBack: boolean } | undefined {
	const file = path.join(folder, GOING_BACK);
	return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/**
 * The folder in which an interrupted return goes on; undefined where there is none.
 * @param folders Where what was there before has been saved.
 * @param moment What the registry is to go back to; undefined for a backup.
 * @throws Error when the interrupted one goes to another moment.
 */
export function interruptedReturn(folders: string[], moment?: number): string | undefined {
	const folder = folders.find(readReturn);
	const other = folder && readReturn(folder)!.moment;
	if (other === undefined || other === moment) return folder;
	throw new Error(
		`A restore to ${new Date(other).toISOString()} was interrupted. What is newer is in ${folder} alone: finish it first with --to and that time. To abandon it, delete ${GOING_BACK} there.`,
	);
}

/**
 * Takes a registry back in time by other means, such as D1's Time Travel, and then puts back the addresses that are newer, with what
 * belongs to them, and those that the journal knows a newer version of. When it is interrupted, it goes on with the same `saveTo`.
 * @param moment What it goes back to, in milliseconds since the epoch.
 * @param rewind Takes the database back.
 */
export async function rewindRegistry(
	registry: Registry,
	moment: number,
	rewind: () => Promise<void>,
	options: RestoreOptions,
): Promise<Restored> {
	const { saveTo, isReviving, report } = options;
	const { database } = registry;
	const going = readReturn(saveTo);
	const identity = await identityOf(database);
	if (!going) {
		await settleJournal(registry, options);
		await exportRegistry(registry, saveTo, report);
	}
	const journal = await readJournal(registry, { moment, recordHead: null, folders: [saveTo] }, options);
	const marker = path.join(saveTo, GOING_BACK);
	const mark = (isBack: boolean) => writePrivately(marker, JSON.stringify({ moment, isBack }));
	if (!going?.isBack) {
		mark(false);
		await rewind();
		await refuseCreations(database);
		mark(true);
	}
	await watchChanges(database);
	await setIdentity(registry, identity);
	await recordErased(database, journal);
	const restored: Restored = { rows: {}, remarks: journal.remarks, reverted: [], burnt: 0 };
	const merging: Merging = { database, prevailing: "database", isReviving, restored };
	const addresses: Putting = async (table, lines) => {
		const newest = { ...merging, prevailing: "backup", isNewerKept: true } as const;
		if (!isReviving) await mergeTable(newest, table, linesOf(journal.file));
		await hideUnreadable(database, table, journal);
		await mergeTable(merging, table, lines);
	};
	const units: Putting = (table, lines) => {
		const isWanted = (canonical: string) => isReviving || !journal.versions.has(canonical);
		return mergeTable(merging, table, linesAmong(lines, isWanted));
	};
	await mergeBackup(merging, saveTo, report, { addresses, units });
	await finishRestore(registry, journal, merging, options);
	rmSync(marker);
	return restored;
}
