import { type SQL, sql } from "drizzle-orm";
import { AppError } from "../errors.ts";
import { type Parameters, query, refusing, type Statement, statement } from "./statement.ts";

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

/** What a statement throws where what its work was made from has changed since it was read: `madeAnew` reads it again. */
export class Outdated extends AppError {
	constructor() {
		super("UNAVAILABLE", "Others are changing the same thing right now. Try again in a second.", {
			headers: { "Retry-After": "1" },
		});
	}
}

/** How often work is made from what has changed meanwhile. */
const TIMES_MADE_MAX = 5;

/**
 * Does work that is made from what it reads, anew where that has changed before the work is done: at most five times.
 * @throws AppError UNAVAILABLE where it still changes; besides, what the work throws.
 */
export async function madeAnew<Result>(work: () => Promise<Result>): Promise<Result> {
	for (let time = 1; ; time += 1) {
		try {
			return await work();
		} catch (error) {
			if (time === TIMES_MADE_MAX || !(error instanceof Outdated)) throw error;
		}
	}
}

/** What makes the error that stands for a refusal. */
type ErrorOfRefusal = () => Error | Promise<Error>;

/**
 * Statements that refuse where a condition does not hold: what follows them in the batch is not done then.
 * @param error What they throw, unless the one who runs them says another.
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

/** The error of what is done already. */
export const nothingChanged = () => new AppError("INVALID_REQUEST", "Already done. Nothing was changed or recorded.");

/** A statement that refuses where the one before it in the batch has written no row. */
export const assertChanged = assertion(() => sql`changes() > 0`, "nothing changed", nothingChanged);
