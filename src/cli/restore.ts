/**
 * Restores a registry to an earlier moment without losing an address or giving a code to a second place. Rows of the backup come back,
 * with the later changes that the journal has. Codes of which nothing else is known are burnt.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { wrapDatabase } from "../db/open.ts";
import { RESTORING } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { erase, eraseActs } from "../personal-data/store.ts";
import { numberSettings } from "../settings/number-settings.ts";
import type { SigningSecret } from "../settings/signing-secrets.ts";
import { DAY } from "../time/time.ts";
import {
	exportDatabase,
	exportRegistry,
	firstStart,
	type Manifest,
	proveRegistry,
	readBackups,
	requirePlaces,
	requireTables,
	type ShowProgress,
	setIdentity,
	writePrivately,
} from "./backup.ts";
import {
	databasesOf,
	folderOfDatabase,
	holderOf,
	identityOf,
	noteHomes,
	type OneDatabase,
	type RegistryStorage,
	rebuildPlaces,
	requireNoMove,
	requireNoMoveSince,
} from "./databases.ts";
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
import { batchesOfLines, chunksOf, linesOf } from "./ndjson.ts";
import { oneMoment, settleClosings } from "./one-moment.ts";
import { reserveOverflowNumbers } from "./overflow-numbers.ts";
import type { Table } from "./tables.ts";
import { waitingAddresses } from "./waiting.ts";

export type { Restored };

/** Codes that are burnt or queried in one statement. */
const CODES_AT_ONCE = 5_000;

/** Codes that a remark names one by one. */
const NAMED_MAX = 20;

/** Accounts whose returned rows are erased in one transaction. */
const ACCOUNTS_AT_ONCE = 500;

/** The SQL condition that an address is in a bound JSON list of codes. */
const AMONG = "canonical in (select value from json_each(?))";

/** Makes the addresses private that meet an SQL condition on some values, unless they are private already. */
async function makePrivate(database: D1Database, condition: string, values: unknown[]): Promise<void> {
	const statement = database
		.prepare(
			`update addresses set visibility = 'private', version = version + 1, updated_at = cast(unixepoch('subsec') * 1000 as integer)
			where visibility <> 'private' and ${condition}`,
		)
		.bind(JSON.stringify(values));
	await database.batch(asOwn(database, [statement]));
}

