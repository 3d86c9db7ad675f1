import { and, desc, eq, gt, isNull, lt, ne, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, deleteSome, perDatabase } from "../db/open.ts";
import { assertThat } from "../db/refusal.ts";
import { otpCodes } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

/** A one-time code as stored when it is sent. Times in milliseconds since the epoch. */
export type OtpCode = Omit<typeof otpCodes.$inferSelect, "tries" | "usedAt">;

/** The limits on sending a code to a phone. Times in milliseconds since the epoch. */
interface SendingLimits {
	/** The code to be sent. */
	id: string;
	phone: string;
	/** A code may be sent when no other was sent after this time. */
	intervalSince: number;
	/** A code may be sent when fewer than `quota` others were sent after this time. */
	daySince: number;
	quota: number;
}

/** The reasons for which a statement on one-time codes refuses. */
export const TOO_MANY_CODES = "too many codes";
export const CODE_USED = "code used";

export type OtpStore = ReturnType<typeof otpStoreOf>;

/** All SQL on one-time codes. */
export const otpStoreOf = perDatabase((db: Database) => {
	const isUnused = ({ id, now }: Parameters<{ id: string; now: number }>) =>
		// A use by an attempt whose answer was lost is this request's own, as its time tells.
		sql`exists (select 1 from ${otpCodes} where ${otpCodes.id} = ${id} and (${otpCodes.usedAt} is null or ${otpCodes.usedAt} = ${now}))`;

	return {
		/** Refuses for TOO_MANY_CODES where the phone was sent others within the limits. */
		assertSendable: prepare(db, ({ id, phone, intervalSince, daySince, quota }: Parameters<SendingLimits>) => {
			const others = (since: typeof daySince) =>
				sql`select count(*) from ${otpCodes} where ${and(eq(otpCodes.phone, phone), gt(otpCodes.sentAt, since), ne(otpCodes.id, id))}`;
			return assertThat(db, sql`(${others(intervalSince)}) = 0 and (${others(daySince)}) < ${quota}`, TOO_MANY_CODES);
		}),

		/** Stores a code. Run again, it stores nothing twice. */
		insert: prepare(db, ({ id, phone, userId, codeHash, sentAt, expiresAt }: Parameters<OtpCode>) =>
			insertRow(db, otpCodes, {
				id,
				phone,
				userId,
				codeHash,
				sentAt,
				expiresAt,
				tries: 0,
				usedAt: null,
			}).onConflictDoNothing(),
		),

		byId: prepare(db, ({ id }: Parameters<{ id: string }>) => db.select().from(otpCodes).where(eq(otpCodes.id, id))),

		/** How many codes went to a phone since a time, and when the newest and the oldest of them went. */
		history: prepare(db, ({ phone, since }: Parameters<{ phone: string; since: number }>) =>
			db
				.select({
					count: sql<number>`count(*)`.as("count"),
					newest: sql<number | null>`max(${otpCodes.sentAt})`.as("newest"),
					oldest: sql<number | null>`min(${otpCodes.sentAt})`.as("oldest"),
				})
				.from(otpCodes)
				.where(and(eq(otpCodes.phone, phone), gt(otpCodes.sentAt, since))),
		),

		/** Deletes a code that was not sent. */
		forget: prepare(db, ({ id }: Parameters<{ id: string }>) => db.delete(otpCodes).where(eq(otpCodes.id, id))),

		/** Spends one try on the newest code that a user was sent on a phone; its hash, or nothing when there is none that may still be tried. */
		spendTry: prepare(
			db,
			({ phone, userId, now, tries }: Parameters<{ phone: string; userId: string; now: number; tries: number }>) => {
				const newest = db
					.select({ id: otpCodes.id })
					.from(otpCodes)
					.where(and(eq(otpCodes.phone, phone), eq(otpCodes.userId, userId)))
					.orderBy(desc(otpCodes.sentAt))
					.limit(1);
				return db
					.update(otpCodes)
					.set({ tries: sql`${otpCodes.tries} + 1` })
					.where(
						and(
							eq(otpCodes.id, newest),
							isNull(otpCodes.usedAt),
							gt(otpCodes.expiresAt, now),
							lt(otpCodes.tries, tries),
						),
					)
					.returning({ id: otpCodes.id, codeHash: otpCodes.codeHash });
			},
		),

		/** Refuses for CODE_USED where a code is used up. */
		assertUnused: prepare(db, (code: Parameters<{ id: string; now: number }>) =>
			assertThat(db, isUnused(code), CODE_USED),
		),

		/** Uses a code up. */
		use: prepare(db, ({ id, now }: Parameters<{ id: string; now: number }>) =>
			db
				.update(otpCodes)
				.set({ usedAt: sql`${now}` })
				.where(eq(otpCodes.id, id)),
		),

		/** Deletes up to `count` codes sent before a time; how many went. */
		deleteSentBefore(time: number, count: number): Promise<number> {
			return deleteSome(db, otpCodes, lt(otpCodes.sentAt, time), count);
		},
	};
});
