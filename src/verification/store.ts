/** All SQL on one-time codes. */
import { and, desc, eq, gt, isNull, lt, ne, not, or, type SQL, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { deletion, hasRow, insertRow, literal, updateRows } from "../db/rows.ts";
import { otpCodes } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { oneTimeCodes, standingLimits } from "../settings/limits.ts";
import { DAY } from "../time/time.ts";

/** A one-time code as stored when it is sent. Times are in milliseconds since the epoch. */
type OtpCode = Omit<typeof otpCodes.$inferSelect, "tries" | "triesElsewhere" | "usedAt" | "usedBy">;

/** One use of a code. `usedBy` is unique to the request. `now` is in milliseconds since the epoch. */
interface Use {
	id: string;
	now: number;
	usedBy: string;
}

/** The phone of a code, and the account that asked for it or, without one, the network. */
type Asked = Pick<OtpCode, "phone" | "userId" | "networkKey">;

/** A code that is to be sent. `now` is in milliseconds since the epoch. */
interface Wish extends Asked {
	/** The id of the code itself. It does not count against itself if it is stored again. */
	id: string;
	isForHolder: boolean;
	now: number;
}

/**
 * How many codes the asker has left for the phone, when there will be more, and when the next one may go. Times are in milliseconds since
 * the epoch.
 */
export interface SendingUsage {
	remaining: number;
	resetsAt: number;
	opensAt: number;
}

const isUnused = ({ id, usedBy }: Parameters<Use>) =>
	// If an earlier attempt's answer was lost, `usedBy` shows that the use is this request's own. The time would not: several requests
	// share a millisecond.
	hasRow(otpCodes, and(eq(otpCodes.id, id), or(isNull(otpCodes.usedAt), eq(otpCodes.usedBy, usedBy))));
const isAskedBy = ({ phone, userId, networkKey }: Parameters<Asked>) =>
	and(eq(otpCodes.phone, phone), eq(otpCodes.userId, userId), eq(otpCodes.networkKey, networkKey));
const newestOf = (asked: Parameters<Asked>) =>
	query.select({ id: otpCodes.id }).from(otpCodes).where(isAskedBy(asked)).orderBy(desc(otpCodes.sentAt)).limit(1);
const isLive = (now: Parameters<{ now: number }>["now"]) => and(isNull(otpCodes.usedAt), gt(otpCodes.expiresAt, now));
const tried = { id: otpCodes.id, codeHash: otpCodes.codeHash };

/** One row with the state of sending a code. Everything that decides about sending is here. */
const standingOf = (wish: Parameters<Wish>) => {
	const { id, phone, isForHolder, now } = wish;
	const { interval } = oneTimeCodes;
	const { quota: ofAsker } = standingLimits["one-time-codes"];
	const { quota: ofPhone } = standingLimits["one-time-codes-of-strangers"];
	const isRecent = and(gt(otpCodes.sentAt, sql`${now} - ${literal(DAY)}`), ne(otpCodes.id, id));
	const own = and(isAskedBy(wish), isRecent);
	const strangers = and(eq(otpCodes.phone, phone), eq(otpCodes.isForHolder, false), isRecent);
	const select = (expression: SQL, condition: SQL | undefined) =>
		sql`(select ${expression} from ${otpCodes} where ${condition})`;
	return sql`(select ${literal(ofAsker)} - own as remaining, coalesce(own_oldest, ${now}) + ${literal(DAY)} as resets_at,
			max(${now}, coalesce(own_newest + ${literal(interval)}, 0),
			iif(own >= ${literal(ofAsker)}, own_oldest + ${literal(DAY)}, 0),
			iif(not ${isForHolder} and strangers >= ${literal(ofPhone)}, strangers_oldest + ${literal(DAY)}, 0)) as opens_at
		from (select ${select(sql`count(*)`, own)} as own, ${select(sql`min(${otpCodes.sentAt})`, own)} as own_oldest,
			${select(sql`max(${otpCodes.sentAt})`, own)} as own_newest, ${select(sql`count(*)`, strangers)} as strangers,
			${select(sql`min(${otpCodes.sentAt})`, strangers)} as strangers_oldest))`;
};

/** Reads the state of sending a code. */
export const usage = statement((wish: Parameters<Wish>) =>
	query
		.select({
			remaining: sql<number>`remaining`.as("remaining"),
			resetsAt: sql<number>`resets_at`.as("resets_at"),
			opensAt: sql<number>`opens_at`.as("opens_at"),
		})
		.from(standingOf(wish)),
);

/** Refuses while the limits on codes to the phone, or the interval between two codes, allow no other. */
export const assertSendable = assertion(
	(wish: Parameters<Wish>) => sql`(select opens_at from ${standingOf(wish)}) <= ${wish.now}`,
	"too many codes",
);

/** Stores a code. Running it again stores nothing twice. */
export const insert = statement((code: Parameters<OtpCode>) => {
	const { id, phone, userId, networkKey, isForHolder, codeHash, sentAt, expiresAt } = code;
	return insertRow(otpCodes, {
		...{ id, phone, userId, networkKey, isForHolder, codeHash, sentAt, expiresAt },
		tries: 0,
		triesElsewhere: 0,
		usedAt: null,
		usedBy: null,
	}).onConflictDoNothing();
});

/** Deletes a code that was not sent. */
export const forget = statement(({ id }: Parameters<{ id: string }>) =>
	query.delete(otpCodes).where(eq(otpCodes.id, id)),
);

/**
 * Spends one try on the newest code that an asker had sent to a phone. Returns its id and hash, or nothing if it may not be tried any more.
 */
export const spendTry = statement(
	(asked: Parameters<Asked & { now: number }>) =>
		updateRows(
			otpCodes,
			{ tries: sql`${otpCodes.tries} + 1` },
			and(eq(otpCodes.id, newestOf(asked)), isLive(asked.now), lt(otpCodes.tries, oneTimeCodes.tries)),
		).returning(tried),
	{ once: true },
);

/**
 * Spends one try on each code that other networks had sent to a phone while signed out. Returns their ids and hashes. It spends none if
 * this network has a live code of its own, which is left to `spendTry`. These tries are counted separately, so that guesses from elsewhere
 * leave a code usable where it was asked for.
 */
export const spendTryElsewhere = statement(
	({ phone, networkKey, now }: Parameters<Omit<Asked, "userId"> & { now: number }>) => {
		const signedOut = and(eq(otpCodes.phone, phone), eq(otpCodes.userId, ""), isLive(now));
		const own = and(signedOut, eq(otpCodes.networkKey, networkKey));
		const isAnothers = and(
			signedOut,
			ne(otpCodes.networkKey, networkKey),
			lt(otpCodes.triesElsewhere, oneTimeCodes.tries),
			not(hasRow(otpCodes, own)),
		);
		const triesElsewhere = sql`${otpCodes.triesElsewhere} + 1`;
		return updateRows(otpCodes, { triesElsewhere }, isAnothers).returning(tried);
	},
	{ once: true },
);

/** Refuses if a code is used up. */
export const assertCodeUnused = assertion((code: Parameters<Use>) => isUnused(code), "code used");

/** Marks a code as used. */
export const use = statement(({ id, now, usedBy }: Parameters<Use>) =>
	updateRows(otpCodes, { usedAt: now, usedBy }, eq(otpCodes.id, id)),
);

/** Deletes up to `count` codes sent before a time (milliseconds since the epoch). */
export const deleteSentBefore = deletion(otpCodes, ({ time }: Parameters<{ time: number }>) =>
	lt(otpCodes.sentAt, time),
);
