import * as z from "zod/mini";
import { answered, arrayOf, described, named, sent, timeSchema } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";
import { LISTED_SESSIONS_MAX } from "./session-store.ts";

/** The longest password that is read, in UTF-16 units. The rules for passwords are in password.ts. */
const PASSWORD_UNITS_MAX = 1024;

export const phoneSchema = lazy(() =>
	described(
		z.string().with(z.maxLength(64)),
		"The number in international form (E.164), with the country code. Spaces, dashes, dots and brackets are ignored.",
		"+2348031234567",
	),
);

export const passwordSchema = lazy(() =>
	described(
		z.string().with(z.maxLength(PASSWORD_UNITS_MAX)),
		"8 to 256 characters of any kind.",
		"correct horse battery",
	),
);

const evenSuspendedSchema = lazy(() =>
	z.optional(
		described(
			z.boolean(),
			"Send true to sign in to a suspended account too. Until the operator restores it, the session can only export and delete its data.",
			false,
		),
	),
);

export const credentialsSchema = sent("Credentials", () => ({
	phone: phoneSchema(),
	password: passwordSchema(),
	even_suspended: evenSuspendedSchema(),
}));

/** A one-time code that was sent to a phone. */
export const oneTimeCodeSchema = lazy(() =>
	described(
		z.string().with(z.regex(/^\d{8}$/, "Send the eight digits of the message.")),
		"The eight digits of the message.",
		"49381726",
		{ maxLength: 8 },
	),
);

const registration = {
	id: "Registration",
	// Without a one-time code, because not every registry sends them.
	examples: [{ phone: "+2348031234567", password: "correct horse battery" }],
};
export const registrationSchema = sent(registration, () => ({
	phone: phoneSchema(),
	password: passwordSchema(),
	otp: z.optional(
		described(
			oneTimeCodeSchema(),
			"A code from /v1/auth/otp/signed-out. With it the number is verified at once, and passes to you from an account that has not verified it.",
		),
	),
}));

/** Long enough for any credential, so that a token of the wrong kind is called wrong rather than too long. */
const TOKEN_UNITS_MAX = 4096;

const refresh = lazy(() =>
	described(
		z.string().with(z.maxLength(TOKEN_UNITS_MAX)),
		"The refresh token. It works once.",
		"3VxkQ0r7cWmB2nTq9LzYh5GdPj1sAeKu8XfRv6MoIbC",
	),
);

export const refreshSchema = sent("RefreshToken", () => ({ refresh: refresh() }));

export const passwordChangeSchema = sent("PasswordChange", () => ({
	current_password: passwordSchema(),
	new_password: passwordSchema(),
}));

export const userSchema = answered("User", () => ({
	id: z.string().with(z.meta({ maxLength: 64, examples: ["usr_7dN3kq0vXW2mZrB8cT5yLa"] })),
	phone: described(z.nullable(z.string()), "The phone number in E.164 form.", "+2348031234567", { maxLength: 16 }),
	phone_verified: described(
		z.boolean(),
		"Whether the number has been verified. This is a sign of trust that gives no rights.",
		false,
	),
	created_at: timeSchema(),
}));

export const ownAccountSchema = named("OwnAccount", () =>
	z.extend(userSchema(), {
		pending_phone: described(
			z.nullable(z.string()),
			"A number that an agent attested for you, until you accept or decline it. If another account has it, it waits until an operator decides.",
			null,
			{ maxLength: 16 },
		),
		phone_claimed: described(
			z.nullable(
				z.object({
					objected: described(z.boolean(), "Whether you have objected.", false),
				}),
			),
			"Set while another account claims your number, with the word of an agent. It stays yours until an operator decides. Object if the number is yours.",
			null,
		),
	}),
);

export const tokenPairSchema = answered("TokenPair", () => ({
	access: described(z.string(), "A JWT, valid for 30 minutes.", "eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9...", {
		maxLength: TOKEN_UNITS_MAX,
	}),
	refresh: described(
		z.string(),
		"An opaque token, valid for 30 days. Each use replaces it with a new one.",
		"3VxkQ0r7cWmB2nTq9LzYh5GdPj1sAeKu8XfRv6MoIbC",
		{ maxLength: TOKEN_UNITS_MAX },
	),
}));

export const signedInSchema = named("SignedIn", () => z.extend(tokenPairSchema(), { user: userSchema() }));

const sessionId = lazy(() =>
	described(z.string(), "The id of the session.", "ses_7dN3kq0vXW2mZrB8cT5yLa", { maxLength: 64 }),
);

export const sessionParameterSchema = lazy(() => z.object({ id: sessionId() }));

/** The fields of a session, except whether it is the caller's own. */
export const sessionShape = lazy(() => ({
	id: sessionId(),
	device: described(
		z.nullable(z.string()),
		"The device that signed in, guessed from its User-Agent header. It is null if the header does not tell.",
		"Chrome on Android",
		{ maxLength: 64 },
	),
	created_at: timeSchema(),
	last_used_at: described(
		timeSchema(),
		"When it last signed in or was refreshed. For a session of the console it can be up to a day old.",
	),
}));

const sessionSchema = answered("Session", () => ({
	...sessionShape(),
	current: described(z.boolean(), "Whether this is the session that you call with.", true),
}));

export const sessionListSchema = answered("SessionList", () => ({
	data: arrayOf(sessionSchema(), LISTED_SESSIONS_MAX),
}));

const recoveryCode = lazy(() =>
	described(
		z.string(),
		"24 digits and letters. Case, dashes and spaces do not matter, O reads as 0, and I and L read as 1.",
		"7KQ2-M9XD-4TBN-0WZR-H3YC-E8VA",
		{ maxLength: 64 },
	),
);

export const newRecoveryCodeSchema = sent("NewRecoveryCode", () => ({ password: passwordSchema() }));

export const recoveryCodeSchema = answered("RecoveryCode", () => ({ recovery_code: recoveryCode() }));

const proofOfReset = "Send either a recovery_code or an otp.";

export const passwordResetSchema = named(
	{
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
	},
	() =>
		z
			.strictObject({
				phone: phoneSchema(),
				recovery_code: z.optional(recoveryCode().with(z.maxLength(256))),
				otp: z.optional(described(oneTimeCodeSchema(), "A code from /v1/auth/otp/signed-out.")),
				new_password: passwordSchema(),
				revoke_keys: described(
					z._default(z.boolean(), false),
					"Whether to revoke all API keys of the account. Do so if somebody else may have made some.",
				),
				even_suspended: evenSuspendedSchema(),
			})
			.with(
				z.refine(({ recovery_code, otp }) => (recovery_code === undefined) !== (otp === undefined), {
					message: proofOfReset,
					path: ["recovery_code"],
				}),
			),
);
