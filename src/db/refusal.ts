import { type SQL, sql } from "drizzle-orm";
import { AppError } from "../errors.ts";
import { type Parameters, query, refusing, type Statement, statement } from "./statement.ts";

/**
 * An expression that fails its statement, and with it the whole batch, with an error that names a reason: nothing in the batch is
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

/** Thrown when data has changed since it was read, as in optimistic locking: `retryOnConflict` reads it again and retries. */
export class StaleRead extends AppError {
	constructor() {
		super("UNAVAILABLE", "Others are changing the same thing right now. Try again in a second.", {
			headers: { "Retry-After": "1" },
		});
	}
}

/** How many times work is tried against concurrent changes. */
const TIMES_MADE_MAX = 5;

/**
 * Does work that depends on what it reads, and retries it if that has changed meanwhile: at most five times in all.
 * @throws AppError UNAVAILABLE if it still changes; besides, what the work throws.
 */
export async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
	for (let time = 1; ; time += 1) {
		try {
			return await work();
		} catch (error) {
			if (time === TIMES_MADE_MAX || !(error instanceof StaleRead)) throw error;
		}
	}
}

/** Makes the error that a refusal is reported as. */
type ErrorOfRefusal = () => Error | Promise<Error>;

/**
 * Statements that fail the batch unless a condition holds.
 * @param error What they throw, unless the caller passes another error.
 */
export function assertion<Values extends object>(
	condition: (parameters: Parameters<Values>) => SQL,
	reason: string,
	error?: ErrorOfRefusal,
): (values: Values, instead?: ErrorOfRefusal) => Statement {
	const asserting = statement((parameters: Parameters<Values>) => {
		const holds = sql`case when ${condition(parameters)} then 1 else ${refuse(reason)} end`.as("holds");
		return query.select({ holds }).from(ONE_ROW);
	});
	return (values, instead = error) => {
		const asserted = asserting(values);
		return instead ? refusing(asserted, { [reason]: instead }) : asserted;
	};
}

/** The error of an act that changes nothing. */
export const nothingChanged = () => new AppError("INVALID_REQUEST", "Already done. Nothing was changed or recorded.");

/** A statement that fails the batch if the one before it has written no row. */
export const assertChanged = assertion(() => sql`changes() > 0`, "nothing changed", nothingChanged);

/** A statement that fails the batch if the one before it has written a row. */
export const assertUnchanged = assertion(() => sql`changes() = 0`, "something changed");
