import * as z from "zod/mini";
import { lazy } from "../lazy.ts";
import { timeSchema } from "../text-schema.ts";
import { oneTimeCodeSchema, PASSWORD_UNITS_MAX, passwordSchema, phoneSchema } from "./schemas.ts";

export const otpRequestSchema = lazy(() =>
	z.strictObject({ phone: phoneSchema() }).register(z.globalRegistry, { id: "OtpRequest" }),
);

export const otpVerificationSchema = lazy(() =>
	z
		.strictObject({
			phone: phoneSchema(),
			code: oneTimeCodeSchema(),
			current_password: z.optional(passwordSchema()).with(
				z.meta({
					maxLength: PASSWORD_UNITS_MAX,
					description: "Your password. It is needed if the number is not the one that you sign in with now.",
					examples: ["correct horse battery"],
				}),
			),
		})
		.register(z.globalRegistry, { id: "OtpVerification" }),
);

export const otpSentSchema = lazy(() =>
	z
		.object({
			phone: z.string().with(
				z.meta({
					maxLength: 16,
					description: "The phone that the code was sent to, in E.164 form.",
					examples: ["+2348031234567"],
				}),
			),
			expires_at: timeSchema(),
		})
		.register(z.globalRegistry, { id: "OtpSent" }),
);

export const phoneAttestationSchema = lazy(() =>
	z
		.strictObject({
			phone: phoneSchema(),
			user_id: z.string().with(
				z.maxLength(64),
				z.meta({
					description:
						"The account of the person you met, as GET /v1/auth/me returns it to them. Make sure that it is theirs.",
					examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"],
				}),
			),
		})
		.register(z.globalRegistry, { id: "PhoneAttestation" }),
);

export const attestedPhoneSchema = lazy(() =>
	z
		.object({
			user_id: z.string().with(z.meta({ maxLength: 64, examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"] })),
			phone: z.string().with(z.meta({ maxLength: 16, examples: ["+2348031234567"] })),
			phone_verified: z.boolean().with(z.meta({ examples: [true] })),
			pending: z
				.boolean()
				.with(z.meta({ description: "Whether the number waits for the holder of the account.", examples: [false] })),
		})
		.register(z.globalRegistry, { id: "AttestedPhone" }),
);

export const pendingPhoneAnswerSchema = lazy(() =>
	z
		.strictObject({
			accept: z.boolean().with(z.meta({ description: "Whether the number is yours.", examples: [true] })),
			current_password: z.optional(passwordSchema()).with(
				z.meta({
					maxLength: PASSWORD_UNITS_MAX,
					description: "Your password. It is needed if you accept.",
					examples: ["correct horse battery"],
				}),
			),
		})
		.register(z.globalRegistry, { id: "PendingPhoneAnswer" }),
);

export const claimAnswerSchema = lazy(() =>
	z.strictObject({ object: z.literal(true) }).register(z.globalRegistry, { id: "PhoneClaimAnswer" }),
);
