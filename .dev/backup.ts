/** Taking a registry's data out of its database and into an empty one, equal to the row. README.md, Back up and restore. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { ZONE_INDEX_KEY } from "../src/zones/r2-source.ts";
import { batchesOf, digestOf, type FileDigest, linesOf } from "./ndjson.ts";
import { columnsOf, migrationsOf, pagesOf, selectLines, type Table, tablesOf } from "./tables.ts";

const FORMAT = "address-registry-backup";

/** Where a registry's data is. */
export interface Registry {
	database: D1Database;
	bucket: R2Bucket;
}

/** What a backup holds, in `manifest.json`. Written last, so a folder that has one is complete. */
export interface Manifest {
	format: typeof FORMAT;
	version: 1;
	/** ISO 8601. Everything that was committed before the start is in the backup. */
	startedAt: string;
	finishedAt: string;
	/** Of the database, in order. */
	migrations: string[];
	/** By table, what its file holds. */
	tables: Record<string, FileDigest>;
	/** Of the zone index, whose zones the addresses are in; null where the bucket has none. */
	zoneIndex: Omit<FileDigest, "rows"> | null;
}

/** How far an export has come, in `progress.json`. */
interface Progress {
	startedAt: string;
	/** By table: the last row that is in its file, how long the file is, and whether it is whole. */
	tables: Record<string, { lastRow: number; rows: number; bytes: number; isWhole: boolean }>;
}

/** Shows how far something has come, such as `addresses: 12,000 rows`. */
export type Report = (line: string) => void;

export function tableFile(folder: string, table: string): string {
	return path.join(folder, `${table}.ndjson`);
}

function writeJson(file: string, value: unknown): void {
	writeFileSync(`${file}.part`, `${JSON.stringify(value, null, 2)}\n`);
	renameSync(`${file}.part`, file);
}

function reportRows(report: Report, table: string, rows: number): void {
	report(`${table}: ${rows.toLocaleString("en")} rows`);
}

async function exportTable(
	database: D1Database,
	table: Table,
	folder: string,
	progress: Progress,
	save: () => void,
	report: Report,
): Promise<void> {
	progress.tables[table.name] ??= { lastRow: 0, rows: 0, bytes: 0, isWhole: false };
	const reached = progress.tables[table.name]!;
	const name = tableFile(folder, table.name);
	// What was written after the progress was saved is written again.
	if (existsSync(name)) truncateSync(name, reached.bytes);
	if (reached.isWhole) return;
	const file = await open(name, "a");
	try {
		for await (const { lines, lastRow } of pagesOf(database, table, reached.lastRow)) {
			const text = `${lines.join("\n")}\n`;
			await file.appendFile(text);
			reached.lastRow = lastRow;
			reached.rows += lines.length;
			reached.bytes += Buffer.byteLength(text);
			save();
			if (reached.rows % 50_000 < lines.length) reportRows(report, table.name, reached.rows);
		}
	} finally {
		await file.close();
	}
	reached.isWhole = true;
	save();
	reportRows(report, table.name, reached.rows);
}

