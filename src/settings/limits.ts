/**
 * The whole policy of limits. Each row has a limit's number, the setting that may replace it, and its words. The guide (src/docs/limits.ts)
 * and the settings (src/settings/number-settings.ts) are made from it. A network is an IPv4 address or an IPv6 /56; a wide network is an
 * IPv4 /24 or an IPv6 /48. Acts with a proved credential count for its account, and all others for the network.
 */
import { DAY, HOUR, MINUTE, SECOND } from "../time/time.ts";

/** What a limit shared by many people still allows them in each period, once somebody has used it up. */
interface Trickle {
	count: number;
	/** Milliseconds. */
	every: number;
}

/** One limit. */
export interface Limit {
	/** What is limited, and by what it is counted. */
	what: string;
	by: string;
	quota: number;
	/** The period, or "at a time" for what exists or runs at once. */
	per: "a minute" | "a day" | "in 15 minutes" | "in 24 hours" | "at a time";
	/** What happens past the limit. */
	past: string;
	/** The setting by which operators may change the quota, and its least value. */
	setting?: string;
	least?: number;
	trickle?: Trickle;
	/** What a caller is told past the limit, with {} for the quota. */
	detail?: string;
}

const MINUTE_ENDS = "429 to the end of the minute";
const DAY_ENDS = "429 until midnight UTC";
const WIDE = "IPv4 /24 or IPv6 /48";

const ofMinute = <const Row extends Omit<Limit, "per" | "past"> & { past?: string }>(row: Row) => ({
	per: "a minute" as const,
	past: MINUTE_ENDS,
	...row,
});
const ofDay = <const Row extends Omit<Limit, "per" | "past"> & { past?: string }>(row: Row) => ({
	per: "a day" as const,
	past: DAY_ENDS,
	...row,
});

const trickle = (count: number, every: typeof MINUTE | typeof HOUR, more = "") => ({
	trickle: { count, every },
	past: [`${count} ${every === MINUTE ? "a minute" : "an hour"}`, more].filter(Boolean).join(". "),
});

/** What the platform counts, per minute and at each of its locations, by a `ratelimits` binding for each quota (wrangler.toml). */
export const perMinute = {
	LOOKUPS: ofMinute({
		what: "look-ups of codes that reach the database; apart from them, credentials that are wrong",
		by: "network; with a credential, account",
		quota: 6_000,
		past: `${MINUTE_ENDS}; for wrong credentials, 429 for those that were not verified lately`,
	}),
	UNKNOWN_IN_ZONE: ofMinute({
		what: "codes that do not exist, in one zone",
		by: "network",
		quota: 30,
		past: "429 for look-ups of that zone to the end of the minute, also for items of a batch",
	}),
	UNKNOWN_IN_ZONE_OF_ACCOUNT: ofMinute({
		what: "codes that do not exist, in one zone",
		by: "account",
		quota: 60,
		past: "as above, unless an operator lets it ask for them",
	}),
	UNKNOWN_CODES: ofMinute({
		what: "codes that do not exist, in all zones",
		by: "network; account",
		quota: 300,
		past: "429 for look-ups to the end of the minute, unless an operator lets the account ask for them",
	}),
	BATCHES: ofMinute({
		what: "batches of up to 100 codes or new addresses, dry runs included; pages of the feed, parts of snapshots; lists of over 30 codes at `/list`",
		by: "account; for lists, network",
		quota: 60,
	}),
	AUTH_CALLS: ofMinute({
		what: "calls to `/v1/auth`, and forms about signing in",
		by: "network; signed in, account",
		quota: 300,
	}),
	PASSWORD_CALLS: ofMinute({ what: "password hashes", by: "network; signed in, account", quota: 60 }),
	PASSWORD_CALLS_OF_WIDE_NETWORK: ofMinute({
		what: "password hashes, where the network has not signed in with that phone before",
		by: WIDE,
		quota: 300,
		past: "one a minute for each network there",
	}),
	PASSWORD_CALLS_IN_FULL_NETWORK: ofMinute({
		what: "password hashes past the limit above",
		by: "network",
		quota: 1,
	}),
	PASSWORD_CALLS_OF_PHONE: ofMinute({
		what: "password hashes, where the network has signed in with that phone before",
		by: "phone",
		quota: 10,
	}),
	DRAWINGS: ofMinute({
		what: "street sketches and pictures of cards (PNG) that no cache holds",
		by: "network",
		quota: 60,
		past: "a page comes without its sketch; a picture answers 429 to the end of the minute",
	}),
	DRAWINGS_OF_ACCOUNT: ofMinute({
		what: "street sketches that no cache holds, for people who are signed in",
		by: "account",
		quota: 300,
		past: "a page comes without its sketch",
	}),
} as const satisfies Record<string, Limit>;

export type RateLimitName = keyof typeof perMinute;

/** The binding of wrangler.toml by which the platform counts a limit's calls. Limits of the same number share it. */
export const rateLimitBindingOf = (name: RateLimitName) => `PER_MINUTE_${perMinute[name].quota}` as const;

