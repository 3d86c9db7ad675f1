/**
 * Putting rows of a backup and of the journal into tables that have some of them, whatever tables there are: each row gets its final
 * state in one statement, so that whoever is interrupted can begin again.
 */
import { partFile, type Report, readBackup } from "./backup.ts";
import { UNQUEUE } from "./import.ts";
import type { JournalSince } from "./journal-since.ts";
import { batchesOf, linesOf } from "./ndjson.ts";
import { columnsOf, selectLines, type Table, tablesOf } from "./tables.ts";

/** What is set once and holds from then on: a restore does not bring a retired address or a revoked key back to life. */
const SET_ONCE = [
	...["retired_at", "successor", "revoked_at", "consumed_at", "used_at"],
	...["accepted_at", "objected_at", "decision", "decided_at", "answered_at", "text_shown_at"],
];

/** What holders and operators may do and undo, such as closing or suspending an account: the newer state prevails, wherever it is. */
const LATEST = [
	...["erase_at", "closed_with_account", "disabled_at", "role"],
	...["new_addresses_per_day", "unknown_codes_per_minute"],
];

/** Tables that follow from the others, and are made again when they are needed. */
const DERIVED = ["last_codes"];

/** Addresses, accounts, what belongs to them, and what operators did: rows newer than the moment that one goes back to are put back. */
const PUT_BACK = [
	"addresses",
	"address_changes",
	"allowances",
	"attestations",
	"burnt_codes",
	"erased_accounts",
	"failed_logins",
	"operator_acts",
	"overflow_zones",
	"pending_phones",
	"phone_proofs",
	"private_reads",
	"reports",
	"units",
	"users",
];

/** What says that something must not come back, and is therefore put back before anything else. */
const GONE_FOR_GOOD = ["burnt_codes", "erased_accounts"];

/** The order of tables that others look into: what must not come back, then who may own an address, then the rest. */
const FIRST = [...GONE_FOR_GOOD, "users"];

/** How rows of a backup are put into a database that has some of them. */
export interface Merging {
	/** Which row prevails where both have one. */
	prevailing: "backup" | "database";
	/** Whether what was retired or revoked since comes back to life too. */
	isReviving: boolean;
}

/** How rows of the journal are put in: whole, and those of an account that is not there as private ones. */
export interface JournalMerging extends Merging {
	/** Whether a row stays that has a newer version than the journal's. */
	isNewerKept: boolean;
}

/** What a restore did. */
export interface Restored {
	/** Rows that the database took, by table. */
	rows: Record<string, number>;
	/** What could not be put back as it was, a sentence for each. */
	remarks: string[];
	/** Codes that are never issued again, because they were issued since and nobody knows where. */
	burnt: number;
}

/** What an insert does where the row is there already: nothing, unless a column of it changes. */
function onConflict(
	{ name, primaryKey, isAppendOnly }: Table,
	columns: string[],
	merging: Merging | JournalMerging,
): string {
	const { prevailing, isReviving } = merging;
	if (isAppendOnly) return "on conflict do nothing";
	const setOnce = isReviving ? [] : SET_ONCE;
	const ofBackup = (column: string) => isReviving || !LATEST.includes(column);
	const ofDatabase = (column: string) => !isReviving && (LATEST.includes(column) || SET_ONCE.includes(column));
	const changing = columns
		.filter((column) => !primaryKey.includes(column) && column !== "version")
		.filter(prevailing === "backup" ? ofBackup : ofDatabase);
	if (changing.length === 0) return "on conflict do nothing";
	const isIncomingNewer = prevailing === "database" || ("isNewerKept" in merging && merging.isNewerKept);
	const kept = (column: string) => {
		if (!setOnce.includes(column)) return `excluded."${column}"`;
		const once = `coalesce("${name}"."${column}", excluded."${column}")`;
		// What was retired with its account comes back with it.
		if (!isIncomingNewer || !columns.includes("closed_with_account")) return once;
		return `case when "${name}".closed_with_account then excluded."${column}" else ${once} end`;
	};
	const settings = changing.map((column) => `"${column}" = ${kept(column)}`);
	// An ETag is made of the version, so it must never stand for two states.
	if (columns.includes("version")) settings.push(`version = max("${name}".version, excluded.version) + 1`);
	const target = primaryKey.map((column) => `"${column}"`).join(", ");
	const isChanged = changing.map((column) => `"${name}"."${column}" is not ${kept(column)}`);
	const isOlder = "isNewerKept" in merging && merging.isNewerKept ? ` and "${name}".version < excluded.version` : "";
	return `on conflict (${target}) do update set ${settings.join(", ")} where (${isChanged.join(" or ")})${isOlder}`;
}

