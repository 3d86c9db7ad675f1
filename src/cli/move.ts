/**
 * Moves the addresses of a country into databases of their own, which wrangler.toml binds by now. Everything with a code is copied
 * unchanged while nobody may change it, and is read from the copy before anything is deleted. Each step may be killed and run again.
 */
import { createHash } from "node:crypto";
import { SNAPSHOT_FILES } from "../changes/snapshot.ts";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { readDatabases } from "../settings/database-bindings.ts";
import type { ShowProgress } from "./backup.ts";
import { isUsed, notePlaces } from "./databases.ts";
import { askOf, beginsWith, type HomeState, homeDatabase, writeHomes } from "./homes.ts";
import { batchesOfLines } from "./ndjson.ts";
import { pagesOfRows, selectLines, type Table, tablesOf } from "./tables.ts";
import { requireTogether, settleTogether } from "./together.ts";

/** How long Workers of the previous version may go on running after a deployment, in milliseconds. */
const OLD_WORKERS = 120_000;

/** Rows deleted in one transaction. */
const DELETED_AT_ONCE = 1_000;

/** By how much row numbers are raised in the copy, so that none collides with that of a row that every database begins with. */
const RAISED_BY = 1_000;

/** The tables with codes, each with the SQL for the code, or its beginning, in a row. Other tables stay where they are. */
const CODES: Readonly<Record<string, string>> = {
	burnt_codes: "canonical",
	addresses: "canonical",
	address_changes: "canonical",
	units: "canonical",
	attestations: "canonical",
	private_reads: "canonical",
	reports: "canonical",
	last_codes: "canonical",
	operator_acts: "subject",
	overflow_zones: "country || '0'",
	daily_counts: "subject",
	changes: "canonical",
	journal_queue: "canonical",
};

/** Tables that go on changing meanwhile: the journal takes out of its queue what it has written, and counts of past days are deleted. */
const CHANGING = ["journal_queue", "daily_counts"];

/** The feed also stays in the old database until it expires: readers have a position in it, and are told of no row that has moved. */
const STAYING = ["changes"];

/** Tables that a backup leaves out but a move takes along. */
const BESIDE_BACKUPS: Pick<Table, "name" | "columns" | "rowNumber">[] = [
	{ name: "changes", columns: ["seq", "canonical", "kind", "at"], rowNumber: "seq" },
	{ name: "journal_queue", columns: ["canonical", "version", "queued_at", "newer_entry"], rowNumber: undefined },
];

export interface MoveOptions {
	/** All databases that wrangler.toml binds, by their bindings. */
	databases: ReadonlyMap<string, D1Database>;
	bucket: R2Bucket;
	/** ISO 3166-1 alpha-2. */
	country: string;
	report: ShowProgress;
	/** Whether no Worker of another version can be running, as on this machine. */
	isServedAtOnce: boolean;
	now?: () => number;
}

/** The databases between which some codes move. */
interface Way {
	from: string;
	to: string;
	prefixes: string[];
}

type MovedTable = Pick<Table, "name" | "columns" | "rowNumber">;

/** The tables with codes, each with its columns apart from SQLite's own row number. */
async function movedTables(database: D1Database): Promise<MovedTable[]> {
	const tables: MovedTable[] = [...(await tablesOf(database)), ...BESIDE_BACKUPS];
	return Object.keys(CODES).map((name) => {
		const table = tables.find((each) => each.name === name);
		if (!table) throw new Error(`The database has no table ${name}. Deploy this version first.`);
		return { ...table, columns: table.columns.filter((column) => column !== table.rowNumber) };
	});
}

/** The SQL condition that a row of a table moves. The example stays in every database, and so do the rows that belong to it. */
const goesAlong = (table: string, prefixes: readonly string[]) => {
	const column = CODES[table] as string;
	const begins = prefixes.map((prefix) => `(${beginsWith(column, prefix)})`).join(" or ");
	return `(${begins})${table === "addresses" ? " and owner_id <> 'usr_nobody'" : ""}`;
};

/** Copies the rows of a table that the copy does not have yet. Returns how many there are in all. */
async function copyTable(from: D1Database, to: D1Database, table: MovedTable, prefixes: string[]): Promise<number> {
	const { name, columns } = table;
	const known = await to
		.prepare(`select count(*) as count, max(rowid) as last from "${name}" where ${goesAlong(name, prefixes)}`)
		.first<{ count: number; last: number | null }>();
	let rows = known?.count ?? 0;
	const all = ["rowid", ...columns];
	const names = all.map((column) => `"${column}"`).join(", ");
	const put = to.prepare(`insert into "${name}" (${names}) ${selectLines(all)} on conflict do nothing`);
	const lines = (async function* () {
		const after = known?.last ? known.last - RAISED_BY : 0;
		for await (const page of pagesOfRows(from, table, { after, upTo: null }, goesAlong(name, prefixes)))
			for (const { number, row } of page) yield JSON.stringify({ rowid: number + RAISED_BY, ...row });
	})();
	for await (const batch of batchesOfLines(lines)) {
		await put.bind(`[${batch.join(",")}]`).run();
		rows += batch.length;
	}
	return rows;
}

