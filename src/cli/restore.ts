/**
 * Restores a registry to an earlier moment without losing an address or giving a code to a second place. Rows of the backup come back,
 * with the later changes that the journal has. Codes of which nothing else is known are burnt.
 */
import { RESTORING } from "../db/retry.ts";
import {
	burnUnknown,
	endAgain,
	eraseAgain,
	forgetLostSuccessors,
	hideAgain,
	hideUnclaimed,
	hideUnreadable,
	recordErased,
	remarkOnRest,
} from "./apply-journal.ts";
import {
	firstStart,
	linesOfTable,
	type Manifest,
	proveRegistry,
	readBackup,
	readBackups,
	requirePlaces,
	requireTables,
	type ShowProgress,
	setIdentity,
} from "./backup.ts";
import { asOwn, endWatching, watchChanges } from "./changed-meanwhile.ts";
import {
	databasesOf,
	folderOfDatabase,
	identityOf,
	noteHomes,
	type OneDatabase,
	type RegistryStorage,
	rebuildPlaces,
	requireNoMove,
	requireNoMoveSince,
} from "./databases.ts";
import { type JournalReading, type JournalSince, readJournal, settleJournal } from "./journal-since.ts";
import { settleClosings } from "./make-consistent.ts";
import { chunksOf, linesOf } from "./ndjson.ts";
import { reserveOverflowNumbers } from "./overflow-numbers.ts";
import {
	linesAmong,
	type Merging,
	mergeAddresses,
	mergeBackup,
	mergeTable,
	type Putting,
	type Restored,
} from "./restored-rows.ts";
import { endReturn, markReturn, readReturn } from "./rewind-marker.ts";
import { putIndexBack } from "./served-index.ts";
import { incidentOf, newerInJournal, settleTogether } from "./together.ts";
import { unclaimedAddresses } from "./unclaimed.ts";
import { exportDatabase, exportRegistry } from "./write-backup.ts";

/** Codes in one statement. */
const CODES_AT_ONCE = 5_000;

/** Codes that a remark names one by one. */
const NAMED_MAX = 20;

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

/**
 * Finds the databases that were rolled back by other means than a restore. What they say is then no news: the backup and the journal
 * prevail over it.
 * @param remarks Receives what was changed there and is not in the journal.
 * @throws Error beside a bucket that is new or an older copy, unless the operator accepts a journal that is incomplete.
 */
async function rolledBackAmong(
	databases: OneDatabase[],
	{ isIncomplete }: Pick<RestoreOptions, "isIncomplete">,
	remarks: string[],
): Promise<Set<OneDatabase>> {
	const behind = new Set<OneDatabase>();
	for (const one of databases) {
		const incident = await incidentOf(one);
		if (incident === "bucket_behind" && !isIncomplete)
			throw new Error(
				"The bucket is new or an older copy, so its journal lacks what was written before. Make a verified backup first, by `npm run registry -- export --new-bucket`, or accept the loss with --incomplete.",
			);
		const isBehind = incident === "database_behind";
		const unwritten = await newerInJournal(one, isBehind);
		// Entries that are newer than their rows say the same, where it was only by some minutes.
		if (isBehind || unwritten.length > 0) behind.add(one);
		if (unwritten.length === 0) continue;
		const named = unwritten.slice(0, NAMED_MAX).join(", ") + (unwritten.length > NAMED_MAX ? " and others" : "");
		remarks.push(
			`${unwritten.length} addresses or accounts were changed beside newer entries of the journal, which prevail: ${named}. What was retired, hidden or made private stays so.`,
		);
	}
	return behind;
}

/** Raises the versions of addresses above those of their entries in the journal, or later changes could not be written there. */
async function raiseVersions(one: OneDatabase, { versions, unreadable }: JournalSince): Promise<void> {
	const raise = one.database.prepare(
		`update addresses set version = entry.value ->> 1 + 1 from json_each(?) as entry
		where canonical = entry.value ->> 0 and entry.value ->> 1 < ${Number.MAX_SAFE_INTEGER}
			and (version < entry.value ->> 1
				or version = entry.value ->> 1 and canonical in (select canonical from journal_queue))`,
	);
	for (const some of chunksOf([...versions, ...unreadable], CODES_AT_ONCE))
		await one.database.batch(asOwn(one.database, [raise.bind(JSON.stringify(some))]));
}

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
	const restored: Restored = { rows: {}, remarks: [], reverted: [], burnt: 0 };
	const backups = await readBackups(folder, options, only);
	const wanted = wantedOf(registry, only);
	const lacking = await requirePlaces(folder, backups, wanted);
	const restoring = wanted.filter(({ name }) => backups.has(name));
	for (const { name, database } of restoring) await requireTables(database, backups.get(name)!);
	const [accounts] = databasesOf(registry);
	const [first] = backups.values() as MapIterator<Manifest>;
	const identity = await proveRegistry([accounts, ...restoring], first!, options.isForeign);
	const behind = await rolledBackAmong(restoring, options, restored.remarks);
	for (const one of restoring) if ((await identityOf(one.database)) === identity) await settleJournal(one, options);
	await save(registry, wanted, options);
	const startedAt = firstStart(backups.values());
	const { recordHead = null } = [...backups.values()].find((manifest) => manifest.startedAt === startedAt)!;
	const folders = restoring.flatMap(({ name }) => [folder, saveTo].map((of) => folderOfDatabase(of, name)));
	const beginning = { moment: Date.parse(startedAt), recordHead, folders, databases: restoring };
	const { journals, remarks: ofJournal } = await readJournal(registry.bucket, beginning, options);
	const { remarks } = restored;
	remarks.push(...ofJournal);
	for (const [one, journal] of journals) {
		await setIdentity(one, identity);
		await watchChanges(one.database);
		await recordErased(one, journal);
		const merging: Merging = { ...one, source: "backup", isReviving, isBehind: behind.has(one), restored };
		const rows = (table: string) => linesOfTable(folderOfDatabase(folder, one.name), backups.get(one.name)!, table);
		await mergeBackup(merging, rows, report, mergeAddresses(merging, journal));
	}
	const remark = await putIndexBack(registry, folder, first!.zoneIndex);
	if (remark) remarks.push(remark);
	const { reverted } = restored;
	if (reverted.length > 0) {
		const named = reverted.slice(0, NAMED_MAX).join(", ") + (reverted.length > NAMED_MAX ? " and others" : "");
		remarks.push(`${reverted.length} addresses were reverted to the state in the backup or the journal: ${named}.`);
	}
	for (const name of lacking) remarks.push(`The backup contains nothing of ${name}, which is unchanged.`);
	await finishRestore(registry, journals, restored, options);
	return restored;
}

