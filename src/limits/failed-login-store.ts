/** All SQL on failed sign-ins. One statement decides and writes, so that racing requests cannot get more tries. */
import { eq, lt, sql } from "drizzle-orm";
import { assertion, ONE_ROW } from "../db/refusal.ts";
import { deletion, hasRow, insertRow, literal } from "../db/rows.ts";
import { failedLogins, failedSignIns, knownNetworks, phoneProofs, users } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { failedSignInLimits } from "../settings/limits.ts";

/** Whose failed sign-ins are counted, as keyed hashes. */
export interface LoginSubject {
	/** Hashes of the phone, and of the phone with its network; for a session, both are the hash of the session. */
	phoneKey: string;
	pairKey: string;
	/** The phone (E.164), and the keys under which the network may be known to have signed in with it. */
	phone: string;
	knownKeys: string[];
	/** Whether only the failures of the pair count. */
	ofPairAlone: boolean;
	/** Milliseconds since the epoch. */
	now: number;
}

/** The state of a sign-in: what stops it now, until when (milliseconds since the epoch), and how many tries the pair has left. */
export interface LoginStanding {
	obstacle: "failed-logins" | "failed-logins-of-phone" | null;
	opensAt: number;
	remaining: number;
	/** Whether the network has signed in with the phone since its present holder got it. */
	isKnown: number;
}

const { "failed-logins": ofPair, "failed-logins-of-phone": ofPhone } = failedSignInLimits;

// Only sign-ins since the number became its present holder's count, so that a former holder's network is not known.
const heldSince = (phone: Parameters<LoginSubject>["phone"]) =>
	sql`(select max(u.created_at, coalesce((select max(p.proved_at) from ${phoneProofs} as p where p.user_id = u.id
		and p.phone = u.phone and (p.taken_from is not null or p.replaced_phone is not null)), 0))
		from ${users} as u where u.phone = ${phone})`;
const isKnownIn = ({ phone, knownKeys }: Parameters<Pick<LoginSubject, "phone" | "knownKeys">>) =>
	hasRow(
		knownNetworks,
		sql`${knownNetworks.key} in (select value from json_each(${knownKeys}))
			and ${knownNetworks.signedInAt} >= ${heldSince(phone)}`,
	);

/** The latest start of a window that is over by now. */
const startOf = ({ window }: { window: number }, now: Parameters<LoginSubject>["now"]) =>
	sql`${now} - ${literal(window)}`;

/** One row with the state of a sign-in. Everything that decides about sign-ins is here. */
const standingOf = (subject: Parameters<LoginSubject>) => {
	const { phoneKey, pairKey, ofPairAlone, now } = subject;
	const { pairKey: pair, phoneKey: phone, count, since, phoneCount, phoneSince, failedAt } = failedSignIns;
	// Doubled 30 times at most, so that no number overflows.
	const delay = sql`min(${literal(ofPhone.longestDelay)},
		${literal(ofPhone.firstDelay)} << max(0, min(30, failures_of_phone - ${literal(ofPhone.quota)})))`;
	return sql`(select *, case obstacle when 'failed-logins-of-phone' then phone_opens_at
			else coalesce(pair_since, ${now}) + ${literal(ofPair.window)} end as opens_at
		from (select *, max(0, ${literal(ofPair.quota)} - failures_of_pair) as remaining, case
			when failures_of_pair >= ${literal(ofPair.quota)} then 'failed-logins'
			when not ${ofPairAlone} and not is_known and failures_of_phone >= ${literal(ofPhone.quota)} and phone_opens_at > ${now}
			then 'failed-logins-of-phone' end as obstacle
		from (select *, newest_of_phone + ${delay} as phone_opens_at, ${isKnownIn(subject)} as is_known
		from (select coalesce(max(${count}), 0) as failures_of_pair, max(${since}) as pair_since
			from ${failedSignIns} where ${eq(pair, pairKey)} and ${since} > ${startOf(ofPair, now)}),
			(select coalesce(sum(${phoneCount}), 0) as failures_of_phone, max(${failedAt}) as newest_of_phone
			from ${failedSignIns} where ${eq(phone, phoneKey)} and ${failedAt} > ${startOf(ofPhone, now)}
				and ${phoneSince} > ${startOf(ofPhone, now)}))))`;
};
const isOpen = (subject: Parameters<LoginSubject>) => sql`(select obstacle from ${standingOf(subject)}) is null`;

