/** A backup of a registry: its files, which a signed manifest proves, and whether they fit a registry. write-backup.ts writes one. */
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { bucketIdentity, markBucket } from "../journal/bucket-identity.ts";
import { isSigned, sign } from "../journal/cipher.ts";
import { pooled } from "../journal/entries.ts";
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";
import { ZONE_INDEX_KEY } from "../zones/r2-source.ts";
import { folderOfDatabase, identityOf, isUsed, labelOf, type OneDatabase } from "./databases.ts";
import { migrationsOf, requireBaseline } from "./migrations.ts";
import { linesOf, sha256Of } from "./ndjson.ts";
import { tablesOf } from "./tables.ts";

/** The purpose for which a manifest is signed. */
const SIGNED = "backup manifest";

const FORMAT = "address-registry-backup";
const VERSION = 3;
/** The version of a backup of several databases: the manifest of accounts names the others, each of which has a folder of its own. */
const SEVERAL_VERSION = 4;
/** The version that release 0.9.0 wrote, which neither signed a backup nor named its registry. */
const UNSIGNED_VERSION = 2;

/** Parts that are read or written at once. */
export const PARTS_AT_ONCE = 6;

/** A backup holds private data: phone numbers, password hashes, homes. Only the user who made its files may read them. */
export const PRIVATE_FILE = 0o600;

/** The size and hash of a file in a backup, which prove that a copy is intact. */
interface FileDigest {
	bytes: number;
	/** Hexadecimal. */
	sha256: string;
}

/** A part of a table: a line for each row. */
export interface PartDigest extends FileDigest {
	rows: number;
}

/** The zone index in a backup, in whose zones its addresses are. */
interface IndexDigest extends FileDigest {
	/** Its edition, such as `2-387a6ea5`; null if it cannot be read. */
	name: string | null;
}

/**
 * The contents of a backup, in `manifest.json`, with a hash of the manifest itself. It is written last, so a folder that has one is
 * complete.
 */
export interface Manifest {
	format: typeof FORMAT;
	version: typeof VERSION | typeof SEVERAL_VERSION | typeof UNSIGNED_VERSION;
	/** Which of several databases this is, by its binding; undefined for that of accounts. */
	database?: string;
	/** In the manifest of accounts, if there are several databases: the SHA-256 of each other manifest, by the database's binding. */
	databases?: Record<string, string>;
	/** The id of the registry; undefined in a backup of version 0.9.0. */
	registry?: string;
	/** The newest part of the record of the journal when the export began (src/journal/journal-record.ts). */
	recordHead?: string | null;
	/** ISO 8601. Everything that was committed before the start is in the backup. */
	startedAt: string;
	finishedAt: string;
	/** The migrations of the database, in order. */
	migrations: string[];
	/** The parts of each table, in the order of rows. */
	tables: Record<string, PartDigest[]>;
	/** Null if the bucket has none. */
	zoneIndex: IndexDigest | null;
}

/** Shows progress, such as `addresses: 12,000 rows`. */
export type ShowProgress = (line: string) => void;

/** The file of a part of a table: `addresses.0.ndjson`, then `addresses.1.ndjson`, and so on. */
export function partFile(folder: string, table: string, part: number): string {
	return path.join(folder, `${table}.${part}.ndjson`);
}

/** Writes a file that nobody else can read, completely or not at all. */
export function writePrivately(file: string, content: string | Buffer): void {
	writeFileSync(`${file}.part`, content, { mode: PRIVATE_FILE });
	renameSync(`${file}.part`, file);
}

export function rowsIn(parts: { rows: number }[]): number {
	return parts.reduce((sum, { rows }) => sum + rows, 0);
}

/** The rows of a table in the backup of one database, a line of JSON each; none if the backup lacks the table. */
export async function* linesOfTable(folder: string, { tables }: Manifest, table: string): AsyncGenerator<string> {
	for (const part of tables[table]?.keys() ?? []) yield* linesOf(partFile(folder, table, part));
}

export function reportRows(report: ShowProgress, table: string, rows: number): void {
	report(`${table}: ${rows.toLocaleString("en")} rows`);
}

/** The SHA-256 of a manifest, under which it is signed. */
export function digestOf(manifest: Manifest): string {
	return hash("sha256", JSON.stringify(manifest));
}

/** Whether a folder holds the finished backup of a database. */
export function isFinished(folder: string): boolean {
	return existsSync(path.join(folder, "manifest.json"));
}