/** The columns of a unique index that a row ran into; undefined when it failed for another reason. */
function violatedColumns(error: unknown): string[] | undefined {
	const [, columns] = /UNIQUE constraint failed: ([\w., ]+)/.exec(String(error)) ?? [];
	return columns?.split(/, /).map((column) => column.trim().replace(/^.*\./, ""));
}

/** A restored address of an account that is not there any more: it waits for an operator to hand it to its holder, seen by nobody. */
const HIDDEN_WITHOUT_OWNER = {
	visibility: `case when exists (select 1 from users where id = json_extract(value, '$.owner_id'))
		then coalesce(json_extract(value, '$.visibility'), 'public') else 'private' end`,
};

/**
 * Gives addresses the units that the journal says they have, in place of those that are there, unless their rows are newer. It runs in the
 * transaction that puts the rows in, before they are.
 */
function replaceUnits(database: D1Database, { isNewerKept }: JournalMerging, text: string): D1PreparedStatement[] {
	const isWanted = isNewerKept
		? "not exists (select 1 from addresses where canonical = line.value ->> 'canonical' and version > line.value ->> 'version')"
		: "true";
	const lines = `from json_each(?) as line where line.value ->> 'units' is not null and ${isWanted}`;
	return [
		`delete from units where canonical in (select line.value ->> 'canonical' ${lines})`,
		`insert into units (canonical, unit, label, created_at)
			select canonical, named.value ->> 'unit', named.value ->> 'label', named.value ->> 'created_at'
			from (select line.value ->> 'canonical' as canonical, line.value ->> 'units' as units ${lines}) as kept, json_each(kept.units) as named
			where canonical not in (select canonical from burnt_codes)`,
	].map((statement) => database.prepare(statement).bind(text));
}

/**
 * The columns of a line that the table has. Rows of the journal may be older than the newest migration. The database's own number of a row
 * is not one: a database that was lost and lives on numbers other rows by it.
 */
function knownColumns(table: Table, line: string): string[] {
	return columnsOf(line).filter((column) => table.columns.includes(column) && column !== table.rowNumber);
}

/** Puts rows into a table. */
export async function mergeTable(
	database: D1Database,
	table: Table,
	lines: AsyncIterable<string>,
	merging: Merging | JournalMerging,
	restored: Restored,
): Promise<void> {
	restored.rows[table.name] ??= 0;
	const putTogether = async (some: string[]) => {
		const columns = knownColumns(table, some[0]!);
		const names = columns.map((column) => `"${column}"`).join(", ");
		const conditions = [selectLines(columns, "isNewerKept" in merging ? HIDDEN_WITHOUT_OWNER : {})];
		// What was erased stays erased, whatever the backup has of it.
		if (columns.includes("canonical") && table.name !== "burnt_codes")
			conditions.push("json_extract(value, '$.canonical') not in (select canonical from burnt_codes)");
		if (table.name === "users")
			conditions.push("json_extract(value, '$.id') not in (select user_id from erased_accounts)");
		if (merging.prevailing === "database" && !PUT_BACK.includes(table.name)) {
			const same = table.primaryKey.map((column) => `"${column}" = json_extract(value, '$."${column}"')`);
			conditions.push(`exists (select 1 from "${table.name}" where ${same.join(" and ")})`);
		}
		if (table.rowNumber) {
			const same = columns.map((column) => `"${column}" is json_extract(value, '$."${column}"')`).join(" and ");
			conditions.push(`not exists (select 1 from "${table.name}" where ${same})`);
		}
		const otherwise = table.rowNumber ? "" : onConflict(table, columns, merging);
		const statement = database.prepare(
			`insert into "${table.name}" (${names}) ${conditions.join(" and ")} ${otherwise}`,
		);
		const put = async (rows: string[]) => {
			const text = `[${rows.join(",")}]`;
			const queued = table.name === "addresses" ? [database.prepare(UNQUEUE).bind(text)] : [];
			const units = "isNewerKept" in merging ? replaceUnits(database, merging, text) : [];
			const done = await database.batch([...units, statement.bind(text), ...queued]);
			restored.rows[table.name]! += done[units.length]!.meta.changes;
		};
		try {
			await put(some);
		} catch (error) {
			if (!violatedColumns(error)) throw error;
			for (const line of some) await putAlone(table, line, put, restored);
		}
	};
	for await (const batch of batchesOf(lines)) {
		for (const alike of Map.groupBy(batch, (line) => knownColumns(table, line).join()).values())
			await putTogether(alike);
	}
}

