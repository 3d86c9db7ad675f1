import { and, desc, eq, inArray, isNull, lt, lte, notInArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Database, readInTime } from "../db/open.ts";
import { retryIdempotent } from "../db/retry.ts";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import {
	allowances,
	apiKeys,
	dailyCounts,
	ERASING,
	erasedAccounts,
	operatorActs,
	otpCodes,
	pendingPhones,
	phoneProofs,
	refreshTokens,
	sessions,
	users,
} from "../db/schema.ts";
import { keyedHash } from "../hash.ts";

type PersonalDataStore = ReturnType<typeof createPersonalDataStore>;

/** Everything on a person in the database of accounts. */
export type PersonalData = NonNullable<Awaited<ReturnType<PersonalDataStore["allOf"]>>>;

/** All SQL on everything held about a person: reading it, closing the account, erasing it. */
export function createPersonalDataStore(db: Database) {
	/** The daily counts of a person, whose id and a colon stand in front: `;` follows `:` in ASCII. */
	const isCountedFor = (userId: SQL) =>
		sql`${dailyCounts.subject} > ${userId} || ':' and ${dailyCounts.subject} < ${userId} || ';'`;

	return {
		/** Everything on a user, newest first; undefined when there is none. One round trip. */
		async allOf(userId: string) {
			const reading = db.batch([
				db.select().from(users).where(eq(users.id, userId)),
				db.select().from(sessions).where(eq(sessions.userId, userId)).orderBy(desc(sessions.createdAt)),
				db.select().from(apiKeys).where(eq(apiKeys.userId, userId)).orderBy(desc(apiKeys.createdAt)),
				db.select().from(phoneProofs).where(eq(phoneProofs.userId, userId)).orderBy(desc(phoneProofs.provedAt)),
				db.select().from(otpCodes).where(eq(otpCodes.userId, userId)).orderBy(desc(otpCodes.sentAt)),
				db
					.select()
					.from(dailyCounts)
					.where(isCountedFor(sql`${userId}`))
					.orderBy(desc(dailyCounts.day)),
				db
					.select({ at: operatorActs.at, act: operatorActs.act })
					.from(operatorActs)
					.where(eq(operatorActs.userId, userId))
					.orderBy(desc(operatorActs.at)),
			]);
			const [[user], ofSessions, ofKeys, ofProofs, ofCodes, ofCounts, ofActs] = await readInTime(db, reading);
			return (
				user && {
					user,
					sessions: ofSessions,
					keys: ofKeys,
					phoneProofs: ofProofs,
					oneTimeCodes: ofCodes,
					dailyCounts: ofCounts,
					operatorActs: ofActs,
				}
			);
		},

		/**
		 * Closes an account and ends its sessions, in one transaction: triggers hide its addresses, and its keys are refused while it is
		 * closed. False when the password is no longer what was proved.
		 * @param eraseAt When it is to be erased, in milliseconds since the epoch.
		 */
		async close(userId: string, provedHash: string, eraseAt: number, now: number): Promise<boolean> {
			const proved = and(eq(users.id, userId), eq(users.passwordHash, provedHash));
			const isClosed = and(proved, eq(users.eraseAt, eraseAt));
			const isOpenSession = and(eq(sessions.userId, userId), isNull(sessions.revokedAt), hasRow(users, isClosed));
			const [, , rows] = await retryIdempotent(() =>
				db.batch([
					updateRows(
						db,
						users,
						{ eraseAt, shareCount: sql`${users.shareCount} + 1` },
						and(proved, isNull(users.eraseAt)),
					),
					updateRows(db, sessions, { revokedAt: now }, isOpenSession),
					db.select({ id: users.id }).from(users).where(isClosed),
				]),
			);
			return rows.length === 1;
		},

		/** Up to `count` accounts that were to be used by `now`, and whether each has a key or a session. */
		async dueForUse(now: number, count: number): Promise<{ id: string; isUsed: boolean }[]> {
			// A bare `id` would be that of the key or session: drizzle names no table in a query of one.
			const isUsed = sql<number>`exists (select 1 from ${apiKeys} where ${apiKeys.userId} = ${users}."id")
				or exists (select 1 from ${sessions} where ${sessions.userId} = ${users}."id")`;
			const rows = await db
				.select({ id: users.id, isUsed: isUsed.as("is_used") })
				.from(users)
				.where(lte(users.unusedUntil, now))
				.limit(count);
			return rows.map((row) => ({ id: row.id, isUsed: row.isUsed === 1 }));
		},

		/** Has some accounts erased that were never used, and leaves the others among them alone for good. Returns the number of accounts. */
		async closeUnused(userIds: string[], used: ReadonlySet<string>, now: number): Promise<number> {
			const ids = (chosen: string[]) => sql`(select value from json_each(${JSON.stringify(chosen)}))`;
			const unused = userIds.filter((id) => !used.has(id));
			const eraseAt = sql`case when ${users.id} in ${ids(unused)} then ${now} else ${users.eraseAt} end`;
			// Whoever has signed in since they were read uses theirs.
			const isStillDue = and(inArray(users.id, ids(userIds)), lte(users.unusedUntil, now));
			await updateRows(db, users, { eraseAt, unusedUntil: null }, isStillDue);
			return userIds.length;
		},

		/**
		 * Up to `count` closed accounts whose time has come by `now`. From then on no sign-in opens them again, not even one that began before
		 * their time came (userStoreOf).
		 */
		async due(now: number, count: number): Promise<string[]> {
			const some = db
				.select({ id: users.id })
				.from(users)
				.where(lte(users.eraseAt, now))
				.orderBy(users.eraseAt)
				.limit(count);
			const rows = await updateRows(db, users, { eraseAt: ERASING }, inArray(users.id, some)).returning({
				id: users.id,
			});
			return rows.map(({ id }) => id);
		},

		/** Forgets up to `count` accounts that were erased before a time: no backup that has them is kept. Returns their number. */
		async forgetErasedBefore(time: number, count: number): Promise<number> {
			// Rows are in the order of time, so that the oldest tell.
			const oldest = sql`rowid in (select rowid from ${erasedAccounts} order by rowid limit ${count})`;
			return (await db.delete(erasedAccounts).where(and(oldest, lt(erasedAccounts.erasedAt, time)))).meta.changes;
		},

		/**
		 * Erases those of some accounts whose time has come by `now`, with everything on them in this database except their random ids, in one
		 * transaction. Their addresses must be gone already, because nobody would own them. Of accounts that are not there, what is left goes.
		 * @param secret Names them, by a hash that it keys, where operators acted on them.
		 */
		async erase(userIds: string[], now: number, secret: Uint8Array): Promise<void> {
			if (userIds.length === 0) return;
			const ids = sql`(select value from json_each(${JSON.stringify(userIds)}))`;
			const names = JSON.stringify(
				Object.fromEntries(userIds.map((id) => [id, keyedHash(secret, "erased account", id)])),
			);
			const name = sql`json_extract(${names}, '$.' || ${operatorActs.userId})`;
			// The users go first: phone proofs may go only where there is no account any more.
			const gone = (column: SQLiteColumn) =>
				and(inArray(column, ids), notInArray(column, db.select({ id: users.id }).from(users)));
			const endedSessions = db.select({ id: sessions.id }).from(sessions).where(gone(sessions.userId));
			const isDue = and(inArray(users.id, ids), lte(users.eraseAt, now));
			await db.batch([
				insertRow(
					db,
					erasedAccounts,
					{ userId: sql`${users.id}`, erasedAt: now },
					sql`from ${users} where ${isDue}`,
				).onConflictDoNothing(),
				db.delete(users).where(isDue),
				db.delete(refreshTokens).where(inArray(refreshTokens.sessionId, endedSessions)),
				db.delete(sessions).where(gone(sessions.userId)),
				db.delete(apiKeys).where(gone(apiKeys.userId)),
				db.delete(otpCodes).where(gone(otpCodes.userId)),
				db.delete(phoneProofs).where(gone(phoneProofs.userId)),
				db.delete(pendingPhones).where(gone(pendingPhones.userId)),
				db.delete(allowances).where(gone(allowances.userId)),
				db.update(operatorActs).set({ reason: "", subject: name, userId: name }).where(gone(operatorActs.userId)),
				db.delete(dailyCounts).where(
					sql`rowid in (select counted.rowid from ${ids} as given cross join ${dailyCounts} as counted
							where counted.subject > given.value || ':' and counted.subject < given.value || ';')`,
				),
			]);
		},
	};
}
