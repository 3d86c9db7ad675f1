/** What tests read and write in the database behind the registry's back. */
import { env } from "cloudflare:workers";

/** Runs a statement and returns its rows. */
export async function sql<Row = Record<string, unknown>>(query: string, ...values: unknown[]): Promise<Row[]> {
	const statement = env.DB.prepare(query).bind(...values);
	return (await statement.all<Row>()).results;
}

/** The first row of a query, undefined where there is none. */
export async function row<Row = Record<string, unknown>>(
	query: string,
	...values: unknown[]
): Promise<Row | undefined> {
	return (await sql<Row>(query, ...values))[0];
}

/** The first column of the first row of a query. */
export async function value(query: string, ...values: unknown[]): Promise<unknown> {
	return Object.values((await row(query, ...values)) ?? {})[0];
}

/** How many rows of a table have a value in a column. */
export function countOf(table: string, column: string, held: unknown): Promise<unknown> {
	return value(`select count(*) from ${table} where ${column} = ?`, held);
}
