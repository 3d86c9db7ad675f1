import { openAccountsDatabase } from "../db/open.ts";
import { refusalOf } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip, type Statement } from "../db/statement.ts";
import type { Bindings, Config, Limits, SigningSecrets } from "../env.ts";
import { AppError } from "../errors.ts";
import { equalInConstantTime, keyedHash } from "../hash.ts";
import type { DailyQuota } from "../limits/daily-quota.ts";
import { type RateLimitState, refusalHeaders } from "../limits/rate-limit-headers.ts";
import { newId, randomDigits } from "../random.ts";
import { DAY, MINUTE, SECOND } from "../time.ts";
import type { Delivery } from "./gateway.ts";
import { CODE_USED, type OtpStore, otpStoreOf, TOO_MANY_CODES } from "./store.ts";

const CODE_DIGITS = 6;

export interface OtpContext {
	store: OtpStore;
	limits: Limits;
	/** The first one keys the hashes of new codes, and all are tried when a code is verified, as with access tokens. */
	signingSecrets: SigningSecrets;
	/** Milliseconds since the epoch. */
	now: number;
}

/** What one-time codes work with, in the accounts' database. `now` is in milliseconds since the epoch. */
export function otpContext(env: Bindings, { limits, signingSecrets }: Config, now: number): OtpContext {
	return { store: otpStoreOf(openAccountsDatabase(env)), limits, signingSecrets, now };
}

/** Who asks for a code, and uses it later: the account that is signed in, or else a network. */
export type Asker = { userId: string } | { network: string };

/** What sending a one-time code needs besides its context. */
export interface OtpSending {
	/** What each code is spent from, besides the limits of its phone. */
	quotas: readonly DailyQuota[];
	/** What must hold besides, in the batch that stores the code. Its refusals are the caller's to explain. */
	checks: readonly Statement[];
	/** Whether the asker is the account that has the phone, whose codes no stranger may use up. */
	isForHolder: boolean;
	deliver: (to: string, text: string) => Promise<Delivery>;
	/** Names the service in the message. */
	host: string;
}

/** A code that was sent: when it expires, in milliseconds since the epoch, and how many more the asker may have sent to the phone. */
export interface SentCode {
	phone: string;
	expiresAt: number;
	quota: RateLimitState;
}

/** A code that was entered right and is still to be used up: by `statements`, in the batch that does what it is good for. */
export interface RightCode {
	statements: readonly [Statement, Statement];
}

/** Whose codes to a phone, as they are stored. */
function askedBy(asker: Asker, phone: string, key: Uint8Array) {
	return "userId" in asker
		? { phone, userId: asker.userId, networkKey: "" }
		: { phone, userId: "", networkKey: keyedHash(key, "otp-network", `${phone}\0${asker.network}`) };
}

function codeHash(key: Uint8Array, asker: Asker, phone: string, code: string): string {
	return keyedHash(key, "otp", `${"userId" in asker ? asker.userId : ""}\0${phone}\0${code}`);
}

/** How the quota of codes for an asker and a phone in 24 hours stands. */
function stateOf({ limits, now }: OtpContext, count: number, oldest: number | null): RateLimitState {
	const quota = limits.OTP_PER_PHONE_AND_ASKER_AND_DAY;
	return {
		name: "one-time-codes",
		quota,
		windowSeconds: DAY / SECOND,
		remaining: Math.max(0, quota - count),
		resetsAt: (oldest ?? now) + DAY,
	};
}

async function tooManyCodes(
	context: OtpContext,
	asked: ReturnType<typeof askedBy> & { isForHolder: boolean },
): Promise<AppError> {
	const { store, limits, now } = context;
	const since = now - DAY;
	const { isForHolder } = asked;
	const [[own], [all]] = await inOneTrip(
		store.history({ ...asked, since }),
		store.historyOfStrangers({ phone: asked.phone, since }),
	);
	const state = stateOf(context, own?.count ?? 0, own?.oldest ?? null);
	const waits = [now, (own?.newest ?? 0) + limits.OTP_INTERVAL_SECONDS * SECOND];
	if (state.remaining === 0) waits.push(state.resetsAt);
	if ((all?.strangers ?? 0) >= limits.OTP_PER_PHONE_AND_DAY && !isForHolder) {
		waits.push((all?.oldestOfStrangers ?? now) + DAY);
	}
	const opensAt = Math.max(...waits);
	const detail = "Too many one-time codes were sent to this phone number. Wait before you ask for another.";
	return new AppError("RATE_LIMITED", detail, { headers: refusalHeaders(state, now, opensAt) });
}

