/** Reads from several databases at once. With one database, each of these is a single round trip. */
import type { Database } from "./open.ts";
import { inOneTrip, type ResultOf, type Statement, type Statements } from "./statement.ts";

/**
 * Runs the same reads in each of some databases, in parallel.
 * @throws If any of them fails, so that no list is incomplete.
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

/** Compares rows by a number and then by a name, both in descending order. */
export function latestBy<Row>(timeOf: (row: Row) => number, nameOf: (row: Row) => string) {
	return (one: Row, other: Row) =>
		timeOf(other) - timeOf(one) || (nameOf(one) < nameOf(other) ? 1 : nameOf(one) > nameOf(other) ? -1 : 0);
}