/** The bindings of rate limits. */
export const rateLimitBindings = [...new Set((Object.keys(perMinute) as RateLimitName[]).map(rateLimitBindingOf))];

/** Failed sign-ins, counted in a table of their own. Past the second limit, networks that are strangers to the phone wait. */
export const failedSignInLimits = {
	"failed-logins": {
		what: "failed sign-ins",
		by: "phone and network",
		quota: 10,
		per: "in 15 minutes",
		past: "429 until the window ends",
		window: 15 * MINUTE,
	},
	"failed-logins-of-phone": {
		what: "failed sign-ins",
		by: "phone",
		quota: 100,
		per: "in 24 hours",
		past: "a network that has never signed in with it waits a second, doubling to a minute",
		window: 24 * HOUR,
		firstDelay: SECOND,
		longestDelay: MINUTE,
	},
} as const satisfies Record<string, Limit & Record<string, unknown>>;

/**
 * How many bytes of texts (UTF-8) make a write count once more. So whatever the texts, a write takes at most about 1,200 bytes of the
 * database for each time it counts (test/attack/month.test.ts measures it).
 */
export const BYTES_OF_WRITE = 500;

/** How long an account is new after it was opened. New ones keep fewer sessions, and stop where their wide network has written much. */
export const YOUNG_FOR = 30 * DAY;

/**
 * Past the quota of a wide network, an older account may still write this many of a kind that day, until as much again is used. It ends
 * there because whoever opens accounts need only wait until they are old.
 */
export const SHARE_OF_OLDER_ACCOUNT = 200;

/**
 * Past the quota of a network, an account may still write this many of a kind that day, until half the quota again is used. It ends there
 * because accounts are free: 5,820 a day, each with nine addresses, would fill the database in half a month.
 */
export const SHARE_OF_ACCOUNT = 10;

/** What the database counts in a day (UTC). */
export const perDay = {
	"registrations-of-network": ofDay({
		what: "accounts opened without a one-time code",
		by: "network",
		quota: 1_500,
		...trickle(3, MINUTE),
		detail: "Many accounts were opened from your network today (UTC).",
	}),
	"registrations-of-wide-network": ofDay({
		what: "accounts opened without a one-time code",
		by: WIDE,
		quota: 10_000,
		...trickle(3, MINUTE),
		detail: "Many accounts were opened around your network today (UTC).",
	}),
	"new-addresses": ofDay({
		what: "new addresses",
		by: "account",
		quota: 2_000,
		setting: "NEW_ADDRESSES_PER_ACCOUNT_AND_DAY",
		detail: "An account may create {} addresses per day (UTC).",
	}),
	"sandbox-addresses": ofDay({
		what: "sandbox addresses",
		by: "account",
		quota: 1_000,
		detail: "An account may create {} sandbox addresses per day (UTC).",
	}),
	changes: ofDay({
		what: "changes of addresses, their units and links",
		by: "account",
		quota: 2_000,
		detail: "An account may change its addresses {} times per day (UTC).",
		past: "429 until midnight UTC, but as many acts that only take away go on",
	}),
	"new-keys": ofDay({
		what: "new API keys",
		by: "account",
		quota: 100,
		detail: "An account may create {} keys per day (UTC), including those that it revokes.",
	}),
	"private-reads": ofDay({
		what: "private addresses read",
		by: "agent",
		quota: 50,
		detail: "An agent may read {} private addresses per day (UTC).",
	}),
	attestations: ofDay({
		what: "attestations, and tries to be shown a recovery code",
		by: "agent",
		quota: 500,
		detail:
			"An agent may attest {} addresses and phone numbers per day (UTC). Tries to be shown a recovery code count, too.",
	}),
	"writes-of-network": ofDay({
		what: `writes: new addresses, changes, keys and attestations together. One counts once more for every ${BYTES_OF_WRITE} bytes of its texts`,
		by: "network",
		quota: 20_000,
		setting: "WRITES_PER_NETWORK_AND_DAY",
		least: 1,
		past: `accounts with fewer than ${SHARE_OF_ACCOUNT} of a kind that day may continue, up to half as much again. Accounts with an allowance of new addresses, and acts that only take away, are not counted`,
		detail: `Too much was written from your network today (UTC). Until tomorrow, each account may write ${SHARE_OF_ACCOUNT} times from there.`,
	}),
	"writes-of-wide-network": ofDay({
		what: "the same writes",
		by: WIDE,
		quota: 40_000,
		...trickle(
			3,
			MINUTE,
			`Accounts older than ${YOUNG_FOR / DAY} days may continue up to ${SHARE_OF_OLDER_ACCOUNT} of a kind that day, together up to as much again. Then 3 a minute are left to them as well. Who and what is not counted above is not counted here either`,
		),
		detail: "Too much was written around your network today (UTC).",
	}),
	"new-addresses-of-zone": ofDay({
		what: "new addresses in one zone",
		by: "everybody",
		quota: 500,
		past: "operators are shown it, and nobody is refused",
	}),
	exports: ofDay({
		what: "exports of an account",
		by: "account",
		quota: 20,
		detail: "An account may export its data {} times per day (UTC).",
	}),
	closings: ofDay({
		what: "closings of an account; opening it again is not counted",
		by: "account",
		quota: 2,
		detail: "An account may be closed {} times per day (UTC).",
	}),
	"reports-of-address": ofDay({
		what: "reports about one address without an account",
		by: "network",
		quota: 3,
		...trickle(1, HOUR),
		detail: "From your network, too many reports were sent about this address today (UTC).",
	}),
	"reports-of-network": ofDay({
		what: "reports without an account",
		by: "network",
		quota: 100,
		...trickle(1, HOUR),
		detail: "From your network, too many reports were sent today (UTC).",
	}),
	"reports-of-wide-network": ofDay({
		what: "reports without an account",
		by: WIDE,
		quota: 2_000,
		...trickle(1, MINUTE),
		detail: "From around your network, too many reports were sent today (UTC).",
	}),
	"one-time-codes-of-account": ofDay({
		what: "one-time codes",
		by: "account",
		quota: 10,
		detail: "Your account may request {} one-time codes per day (UTC).",
	}),
	"one-time-codes-of-network": ofDay({
		what: "one-time codes without an account",
		by: "network, unless it has signed in with that phone before",
		quota: 50,
		...trickle(3, HOUR),
		detail: "Your network may request {} one-time codes per day (UTC) for people who are not signed in.",
	}),
	"one-time-codes-of-calling-code": ofDay({
		what: "one-time codes to one calling code",
		by: "everybody; apart from them, accounts opened before that day",
		quota: 1_000,
		setting: "OTP_PER_CALLING_CODE_AND_DAY",
		detail: "No more one-time codes can be sent to this country today (UTC). Try again tomorrow.",
	}),
} as const satisfies Record<string, Limit>;

