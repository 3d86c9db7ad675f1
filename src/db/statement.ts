import { type DriverValueDecoder, fillPlaceholders, type Placeholder, type Query, sql } from "drizzle-orm";
import { type Database, readInTime } from "./open.ts";
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
	prepare(): Prepared;
}

/** What Drizzle makes of it. Its types keep to themselves the columns of its result, each with the names that lead to its value. */
interface Prepared {
	getQuery(): Query;
	fields?: { path: string[]; field: Decoder | { decoder: Decoder } | { sql: { decoder: Decoder } } }[];
}

type Decoder = DriverValueDecoder<unknown, unknown>;

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
	const open = () => {
		const query = build(parameters as Parameters<Values>).prepare();
		const { sql: text, params } = query.getQuery();
		return { text, params, isRead: /^\s*select\b/i.test(text), read: rowReader(query) };
	};
	let prepared: ReturnType<typeof open> | undefined;
	return (values) => {
		prepared ??= open();
		const { text, params, isRead, read } = prepared;
		return {
			db,
			isRead,
			bind: () => db.$client.prepare(text).bind(...fillPlaceholders(params, values as Record<string, unknown>)),
			read: (answer) => read(answer) as Result,
		};
	};
}

/**
 * Reads rows as Drizzle's `mapResult` does, in a quarter of its time, because it looks up how a column is read once, and not for each
 * value of each row. An object of several columns is null where its first one is, as that of a joined row that is not there.
 */
function rowReader({ fields }: Prepared): (answer: D1Result) => unknown {
	if (!fields) return (answer) => answer;
	const columns = fields.map(({ path: [name = "", inner], field }) => {
		const decoder = "mapFromDriverValue" in field ? field : ("sql" in field ? field.sql : field).decoder;
		return { name, inner, decoder };
	});
	return ({ results }) =>
		results.map((row) => {
			const result: Record<string, unknown> = {};
			const values = Object.values(row as object);
			for (const [index, { name, inner, decoder }] of columns.entries()) {
				const value = values[index] === null ? null : decoder.mapFromDriverValue(values[index]);
				if (inner === undefined) result[name] = value;
				else if (!(name in result)) result[name] = value === null ? null : { [inner]: value };
				else if (result[name] !== null) (result[name] as Record<string, unknown>)[inner] = value;
			}
			return result;
		});
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
 * one. Where all of them only read, it gives up after a while, and tries again when the database did not answer. What writes is
 * for the caller to run again (`retryIdempotent`), who knows whether it may.
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
	const isRead = first && all.every(({ isRead }) => isRead);
	const answers = (await (isRead ? retryIdempotent(() => readInTime(first.db, run())) : run())) ?? [];
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
