/** The databases beside DB that tests bind by the names that route codes to them. */
import { env } from "cloudflare:workers";
import type { Bindings } from "../../src/env.ts";

const NAMES = ["NG_01234", "NG_56789", "KE"] as const;

const bound = env as unknown as Record<string, D1Database | undefined>;

/** The databases apart by the names of their bindings. */
export const databasesApart: Record<string, D1Database> = Object.fromEntries(
	NAMES.map((name) => [`DB_${name}`, (bound[`DB_${name}`] ?? bound[`APART_${name}`]) as D1Database]),
);

/** Settings under which the addresses of Nigeria and Kenya lie apart from accounts. */
export const several = databasesApart as unknown as Partial<Bindings>;

export const allDatabases: D1Database[] = [env.DB, ...Object.values(databasesApart)];

/** Rows of a statement in one of them. */
export async function rowsIn(database: D1Database, query: string, ...values: unknown[]) {
	const { results } = await database
		.prepare(query)
		.bind(...values)
		.all<Record<string, unknown>>();
	return results;
}
