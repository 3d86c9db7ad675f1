/** Reading from several databases at once: with one, each of these is the trip that it would be anyway. */
import type { Database } from "./open.ts";
import { inOneTrip, type ResultOf, type Statement, type Statements } from "./statement.ts";

/**
 * Runs the same reads in each of some databases, side by side.
 * @throws What any of them throws: nobody gets a list from which some are missing.
 */
export function inEach<const Work extends Statement | Statements>(
	databases: readonly Database[],
	work: Work,
): Promise<ResultOf<Work>[]> {
	return Promise.all(databases.map((db) => inOneTrip(db, work)));
}

/**
 * The rows of several databases in one order, the first `limit` of them. What a move has copied and not yet deleted stands in two of them,
 * and comes once.
 * @param compare Finds two rows equal where they are the same.
 */
export function merged<Row>(
	lists: readonly Row[][],
	compare: (one: Row, other: Row) => number,
	limit = Number.POSITIVE_INFINITY,
): Row[] {
	const [only = []] = lists;
	if (lists.length < 2) return only;
	const rows = lists.flat().sort(compare);
	return rows.filter((row, index) => index === 0 || compare(rows[index - 1] as Row, row) !== 0).slice(0, limit);
}

/** Orders rows by a number, the highest first, and those of one number by a name, the last in the alphabet first. */
export function latestBy<Row>(timeOf: (row: Row) => number, nameOf: (row: Row) => string) {
	return (one: Row, other: Row) =>
		timeOf(other) - timeOf(one) || (nameOf(one) < nameOf(other) ? 1 : nameOf(one) > nameOf(other) ? -1 : 0);
}
