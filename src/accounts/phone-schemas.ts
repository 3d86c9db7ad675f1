import * as z from "zod/mini";
import { answered, described, sent, timeSchema } from "../schemas/common.ts";
import { oneTimeCodeSchema, passwordSchema, phoneSchema } from "./schemas.ts";

export const otpRequestSchema = sent("OtpRequest", () => ({ phone: phoneSchema() }));

export const otpVerificationSchema = sent("OtpVerification", () => ({
	phone: phoneSchema(),
	code: oneTimeCodeSchema(),
	current_password: z.optional(
		described(passwordSchema(), "Your password. It is needed if the number is not the one that you sign in with now."),
	),
}));

export const otpSentSchema = answered("OtpSent", () => ({
	phone: described(z.string(), "The phone that the code was sent to, in E.164 form.", "+2348031234567", {
		maxLength: 16,
	}),
	expires_at: timeSchema(),
}));

export const phoneAttestationSchema = sent("PhoneAttestation", () => ({
	phone: phoneSchema(),
	user_id: described(
		z.string().with(z.maxLength(64)),
		"The account of the person you met, as GET /v1/auth/me returns it to them. Make sure that it is theirs.",
		"usr_7dN3kq0vXW2mZrB8cT5yLa",
	),
}));

export const attestedPhoneSchema = answered("AttestedPhone", () => ({
	user_id: z.string().with(z.meta({ maxLength: 64, examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"] })),
	phone: z.string().with(z.meta({ maxLength: 16, examples: ["+2348031234567"] })),
	phone_verified: z.boolean().with(z.meta({ examples: [true] })),
	pending: described(z.boolean(), "Whether the number waits for the holder of the account.", false),
}));

export const pendingPhoneAnswerSchema = sent("PendingPhoneAnswer", () => ({
	accept: described(z.boolean(), "Whether the number is yours.", true),
	current_password: z.optional(described(passwordSchema(), "Your password. It is needed if you accept.")),
}));

export const claimAnswerSchema = sent("PhoneClaimAnswer", () => ({ object: z.literal(true) }));
