/**
 * What one account, and what everybody behind one network together, may write in a day (UTC), so that nobody fills the database. Each write
 * spends in the batch that writes, so a write that comes to nothing spends nothing and one that is refused is not counted.
 */
import type { Context } from "hono";
import type { Database } from "../db/open.ts";
import { refusalOf } from "../db/refusal.ts";
import type { Statement } from "../db/statement.ts";
import type { Limits } from "../env.ts";
import { AppError } from "../errors.ts";
import { keyedHash } from "../hash.ts";
import type { AppEnv } from "../http/app-env.ts";
import { clientNetworks } from "../http/rate-limit.ts";
import { DAY } from "../time.ts";
import { type DailyQuota, dailyQuota } from "./daily-quota.ts";
import { secondsUntil } from "./rate-limit-headers.ts";
import { limitStoreOf } from "./store.ts";

/** How many times as much each wider width of a network may write as the one within it. */
export const WIDER_TIMES = 2;

/** What an account may write: the setting that limits it, and what a caller is told past it. The names are public. */
const kinds = {
	"new-addresses": {
		setting: "NEW_ADDRESSES_PER_ACCOUNT_AND_DAY",
		detail: (quota) => `An account may create ${quota} addresses per day (UTC).`,
	},
	changes: {
		setting: "CHANGES_PER_ACCOUNT_AND_DAY",
		detail: (quota) => `An account may change labels and pins ${quota} times per day (UTC).`,
	},
	"new-keys": {
		setting: "NEW_KEYS_PER_ACCOUNT_AND_DAY",
		detail: (quota) => `An account may create ${quota} keys per day (UTC), including those that it revokes.`,
	},
	attestations: {
		setting: "ATTESTATIONS_PER_AGENT_AND_DAY",
		detail: (quota) => `An agent may attest ${quota} addresses per day (UTC).`,
	},
	"phone-attestations": {
		setting: "ATTESTATIONS_PER_AGENT_AND_DAY",
		detail: (quota) => `An agent may attest ${quota} phone numbers per day (UTC).`,
	},
} as const satisfies Record<string, { setting: keyof Limits; detail: (quota: number) => string }>;

/** A limit on a write, to be spent right behind the statement that writes. */
interface Limit<Spend> {
	/** Spends one where the statement before it in the batch has written a row, and lets nothing of the batch be written when none is left. */
	spend: Spend;
	/** QUOTA_EXCEEDED for the error of a batch that this limit has refused; any other error as it is. */
	explain(error: unknown): unknown;
}

/** The limit on what everybody behind a network may do together. */
export type NetworkLimit = Limit<Statement>;

/** The limits on what an account writes: its own, then its network's. */
export interface WriteLimits extends Limit<readonly [DailyQuota["spend"], NetworkLimit["spend"]]> {
	/** How the account's own quota stands after spending. */
	stateAfter: DailyQuota["stateAfter"];
}

/** The daily quota of every width of the network that a request comes from. Without one, as locally, nothing is counted. */
function networkLimit(
	c: Context<AppEnv>,
	db: Database,
	limit: { name: string; quota: number; detail: string; account: string; share: number },
	now: number,
): NetworkLimit {
	const { name, quota, detail, account, share } = limit;
	const [{ secret }] = c.var.config.signingSecrets;
	const networks = clientNetworks(c).map((network, width) => ({
		subject: `${name}:${keyedHash(secret, name, network)}`,
		quota: quota * WIDER_TIMES ** width,
	}));
	const day = Math.floor(now / DAY);
	return {
		spend: limitStoreOf(db).spendOfNetworks({ name, networks: JSON.stringify(networks), day, account, share }),
		explain: (error) =>
			refusalOf(error) === name
				? new AppError("QUOTA_EXCEEDED", detail, {
						headers: { "Retry-After": String(secondsUntil((day + 1) * DAY, now)) },
					})
				: error,
	};
}

/**
 * The limits on what an account writes today.
 * @param db The database that is written to.
 * @param now Milliseconds since the epoch.
 */
export function writeLimits(
	c: Context<AppEnv>,
	db: Database,
	kind: keyof typeof kinds,
	userId: string,
	now: number,
): WriteLimits {
	const { limits } = c.var.config;
	const { setting, detail } = kinds[kind];
	const [quota, subject] = [limits[setting], `${kind}:${userId}`];
	const ofAccount = dailyQuota(db, { name: kind, subject, quota, detail: detail(quota) }, now);
	const share = limits.WRITES_PER_ACCOUNT_PAST_NETWORK;
	const ofNetwork = networkLimit(
		c,
		db,
		{
			name: "writes-of-network",
			quota: limits.WRITES_PER_NETWORK_AND_DAY,
			detail: `Too much was written from your network today (UTC). Until tomorrow, each account may write ${share} times from there.`,
			account: subject,
			share,
		},
		now,
	);
	return {
		spend: [ofAccount.spend, ofNetwork.spend],
		stateAfter: ofAccount.stateAfter,
		explain: (error) => ofNetwork.explain(ofAccount.explain(error)),
	};
}

/**
 * The limit on the accounts that are opened from a network today.
 * @param db The database that holds accounts.
 * @param now Milliseconds since the epoch.
 */
export function registrationLimit(c: Context<AppEnv>, db: Database, now: number): NetworkLimit {
	const detail =
		"Too many accounts were opened from your network today (UTC). Use another network, or try again tomorrow.";
	const quota = c.var.config.limits.REGISTRATIONS_PER_NETWORK_AND_DAY;
	return networkLimit(c, db, { name: "registrations-of-network", quota, detail, account: "", share: 0 }, now);
}
