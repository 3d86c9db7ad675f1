/** The databases beside DB that tests bind by the names that route codes to them. */
import { env } from "cloudflare:workers";
import type { Bindings } from "../../src/env.ts";
import { readDatabases } from "../../src/settings/database-bindings.ts";
import { databaseThrough } from "./database.ts";

const NAMES = ["NG_01234", "NG_56789", "KE"] as const;

const bound = env as unknown as Record<string, D1Database | undefined>;

/** The databases apart by the names of their bindings. */
export const databasesApart: Record<string, D1Database> = Object.fromEntries(
	NAMES.map((name) => [`DB_${name}`, (bound[`DB_${name}`] ?? bound[`APART_${name}`]) as D1Database]),
);

/** Settings under which the addresses of Nigeria and Kenya lie apart from accounts. */
export const several = databasesApart as unknown as Partial<Bindings>;

export const allDatabases: D1Database[] = [env.DB, ...Object.values(databasesApart)];

/** Whether the suite runs over several databases (test/vitest.config.ts). */
export const isApart = "DB_KE" in env;

/** The databases that the suite runs over. */
export const allOfSuite: D1Database[] = isApart ? allDatabases : [env.DB];

/** Notes in each database which codes are at home in it, as `npm run deploy` does. */
export async function fillHomes(): Promise<void> {
	const all = readDatabases(Object.keys(databasesApart));
	const note = (database: D1Database, prefix: string, state: string) =>
		database.prepare("insert or replace into homes (prefix, state) values (?, ?)").bind(prefix, state).run();
	for (const [prefix, name] of all) {
		await note(databasesApart[name] as D1Database, prefix, "here");
		if (isApart) await note(env.DB, prefix, "left");
	}
}

/** The database of the addresses of a zone, as the suite is run. */
export function databaseOf(country: string, zone: string): D1Database {
	const name = country === "KE" ? "DB_KE" : /[0-4]/.test(zone.charAt(0)) ? "DB_NG_01234" : "DB_NG_56789";
	const apart = country === "KE" || country === "NG" ? databasesApart[name] : undefined;
	return isApart && apart ? apart : env.DB;
}

/** Bindings of all databases of the suite, each of whose calls goes through `around`. */
export function databasesThrough(around: Parameters<typeof databaseThrough>[0]): Partial<Bindings> {
	const apart = isApart ? Object.entries(databasesApart) : [];
	const through = [["DB", env.DB] as const, ...apart].map(([name, real]) => [name, databaseThrough(around, real)]);
	return Object.fromEntries(through);
}

/** Rows of a statement in one of them. */
export async function rowsIn(database: D1Database, query: string, ...values: unknown[]) {
	const { results } = await database
		.prepare(query)
		.bind(...values)
		.all<Record<string, unknown>>();
	return results;
}
