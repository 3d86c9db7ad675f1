/** Puts a backup into an empty registry, so that every row is equal. */
import path from "node:path";
import { pooled } from "../journal/entries.ts";
import { hasNewsSince } from "../journal/retention.ts";
import {
	firstStart,
	type Manifest,
	PARTS_AT_ONCE,
	partFile,
	proveRegistry,
	readBackups,
	reportRows,
	requirePlaces,
	requireTables,
	rowsIn,
	type ShowProgress,
	setIdentity,
	type Trust,
} from "./backup.ts";
import { databasesOf, folderOfDatabase, noteHomes, type RegistryStorage } from "./databases.ts";
import { oneMoment, settleClosings } from "./make-consistent.ts";
import { batchesOfLines, linesOf } from "./ndjson.ts";
import { putIndexBack } from "./served-index.ts";
import { columnsOf, isTaken, pagesOfRows, type RowRange, selectLines, type Table, tablesOf } from "./tables.ts";
import { settleTogether } from "./together.ts";

/**
 * Deletes the lines' addresses from the journal's queue, which inserting them has filled: the backup holds them already. Addresses with
 * another version by now are not in the backup, and stay.
 */
export const UNQUEUE =
	"delete from journal_queue where (canonical, version) in (select value ->> 'canonical', value ->> 'version' from json_each(?))";

/** Deletes them from the feed of changes, which begins anew in this registry. */
const UNTELL = "delete from changes where kind <> 'reset'";

/** The owner of the examples that migrations put into every registry. */
const NOBODY = "'usr_nobody'";

/** Deletes the examples among the lines. They are numbered after the backup's rows until the backup's own are put in. */
const REPLACE_EXAMPLES = `delete from addresses
	where owner_id = ${NOBODY} and canonical in (select json_extract(value, '$.canonical') from json_each(?))`;

/** A part of a backup and the rows of the database that it becomes. */
interface Part {
	table: Table;
	file: string;
	rows: number;
	/** The row numbers that the part takes in the table, so that several parts can be put in at once and each can be continued. */
	range: RowRange;
}

/** The range of a part whose rows have numbers of their own, in a column. */
async function ownRange(file: string, column: string): Promise<RowRange> {
	let [first, last]: (string | undefined)[] = [];
	for await (const line of linesOf(file)) {
		first ??= line;
		last = line;
	}
	const numberOf = (line = "{}") => Number((JSON.parse(line) as Record<string, unknown>)[column]);
	return { after: numberOf(first) - 1, upTo: numberOf(last) };
}

/** The parts of a backup: rows are numbered as they come, unless a column of theirs is their number. */
async function partsOf(folder: string, manifest: Manifest, tables: Table[]): Promise<Part[]> {
	const parts: Part[] = [];
	for (const [name, digests] of Object.entries(manifest.tables)) {
		const table = tables.find((table) => table.name === name)!;
		let before = 0;
		for (const [part, { rows }] of digests.entries()) {
			const file = partFile(folder, name, part);
			if (rows === 0) continue;
			const { rowNumber } = table;
			const range = rowNumber ? await ownRange(file, rowNumber) : { after: before, upTo: before + rows };
			parts.push({ table, file, rows, range });
			before += rows;
		}
	}
	return parts;
}

/**
 * Compares the rows of a part's range with its file from the first row on.
 * @returns How many rows of the file are there.
 * @throws Error if there is a row that the file does not have.
 */
async function rowsThere(database: D1Database, { table, file, range }: Part): Promise<number> {
	const wanted = linesOf(file);
	let count = 0;
	let next = await wanted.next();
	const columns = next.done ? [] : columnsOf(next.value);
	for await (const page of pagesOfRows(database, { name: table.name, columns }, range)) {
		for (const { row } of page) {
			if (next.done || next.value !== JSON.stringify(row)) {
				throw new Error(
					`The registry is not empty: row ${range.after + count + 1} of ${table.name} is not the backup's. Import into a new registry, or use restore.`,
				);
			}
			count += 1;
			next = await wanted.next();
		}
	}
	await wanted.return(undefined);
	return count;
}

async function importPart(database: D1Database, part: Part, done: number): Promise<void> {
	const { table, file, range, rows } = part;
	let count = done;
	for await (const lines of batchesOfLines(linesOf(file, done))) {
		const columns = columnsOf(lines[0]!);
		const names = columns.map((column) => `"${column}"`);
		const [rowNames, select] = table.rowNumber
			? [names, selectLines(columns)]
			: [["rowid", ...names], selectLines(["rowid", ...columns], { rowid: `${range.after + count + 1} + key` })];
		const text = `[${lines.join(",")}]`;
		const insert = database.prepare(`insert into "${table.name}" (${rowNames.join(", ")}) ${select}`).bind(text);
		const [before, after] = [REPLACE_EXAMPLES, UNQUEUE].map((statement) => database.prepare(statement).bind(text));
		const put =
			table.name === "addresses" ? database.batch([before!, insert, after!, database.prepare(UNTELL)]) : insert.run();
		await put.catch((error: unknown) => {
			if (!isTaken(error)) throw error;
			throw new Error(
				`Two rows of ${table.name} in the backup have what only one may have, as when it passed from one to the other during the export. Use restore, which keeps both.`,
			);
		});
		count += lines.length;
	}
	const stored = await rowsThere(database, part);
	if (stored !== rows)
		throw new Error(`${table.name} has ${stored} of ${rows} rows of ${file} after the import. Run it again.`);
}

