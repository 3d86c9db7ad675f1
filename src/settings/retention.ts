/**
 * How long the registry retains what it stores, in milliseconds. The privacy page and the guides say the same. How long an account waits
 * until it is erased is a setting (number-settings.ts), and what the journal retains stands in src/journal/retention.ts.
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
