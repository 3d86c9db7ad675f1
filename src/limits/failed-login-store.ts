/** All SQL on failed sign-ins. What decides and what writes is one statement, so that racing requests cannot get more tries. */
import { eq, lt, sql } from "drizzle-orm";
import { assertion, ONE_ROW } from "../db/refusal.ts";
import { deletion, hasRow, insertRow } from "../db/rows.ts";
import { failedLogins, knownNetworks, phoneProofs, users } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { failedSignIns } from "./policy.ts";

/** Whose failed sign-ins are counted, by keyed hashes. */
export interface LoginSubject {
	/** Of the phone, and of the phone with the network, or of the session. */
	phoneKey: string;
	pairKey: string;
	/** E.164, and a JSON list of the keys under which the network or device is known to have signed in with it. */
	phone: string;
	knownKeys: string;
	/** Whether the failures of the pair alone count. */
	ofPairAlone: boolean;
	/** Milliseconds since the epoch. */
	now: number;
}

/** The state of a sign-in: what stops it now, until when (milliseconds since the epoch), and how many tries the pair has left. */
export interface LoginStanding {
	obstacle: "failed-logins" | "failed-logins-of-phone" | null;
	opensAt: number;
	remaining: number;
	/** Whether the network or device has signed in with the phone since its holder has it. */
	isKnown: number;
}

const { "failed-logins": ofPair, "failed-logins-of-phone": ofPhone } = failedSignIns;

const number = (value: number) => sql.raw(String(value));
// Sign-ins count from when the number became its holder's, so that nobody is known by what they did as its holder before.
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

/** The one row with the state of a sign-in. All that decides about sign-ins is here. */
const standingOf = (subject: Parameters<LoginSubject>) => {
	const { phoneKey, pairKey, ofPairAlone, now } = subject;
	const since = ({ window }: { window: number }) => sql`failed_at > ${now} - ${number(window)}`;
	// Doubled 30 times at most, so that no number overflows.
	const delay = sql`min(${number(ofPhone.longestDelay)},
		${number(ofPhone.firstDelay)} << max(0, min(30, phone_count - ${number(ofPhone.quota)})))`;
	return sql`(select *, case obstacle
			when 'failed-logins-of-phone' then phone_opens_at
			else coalesce(pair_oldest, ${now}) + ${number(ofPair.window)} end as opens_at
		from (select *, max(0, ${number(ofPair.quota)} - pair_count) as remaining, case
			when pair_count >= ${number(ofPair.quota)} then 'failed-logins'
			when not ${ofPairAlone} and not is_known and phone_count >= ${number(ofPhone.quota)} and phone_opens_at > ${now}
			then 'failed-logins-of-phone' end as obstacle
		from (select *, phone_newest + ${delay} as phone_opens_at, ${isKnownIn(subject)} as is_known
		from (select count(*) as pair_count, min(failed_at) as pair_oldest
			from ${failedLogins} where ${eq(failedLogins.pairKey, pairKey)} and ${since(ofPair)}),
			(select count(*) as phone_count, max(failed_at) as phone_newest
			from ${failedLogins} where ${eq(failedLogins.phoneKey, phoneKey)} and ${since(ofPhone)}))))`;
};
const isOpen = (subject: Parameters<LoginSubject>) => sql`(select obstacle from ${standingOf(subject)}) is null`;

/** Reads the state of a sign-in. */
export const standing = statement((subject: Parameters<LoginSubject>) =>
	query
		.select({
			obstacle: sql<LoginStanding["obstacle"]>`obstacle`.as("obstacle"),
			opensAt: sql<number>`opens_at`.as("opens_at"),
			remaining: sql<number>`remaining`.as("remaining"),
			isKnown: sql<number>`is_known`.as("is_known"),
		})
		.from(standingOf(subject)),
);

/** Refuses while something stops a sign-in. */
export const assertOpen = assertion((subject: Parameters<LoginSubject>) => isOpen(subject), "too many failed sign-ins");

/** Records a failure and returns its id, or nothing where something stopped the sign-in already. */
export const recordFailure = statement(
	(subject: Parameters<LoginSubject>) =>
		insertRow(
			failedLogins,
			// SQLite numbers the row where the id is null.
			{ id: sql`null`, phoneKey: subject.phoneKey, pairKey: subject.pairKey, failedAt: subject.now },
			sql`where ${isOpen(subject)}`,
		).returning({ id: failedLogins.id }),
	{ once: true },
);

/** Deletes the failures of a phone from one network. */
export const forgetFailures = statement(({ pairKey }: Parameters<{ pairKey: string }>) =>
	query.delete(failedLogins).where(eq(failedLogins.pairKey, pairKey)),
);

/** Tells whether a network or device has signed in with a phone since its holder has it. */
export const isKnown = statement((network: Parameters<Pick<LoginSubject, "phone" | "knownKeys">>) =>
	query.select({ isKnown: sql<number>`${isKnownIn(network)}`.as("is_known") }).from(ONE_ROW),
);

/** Notes that a network or device has signed in with a phone. */
export const noteNetwork = statement(({ key, now }: Parameters<{ key: string; now: number }>) =>
	insertRow(knownNetworks, { key, signedInAt: now }).onConflictDoUpdate({
		target: knownNetworks.key,
		set: { signedInAt: sql`${now}` },
	}),
);

/** How many failures there were lately, and with how many phones; no more than `limit` are counted. */
export const lately = statement(({ limit }: Parameters<{ limit: number }>) =>
	query
		.select({
			count: sql<number>`count(*)`.as("count"),
			phones: sql<number>`count(distinct phone_key)`.as("phones"),
		})
		.from(sql`(select phone_key from ${failedLogins} order by ${failedLogins.failedAt} desc limit ${limit})`),
);

/** Deletes up to `count` failures from before a time (milliseconds since the epoch). */
export const deleteFailedBefore = deletion(failedLogins, ({ time }: Parameters<{ time: number }>) =>
	lt(failedLogins.failedAt, time),
);

/** Deletes up to `count` networks that have not signed in since a time. */
export const deleteNetworksBefore = deletion(knownNetworks, ({ time }: Parameters<{ time: number }>) =>
	lt(knownNetworks.signedInAt, time),
);
