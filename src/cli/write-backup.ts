/** Exports a registry's data from its databases, in parts that a manifest proves. See src/docs/guides/operate.md, Back up and restore. */
import { hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { claimBucket } from "../journal/bucket-identity.ts";
import { pooled } from "../journal/entries.ts";
import { recordHead } from "../journal/journal-record.ts";
import { recordBeginning, recordVerifiedBackup } from "../journal/retention.ts";
import type { SigningSecrets } from "../settings/signing-secrets.ts";
import { ZONE_INDEX_KEY } from "../zones/r2-source.ts";
import {
	digestOf,
	firstStart,
	isFinished,
	type Manifest,
	PARTS_AT_ONCE,
	type PartDigest,
	PRIVATE_FILE,
	partFile,
	readBackup,
	readBackups,
	reportRows,
	rowsIn,
	type ShowProgress,
	writeManifest,
	writePrivately,
} from "./backup.ts";
import {
	adoptDatabases,
	databasesOf,
	folderOfDatabase,
	identityOf,
	labelOf,
	type OneDatabase,
	type RegistryStorage,
	requireNoMove,
} from "./databases.ts";
import { migrationsOf } from "./migrations.ts";
import { sha256Of } from "./ndjson.ts";
import { servedIndex } from "./served-index.ts";
import { pagesOfRows, type RowRange, rangesOf, type Table, tablesOf } from "./tables.ts";
import { incidentOf, requireTogether, settleTogether } from "./together.ts";

/** Only the user who made a backup may list its files. */
const PRIVATE_FOLDER = 0o700;

/** Rows of a part. An interrupted export or import repeats at most this many, times PARTS_AT_ONCE. */
const PART_ROWS = 100_000;

/** The turn in which a table is read. Tables that are not listed are read first. */
const TURNS: Readonly<Record<string, number>> = { addresses: 1, users: 2, burnt_codes: 3, erased_accounts: 3 };

/** A part of a table that is being exported, and what its file holds so far. The hash is empty until the file is complete. */
interface PartProgress extends RowRange, PartDigest {
	/** The last row that is in it. */
	lastRow: number;
}

/** The file in which an export notes how far it has come. */
const PROGRESS = "progress.json";

/** How far an export has come. */
interface Progress {
	startedAt: string;
	recordHead: string | null;
	tables: Record<string, PartProgress[]>;
}

async function exportPart(
	database: D1Database,
	table: Table,
	file: string,
	reached: PartProgress,
	holds: (canonical: string) => boolean,
	save: () => void,
): Promise<void> {
	// What was written after the progress was saved is written again.
	if (existsSync(file)) truncateSync(file, reached.bytes);
	const handle = await open(file, "a", PRIVATE_FILE);
	try {
		const { lastRow: after, upTo } = reached;
		for await (const page of pagesOfRows(database, table, { after, upTo })) {
			// The examples are in every database, and a moved address may be in two: only the one that holds its code exports it.
			const held = page.filter(({ row }) => !("canonical" in row) || holds(String(row.canonical)));
			const text = held.map(({ row }) => `${JSON.stringify(row)}\n`).join("");
			await handle.appendFile(text);
			reached.lastRow = page.at(-1)!.number;
			reached.rows += held.length;
			reached.bytes += Buffer.byteLength(text);
			save();
		}
	} finally {
		await handle.close();
	}
	reached.sha256 = await sha256Of(file);
	save();
}

/** Options of an export. */
interface Export {
	report: ShowProgress;
	/** Sign the manifest; undefined where only this run reads it. */
	secrets: SigningSecrets | undefined;
	partRows?: number;
}

/** @throws Error if a folder holds anything but an interrupted export: a backup holds personal data, and belongs beside nothing else. */
function requireOwnFolder(folder: string, databases: string[]): void {
	const names = existsSync(folder) ? readdirSync(folder) : [];
	if (names.includes(PROGRESS) || names.every((name) => databases.includes(name))) return;
	throw new Error(
		`${path.resolve(folder)} holds something else. Name a new folder, or none: then one is named by date and time.`,
	);
}

/**
 * Writes all rows of a registry into a folder, each table in parts of JSON lines, and a manifest with counts and SHA-256. Several parts
 * are written at once, and an export into the same folder continues where it stopped. The registry may serve meanwhile: what was committed
 * before the start is in the backup. If there are several databases, each has its folder, and that of accounts comes last, so that the
 * backup has the owner of every address in it.
 * @param secrets Sign the manifest; undefined where only this run reads it.
 * @throws Error when the folder holds a finished backup, or something else.
 */
export async function exportRegistry(
	registry: RegistryStorage,
	folder: string,
	report: ShowProgress,
	secrets?: SigningSecrets,
	partRows = PART_ROWS,
): Promise<Manifest> {
	if (isFinished(folder)) throw new Error(`${folder} already contains a finished backup. Name another folder.`);
	const [accounts, ...others] = databasesOf(registry);
	requireOwnFolder(
		folder,
		others.map(({ name }) => name),
	);
	await requireNoMove(registry);
	mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
	const databases: Record<string, string> = {};
	for (const other of others) {
		const own = folderOfDatabase(folder, other.name);
		const done = isFinished(own)
			? await readBackup(own)
			: await exportDatabase(other, own, { report, secrets, partRows });
		databases[other.name] = digestOf(done);
	}
	const rest = others.length > 0 ? { databases } : {};
	return exportDatabase(accounts, folder, { report, secrets, partRows }, rest);
}

/**
 * Exports a registry, verifies the backup, and lets the journal delete what it has.
 * @param isNewBucket Whether the operator says that the bucket was lost. The backup then stands for the journal that was in it.
 * @throws Error, before anything is written, if databases and bucket do not belong together. A backup of a database that was rolled back
 * would let the journal delete what is missing there.
 */
export async function exportVerified(
	registry: RegistryStorage,
	folder: string,
	report: ShowProgress,
	secrets: SigningSecrets,
	isNewBucket: boolean,
): Promise<ReadonlyMap<string, Manifest>> {
	const { bucket } = registry;
	// The newest backup decides what the journal may delete, so it must be of the same registry as the journal.
	if (!(await claimBucket(bucket, await identityOf(registry.database))))
		throw new Error(
			"The bucket and the database belong to different registries. If the database was lost, restore it first.",
		);
	await adoptDatabases(registry);
	const databases = databasesOf(registry);
	await requireTogether(databases, isNewBucket);
	const behind: OneDatabase[] = [];
	for (const one of isNewBucket ? databases : []) if ((await incidentOf(one)) === "bucket_behind") behind.push(one);
	if (isNewBucket && behind.length === 0) throw new Error("The bucket is not new. Leave out --new-bucket.");
	await exportRegistry(registry, folder, report, secrets);
	const backups = await readBackups(folder);
	const startedAt = firstStart(backups.values());
	if (behind.length > 0) await recordBeginning(bucket, Date.parse(startedAt));
	await recordVerifiedBackup(bucket, startedAt);
	for (const one of behind) await settleTogether(one);
	return backups;
}

/** Writes the rows of one database. */
export async function exportDatabase(
	{ name, database, accounts, bucket, holds }: OneDatabase,
	folder: string,
	{ report, secrets, partRows = PART_ROWS }: Export,
	of: Pick<Manifest, "database" | "databases"> = name === ACCOUNTS ? {} : { database: name },
): Promise<Manifest> {
	mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
	const progressFile = path.join(folder, PROGRESS);
	const progress: Progress = existsSync(progressFile)
		? (JSON.parse(readFileSync(progressFile, "utf8")) as Progress)
		: { startedAt: new Date().toISOString(), recordHead: await recordHead(bucket), tables: {} };
	const save = () => writePrivately(progressFile, JSON.stringify(progress));
	const migrations = await migrationsOf(database);
	const tables = await tablesOf(database);
	/**
	 * Rows that belong to addresses are read before them, and accounts after them, so that the backup has the owner of every address in it.
	 * What was erased is read last, because it tells which of the other rows are gone (make-consistent.ts).
	 */
	const turns: (() => Promise<void>)[][] = [[], [], [], []];
	for (const [table, ranges] of await rangesOf(database, tables, partRows)) {
		const nothing = { rows: 0, bytes: 0, sha256: "" };
		// A table with a later turn may get its first rows meanwhile.
		const read = ranges.length === 0 && table.name in TURNS ? [{ after: 0, upTo: null }] : ranges;
		progress.tables[table.name] ??= read.map((range) => ({ ...range, lastRow: range.after, ...nothing }));
		const all = progress.tables[table.name]!;
		for (const [part, reached] of all.entries()) {
			if (reached.sha256) continue;
			turns[TURNS[table.name] ?? 0]!.push(async () => {
				await exportPart(database, table, partFile(folder, table.name, part), reached, holds, save);
				reportRows(report, labelOf(table.name, name), rowsIn(all));
			});
		}
	}
	save();
	for (const parts of turns) await pooled(parts, PARTS_AT_ONCE, (part) => part());
	const index = name === ACCOUNTS ? await servedIndex(bucket) : undefined;
	if (index) writePrivately(path.join(folder, ZONE_INDEX_KEY), index.bytes);
	const contents = {
		...of,
		registry: await identityOf(accounts),
		recordHead: progress.recordHead,
		startedAt: progress.startedAt,
		finishedAt: new Date().toISOString(),
		migrations,
		tables: Object.fromEntries(
			tables.map(({ name }) => [
				name,
				progress.tables[name]!.map(({ rows, bytes, sha256 }): PartDigest => ({ rows, bytes, sha256 })),
			]),
		),
		zoneIndex: index ? { bytes: index.bytes.length, sha256: hash("sha256", index.bytes), name: index.name } : null,
	};
	return writeManifest(folder, contents, secrets);
}
