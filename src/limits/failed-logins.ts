import { refusalOf } from "../db/refusal.ts";
import { inOneTrip, type Statement } from "../db/statement.ts";
import type { Limits } from "../env.ts";
import { AppError } from "../errors.ts";
import { keyedHash } from "../hash.ts";
import { HOUR, MINUTE, SECOND } from "../time.ts";
import { type RateLimitState, rateLimitHeaders, refusalHeaders } from "./rate-limit-headers.ts";
import { type Failures, type LimitStore, TOO_MANY_FAILURES } from "./store.ts";

/** The result of counting the failed sign-ins of a phone and a network. */
type Counted = ReturnType<ReturnType<LimitStore["failures"]>["read"]>;

/** The throttle on guessing the password of one phone from one network. */
export interface LoginThrottle {
	/** The statement that counts the failures so far. */
	failures: Statement<Counted>;
	/**
	 * Refuses a sign-in that has no tries left. It is asked before a password is hashed.
	 * @throws AppError RATE_LIMITED.
	 */
	assertOpen(failures: Counted): void;
	/**
	 * Counts a failed sign-in. Returns the headers for its refusal, which say how many tries are left.
	 * @throws AppError RATE_LIMITED when guesses that raced with this one have used the tries up, so that this one's outcome is not told.
	 */
	fail(): Promise<Record<string, string>>;
	/**
	 * Lets a right password in. `work` runs a batch that starts with `assertOpen`, so that of guesses sent at once no more than the allowed
	 * number tells anything, and that ends with `forget`, which drops this pair's failures; those from other networks stay.
	 * @throws AppError RATE_LIMITED; besides, what `work` throws.
	 */
	succeed<Result>(work: (assertOpen: Statement, forget: Statement) => Promise<Result>): Promise<Result>;
}

/** Who tries to sign in. */
export interface LoginAttempt {
	/** E.164 of a phone with or without an account, or another name of the account that is tried. */
	phone: string;
	/** The network the call comes from. */
	network: string;
}

/** A limit of `quota` failures in a sliding window of `window` milliseconds. */
interface Policy {
	name: string;
	quota: number;
	window: number;
}

/**
 * Counts failed sign-ins in sliding windows: a few per phone and network, so that attackers lock out only themselves, and many per phone from anywhere.
 * @param key Keys the hashes under which phones and networks are stored.
 * @param now Milliseconds since the epoch.
 */
export function loginThrottle(
	store: LimitStore,
	limits: Limits,
	key: Uint8Array,
	{ phone, network }: LoginAttempt,
	now: number,
): LoginThrottle {
	const subject = {
		phoneKey: keyedHash(key, "failed-login-phone", phone),
		pairKey: keyedHash(key, "failed-login-pair", `${phone}\0${network}`),
	};
	const pair = {
		name: "failed-logins",
		quota: limits.FAILED_LOGINS_PER_PHONE_AND_NETWORK,
		window: limits.FAILED_LOGINS_PER_PHONE_AND_NETWORK_WINDOW_MINUTES * MINUTE,
	};
	const fromAnywhere = {
		name: "failed-logins-of-phone",
		quota: limits.FAILED_LOGINS_PER_PHONE,
		window: limits.FAILED_LOGINS_PER_PHONE_WINDOW_HOURS * HOUR,
	};
	const windows = { ...subject, pairSince: now - pair.window, phoneSince: now - fromAnywhere.window };
	const quotas = { ...windows, pairQuota: pair.quota, phoneQuota: fromAnywhere.quota };

	const stateOf = ({ name, quota, window }: Policy, { count, oldest }: Failures): RateLimitState => ({
		name,
		quota,
		windowSeconds: window / SECOND,
		remaining: Math.max(0, quota - count),
		resetsAt: (oldest ?? now) + window,
	});
	const failures = store.failures(windows);

	/** The states of the two windows, the pair's first. */
	const statesOf = ([counted]: Counted): [RateLimitState, RateLimitState] => [
		stateOf(pair, { count: counted?.pairCount ?? 0, oldest: counted?.pairOldest ?? null }),
		stateOf(fromAnywhere, { count: counted?.phoneCount ?? 0, oldest: counted?.phoneOldest ?? null }),
	];
	const assertOpen = (counted: Counted) => {
		const [longest] = statesOf(counted)
			.filter(({ remaining }) => remaining === 0)
			.sort((a, b) => b.resetsAt - a.resetsAt);
		if (!longest) return;
		throw new AppError("RATE_LIMITED", "Too many failed sign-ins with this phone number. Wait before trying again.", {
			headers: refusalHeaders(longest, now),
		});
	};

	return {
		failures,
		assertOpen,
		async fail() {
			const [recorded, counted] = await inOneTrip(store.recordFailure({ ...quotas, now }), failures);
			if (recorded.length === 0) assertOpen(counted);
			return rateLimitHeaders(statesOf(counted)[0], now);
		},
		async succeed(work) {
			try {
				return await work(store.assertOpen(quotas), store.forgetFailures(subject));
			} catch (error) {
				if (refusalOf(error) === TOO_MANY_FAILURES) assertOpen((await inOneTrip(failures))[0]);
				throw error;
			}
		},
	};
}
