/** What tests read and write in the databases behind the registry's back. */
import { env } from "cloudflare:workers";
import { allDatabases, databaseOf, isApart } from "./databases.ts";

/** Tables that lie in the database of the code. */
const OF_ADDRESSES =
	/\b(addresses|address_changes|units|attestations|private_reads|reports|burnt_codes|last_codes|changes|journal_queue|overflow_zones|operator_acts|daily_counts)\b/;

/**
 * The databases that a statement concerns: where the suite runs over several, an insert goes to that of the first zone that its text or its
 * values name, and all else of addresses to each.
 */
function concerned(query: string, values: unknown[]): D1Database[] {
	if (!isApart || !OF_ADDRESSES.test(query)) return [env.DB];
	if (!/\binsert into\b/.test(query)) return allDatabases;
	const [, country = "", zone = "0000"] = /\b([A-Z]{2})(\d{4})?(?!\w*[a-z])/.exec([query, ...values].join(" ")) ?? [];
	return [databaseOf(country, zone)];
}

/** Runs a statement and returns its rows. */
export async function sql<Row = Record<string, unknown>>(query: string, ...values: unknown[]): Promise<Row[]> {
	const found = concerned(query, values).map((database) =>
		database
			.prepare(query)
			.bind(...values)
			.all<Row>(),
	);
	return (await Promise.all(found)).flatMap(({ results }) => results);
}

/** The first row of a query, undefined where there is none. */
export async function row<Row = Record<string, unknown>>(
	query: string,
	...values: unknown[]
): Promise<Row | undefined> {
	return (await sql<Row>(query, ...values))[0];
}

/** The first column of the first row of a query; of a count, the sum over all databases. */
export async function value(query: string, ...values: unknown[]): Promise<unknown> {
	const found = (await sql(query, ...values)).map((row) => Object.values(row as object)[0]);
	return /^select (count|sum)\(/.test(query) ? found.reduce((sum, count) => sum + Number(count), 0) : found[0];
}

/** How many rows of a table have a value in a column. */
export function countOf(table: string, column: string, held: unknown): Promise<unknown> {
	return value(`select count(*) from ${table} where ${column} = ?`, held);
}
