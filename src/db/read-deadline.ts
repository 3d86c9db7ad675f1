import { beforeDeadline } from "../deadline.ts";

/**
 * The message of a read that is given up. It is worded as D1's own, so that it is answered like the other failures of the
 * database (retry.ts).
 */
const GIVEN_UP = "D1_ERROR: timed out before it answered";

const isRead = (query: string) => /^\s*(select|with)\b/i.test(query);

/**
 * A database whose reads are given up after a while, because D1 may take half a minute to notice its own trouble. Writes are left
 * to end: what is given up may have been written.
 * @param milliseconds How long a read may take.
 */
export function withReadDeadline<Source extends Pick<D1Database, "prepare" | "batch">>(
	database: Source,
	milliseconds: number,
): D1Database {
	const inner = new WeakMap<object, { real: D1PreparedStatement; isRead: boolean }>();
	const limited = <Answer>(isLimited: boolean, work: Promise<Answer>) =>
		isLimited ? beforeDeadline(work, milliseconds, GIVEN_UP) : work;
	const wrap = (real: D1PreparedStatement, reads: boolean): D1PreparedStatement => {
		const outer = {
			bind: (...values: unknown[]) => wrap(real.bind(...values), reads),
			run: () => limited(reads, real.run()),
			all: () => limited(reads, real.all()),
			raw: (options: { columnNames: true }) => limited(reads, real.raw(options)),
			first: (column: string) => limited(reads, column === undefined ? real.first() : real.first(column)),
		} as D1PreparedStatement;
		inner.set(outer, { real, isRead: reads });
		return outer;
	};
	return {
		prepare: (query: string) => wrap(database.prepare(query), isRead(query)),
		batch: <Row>(statements: D1PreparedStatement[]) => {
			const known = statements.map((outer) => inner.get(outer) ?? { real: outer, isRead: false });
			const work = database.batch<Row>(known.map(({ real }) => real));
			return limited(
				known.every(({ isRead }) => isRead),
				work,
			);
		},
	} as D1Database;
}
