/** All SQL on the queue of addresses whose newest version is not in the journal yet. Triggers fill the queue (migration 0001). */
import { sql } from "drizzle-orm";
import { ONE_ROW } from "../db/refusal.ts";
import { insertRow, isAmong } from "../db/rows.ts";
import { addresses, journalQueue, journalWritten, units } from "../db/schema.ts";
import { type Parameters, query, type Statement, statement } from "../db/statement.ts";
import { isWritable } from "../db/writable.ts";

/** A row of `addresses`, with every column that there is under its name in the database. */
export interface AddressRow extends Record<string, unknown> {
	canonical: string;
	version: number;
	/** The rows of its units as JSON. Journal entries from before units existed lack it. */
	units?: string;
}

/** A queued row, with the version of the newer entry that was found in the bucket. */
export type QueuedRow = AddressRow & { newer_entry: number | null };

/** The queued addresses with all columns and their units. */
const queuedRows = () => {
	const row = sql`${addresses}.*, (
		select json_group_array(json_object('unit', unit, 'label', label, 'created_at', created_at, 'name', name))
		from ${units} where ${units}.canonical = ${addresses}.canonical
	) as units, ${journalQueue.newerEntry}`;
	return query
		.select({ row })
		.from(journalQueue)
		.innerJoin(addresses, sql`${addresses.canonical} = ${journalQueue.canonical}`);
};

/** The same statement, with rows under the column names of the database. */
const asStored = (statement: Statement): Statement<QueuedRow[]> => ({
	...statement,
	read: ({ results }) => results as QueuedRow[],
});

const longestQueued = statement(({ count }: Parameters<{ count: number }>) =>
	queuedRows()
		.where(isWritable)
		.orderBy(sql`${journalQueue.newerEntry} is not null, ${journalQueue}.rowid`)
		.limit(count),
);
const queuedOf = statement(({ codes }: Parameters<{ codes: string[] }>) =>
	queuedRows().where(sql`${isAmong(journalQueue.canonical, codes)} and ${isWritable}`),
);

/** Up to `count` addresses of the queue, the longest waiting first, and those with a newer entry last. */
export const queued = (count: number) => asStored(longestQueued({ count }));

/** Those of some addresses that are queued. */
export const queuedAmong = (codes: string[]) => asStored(queuedOf({ codes }));

/** Since when the oldest row has waited, in milliseconds since the epoch, and whether one waits although its entry is newer. */
export const queueState = statement(() =>
	query
		.select({
			queuedAt: sql<number | null>`(select queued_at from ${journalQueue} order by rowid limit 1)`.as("queued_at"),
			isNewer: sql<0 | 1>`exists (select 1 from ${journalQueue} where newer_entry is not null)`.as("is_newer"),
		})
		.from(ONE_ROW),
);

/** Notes which version of its entry each row does not follow, unless the row has changed since. */
export const noteNewer = statement(
	({ newer }: Parameters<{ newer: (readonly [canonical: string, version: number, newer: number])[] }>) =>
		query
			.update(journalQueue)
			.set({ newerEntry: sql`(select value ->> 2 from json_each(${newer}) where value ->> 0 = canonical)` })
			.where(sql`(canonical, version) in (select value ->> 0, value ->> 1 from json_each(${newer}))`),
);

/** The written codes, each with its version. */
interface Written {
	written: (readonly [canonical: string, version: number])[];
}

const isWritten = (written: unknown) =>
	sql`(canonical, version) in (select value ->> 0, value ->> 1 from json_each(${written}))`;
const noteWritten = statement(({ written }: Parameters<Written>) =>
	insertRow(
		journalWritten,
		{ id: sql`canonical`, version: sql`version` },
		sql`from ${journalQueue} where ${isWritten(written)}`,
	).onConflictDoUpdate({
		target: journalWritten.id,
		set: { version: sql`max(journal_written.version, excluded.version)` },
	}),
);
const leaveQueue = statement(({ written }: Parameters<Written>) =>
	query.delete(journalQueue).where(isWritten(written)),
);

/**
 * Statements that take addresses out of the queue, unless they have a newer version by now, and note them for the record of the journal.
 */
export function dequeue(rows: Pick<AddressRow, "canonical" | "version">[]) {
	const written = rows.map(({ canonical, version }) => [canonical, version] as const);
	return { noted: noteWritten({ written }), settled: leaveQueue({ written }) };
}