/** How many rows of a table move, and the SHA-256 of all of them in order. */
async function digestOf(database: D1Database, table: MovedTable, prefixes: string[]): Promise<string> {
	const hash = createHash("sha256");
	let count = 0;
	for await (const page of pagesOfRows(database, table, { after: 0, upTo: null }, goesAlong(table.name, prefixes))) {
		for (const { row } of page) hash.update(`${JSON.stringify(row)}\n`);
		count += page.length;
	}
	return `${count} rows, SHA-256 ${hash.digest("hex")}`;
}

/** Where the codes of a country are to move. @throws Error if nothing can be moved, which says why and what to do. */
async function waysOf({ databases, country }: MoveOptions): Promise<Way[]> {
	const opening = Array.from(databases, ([binding, database]) => homeDatabase(binding, askOf(database)));
	const homes = await Promise.all(opening);
	const claims = readDatabases([...databases.keys()]);
	const wanted = [...claims].filter(([prefix]) => prefix.startsWith(country));
	if (wanted.length === 0)
		throw new Error(
			`wrangler.toml binds no database for ${country}. Add one: [[d1_databases]] with binding = "DB_${country}", a database_name and migrations_dir = "migrations".`,
		);
	const ways: Way[] = [];
	for (const binding of new Set(wanted.map(([, binding]) => binding))) {
		const target = homes.find((home) => home.binding === binding)!;
		const claimed = [...claims].flatMap(([prefix, claimant]) => (claimant === binding ? [prefix] : []));
		const states = claimed.map((prefix) => target.homes.get(prefix));
		if (states.every((state) => state === "here")) continue;
		if (states.includes("here"))
			throw new Error(
				`${binding} holds other codes already (${claimed.filter((_, index) => states[index] === "here").join(", ")}). Bind an empty database for those that are to move.`,
			);
		// Where they are until now: where the country's codes would belong without this binding.
		const from = claims.get(country) !== binding ? (claims.get(country) ?? ACCOUNTS) : ACCOUNTS;
		if (!states.includes("arriving") && (await holdsAny(binding, databases.get(binding)!)))
			throw new Error(`The database bound as ${binding} holds addresses already. Bind an empty one.`);
		ways.push({ from, to: binding, prefixes: claimed });
	}
	if (ways.length === 0)
		throw new Error(`The codes of ${country} are at home where they belong. There is nothing to move.`);
	return ways;
}

/** Whether a database holds the address of anybody. @throws Error for one without the tables of this version. */
async function holdsAny(binding: string, database: D1Database): Promise<boolean> {
	const table = await database.prepare("select 1 from sqlite_master where type = 'table' and name = 'homes'").first();
	if (!table)
		throw new Error(
			`The database bound as ${binding} lacks the tables of this version. Make them by \`npx wrangler d1 migrations apply ${binding}\`, with --remote for the one on Cloudflare.`,
		);
	return isUsed(database);
}

/** Sets the state that a database records for some codes and, once their move has ended, when that was. */
async function setState(database: D1Database, prefixes: string[], state: HomeState, endedAt?: number): Promise<void> {
	const ends = database.prepare("update homes set served_since = ? where prefix = ?");
	await database.batch([
		database.prepare(writeHomes(prefixes, state)),
		...(endedAt === undefined ? [] : prefixes.map((prefix) => ends.bind(endedAt, prefix))),
	]);
}

/**
 * Copies from the database of accounts which owners of addresses here are closed, or were. What is newer here stays: Workers write it too.
 */
async function copyClosings({ databases }: MoveOptions, to: D1Database): Promise<void> {
	const columns = ["owner_id", "closed_at", "changed_at"];
	const put = to.prepare(
		`insert into closed_owners (${columns.join(", ")}) ${selectLines(columns)}
		and exists (select 1 from addresses where owner_id = json_extract(value, '$.owner_id'))
		on conflict (owner_id) do update set closed_at = excluded.closed_at, changed_at = excluded.changed_at,
			is_told = 0, told_created_at = 0, told_canonical = '' where excluded.changed_at > closed_owners.changed_at`,
	);
	const table = { name: "closed_owners", columns };
	for await (const page of pagesOfRows(databases.get(ACCOUNTS)!, table, { after: 0, upTo: null }))
		await put.bind(JSON.stringify(page.map(({ row }) => row))).run();
}