async function exportZoneIndex(bucket: R2Bucket, folder: string): Promise<Manifest["zoneIndex"]> {
	const object = await bucket.get(ZONE_INDEX_KEY);
	if (!object) return null;
	const bytes = Buffer.from(await object.arrayBuffer());
	writeFileSync(path.join(folder, ZONE_INDEX_KEY), bytes);
	return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/**
 * Writes all rows of a registry into a folder, one file of JSON lines for each table, and a manifest with counts and SHA-256. Takes up where
 * an export into the same folder stopped. The registry may serve meanwhile: what was committed before the start is in the backup.
 * @throws Error when the folder holds a finished backup.
 */
export async function exportRegistry(
	{ database, bucket }: Registry,
	folder: string,
	report: Report,
): Promise<Manifest> {
	if (existsSync(path.join(folder, "manifest.json"))) {
		throw new Error(`${folder} holds a finished backup. Name another folder.`);
	}
	mkdirSync(folder, { recursive: true });
	const progressFile = path.join(folder, "progress.json");
	const progress: Progress = existsSync(progressFile)
		? (JSON.parse(readFileSync(progressFile, "utf8")) as Progress)
		: { startedAt: new Date().toISOString(), tables: {} };
	const save = () => writeJson(progressFile, progress);
	const migrations = await migrationsOf(database);
	const tables = await tablesOf(database);
	for (const table of tables) await exportTable(database, table, folder, progress, save, report);
	const manifest: Manifest = {
		format: FORMAT,
		version: 1,
		startedAt: progress.startedAt,
		finishedAt: new Date().toISOString(),
		migrations,
		tables: {},
		zoneIndex: await exportZoneIndex(bucket, folder),
	};
	for (const { name } of tables) manifest.tables[name] = await digestOf(tableFile(folder, name));
	writeJson(path.join(folder, "manifest.json"), manifest);
	return manifest;
}

/**
 * Reads a backup's manifest and proves its files.
 * @throws Error naming the file that is missing or differs.
 */
export async function readBackup(folder: string): Promise<Manifest> {
	const file = path.join(folder, "manifest.json");
	if (!existsSync(file)) {
		throw new Error(
			`${folder} holds no finished backup: it has no manifest.json. An export that was interrupted goes on when it is run again.`,
		);
	}
	const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
	if (manifest.format !== FORMAT || manifest.version !== 1) {
		throw new Error(`${file} is not the manifest of a backup that this version can read.`);
	}
	for (const [table, { rows, sha256 }] of Object.entries(manifest.tables)) {
		const name = tableFile(folder, table);
		const found = existsSync(name) ? await digestOf(name) : undefined;
		if (found?.sha256 !== sha256 || found.rows !== rows) {
			throw new Error(`${name} is not the file that the manifest describes. Use another copy of the backup.`);
		}
	}
	return manifest;
}

/** @throws Error when the database lacks a migration that the backup's rows need. */
export async function requireMigrations(database: D1Database, manifest: Manifest): Promise<void> {
	const applied = await migrationsOf(database);
	const missing = manifest.migrations.filter((name) => !applied.includes(name));
	if (missing.length > 0) {
		throw new Error(
			`The database lacks the migrations ${missing.join(", ")}. Deploy the version that the backup comes from, or a newer one, first.`,
		);
	}
}

/** The rows of a table as lines, with those columns alone that `line` has. */
async function* storedLines(database: D1Database, name: string, columns: string[]): AsyncGenerator<string> {
	for await (const { lines } of pagesOf(database, { name, columns })) yield* lines;
}

/**
 * Compares a table with its file from the first row on.
 * @returns How many rows of the file the table has.
 * @throws Error when the table has a row that the file has not.
 */
async function rowsThere(database: D1Database, table: string, file: string): Promise<number> {
	const lines = linesOf(file);
	const first = await lines.next();
	if (first.done) {
		const any = await database.prepare(`select 1 from "${table}" limit 1`).first();
		if (any) throw new Error(`The registry is not empty: it has rows in ${table}, and the backup has none.`);
		return 0;
	}
	let wanted: IteratorResult<string> = first;
	let count = 0;
	for await (const stored of storedLines(database, table, columnsOf(first.value))) {
		if (wanted.done || wanted.value !== stored) {
			throw new Error(
				`The registry is not empty: row ${count + 1} of ${table} is not the backup's. Import into a new registry, or use restore.`,
			);
		}
		count += 1;
		wanted = await lines.next();
	}
	return count;
}

async function* skip(lines: AsyncIterable<string>, count: number): AsyncGenerator<string> {
	let passed = 0;
	for await (const line of lines) {
		passed += 1;
		if (passed > count) yield line;
	}
}

/**
 * Puts a backup into a registry that has its tables and no rows, then compares every row. An import that was interrupted goes on
 * when it is run again: the rows that are there have to be the backup's first ones.
 * @throws Error when the backup is damaged, the registry is not empty or lacks a migration, or a row differs in the end.
 */
export async function importRegistry(
	{ database, bucket }: Registry,
	folder: string,
	report: Report,
): Promise<Manifest> {
	const manifest = await readBackup(folder);
	await requireMigrations(database, manifest);
	const there = new Map<string, number>();
	for (const table of await tablesOf(database)) {
		const file = tableFile(folder, table.name);
		if (existsSync(file)) there.set(table.name, await rowsThere(database, table.name, file));
	}
	for (const [table, { rows }] of Object.entries(manifest.tables)) {
		const file = tableFile(folder, table);
		let done = there.get(table) ?? 0;
		for await (const lines of batchesOf(skip(linesOf(file), done))) {
			const columns = columnsOf(lines[0]!);
			const names = columns.map((column) => `"${column}"`).join(", ");
			await database
				.prepare(`insert into "${table}" (${names}) ${selectLines(columns)}`)
				.bind(`[${lines.join(",")}]`)
				.run();
			done += lines.length;
			if (done % 50_000 < lines.length) reportRows(report, table, done);
		}
		const stored = await rowsThere(database, table, file);
		if (stored !== rows) throw new Error(`${table} has ${stored} of the backup's ${rows} rows after the import.`);
		reportRows(report, table, rows);
	}
	if (manifest.zoneIndex && !(await bucket.head(ZONE_INDEX_KEY))) {
		await bucket.put(ZONE_INDEX_KEY, readFileSync(path.join(folder, ZONE_INDEX_KEY)));
	}
	return manifest;
}
