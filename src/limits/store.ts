/** All SQL on daily quotas. Each statement that spends decides and writes at once, so that racing requests cannot overspend. */
import { and, eq, lt, type Placeholder, type SQL, sql } from "drizzle-orm";
import { refuse } from "../db/refusal.ts";
import { deletion, insertRow } from "../db/rows.ts";
import { allowances, dailyCounts } from "../db/schema.ts";
import { allowanceOf, openedAtOf, withStanding } from "../db/standing.ts";
import { type Parameters, query, type Standing, type Statement, statement } from "../db/statement.ts";

/** How much an account may spend past a quota: while its own count, whose subject is `account`, is at most `share`. */
interface Share {
	userId: string;
	account: string;
	share: number;
}

/** Whom a quota treats otherwise than all. */
export type Rule =
	| { kind: "the same for all" }
	/** The account's allowance of new addresses replaces the quota, if an operator gave it one. */
	| { kind: "allowance"; userId: string }
	/** An account with an allowance spends nothing. Past the quota, one that has some of its share left spends, up to half as much again. */
	| ({ kind: "share" } & Share)
	/**
	 * An account with an allowance spends nothing. Past the quota, one that was opened before `youngSince` (milliseconds since the epoch)
	 * spends as much again, under `older`. Past its share, it spends like all others until that is used up as well.
	 */
	| ({ kind: "age"; older: string; youngSince: number } & Share);

/** A daily quota, and what is spent from it. */
export interface DailySpending {
	/** Tells it apart from other quotas in one batch. */
	name: string;
	/** Who is counted, and for what. If null, nothing is spent. */
	subject: string | null;
	/** Days since 1970-01-01 UTC. */
	day: number;
	quota: number;
	/** How much is spent at once. */
	amount: number;
	rule: Rule;
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

/** A daily quota with the values of its rule, and what must be known of the account that spends it. */
type Counting = Parameters<
	Omit<DailySpending, "rule"> & Partial<Omit<Extract<Rule, { kind: "age" }>, "kind">> & Standing
>;

/** What a rule changes. */
interface Differences {
	/** The quota of the account, if it has another. */
	quota?: SQL;
	/** Whether nothing is spent. */
	isExempt?: SQL;
	/** Under which subject it is spent. */
	subject?: SQL;
	/** Whether the count may become `after` past the quota. */
	mayBecome?: (after: SQL) => SQL;
}

const allowanceIn = ({ allowance, userId }: Counting) => sql`coalesce(${allowance}, ${allowanceOf(userId)})`;
const hasAllowance = (wanted: Counting) => sql`(${allowanceIn(wanted)} is not null)`;
const hasShare = ({ account, day, share }: Counting) => sql`${countOf(account, day)} <= ${share}`;

/** The statements of a rule: one that spends, and one that reads how much is spent. */
function statementsOf(differ: (wanted: Counting) => Differences) {
	const spending = statement((wanted: Counting) => {
		const { name, day, amount, from, to } = wanted;
		const { quota = sql`${wanted.quota}`, isExempt, subject = sql`${wanted.subject}`, mayBecome } = differ(wanted);
		const after = (spent: SQL) => {
			const usual = sql`${spent} + ${amount}`;
			return sql`case when ${usual} <= ${quota}${mayBecome && sql` or (${mayBecome(usual)})`} then ${usual}
				when max(${spent}, ${from}) < ${to} then max(${spent}, ${from}) + ${amount}
				else ${refuse(sql`${name} || ' past ' || ${quota}`)} end`;
		};
		return insertRow(
			dailyCounts,
			{ subject, day, count: after(sql`0`) },
			sql`where changes() = 1 and ${wanted.subject} is not null${isExempt && sql` and not ${isExempt}`}`,
		)
			.onConflictDoUpdate({ target: ofDay, set: { count: after(sql`${dailyCounts.count}`) } })
			.returning({ spent: dailyCounts.count, quota: sql<number>`${quota}`.as("quota") });
	});
	const usage = statement((wanted: Counting) =>
		query
			.select({
				spent: sql<number>`coalesce(max(${dailyCounts.count}), 0)`.as("spent"),
				quota: sql<number>`${differ(wanted).quota ?? wanted.quota}`.as("quota"),
			})
			.from(dailyCounts)
			.where(isOf(wanted.subject, wanted.day)),
	);
	return { spending, usage };
}

const rules: Record<Rule["kind"], ReturnType<typeof statementsOf>> = {
	"the same for all": statementsOf(() => ({})),
	allowance: statementsOf((wanted) => ({ quota: sql`coalesce(${allowanceIn(wanted)}, ${wanted.quota})` })),
	share: statementsOf((wanted) => ({
		isExempt: hasAllowance(wanted),
		mayBecome: (after) => sql`${after} <= ${wanted.quota} * 3 / 2 and ${hasShare(wanted)}`,
	})),
	age: statementsOf((wanted) => {
		const { quota, subject, older, day, amount, userId, openedAt, youngSince } = wanted;
		const isFull = (of: Placeholder) => sql`coalesce(${countOf(of, day)}, 0) + ${amount} > ${quota}`;
		const isOld = sql`coalesce(${openedAt}, ${openedAtOf(userId)}, ${youngSince}) < ${youngSince}`;
		const isApart = sql`${isOld} and ${isFull(subject)} and (${hasShare(wanted)} or ${isFull(older)})`;
		return { isExempt: hasAllowance(wanted), subject: sql`iif(${isApart}, ${older}, ${subject})` };
	}),
};

/**
 * Spends from a daily quota if the statement before it in the batch has written a row. Returns how much is spent then, or nothing. If too
 * little is left, it refuses, so that nothing of the batch is written.
 * @param exceeded Makes the error for that, from the quota.
 */
export function spend(
	{ rule, ...daily }: DailySpending,
	exceeded: (quota: number) => Promise<Error>,
): Statement<Spent[]> {
	const refusal = (reason: string) => {
		const [, name, quota] = /^(.+) past (\d+)$/.exec(reason) ?? [];
		return name === daily.name ? exceeded(Number(quota)) : undefined;
	};
	return { ...withStanding(rules[rule.kind].spending, { ...daily, ...rule }), refusal };
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

/** How much of a daily quota is spent in a database, and the quota itself. */
export const dailyUsage = ({ rule, ...daily }: DailySpending) =>
	withStanding(rules[rule.kind].usage, { ...daily, ...rule });

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
