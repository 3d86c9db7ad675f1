import { refusalOf } from "../db/refusal.ts";
import { inOneTrip, type Statement } from "../db/statement.ts";
import type { Limits, SigningSecrets } from "../env.ts";
import { AppError } from "../errors.ts";
import { keyedHash } from "../hash.ts";
import type { SecurityLog } from "../http/security-log.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../time.ts";
import { DOUBLINGS_MAX, type FailedLoginStore, TOO_MANY_FAILURES } from "./failed-login-store.ts";
import { type RateLimitState, rateLimitHeaders, refusalHeaders } from "./rate-limit-headers.ts";
import { WIDER_TIMES } from "./write-limits.ts";

/** The failures of a sign-in, as they are counted. */
type Counted = ReturnType<ReturnType<FailedLoginStore["failures"]>["read"]>;

/** The throttle on guessing what proves one account, from one place. */
export interface LoginThrottle {
	/** Counts the failures so far. */
	failures: Statement<Counted>;
	/**
	 * Asked before a secret is compared.
	 * @throws AppError RATE_LIMITED.
	 */
	assertOpen(failures: Counted): void;
	/**
	 * Asked, in its place, before the password of a sign-in is hashed: counts it among those of its network as well. Past the network's quota of
	 * failures, phones that are new there share a few sign-ins, and take none from those who have signed in there before.
	 * @throws AppError RATE_LIMITED.
	 */
	admit(failures: Counted): Promise<void>;
	/**
	 * Counts a failure and returns the headers of the refusal, which say how many tries are left.
	 * @throws AppError RATE_LIMITED when racing guesses have used up the tries, so that the outcome of this one is not told.
	 */
	fail(): Promise<Record<string, string>>;
	/**
	 * Lets a right password in. `work` runs a batch that starts with `assertOpen`, so that of guesses sent at once no more than the allowed
	 * number tells anything. The batch ends with `forget`, which deletes the failures of this place; those from elsewhere stay.
	 * @throws AppError RATE_LIMITED; also what `work` throws.
	 */
	succeed<Result>(work: (assertOpen: Statement, forget: Statement) => Promise<Result>): Promise<Result>;
}

/**
 * What is guessed. Behind a live session, the failures of that session alone count, and with a recovery code, which nobody can guess, those of the
 * phone from this network alone.
 */
export type Guess =
	/** The password of a phone, in E.164 form, whether or not it has an account. */
	{ phone: string } | { session: string } | { recoveryOf: string };

/** What the throttle on sign-ins works with. */
export interface LoginContext {
	store: FailedLoginStore;
	limits: Limits;
	/** The first keys the hashes under which phones and networks are stored; the network of a phone is known by any. */
	signingSecrets: SigningSecrets;
	/** The networks that the call comes from, the narrowest first; empty where it has none, as locally, and then all callers are one. */
	networks: readonly string[];
	/** Milliseconds since the epoch. */
	now: number;
	log: SecurityLog;
	/**
	 * Counts a call that hashes a password.
	 * @throws AppError RATE_LIMITED.
	 */
	countPasswordCall: () => Promise<void>;
	/** Counts a sign-in from a network that is past its quota of failures; whether it is within what such a network has left. */
	countLastSignIn: (network: string) => Promise<boolean>;
}

/** The period of the rate limit LAST_SIGN_INS (wrangler.toml), in milliseconds. */
const LAST_SIGN_INS_PERIOD = 10 * SECOND;

/** So many failures in a sliding window of so many milliseconds. */
interface Policy {
	name: string;
	quota: number;
	window: number;
}

/**
 * The keys, the newest first, under which a network is known to have signed in with a phone. It is taken as wide as one customer moves in: an IPv6
 * /56, or an IPv4 /24.
 */
function knownKeys({ signingSecrets, networks }: LoginContext, phone: string): [string, ...string[]] {
	const network = networks[1] ?? networks[0] ?? "";
	const keys = signingSecrets.map(({ secret }) => keyedHash(secret, "known-network", `${phone}\0${network}`));
	return keys as [string, ...string[]];
}

/** Notes that somebody has signed in with a phone from here, so that failures from elsewhere do not stop them here. */
export function noteSignIn(context: LoginContext, phone: string): Statement {
	return context.store.noteNetwork({ key: knownKeys(context, phone)[0], now: context.now });
}

/** Whether somebody has signed in with a phone from here before. */
export async function isKnownNetwork(context: LoginContext, phone: string): Promise<boolean> {
	const [[row]] = await inOneTrip(context.store.isKnown({ knownKeys: JSON.stringify(knownKeys(context, phone)) }));
	return row?.isKnown === 1;
}

/** Under which hashes the failures of a guess are counted. */
function subjectOf(context: LoginContext, guess: Guess) {
	const [{ secret: key }] = context.signingSecrets;
	if ("session" in guess) {
		const pairKey = keyedHash(key, "failed-login-session", guess.session);
		return { phoneKey: pairKey, pairKey, knownKeys: "[]", networks: "[]", isOwn: true };
	}
	const phone = "phone" in guess ? guess.phone : guess.recoveryOf;
	const quota = context.limits.FAILED_LOGINS_PER_NETWORK_AND_DAY;
	const networks = context.networks.map((network, width) => ({
		subject: `failed-logins-of-network:${keyedHash(key, "failed-login-network", network)}`,
		quota: quota * WIDER_TIMES ** width,
	}));
	return {
		phoneKey: keyedHash(key, "failed-login-phone", phone),
		pairKey: keyedHash(key, "failed-login-pair", `${phone}\0${context.networks[0] ?? ""}`),
		knownKeys: JSON.stringify(knownKeys(context, phone)),
		networks: JSON.stringify(networks),
		isOwn: "recoveryOf" in guess,
	};
}

