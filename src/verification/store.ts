import { and, desc, eq, gt, isNull, lt, ne, notExists, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, deleteSome, perDatabase } from "../db/open.ts";
import { assertThat } from "../db/refusal.ts";
import { otpCodes } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

/** A one-time code as stored when it is sent. Times in milliseconds since the epoch. */
export type OtpCode = Omit<typeof otpCodes.$inferSelect, "tries" | "triesElsewhere" | "usedAt" | "usedBy">;

/** One use of a code, by a name that no other request has. `now` is in milliseconds since the epoch. */
interface Use {
	id: string;
	now: number;
	usedBy: string;
}

/** Whose codes: those to a phone that an account asked for or, without one, a network. */
type Asked = Pick<OtpCode, "phone" | "userId" | "networkKey">;

/** The limits on sending a code to a phone. Times in milliseconds since the epoch. */
interface SendingLimits extends Asked {
	/** The code to be sent. */
	id: string;
	isForHolder: boolean;
	/** A code may be sent when the asker was sent no other to the phone after this time. */
	intervalSince: number;
	/** A code may be sent when, after this time, fewer than `quota` others were sent to the phone for the asker, and fewer than `quotaOfStrangers` for all strangers. */
	daySince: number;
	quota: number;
	quotaOfStrangers: number;
}

/** The reasons for which a statement on one-time codes refuses. */
export const TOO_MANY_CODES = "too many codes";
export const CODE_USED = "code used";

export type OtpStore = ReturnType<typeof otpStoreOf>;

