import { type DriverValueDecoder, fillPlaceholders, type Placeholder, type Query, sql } from "drizzle-orm";
import { drizzle, type SqliteRemoteResult } from "drizzle-orm/sqlite-proxy";
import { AppError } from "../errors.ts";
import { type Database, noteSize, readInTime } from "./open.ts";
import { messagesOf, retryIdempotent } from "./retry.ts";

/** Builds queries without running them: the runner is told in which database they run. */
export const query = drizzle(() => {
	throw new Error("Statements run in trips alone");
});

/** The placeholders of a statement, bound to values each time it runs. */
export type Parameters<Values> = { readonly [Name in keyof Values]-?: Placeholder<string, Values[Name]> };

/**
 * What a quota must know of an account. The database of accounts looks it up by itself. In any other, it is bound as the check of the
 * caller's credential has told it.
 */
export interface Standing {
	/** How many new addresses an operator allows it in a day; null means the usual number. */
	readonly allowance: number | null;
	/** When it was opened, in milliseconds since the epoch. */
	readonly openedAt: number | null;
}

/** A statement with its values, ready to run alone or in a batch, in any database that has its tables. */
export interface Statement<Result = unknown> {
	/** Whether it only reads. */
	readonly isRead: boolean;
	/** Whether it must not be retried after a lost response, because it is not idempotent. */
	readonly isOnce: boolean;
	readonly bind: (db: Database, standing?: Standing) => D1PreparedStatement;
	/** Whether it runs in the database of accounts, wherever the rest of its batch runs. */
	readonly isOfAccounts: boolean;
	/** What it spends if it writes: statements that run right behind it, in this order and in the same transaction. */
	readonly spends?: readonly Statement[];
	/** Decodes D1's result: rows of the schema's types or, if it returns none, how many were written. */
	readonly read: (answer: D1Result) => Result;
	/** The error for a reason of refusal (refusal.ts); undefined if the reason is another statement's. */
	readonly refusal: (reason: string) => Error | undefined | Promise<Error | undefined>;
}

/** The errors that refusals are reported as, by their reasons. */
type Refusals = Readonly<Record<string, () => Error | Promise<Error>>>;

/** The properties of a statement besides its SQL. */
interface Nature {
	/** The errors that it throws when it refuses. */
	refuses?: Refusals;
	/** It is not idempotent, such as a counter, so it is not retried after a lost response. Reads and all other writes are. */
	once?: true;
	/** It runs in the database of accounts, wherever the rest of its batch runs. */
	ofAccounts?: true;
}

/** The result of a query: its rows, or the number of those that it wrote. */
type ResultOfQuery<Result> = Result extends SqliteRemoteResult ? number : Result;

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

/** A prepared query of Drizzle. Drizzle's types hide `fields`: the columns of the result, each with the path of names to its value. */
interface Prepared {
	getQuery(): Query;
	fields?: { path: string[]; field: Decoder | { decoder: Decoder } | { sql: { decoder: Decoder } } }[];
}

type Decoder = DriverValueDecoder<unknown, unknown>;

/** A value as D1 binds it. Of a list, statements read the values with `json_each`. */
const bound = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : value);

/** Any parameter by its name. */
const parameters = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) });

/**
 * A statement that is prepared once, when it is first used, because building it costs Drizzle more than running it costs the database.
 * Its result names each column once: D1 returns the rows of a batch as objects.
 * @param build Makes the query with parameters instead of values.
 * @returns The statement for given values.
 */
export function statement<Values extends object, Result>(
	build: (parameters: Parameters<Values>) => Buildable<Result>,
	{ refuses = {}, once, ofAccounts }: Nature = {},
): (values: Values) => Statement<ResultOfQuery<Result>> {
	const open = () => {
		const prepared = build(parameters as Parameters<Values>).prepare();
		const { sql: text, params } = prepared.getQuery();
		return { text, params, isRead: /^\s*select\b/i.test(text), read: rowReader(prepared) };
	};
	let opened: ReturnType<typeof open> | undefined;
	return (values) => {
		opened ??= open();
		const { text, params, isRead, read } = opened;
		return {
			isRead,
			isOnce: once === true,
			isOfAccounts: ofAccounts === true,
			bind: ({ client }) =>
				client.prepare(text).bind(...fillPlaceholders(params, values as Record<string, unknown>).map(bound)),
			read: (answer) => read(answer) as ResultOfQuery<Result>,
			refusal: (reason) => refuses[reason]?.(),
		};
	};
}

/** The same statement with other errors for some reasons of refusal. */
export function refusing<Result>(statement: Statement<Result>, refuses: Refusals): Statement<Result> {
	return { ...statement, refusal: (reason) => refuses[reason]?.() ?? statement.refusal(reason) };
}

