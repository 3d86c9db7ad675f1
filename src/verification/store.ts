import { and, desc, eq, gt, isNull, lt, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, deleteSome } from "../db/open.ts";
import { otpCodes } from "../db/schema.ts";

/** A one-time code as stored. Times in milliseconds since the epoch. */
export type OtpCode = Pick<
	typeof otpCodes.$inferSelect,
	"id" | "phone" | "userId" | "codeHash" | "sentAt" | "expiresAt"
>;

/** How many codes went to a phone in a window, and when the newest and the oldest of them went. */
export interface OtpHistory {
	count: number;
	newest: number | null;
	oldest: number | null;
}

export type OtpStore = ReturnType<typeof createOtpStore>;

/** All SQL on one-time codes. */
export function createOtpStore(db: Database) {
	const sentAfter = (phone: string, time: number) => and(eq(otpCodes.phone, phone), gt(otpCodes.sentAt, time));

	return {
		/** Stores a code, unless one went to its phone after `intervalSince` or `quota` did after `daySince`; undefined then. One statement decides. */
		async insert(code: OtpCode, intervalSince: number, daySince: number, quota: number): Promise<OtpCode | undefined> {
			const [stored] = await insertRow(
				db,
				otpCodes,
				{ ...code, tries: 0, usedAt: null },
				sql`where not exists (select 1 from ${otpCodes} where ${sentAfter(code.phone, intervalSince)})
					and (select count(*) from ${otpCodes} where ${sentAfter(code.phone, daySince)}) < ${quota}`,
			).returning();
			return stored;
		},

		async history(phone: string, since: number): Promise<OtpHistory> {
			const [row] = await db
				.select({
					count: sql<number>`count(*)`,
					newest: sql<number | null>`max(${otpCodes.sentAt})`,
					oldest: sql<number | null>`min(${otpCodes.sentAt})`,
				})
				.from(otpCodes)
				.where(sentAfter(phone, since));
			return row ?? { count: 0, newest: null, oldest: null };
		},

		/** Forgets a code that was not sent. */
		async forget(id: string): Promise<void> {
			await db.delete(otpCodes).where(eq(otpCodes.id, id));
		},

		/** Spends one try on the newest code that a user was sent on a phone; its hash, or undefined when there is none that may still be tried. */
		async spendTry(
			phone: string,
			userId: string,
			now: number,
			tries: number,
		): Promise<{ id: string; codeHash: string } | undefined> {
			const newest = db
				.select({ id: otpCodes.id })
				.from(otpCodes)
				.where(and(eq(otpCodes.phone, phone), eq(otpCodes.userId, userId)))
				.orderBy(desc(otpCodes.sentAt))
				.limit(1);
			const [row] = await db
				.update(otpCodes)
				.set({ tries: sql`${otpCodes.tries} + 1` })
				.where(
					and(eq(otpCodes.id, newest), isNull(otpCodes.usedAt), gt(otpCodes.expiresAt, now), lt(otpCodes.tries, tries)),
				)
				.returning({ id: otpCodes.id, codeHash: otpCodes.codeHash });
			return row;
		},

		/** Uses a code up; false when it was used already. */
		async use(id: string, now: number): Promise<boolean> {
			const rows = await db
				.update(otpCodes)
				.set({ usedAt: now })
				.where(and(eq(otpCodes.id, id), isNull(otpCodes.usedAt)))
				.returning({ id: otpCodes.id });
			return rows.length === 1;
		},

		/** Deletes up to `count` codes sent before a time; how many went. */
		deleteSentBefore(time: number, count: number): Promise<number> {
			return deleteSome(db, otpCodes, lt(otpCodes.sentAt, time), count);
		},
	};
}