/**
 * Sends a one-time code to a phone.
 * @param phone E.164.
 * @param run Runs the batch that stores the code, in the name of who asks.
 * @throws AppError RATE_LIMITED, QUOTA_EXCEEDED, UNAVAILABLE.
 */
export async function sendCode(
	context: OtpContext,
	{ quotas, checks, isForHolder, deliver, host }: OtpSending,
	asker: Asker,
	phone: string,
	run: typeof inOneTrip = inOneTrip,
): Promise<SentCode> {
	const { store, limits, signingSecrets, now } = context;
	const [{ secret }] = signingSecrets;
	const code = randomDigits(CODE_DIGITS);
	const asked = askedBy(asker, phone, secret);
	const row = {
		...asked,
		id: newId("otp"),
		isForHolder,
		codeHash: codeHash(secret, asker, phone, code),
		sentAt: now,
		expiresAt: now + limits.OTP_LIFETIME_MINUTES * MINUTE,
	};
	const sendingLimits = {
		...asked,
		id: row.id,
		isForHolder,
		intervalSince: now - limits.OTP_INTERVAL_SECONDS * SECOND,
		daySince: now - DAY,
		quota: limits.OTP_PER_PHONE_AND_ASKER_AND_DAY,
		quotaOfStrangers: limits.OTP_PER_PHONE_AND_DAY,
	};
	const storeCode = async () => {
		try {
			const [, [stored], [history]] = await retryIdempotent(() =>
				run(
					store.assertSendable(sendingLimits),
					store.byId(row),
					store.history({ ...asked, since: now - DAY }),
					store.insert(row),
					...quotas.map(({ spend }) => spend),
					...checks,
				),
			);
			// Where an attempt before this one has stored it, its answer having been lost, the history counts it already.
			return { count: (history?.count ?? 0) + (stored ? 0 : 1), oldest: history?.oldest ?? now };
		} catch (error) {
			if (refusalOf(error) === TOO_MANY_CODES) throw await tooManyCodes(context, row);
			throw quotas.reduce((explained, quota) => quota.explain(explained), error);
		}
	};
	const { count, oldest } = await storeCode();
	const text = `${code} is your code for ${host}. It is good for ${limits.OTP_LIFETIME_MINUTES} minutes. Nobody will ask you for it.`;
	const delivery = await deliver(phone, text);
	// Without a clear answer the message may be on its way and cost money, so only a refusal gives back what it spent.
	if (delivery === "refused") {
		await retryIdempotent(() => inOneTrip(store.forget(row), ...quotas.map(({ refund }) => refund)));
	}
	if (delivery !== "accepted") {
		throw new AppError("UNAVAILABLE", "The one-time code could not be sent right now. Try again shortly.", {
			headers: { "Retry-After": String(limits.OTP_INTERVAL_SECONDS) },
		});
	}
	return { phone, expiresAt: row.expiresAt, quota: stateOf(context, count, oldest) };
}

/**
 * Tries a code that was sent to a phone. Each try counts, so that a code can be guessed a few times only.
 * @param phone E.164.
 * @returns undefined when the code is wrong, expired, used, or was tried too often.
 */
export async function tryCode(
	{ store, limits, signingSecrets, now }: OtpContext,
	asker: Asker,
	phone: string,
	code: string,
	run: typeof inOneTrip = inOneTrip,
): Promise<RightCode | undefined> {
	const asked = { ...askedBy(asker, phone, signingSecrets[0].secret), now, tries: limits.OTP_TRIES };
	const elsewhere = "userId" in asker ? [] : [store.spendTryElsewhere(asked)];
	const sent = (await run(store.spendTry(asked), ...elsewhere)).flat();
	const hashes = signingSecrets.map(({ secret }) => codeHash(secret, asker, phone, code));
	const right = sent.find((row) => hashes.some((hash) => equalInConstantTime(hash, row.codeHash)));
	if (!right) return undefined;
	const used = { id: right.id, now, usedBy: newId("use") };
	return { statements: [store.assertUnused(used), store.use(used)] };
}

/** Whether a batch was refused because a code in it had been used up meanwhile. */
export function wasCodeUsed(error: unknown): boolean {
	return refusalOf(error) === CODE_USED;
}
