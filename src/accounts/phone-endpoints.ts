/** The endpoints by which a phone is proved: by one-time codes, and by agents. */

import type { Context } from "hono";
import { json } from "../http/answer.ts";
import type { AppEnv } from "../http/app-env.ts";
import { type Access, anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import { rateLimitHeaders } from "../limits/rate-limit-headers.ts";
import type { ValueOf } from "../schemas/lazy.ts";
import { timestamp } from "../time/time.ts";
import { otpGateway, type SentCode } from "../verification/actions.ts";
import { agent, authCallLimit, ownCallLimit, ownPasswordLimits, user } from "./bearer-auth.ts";
import { requestCode, requestCodeSignedOut, verifyPhone } from "./phone-actions.ts";
import { answerPendingPhone, attestPhone, objectToClaim } from "./phone-pending-actions.ts";
import {
	attestedPhoneSchema,
	claimAnswerSchema,
	otpRequestSchema,
	otpSentSchema,
	otpVerificationSchema,
	pendingPhoneAnswerSchema,
	phoneAttestationSchema,
} from "./phone-schemas.ts";
import { ownAccountRecord, userRecord } from "./record.ts";
import { ownAccountSchema, userSchema } from "./schemas.ts";

/** Admits the same callers as `access`, but answers OTP_DISABLED first if the registry cannot send one-time codes. */
function withGateway<Caller>(access: Access<Caller>): Access<Caller> {
	return {
		...access,
		errors: [...access.errors, "OTP_DISABLED"],
		async admit(registry, credential) {
			otpGateway(registry);
			return access.admit(registry, credential);
		},
	};
}

const tag = "Attest";
const limits = [ownCallLimit];

const sentAnswer = json(202, otpSentSchema, "The code is on its way.", {
	headers: {
		RateLimit: "How many more codes you can have sent to this phone.",
		"RateLimit-Policy": "How many codes you can have sent to a phone in 24 hours.",
	},
});

/** The record of a code that was sent. Also sets the headers that say how many more can be sent. */
function sentRecord(c: Context<AppEnv>, { phone, expiresAt, quota }: SentCode): ValueOf<typeof otpSentSchema> {
	for (const [name, value] of Object.entries(rateLimitHeaders(quota, c.get("registry").now))) c.header(name, value);
	return { phone, expires_at: timestamp(expiresAt) };
}

export const phoneEndpoints: Endpoint[] = [
	endpoint({
		method: "post",
		path: "/v1/auth/otp/signed-out",
		id: "requestOneTimeCodeSignedOut",
		tag,
		summary: "Request a one-time code while signed out",
		description:
			"Sends an eight-digit code to the phone, with which you create an account or set a new password. The answer is the same whether or not the phone has an account. Answers OTP_DISABLED while the registry has no SMS gateway.",
		access: withGateway(anyone),
		limits: [authCallLimit],
		body: otpRequestSchema,
		answer: sentAnswer,
		errors: ["INVALID_PHONE", "QUOTA_EXCEEDED"],
		handle: async ({ c, body }) => sentRecord(c, await requestCodeSignedOut(c.get("registry"), body.phone)),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/otp/request",
		id: "requestOneTimeCode",
		tag,
		summary: "Request a one-time code",
		description: "Sends an eight-digit code to the phone. Answers OTP_DISABLED while the registry has no SMS gateway.",
		access: withGateway(user),
		limits,
		body: otpRequestSchema,
		answer: sentAnswer,
		errors: ["INVALID_PHONE", "PHONE_TAKEN", "QUOTA_EXCEEDED"],
		handle: async ({ c, caller, body }) => sentRecord(c, await requestCode(c.get("registry"), caller, body.phone)),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/otp/verify",
		id: "verifyOneTimeCode",
		tag,
		summary: "Verify a phone number",
		description:
			"Takes the code that was sent to the number. If another account has the number unverified, the number passes to your account. A number that replaces the one you sign in with also needs your password.",
		access: withGateway(user),
		limits: ownPasswordLimits,
		body: otpVerificationSchema,
		answer: json(200, userSchema, "The account."),
		errors: ["INVALID_PHONE", "PHONE_TAKEN", "INVALID_CREDENTIALS"],
		handle: async ({ c, caller, body: { phone, code, current_password: password } }) =>
			userRecord(await verifyPhone(c.get("registry"), caller, { phone, code, password })),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/attest-phone",
		id: "attestPhone",
		tag,
		summary: "Attest a phone number",
		description:
			"For agents who have met the holder of the number. The number that the account has is verified at once. Any other waits for 30 days until its holder accepts it in a signed-in session.",
		access: agent,
		limits,
		body: phoneAttestationSchema,
		answer: json(200, attestedPhoneSchema, "The number and its account."),
		errors: ["INVALID_PHONE", "PHONE_TAKEN", "NOT_FOUND", "QUOTA_EXCEEDED"],
		handle: async ({ c, caller, body }) => {
			const attestation = { phone: body.phone, userId: body.user_id };
			const { userId, phone, isPending } = await attestPhone(c.get("registry"), caller, attestation);
			return { user_id: userId, phone, phone_verified: !isPending, pending: isPending };
		},
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/me/pending-phone",
		id: "answerPendingPhone",
		tag,
		summary: "Accept or decline a phone number that an agent attested",
		description:
			"A number that you accept replaces the one that you sign in with, so it needs your password. If another account has the number, that account is shown your claim, and only an operator decides whether the number passes.",
		access: user,
		limits: ownPasswordLimits,
		body: pendingPhoneAnswerSchema,
		answer: json(200, ownAccountSchema, "The account."),
		errors: ["NOT_FOUND", "INVALID_CREDENTIALS"],
		handle: async ({ registry, caller, body: { accept: accepts, current_password: password } }) =>
			ownAccountRecord(await answerPendingPhone(registry, caller, { accepts, password })),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/me/phone-claimed",
		id: "objectToPhoneClaim",
		tag,
		summary: "Object to your number passing to another account",
		description:
			"Another account has accepted your phone number as its own, and an agent says that its holder has it. If you object, the number stays yours until an operator decides.",
		access: user,
		limits,
		body: claimAnswerSchema,
		answer: json(200, ownAccountSchema, "The account."),
		errors: ["NOT_FOUND"],
		handle: async ({ registry, caller }) => ownAccountRecord(await objectToClaim(registry, caller)),
	}),
];
