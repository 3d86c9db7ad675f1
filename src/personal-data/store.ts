import { and, desc, eq, inArray, isNull, lte, notInArray, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { insertRow } from "../db/insert.ts";
import type { Database } from "../db/open.ts";
import { retryIdempotent } from "../db/retry.ts";
import {
	apiKeys,
	dailyCounts,
	erasedAccounts,
	otpCodes,
	phoneProofs,
	refreshTokens,
	sessions,
	users,
} from "../db/schema.ts";

export type PersonalDataStore = ReturnType<typeof createPersonalDataStore>;

/** Everything on a person in the database of accounts. */
export type PersonalData = NonNullable<Awaited<ReturnType<PersonalDataStore["allOf"]>>>;

/** All SQL on what is held on a person as a whole: reading it, closing the account, erasing it. */
export function createPersonalDataStore(db: Database) {
	/** What the daily counts of a person end in. */
	const countedFor = sql`substr(${dailyCounts.subject}, instr(${dailyCounts.subject}, ':') + 1)`;

	return {
		/** Everything on a user, newest first; undefined when there is none. One round trip. */
		async allOf(userId: string) {
			const [[user], ofSessions, ofKeys, ofProofs, ofCodes, ofCounts] = await db.batch([
				db.select().from(users).where(eq(users.id, userId)),
				db.select().from(sessions).where(eq(sessions.userId, userId)).orderBy(desc(sessions.createdAt)),
				db.select().from(apiKeys).where(eq(apiKeys.userId, userId)).orderBy(desc(apiKeys.createdAt)),
				db.select().from(phoneProofs).where(eq(phoneProofs.userId, userId)).orderBy(desc(phoneProofs.provedAt)),
				db.select().from(otpCodes).where(eq(otpCodes.userId, userId)).orderBy(desc(otpCodes.sentAt)),
				db.select().from(dailyCounts).where(eq(countedFor, userId)).orderBy(desc(dailyCounts.day)),
			]);
			return (
				user && {
					user,
					sessions: ofSessions,
					keys: ofKeys,
					phoneProofs: ofProofs,
					oneTimeCodes: ofCodes,
					dailyCounts: ofCounts,
				}
			);
		},

		/**
		 * Closes an account and ends its sessions, in one transaction: triggers hide its addresses, and its keys are refused while it is closed. False when
		 * the password is no longer what was proved.
		 * @param eraseAt When it is to be erased, in milliseconds since the epoch.
		 */
		async close(userId: string, provedHash: string, eraseAt: number, now: number): Promise<boolean> {
			const proved = and(eq(users.id, userId), eq(users.passwordHash, provedHash));
			const closed = db
				.select({ id: users.id })
				.from(users)
				.where(and(proved, eq(users.eraseAt, eraseAt)));
			const [, , rows] = await retryIdempotent(() =>
				db.batch([
					db
						.update(users)
						.set({ eraseAt })
						.where(and(proved, isNull(users.eraseAt))),
					db
						.update(sessions)
						.set({ revokedAt: now })
						.where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt), sql`exists ${closed}`)),
					closed,
				]),
			);
			return rows.length === 1;
		},

		/** Up to `count` closed accounts whose time has come by `now`. */
		async due(now: number, count: number): Promise<string[]> {
			const rows = await db
				.select({ id: users.id })
				.from(users)
				.where(lte(users.eraseAt, now))
				.orderBy(users.eraseAt)
				.limit(count);
			return rows.map(({ id }) => id);
		},

		/**
		 * Erases those of some accounts whose time has come by `now`, with everything on them in this database but their random names, in one transaction; how many went.
		 * Their addresses must be gone already, because nobody would own them.
		 */
		async erase(userIds: string[], now: number): Promise<number> {
			if (userIds.length === 0) return 0;
			const ids = sql`(select value from json_each(${JSON.stringify(userIds)}))`;
			// The users go first: phone proofs may go only where there is no account any more.
			const gone = (column: SQLiteColumn) =>
				and(inArray(column, ids), notInArray(column, db.select({ id: users.id }).from(users)));
			const endedSessions = db.select({ id: sessions.id }).from(sessions).where(gone(sessions.userId));
			const isDue = and(inArray(users.id, ids), lte(users.eraseAt, now));
			const [, erased] = await db.batch([
				insertRow(
					db,
					erasedAccounts,
					{ userId: sql`${users.id}`, erasedAt: now },
					sql`from ${users} where ${isDue}`,
				).onConflictDoNothing(),
				db.delete(users).where(isDue).returning({ id: users.id }),
				db.delete(refreshTokens).where(inArray(refreshTokens.sessionId, endedSessions)),
				db.delete(sessions).where(gone(sessions.userId)),
				db.delete(apiKeys).where(gone(apiKeys.userId)),
				db.delete(otpCodes).where(gone(otpCodes.userId)),
				db.delete(phoneProofs).where(gone(phoneProofs.userId)),
				db.delete(dailyCounts).where(inArray(countedFor, ids)),
			]);
			return erased.length;
		},
	};
}