/** Reads the state of a sign-in. */
export const stateOfSignIn = statement((subject: Parameters<LoginSubject>) =>
	query
		.select({
			obstacle: sql<LoginStanding["obstacle"]>`obstacle`.as("obstacle"),
			opensAt: sql<number>`opens_at`.as("opens_at"),
			remaining: sql<number>`remaining`.as("remaining"),
			isKnown: sql<number>`is_known`.as("is_known"),
		})
		.from(standingOf(subject)),
);

/** Refuses while a limit stops a sign-in. */
export const assertMayTry = assertion(
	(subject: Parameters<LoginSubject>) => isOpen(subject),
	"too many failed sign-ins",
);

/**
 * Records a failure and returns the key of its pair, or nothing if a limit already stopped the sign-in. A pair has one row, however often
 * it fails, so that nobody fills the database by failing. Its windows begin with the first failure.
 */
export const recordFailure = statement(
	(subject: Parameters<LoginSubject>) => {
		const { phoneKey, pairKey, now } = subject;
		const { count, since, phoneCount, phoneSince } = failedSignIns;
		const isOver = (began: typeof since | typeof phoneSince, limit: { window: number }) =>
			sql`${began} <= ${startOf(limit, now)}`;
		return insertRow(
			failedSignIns,
			{ pairKey, phoneKey, count: 1, since: now, phoneCount: 1, phoneSince: now, failedAt: now },
			sql`where ${isOpen(subject)}`,
		)
			.onConflictDoUpdate({
				target: failedSignIns.pairKey,
				set: {
					count: sql`case when ${isOver(since, ofPair)} then 1 else ${count} + 1 end`,
					since: sql`case when ${isOver(since, ofPair)} then ${now} else ${since} end`,
					phoneCount: sql`case when ${isOver(phoneSince, ofPhone)} then 1 else ${phoneCount} + 1 end`,
					phoneSince: sql`case when ${isOver(phoneSince, ofPhone)} then ${now} else ${phoneSince} end`,
					failedAt: sql`${now}`,
				},
			})
			.returning({ pairKey: failedSignIns.pairKey });
	},
	{ once: true },
);

/** Deletes the failures of a phone from one network. */
export const deleteFailures = statement(({ pairKey }: Parameters<{ pairKey: string }>) =>
	query.delete(failedSignIns).where(eq(failedSignIns.pairKey, pairKey)),
);

/** Whether a network has signed in with a phone since its present holder got it. */
export const isKnown = statement((network: Parameters<Pick<LoginSubject, "phone" | "knownKeys">>) =>
	query.select({ isKnown: sql<number>`${isKnownIn(network)}`.as("is_known") }).from(ONE_ROW),
);

/** Records that a network has signed in with a phone. */
export const noteNetwork = statement(({ key, now }: Parameters<{ key: string; now: number }>) =>
	insertRow(knownNetworks, { key, signedInAt: now }).onConflictDoUpdate({
		target: knownNetworks.key,
		set: { signedInAt: sql`${now}` },
	}),
);

/** The number of recent failures, and of phones among them. Only the latest `limit` pairs of phone and network are counted. */
export const lately = statement(({ limit }: Parameters<{ limit: number }>) =>
	query
		.select({
			count: sql<number>`coalesce(sum(phone_count), 0)`.as("count"),
			phones: sql<number>`count(distinct phone_key)`.as("phones"),
		})
		.from(
			sql`(select phone_key, phone_count from ${failedSignIns} order by ${failedSignIns.failedAt} desc limit ${limit})`,
		),
);

/** Deletes up to `count` failures from before a time (milliseconds since the epoch). */
export const deleteFailedBefore = deletion(failedSignIns, ({ time }: Parameters<{ time: number }>) =>
	lt(failedSignIns.failedAt, time),
);

/** As deleteFailedBefore, for failures that version 0.9.1 recorded. */
export const deleteFormerBefore = deletion(failedLogins, ({ time }: Parameters<{ time: number }>) =>
	lt(failedLogins.failedAt, time),
);

/** Deletes up to `count` networks that have not signed in since a time (milliseconds since the epoch). */
export const deleteNetworksBefore = deletion(knownNetworks, ({ time }: Parameters<{ time: number }>) =>
	lt(knownNetworks.signedInAt, time),
);
