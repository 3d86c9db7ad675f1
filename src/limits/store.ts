import { and, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, deleteSome, perDatabase } from "../db/open.ts";
import { refuse } from "../db/refusal.ts";
import { dailyCounts } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

/** A daily quota. `name` is the reason for which spending refuses when nothing is left. */
export interface DailySpending {
	name: string;
	/** What is counted and for whom. */
	subject: string;
	/** Days since 1970-01-01 UTC. */
	day: number;
	quota: number;
}

/** A daily quota of the networks of one client. `name` is the reason for which spending refuses. */
export interface NetworkSpending {
	name: string;
	/** JSON list with the `subject` and the `quota` of each width of the network. */
	networks: string;
	/** Days since 1970-01-01 UTC. */
	day: number;
	/** The account that writes, as the subject of its own quota, and how many it may spend of that past the networks' quotas. */
	account: string;
	share: number;
}

export type LimitStore = ReturnType<typeof limitStoreOf>;

/**
 * Inserts a count of 1 for each width of a network on a day, or makes its count `next`, where the statement before it in the batch has written a row.
 * @param next May name the count that there is, `dailyCounts.count`, and refuse.
 */
export function countNetworks(
	db: Database,
	{ networks, day }: Parameters<Pick<NetworkSpending, "networks" | "day">>,
	next: SQL,
) {
	return insertRow(
		db,
		dailyCounts,
		{ subject: sql`value ->> 'subject'`, day, count: sql`1` },
		sql`from json_each(${networks}) where changes() = 1`,
	).onConflictDoUpdate({ target: [dailyCounts.subject, dailyCounts.day], set: { count: next } });
}

/** All SQL on daily quotas. Every statement that spends decides and writes at once, so that racing requests cannot overspend. */
export const limitStoreOf = perDatabase((db: Database) => {
	return {
		/**
		 * Spends one of a daily quota, where the statement before it in the batch has written a row; how many are spent then, or nothing.
		 * Refuses, for the quota's name, when none was left, so that nothing of the batch is written.
		 */
		spend: prepare(db, ({ name, subject, day, quota }: Parameters<DailySpending>) => {
			const within = (spent: SQL) => sql`case when ${spent} <= ${quota} then ${spent} else ${refuse(sql`${name}`)} end`;
			return insertRow(db, dailyCounts, { subject, day, count: within(sql`1`) }, sql`where changes() = 1`)
				.onConflictDoUpdate({
					target: [dailyCounts.subject, dailyCounts.day],
					set: { count: within(sql`${dailyCounts.count} + 1`) },
				})
				.returning({ spent: dailyCounts.count });
		}),

		/**
		 * Spends one of the daily quota of each network, where the statement before it in the batch has written a row. Past a quota, an account that has
		 * spent no more than its share goes on, until twice the quota is spent. Refuses otherwise, for the quota's name.
		 */
		spendOfNetworks: prepare(db, ({ name, networks, day, account, share }: Parameters<NetworkSpending>) => {
			const { count } = dailyCounts;
			const quota = sql`(select value ->> 'quota' from json_each(${networks}) where value ->> 'subject' = excluded.subject)`;
			const spent = sql`(select own.count from ${dailyCounts} as own where own.subject = ${account} and own.day = ${day})`;
			const isWithin = sql`${count} < ${quota} or (${spent} <= ${share} and ${count} < 2 * ${quota})`;
			const next = sql`case when ${isWithin} then ${count} + 1 else ${refuse(sql`${name}`)} end`;
			return countNetworks(db, { networks, day }, next);
		}),

		/** Gives back one that was spent for nothing, where the statement before it in the batch has written a row. */
		refund: prepare(db, ({ subject, day }: Parameters<Pick<DailySpending, "subject" | "day">>) =>
			db
				.update(dailyCounts)
				.set({ count: sql`${dailyCounts.count} - 1` })
				.where(
					and(eq(dailyCounts.subject, subject), eq(dailyCounts.day, day), gt(dailyCounts.count, 0), sql`changes() = 1`),
				),
		),

		/** Deletes up to `count` counts of days before one; how many went. */
		deleteCountsBefore(day: number, count: number): Promise<number> {
			return deleteSome(db, dailyCounts, lt(dailyCounts.day, day), count);
		},
	};
});
