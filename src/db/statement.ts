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

/** Statements that run together, in this order, each under the name of its result. */
export type Statements = Readonly<Record<string, Statement>>;

/** The result of a statement, or those of several by their names. */
export type ResultOf<Work extends Statement | Statements> =
	Work extends Statement<infer Result>
		? Result
		: { -readonly [Name in keyof Work]: Work[Name] extends Statement<infer Result> ? Result : never };

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
 * @param build Makes the query with parameters instead of values.
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
 * Runs statements of one database in one trip to it and, where they are several, in one transaction, behind a check if there is
 * one. Where all of them only read, it tries again when the database did not answer. What writes is for the caller to run again
 * (`retryIdempotent`), who knows whether it may.
 */
export async function inOneTripBehind<const Work extends Statement | Statements, Checked>(
	check: Statement<Checked> | undefined,
	work: Work,
): Promise<{ checked: Checked | undefined; result: ResultOf<Work> }> {
	const isAlone = isStatement(work);
	const statements = isAlone ? [work] : Object.values(work);
	const all = check ? [check, ...statements] : statements;
	const [first] = all;
	if (all.some(({ db }) => db !== first?.db)) throw new Error("Statements of two databases cannot run together");
	const bound = all.map((statement) => statement.bind());
	const run = async () => (bound[0] && bound.length === 1 ? [await bound[0].all()] : first?.db.$client.batch(bound));
	const answers = (await (all.every(({ isRead }) => isRead) ? retryIdempotent(run) : run())) ?? [];
	const checked = check?.read(answers.shift() as D1Result);
	const results = statements.map((statement, index) => statement.read(answers[index] as D1Result));
	const result = isAlone
		? results[0]
		: Object.fromEntries(Object.keys(work).map((name, index) => [name, results[index]]));
	return { checked, result: result as ResultOf<Work> };
}

/** Runs a statement, or several in one transaction, whose results have their names; as `inOneTripBehind` does. */
export async function inOneTrip<const Work extends Statement | Statements>(work: Work): Promise<ResultOf<Work>> {
	return (await inOneTripBehind(undefined, work)).result;
}

function isStatement(work: Statement | Statements): work is Statement {
	return typeof work.bind === "function";
}