/** Limits on what is stored, counted in the table that stores it. */
export const standingLimits = {
	"live-keys": {
		what: "API keys",
		by: "account",
		quota: 50,
		per: "at a time",
		past: "429 until one is revoked",
	},
	"one-time-codes": {
		what: "one-time codes to one phone",
		by: "account or network that asks",
		quota: 5,
		per: "in 24 hours",
		past: "429 until the oldest is as old",
	},
	"one-time-codes-of-strangers": {
		what: "one-time codes to one phone",
		by: "everybody who is a stranger to the phone",
		quota: 10,
		per: "in 24 hours",
		past: "429 until the oldest is as old",
	},
} as const satisfies Record<string, Limit>;

/** Limits on what is in progress, counted in an isolate. */
export const inProgress = {
	"heavy-calls": {
		what: "batches of new addresses and exports; lists of over 30 codes at `/list`",
		by: "account; for lists, network",
		quota: 1,
		per: "at a time",
		past: "ten of an account and all lists of a network may wait for six seconds, then 429",
		waitingMax: 10,
		longestWait: 6 * SECOND,
		/** How long a call counts after its last sign of life. */
		silenceMax: 15 * SECOND,
	},
} as const satisfies Record<string, Limit & Record<string, unknown>>;

/** All limits, in the guide's order. */
export const limits: Readonly<Record<string, Limit>> = {
	...perMinute,
	...failedSignInLimits,
	...perDay,
	...standingLimits,
	...inProgress,
};

type Settable = Extract<(typeof perDay)[keyof typeof perDay], { setting: string }>;

/** The limits that operators may set, by setting: the default, and the least and greatest values. */
export const limitSettings = Object.fromEntries(
	Object.values(limits).flatMap(({ setting, quota, least = 0 }) =>
		setting ? [[setting, { default: quota, min: least, max: 10_000_000 }]] : [],
	),
) as Record<Settable["setting"], { default: number; min: number; max: number }>;

/** The rules for one-time codes, apart from how many may be sent. Times are in milliseconds. */
export const oneTimeCodes = {
	lifetime: 10 * MINUTE,
	/** Tries at one code where it was asked for, and as many again from elsewhere. */
	tries: 5,
	/** The least time between two codes that one asker has sent to one phone. */
	interval: MINUTE,
} as const;

/** Past how many private reads in a day by one agent operators are shown it: more than anybody visits in a day. */
export const PRIVATE_READS_SHOWN = 15;

/** The most sessions of an account. A sign-in past that deletes a session, ended ones first, then the oldest. */
export const SESSIONS_PER_ACCOUNT = 100;
/** The same for a young account. Otherwise somebody who opens accounts by the thousand would fill the database with their sessions. */
export const SESSIONS_OF_YOUNG_ACCOUNT = 4;

/**
 * The rules for recovering an account through an operator and an agent. They say how long the account must have been unused, how long a
 * recovery waits, and when it lapses. Then how long the agent who was shown the code can get another, in case the answer was lost; how many
 * recoveries one operator may ask for in 24 hours; and the most addresses that the account may have. Times are in milliseconds.
 */
export const recovery = {
	unusedFor: 30 * DAY,
	wait: 7 * DAY,
	lapse: 37 * DAY,
	repeatable: 15 * MINUTE,
	perDay: 5,
	addressesMax: 20,
} as const;