/**
 * Counts failed sign-ins: a few per phone and network, many per phone from anywhere, and many per network with any phone. Where somebody has signed in
 * with the phone before, only the first count, so that attackers lock out nobody but themselves. Elsewhere, delays grow. Past the quota of a network
 * they grow from the second failure of a phone on, and phones that are new there take turns, so that nobody behind it is shut out.
 */
export function loginThrottle(context: LoginContext, guess: Guess): LoginThrottle {
	const { store, limits, now } = context;
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
	const ofNetwork = {
		name: "failed-logins-of-network",
		quota: limits.FAILED_LOGINS_PER_NETWORK_AND_DAY,
		window: DAY,
	};
	const longestDelay = limits.FAILED_LOGINS_DELAY_MAX_MINUTES * MINUTE;
	const day = Math.floor(now / DAY);
	const subject = subjectOf(context, guess);
	const loginLimits = {
		...subject,
		day,
		now,
		pairSince: now - pair.window,
		pairQuota: pair.quota,
		phoneSince: now - fromAnywhere.window,
		phoneQuota: fromAnywhere.quota,
		phoneQuotaPastNetwork: limits.FAILED_LOGINS_PER_PHONE_PAST_NETWORK,
		firstDelay: SECOND,
		firstDelayPastNetwork: MINUTE,
		longestDelay,
	};
	const failures = store.failures(loginLimits);
	const concerned = "session" in guess ? guess : { phone: "phone" in guess ? guess.phone : guess.recoveryOf };

	const stateOf = ({ name, quota, window }: Policy, remaining: number, resetsAt: number): RateLimitState => ({
		name,
		quota,
		windowSeconds: window / SECOND,
		remaining,
		resetsAt,
	});
	const stateOfPair = ([counted]: Counted): RateLimitState =>
		stateOf(pair, Math.max(0, pair.quota - (counted?.pairCount ?? 0)), (counted?.pairOldest ?? now) + pair.window);

	/** The width past its quota of failures by which a guess is judged; undefined where it is judged by none. */
	const spentWidthOf = ([counted]: Counted): number | undefined =>
		counted && !subject.isOwn && counted.isKnown === 0 ? (counted.spentWidth ?? undefined) : undefined;
	/** When a phone that may fail so often may be tried again, with delays that double from the first. */
	const opensAt = ([counted]: Counted, quota: number, firstDelay: number): number => {
		const excess = (counted?.phoneCount ?? 0) - quota;
		if (excess < 0) return now;
		const delay = Math.min(longestDelay, firstDelay * 2 ** Math.min(DOUBLINGS_MAX, excess));
		return (counted?.phoneNewest ?? now) + delay;
	};
	/** What stops the guess now; undefined when nothing does. */
	const obstacleOf = (counts: Counted): RateLimitState | undefined => {
		const [counted] = counts;
		const ofPair = stateOfPair(counts);
		if (ofPair.remaining === 0) return ofPair;
		if (subject.isOwn || counted?.isKnown === 1) return undefined;
		const anywhere = stateOf(fromAnywhere, 0, opensAt(counts, loginLimits.phoneQuota, loginLimits.firstDelay));
		if (anywhere.resetsAt > now) return anywhere;
		if (spentWidthOf(counts) === undefined) return undefined;
		const { phoneQuotaPastNetwork, firstDelayPastNetwork } = loginLimits;
		const here = stateOf(ofNetwork, 0, opensAt(counts, phoneQuotaPastNetwork, firstDelayPastNetwork));
		return here.resetsAt > now ? here : undefined;
	};
	const refusal = (obstacle: RateLimitState, detail: string) => {
		context.log("warn", "sign_in_locked", concerned, { limit: obstacle.name });
		return new AppError("RATE_LIMITED", detail, { headers: refusalHeaders(obstacle, now) });
	};
	const assertOpen = (counts: Counted) => {
		const obstacle = obstacleOf(counts);
		if (obstacle) throw refusal(obstacle, "Too many failed sign-ins with this phone number. Wait before trying again.");
	};

	return {
		failures,
		assertOpen,
		async admit(counts) {
			assertOpen(counts);
			const network = context.networks[spentWidthOf(counts) ?? Number.NaN];
			if (network === undefined) return context.countPasswordCall();
			if (await context.countLastSignIn(network)) return;
			throw refusal(
				stateOf(ofNetwork, 0, now + LAST_SIGN_INS_PERIOD),
				"Many sign-ins failed from your network today. Wait a few seconds, then try again.",
			);
		},
		async fail() {
			const [recorded, , counted] = await inOneTrip(
				store.recordFailure(loginLimits),
				store.countOfNetworks(loginLimits),
				failures,
			);
			if (recorded.length === 0) assertOpen(counted);
			context.log("info", "sign_in_failed", concerned);
			return rateLimitHeaders(stateOfPair(counted), now);
		},
		async succeed(work) {
			try {
				return await work(store.assertOpen(loginLimits), store.forgetFailures(subject));
			} catch (error) {
				if (refusalOf(error) === TOO_MANY_FAILURES) assertOpen((await inOneTrip(failures))[0]);
				throw error;
			}
		},
	};
}
