import * as z from "zod";

const phone = z
	.string()
	.max(64)
	.meta({
		description: "International form (E.164) with the country code; spaces, dashes, dots and brackets are tolerated.",
		examples: ["+2348031234567"],
	});

export const otpRequestSchema = z.strictObject({ phone });

export const otpVerificationSchema = z.strictObject({
	phone,
	code: z
		.string()
		.regex(/^\d{6}$/, "Six digits.")
		.meta({ description: "Six digits, from the message.", examples: ["493817"] }),
});

export const otpSentSchema = z.object({
	phone: z.string().meta({ description: "E.164: where the code went.", examples: ["+2348031234567"] }),
	expires_at: z.iso.datetime({ precision: 3 }),
});

export const phoneAttestationSchema = z.strictObject({
	phone,
	user_id: z
		.string()
		.max(64)
		.optional()
		.meta({
			description:
				"The account of the person who was met, from their GET /v1/auth/me; the number passes to it. Without it, the account that has the number is meant.",
			examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"],
		}),
});

export const attestedPhoneSchema = z.object({
	user_id: z.string().meta({ examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"] }),
	phone: z.string().meta({ examples: ["+2348031234567"] }),
	phone_verified: z.boolean(),
});