/** Writes the manifest of a backup whose files are complete, signed unless only this run reads it. */
export async function writeManifest(
	folder: string,
	contents: Omit<Manifest, "format" | "version">,
	secrets: SigningSecrets | undefined,
): Promise<Manifest> {
	const isOfSeveral = contents.database !== undefined || contents.databases !== undefined;
	const manifest: Manifest = { format: FORMAT, version: isOfSeveral ? SEVERAL_VERSION : VERSION, ...contents };
	const sha256 = digestOf(manifest);
	const proved = { ...manifest, sha256, ...(secrets ? { signature: await sign(secrets, SIGNED, sha256) } : {}) };
	writePrivately(path.join(folder, "manifest.json"), `${JSON.stringify(proved, null, "\t")}\n`);
	return manifest;
}

async function proveFile(file: string, { sha256 }: FileDigest): Promise<void> {
	if (!existsSync(file)) throw new Error(`${file} is missing. Use another copy of the backup.`);
	if ((await sha256Of(file)) !== sha256) {
		throw new Error(`${file} is not the file that the manifest describes. Use another copy of the backup.`);
	}
}

/** What a backup must satisfy before anything is done with it. */
export interface Trust {
	/** Secrets, under one of which its manifest must be signed. */
	secrets: SigningSecret[];
	/** Whether the operator vouches for a backup of another registry, or one that is not signed. */
	isForeign?: boolean;
}

/** @throws Error when the manifest is damaged, of another version, or not signed by this registry. */
async function readManifest(file: string, trust: Trust | undefined): Promise<Manifest> {
	const changed = `${file} has been changed or damaged. Use another copy of the backup.`;
	let read: Manifest & { sha256?: string; signature?: string };
	try {
		read = JSON.parse(readFileSync(file, "utf8"));
	} catch (cause) {
		throw new Error(changed, { cause });
	}
	if (read.format === FORMAT && Number(read.version) < UNSIGNED_VERSION) {
		throw new Error(
			`${file} was written by an older version of the registry. Import it with that version, then deploy this one and export again.`,
		);
	}
	const { sha256, signature, ...manifest } = read;
	if (manifest.format !== FORMAT || ![VERSION, SEVERAL_VERSION, UNSIGNED_VERSION].includes(manifest.version)) {
		throw new Error(`${file} is not the manifest of a backup that this version can read. Use a newer version.`);
	}
	if (sha256 !== digestOf(manifest)) throw new Error(changed);
	if (trust && !trust.isForeign && !(await isSigned(trust.secrets, SIGNED, sha256 ?? "", signature))) {
		throw new Error(
			manifest.version === UNSIGNED_VERSION
				? `${file} is of version 0.9.0, which did not sign its backups. If you know where it comes from, add --foreign.`
				: `${file} is not signed under a secret in JOURNAL_SECRETS. It may be of another registry, or changed. A backup of version 0.9.1 was signed under JWT_SECRETS: set both then. If you know where it comes from, add --foreign.`,
		);
	}
	return manifest;
}

/**
 * Proves that a backup is of the registry that these databases and this bucket belong to.
 * @param databases The database of accounts, and those that the backup is put into.
 * @returns The id that the registry has from then on: that of the backup, even if a database was made anew.
 * @throws Error that says which of them is another registry's.
 */
export async function proveRegistry(
	databases: [OneDatabase, ...OneDatabase[]],
	{ registry: expected }: Manifest,
	isForeign = false,
): Promise<string> {
	const [{ database: accounts, bucket }] = databases;
	const ofBucket = await bucketIdentity(bucket);
	if (isForeign || expected === undefined) {
		const own = await identityOf(accounts);
		return ofBucket ?? ((await isUsed(accounts)) ? own : (expected ?? own));
	}
	const advice = "If you are sure that it is the right one, add --foreign.";
	if (ofBucket !== undefined && ofBucket !== expected)
		throw new Error(`The backup is of the registry ${expected}, but the bucket belongs to ${ofBucket}. ${advice}`);
	for (const { name, database } of databases) {
		const own = await identityOf(database);
		if (own !== expected && (await isUsed(database)))
			throw new Error(
				`The backup is of the registry ${expected}, but the ${labelOf("database", name)} belongs to ${own}. ${advice}`,
			);
	}
	return expected;
}

/** Writes the id of their registry into a database and the bucket. */
export async function setIdentity({ database, bucket }: Pick<OneDatabase, "database" | "bucket">, id: string) {
	await database.prepare("update registry_identity set id = ?").bind(id).run();
	await markBucket(bucket, id);
}

