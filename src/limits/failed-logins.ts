import type { Limits } from "../env.ts";
import { AppError } from "../errors.ts";
import { keyedHash } from "../secret.ts";
import { HOUR, MINUTE, SECOND } from "../time.ts";
import { type RateLimitState, rateLimitHeaders, refusalHeaders } from "./policy.ts";
import type { Failures, LimitStore } from "./store.ts";

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

/** So many failures in a sliding window of so many milliseconds. */
interface Policy {
	name: string;
	quota: number;
	window: number;
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
	const since = ({ quota, window }: Policy) => ({ quota, since: now - window });

	const stateOf = ({ name, quota, window }: Policy, { count, oldest }: Failures): RateLimitState => ({
		name,
		quota,
		windowSeconds: window / SECOND,
		remaining: Math.max(0, quota - count),
		resetsAt: (oldest ?? now) + window,
	});
	const failures = () => store.failedLogins(subject, since(pair).since, since(fromAnywhere).since);

	const refuseWhenFull = (counted: { pair: Failures; phone: Failures }) => {
		const [longest] = [stateOf(pair, counted.pair), stateOf(fromAnywhere, counted.phone)]
			.filter(({ remaining }) => remaining === 0)
			.sort((a, b) => b.resetsAt - a.resetsAt);
		if (!longest) return;
		throw new AppError("RATE_LIMITED", "Too many failed sign-ins with this phone number. Wait before trying again.", {
			headers: refusalHeaders(longest, now),
		});
	};

	return {
		async assertOpen() {
			refuseWhenFull(await failures());
		},
		async fail() {
			const recorded = await store.recordFailedLogin(subject, since(pair), since(fromAnywhere), now);
			const counted = await failures();
			if (!recorded) refuseWhenFull(counted);
			return rateLimitHeaders(stateOf(pair, counted.pair), now);
		},
		succeed: () => store.clearFailedLogins(subject),
	};
}
