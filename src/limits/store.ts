import { and, eq, gt, lt, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, deleteSome } from "../db/open.ts";
import { retryIdempotent } from "../db/retry.ts";
import { dailyCounts, failedLogins } from "../db/schema.ts";

/** Whose failed sign-ins are counted: keyed hashes of a phone, and of that phone with a network. */
export interface LoginSubject {
	phoneKey: string;
	pairKey: string;
}

/** How many failures there are in a window, and when the oldest of them was (milliseconds since the epoch). */
export interface Failures {
	count: number;
	oldest: number | null;
}

/** A sliding window: at most `quota` failures after `since` (milliseconds since the epoch). */
export interface FailureWindow {
	quota: number;
	since: number;
}

export type LimitStore = ReturnType<typeof createLimitStore>;

/** All SQL on exact limits. Every statement that spends decides and writes at once, so that racing requests cannot overspend. */
export function createLimitStore(db: Database) {
	const ofPair = ({ pairKey }: LoginSubject, since: number) =>
		and(eq(failedLogins.pairKey, pairKey), gt(failedLogins.failedAt, since));
	const ofPhone = ({ phoneKey }: LoginSubject, since: number) =>
		and(eq(failedLogins.phoneKey, phoneKey), gt(failedLogins.failedAt, since));
	const failures = (condition: ReturnType<typeof ofPair>) =>
		db
			.select({ count: sql<number>`count(*)`, oldest: sql<number | null>`min(${failedLogins.failedAt})` })
			.from(failedLogins)
			.where(condition);

	return {
		/** The failures of a phone and network, and those of the phone from anywhere. */
		async failedLogins(
			subject: LoginSubject,
			pairSince: number,
			phoneSince: number,
		): Promise<{ pair: Failures; phone: Failures }> {
			const [[pair], [phone]] = await db.batch([
				failures(ofPair(subject, pairSince)),
				failures(ofPhone(subject, phoneSince)),
			]);
			const none = { count: 0, oldest: null };
			return { pair: pair ?? none, phone: phone ?? none };
		},

		/** Writes down a failure, unless one of the windows is full; false then. */
		async recordFailedLogin(
			subject: LoginSubject,
			pair: FailureWindow,
			phone: FailureWindow,
			now: number,
		): Promise<boolean> {
			const count = (condition: ReturnType<typeof ofPair>) =>
				sql`(select count(*) from ${failedLogins} where ${condition})`;
			const recorded = await insertRow(
				db,
				failedLogins,
				// SQLite numbers the row where the id is null.
				{ ...subject, id: sql`null`, failedAt: now },
				sql`where ${count(ofPair(subject, pair.since))} < ${pair.quota} and ${count(ofPhone(subject, phone.since))} < ${phone.quota}`,
			).returning({ id: failedLogins.id });
			return recorded.length === 1;
		},

		/** Forgets the failures of a phone and network. */
		async clearFailedLogins({ pairKey }: LoginSubject): Promise<void> {
			await retryIdempotent(() => db.delete(failedLogins).where(eq(failedLogins.pairKey, pairKey)).run());
		},

		/** Spends one of a subject's daily quota; how many are spent then, or undefined when none was left. */
		async spend(subject: string, day: number, quota: number): Promise<number | undefined> {
			if (quota < 1) return undefined;
			const [row] = await insertRow(db, dailyCounts, { subject, day, count: 1 })
				.onConflictDoUpdate({
					target: [dailyCounts.subject, dailyCounts.day],
					set: { count: sql`${dailyCounts.count} + 1` },
					setWhere: sql`${dailyCounts.count} < ${quota}`,
				})
				.returning({ count: dailyCounts.count });
			return row?.count;
		},

		/** Gives back one that was spent for nothing. */
		async refund(subject: string, day: number): Promise<void> {
			await db
				.update(dailyCounts)
				.set({ count: sql`${dailyCounts.count} - 1` })
				.where(and(eq(dailyCounts.subject, subject), eq(dailyCounts.day, day), gt(dailyCounts.count, 0)));
		},

		/** Deletes up to `count` failures from before a time (milliseconds since the epoch); how many went. */
		deleteFailedBefore(time: number, count: number): Promise<number> {
			return deleteSome(db, failedLogins, lt(failedLogins.failedAt, time), count);
		},

		/** Deletes up to `count` counts of days before one; how many went. */
		deleteCountsBefore(day: number, count: number): Promise<number> {
			return deleteSome(db, dailyCounts, lt(dailyCounts.day, day), count);
		},
	};
}
