import type { Context } from "hono";
import { accountStore, agent, authCallLimit, user } from "../accounts/authentication.ts";
import type { SignedInCaller } from "../accounts/caller.ts";
import { callingCode } from "../accounts/phone.ts";
import { attestPhone, type PhoneAttestation } from "../accounts/phone-proof.ts";
import { userRecord } from "../accounts/record.ts";
import { userSchema } from "../accounts/schemas.ts";
import { openAccountsDatabase } from "../db/open.ts";
import type { OtpGateway } from "../env.ts";
import { AppError } from "../errors.ts";
import { json } from "../http/answer.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { type Access, type Endpoint, endpoint } from "../http/endpoint.ts";
import { dailyQuota } from "../limits/daily-quota.ts";
import { rateLimitHeaders } from "../limits/rate-limit-headers.ts";
import { writeLimits } from "../limits/write-limits.ts";
import { deliver } from "./gateway.ts";
import { type OtpContext, type OtpSending, requestOtp, verifyOtp } from "./otp.ts";
import {
	attestedPhoneSchema,
	otpRequestSchema,
	otpSentSchema,
	otpVerificationSchema,
	phoneAttestationSchema,
} from "./schemas.ts";
import { otpStoreOf } from "./store.ts";

/** Admits a signed-in person where one-time codes can be sent; anyone else learns first that they cannot. */
const userWithGateway: Access<{ caller: SignedInCaller; gateway: OtpGateway }> = {
	...user,
	errors: [...user.errors, "OTP_DISABLED"],
	async admit(c) {
		const gateway = c.var.config.otpGateway;
		if (!gateway)
			throw new AppError("OTP_DISABLED", "This registry does not send one-time codes, because it has no SMS gateway.");
		return { caller: await user.admit(c), gateway };
	},
};

function otpContext(c: Context<AppEnv>): OtpContext {
	const { limits, signingSecrets } = c.var.config;
	return {
		store: otpStoreOf(openAccountsDatabase(c.env)),
		accounts: accountStore(c),
		limits,
		signingSecrets,
		now: Date.now(),
	};
}

function otpSending(c: Context<AppEnv>, gateway: OtpGateway, userId: string, now: number): OtpSending {
	const { OTP_PER_ACCOUNT_AND_DAY, OTP_PER_CALLING_CODE_AND_DAY } = c.var.config.limits;
	const database = openAccountsDatabase(c.env);
	const ofAccount = {
		name: "one-time-codes-of-account",
		subject: `one-time-codes-of:${userId}`,
		quota: OTP_PER_ACCOUNT_AND_DAY,
		detail: `An account may request ${OTP_PER_ACCOUNT_AND_DAY} one-time codes per day (UTC).`,
	};
	const ofCallingCode = (phone: string) => ({
		name: "one-time-codes-of-calling-code",
		subject: `one-time-codes:${callingCode(phone)}`,
		quota: OTP_PER_CALLING_CODE_AND_DAY,
		detail: "No more one-time codes can be sent to this country today (UTC). Try again tomorrow.",
	});
	return {
		quotasOf: (phone) => [dailyQuota(database, ofAccount, now), dailyQuota(database, ofCallingCode(phone), now)],
		deliver: (to, text) => deliver(gateway, to, text),
		host: new URL(webUrl(c)).host,
	};
}

/**
 * Verifies a phone for an agent, within what they may attest in a day.
 * @throws AppError As attestPhone does.
 */
export function attestPhoneForCaller(c: Context<AppEnv>, caller: SignedInCaller, attestation: PhoneAttestation) {
	const now = Date.now();
	const limits = writeLimits(c, openAccountsDatabase(c.env), "phone-attestations", caller.claims.userId, now);
	return attestPhone(accountStore(c), caller, limits, attestation, now);
}

const tag = "Attest";
const limits = [authCallLimit];

export const verificationEndpoints: Endpoint[] = [
	endpoint(
		{
			method: "post",
			path: "/v1/auth/otp/request",
			id: "requestOneTimeCode",
			tag,
			summary: "Request a one-time code",
			description: "Sends a six-digit code to the phone. Answers OTP_DISABLED while the registry has no SMS gateway.",
			access: userWithGateway,
			limits,
			body: otpRequestSchema,
			answer: json(202, otpSentSchema, "The code is on its way.", {
				headers: {
					RateLimit: "How many more codes this phone can be sent.",
					"RateLimit-Policy": "How many codes a phone can be sent in 24 hours.",
				},
			}),
			errors: ["INVALID_PHONE", "PHONE_TAKEN", "QUOTA_EXCEEDED"],
		},
		async ({ c, caller: { caller, gateway }, body }) => {
			const context = otpContext(c);
			const sending = otpSending(c, gateway, caller.claims.userId, context.now);
			const sent = await requestOtp(context, sending, caller, body.phone);
			for (const [name, value] of Object.entries(rateLimitHeaders(sent.quota, context.now))) c.header(name, value);
			return { phone: sent.phone, expires_at: new Date(sent.expiresAt).toISOString() };
		},
	),
	endpoint(
		{
			method: "post",
			path: "/v1/auth/otp/verify",
			id: "verifyOneTimeCode",
			tag,
			summary: "Verify a phone number",
			description:
				"Takes the code that was sent to the number. If another account has the number unverified, the number passes to your account.",
			access: userWithGateway,
			limits,
			body: otpVerificationSchema,
			answer: json(200, userSchema, "The account."),
			errors: ["INVALID_PHONE", "PHONE_TAKEN"],
		},
		async ({ c, caller: { caller }, body }) =>
			userRecord(await verifyOtp(otpContext(c), caller, body.phone, body.code)),
	),
	endpoint(
		{
			method: "post",
			path: "/v1/auth/attest-phone",
			id: "attestPhone",
			tag,
			summary: "Attest a phone number",
			description: "For agents who have met the holder of the number.",
			access: agent,
			limits,
			body: phoneAttestationSchema,
			answer: json(200, attestedPhoneSchema, "The number and its account."),
			errors: ["INVALID_PHONE", "PHONE_TAKEN", "NOT_FOUND", "QUOTA_EXCEEDED"],
		},
		async ({ c, caller, body }) => {
			const attestation = { phone: body.phone, userId: body.user_id };
			const { id, phone, phoneVerified } = await attestPhoneForCaller(c, caller, attestation);
			return { user_id: id, phone: phone ?? "", phone_verified: phoneVerified };
		},
	),
];
