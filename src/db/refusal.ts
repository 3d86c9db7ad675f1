import { type SQL, sql } from "drizzle-orm";
import { type Database, perDatabase } from "./open.ts";
import { type Parameters, prepare, query, type Refusals, refusalOf, type Statement, statement } from "./statement.ts";

export { type Refusals, refusalOf };

/**
 * An expression that ends its statement, and with it the whole batch, with an error that names a reason: nothing of the batch is
 * written. SQLite evaluates the arms of `case` and `coalesce` only as far as needed, so a condition in front of it decides.
 *
 * Outside triggers SQLite has no expression that raises a custom error; an invalid JSON path is the nearest, and its
 * error quotes the path.
 * @param reason Letters, digits, spaces and hyphens; or an expression that gives such a text.
 */
export function refuse(reason: string | SQL): SQL {
	return sql`json_extract('{}', 'refused: ' || ${typeof reason === "string" ? sql.raw(`'${reason}'`) : reason})`;
}

/** A table of one row, for statements that only compute. */
export const ONE_ROW = sql`(select 1)`;

/** A query that refuses for a reason where a condition does not hold: what follows it in the batch is not done then. */
export function assertThat(db: Pick<Database, "select"> | typeof query, condition: SQL, reason: string) {
	const holds = sql`case when ${condition} then 1 else ${refuse(reason)} end`.as("holds");
	return (db as Database).select({ holds }).from(ONE_ROW);
}

/**
 * A statement that refuses where a condition does not hold: what follows it in the batch is not done then.
 * @param error What it throws for the refusal.
 */
export function assertion<Values extends object>(
	condition: (parameters: Parameters<Values>) => SQL,
	reason: string,
	error: () => Error | Promise<Error>,
): (values: Values) => Statement {
	return statement((parameters: Parameters<Values>) => assertThat(query, condition(parameters), reason), {
		refuses: { [reason]: error },
	});
}

/** Why a statement refuses where the one before it changed nothing. */
export const NOTHING_CHANGED = "nothing changed";

/** A statement that refuses for NOTHING_CHANGED where the one before it in the batch has written no row. */
export const assertChanged = perDatabase((db) =>
	prepare(db, () => assertThat(db, sql`changes() > 0`, NOTHING_CHANGED)),
);

/** What a batch's errors are caught by: it throws the error that stands for the reason of a refusal, and any other as it is. */
export function explaining(refusals: Refusals) {
	return async (error: unknown): Promise<never> => {
		throw (await refusals[refusalOf(error) ?? ""]?.()) ?? error;
	};
}
