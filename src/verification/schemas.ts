import * as z from "zod";
import { phoneSchema } from "../accounts/schemas.ts";
import { timeSchema } from "../time-schema.ts";

export const otpRequestSchema = z.strictObject({ phone: phoneSchema }).meta({ id: "OtpRequest" });

export const otpVerificationSchema = z
	.strictObject({
		phone: phoneSchema,
		code: z
			.string()
			.regex(/^\d{6}$/, "Send the six digits of the message.")
			.meta({ maxLength: 6, description: "The six digits of the message.", examples: ["493817"] }),
	})
	.meta({ id: "OtpVerification" });

export const otpSentSchema = z
	.object({
		phone: z.string().meta({
			maxLength: 16,
			description: "The phone that the code was sent to, in E.164 form.",
			examples: ["+2348031234567"],
		}),
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
					"The account of the person you met, as their GET /v1/auth/me returns it. The number passes to that account. If unset, the number stays with the account that has it now. Make sure that this account is theirs, because a verified number never passes to another account.",
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
