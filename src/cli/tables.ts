/** The tables of a registry's database as a backup sees them: whatever tables there are, row by row, without knowing their meaning. */

import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";

/** Rows read at a time. */
const PAGE_ROWS = 1_000;

/** A table that backups contain. */
export interface Table {
	name: string;
	columns: string[];
	/** Columns that may be null. */
	nullable: string[];
	primaryKey: string[];
	/** The column that is SQLite's own row number (`rowid`); undefined if no column is. */
	rowNumber: string | undefined;
	/** Whether the database refuses to change a row, as in tables that are only ever added to. */
	isAppendOnly: boolean;
	/** For each unique index, its columns that may be null: without them, a row clashes with no other in that index. */
	claims: string[][];
}

/**
 * All tables that a backup contains. Left out are those that D1, its migrations and a restore have for themselves; the queues of the
 * journal, since what is in a backup need not be in the journal; the identity, which the manifest has; the feed of changes, which begins
 * again after a restore; and the homes of codes, which the deployment writes.
 * @throws Error for a column of BLOBs, which JSON cannot hold.
 */
export async function tablesOf(database: D1Database): Promise<Table[]> {
	const { results } = await database
		.prepare(
			`select main.name as "table", exists (select 1 from sqlite_master as trigger where trigger.type = 'trigger' and trigger.tbl_name = main.name
				and trigger.sql like '%before update%raise%' and trigger.name not like '%\\_at\\_home\\_%' escape '\\') as append_only, info.name as name, info.type as type, pk, "notnull"
			from sqlite_master as main join pragma_table_info(main.name) as info
			where main.type = 'table' and main.name not like 'sqlite\\_%' escape '\\' and main.name not like '\\_cf\\_%' escape '\\'
				and main.name not in ('d1_migrations', 'journal_queue', 'account_journal_queue', 'journal_written', 'registry_identity', 'changes', 'homes')
				and main.name not like 'restoring\\_%' escape '\\'
			order by main.name, info.cid`,
		)
		.all<{ table: string; append_only: number; name: string; type: string; pk: number; notnull: number }>();
	const blob = results.find(({ type }) => /blob/i.test(type));
	if (blob) throw new Error(`${blob.table}.${blob.name} holds BLOBs, which a backup cannot store`);
	const { results: indexed } = await database
		.prepare(
			`select main.name as "table", of_table.name as "index", of_index.name as name
			from sqlite_master as main join pragma_index_list(main.name) as of_table join pragma_index_info(of_table.name) as of_index
			where main.type = 'table' and main.name not like '\\_cf\\_%' escape '\\' and of_table."unique" = 1 order by of_table.name`,
		)
		.all<{ table: string; index: string; name: string | null }>();
	return [...Map.groupBy(results, ({ table }) => table)].map(([name, columns]) => {
		const primaryKey = columns.filter((column) => column.pk > 0);
		const nullable = columns.filter((column) => column.notnull === 0 && column.pk === 0).map((column) => column.name);
		// A part of an index that is an expression has no name.
		const claimed = indexed.filter((part) => part.table === name && nullable.includes(part.name ?? ""));
		return {
			name,
			columns: columns.map((column) => column.name),
			nullable,
			claims: [...Map.groupBy(claimed, ({ index }) => index).values()].map((parts) =>
				parts.map((part) => part.name ?? ""),
			),
			primaryKey: primaryKey.map((column) => column.name),
			rowNumber: primaryKey.length === 1 && primaryKey[0]!.type === "INTEGER" ? primaryKey[0]!.name : undefined,
			isAppendOnly: columns[0]!.append_only === 1,
		};
	});
}

/** Whether a unique index has the values of a row for another one. Which index, SQLite says in one of several ways. */
export const isTaken = (error: unknown) => String(error).includes("UNIQUE constraint failed");

/** A range of rows by their `rowid`: those after `after`, up to `upTo`. */
export interface RowRange {
	after: number;
	/** Null for all that follow, including those that are added meanwhile. */
	upTo: number | null;
}

/** The ranges in which each table is read, each of at most `size` rows; the last has no end. An empty table has none. */
export async function rangesOf(database: D1Database, tables: Table[], size: number): Promise<Map<Table, RowRange[]>> {
	const found = await database.batch<{ first: number | null; last: number | null }>(
		tables.map(({ name }) => database.prepare(`select min(rowid) as first, max(rowid) as last from "${name}"`)),
	);
	return new Map(
		tables.map((table, index) => {
			const { first = null, last = null } = found[index]?.results[0] ?? {};
			if (first === null || last === null) return [table, []];
			const ranges: RowRange[] = [];
			let after = first - 1;
			for (; after + size < last; after += size) ranges.push({ after, upTo: after + size });
			return [table, [...ranges, { after, upTo: null }]];
		}),
	);
}

/** A row, with SQLite's own number for it (`rowid`). */
interface NumberedRow {
	number: number;
	row: Record<string, unknown>;
}

/**
 * The rows of a range in the order in which they were added, a page at a time.
 * @param condition The SQL condition that limits them.
 */
export async function* pagesOfRows(
	database: D1Database,
	{ name, columns }: Pick<Table, "name" | "columns">,
	{ after, upTo }: RowRange,
	condition = "true",
): AsyncGenerator<NumberedRow[]> {
	const list = columns.map((column) => `"${column}"`).join(", ");
	// Sandbox addresses are short-lived and never leave their registry. The fixed ones are in every registry.
	const isLasting = columns.includes("canonical")
		? `canonical not between '${SANDBOX_COUNTRY}0001' and '${SANDBOX_COUNTRY}['`
		: "true";
	const select = database.prepare(
		`select rowid as "rowid of the page", ${list} from "${name}" where rowid > ? and rowid <= ?
		and ${isLasting} and ${condition} order by rowid limit ${PAGE_ROWS}`,
	);
	for (let last = after; ; ) {
		const { results } = await select.bind(last, upTo ?? Number.MAX_SAFE_INTEGER).all<Record<string, unknown>>();
		const page = results.map(({ "rowid of the page": number, ...row }) => ({ number: Number(number), row }));
		if (page.length > 0) yield page;
		if (page.length < PAGE_ROWS) return;
		last = page.at(-1)!.number;
	}
}

/** The columns that a line of JSON holds. */
export function columnsOf(line: string): string[] {
	return Object.keys(JSON.parse(line) as object);
}

/**
 * The `select` of the rows in a bound JSON array of lines, each value with its original type.
 * @param instead Expressions that replace columns; `value` is the line.
 */
export function selectLines(columns: string[], instead: Record<string, string> = {}): string {
	const values = columns.map((column) => instead[column] ?? `json_extract(value, '$."${column}"')`).join(", ");
	return `select ${values} from json_each(?) where true`;
}
