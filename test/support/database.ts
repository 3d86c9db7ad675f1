/** Stands between the registry and its real database, for tests of what is slow, full, lost or counted. */
import { env } from "cloudflare:workers";

/** The real database, each of whose calls goes through `around` with the queries that it holds: a batch is one call. */
export function databaseThrough(
	around: <Answer>(work: () => Promise<Answer>, queries: string[]) => Promise<Answer>,
	real: D1Database = env.DB,
): D1Database {
	const inner = new WeakMap<object, { query: string; statement: D1PreparedStatement }>();
	const prepare = (query: string, statement = real.prepare(query)): D1PreparedStatement => {
		const outer = {
			bind: (...values: unknown[]) => prepare(query, statement.bind(...values)),
			run: () => around(() => statement.run(), [query]),
			all: () => around(() => statement.all(), [query]),
			raw: () => around(() => statement.raw(), [query]),
			first: () => around(() => statement.first(), [query]),
		} as D1PreparedStatement;
		inner.set(outer, { query, statement });
		return outer;
	};
	const batch = (outer: D1PreparedStatement[]) => {
		const held = outer.map((statement) => inner.get(statement)!);
		return around(
			() => real.batch(held.map(({ statement }) => statement)),
			held.map(({ query }) => query),
		);
	};
	const database = { prepare: (query: string) => prepare(query), batch, withSession: () => database };
	return database as unknown as D1Database;
}