/** The same write, which spends what these statements count, in this order, if it writes a row. */
export function spending<Result>(write: Statement<Result>, spends: readonly Statement[]): Statement<Result> {
	return { ...write, spends: [...(write.spends ?? []), ...spends] };
}

/** The same statement, which runs in the database of accounts, wherever the rest of its batch runs. */
export function ofAccounts<Result>(statement: Statement<Result>): Statement<Result> {
	return { ...statement, isOfAccounts: true };
}

/** The statements that run in the database of accounts, and the others, under their names. */
export function partByDatabase(statements: Statements): { ofAccounts: Statements; others: Statements } {
	const part = (isOfAccounts: boolean) =>
		Object.fromEntries(Object.entries(statements).filter(([, statement]) => statement.isOfAccounts === isOfAccounts));
	return { ofAccounts: part(true), others: part(false) };
}

/** The same statement, which passes its result to a function when it has run. */
export function withResult<Result>(statement: Statement<Result>, show: (result: Result) => unknown): Statement<Result> {
	const read = (answer: D1Result) => {
		const result = statement.read(answer);
		show(result);
		return result;
	};
	return { ...statement, read };
}

/**
 * Reads rows as Drizzle's `mapResult` does, in a quarter of its time, because it looks up how a column is read once, and not for each
 * value of each row: a batch of 100 look-ups takes a tenth less CPU (test/bench/requests.ts, 1.48 times its own calls and not 1.64). An
 * object of several columns is null where its first one is, as that of a joined row that is not there. A query that returns none tells how
 * many it has written.
 */
function rowReader({ fields }: Prepared): (answer: D1Result) => unknown {
	if (!fields) return ({ meta }) => meta.changes;
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

/** A statement that also tells whether the primary database answered it, or a replica, which may be stale. */
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
 * Runs a statement, or several whose results have their names, in one round trip to a database; several run in one transaction, each with
 * what it spends right behind it. If all of them only read, there is a time limit. It retries if the database did not respond, unless one
 * of them is not idempotent.
 * @param standing What quotas must know of the account that spends, in a database other than that of accounts.
 * @throws What a statement refuses with (`Nature`); besides, what the database throws.
 */
export async function inOneTrip<const Work extends Statement | Statements>(
	db: Database,
	work: Work,
	standing?: Standing,
): Promise<ResultOf<Work>> {
	const asked = isStatement(work) ? [work] : Object.values(work);
	if (asked.length === 0) return {} as ResultOf<Work>;
	const statements = asked.flatMap((one) => [one, ...(one.spends ?? [])]);
	const bound = statements.map((statement) => statement.bind(db, standing));
	const run = async () => (bound[0] && bound.length === 1 ? [await bound[0].all()] : db.client.batch(bound));
	const isRead = statements.every(({ isRead }) => isRead);
	const attempt = () => (isRead ? readInTime(db, run()) : run());
	const mayRepeat = statements.every(({ isRead, isOnce }) => isRead || !isOnce);
	const running = mayRepeat ? retryIdempotent(attempt) : attempt();
	const answers = await running.catch(async (error) => Promise.reject(await refusedBy(statements, error)));
	noteSize(db, answers);
	const read = statements.map((statement, index) => statement.read(answers[index] as D1Result));
	const results = asked.map(({ spends = [] }) => read.splice(0, 1 + spends.length)[0]);
	const result = isStatement(work)
		? results[0]
		: Object.fromEntries(Object.keys(work).map((name, index) => [name, results[index]]));
	return result as ResultOf<Work>;
}

/** The reason of a refusal (refusal.ts); undefined for any other error. */
function refusalOf(error: unknown): string | undefined {
	for (const message of messagesOf(error)) {
		const [, reason] = /refused: ([\w -]+)/.exec(message) ?? [];
		if (reason) return reason;
	}
	return undefined;
}

/** The reason for which triggers refuse what is moving to another database (migration 0007). */
export const MOVING = "moving";

/** The error of a write in a database that is not the home of its code, or is not yet. */
const awayFromHome = () =>
	new AppError(
		"UNAVAILABLE",
		"Codes that begin so cannot be issued or changed right now, because their database is being moved or set up. Try again in a minute.",
		{ headers: { "Retry-After": "60" } },
	);

/** The error for a refusal by one of the statements; any other error unchanged. */
async function refusedBy(statements: Statement[], error: unknown): Promise<unknown> {
	const reason = refusalOf(error);
	if (reason === undefined) return error;
	if (reason === MOVING) return awayFromHome();
	for (const { refusal } of statements) {
		const refused = await refusal(reason);
		if (refused) return refused;
	}
	return error;
}

/** Whether work is one statement. */
export function isStatement(work: Statement | Statements): work is Statement {
	return typeof work.bind === "function";
}
