import * as z from "zod";
import { phoneSchema } from "../accounts/schemas.ts";
import { timeSchema } from "../time-schema.ts";

export const otpRequestSchema = z.strictObject({ phone: phoneSchema }).meta({ id: "OtpRequest" });

export const otpVerificationSchema = z
	.strictObject({
		phone: phoneSchema,
		code: z
			.string()
			.regex(/^\d{6}$/, "Six digits.")
			.meta({ maxLength: 6, description: "Six digits, from the message.", examples: ["493817"] }),
	})
	.meta({ id: "OtpVerification" });

export const otpSentSchema = z
	.object({
		phone: z.string().meta({ maxLength: 16, description: "E.164: where the code went.", examples: ["+2348031234567"] }),
		expires_at: timeSchema,
	})
	.meta({ id: "OtpSent" });

export const phoneAttestationSchema = z
	.strictObject({
		phone: phoneSchema,
		user_id: z
			.string()
			.max(64)
			.optional()
			.meta({
				description:
					"The account of the person who was met, from their GET /v1/auth/me; the number passes to it. Without it, the account that has the number is meant: be sure that it is theirs, because a verified number passes to nobody any more.",
				examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"],
			}),
	})
	.meta({ id: "PhoneAttestation" });

export const attestedPhoneSchema = z
	.object({
		user_id: z.string().meta({ maxLength: 64, examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"] }),
		phone: z.string().meta({ maxLength: 16, examples: ["+2348031234567"] }),
		phone_verified: z.boolean().meta({ examples: [true] }),
	})
	.meta({ id: "AttestedPhone" });
