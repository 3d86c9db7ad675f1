/** All SQL on the figures of all addresses that operators are shown. */
import { sql } from "drizzle-orm";
import { addresses, burntCodes, journalQueue } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";

/** Selects the next `count` codes of a table after a given one. */
type Slice = Parameters<{ after: string; count: number }>;

const next = (table: typeof addresses | typeof burntCodes, { after, count }: Slice) =>
	sql`select canonical from (select ${table.canonical} as canonical from ${table} where ${table.canonical} > ${after}
		order by ${table.canonical} limit ${count})`;

/**
 * Counts the next `count` codes ever issued after a given one, by zone such as `NG0421`. Fewer than `count` in all mean that it was the
 * end.
 */
export const countAfter = statement((slice: Slice) =>
	query
		.select({
			zone: sql<string>`substr(canonical, 1, 6)`.as("zone"),
			issued: sql<number>`count(*)`.as("issued"),
			last: sql<string>`max(canonical)`.as("last"),
		})
		.from(sql`(${next(addresses, slice)} union ${next(burntCodes, slice)} order by canonical limit ${slice.count})`)
		.groupBy(sql`1`)
		.orderBy(sql`1`),
);

/** How many addresses wait to be written to the journal, counted up to `max`. */
export const unrecorded = statement(({ max }: Parameters<{ max: number }>) =>
	query.select({ count: sql<number>`count(*)`.as("count") }).from(sql`(select 1 from ${journalQueue} limit ${max})`),
);

/** When the oldest stored address was created, in milliseconds since the epoch. */
export const oldestAddress = statement(() =>
	query
		.select({ createdAt: addresses.createdAt })
		.from(addresses)
		.where(sql`owner_id <> 'usr_nobody'`)
		.orderBy(sql`rowid`)
		.limit(1),
);
