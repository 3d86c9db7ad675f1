/** All SQL on entries that the record of the journal does not list yet, and on the id of the registry and its checkpoint. */
import { sql } from "drizzle-orm";
import { accountQueue, journalWritten, registryIdentity } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";

/** Up to `count` codes and accounts that the record does not name yet, in their newest written version. */
export const unnamed = statement(({ count }: Parameters<{ count: number }>) =>
	query.select().from(journalWritten).orderBy(sql`rowid`).limit(count),
);

/** Deletes what the record lists by now, unless a newer version was written. */
export const forgetNamed = statement(({ named }: Parameters<{ named: (readonly [id: string, version: number])[] }>) =>
	query.delete(journalWritten).where(sql`(id, version) in (select value ->> 0, value ->> 1 from json_each(${named}))`),
);

/** The random id of the registry, the last checkpoint of the database, and what the last run found wrong. */
export const identity = statement(() => query.select().from(registryIdentity));

/** Gives the database its next checkpoint, and ends an incident, unless another run has done so since. */
export const advance = statement(
	({ from, number, mark }: Parameters<{ from: string | null; number: number; mark: string }>) =>
		query
			.update(registryIdentity)
			.set({ checkpoint: sql`${number}`, checkpointMark: sql`${mark}`, incident: null, incidentSince: null })
			.where(sql`checkpoint_mark is ${from}`),
);

/** Notes an incident, from now on by the database's own clock, unless the database has another checkpoint by now. */
export const noteIncident = statement(({ from, incident }: Parameters<{ from: string | null; incident: string }>) =>
	query
		.update(registryIdentity)
		.set({ incident: sql`${incident}`, incidentSince: sql`cast(unixepoch('subsec') * 1000 as integer)` })
		.where(sql`checkpoint_mark is ${from}`),
);

/** What the last run found wrong between a database and the bucket, and whether accounts wait although their entry is newer. */
export const incident = statement(() =>
	query
		.select({
			incident: registryIdentity.incident,
			isNewer: sql<0 | 1>`exists (select 1 from ${accountQueue} where newer_entry is not null)`.as("is_newer"),
		})
		.from(registryIdentity),
);
