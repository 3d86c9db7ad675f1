/**
 * Taking a registry's data out of its database, in parts that are proved by a manifest. src/docs/guides/operate.md, Back up and restore.
 */
import { hash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { editionName, readDirectory } from "../zones/format.ts";
import { ZONE_INDEX_KEY } from "../zones/r2-source.ts";
import { requireBaseline } from "./baseline.ts";
import { inParallel, sha256Of } from "./ndjson.ts";
import { migrationsOf, pagesOf, type RowRange, rangesOf, type Table, tablesOf } from "./tables.ts";

const FORMAT = "address-registry-backup";
const VERSION = 2;

/** Rows of a part: what an interrupted export or import does again at most, times AT_ONCE. */
const PART_ROWS = 100_000;

/** Parts that are read or written at once. */
export const AT_ONCE = 6;

/** What a backup holds is private: phones, hashes of passwords, homes. Its files are for who made them alone. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Where a registry's data is. */
export interface Registry {
	database: D1Database;
	bucket: R2Bucket;
}

/** What a file of a backup holds, so that a copy can be proved. */
interface FileDigest {
	bytes: number;
	/** Hexadecimal. */
	sha256: string;
}

/** A part of a table: a line for each row. */
interface PartDigest extends FileDigest {
	rows: number;
}

/** The zone index that a backup holds, in whose zones its addresses are. */
interface IndexDigest extends FileDigest {
	/** Its edition, such as `2-387a6ea5`; null where it cannot be read. */
	name: string | null;
}

/** What a backup holds, in `manifest.json`, with a hash of itself. Written last, so a folder that has one is complete. */
export interface Manifest {
	format: typeof FORMAT;
	version: typeof VERSION;
	/** ISO 8601. Everything that was committed before the start is in the backup. */
	startedAt: string;
	finishedAt: string;
	/** Of the database, in order. */
	migrations: string[];
	/** By table, what its parts hold, in the order of rows. */
	tables: Record<string, PartDigest[]>;
	/** Null where the bucket has none. */
	zoneIndex: IndexDigest | null;
}

/** A part of a table that is being exported, and what is in its file. The hash is empty until the file is whole. */
interface PartProgress extends RowRange, PartDigest {
	/** The last row that is in it. */
	lastRow: number;
}

/** How far an export has come, in `progress.json`. */
interface Progress {
	startedAt: string;
	tables: Record<string, PartProgress[]>;
}

/** Shows how far something has come, such as `addresses: 12,000 rows`. */
export type Report = (line: string) => void;

/** Where a part of a table lies: `addresses.0.ndjson`, then `addresses.1.ndjson`, and so on. */
export function partFile(folder: string, table: string, part: number): string {
	return path.join(folder, `${table}.${part}.ndjson`);
}

/** Writes a file that nobody else can read; it is there whole or not at all. */
export function writePrivately(file: string, content: string | Buffer): void {
	writeFileSync(`${file}.part`, content, { mode: PRIVATE_FILE });
	renameSync(`${file}.part`, file);
}

export function rowsIn(parts: { rows: number }[]): number {
	return parts.reduce((sum, { rows }) => sum + rows, 0);
}

export function reportRows(report: Report, table: string, rows: number): void {
	report(`${table}: ${rows.toLocaleString("en")} rows`);
}

async function exportPart(
	database: D1Database,
	table: Table,
	file: string,
	reached: PartProgress,
	save: () => void,
): Promise<void> {
	// What was written after the progress was saved is written again.
	if (existsSync(file)) truncateSync(file, reached.bytes);
	const handle = await open(file, "a", PRIVATE_FILE);
	try {
		for await (const { lines, lastRow } of pagesOf(database, table, { after: reached.lastRow, upTo: reached.upTo })) {
			const text = `${lines.join("\n")}\n`;
			await handle.appendFile(text);
			reached.lastRow = lastRow;
			reached.rows += lines.length;
			reached.bytes += Buffer.byteLength(text);
			save();
		}
	} finally {
		await handle.close();
	}
	reached.sha256 = await sha256Of(file);
	save();
}

/** What the zone index in some bytes is called; null where they are none. */
export function indexName(bytes: Uint8Array): string | null {
	try {
		return editionName(readDirectory(new Uint8Array(bytes)));
	} catch {
		return null;
	}
}

async function exportZoneIndex(bucket: R2Bucket, folder: string): Promise<IndexDigest | null> {
	const object = await bucket.get(ZONE_INDEX_KEY);
	if (!object) return null;
	const bytes = Buffer.from(await object.arrayBuffer());
	writePrivately(path.join(folder, ZONE_INDEX_KEY), bytes);
	return { bytes: bytes.length, sha256: hash("sha256", bytes), name: indexName(bytes) };
}

/**
 * Writes all rows of a registry into a folder, each table in parts of JSON lines, and a manifest with counts and SHA-256. Several parts
 * are written at once, and an export into the same folder goes on where it stopped. The registry may serve meanwhile: what was committed
 * before the start is in the backup.
 * @throws Error when the folder holds a finished backup.
 */
export async function exportRegistry(
	{ database, bucket }: Registry,
	folder: string,
	report: Report,
	partRows = PART_ROWS,
): Promise<Manifest> {
	if (existsSync(path.join(folder, "manifest.json"))) {
		throw new Error(`${folder} holds a finished backup. Name another folder.`);
	}
	mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
	const progressFile = path.join(folder, "progress.json");
	const progress: Progress = existsSync(progressFile)
		? (JSON.parse(readFileSync(progressFile, "utf8")) as Progress)
		: { startedAt: new Date().toISOString(), tables: {} };
	const save = () => writePrivately(progressFile, JSON.stringify(progress));
	const migrations = await migrationsOf(database);
	const tables = await tablesOf(database);
	const parts: (() => Promise<void>)[] = [];
	for (const [table, ranges] of await rangesOf(database, tables, partRows)) {
		const nothing = { rows: 0, bytes: 0, sha256: "" };
		progress.tables[table.name] ??= ranges.map((range) => ({ ...range, lastRow: range.after, ...nothing }));
		const all = progress.tables[table.name]!;
		for (const [part, reached] of all.entries()) {
			if (reached.sha256) continue;
			parts.push(async () => {
				await exportPart(database, table, partFile(folder, table.name, part), reached, save);
				reportRows(report, table.name, rowsIn(all));
			});
		}
	}
	save();
	await inParallel(parts, AT_ONCE);
	const manifest: Manifest = {
		format: FORMAT,
		version: VERSION,
		startedAt: progress.startedAt,
		finishedAt: new Date().toISOString(),
		migrations,
		tables: {},
		zoneIndex: await exportZoneIndex(bucket, folder),
	};
	for (const { name } of tables)
		manifest.tables[name] = progress.tables[name]!.map(({ rows, bytes, sha256 }) => ({ rows, bytes, sha256 }));
	const proved = { ...manifest, sha256: hash("sha256", JSON.stringify(manifest)) };
	writePrivately(path.join(folder, "manifest.json"), `${JSON.stringify(proved, null, "\t")}\n`);
	return manifest;
}

async function proveFile(file: string, { sha256 }: FileDigest): Promise<void> {
	if (!existsSync(file)) throw new Error(`${file} is missing. Use another copy of the backup.`);
	if ((await sha256Of(file)) !== sha256) {
		throw new Error(`${file} is not the file that the manifest describes. Use another copy of the backup.`);
	}
}

/** @throws Error when it is damaged or of another version. */
function readManifest(file: string): Manifest {
	const changed = `${file} has been changed or damaged. Use another copy of the backup.`;
	let read: Manifest & { sha256?: string };
	try {
		read = JSON.parse(readFileSync(file, "utf8"));
	} catch (cause) {
		throw new Error(changed, { cause });
	}
	if (read.format === FORMAT && Number(read.version) < VERSION) {
		throw new Error(
			`${file} was written by an older version of the registry. Import it with that version, then deploy this one and export again.`,
		);
	}
	const { sha256, ...manifest } = read;
	// Those of older versions have no hash of their own.
	if (sha256 !== undefined && sha256 !== hash("sha256", JSON.stringify(manifest))) throw new Error(changed);
	if (manifest.format !== FORMAT || manifest.version !== VERSION) {
		throw new Error(`${file} is not the manifest of a backup that this version can read. Use a newer version.`);
	}
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
			`${folder} holds no finished backup: it has no manifest.json. An interrupted export continues when you run it again.`,
		);
	}
	const manifest = readManifest(file);
	const proofs = Object.entries(manifest.tables).flatMap(([table, parts]) =>
		parts.map((digest, part) => () => proveFile(partFile(folder, table, part), digest)),
	);
	const { zoneIndex } = manifest;
	if (zoneIndex) proofs.push(() => proveFile(path.join(folder, ZONE_INDEX_KEY), zoneIndex));
	await inParallel(proofs, AT_ONCE);
	return manifest;
}

/** @throws Error when the database lacks a migration or a table that the backup's rows need. */
export async function requireTables(database: D1Database, manifest: Manifest): Promise<void> {
	requireBaseline(manifest.migrations, "This backup", "use the version that made it, or begin a new registry");
	const applied = await migrationsOf(database);
	const missing = manifest.migrations.filter((name) => !applied.includes(name));
	if (missing.length > 0) {
		throw new Error(
			`The database lacks the migrations ${missing.join(", ")}. Deploy the version that the backup comes from, or a newer one, first.`,
		);
	}
	const there = (await tablesOf(database)).map(({ name }) => name);
	const lost = Object.keys(manifest.tables).filter((name) => !there.includes(name));
	if (lost.length > 0) {
		throw new Error(
			`The database has lost the tables ${lost.join(", ")}. Go back in time with --to, or restore into a new database, as after a loss.`,
		);
	}
}