/** Copies and compares what moves, while nobody can change it. At the end it is marked as having left. */
async function copy(options: MoveOptions, way: Way, from: D1Database, to: D1Database): Promise<void> {
	const { report, databases, bucket } = options;
	await requireTogether([{ name: way.from, database: from, bucket }]);
	const { homes } = await homeDatabase(way.to, askOf(to));
	// It is empty, and may have taken the place of one that was not.
	if (homes.get(way.prefixes[0]!) !== "arriving") await settleTogether({ name: way.to, database: to, bucket });
	await setState(from, way.prefixes, "moving");
	await setState(to, way.prefixes, "arriving");
	report(`${way.prefixes.join(", ")}: from ${way.from} to ${way.to}. Codes resolve meanwhile, and cannot be changed.`);
	const tables = await movedTables(from);
	for (const table of tables) {
		const rows = await copyTable(from, to, table, way.prefixes);
		report(`${table.name}: ${rows.toLocaleString("en")} rows copied`);
	}
	for (const table of tables.filter(({ name }) => !CHANGING.includes(name))) {
		const [before, after] = await Promise.all([from, to].map((each) => digestOf(each, table, way.prefixes)));
		if (before !== after)
			throw new Error(
				`${table.name} differs: ${way.from} has ${before}, and ${way.to} has ${after}. Nothing was deleted. Empty the database bound as ${way.to} by making it anew, and run the move again.`,
			);
		report(`${table.name}: the same in both, ${after}`);
	}
	// The owners' lists find their addresses by it.
	await notePlaces(databases.get(ACCOUNTS)!, from, way.to, goesAlong("addresses", way.prefixes));
	await copyClosings(options, to);
	// From here on the copy can say that a code has no address.
	await to.exec("update homes set served_since = coalesce(served_since, 0) where state = 'arriving'");
	await setState(from, way.prefixes, "left");
}

/** Deletes what has been copied, with the snapshots that were made of it. */
async function deleteMoved(from: D1Database, { prefixes }: Way, report: ShowProgress): Promise<void> {
	const tables = Object.keys(CODES).filter((name) => !STAYING.includes(name));
	// An address last: it names its other rows.
	for (const name of tables.toReversed()) {
		const some = from.prepare(
			`delete from "${name}" where rowid in (select rowid from "${name}" where ${goesAlong(name, prefixes)} limit ${DELETED_AT_ONCE})`,
		);
		let deleted = 0;
		for (;;) {
			const { meta } = await some.run();
			deleted += meta.changes;
			// Triggers are counted too.
			if (meta.changes === 0) break;
		}
		if (deleted > 0) report(`${name}: deleted where they were`);
	}
}

/**
 * Takes the move of a country as far as is possible now: copies its addresses or, once they are read from the copy alone, deletes the
 * originals and allows changes again.
 * @returns Whether it is done; if not, a deployment has to follow.
 * @throws Error if nothing can be moved, or the copy differs.
 */
export async function moveCountry(options: MoveOptions): Promise<boolean> {
	const { databases, bucket, report, isServedAtOnce, now = Date.now } = options;
	const ways = await waysOf(options);
	let isDone = true;
	for (const way of ways) {
		const [from, to] = [databases.get(way.from) as D1Database, databases.get(way.to) as D1Database];
		const { homes } = await homeDatabase(way.from, askOf(from));
		if (!way.prefixes.every((prefix) => homes.get(prefix) === "left")) await copy(options, way, from, to);
		const row = await to
			.prepare("select min(coalesce(served_since, 0)) as since from homes where state = 'arriving'")
			.first<{ since: number }>();
		const since = isServedAtOnce ? 1 : (row?.since ?? 0);
		if (since === 0) {
			isDone = false;
			report(`${way.to} holds all of them. Run \`npm run deploy\` now, and this command again after it.`);
			continue;
		}
		const left = isServedAtOnce ? 0 : since + OLD_WORKERS - now();
		if (left > 0) {
			report(`Waiting ${Math.ceil(left / 1000)} s for Workers of the version before to end.`);
			await new Promise((resolve) => setTimeout(resolve, left));
		}
		// Accounts may have been closed before the deployment, by Workers that did not know the new database.
		await copyClosings(options, to);
		// A snapshot watches the database that it was made from.
		await bucket.delete(SNAPSHOT_FILES);
		await deleteMoved(from, way, report);
		await setState(from, way.prefixes, "left", now());
		await setState(to, way.prefixes, "here", now());
		report(`${way.prefixes.join(", ")}: at home in ${way.to}, and can be changed again.`);
	}
	return isDone;
}