/** Finishes databases whose rows are back: deletes what must stay gone, and accepts new addresses again. */
async function finishRestore(
	registry: RegistryStorage,
	journals: ReadonlyMap<OneDatabase, JournalSince>,
	restored: Restored,
	{ secrets, isReviving, report }: RestoreOptions,
): Promise<void> {
	const databases = databasesOf(registry);
	const { remarks } = restored;
	for (const [one, journal] of journals) {
		await eraseAgain(one, secrets);
		// Everything else that the journal says about addresses is undone.
		if (isReviving) await hideAgain(one.database, journal);
		await burnUnknown(one, journal, restored, report);
		await raiseVersions(one, journal);
		if (one.database === one.accounts) await endAgain(one.database, journal, isReviving, restored, report);
		await beginFeed(one.database);
	}
	const codes = [...journals.values()].flatMap(({ versions, issued, unreadable }) => [
		...versions.keys(),
		...issued,
		...unreadable.keys(),
	]);
	const unknown = await reserveOverflowNumbers(registry, codes, report);
	if (unknown) remarks.push(unknown);
	for (const [one, journal] of journals) {
		await forgetLostSuccessors(databases, one, journal);
		await remarkOnRest(one, journal, restored);
	}
	if (databases.length > 1) await settleAcross(registry, [...journals.keys()], remarks, report);
	for (const one of journals.keys()) if ((await incidentOf(one)) !== "bucket_behind") await settleTogether(one);
	for (const { database } of databases) {
		await endWatching(database);
		await allowCreations(database);
	}
}

/**
 * Makes several databases agree after one of them was restored. Accounts know where they have addresses, the addresses of closed accounts
 * are closed and those of open ones open, and addresses whose account is gone wait for their holders.
 */
async function settleAcross(
	registry: RegistryStorage,
	restored: OneDatabase[],
	remarks: string[],
	report: ShowProgress,
): Promise<void> {
	for (const { database } of databasesOf(registry)) await watchChanges(database);
	const noted = await rebuildPlaces(registry);
	await noteHomes(registry);
	if (noted > 0) report(`accounts: ${noted.toLocaleString("en")} had addresses in a database that was not noted`);
	await settleClosings(registry, (database, statements) => database.batch(asOwn(database, statements)));
	if (!restored.some(({ database, accounts }) => database === accounts)) return;
	for (const one of databasesOf(registry).slice(1)) await hideUnclaimed(one, await unclaimedAddresses(one), remarks);
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
	const restored: Restored = { rows: {}, remarks: [], reverted: [], burnt: 0 };
	let behind = new Set(wanted.filter((one) => readReturn(savedTo(one))?.isBehind));
	if (!wanted.some((one) => readReturn(savedTo(one)))) {
		behind = await rolledBackAmong(wanted, options, restored.remarks);
		await requireNoMoveSince(wanted, moment);
		for (const one of wanted) await settleJournal(one, options);
		await save(registry, wanted, options);
	}
	const beginning = { moment, recordHead: null, folders: wanted.map(savedTo), databases: wanted };
	const { journals, remarks } = await readJournal(registry.bucket, beginning, options);
	restored.remarks.push(...remarks);
	// From here on, newer rows of all databases exist in the saved state alone.
	const mark = (one: OneDatabase, isBack: boolean) =>
		markReturn(savedTo(one), { moment, isBack, isBehind: behind.has(one) });
	for (const one of wanted) if (!readReturn(savedTo(one))) mark(one, false);
	for (const [one, journal] of journals) {
		const { name, database } = one;
		if (!readReturn(savedTo(one))?.isBack) {
			await rewind(name);
			await refuseCreations(database);
			mark(one, true);
		}
		await watchChanges(database);
		await setIdentity(one, identity);
		await recordErased(one, journal);
		const merging: Merging = { ...one, source: "saved state", isReviving, isBehind: behind.has(one), restored };
		const addresses: Putting = async (table, lines) => {
			const newest: Merging = { ...merging, source: "newer journal" };
			if (!isReviving) await mergeTable(newest, table, linesOf(journal.file));
			await hideUnreadable(database, table, journal);
			await mergeTable(merging, table, lines);
		};
		const units: Putting = (table, lines) => {
			const isWanted = (canonical: string) => isReviving || !journal.versions.has(canonical);
			return mergeTable(merging, table, linesAmong(lines, isWanted));
		};
		const saved = await readBackup(savedTo(one));
		const rows = (table: string) => linesOfTable(savedTo(one), saved, table);
		await mergeBackup(merging, rows, report, { addresses, units });
	}
	await finishRestore(registry, journals, restored, options);
	for (const one of wanted) endReturn(savedTo(one));
	return restored;
}
