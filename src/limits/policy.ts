/**
 * The whole policy of limits. A network is an IPv4 address or an IPv6 /56. What a proved credential does counts for its account, and
 * anything else for its network. Where no number here is a setting of an operator (src/env.ts), it is a constant. A test holds
 * wrangler.toml and the manual to this.
 */
import { DAY, HOUR, MINUTE, SECOND } from "../time.ts";

/** What the platform counts, each in a minute and at each of its locations: a `ratelimits` binding of wrangler.toml. */
export const perMinute = {
	/**
	 * Look-ups of codes that reach the database, by network; with a credential, by account. Apart from them, wrong credentials, by network.
	 */
	LOOKUPS: 6_000,
	/** Codes of one zone that do not exist, by network, and by account. Past it, look-ups in that zone are refused. */
	UNKNOWN_IN_ZONE: 30,
	UNKNOWN_IN_ZONE_OF_ACCOUNT: 60,
	/** Codes that do not exist, in all, by network or account. Past it, look-ups are refused. */
	UNKNOWN_CODES: 300,
	/** Batches of codes and of new addresses, and pages of the feed, by account. */
	BATCHES: 60,
	/** Calls to /v1/auth and forms about signing in, by network; signed in, by account. */
	AUTH_CALLS: 300,
	/** Calls that hash a password, by network; signed in, by account; where the network has signed in with the phone before, by phone. */
	PASSWORD_CALLS: 60,
	PASSWORD_CALLS_OF_PHONE: 10,
	/** Street sketches and pictures of cards that no cache holds, by network; signed in, by account. */
	DRAWINGS: 60,
	DRAWINGS_OF_ACCOUNT: 300,
} as const;

/** Failed sign-ins: with one phone from one network, and with one phone from anywhere; past the latter, strangers to the phone wait. */
export const failedSignIns = {
	ofPair: { quota: 10, window: 15 * MINUTE },
	ofPhone: { quota: 100, window: 24 * HOUR, firstDelay: SECOND, longestDelay: MINUTE },
} as const;

/**
 * What the database counts in a day (UTC) for an account or agent: the quota, or the setting that holds it, and what a caller is told
 * past it, with {} for the quota.
 */
export const perDay = {
	"new-addresses": {
		quota: "NEW_ADDRESSES_PER_ACCOUNT_AND_DAY",
		detail: "An account may create {} addresses per day (UTC).",
	},
	"sandbox-addresses": { quota: 1_000, detail: "An account may create {} sandbox addresses per day (UTC)." },
	changes: { quota: 2_000, detail: "An account may change its addresses {} times per day (UTC)." },
	"new-keys": { quota: 100, detail: "An account may create {} keys per day (UTC), including those that it revokes." },
	"private-reads": { quota: 50, detail: "An agent may read {} private addresses per day (UTC)." },
	attestations: { quota: 500, detail: "An agent may attest {} addresses and phone numbers per day (UTC)." },
	exports: { quota: 20, detail: "An account may export its data {} times per day (UTC)." },
} as const;

/** What a limit that stands for many people leaves to them each time, once somebody has used it up. */
export interface Trickle {
	count: number;
	/** Milliseconds. */
	every: number;
}

/**
 * What all accounts of one network write in a day: past the setting, accounts that wrote fewer than `share` that day go on, up to twice
 * the setting; one with an allowance of new addresses is not counted. It ends there because accounts are free: 5,820 a day, each with nine
 * addresses, would fill the database in half a month.
 */
export const writesOfNetwork = { quota: "WRITES_PER_NETWORK_AND_DAY", share: 10 } as const;

/**
 * A write counts as one, and as one more for each time that its texts hold so many bytes (UTF-8). So whatever the texts are, it takes at
 * most about 1,200 bytes of the database for each that it counts as (test/attack/month.test.ts measures it).
 */
export const BYTES_OF_WRITE = 500;

/**
 * What accounts that were opened lately write in a day from one wide network, an IPv4 /24 or IPv6 /48; and how many are opened there. Older
 * accounts, those with an allowance, and acts that take something away are not counted.
 */
export const ofWideNetwork = { quota: 40_000, trickle: { count: 3, every: MINUTE }, youngFor: 30 * DAY } as const;

/** Accounts that are opened from one network in a day (UTC), past its setting. */
export const lastRegistrations: Trickle = { count: 3, every: MINUTE };

/** Reports without account in a day (UTC): of one network about one address, of one network in all, and of a wide network. */
export const reportsPerDay = {
	ofAddress: 3,
	ofNetwork: 100,
	trickle: { count: 1, every: HOUR },
	ofWideNetwork: { quota: 2_000, trickle: { count: 1, every: MINUTE } },
} as const;

/** How long a report is kept. */
export const REPORTS_KEPT = 90 * DAY;

/** New addresses of one zone in a day (UTC), past which the operator is shown. */
export const NEW_IN_ZONE_SHOWN = 500;

/** Private addresses that an agent reads in a day before operators are shown it: more than anybody visits in one. */
export const PRIVATE_READS_SHOWN = 15;

/** One-time codes. The settings count in a day (UTC): those that a network without account asks for, and those to one calling code. */
export const oneTimeCodes = {
	lifetime: 10 * MINUTE,
	/** Tries at one code where it was asked for, and as many from elsewhere. */
	tries: 5,
	/** Between two codes to one phone of one asker. */
	interval: MINUTE,
	/** To one phone in 24 hours: of one asker, and of all strangers to it. */
	ofAsker: 5,
	ofPhone: 10,
	/** Of one account in a day (UTC). */
	ofAccount: 10,
	/** Of a network without account in a day (UTC), past its setting. */
	trickle: { count: 3, every: HOUR },
} as const;

/** How long a number that an agent attested waits for its holder, and once they accepted it for an operator. */
export const PENDING_PHONE_KEPT = 30 * DAY;

/** Sessions of an account: a sign-in past that ends the oldest one. */
export const SESSIONS_PER_ACCOUNT = 100;

/** How long a network or device is remembered from which somebody has signed in. */
export const KNOWN_FOR = 365 * DAY;

/** How long after its opening an account without address, key or second sign-in is erased. */
export const UNUSED_ACCOUNT_KEPT = 30 * DAY;

/** How long an Idempotency-Key is remembered. */
export const IDEMPOTENCY_KEY_KEPT = 7 * DAY;

/** How long changes of addresses stay in the feed. A reader who comes later starts from a snapshot. */
export const CHANGES_KEPT = 35 * DAY;

/** How long ended sessions, failed sign-ins and one-time codes are kept. */
export const SHORT_RECORDS_KEPT = DAY;