/** @throws Error if a folder holds no finished backup. */
export function requireFinished(folder: string): void {
	if (isFinished(folder)) return;
	if (!existsSync(folder)) {
		const parent = path.dirname(folder);
		const beside = existsSync(parent) ? readdirSync(parent).filter((name) => isFinished(path.join(parent, name))) : [];
		const there = beside.length > 0 ? `There are ${beside.sort().join(", ")}.` : `${parent} contains no backups.`;
		throw new Error(`There is no backup ${folder}. ${there} A backup elsewhere is named by its path, with a slash.`);
	}
	throw new Error(
		`${folder} contains no finished backup: it has no manifest.json. An interrupted export continues when you run it again.`,
	);
}

/**
 * Reads the manifest of the backup of one database and proves its files.
 * @param trust Undefined for a backup that this run itself has made.
 * @throws Error naming the file that is missing or differs, or what speaks against the backup.
 */
export async function readBackup(folder: string, trust?: Trust): Promise<Manifest> {
	requireFinished(folder);
	const manifest = await readManifest(path.join(folder, "manifest.json"), trust);
	const files = Object.entries(manifest.tables).flatMap(([table, parts]) =>
		parts.map((digest, part): [string, FileDigest] => [partFile(folder, table, part), digest]),
	);
	if (manifest.zoneIndex) files.push([path.join(folder, ZONE_INDEX_KEY), manifest.zoneIndex]);
	await pooled(files, PARTS_AT_ONCE, ([file, digest]) => proveFile(file, digest));
	return manifest;
}

/**
 * Reads the backup of a registry, and proves the files of each of its databases.
 * @param only The database that is wanted, by its binding; all of them where it is undefined.
 * @returns The manifests by the names of the databases' bindings, that of accounts first.
 * @throws Error naming the file that is missing or differs, or what speaks against the backup.
 */
export async function readBackups(folder: string, trust?: Trust, only?: string): Promise<Map<string, Manifest>> {
	const backups = new Map<string, Manifest>();
	if (only && only !== ACCOUNTS) {
		const own = folderOfDatabase(folder, only);
		if (!existsSync(own)) throw new Error(`${folder} contains no backup of ${only}.`);
		return backups.set(only, await readBackup(own, trust));
	}
	const accounts = await readBackup(folder, trust);
	if (accounts.database)
		throw new Error(
			`${folder} is the backup of ${accounts.database} only. Name its parent folder, and --database ${accounts.database}.`,
		);
	backups.set(ACCOUNTS, accounts);
	for (const [name, digest] of only ? [] : Object.entries(accounts.databases ?? {})) {
		const own = folderOfDatabase(folder, name);
		const manifest = await readBackup(own, trust);
		if (digestOf(manifest) !== digest)
			throw new Error(`${own} is not the backup that ${folder} was made with. Use another copy of the backup.`);
		backups.set(name, manifest);
	}
	return backups;
}

/** When the first of some backups began, in ISO 8601. */
export function firstStart(backups: Iterable<Manifest>): string {
	return Array.from(backups, ({ startedAt }) => startedAt).sort()[0]!;
}

/** How many rows backups hold. */
export function rowsOf(backups: Iterable<Manifest>): number {
	return rowsIn(Array.from(backups, ({ tables }) => Object.values(tables).flat()).flat());
}

/**
 * Proves that each code of a backup belongs in the database into which it would be put.
 * @param databases Those of the registry.
 * @returns The databases that the backup lacks.
 * @throws Error if the registry lacks a database, or a code belongs in another one by now, as after a move.
 */
export async function requirePlaces(
	folder: string,
	backups: ReadonlyMap<string, Manifest>,
	databases: OneDatabase[],
): Promise<string[]> {
	const bound = databases.map(({ name }) => name);
	const unbound = [...backups.keys()].filter((name) => !bound.includes(name));
	if (unbound.length > 0)
		throw new Error(
			`The backup contains ${unbound.join(", ")}, which wrangler.toml does not bind. Bind it, or leave it out with --database.`,
		);
	const named = Object.keys(backups.get(ACCOUNTS)?.databases ?? {});
	const added = bound.filter((name) => name !== ACCOUNTS && !named.includes(name));
	if (added.length === 0 || !backups.has(ACCOUNTS)) return [];
	for (const [name, manifest] of backups) {
		const { holds } = databases.find((one) => one.name === name)!;
		for (const table of ["addresses", "burnt_codes"])
			for await (const line of linesOfTable(folderOfDatabase(folder, name), manifest, table)) {
				const { canonical, owner_id: owner } = JSON.parse(line) as { canonical: string; owner_id?: string };
				if (owner === "usr_nobody" || holds(canonical)) continue;
				throw new Error(
					`The backup was made before ${added.join(", ")} was bound: it has ${canonical} in ${name}, where nobody would find it. Use a backup from after the move.`,
				);
			}
	}
	return added;
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
