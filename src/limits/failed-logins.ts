import { keyedHash } from "../crypto/hash.ts";
import { inOneTrip, type Statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";
import { SECOND } from "../time/time.ts";
import * as failedLoginStore from "./failed-login-store.ts";
import { failedSignInLimits } from "./policy.ts";
import { type RateLimitState, rateLimitHeaders, refusalHeaders } from "./rate-limit-headers.ts";
import { assertCall, assertHash } from "./rate-limits.ts";
import { logTurnedAway } from "./suspicious.ts";

/**
 * What is guessed: the password of a phone (E.164), whether or not it has an account, or of a live session, where only its own failures
 * count. With a recovery code, which nobody can guess, only those of the phone from this network do.
 */
type Guess = { phone: string; hasRecoveryCode?: true } | { session: string };

/** How many hexadecimal digits of keyed hashes are kept: 128 bits, because there may be millions. */
const HASH_DIGITS = 32;

/**
 * The keys by each signing secret, the newest first, under which the network is known to have signed in with a phone: those that are
 * noted, and those that 0.9.1 noted, which are forgotten in a year.
 */
function knownKeys({ settings, network = "" }: Registry, phone: string): string[] {
	const long = settings.signingSecrets.map(({ secret }) => keyedHash(secret, "known-network", `${phone}\0${network}`));
	return [...long.map((key) => key.slice(0, HASH_DIGITS)), ...long];
}

/** Notes that somebody has signed in with a phone from the network of the request, so that failures from elsewhere do not stop them. */
export function noteSignIn(registry: Registry, phone: string): Statement {
	const [key = ""] = knownKeys(registry, phone);
	return failedLoginStore.noteNetwork({ key, now: registry.now });
}

/** Forgets the failures with a phone from the network of the request, for somebody who has proved that it is theirs. */
export function forgetFailures(registry: Registry, phone: string): Statement {
	return failedLoginStore.forgetFailures(subjectOf(registry, { phone }));
}

/** Reads whether somebody has signed in with a phone from the network of the request since its holder has it. */
export function isKnownNetwork(registry: Registry, phone: string): Statement<{ isKnown: number }[]> {
	return failedLoginStore.isKnown({ phone, knownKeys: JSON.stringify(knownKeys(registry, phone)) });
}

/** Under which hashes the failures of a guess are counted, and whether only those of the pair count. */
function subjectOf(registry: Registry, guess: Guess): failedLoginStore.LoginSubject {
	const { settings, network = "", now } = registry;
	const [{ secret }] = settings.signingSecrets;
	const keyOf = (purpose: string, text: string) => keyedHash(secret, purpose, text).slice(0, HASH_DIGITS);
	if ("session" in guess) {
		const pairKey = keyOf("failed-login-session", guess.session);
		return { phoneKey: pairKey, pairKey, phone: "", knownKeys: "[]", ofPairAlone: true, now };
	}
	const { phone, hasRecoveryCode: ofPairAlone = false } = guess;
	return {
		phoneKey: keyOf("failed-login-phone", phone),
		pairKey: keyOf("failed-login-pair", `${phone}\0${network}`),
		phone,
		knownKeys: JSON.stringify(knownKeys(registry, phone)),
		ofPairAlone,
		now,
	};
}

/** The state of a sign-in, by the limit on the pair of phone and network or by what stops it. */
function stateOf({ obstacle, opensAt, remaining }: Omit<failedLoginStore.LoginStanding, "isKnown">): RateLimitState {
	const name = obstacle ?? "failed-logins";
	const { quota, window } = failedSignInLimits[name];
	const limit = { name, quota, windowSeconds: window / SECOND };
	return { ...limit, remaining: obstacle ? 0 : remaining, resetsAt: opensAt };
}

/**
 * Counts failed sign-ins: a few per phone and network, and many per phone from anywhere. Where somebody has signed in with the phone
 * before, only the first count, so that attackers lock out nobody but themselves. Elsewhere, delays grow. The database decides
 * (failed-login-store.ts). What refuses throws AppError RATE_LIMITED.
 */
export function loginThrottle(registry: Registry, guess: Guess) {
	const subject = subjectOf(registry, guess);
	const concerned = "phone" in guess ? { phone: guess.phone } : guess;
	const usage = failedLoginStore.usage(subject);
	const assertOpen = ([found]: failedLoginStore.LoginStanding[]) => {
		if (!found?.obstacle) return;
		logTurnedAway(registry, "sign_in_locked", concerned, { limit: found.obstacle });
		throw new AppError("RATE_LIMITED", "Too many failed sign-ins with this phone number. Wait before trying again.", {
			headers: refusalHeaders(stateOf(found), registry.now),
		});
	};

	return {
		/** Reads the state of the guess. */
		usage,
		/** Asked before a secret is compared. */
		assertOpen,
		/** Asked before a sign-in is hashed: counts the hash too, for the phone where its holder is known here, else for the network. */
		async admit(found: failedLoginStore.LoginStanding[]): Promise<void> {
			assertOpen(found);
			if (registry.network !== undefined && found[0]?.isKnown === 1) {
				const detail = "Too many sign-ins with this phone number. Wait a minute.";
				return assertCall(registry, "PASSWORD_CALLS_OF_PHONE", subject.phoneKey, detail);
			}
			return assertHash(registry);
		},
		/**
		 * Counts a failure and returns the headers of the refusal, which say how many tries are left. Throws when racing guesses have used up
		 * the tries, so that the outcome of this one is not told.
		 */
		async fail(): Promise<Record<string, string>> {
			const { recorded, found } = await inOneTrip(registry.database, {
				recorded: failedLoginStore.recordFailure(subject),
				found: usage,
			});
			if (recorded.length === 0) assertOpen(found);
			registry.log("info", "sign_in_failed", concerned);
			const [{ remaining, opensAt } = { remaining: 0, opensAt: registry.now }] = found;
			return rateLimitHeaders(stateOf({ obstacle: null, remaining, opensAt }), registry.now);
		},
		/**
		 * Starts the batch that a right password leads to, so that of guesses sent at once no more than the allowed number tells anything. It
		 * refuses as `assertOpen` does.
		 */
		asserting: failedLoginStore.assertOpen(subject, async () => {
			try {
				assertOpen(await inOneTrip(registry.database, usage));
			} catch (error) {
				return error as Error;
			}
			return new Error("Too many sign-ins had failed until a moment ago");
		}),
		/** Ends that batch: deletes the failures from this network. Those from elsewhere stay. */
		forgetting: failedLoginStore.forgetFailures(subject),
	};
}

export type LoginThrottle = ReturnType<typeof loginThrottle>;
