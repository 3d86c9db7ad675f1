import { sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { addresses, burntCodes, journalQueue } from "../db/schema.ts";

/** What was issued in a zone, such as `NG0421`, and the last code of it that was counted. */
interface CountedSlice {
	zone: string;
	issued: number;
	last: string;
}

/** SQL of the figures that operators are shown of all addresses at once. */
export function figuresStoreOf(db: Database) {
	const next = (table: typeof addresses | typeof burntCodes, after: string, count: number) =>
		sql`select canonical from (select ${table.canonical} as canonical from ${table} where ${table.canonical} > ${after}
			order by ${table.canonical} limit ${count})`;

	return {
		/** Counts the next `count` codes that were ever issued, from just after one on, by zone: fewer are the last. */
		countAfter: (after: string, count: number): Promise<CountedSlice[]> =>
			db.all<CountedSlice>(
				sql`select substr(canonical, 1, 6) as zone, count(*) as issued, max(canonical) as last from (
					${next(addresses, after, count)} union ${next(burntCodes, after, count)} order by canonical limit ${count})
					group by 1 order by 1`,
			),

		/** How many addresses wait to be written into the journal; no more than `max` are counted. */
		async unrecorded(max: number): Promise<number> {
			const [row] = await db.all<{ count: number }>(
				sql`select count(*) as count from (select 1 from ${journalQueue} limit ${max})`,
			);
			return row?.count ?? 0;
		},
	};
}