/** Makes the addresses private again that are private in the journal. */
async function hideAgain(database: D1Database, { file }: JournalSince): Promise<void> {
	for await (const lines of batchesOfLines(linesOf(file))) {
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

/** Records what was erased since, before the backup can bring any of it back. */
async function recordErased({ database, accounts }: OneDatabase, { erased }: JournalSince): Promise<void> {
	const insert = (into: string, values: Set<string>) =>
		database
			.prepare(`insert into ${into} from json_each(?) where true on conflict do nothing`)
			.bind(JSON.stringify([...values]));
	const successors = database
		.prepare(
			"insert into burnt_codes (canonical, successor) select value ->> 0, value ->> 1 from json_each(?) where true on conflict do nothing",
		)
		.bind(JSON.stringify([...erased.successors]));
	const erasedAccounts = insert(`erased_accounts (user_id, erased_at) select value, ${Date.now()}`, erased.accounts);
	await database.batch([
		successors,
		insert("burnt_codes (canonical) select value", erased.codes),
		...(database === accounts ? [erasedAccounts] : []),
	]);
}

/** Adds remarks on the addresses and codes that need the operator's attention. */
async function remarkOnRest(one: OneDatabase, journal: JournalSince, { remarks }: Restored): Promise<void> {
	for (const canonical of journal.unreadable.keys()) {
		remarks.push(
			`${canonical}: its entry in the journal cannot be read. It comes back as private if the backup has it. Otherwise its code is burnt.`,
		);
	}
	for (const codes of chunksOf([...journal.versions.keys()], CODES_AT_ONCE)) {
		const waiting = await waitingAddresses(one, codes);
		// Rows that have outlived their account may still be public.
		await makePrivate(one.database, AMONG, waiting);
		for (const canonical of waiting) remarks.push(waits(canonical));
	}
}

const waits = (canonical: string) =>
	`${canonical} is private and unclaimed: the account of its holder is not in the backup.`;

/** Erases again what came back of erased accounts. */
async function eraseAgain({ database, accounts }: OneDatabase, secrets: SigningSecret[]): Promise<void> {
	await database.prepare("delete from users where id in (select user_id from erased_accounts)").run();
	const { results } = await accounts.prepare("select user_id from erased_accounts").all<{ user_id: string }>();
	const secret = secrets[0]?.secret ?? crypto.getRandomValues(new Uint8Array(32));
	for (const some of chunksOf(results, ACCOUNTS_AT_ONCE)) {
		const ids = some.map(({ user_id }) => user_id);
		const erasing = database === accounts ? erase : eraseActs;
		await inOneTrip(wrapDatabase(database), erasing(ids, Date.now(), secret));
	}
}

/** Burns every code that was issued since according to the journal and that no row has. */
async function burnUnknown(
	one: OneDatabase,
	{ issued, unreadable, erased }: JournalSince,
	restored: Restored,
	report: ShowProgress,
): Promise<void> {
	const { database, holds } = one;
	const codes = [...issued, ...unreadable.keys()];
	const burning = database.prepare(
		`insert into burnt_codes (canonical) select value from json_each(?)
		where value not in (select canonical from addresses) on conflict do nothing`,
	);
	for (const some of chunksOf(codes, CODES_AT_ONCE))
		restored.burnt += (await burning.bind(JSON.stringify(some)).run()).meta.changes;
	report(`burnt_codes: ${restored.burnt} codes that were issued since and are not known`);
	// After Time Travel, what was erased since is back. It is deleted, and so is what the backup has of it.
	await database.batch(asOwn(database, oneMoment(one)));
	// A missing successor leads nowhere: its account was erased too.
	const here = [...erased.successors].filter(([, successor]) => holds(successor));
	await database
		.prepare(
			`update burnt_codes set successor = null where canonical in (select value from json_each(?))
			and successor not in (select canonical from addresses) and successor not in (select canonical from burnt_codes)`,
		)
		.bind(JSON.stringify(here.map(([canonical]) => canonical)))
		.run();
	// Last codes may have been issued since. They are recorded again when a zone needs them.
	await database.prepare("delete from last_codes").run();
}

/** Removes links to missing successors in other databases, as `burnUnknown` does for those in the same one. */
async function forgetLostSuccessors(
	databases: OneDatabase[],
	{ database, holds }: OneDatabase,
	{ erased }: JournalSince,
): Promise<void> {
	const elsewhere = [...erased.successors].filter(([, successor]) => !holds(successor));
	for (const [other, links] of Map.groupBy(elsewhere, ([, successor]) => holderOf(databases, successor))) {
		const { results } = await other.database
			.prepare(
				`select value ->> 0 as canonical from json_each(?)
				where value ->> 1 not in (select canonical from addresses) and value ->> 1 not in (select canonical from burnt_codes)`,
			)
			.bind(JSON.stringify(links))
			.all<{ canonical: string }>();
		const lost = JSON.stringify(results.map(({ canonical }) => canonical));
		await database
			.prepare("update burnt_codes set successor = null where canonical in (select value from json_each(?))")
			.bind(lost)
			.run();
	}
}

/**
 * Applies the journal's state to accounts: what their holders or operators have ended or replaced since stays ended or replaced.
 * @param isReviving Whether what was closed or revoked since is revived.
 */
async function endAgain(
	database: D1Database,
	{ accounts }: JournalSince,
	isReviving: boolean,
	{ remarks }: Restored,
	report: ShowProgress,
): Promise<void> {
	const from = "from json_each(?1) as entry";
	const of = (column: string) => `entry.value ->> '${column}'`;
	const isOf = `users.id = ${of("id")} and users.id not in (select id from restoring_changes)`;
	const eraseAt = `case when ${of("erase_at")} is null then null else max(${of("erase_at")}, ?2) end`;
	const isTaken = `exists (select 1 from users as other where other.phone = ${of("phone")} and other.id <> users.id)`;
	const plain = ["phone_verified", "password_hash", "recovery_hash", "role", "disabled_at"];
	const statements = [
		// Phone numbers that went from one account to another are freed before anybody gets them.
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
	const soonest = Date.now() + numberSettings.ACCOUNT_ERASURE_DAYS.default * DAY;
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
	report(`accounts: ${accounts.length.toLocaleString("en")} are in their latest state`);
	if (closed === 0) return;
	remarks.push(
		`${closed} accounts were closed since the backup, and are closed again. They are erased after ${new Date(soonest).toISOString()} unless their holders sign in.`,
	);
}

/**
 * Refuses new addresses until the restore ends, because they could get codes that were issued since. Rows that are put back are older, so
 * they pass.
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

/** Accepts new addresses again, even after a restore that was given up. */
async function allowCreations(database: D1Database): Promise<void> {
	await database.prepare("drop trigger if exists restoring").run();
}

/** Begins a new feed of changes: no reader can continue in the old one, to which the restore has added the rows that it put back. */
async function beginFeed(database: D1Database): Promise<void> {
	const begin =
		"insert into changes (canonical, kind, at) values ('', 'reset', cast(unixepoch('subsec') * 1000 as integer))";
	const end = "delete from changes where seq < (select max(seq) from changes)";
	await database.batch([database.prepare(begin), database.prepare(end)]);
}

interface RestoreOptions extends JournalReading {
	/** Whether the operator vouches for a backup of another registry, or one that is not signed. */
	isForeign?: boolean;
	/** Whether what was retired or revoked since is revived too. What was erased stays erased. */
	isReviving: boolean;
	/** The one database to restore, by its binding; all of them if undefined. */
	only?: string | undefined;
}

/** The databases that a restore is to bring back. @throws Error if there is no such database. */
function wantedOf(registry: RegistryStorage, only: string | undefined): OneDatabase[] {
	const databases = databasesOf(registry);
	const wanted = only ? databases.filter(({ name }) => name === only) : databases;
	if (wanted.length > 0) return wanted;
	throw new Error(`There is no database ${only}. There are ${databases.map(({ name }) => name).join(", ")}.`);
}

/** Saves the present state before anything is changed. */
async function save(registry: RegistryStorage, wanted: OneDatabase[], options: RestoreOptions): Promise<void> {
	const { saveTo, report, secrets, only } = options;
	await requireNoMove(registry);
	if (!only) return void (await exportRegistry(registry, saveTo, report, secrets));
	for (const one of wanted) await exportDatabase(one, folderOfDatabase(saveTo, one.name), { report, secrets });
}

/** The restore of one database, up to the point from which all databases are finished together. */
interface OneRestore {
	one: OneDatabase;
	journal: JournalSince;
	merging: Merging;
}

const begun = (
	one: OneDatabase,
	journal: JournalSince,
	more: Pick<Merging, "prevailing" | "isReviving">,
): OneRestore => {
	const restored: Restored = { rows: {}, remarks: journal.remarks, reverted: [], burnt: 0 };
	return {
		one,
		journal,
		merging: { database: one.database, accounts: one.accounts, ...more, source: "backup", restored },
	};
};

/**
 * Restores a registry to a backup, and its addresses to their latest state in the journal. Newer rows stay. An interrupted restore may be
 * run again.
 * @throws Error before anything is changed, if the backup is damaged, the registry lacks a migration or the journal does not reach back
 * far enough.
 */
export async function restoreBackup(
	registry: RegistryStorage,
	folder: string,
	options: RestoreOptions,
): Promise<Restored> {
	const { saveTo, isReviving, report, only } = options;
	const backups = await readBackups(folder, options, only);
	const wanted = wantedOf(registry, only);
	const lacking = await requirePlaces(folder, backups, only ? wanted : databasesOf(registry));
	const restoring = wanted.filter(({ name }) => backups.has(name));
	for (const { name, database } of restoring) await requireTables(database, backups.get(name)!);
	const [accounts] = databasesOf(registry);
	const [first] = backups.values() as MapIterator<Manifest>;
	const identity = await proveRegistry([accounts, ...restoring], first!, options.isForeign);
	for (const one of restoring) if ((await identityOf(one.database)) === identity) await settleJournal(one, options);
	await save(registry, wanted, options);
	const startedAt = firstStart(backups.values());
	const { recordHead = null } = [...backups.values()].find((manifest) => manifest.startedAt === startedAt)!;
	const folders = restoring.flatMap(({ name }) => [folder, saveTo].map((of) => folderOfDatabase(of, name)));
	const beginning = { moment: Date.parse(startedAt), recordHead, folders, databases: restoring };
	const journals = await readJournal(registry.bucket, beginning, options);
	const restores: OneRestore[] = [];
	for (const one of restoring) {
		const own = begun(one, journals.get(one.name)!, { prevailing: "backup", isReviving });
		await setIdentity(one, identity);
		await watchChanges(one.database);
		await recordErased(one, own.journal);
		const putting = mergeAddresses(own.merging, own.journal);
		await mergeBackup(own.merging, folderOfDatabase(folder, one.name), report, putting);
		restores.push(own);
	}
	const restored = restores[0]!.merging.restored;
	const remark = await putIndexBack(registry, folder, first!.zoneIndex);
	if (remark) restored.remarks.push(remark);
	const reverted = restores.flatMap(({ merging }) => merging.restored.reverted);
	if (reverted.length > 0) {
		const named = reverted.slice(0, NAMED_MAX).join(", ") + (reverted.length > NAMED_MAX ? " and others" : "");
		restored.remarks.push(
			`${reverted.length} addresses were reverted to the state in the backup or the journal: ${named}.`,
		);
	}
	for (const name of lacking) restored.remarks.push(`The backup contains nothing of ${name}, which is unchanged.`);
	return finishRestore(registry, restores, options);
}

/** Finishes databases whose rows are back: deletes what must stay gone, and accepts new addresses again. */
async function finishRestore(
	registry: RegistryStorage,
	restores: OneRestore[],
	{ secrets, isReviving, report }: RestoreOptions,
): Promise<Restored> {
	const databases = databasesOf(registry);
	for (const { one, journal, merging } of restores) {
		await eraseAgain(one, secrets);
		// Everything else that the journal says about addresses is undone.
		if (isReviving) await hideAgain(one.database, journal);
		await burnUnknown(one, journal, merging.restored, report);
		if (one.database === one.accounts) await endAgain(one.database, journal, isReviving, merging.restored, report);
		await beginFeed(one.database);
	}
	const remarks = restores.flatMap(({ merging }) => merging.restored.remarks);
	const codes = restores.flatMap(({ journal: { versions, issued, unreadable } }) => [
		...versions.keys(),
		...issued,
		...unreadable.keys(),
	]);
	const unknown = await reserveOverflowNumbers(registry, codes, report);
	if (unknown) remarks.push(unknown);
	const whole: Restored = { rows: {}, remarks, reverted: [], burnt: 0 };
	for (const { one, journal, merging } of restores) {
		await forgetLostSuccessors(databases, one, journal);
		await remarkOnRest(one, journal, whole);
		const { rows, reverted, burnt } = merging.restored;
		for (const [table, count] of Object.entries(rows)) whole.rows[table] = (whole.rows[table] ?? 0) + count;
		whole.reverted.push(...reverted);
		whole.burnt += burnt;
	}
	if (databases.length > 1) await settleAcross(registry, restores, remarks, report);
	for (const { database } of databases) {
		await endWatching(database);
		await allowCreations(database);
	}
	return whole;
}

/**
 * Makes several databases agree after one of them was restored. Accounts know where they have addresses, the addresses of closed accounts
 * are closed and those of open ones open, and addresses whose account is gone wait for their holders.
 */
async function settleAcross(
	registry: RegistryStorage,
	restores: OneRestore[],
	remarks: string[],
	report: ShowProgress,
): Promise<void> {
	for (const { database } of databasesOf(registry)) await watchChanges(database);
	const noted = await rebuildPlaces(registry);
	await noteHomes(registry);
	if (noted > 0) report(`accounts: ${noted.toLocaleString("en")} had addresses in a database that was not noted`);
	await settleClosings(registry, (database, statements) => database.batch(asOwn(database, statements)));
	if (!restores.some(({ one }) => one.database === one.accounts)) return;
	for (const one of databasesOf(registry).slice(1)) {
		const waiting = await waitingAddresses(one);
		await makePrivate(one.database, AMONG, waiting);
		remarks.push(...waiting.map(waits).filter((remark) => !remarks.includes(remark)));
	}
}

/**
 * A file in the folder of the saved state, from before the registry goes back in time until everything newer has been put back. Meanwhile
 * newer accounts and reports exist in that folder alone. The file has the moment, in milliseconds since the epoch, and whether the
 * database has been taken back.
 */
const GOING_BACK = "going-back.json";

function markReturn(folder: string, state: { moment: number; isBack: boolean }): void {
	writePrivately(path.join(folder, GOING_BACK), JSON.stringify(state));
}

function readReturn(folder: string): { moment: number; isBack: boolean } | undefined {
	const file = path.join(folder, GOING_BACK);
	return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/**
 * The folder from which an interrupted return continues; undefined if none was interrupted.
 * @param folders Folders of saved states.
 * @param moment What the registry is to go back to; undefined for a backup.
 * @throws Error if the interrupted return goes to another moment.
 */
export function interruptedReturn(folders: string[], moment?: number): string | undefined {
	const returns = folders.flatMap((folder) =>
		[folder, ...foldersIn(folder)].flatMap((own) => {
			const going = readReturn(own);
			return going ? [{ folder, own, moment: going.moment }] : [];
		}),
	);
	const other = returns.find((going) => going.moment !== moment);
	if (!other) return returns[0]?.folder;
	throw new Error(
		`A restore to ${new Date(other.moment).toISOString()} was interrupted. Only ${other.own} contains what is newer: finish that restore first, with --to and that time. To abandon it, delete ${GOING_BACK} there.`,
	);
}

function foldersIn(folder: string): string[] {
	const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
	return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name));
}

/**
 * Takes a registry back in time by other means, such as D1's Time Travel. Then puts back newer addresses, with what belongs to them, and
 * those of which the journal has a newer version. After an interruption it continues with the same `saveTo`.
 * @param moment The moment to go back to, in milliseconds since the epoch.
 * @param rewind Takes a database back, by the name of its binding.
 */
export async function rewindRegistry(
	registry: RegistryStorage,
	moment: number,
	rewind: (name: string) => Promise<void>,
	options: RestoreOptions,
): Promise<Restored> {
	const { saveTo, isReviving, report } = options;
	const wanted = wantedOf(registry, options.only);
	const identity = await identityOf(registry.database);
	const savedTo = ({ name }: OneDatabase) => folderOfDatabase(saveTo, name);
	if (!wanted.some((one) => readReturn(savedTo(one)))) {
		await requireNoMoveSince(wanted, moment);
		for (const one of wanted) await settleJournal(one, options);
		await save(registry, wanted, options);
	}
	const beginning = { moment, recordHead: null, folders: wanted.map(savedTo), databases: wanted };
	const journals = await readJournal(registry.bucket, beginning, options);
	// From here on, newer rows of all databases exist in the saved state alone.
	for (const one of wanted) if (!readReturn(savedTo(one))) markReturn(savedTo(one), { moment, isBack: false });
	const restores: OneRestore[] = [];
	for (const one of wanted) {
		const { name, database } = one;
		if (!readReturn(savedTo(one))?.isBack) {
			await rewind(name);
			await refuseCreations(database);
			markReturn(savedTo(one), { moment, isBack: true });
		}
		const own = begun(one, journals.get(name)!, { prevailing: "database", isReviving });
		const { journal, merging } = own;
		await watchChanges(database);
		await setIdentity(one, identity);
		await recordErased(one, journal);
		const addresses: Putting = async (table, lines) => {
			const newest = { ...merging, prevailing: "backup", source: "newer journal" } as const;
			if (!isReviving) await mergeTable(newest, table, linesOf(journal.file));
			await hideUnreadable(database, table, journal);
			await mergeTable(merging, table, lines);
		};
		const units: Putting = (table, lines) => {
			const isWanted = (canonical: string) => isReviving || !journal.versions.has(canonical);
			return mergeTable(merging, table, linesAmong(lines, isWanted));
		};
		await mergeBackup(merging, savedTo(one), report, { addresses, units });
		restores.push(own);
	}
	const restored = await finishRestore(registry, restores, options);
	for (const one of wanted) rmSync(path.join(savedTo(one), GOING_BACK), { force: true });
	return restored;
}
