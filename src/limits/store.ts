/** All SQL on daily quotas. Each statement that spends decides and writes at once, so that racing requests cannot overspend. */
import { and, eq, lt, type Placeholder, type SQL, sql } from "drizzle-orm";
import { refuse } from "../db/refusal.ts";
import { deletion, insertRow } from "../db/rows.ts";
import { allowances, dailyCounts } from "../db/schema.ts";
import { allowanceOf, openedAtOf, withStanding } from "../db/standing.ts";
import { type Parameters, query, type Standing, type Statement, statement } from "../db/statement.ts";

/** A daily quota, and what is spent from it. */
export interface DailySpending {
	/** Tells it apart from other quotas in one batch. */
	name: string;
	/** Who is counted, and for what. If null, nothing is spent. */
	subject: string | null;
	/** Days since 1970-01-01 UTC. */
	day: number;
	quota: number;
	/** The account whose allowance of new addresses replaces the quota, if an operator gave it one. Empty for other quotas. */
	allowed: string;
	/**
	 * The subject of an account's own count. Past the quota, more may be spent while that count is at most `share`: up to half as much
	 * again, or what `older` says. Empty if nothing more may be spent.
	 */
	account: string;
	share: number;
	/** An account that spends nothing if operators gave it an allowance of new addresses. Empty if the quota exempts nobody. */
	exemptAccount: string;
	/**
	 * The subject under which, past the quota, the `exemptAccount` account spends as much again if it was opened before `youngSince`
	 * (milliseconds since the epoch). Past its share, it spends like all others until that is used up as well. Empty if age changes nothing.
	 */
	older: string;
	youngSince: number;
	/** How much is spent at once. */
	amount: number;
	/**
	 * Past the quota, spending goes on from `from` up to `to`. Both rise in the course of the day, so that a little is left in each part of
	 * it.
	 */
	from: number;
	to: number;
}

/** Whom and what a count counts, and the day. */
interface Counted {
	subject: string;
	/** Days since 1970-01-01 UTC. */
	day: number;
}

/** How much of a daily quota is spent, after spending, and the quota itself. */
export type Spent = { spent: number; quota: number };

/** What operators have allowed an account. Null means the usual limit. */
export type Allowance = typeof allowances.$inferSelect;

const isOf = (subject: Placeholder, day: Placeholder) =>
	and(eq(dailyCounts.subject, subject), eq(dailyCounts.day, day));
const ofDay = [dailyCounts.subject, dailyCounts.day];
const oneMore = sql`${dailyCounts.count} + 1`;
const countOf = (subject: Placeholder, day: Placeholder) =>
	sql`(select other.count from ${dailyCounts} as other where other.subject = ${subject} and other.day = ${day})`;

/** A daily quota, and what must be known of the account that spends it. */
type Counting = Parameters<DailySpending & Standing>;

/** What operators allow an account, if it is the one that the allowance would exempt or allow more. */
const allowanceFor = (userId: Counting["allowed"], { allowance }: Counting) =>
	sql`iif(${userId} = '', null, coalesce(${allowance}, ${allowanceOf(userId)}))`;

/** Whether past the quota the account may spend under `older`. */
const isOld = ({ older, exemptAccount, youngSince, openedAt }: Counting) =>
	sql`${older} <> '' and coalesce(${openedAt}, ${openedAtOf(exemptAccount)}, ${youngSince}) < ${youngSince}`;

const spendingFrom = statement((wanted: Counting) => {
	const { name, subject, day, quota: usual, account, share, allowed, exemptAccount, older, amount, from, to } = wanted;
	const quota = sql`coalesce(${allowanceFor(allowed, wanted)}, ${usual})`;
	const hasShare = sql`${countOf(account, day)} <= ${share}`;
	const after = (spent: SQL) =>
		sql`case when ${spent} + ${amount} <= ${quota} or (${older} = '' and ${spent} + ${amount} <= ${quota} * 3 / 2 and ${hasShare})
			then ${spent} + ${amount} when max(${spent}, ${from}) < ${to} then max(${spent}, ${from}) + ${amount}
			else ${refuse(sql`${name} || ' past ' || ${quota}`)} end`;
	const isFull = (of: Placeholder) => sql`coalesce(${countOf(of, day)}, 0) + ${amount} > ${usual}`;
	const isApart = sql`${isOld(wanted)} and ${isFull(subject)} and (${hasShare} or ${isFull(older)})`;
	return insertRow(
		dailyCounts,
		{ subject: sql`iif(${isApart}, ${older}, ${subject})`, day, count: after(sql`0`) },
		sql`where changes() = 1 and ${subject} is not null and ${allowanceFor(exemptAccount, wanted)} is null`,
	)
		.onConflictDoUpdate({ target: ofDay, set: { count: after(sql`${dailyCounts.count}`) } })
		.returning({ spent: dailyCounts.count, quota: sql<number>`${quota}`.as("quota") });
});

