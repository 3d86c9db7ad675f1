import * as z from "zod/mini";
import { lazy } from "../lazy.ts";
import { timeSchema } from "../text-schema.ts";
import { LISTED_SESSIONS_MAX } from "./session-store.ts";

/** Longest password accepted for reading, in UTF-16 units; the rules on passwords themselves are in password.ts. */
export const PASSWORD_UNITS_MAX = 1024;

export const phoneSchema = lazy(() =>
	z.string().with(
		z.maxLength(64),
		z.meta({
			description:
				"The number in international form (E.164), with the country code. Spaces, dashes, dots and brackets are ignored.",
			examples: ["+2348031234567"],
		}),
	),
);

export const passwordSchema = lazy(() =>
	z
		.string()
		.with(
			z.maxLength(PASSWORD_UNITS_MAX),
			z.meta({ description: "8 to 256 characters of any kind.", examples: ["correct horse battery"] }),
		),
);

export const credentialsSchema = lazy(() =>
	z
		.strictObject({ phone: phoneSchema(), password: passwordSchema() })
		.register(z.globalRegistry, { id: "Credentials" }),
);

/** A code that was sent to a phone. */
export const oneTimeCodeSchema = lazy(() =>
	z
		.string()
		.with(
			z.regex(/^\d{6}$/, "Send the six digits of the message."),
			z.meta({ maxLength: 6, description: "The six digits of the message.", examples: ["493817"] }),
		),
);

export const registrationSchema = lazy(() =>
	z
		.strictObject({
			phone: phoneSchema(),
			password: passwordSchema(),
			otp: z.optional(
				oneTimeCodeSchema().with(
					z.meta({
						maxLength: 6,
						description:
							"A code from /v1/auth/otp/signed-out. With it the number is verified at once, and passes to you from an account that has not verified it.",
						examples: ["493817"],
					}),
				),
			),
		})
		.register(z.globalRegistry, { id: "Registration" }),
);

/** Long enough for any credential, so that a token of the wrong kind is told to be wrong and not to be long. */
const TOKEN_UNITS_MAX = 4096;

const refresh = lazy(() =>
	z.string().with(
		z.maxLength(TOKEN_UNITS_MAX),
		z.meta({
			description: "The refresh token. It works once.",
			examples: ["3VxkQ0r7cWmB2nTq9LzYh5GdPj1sAeKu8XfRv6MoIbC"],
		}),
	),
);

export const refreshSchema = lazy(() =>
	z.strictObject({ refresh: refresh() }).register(z.globalRegistry, { id: "RefreshToken" }),
);

export const passwordChangeSchema = lazy(() =>
	z
		.strictObject({ current_password: passwordSchema(), new_password: passwordSchema() })
		.register(z.globalRegistry, { id: "PasswordChange" }),
);

