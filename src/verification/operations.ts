import { userSchema } from "../accounts/schemas.ts";
import type { Operation } from "../http/operation.ts";
import {
	attestedPhoneSchema,
	otpRequestSchema,
	otpSentSchema,
	otpVerificationSchema,
	phoneAttestationSchema,
} from "./schemas.ts";

export const verificationOperations: Operation[] = [
	{
		method: "post",
		path: "/v1/auth/otp/request",
		id: "requestOneTimeCode",
		tag: "Attest",
		summary: "Ask for a one-time code",
		description: "Sends six digits to the phone. OTP_DISABLED where the registry has no SMS gateway.",
		access: "user",
		body: otpRequestSchema,
		success: {
			status: 202,
			description: "It is on its way.",
			headers: {
				RateLimit: "How many more codes the phone may be sent.",
				"RateLimit-Policy": "The phone's quota in 24 hours.",
			},
			content: { "application/json": otpSentSchema },
		},
		errors: ["INVALID_PHONE", "PHONE_TAKEN", "QUOTA_EXCEEDED", "OTP_DISABLED"],
	},
	{
		method: "post",
		path: "/v1/auth/otp/verify",
		id: "verifyOneTimeCode",
		tag: "Attest",
		summary: "Prove a phone number",
		description:
			"By the code that was sent to it. The number passes from an unverified account to the one that proves it.",
		access: "user",
		body: otpVerificationSchema,
		success: { status: 200, description: "The account.", content: { "application/json": userSchema } },
		errors: ["INVALID_PHONE", "PHONE_TAKEN", "OTP_DISABLED"],
	},
	{
		method: "post",
		path: "/v1/auth/attest-phone",
		id: "attestPhone",
		tag: "Attest",
		summary: "Attest a phone number",
		description: "By an agent who met its holder.",
		access: "user",
		body: phoneAttestationSchema,
		success: {
			status: 200,
			description: "The number and its account.",
			content: { "application/json": attestedPhoneSchema },
		},
		errors: ["INVALID_PHONE", "PHONE_TAKEN", "FORBIDDEN", "NOT_FOUND"],
	},
];
