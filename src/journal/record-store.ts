/** All SQL on entries that the record of the journal does not list yet, and on the id of the registry. */
import { sql } from "drizzle-orm";
import { journalWritten, registryIdentity } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";

/** Up to `count` codes and accounts that the record does not name yet, in their newest written version. */
export const unnamed = statement(({ count }: Parameters<{ count: number }>) =>
	query.select().from(journalWritten).orderBy(sql`rowid`).limit(count),
);

/** Deletes what the record lists by now, unless a newer version was written. */
export const forgetNamed = statement(({ named }: Parameters<{ named: (readonly [id: string, version: number])[] }>) =>
	query.delete(journalWritten).where(sql`(id, version) in (select value ->> 0, value ->> 1 from json_each(${named}))`),
);

/** The random id of the registry. */
export const identity = statement(() => query.select().from(registryIdentity));
