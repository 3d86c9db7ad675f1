/** All SQL on the queue of addresses whose newest version is not in the journal yet. Triggers fill it (migration 0001). */
import { sql } from "drizzle-orm";
import { isAmong } from "../db/rows.ts";
import { addresses, journalQueue, units } from "../db/schema.ts";
import { type Parameters, query, type Statement, statement } from "../db/statement.ts";

/** A row of `addresses` with every column under its name in the database, whatever columns there are. */
export interface AddressRow extends Record<string, unknown> {
	canonical: string;
	version: number;
	/** The rows of its units as JSON. Entries of the journal from before there were units lack it. */
	units?: string;
}

/** Addresses of the queue with all columns and their units, which belong to them. */
const queuedRows = () => {
	const row = sql`${addresses}.*, (
		select json_group_array(json_object('unit', unit, 'label', label, 'created_at', created_at))
		from ${units} where ${units}.canonical = ${addresses}.canonical
	) as units`;
	return query
		.select({ row })
		.from(journalQueue)
		.innerJoin(addresses, sql`${addresses.canonical} = ${journalQueue.canonical}`);
};

/** The same statement, whose result are the rows under the names of the database. */
const asStored = (statement: Statement): Statement<AddressRow[]> => ({
	...statement,
	read: ({ results }) => results as AddressRow[],
});

const longestQueued = statement(({ count }: Parameters<{ count: number }>) =>
	queuedRows().orderBy(sql`${journalQueue}.rowid`).limit(count),
);
const queuedOf = statement(({ codes }: Parameters<{ codes: string }>) =>
	queuedRows().where(isAmong(journalQueue.canonical, codes)),
);

/** Up to `count` addresses of the queue, the longest waiting first. */
export const queued = (count: number) => asStored(longestQueued({ count }));

/** Those of some addresses that are in the queue. */
export const queuedAmong = (canonicals: string[]) => asStored(queuedOf({ codes: JSON.stringify(canonicals) }));

const settleWritten = statement(({ written }: Parameters<{ written: string }>) =>
	query
		.delete(journalQueue)
		.where(sql`(canonical, version) in (select value ->> 0, value ->> 1 from json_each(${written}))`),
);

/** Takes addresses out of the queue, unless they have a newer version by now. */
export const settle = (rows: Pick<AddressRow, "canonical" | "version">[]) =>
	settleWritten({ written: JSON.stringify(rows.map(({ canonical, version }) => [canonical, version])) });
