import type { SignedInCaller } from "../accounts/caller.ts";
import { parsePhone } from "../accounts/phone.ts";
import { type AccountStore, PHONE_TAKEN, passPhone, phoneTaken, type User } from "../accounts/phone-proof.ts";
import { refusalOf } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import type { Limits, SigningSecrets } from "../env.ts";
import { AppError } from "../errors.ts";
import { equalInConstantTime, keyedHash } from "../hash.ts";
import type { DailyQuota } from "../limits/daily-quota.ts";
import { type RateLimitState, refusalHeaders } from "../limits/rate-limit-headers.ts";
import { newId, randomDigits } from "../random.ts";
import { DAY, MINUTE, SECOND } from "../time.ts";
import type { Delivery } from "./gateway.ts";
import { CODE_USED, type OtpStore, TOO_MANY_CODES } from "./store.ts";

const CODE_DIGITS = 6;

export interface OtpContext {
	store: OtpStore;
	accounts: AccountStore;
	limits: Limits;
	/** The first one keys the hashes of new codes, and all are tried when a code is verified, as with access tokens. */
	signingSecrets: SigningSecrets;
	/** Milliseconds since the epoch. */
	now: number;
}

/** What sending a one-time code needs besides its context. */
export interface OtpSending {
	/** What is left today for the account, and for all phones of a country calling code. */
	quotasOf: (phone: string) => readonly [DailyQuota, DailyQuota];
	deliver: (to: string, text: string) => Promise<Delivery>;
	/** Names the service in the message. */
	host: string;
}

function codeHash(key: Uint8Array, userId: string, phone: string, code: string): string {
	return keyedHash(key, "otp", `${userId}\0${phone}\0${code}`);
}

/** How many codes were sent to a phone in the last 24 hours, and when. */
type History = ReturnType<ReturnType<OtpStore["history"]>["read"]>;

/** How the quota of codes for a phone in 24 hours stands. */
function quotaOfPhone({ limits, now }: OtpContext, [history]: History): RateLimitState {
	const quota = limits.OTP_PER_PHONE_AND_DAY;
	return {
		name: "one-time-codes",
		quota,
		windowSeconds: DAY / SECOND,
		remaining: Math.max(0, quota - (history?.count ?? 0)),
		resetsAt: (history?.oldest ?? now) + DAY,
	};
}

async function tooManyCodes(context: OtpContext, phone: string): Promise<AppError> {
	const { store, limits, now } = context;
	const [history] = await inOneTrip(store.history({ phone, since: now - DAY }));
	const state = quotaOfPhone(context, history);
	const dayOpensAt = state.remaining === 0 ? state.resetsAt : now;
	const opensAt = Math.max((history[0]?.newest ?? now) + limits.OTP_INTERVAL_SECONDS * SECOND, dayOpensAt);
	const detail = "Too many one-time codes were sent to this phone number. Wait before you ask for another.";
	return new AppError("RATE_LIMITED", detail, { headers: refusalHeaders(state, now, opensAt) });
}

/**
 * Sends a one-time code to a phone, with which a signed-in user proves that it is theirs.
 * @returns When the code expires, in milliseconds since the epoch, and how many more the phone may be sent.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN, RATE_LIMITED, QUOTA_EXCEEDED, UNAVAILABLE.
 */
export async function requestOtp(
	context: OtpContext,
	sending: OtpSending,
	caller: SignedInCaller,
	phoneText: string,
): Promise<{ phone: string; expiresAt: number; quota: RateLimitState }> {
	const { store, accounts, limits, signingSecrets, now } = context;
	const { userId } = caller.claims;
	const phone = parsePhone(phoneText);
	const code = randomDigits(CODE_DIGITS);
	const row = {
		id: newId("otp"),
		phone,
		userId,
		codeHash: codeHash(signingSecrets[0].secret, userId, phone, code),
		sentAt: now,
		expiresAt: now + limits.OTP_LIFETIME_MINUTES * MINUTE,
	};
	const sendingLimits = {
		id: row.id,
		phone,
		intervalSince: now - limits.OTP_INTERVAL_SECONDS * SECOND,
		daySince: now - DAY,
		quota: limits.OTP_PER_PHONE_AND_DAY,
	};
	const [ofAccount, ofCallingCode] = sending.quotasOf(phone);
	const storeCode = async () => {
		try {
			const answers = await retryIdempotent(() =>
				caller.run(
					accounts.assertProvable({ phone, userId }),
					store.assertSendable(sendingLimits),
					store.insert(row),
					ofAccount.spend,
					ofCallingCode.spend,
					store.byId(row),
					store.history({ phone, since: now - DAY }),
				),
			);
			return { stored: answers[5][0] ?? row, history: answers[6] };
		} catch (error) {
			const refusal = refusalOf(error);
			if (refusal === PHONE_TAKEN) throw phoneTaken();
			if (refusal === TOO_MANY_CODES) throw await tooManyCodes(context, phone);
			throw ofAccount.explain(ofCallingCode.explain(error));
		}
	};
	const { stored, history } = await storeCode();
	const text = `${code} is your code for ${sending.host}. It is good for ${limits.OTP_LIFETIME_MINUTES} minutes. Nobody will ask you for it.`;
	const delivery = await sending.deliver(phone, text);
	// Without a clear answer the message may be on its way and cost money, so only a refusal gives back what it spent.
	if (delivery === "refused") {
		await retryIdempotent(() => inOneTrip(store.forget(row), ofAccount.refund, ofCallingCode.refund));
	}
	if (delivery !== "accepted") {
		throw new AppError("UNAVAILABLE", "The one-time code could not be sent right now. Try again shortly.", {
			headers: { "Retry-After": String(limits.OTP_INTERVAL_SECONDS) },
		});
	}
	return { phone: stored.phone, expiresAt: stored.expiresAt, quota: quotaOfPhone(context, history) };
}

/**
 * Proves a phone by the code sent to it. The number then belongs to the user who asked for the code.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN; INVALID_REQUEST when the code is wrong, expired, used, or was tried too often.
 */
export async function verifyOtp(
	context: OtpContext,
	caller: SignedInCaller,
	phoneText: string,
	code: string,
): Promise<User> {
	const { store, accounts, limits, signingSecrets, now } = context;
	const phone = parsePhone(phoneText);
	const wrongCode = () => {
		const message = "This one-time code is wrong, expired or used up. Ask for a new one.";
		return new AppError("INVALID_REQUEST", message, { errors: [{ path: "code", message }] });
	};
	const { userId } = caller.claims;
	const [[sent]] = await caller.run(store.spendTry({ phone, userId, now, tries: limits.OTP_TRIES }));
	const isRight = ({ secret }: SigningSecrets[number]) =>
		sent !== undefined && equalInConstantTime(codeHash(secret, userId, phone, code), sent.codeHash);
	if (!sent || !signingSecrets.some(isRight)) throw wrongCode();
	const used = { id: sent.id, now };
	const proof = passPhone(accounts, { userId, phone, method: "otp", agentId: null, provedAt: now });
	try {
		// The code is used up by the same transaction that gives the number, so that no trouble in between costs the code.
		const answers = await retryIdempotent(() =>
			caller.run(store.assertUnused(used), store.use(used), accounts.assertProvable({ phone, userId }), ...proof),
		);
		const [user] = answers[5];
		if (!user) throw phoneTaken();
		return user;
	} catch (error) {
		const refusal = refusalOf(error);
		if (refusal === CODE_USED) throw wrongCode();
		throw refusal === PHONE_TAKEN ? phoneTaken() : error;
	}
}