/** Puts one row. What is unique and belongs to another row by now, such as a phone, is left out of it. */
async function putAlone(
	table: Table,
	line: string,
	put: (lines: string[]) => Promise<void>,
	restored: Restored,
): Promise<void> {
	try {
		await put([line]);
	} catch (error) {
		const taken = violatedColumns(error)?.filter((column) => table.nullable.includes(column));
		if (!taken) throw error;
		const row = JSON.parse(line) as Record<string, unknown>;
		const key = table.primaryKey.map((column) => row[column]).join(" ");
		if (taken.length === 0) {
			restored.remarks.push(`${table.name} ${key} was left out, because another row has taken its place.`);
			return;
		}
		for (const column of taken) row[column] = null;
		await put([JSON.stringify(row)]);
		restored.remarks.push(
			`${table.name} ${key} came back without ${taken.join(" and ")}, which another row has by now.`,
		);
	}
}

/** The lines of all parts of a table in a backup. */
async function* linesOfTable(folder: string, table: string, parts: number): AsyncGenerator<string> {
	for (let part = 0; part < parts; part += 1) yield* linesOf(partFile(folder, table, part));
}

/** Puts lines of a table in. */
export type Putting = (table: Table, lines: AsyncIterable<string>) => Promise<void>;

/**
 * Puts the rows of a backup into a registry, whatever it holds.
 * @param instead Puts the rows of a table instead, by its name.
 */
export async function mergeBackup(
	database: D1Database,
	folder: string,
	merging: Merging,
	restored: Restored,
	report: Report,
	instead: Readonly<Record<string, Putting>>,
): Promise<void> {
	const manifest = await readBackup(folder);
	const tables = (await tablesOf(database)).filter(({ name }) => manifest.tables[name] && !DERIVED.includes(name));
	const rank = ({ name }: Table) => FIRST.indexOf(name) + 1 || FIRST.length + 1;
	tables.sort((a, b) => rank(a) - rank(b));
	for (const table of tables) {
		const lines = linesOfTable(folder, table.name, manifest.tables[table.name]!.length);
		const putting = instead[table.name];
		if (putting) await putting(table, lines);
		else await mergeTable(database, table, lines, merging, restored);
		report(`${table.name}: ${restored.rows[table.name] ?? 0} rows put back`);
	}
}

/** Those lines whose codes are wanted. */
export async function* linesAmong(
	lines: AsyncIterable<string>,
	isWanted: (canonical: string) => boolean,
): AsyncGenerator<string> {
	for await (const line of lines) if (isWanted((JSON.parse(line) as { canonical: string }).canonical)) yield line;
}

/**
 * Puts addresses and their units back as the backup has them, or, where the journal has a newer version, as they were last. In one
 * transaction for each address, so that whoever is killed in between can begin again.
 */
export function mergeAddresses(
	database: D1Database,
	journal: JournalSince,
	merging: Merging,
	restored: Restored,
): { addresses: Putting; units: Putting } {
	const inBackup = new Set<string>();
	const newer = new Set<string>();
	const putAddresses: Putting = async (table, lines) => {
		async function* ofBackup(): AsyncGenerator<string> {
			for await (const line of lines) {
				const row = JSON.parse(line) as { canonical: string; version: number };
				const { canonical, version } = row;
				if (journal.versions.has(canonical)) inBackup.add(canonical);
				if (!merging.isReviving && (journal.versions.get(canonical) ?? 0) > version) newer.add(canonical);
				else if ((journal.unreadable.get(canonical) ?? 0) > version) {
					// It may be private by now.
					yield table.columns.includes("visibility") ? JSON.stringify({ ...row, visibility: "private" }) : line;
				} else {
					// The backup has what could not be read, or something newer.
					journal.unreadable.delete(canonical);
					yield line;
				}
			}
		}
		await mergeTable(database, table, ofBackup(), merging, restored);
		const asLast = { ...merging, isNewerKept: false };
		await mergeTable(
			database,
			table,
			linesAmong(linesOf(journal.file), (code) => newer.has(code)),
			asLast,
			restored,
		);
		const isSince = (code: string) => !inBackup.has(code);
		const since = linesAmong(linesOf(journal.file), isSince);
		await mergeTable(database, table, since, { ...merging, isNewerKept: true }, restored);
	};
	return {
		addresses: putAddresses,
		units: (table, lines) =>
			mergeTable(
				database,
				table,
				linesAmong(lines, (code) => !newer.has(code)),
				merging,
				restored,
			),
	};
}
