import { fillPlaceholders, type Placeholder, type Query, sql } from "drizzle-orm";
import type { Database } from "./open.ts";
import { retryIdempotent } from "./retry.ts";

/** Stands in a statement for the values that are given each time it runs. */
export type Parameters<Values> = { readonly [Name in keyof Values]: Placeholder<string, Values[Name]> };

/** A statement with its values, ready to run alone or together with others of its database. */
export interface Statement<Result = unknown> {
	readonly db: Database;
	/** Whether it only reads, so that it may run again at any time. */
	readonly isRead: boolean;
	readonly bind: () => D1PreparedStatement;
	/** What D1 answered, as rows of the schema's types. */
	readonly read: (answer: D1Result) => Result;
}

/** What statements return that run together, each in its place. */
export type Results<Statements extends readonly Statement[]> = {
	-readonly [Index in keyof Statements]: Statements[Index] extends Statement<infer Result> ? Result : never;
};

/** A query of Drizzle, of whatever kind. */
interface Buildable<Result> {
	readonly _: { readonly result: Result };
	prepare(): { getQuery(): Query; mapResult(answer: unknown, isFromBatch: boolean): unknown };
}

/** Any parameter by its name. */
const parameters = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) });

/**
 * Prepares a statement once, when it is first used, because building it costs Drizzle more than running it costs the database.
 * Its result names each column once: D1 returns the rows of a batch as objects.
 * @param build Makes the query with parameters in the place of values.
 * @returns The statement for given values.
 */
export function prepare<Values extends object, Result>(
	db: Database,
	build: (parameters: Parameters<Values>) => Buildable<Result>,
): (values: Values) => Statement<Result> {
	let prepared: ReturnType<Buildable<Result>["prepare"]> | undefined;
	return (values) => {
		prepared ??= build(parameters as Parameters<Values>).prepare();
		const query = prepared;
		const { sql: text, params } = query.getQuery();
		return {
			db,
			isRead: /^\s*select\b/i.test(text),
			bind: () => db.$client.prepare(text).bind(...fillPlaceholders(params, values as Record<string, unknown>)),
			read: (answer) => query.mapResult(answer, true) as Result,
		};
	};
}

/** A statement whose result is what `map` makes of another's. */
export function mapResult<From, To>(statement: Statement<From>, map: (result: From) => To): Statement<To> {
	return { ...statement, read: (answer) => map(statement.read(answer)) };
}

/** A statement that also tells whether the primary database has answered it, or a replica, which may be behind. */
export function tellingPrimary<Result>(
	statement: Statement<Result>,
): Statement<{ result: Result; isFromPrimary: boolean }> {
	const read = (answer: D1Result) => ({
		result: statement.read(answer),
		isFromPrimary: answer.meta.served_by_primary !== false,
	});
	return { ...statement, read };
}

/**
 * Runs statements of one database in one trip to it and, where they are several, in one transaction. Where all of them only read, it tries again
 * when the database did not answer. What writes is for the caller to run again (`retryIdempotent`), who knows whether it may.
 */
export async function inOneTrip<const Statements extends readonly Statement[]>(
	...statements: Statements
): Promise<Results<Statements>> {
	const [first] = statements;
	if (statements.some(({ db }) => db !== first?.db)) throw new Error("Statements of two databases cannot run together");
	const bound = statements.map((statement) => statement.bind());
	const run = async () => (bound[0] && bound.length === 1 ? [await bound[0].all()] : first?.db.$client.batch(bound));
	const answers = await (statements.every(({ isRead }) => isRead) ? retryIdempotent(run) : run());
	return statements.map((statement, index) => statement.read(answers?.[index] as D1Result)) as Results<Statements>;
}
