import { getTableColumns, is, type Placeholder, SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { type Parameters, query, type Statement, statement } from "./statement.ts";

/**
 * A row to insert, by the names of its columns in schema.ts. Every column is named, those with a default and those that may be null
 * too, so that the compiler points at each insert when a column is added.
 */
type NewRow<Table extends SQLiteTable> = {
	[Column in keyof Table["$inferSelect"]]: Table["$inferSelect"][Column] | SQL | Placeholder;
};

/**
 * Inserts one row by the names of its columns. A key that is no column does not compile. All inserts use this, because Drizzle's own
 * `insert ... select` matches values to columns by position only, and its `values` omits what is not given.
 * @param source What follows the values: a condition for the insert (`where exists ...`), or tables that some of the values come from
 * (`from ... where ...`). A source that ends without `where` would swallow an `on conflict` after it.
 */
export function insertRow<Table extends SQLiteTable, Row extends NewRow<Table>>(
	table: Table,
	row: Row & Record<Exclude<keyof Row, keyof NewRow<Table>>, never>,
	source: SQL = sql`where true`,
) {
	const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
		const value = row[name as keyof NewRow<Table>];
		return is(value, SQL) ? value : sql.param(value, column);
	});
	return query.insert(table).select(sql`select ${sql.join(values, sql`, `)} ${source}`);
}

/** Updates columns of all rows that meet a condition, by the names of the columns in schema.ts. */
export function updateRows<Table extends SQLiteTable>(
	table: Table,
	values: Partial<NewRow<Table>>,
	condition: SQL | undefined,
) {
	return query
		.update(table)
		.set(values as SQLiteUpdateSetSource<Table>)
		.where(condition);
}

/** A statement that deletes up to `count` rows of a table that meet a condition, whose result is their number. */
export function deletion<Values extends object>(
	table: SQLiteTable,
	condition: (parameters: Parameters<Values>) => SQL,
): (values: Values & { count: number }) => Statement<number> {
	return statement((values: Parameters<Values & { count: number }>) => {
		const some = sql`select rowid from ${table} where ${condition(values)} limit ${values.count}`;
		return query.delete(table).where(sql`rowid in (${some})`);
	});
}

/** A number as part of a statement's text, as for a constant that no caller chooses. */
export function literal(value: number): SQL {
	return sql.raw(String(value));
}

/** The condition that a table has a row that meets one. */
export function hasRow(table: SQLiteTable, condition: SQL | undefined): SQL {
	return sql`exists (select 1 from ${table} where ${condition})`;
}

/** The condition that a column has one of the values of a list. */
export function isAmong(column: SQLiteColumn, list: unknown): SQL {
	return sql`${column} in (select value from json_each(${list}))`;
}
