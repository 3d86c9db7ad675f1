import { sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { addresses, journalQueue, units } from "../db/schema.ts";

/** A row of `addresses` with every column under its name in the database, whatever columns there are. */
export interface AddressRow extends Record<string, unknown> {
	canonical: string;
	version: number;
	/** The rows of its units as JSON. Entries of the journal from before there were units lack it. */
	units?: string;
}

/** All columns, and the units, which belong to their address. */
const ROW = sql`${addresses}.*, (
	select json_group_array(json_object('unit', unit, 'label', label, 'created_at', created_at))
	from ${units} where ${units}.canonical = ${addresses}.canonical
) as units`;

/**
 * All SQL on the queue of addresses whose newest version is not in the journal yet. Triggers fill it (migration 0001).
 */
export function journalStoreOf(db: Database) {
	return {
		/** Up to `count` addresses of the queue, the longest waiting first. */
		queued: (count: number): Promise<AddressRow[]> =>
			db.all<AddressRow>(
				sql`select ${ROW} from ${journalQueue} join ${addresses} on ${addresses.canonical} = ${journalQueue.canonical}
					order by ${journalQueue}.rowid limit ${count}`,
			),

		/** Those of some addresses that are in the queue. */
		queuedAmong: (canonicals: string[]): Promise<AddressRow[]> =>
			db.all<AddressRow>(
				sql`select ${ROW} from ${journalQueue} join ${addresses} on ${addresses.canonical} = ${journalQueue.canonical}
					where ${journalQueue.canonical} in (select value from json_each(${JSON.stringify(canonicals)}))`,
			),

		/** Takes addresses out of the queue, unless they have a newer version by now. */
		async settle(rows: Pick<AddressRow, "canonical" | "version">[]): Promise<void> {
			const written = JSON.stringify(rows.map(({ canonical, version }) => [canonical, version]));
			await db.run(
				sql`delete from ${journalQueue} where (canonical, version) in (select value ->> 0, value ->> 1 from json_each(${written}))`,
			);
		},
	};
}