/** All SQL on one-time codes. */
export const otpStoreOf = perDatabase((db: Database) => {
	const isUnused = ({ id, usedBy }: Parameters<Use>) =>
		// A use by an attempt whose answer was lost is this request's own, as its name tells. Its time would not: several share a millisecond.
		sql`exists (select 1 from ${otpCodes} where ${otpCodes.id} = ${id} and (${otpCodes.usedAt} is null or ${otpCodes.usedBy} = ${usedBy}))`;
	const isAskedBy = ({ phone, userId, networkKey }: Parameters<Asked>) =>
		and(eq(otpCodes.phone, phone), eq(otpCodes.userId, userId), eq(otpCodes.networkKey, networkKey));
	const newestOf = (asked: Parameters<Asked>) =>
		db.select({ id: otpCodes.id }).from(otpCodes).where(isAskedBy(asked)).orderBy(desc(otpCodes.sentAt)).limit(1);
	const isLive = (now: Parameters<{ now: number }>["now"]) => and(isNull(otpCodes.usedAt), gt(otpCodes.expiresAt, now));
	const tried = { id: otpCodes.id, codeHash: otpCodes.codeHash };

	return {
		/** Refuses for TOO_MANY_CODES where others were sent within the limits. */
		assertSendable: prepare(db, (limits: Parameters<SendingLimits>) => {
			const { id, phone, isForHolder, intervalSince, daySince, quota, quotaOfStrangers } = limits;
			const ofAsker = (since: typeof daySince) =>
				sql`select count(*) from ${otpCodes} where ${and(isAskedBy(limits), gt(otpCodes.sentAt, since), ne(otpCodes.id, id))}`;
			const ofStrangers = sql`select count(*) from ${otpCodes} where ${and(
				eq(otpCodes.phone, phone),
				eq(otpCodes.isForHolder, false),
				gt(otpCodes.sentAt, daySince),
				ne(otpCodes.id, id),
			)}`;
			return assertThat(
				db,
				sql`(${ofAsker(intervalSince)}) = 0 and (${ofAsker(daySince)}) < ${quota} and (${isForHolder} or (${ofStrangers}) < ${quotaOfStrangers})`,
				TOO_MANY_CODES,
			);
		}),

		/** Stores a code. Run again, it stores nothing twice. */
		insert: prepare(db, (code: Parameters<OtpCode>) => {
			const { id, phone, userId, networkKey, isForHolder, codeHash, sentAt, expiresAt } = code;
			return insertRow(db, otpCodes, {
				id,
				phone,
				userId,
				networkKey,
				isForHolder,
				codeHash,
				sentAt,
				expiresAt,
				tries: 0,
				triesElsewhere: 0,
				usedAt: null,
				usedBy: null,
			}).onConflictDoNothing();
		}),

		byId: prepare(db, ({ id }: Parameters<{ id: string }>) => db.select().from(otpCodes).where(eq(otpCodes.id, id))),

		/** How many codes an asker was sent to a phone since a time, and when the newest and the oldest of them went. */
		history: prepare(db, (asked: Parameters<Asked & { since: number }>) =>
			db
				.select({
					count: sql<number>`count(*)`.as("count"),
					newest: sql<number | null>`max(${otpCodes.sentAt})`.as("newest"),
					oldest: sql<number | null>`min(${otpCodes.sentAt})`.as("oldest"),
				})
				.from(otpCodes)
				.where(and(isAskedBy(asked), gt(otpCodes.sentAt, asked.since))),
		),

		/** When the oldest went of the codes that strangers to a phone were sent since a time, and how many they are. */
		historyOfStrangers: prepare(db, ({ phone, since }: Parameters<{ phone: string; since: number }>) =>
			db
				.select({
					strangers: sql<number>`count(*)`.as("strangers"),
					oldestOfStrangers: sql<number | null>`min(${otpCodes.sentAt})`.as("oldest_of_strangers"),
				})
				.from(otpCodes)
				.where(and(eq(otpCodes.phone, phone), eq(otpCodes.isForHolder, false), gt(otpCodes.sentAt, since))),
		),

		/** Forgets a code that was not sent. */
		forget: prepare(db, ({ id }: Parameters<{ id: string }>) => db.delete(otpCodes).where(eq(otpCodes.id, id))),

		/** Spends one try on the newest code that an asker was sent to a phone; its hash, or nothing when there is none that may still be tried. */
		spendTry: prepare(db, (asked: Parameters<Asked & { now: number; tries: number }>) =>
			db
				.update(otpCodes)
				.set({ tries: sql`${otpCodes.tries} + 1` })
				.where(and(eq(otpCodes.id, newestOf(asked)), isLive(asked.now), lt(otpCodes.tries, asked.tries)))
				.returning(tried),
		),

		/**
		 * Spends one try on each code that other networks were sent to a phone while nobody was signed in; their hashes. It spends none where the network
		 * has a live code of its own, for which `spendTry` is. These tries are counted apart, so that guesses from elsewhere leave a code usable
		 * where it was asked for.
		 */
		spendTryElsewhere: prepare(
			db,
			({ phone, networkKey, now, tries }: Parameters<Omit<Asked, "userId"> & { now: number; tries: number }>) => {
				const signedOut = and(eq(otpCodes.phone, phone), eq(otpCodes.userId, ""), isLive(now));
				const own = db
					.select({ id: otpCodes.id })
					.from(otpCodes)
					.where(and(signedOut, eq(otpCodes.networkKey, networkKey)));
				return db
					.update(otpCodes)
					.set({ triesElsewhere: sql`${otpCodes.triesElsewhere} + 1` })
					.where(
						and(signedOut, ne(otpCodes.networkKey, networkKey), lt(otpCodes.triesElsewhere, tries), notExists(own)),
					)
					.returning(tried);
			},
		),

		/** Refuses for CODE_USED where a code is used up. */
		assertUnused: prepare(db, (code: Parameters<Use>) => assertThat(db, isUnused(code), CODE_USED)),

		/** Uses a code up. */
		use: prepare(db, ({ id, now, usedBy }: Parameters<Use>) =>
			db
				.update(otpCodes)
				.set({ usedAt: sql`${now}`, usedBy: sql`${usedBy}` })
				.where(eq(otpCodes.id, id)),
		),

		/** Deletes up to `count` codes sent before a time; how many went. */
		deleteSentBefore(time: number, count: number): Promise<number> {
			return deleteSome(db, otpCodes, lt(otpCodes.sentAt, time), count);
		},
	};
});
