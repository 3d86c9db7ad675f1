import { keyedHash } from "../crypto/hash.ts";
import { inOneTrip, type Statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";
import { failedSignInLimits } from "../settings/limits.ts";
import { SECOND } from "../time/time.ts";
import * as failedLoginStore from "./failed-login-store.ts";
import { type RateLimitState, rateLimitHeaders, refusalHeaders } from "./rate-limit-headers.ts";
import { assertCall, assertHash } from "./rate-limits.ts";
import { logTurnedAway } from "./suspicious.ts";

/**
 * What is guessed: the password of a phone (E.164), whether or not it has an account, or that of a live session. For a session, only its
 * own failures count. A recovery code cannot be guessed, so with one, only the failures of the phone from this network count.
 */
type Guess = { phone: string; hasRecoveryCode?: true } | { session: string };

/**
 * How many hexadecimal digits of a keyed hash are stored. 32 are 128 bits, which tell millions apart and take half the space of the whole
 * hash.
 */
const HASH_DIGITS = 32;

/**
 * The keys, by each signing secret, under which the network may be known to have signed in with a phone. The first is the one to record.
 * The long ones are as version 0.9.1 stored them, and expire within a year.
 */
function knownKeys({ settings, network = "" }: Registry, phone: string): string[] {
	const long = settings.signingSecrets.map(({ secret }) => keyedHash(secret, "known-network", `${phone}\0${network}`));
	return [...long.map((key) => key.slice(0, HASH_DIGITS)), ...long];
}

/** Records that somebody has signed in with a phone from the network of the request, so that failures from elsewhere do not stop them. */
export function noteSignIn(registry: Registry, phone: string): Statement {
	const [key = ""] = knownKeys(registry, phone);
	return failedLoginStore.noteNetwork({ key, now: registry.now });
}

/** Deletes the failures with a phone from the network of the request, once somebody has proved that the phone is theirs. */
export function forgetFailures(registry: Registry, phone: string): Statement {
	return failedLoginStore.deleteFailures(subjectOf(registry, { phone }));
}

/** Reads whether anyone has signed in with a phone from the network of the request since its present holder got it. */
export function isKnownNetwork(registry: Registry, phone: string): Statement<{ isKnown: number }[]> {
	return failedLoginStore.isKnown({ phone, knownKeys: knownKeys(registry, phone) });
}

/** The hashes by which the failures of a guess are counted, and whether only those of the pair count. */
function subjectOf(registry: Registry, guess: Guess): failedLoginStore.LoginSubject {
	const { settings, network = "", now } = registry;
	const [{ secret }] = settings.signingSecrets;
	const keyOf = (purpose: string, text: string) => keyedHash(secret, purpose, text).slice(0, HASH_DIGITS);
	if ("session" in guess) {
		const pairKey = keyOf("failed-login-session", guess.session);
		return { phoneKey: pairKey, pairKey, phone: "", knownKeys: [], ofPairAlone: true, now };
	}
	const { phone, hasRecoveryCode: ofPairAlone = false } = guess;
	return {
		phoneKey: keyOf("failed-login-phone", phone),
		pairKey: keyOf("failed-login-pair", `${phone}\0${network}`),
		phone,
		knownKeys: knownKeys(registry, phone),
		ofPairAlone,
		now,
	};
}

/** The state of a sign-in for the headers: of the limit that stops it, else of the limit on the pair of phone and network. */
function stateOf({ obstacle, opensAt, remaining }: Omit<failedLoginStore.LoginStanding, "isKnown">): RateLimitState {
	const name = obstacle ?? "failed-logins";
	const { quota, window } = failedSignInLimits[name];
	const limit = { name, quota, windowSeconds: window / SECOND };
	return { ...limit, remaining: obstacle ? 0 : remaining, resetsAt: opensAt };
}

/**
 * Counts failed sign-ins: a few per phone and network, and many per phone from anywhere. On a network where somebody has signed in with the
 * phone before, only the first limit counts, so that attackers lock out only themselves. On other networks, delays grow. The database
 * decides (failed-login-store.ts). Every refusal throws AppError RATE_LIMITED.
 */
export function loginThrottle(registry: Registry, guess: Guess) {
	const subject = subjectOf(registry, guess);
	const concerned = "phone" in guess ? { phone: guess.phone } : guess;
	const usage = failedLoginStore.stateOfSignIn(subject);
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
		/** Refuses before a secret is compared. */
		assertOpen,
		/** Refuses before a sign-in is hashed, and counts the hash: for the phone if this network is known for it, else for the network. */
		async assertMayHash(found: failedLoginStore.LoginStanding[]): Promise<void> {
			assertOpen(found);
			if (registry.network !== undefined && found[0]?.isKnown === 1) {
				const detail = "Too many sign-ins with this phone number. Wait a minute.";
				return assertCall(registry, "PASSWORD_CALLS_OF_PHONE", subject.phoneKey, detail);
			}
			return assertHash(registry);
		},
		/**
		 * Counts a failure and returns the headers of the refusal, which say how many tries are left. It throws if racing guesses have used
		 * up the tries, so that the result of this one is not told.
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
		 * The first statement of the batch that a right password leads to, so that guesses sent at once learn no more than the allowed
		 * number would. It refuses as `assertOpen` does.
		 */
		asserting: failedLoginStore.assertMayTry(subject, async () => {
			try {
				assertOpen(await inOneTrip(registry.database, usage));
			} catch (error) {
				return error as Error;
			}
			return new Error("Too many sign-ins had failed until a moment ago");
		}),
		/** Deletes the failures from this network, in that batch. Those from elsewhere stay. */
		forgetting: failedLoginStore.deleteFailures(subject),
	};
}

export type LoginThrottle = ReturnType<typeof loginThrottle>;
