/** All SQL on the queue of accounts whose last change is not in the journal yet. Triggers fill the queue (migration 0004). */
import { sql } from "drizzle-orm";
import { insertRow } from "../db/rows.ts";
import { accountQueue, apiKeys, ERASING, journalWritten, users } from "../db/schema.ts";
import { type Parameters, query, type Statement, statement } from "../db/statement.ts";
import { isWritable } from "../db/writable.ts";

/**
 * What the journal records of an account: everything its holder or an operator may end or replace. Fields have the names of their columns.
 */
export interface AccountState {
	id: string;
	phone: string | null;
	phone_verified: number;
	password_hash: string;
	recovery_hash: string | null;
	role: string;
	disabled_at: number | null;
	erase_at: number | null;
	/** How many times all the links that it made were ended at once. */
	share_count: number;
	/** Its keys as JSON: `id`, `revoked_at` and `scopes` of each. */
	keys: string;
}

/** A state and its version, which orders the states of an account, and that of the newer entry that was found in the bucket. */
export type QueuedAccount = AccountState & { version: number; newer_entry: number | null };

const longestQueued = statement(({ count }: Parameters<{ count: number }>) => {
	const row = sql`id, phone, phone_verified, password_hash, recovery_hash, role, disabled_at, erase_at, share_count, version, newer_entry,
		(select json_group_array(json_object('id', id, 'revoked_at', revoked_at, 'scopes', scopes))
			from ${apiKeys} where user_id = ${users}.id) as keys`;
	return query
		.select({ row })
		.from(accountQueue)
		.innerJoin(users, sql`${users.id} = ${accountQueue.userId}`)
		.where(sql`erase_at is not ${ERASING} and ${isWritable}`)
		.orderBy(sql`newer_entry is not null, ${accountQueue}.rowid`)
		.limit(count);
});

/**
 * Up to `count` queued accounts, the longest waiting first. An account whose erasure has begun is left out; it leaves the queue with its
 * row.
 */
export const queuedAccounts = (count: number): Statement<QueuedAccount[]> => ({
	...longestQueued({ count }),
	read: ({ results }) => results as QueuedAccount[],
});

/** Notes which version of its entry each account does not follow, unless the account has changed since. */
export const noteNewerAccounts = statement(
	({ newer }: Parameters<{ newer: (readonly [id: string, version: number, newer: number])[] }>) =>
		query
			.update(accountQueue)
			.set({ newerEntry: sql`(select value ->> 2 from json_each(${newer}) where value ->> 0 = user_id)` })
			.where(sql`(user_id, version) in (select value ->> 0, value ->> 1 from json_each(${newer}))`),
);

/** The written accounts, each with its version. */
interface Written {
	written: (readonly [id: string, version: number])[];
}

const isWritten = (written: unknown) =>
	sql`(user_id, version) in (select value ->> 0, value ->> 1 from json_each(${written}))`;
const noteWritten = statement(({ written }: Parameters<Written>) =>
	insertRow(
		journalWritten,
		{ id: sql`user_id`, version: sql`version` },
		sql`from ${accountQueue} where ${isWritten(written)}`,
	).onConflictDoUpdate({
		target: journalWritten.id,
		set: { version: sql`max(journal_written.version, excluded.version)` },
	}),
);
const leaveQueue = statement(({ written }: Parameters<Written>) =>
	query.delete(accountQueue).where(isWritten(written)),
);

/** Takes accounts out of the queue unless they have changed again, and records which versions the journal has. */
export function dequeueAccounts(rows: QueuedAccount[]) {
	const written = rows.map(({ id, version }) => [id, version] as const);
	return { noted: noteWritten({ written }), settled: leaveQueue({ written }) };
}
