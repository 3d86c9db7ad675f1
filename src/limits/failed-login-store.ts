import { and, eq, exists, gt, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, deleteSome, perDatabase } from "../db/open.ts";
import { assertThat, ONE_ROW } from "../db/refusal.ts";
import { dailyCounts, failedLogins, knownNetworks } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";
import { countNetworks } from "./store.ts";

/** Whose failed sign-ins are counted, by keyed hashes, and how many there may be. Times in milliseconds since the epoch. */
export interface LoginLimits {
	/** Of the phone, and of the phone with the narrowest network, or of the session. */
	phoneKey: string;
	pairKey: string;
	/** JSON list of the keys under which the network is known to have signed in with the phone. */
	knownKeys: string;
	/** JSON list with the `subject` and the `quota` of each width of the network, for its failures of a day with any phone. */
	networks: string;
	/** Days since 1970-01-01 UTC. */
	day: number;
	now: number;
	/** Whether the failures of the pair alone count. */
	isOwn: boolean;
	/** The pair may have so many failures after this time. */
	pairSince: number;
	pairQuota: number;
	/** The phone may have so many failures after this time; past that, there is a delay after each. */
	phoneSince: number;
	phoneQuota: number;
	/** How many of them it may have where the network is past its quota. */
	phoneQuotaPastNetwork: number;
	/** The first delay, the first one where the network is past its quota, and the longest, in milliseconds; each further failure doubles it. */
	firstDelay: number;
	firstDelayPastNetwork: number;
	longestDelay: number;
}

/** How often a delay is doubled at most, so that no number overflows. */
export const DOUBLINGS_MAX = 30;

/** The reason for which a sign-in is refused when its phone or network has too many failures. */
export const TOO_MANY_FAILURES = "too many failed logins";

export type FailedLoginStore = ReturnType<typeof failedLoginStoreOf>;

/** All SQL on failed sign-ins. Every statement that counts decides and writes at once, so that racing requests cannot get more tries. */
export const failedLoginStoreOf = perDatabase((db: Database) => {
	const ofPair = ({ pairKey, pairSince }: Parameters<LoginLimits>) =>
		and(eq(failedLogins.pairKey, pairKey), gt(failedLogins.failedAt, pairSince));
	const ofPhone = ({ phoneKey, phoneSince }: Parameters<LoginLimits>) =>
		and(eq(failedLogins.phoneKey, phoneKey), gt(failedLogins.failedAt, phoneSince));
	const select = <Value>(expression: SQL, condition: SQL | undefined) =>
		sql<Value>`(select ${expression} from ${failedLogins} where ${condition})`;
	const count = sql`count(*)`;
	const oldest = sql`min(${failedLogins.failedAt})`;
	const newest = sql`max(${failedLogins.failedAt})`;

	/** Whether the network has signed in with the phone before. */
	const isKnown = ({ knownKeys }: Parameters<Pick<LoginLimits, "knownKeys">>) =>
		sql<number>`${exists(
			db
				.select({ key: knownNetworks.key })
				.from(knownNetworks)
				.where(sql`${knownNetworks.key} in (select value from json_each(${knownKeys}))`),
		)}`;
	/** The widest width of the network that has used its day's quota up, by its place in the list; null when none has. */
	const spentWidth = ({ networks, day }: Parameters<LoginLimits>) =>
		sql<number | null>`(select max(network.key) from json_each(${networks}) as network inner join ${dailyCounts}
			on ${dailyCounts.subject} = network.value ->> 'subject' and ${dailyCounts.day} = ${day}
			where ${dailyCounts.count} >= network.value ->> 'quota')`;
	const isPhoneOpen = (limits: Parameters<LoginLimits>, quota: SQLWrapper, firstDelay: SQLWrapper) => {
		const failures = select<number>(count, ofPhone(limits));
		const delay = sql`min(${limits.longestDelay}, ${firstDelay} << min(${DOUBLINGS_MAX}, ${failures} - ${quota}))`;
		return sql`(${failures} < ${quota} or ${select(newest, ofPhone(limits))} <= ${limits.now} - ${delay})`;
	};
	const isOpen = (limits: Parameters<LoginLimits>) =>
		sql`${select(count, ofPair(limits))} < ${limits.pairQuota}
			and (${limits.isOwn} or ${isKnown(limits)} or (${isPhoneOpen(limits, limits.phoneQuota, limits.firstDelay)}
			and (${spentWidth(limits)} is null or ${isPhoneOpen(limits, limits.phoneQuotaPastNetwork, limits.firstDelayPastNetwork)})))`;

	return {
		/** Counts the failures of a phone from one network, and those of the phone from anywhere. */
		failures: prepare(db, (limits: Parameters<LoginLimits>) =>
			db
				.select({
					pairCount: select<number>(count, ofPair(limits)).as("pair_count"),
					pairOldest: select<number | null>(oldest, ofPair(limits)).as("pair_oldest"),
					phoneCount: select<number>(count, ofPhone(limits)).as("phone_count"),
					phoneNewest: select<number | null>(newest, ofPhone(limits)).as("phone_newest"),
					isKnown: isKnown(limits).as("is_known"),
					spentWidth: spentWidth(limits).as("spent_width"),
				})
				.from(ONE_ROW),
		),

		/** Refuses for TOO_MANY_FAILURES while there are too many. */
		assertOpen: prepare(db, (limits: Parameters<LoginLimits>) => assertThat(db, isOpen(limits), TOO_MANY_FAILURES)),

		/** Records a failure and returns its id, or nothing where there are too many already. */
		recordFailure: prepare(db, (failure: Parameters<LoginLimits>) =>
			insertRow(
				db,
				failedLogins,
				// SQLite numbers the row where the id is null.
				{ id: sql`null`, phoneKey: failure.phoneKey, pairKey: failure.pairKey, failedAt: failure.now },
				sql`where ${isOpen(failure)}`,
			).returning({ id: failedLogins.id }),
		),

		/** Counts a failure under every width of its network, where the statement before it in the batch has written a row. */
		countOfNetworks: prepare(db, ({ networks, day }: Parameters<Pick<LoginLimits, "networks" | "day">>) =>
			countNetworks(db, { networks, day }, sql`${dailyCounts.count} + 1`),
		),

		/** Deletes the failures of a phone from one network. */
		forgetFailures: prepare(db, ({ pairKey }: Parameters<{ pairKey: string }>) =>
			db.delete(failedLogins).where(eq(failedLogins.pairKey, pairKey)),
		),

		/** Tells whether a network has signed in with a phone before. */
		isKnown: prepare(db, (network: Parameters<Pick<LoginLimits, "knownKeys">>) =>
			db.select({ isKnown: isKnown(network).as("is_known") }).from(ONE_ROW),
		),

		/** Notes that a network has signed in with a phone. */
		noteNetwork: prepare(db, ({ key, now }: Parameters<{ key: string; now: number }>) =>
			insertRow(db, knownNetworks, { key, signedInAt: now }).onConflictDoUpdate({
				target: knownNetworks.key,
				set: { signedInAt: sql`${now}` },
			}),
		),

		/** Deletes up to `count` failures from before a time (milliseconds since the epoch); how many went. */
		deleteFailedBefore(time: number, count: number): Promise<number> {
			return deleteSome(db, failedLogins, lt(failedLogins.failedAt, time), count);
		},

		/** Deletes up to `count` networks that have not signed in since a time (milliseconds since the epoch); how many went. */
		deleteNetworksBefore(time: number, count: number): Promise<number> {
			return deleteSome(db, knownNetworks, lt(knownNetworks.signedInAt, time), count);
		},
	};
});
