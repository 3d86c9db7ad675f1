/** All SQL on the queue of addresses whose newest version is not in the journal yet. Triggers fill the queue (migration 0001). */
import { sql } from "drizzle-orm";
import { insertRow, isAmong } from "../db/rows.ts";
import { addresses, journalQueue, journalWritten, units } from "../db/schema.ts";
import { type Parameters, query, type Statement, statement } from "../db/statement.ts";

/** A row of `addresses`, with every column that there is under its name in the database. */
export interface AddressRow extends Record<string, unknown> {
	canonical: string;
	version: number;
	/** The rows of its units as JSON. Journal entries from before units existed lack it. */
	units?: string;
}

/** The queued addresses with all columns and their units. */
const queuedRows = () => {
	const row = sql`${addresses}.*, (
		select json_group_array(json_object('unit', unit, 'label', label, 'created_at', created_at, 'name', name))
		from ${units} where ${units}.canonical = ${addresses}.canonical
	) as units`;
	return query
		.select({ row })
		.from(journalQueue)
		.innerJoin(addresses, sql`${addresses.canonical} = ${journalQueue.canonical}`);
};

/** The same statement, with rows under the column names of the database. */
const asStored = (statement: Statement): Statement<AddressRow[]> => ({
	...statement,
	read: ({ results }) => results as AddressRow[],
});

const longestQueued = statement(({ count }: Parameters<{ count: number }>) =>
	queuedRows().orderBy(sql`${journalQueue}.rowid`).limit(count),
);
const queuedOf = statement(({ codes }: Parameters<{ codes: string[] }>) =>
	queuedRows().where(isAmong(journalQueue.canonical, codes)),
);

/** Up to `count` addresses of the queue, the longest waiting first. */
export const queued = (count: number) => asStored(longestQueued({ count }));

/** Those of some addresses that are queued. */
export const queuedAmong = (codes: string[]) => asStored(queuedOf({ codes }));

/** Since when the oldest entry of the queue has waited, in milliseconds since the epoch. */
export const queuedSince = statement(() =>
	query.select({ queuedAt: journalQueue.queuedAt }).from(journalQueue).orderBy(sql`rowid`).limit(1),
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
