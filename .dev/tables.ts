/** The tables of a registry's database as a backup sees them: whatever tables there are, row by row, without knowing their meaning. */

/** Rows read at a time. */
const PAGE_ROWS = 1_000;

/** A table that a backup keeps. */
export interface Table {
	name: string;
	columns: string[];
	/** Columns that may be null. */
	nullable: string[];
	primaryKey: string[];
	/** Whether the database refuses to change a row, as in tables that are only ever added to. */
	isAppendOnly: boolean;
}

/** Names of migrations, which say what the tables look like. */
export async function migrationsOf(database: D1Database): Promise<string[]> {
	const { results } = await database
		.prepare("select name from d1_migrations order by id")
		.all<{ name: string }>()
		.catch((cause) => {
			throw new Error("The database has no migrations. Run `npm run deploy`, or `npm start` for a local one, first.", {
				cause,
			});
		});
	return results.map(({ name }) => name);
}

/** All tables but those that D1 and its migrations keep for themselves. */
export async function tablesOf(database: D1Database): Promise<Table[]> {
	const { results } = await database
		.prepare(
			`select name, exists (select 1 from sqlite_master as trigger where trigger.type = 'trigger' and trigger.tbl_name = main.name
				and trigger.sql like '%before update%raise%') as append_only
			from sqlite_master as main
			where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like '\\_cf\\_%' escape '\\' and name <> 'd1_migrations'
			order by name`,
		)
		.all<{ name: string; append_only: number }>();
	const tables: Table[] = [];
	for (const { name, append_only } of results) {
		const { results: columns } = await database
			.prepare(`select name, pk, "notnull" from pragma_table_info(?)`)
			.bind(name)
			.all<{ name: string; pk: number; notnull: number }>();
		tables.push({
			name,
			columns: columns.map((column) => column.name),
			nullable: columns.filter((column) => column.notnull === 0 && column.pk === 0).map((column) => column.name),
			primaryKey: columns.filter((column) => column.pk > 0).map((column) => column.name),
			isAppendOnly: append_only === 1,
		});
	}
	return tables;
}

/** A row as one line of JSON. @throws Error for a BLOB, which JSON cannot hold. */
function lineOf(table: string, row: Record<string, unknown>): string {
	for (const [column, value] of Object.entries(row)) {
		if (typeof value === "object" && value !== null)
			throw new Error(`${table}.${column} holds a BLOB, which a backup cannot keep`);
	}
	return JSON.stringify(row);
}

/** Some rows, each as a line of JSON, and where the next ones start. */
export interface Page {
	lines: string[];
	/** The greatest `rowid` among them. */
	lastRow: number;
}

/**
 * The rows of a table in the order in which they were added, from just after the row `after`. Rows that are added meanwhile come
 * last, so none is missed.
 */
export async function* pagesOf(
	database: D1Database,
	{ name, columns }: Pick<Table, "name" | "columns">,
	after = 0,
): AsyncGenerator<Page> {
	const list = columns.map((column) => `"${column}"`).join(", ");
	const select = database.prepare(
		`select rowid as "rowid of the page", ${list} from "${name}" where rowid > ? order by rowid limit ${PAGE_ROWS}`,
	);
	for (let last = after; ; ) {
		const { results } = await select.bind(last).all<Record<string, unknown>>();
		const lines = results.map(({ "rowid of the page": rowid, ...row }) => {
			last = Number(rowid);
			return lineOf(name, row);
		});
		if (lines.length > 0) yield { lines, lastRow: last };
		if (lines.length < PAGE_ROWS) return;
	}
}

/** The columns that a line of JSON holds. */
export function columnsOf(line: string): string[] {
	return Object.keys(JSON.parse(line) as object);
}

/** `select` of the rows in the bound JSON array of lines, each value as the type it had. */
export function selectLines(columns: string[]): string {
	const values = columns.map((column) => `json_extract(value, '$."${column}"')`).join(", ");
	return `select ${values} from json_each(?) where true`;
}
