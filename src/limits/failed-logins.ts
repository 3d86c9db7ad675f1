import { keyedHash } from "../accounts/secret.ts";
import type { Limits } from "../env.ts";
import { AppError } from "../errors.ts";
import { type RateLimitState, rateLimitHeaders, secondsUntil } from "./policy.ts";
import type { Failures, LimitStore } from "./store.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The throttle on guessing the password of one phone from one network. */
export interface LoginThrottle {
	/**
	 * Asked before a password is hashed, and again before a right one is let in.
	 * @throws AppError RATE_LIMITED.
	 */
	assertOpen(): Promise<void>;
	/**
	 * Counts a failure. What it returns goes with the refusal, and says how many tries are left.
	 * @throws AppError RATE_LIMITED when guesses that raced with this one have used the tries up, so that this one's outcome is not told.
	 */
	fail(): Promise<Record<string, string>>;
	/** Forgets this pair's failures; those from other networks stay. */
	succeed(): Promise<void>;
}

/** Who tries to sign in. */
export interface LoginAttempt {
	/** E.164 of a phone with or without an account, or another name of the account that is tried. */
	phone: string;
	/** The network the call comes from. */
	network: string;
}

/**
 * Counts failed sign-ins in sliding windows: a few per phone and network, so that an attacker locks out only himself, and many per phone from anywhere.
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
	const pairWindow = limits.FAILED_LOGINS_PER_PHONE_AND_NETWORK_WINDOW_MINUTES * MINUTE;
	const phoneWindow = limits.FAILED_LOGINS_PER_PHONE_WINDOW_HOURS * HOUR;
	const pair = { quota: limits.FAILED_LOGINS_PER_PHONE_AND_NETWORK, since: now - pairWindow };
	const fromAnywhere = { quota: limits.FAILED_LOGINS_PER_PHONE, since: now - phoneWindow };

	const pairState = ({ count, oldest }: Failures): RateLimitState => ({
		name: "failed-logins",
		quota: pair.quota,
		windowSeconds: pairWindow / 1000,
		remaining: Math.max(0, pair.quota - count),
		resetsAt: (oldest ?? now) + pairWindow,
	});
	const failures = () => store.failedLogins(subject, pair.since, fromAnywhere.since);

	const refuseWhenFull = (counted: { pair: Failures; phone: Failures }) => {
		const waits = [
			counted.pair.count >= pair.quota ? (counted.pair.oldest ?? now) + pairWindow : now,
			counted.phone.count >= fromAnywhere.quota ? (counted.phone.oldest ?? now) + phoneWindow : now,
		];
		const opensAt = Math.max(...waits);
		if (opensAt <= now) return;
		throw new AppError("RATE_LIMITED", "Too many failed sign-ins with this phone number. Wait before trying again.", {
			headers: {
				...rateLimitHeaders(pairState(counted.pair), now),
				"Retry-After": String(secondsUntil(opensAt, now)),
			},
		});
	};

	return {
		async assertOpen() {
			refuseWhenFull(await failures());
		},
		async fail() {
			const recorded = await store.recordFailedLogin(subject, pair, fromAnywhere, now);
			const counted = await failures();
			if (!recorded) refuseWhenFull(counted);
			return rateLimitHeaders(pairState(counted.pair), now);
		},
		succeed: () => store.clearFailedLogins(subject),
	};
}
