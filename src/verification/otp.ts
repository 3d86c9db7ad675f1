import { parsePhone } from "../accounts/phone.ts";
import { type AccountStore, assertProvable, provePhone, type User } from "../accounts/phone-proof.ts";
import type { Limits, SigningSecrets } from "../env.ts";
import { AppError } from "../errors.ts";
import type { DailyQuota } from "../limits/daily-quota.ts";
import { type RateLimitState, refusalHeaders } from "../limits/policy.ts";
import { equalInConstantTime, keyedHash, newId, randomDigits } from "../secret.ts";
import { DAY, MINUTE, SECOND } from "../time.ts";
import type { Delivery } from "./gateway.ts";
import type { OtpStore } from "./store.ts";

const CODE_DIGITS = 6;

export interface OtpContext {
	store: OtpStore;
	accounts: AccountStore;
	limits: Limits;
	/** The first keys the hashes of codes, all are tried, as with access tokens. */
	signingSecrets: SigningSecrets;
	/** Milliseconds since the epoch. */
	now: number;
}

/** What sending needs beside. */
export interface OtpSending {
	/** What is left today for the account and for all phones of a country calling code. */
	quotaOf: (phone: string) => Pick<DailyQuota, "spend" | "refund">;
	deliver: (to: string, text: string) => Promise<Delivery>;
	/** Names the service in the message. */
	host: string;
}

function codeHash(key: Uint8Array, userId: string, phone: string, code: string): string {
	return keyedHash(key, "otp", `${userId}\0${phone}\0${code}`);
}

/** How the day's quota of a phone stands, and when the newest code was sent to it. */
async function quotaOfPhone({ store, limits, now }: OtpContext, phone: string) {
	const { count, newest, oldest } = await store.history(phone, now - DAY);
	const quota = limits.OTP_PER_PHONE_AND_DAY;
	const state: RateLimitState = {
		name: "one-time-codes",
		quota,
		windowSeconds: DAY / SECOND,
		remaining: Math.max(0, quota - count),
		resetsAt: (oldest ?? now) + DAY,
	};
	return { state, newest: newest ?? now };
}

async function refuseTooMany(context: OtpContext, phone: string): Promise<never> {
	const { limits, now } = context;
	const { state, newest } = await quotaOfPhone(context, phone);
	const dayOpensAt = state.remaining === 0 ? state.resetsAt : now;
	const opensAt = Math.max(newest + limits.OTP_INTERVAL_SECONDS * SECOND, dayOpensAt);
	throw new AppError("RATE_LIMITED", "Too many codes were sent to this phone number. Wait before asking for another.", {
		headers: refusalHeaders(state, now, opensAt),
	});
}

/**
 * Sends a one-time code to a phone, with which a signed-in user proves that it is theirs.
 * @returns When the code expires, in milliseconds since the epoch, and how many more the phone may be sent.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN, RATE_LIMITED, QUOTA_EXCEEDED, UNAVAILABLE.
 */
export async function requestOtp(
	context: OtpContext,
	sending: OtpSending,
	userId: string,
	phoneText: string,
): Promise<{ phone: string; expiresAt: number; quota: RateLimitState }> {
	const { store, accounts, limits, signingSecrets, now } = context;
	const phone = parsePhone(phoneText);
	await assertProvable(accounts, userId, phone);
	const code = randomDigits(CODE_DIGITS);
	const stored = await store.insert(
		{
			id: newId("otp"),
			phone,
			userId,
			codeHash: codeHash(signingSecrets[0].secret, userId, phone, code),
			sentAt: now,
			expiresAt: now + limits.OTP_LIFETIME_MINUTES * MINUTE,
		},
		now - limits.OTP_INTERVAL_SECONDS * SECOND,
		now - DAY,
		limits.OTP_PER_PHONE_AND_DAY,
	);
	if (!stored) return refuseTooMany(context, phone);
	const quota = sending.quotaOf(phone);
	try {
		await quota.spend();
	} catch (error) {
		await store.forget(stored.id);
		throw error;
	}
	const text = `${code} is your code for ${sending.host}. It is good for ${limits.OTP_LIFETIME_MINUTES} minutes. Nobody will ask you for it.`;
	const delivery = await sending.deliver(phone, text);
	// Without a clear answer the message may be on its way and cost money, so only a refusal gives back what it spent.
	if (delivery === "refused") await Promise.all([store.forget(stored.id), quota.refund()]);
	if (delivery !== "accepted") {
		throw new AppError("UNAVAILABLE", "The code could not be sent right now. Try again shortly.", {
			headers: { "Retry-After": String(limits.OTP_INTERVAL_SECONDS) },
		});
	}
	const { state } = await quotaOfPhone(context, phone);
	return { phone: stored.phone, expiresAt: stored.expiresAt, quota: state };
}

/**
 * Proves a phone by the code sent to it. The number then belongs to the user who asked for the code.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN; INVALID_REQUEST when the code is wrong, expired, used, or was tried too often.
 */
export async function verifyOtp(context: OtpContext, userId: string, phoneText: string, code: string): Promise<User> {
	const { store, accounts, limits, signingSecrets, now } = context;
	const phone = parsePhone(phoneText);
	const sent = await store.spendTry(phone, userId, now, limits.OTP_TRIES);
	const matches =
		sent !== undefined &&
		signingSecrets.some(({ secret }) => equalInConstantTime(codeHash(secret, userId, phone, code), sent.codeHash));
	if (!matches || !(await store.use(sent.id, now))) {
		const message = "This code is wrong, expired or used up. Ask for a new one.";
		throw new AppError("INVALID_REQUEST", message, { errors: [{ path: "code", message }] });
	}
	return provePhone(accounts, { userId, phone, method: "otp", agentId: null, provedAt: now });
}