/**
 * Renumbers the examples of an otherwise empty registry to come after the rows of the backup. The backup may have them under other row
 * numbers, and lacks examples that are newer than it.
 */
async function moveExamples(database: D1Database, parts: Part[]): Promise<void> {
	const places = parts.filter(({ table }) => table.name === "addresses").map(({ range }) => range.upTo ?? 0);
	await database
		.prepare(
			`update addresses set rowid = rowid + ?1 + (select max(rowid) from addresses)
			where rowid <= ?1 and not exists (select 1 from addresses where owner_id <> ${NOBODY})`,
		)
		.bind(Math.max(0, ...places))
		.run();
}

/** @throws Error if a table has rows other than those that the backup puts there. */
async function requireNothingElse(database: D1Database, manifest: Manifest, tables: Table[], parts: Part[]) {
	const beside = await database.batch(
		tables.map(({ name }) => {
			const ranges = parts.filter(({ table }) => table.name === name).map(({ range }) => range);
			const within = ranges.map(({ after, upTo }) => `(rowid > ${after} and rowid <= ${upTo})`).join(" or ");
			const examples = name === "addresses" ? `and owner_id <> ${NOBODY}` : "";
			return database.prepare(`select 1 from "${name}" where not (${within || "false"}) ${examples} limit 1`);
		}),
	);
	const other = tables.find((_, index) => beside[index]!.results.length > 0);
	if (!other) return;
	const has = rowsIn(manifest.tables[other.name] ?? []);
	throw new Error(
		`The registry is not empty: it has rows in ${other.name} beside the backup's ${has}. Import into a new registry, or use restore.`,
	);
}

/**
 * Puts a backup into a registry that has its tables and no rows, several parts at once, then compares every row. An interrupted import
 * continues when it is run again: the rows that are there must be the first ones of their parts.
 * @throws Error if the backup is damaged or not this registry's, the journal has newer changes, the registry is not empty or lacks a
 * migration, or a row differs in the end.
 */
export async function importRegistry(
	registry: RegistryStorage,
	folder: string,
	report: ShowProgress,
	trust: Trust,
): Promise<Map<string, Manifest>> {
	const databases = databasesOf(registry);
	const backups = await readBackups(folder, trust);
	const [manifest] = backups.values() as MapIterator<Manifest>;
	await requirePlaces(folder, backups, databases);
	for (const { name, database } of databases) if (backups.has(name)) await requireTables(database, backups.get(name)!);
	const identity = await proveRegistry(databases, manifest!, trust.isForeign);
	const startedAt = firstStart(backups.values());
	if (await hasNewsSince(registry.bucket, Date.parse(startedAt))) {
		throw new Error(
			`The journal in the bucket contains changes after ${startedAt}, when this backup was made. An import would lose them, publish what has become private and bring back what was erased. Use restore.`,
		);
	}
	const ready: (() => Promise<void>)[] = [];
	for (const one of databases) {
		const own = backups.get(one.name);
		if (!own) continue;
		const put = await readyToPut(one.database, folderOfDatabase(folder, one.name), own, report, one.holds);
		ready.push(() => setIdentity(one, identity).then(put));
	}
	for (const put of ready) await put();
	for (const one of databases) await one.database.batch(oneMoment(one));
	await settleClosings(registry, (database, statements) => database.batch(statements));
	await noteHomes(registry);
	const remark = await putIndexBack(registry, folder, manifest!.zoneIndex);
	if (remark) report(remark);
	for (const one of databases) await settleTogether(one);
	return backups;
}

/** Makes sure that a database has no rows but those of an interrupted import. Returns a function that puts in all others. */
export async function readyToPut(
	database: D1Database,
	folder: string,
	manifest: Manifest,
	report: ShowProgress,
	holds: (canonical: string) => boolean = () => true,
): Promise<() => Promise<void>> {
	const tables = await tablesOf(database);
	const parts = await partsOf(folder, manifest, tables);
	await requireNothingElse(database, manifest, tables, parts);
	return async () => {
		const examples = await database
			.prepare(`select canonical from addresses where owner_id = ${NOBODY}`)
			.raw<[string]>();
		const elsewhere = examples.map(([canonical]) => canonical).filter((canonical) => !holds(canonical));
		// Rows whose codes a deployment has recorded as at home in another database cannot be changed in this one.
		await database
			.prepare("delete from addresses where canonical in (select value from json_each(?))")
			.bind(JSON.stringify(elsewhere))
			.run();
		await moveExamples(database, parts);
		const there = new Map(
			await pooled(parts, PARTS_AT_ONCE, async (part) => [part, await rowsThere(database, part)] as const),
		);
		const put = (some: Part[]) =>
			pooled(some, PARTS_AT_ONCE, async (part) => {
				await importPart(database, part, there.get(part)!);
				reportRows(report, `${part.table.name}, ${path.relative(folder, part.file)}`, part.rows);
			});
		// The database accepts no address under a burnt code.
		const isBurnt = ({ table }: Part) => table.name === "burnt_codes";
		await put(parts.filter((part) => !isBurnt(part)));
		await put(parts.filter(isBurnt));
	};
}