/**
 * Spends from a daily quota if the statement before it in the batch has written a row. Returns how much is spent then, or nothing. If too
 * little is left, it refuses, so that nothing of the batch is written.
 * @param exceeded Makes the error for that, from the quota.
 */
export function spend(daily: DailySpending, exceeded: (quota: number) => Promise<Error>): Statement<Spent[]> {
	const refusal = (reason: string) => {
		const [, name, quota] = /^(.+) past (\d+)$/.exec(reason) ?? [];
		return name === daily.name ? exceeded(Number(quota)) : undefined;
	};
	return { ...withStanding(spendingFrom, daily), refusal };
}

/** Counts what the statement before it in the batch has written. Returns the count, or nothing if nothing was written. */
export const countWritten = statement(({ subject, day }: Parameters<Counted>) =>
	insertRow(dailyCounts, { subject, day, count: 1 }, sql`where changes() = 1`)
		.onConflictDoUpdate({ target: ofDay, set: { count: oneMore } })
		.returning({ count: dailyCounts.count }),
);

/** Counts one event on a day, unless it is counted already. Returns the count if it was not. */
export const countOnce = statement(({ subject, day }: Parameters<Counted>) =>
	insertRow(dailyCounts, { subject, day, count: 1 }).onConflictDoNothing().returning({ count: dailyCounts.count }),
);

/** Writes a row for a count without changing it. A statement that spends right after it then counts, although nothing else is written. */
export const open = statement(({ subject, day }: Parameters<Counted>) =>
	insertRow(dailyCounts, { subject, day, count: 0 }).onConflictDoUpdate({
		target: ofDay,
		set: { count: sql`${dailyCounts.count}` },
	}),
);

const usageOf = statement((wanted: Counting) =>
	query
		.select({
			spent: sql<number>`coalesce(max(${dailyCounts.count}), 0)`.as("spent"),
			quota: sql<number>`coalesce(${allowanceFor(wanted.allowed, wanted)}, ${wanted.quota})`.as("quota"),
		})
		.from(dailyCounts)
		.where(isOf(wanted.subject, wanted.day)),
);

/** How much of a daily quota is spent in a database, and the quota itself. */
export const dailyUsage = (daily: DailySpending) => withStanding(usageOf, daily);

/** The allowance of an account, if it has one. */
export const allowanceOfAccount = statement(({ userId }: Parameters<{ userId: string }>) =>
	query.select().from(allowances).where(eq(allowances.userId, userId)),
);

/** Gives an account an allowance, which replaces the previous one. */
export const setAllowance = statement((allowance: Parameters<Allowance>) =>
	insertRow(allowances, allowance).onConflictDoUpdate({
		target: allowances.userId,
		set: {
			newAddressesPerDay: sql`excluded.new_addresses_per_day`,
			unknownCodesPerMinute: sql`excluded.unknown_codes_per_minute`,
		},
	}),
);

/** Counts one event on a day. */
export const countEvent = statement(
	({ subject, day }: Parameters<Counted>) =>
		insertRow(dailyCounts, { subject, day, count: 1 }).onConflictDoUpdate({
			target: ofDay,
			set: { count: oneMore },
		}),
	{ once: true },
);

/**
 * The counts of a day for subjects from `from` up to but not including `to` in ASCII order, added up by their first `characters`
 * characters.
 */
export const countsBetween = statement(
	({ from, to, day, characters }: Parameters<{ from: string; to: string; day: number; characters: number }>) => {
		const name = sql<string>`substr(${dailyCounts.subject}, 1, ${characters})`;
		return query
			.select({ name: name.as("name"), count: sql<number>`sum(${dailyCounts.count})`.as("total") })
			.from(dailyCounts)
			.where(and(eq(dailyCounts.day, day), sql`${dailyCounts.subject} >= ${from} and ${dailyCounts.subject} < ${to}`))
			.groupBy(sql`1`)
			.orderBy(sql`1`);
	},
);

/** Deletes up to `count` counts of days before a day. */
export const deleteCountsBefore = deletion(dailyCounts, ({ day }: Parameters<{ day: number }>) =>
	lt(dailyCounts.day, day),
);
