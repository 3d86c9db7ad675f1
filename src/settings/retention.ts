/**
 * How long the registry retains what it stores, in milliseconds. The privacy page and the guides say the same. What the
 * journal retains stands in src/journal/retention.ts.
 */
import { DAY } from "../time/time.ts";

/** How long a report is retained. */
export const REPORTS_RETENTION = 90 * DAY;

/** How long a number that an agent attested waits for its holder and, once accepted, for an operator. */
export const PENDING_PHONE_RETENTION = 30 * DAY;

/** How long a network is remembered after somebody signed in from it. */
export const KNOWN_FOR = 365 * DAY;

/** How long after it was opened an account without address, key or second sign-in is erased. */
export const UNUSED_ACCOUNT_RETENTION = 30 * DAY;

/** How long an Idempotency-Key is remembered. */
export const IDEMPOTENCY_KEY_RETENTION = 7 * DAY;

/** How long changes of addresses stay in the feed. A reader who comes later starts from a snapshot. */
export const CHANGES_RETENTION = 35 * DAY;

/** How long ended sessions, failed sign-ins and one-time codes are retained. */
export const SHORT_RECORDS_RETENTION = DAY;

/** How long a sandbox address is retained. */
export const SANDBOX_RETENTION = 30 * DAY;

/** The times that an operator may set, in days: the default, the least and the most. */
export const retentionSettings = {
	/** The longest life of a session, however much it is used. */
	SESSION_DAYS_MAX: { default: 180, min: 1, max: 3_650 },
	/** How long a verified number that an account has replaced stays reserved for it, so that nobody else gets it meanwhile. */
	PHONE_RESERVED_DAYS: { default: 30, min: 0, max: 3_650, erases: true },
	/** How long a closed account is retained before everything of its holder is erased. Until then, signing in opens it again. */
	ACCOUNT_ERASURE_DAYS: { default: 7, min: 0, max: 365, erases: true },
	/** How long a retired address is retained before its point, label, owner and history are erased. */
	RETIRED_ADDRESSES_KEPT_DAYS: { default: 30, min: 0, max: 3_650, erases: true },
	/** How long a revoked key is retained, so that one can still tell what a leaked key did. */
	REVOKED_KEYS_KEPT_DAYS: { default: 90, min: 0, max: 3_650, erases: true },
} as const;
