/** All SQL on one-time codes. */
import { and, desc, eq, gt, isNull, lt, ne, not, or, type SQL, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { deletion, hasRow, insertRow, updateRows } from "../db/rows.ts";
import { otpCodes } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { oneTimeCodes, standingLimits } from "../limits/policy.ts";
import { DAY } from "../time/time.ts";

/** A one-time code as stored when it is sent. Times in milliseconds since the epoch. */
type OtpCode = Omit<typeof otpCodes.$inferSelect, "tries" | "triesElsewhere" | "usedAt" | "usedBy">;

/** One use of a code, by a name that no other request has. `now` is in milliseconds since the epoch. */
interface Use {
	id: string;
	now: number;
	usedBy: string;
}

/** Whose codes: those to a phone that an account asked for or, without one, a network. */
type Asked = Pick<OtpCode, "phone" | "userId" | "networkKey">;

/** A code that is to be sent. `now` is in milliseconds since the epoch. */
interface Wish extends Asked {
	/** Of the code itself, which does not stand in its own way when it is stored once more. */
	id: string;
	isForHolder: boolean;
	now: number;
}

/** The state of sending codes: how many the asker has left for the phone, when there will be more, and when the next one may go. */
export interface SendingUsage {
	remaining: number;
	resetsAt: number;
	opensAt: number;
}

const isUnused = ({ id, usedBy }: Parameters<Use>) =>
	// A use by an attempt whose answer was lost is this request's own, as its name tells. Its time would not: several share a millisecond.
	hasRow(otpCodes, and(eq(otpCodes.id, id), or(isNull(otpCodes.usedAt), eq(otpCodes.usedBy, usedBy))));
const isAskedBy = ({ phone, userId, networkKey }: Parameters<Asked>) =>
	and(eq(otpCodes.phone, phone), eq(otpCodes.userId, userId), eq(otpCodes.networkKey, networkKey));
const newestOf = (asked: Parameters<Asked>) =>
	query.select({ id: otpCodes.id }).from(otpCodes).where(isAskedBy(asked)).orderBy(desc(otpCodes.sentAt)).limit(1);
const isLive = (now: Parameters<{ now: number }>["now"]) => and(isNull(otpCodes.usedAt), gt(otpCodes.expiresAt, now));
const tried = { id: otpCodes.id, codeHash: otpCodes.codeHash };

/** The one row with the state of sending a code. All that decides about sending is here. */
const standingOf = (wish: Parameters<Wish>) => {
	const { id, phone, isForHolder, now } = wish;
	const { interval } = oneTimeCodes;
	const { quota: ofAsker } = standingLimits["one-time-codes"];
	const { quota: ofPhone } = standingLimits["one-time-codes-of-strangers"];
	const number = (value: number) => sql.raw(String(value));
	const isRecent = and(gt(otpCodes.sentAt, sql`${now} - ${number(DAY)}`), ne(otpCodes.id, id));
	const own = and(isAskedBy(wish), isRecent);
	const strangers = and(eq(otpCodes.phone, phone), eq(otpCodes.isForHolder, false), isRecent);
	const select = (expression: SQL, condition: SQL | undefined) =>
		sql`(select ${expression} from ${otpCodes} where ${condition})`;
	return sql`(select ${number(ofAsker)} - own as remaining, coalesce(own_oldest, ${now}) + ${number(DAY)} as resets_at,
			max(${now}, coalesce(own_newest + ${number(interval)}, 0),
			iif(own >= ${number(ofAsker)}, own_oldest + ${number(DAY)}, 0),
			iif(not ${isForHolder} and strangers >= ${number(ofPhone)}, strangers_oldest + ${number(DAY)}, 0)) as opens_at
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

/** Refuses while others were sent within the limits. */
export const assertSendable = assertion(
	(wish: Parameters<Wish>) => sql`(select opens_at from ${standingOf(wish)}) <= ${wish.now}`,
	"too many codes",
);

/** Stores a code. Run again, it stores nothing twice. */
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

/** Forgets a code that was not sent. */
export const forget = statement(({ id }: Parameters<{ id: string }>) =>
	query.delete(otpCodes).where(eq(otpCodes.id, id)),
);

/**
 * Spends one try on the newest code that an asker was sent to a phone; its hash, or nothing when there is none that may still be
 * tried.
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
 * Spends one try on each code that other networks were sent to a phone while nobody was signed in; their hashes. It spends none where
 * the network has a live code of its own, for which `spendTry` is. These tries are counted apart, so that guesses from elsewhere
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

/** Refuses where a code is used up. */
export const assertUnused = assertion((code: Parameters<Use>) => isUnused(code), "code used");

/** Uses a code up. */
export const use = statement(({ id, now, usedBy }: Parameters<Use>) =>
	updateRows(otpCodes, { usedAt: now, usedBy }, eq(otpCodes.id, id)),
);

/** Deletes up to `count` codes sent before a time. */
export const deleteSentBefore = deletion(otpCodes, ({ time }: Parameters<{ time: number }>) =>
	lt(otpCodes.sentAt, time),
);