export const userSchema = lazy(() =>
	z
		.object({
			id: z.string().with(z.meta({ maxLength: 64, examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"] })),
			phone: z
				.nullable(z.string())
				.with(z.meta({ maxLength: 16, description: "The phone number in E.164 form.", examples: ["+2348031234567"] })),
			phone_verified: z.boolean().with(
				z.meta({
					examples: [false],
					description: "Whether the number has been verified. This is a sign of trust that gives no rights.",
				}),
			),
			created_at: timeSchema(),
		})
		.register(z.globalRegistry, { id: "User" }),
);

export const ownAccountSchema = lazy(() =>
	z
		.extend(userSchema(), {
			pending_phone: z.nullable(z.string()).with(
				z.meta({
					maxLength: 16,
					description: "A number that an agent attested for you, until you accept or decline it.",
					examples: [null],
				}),
			),
			pending_phone_passes_at: z.nullable(timeSchema()).with(
				z.meta({
					description:
						"When that number passes to you, once you have accepted it and if another account has it. It is null where you have not answered or an operator decides.",
					examples: [null],
				}),
			),
			phone_claimed: z
				.nullable(
					z.object({
						passes_at: z.nullable(timeSchema()).with(
							z.meta({
								description: "When your number passes. It is null where an operator decides.",
								examples: [null],
							}),
						),
						objected: z.boolean().with(z.meta({ description: "Whether you have objected.", examples: [false] })),
					}),
				)
				.with(
					z.meta({
						description:
							"Set while another account claims your number, with the word of an agent. Object if the number is yours.",
						examples: [null],
					}),
				),
		})
		.register(z.globalRegistry, { id: "OwnAccount" }),
);

export const tokenPairSchema = lazy(() =>
	z
		.object({
			access: z.string().with(
				z.meta({
					maxLength: TOKEN_UNITS_MAX,
					description: "A JWT, valid for 30 minutes.",
					examples: ["eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9..."],
				}),
			),
			refresh: z.string().with(
				z.meta({
					maxLength: TOKEN_UNITS_MAX,
					description: "An opaque token, valid for 30 days. Each use replaces it with a new one.",
					examples: ["3VxkQ0r7cWmB2nTq9LzYh5GdPj1sAeKu8XfRv6MoIbC"],
				}),
			),
		})
		.register(z.globalRegistry, { id: "TokenPair" }),
);

export const signedInSchema = lazy(() =>
	z.extend(tokenPairSchema(), { user: userSchema() }).register(z.globalRegistry, { id: "SignedIn" }),
);

const sessionId = lazy(() =>
	z
		.string()
		.with(z.meta({ description: "The id of the session.", maxLength: 64, examples: ["ses_7dN3kq0vXW2mZrB8cT5yLa"] })),
);

export const sessionParameterSchema = lazy(() => z.object({ id: sessionId() }));

export const sessionSchema = lazy(() =>
	z
		.object({
			id: sessionId(),
			device: z.nullable(z.string()).with(
				z.meta({
					maxLength: 64,
					description:
						"The device that signed in, guessed from its User-Agent header. It is null if the header does not tell.",
					examples: ["Chrome on Android"],
				}),
			),
			created_at: timeSchema(),
			last_used_at: timeSchema().with(
				z.meta({
					description:
						"When it last signed in or was refreshed. For a session of the console it can be up to a day old.",
				}),
			),
			current: z
				.boolean()
				.with(z.meta({ description: "Whether this is the session that you call with.", examples: [true] })),
		})
		.register(z.globalRegistry, { id: "Session" }),
);

export const sessionListSchema = lazy(() =>
	z
		.object({ data: z.array(sessionSchema()).with(z.meta({ maxItems: LISTED_SESSIONS_MAX })) })
		.register(z.globalRegistry, { id: "SessionList" }),
);

const recoveryCode = lazy(() =>
	z.string().with(
		z.meta({
			maxLength: 64,
			description: "24 digits and letters. Case, dashes and spaces do not matter, O reads as 0, and I and L read as 1.",
			examples: ["7KQ2-M9XD-4TBN-0WZR-H3YC-E8VA"],
		}),
	),
);

export const newRecoveryCodeSchema = lazy(() =>
	z.strictObject({ password: passwordSchema() }).register(z.globalRegistry, { id: "NewRecoveryCode" }),
);

export const recoveryCodeSchema = lazy(() =>
	z.object({ recovery_code: recoveryCode() }).register(z.globalRegistry, { id: "RecoveryCode" }),
);

const proofOfReset = "Send either a recovery_code or an otp.";

export const passwordResetSchema = lazy(() =>
	z
		.strictObject({
			phone: phoneSchema(),
			recovery_code: z.optional(recoveryCode().with(z.maxLength(256))),
			otp: z.optional(
				oneTimeCodeSchema().with(
					z.meta({ maxLength: 6, description: "A code from /v1/auth/otp/signed-out.", examples: ["493817"] }),
				),
			),
			new_password: passwordSchema(),
			revoke_keys: z._default(z.boolean(), false).with(
				z.meta({
					description: "Whether to revoke all API keys of the account. Do so if somebody else may have made some.",
				}),
			),
		})
		.with(
			z.refine(({ recovery_code, otp }) => (recovery_code === undefined) !== (otp === undefined), {
				message: proofOfReset,
				path: ["recovery_code"],
			}),
		)
		.register(z.globalRegistry, {
			id: "PasswordReset",
			description: proofOfReset,
			oneOf: [{ required: ["recovery_code"] }, { required: ["otp"] }],
			examples: [
				{
					phone: "+2348031234567",
					recovery_code: "7KQ2-M9XD-4TBN-0WZR-H3YC-E8VA",
					new_password: "correct horse battery",
				},
			],
		}),
);
