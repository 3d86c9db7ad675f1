import { json, noContent } from "../http/answer.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import type { ValueOf } from "../schemas/lazy.ts";
import {
	changePassword,
	createRecoveryCode,
	listSessions,
	login,
	register,
	resetPassword,
	type SignedIn,
} from "./actions.ts";
import { authCallLimit, ownCallLimit, ownPasswordLimits, passwordLimits, signInLimits, user } from "./bearer-auth.ts";
import { registerProved, resetProved } from "./phone-actions.ts";
import { ownAccount } from "./phone-pending-actions.ts";
import { ownAccountRecord, sessionRecord, userRecord } from "./record.ts";
import {
	credentialsSchema,
	newRecoveryCodeSchema,
	ownAccountSchema,
	passwordChangeSchema,
	passwordResetSchema,
	recoveryCodeSchema,
	refreshSchema,
	registrationSchema,
	sessionListSchema,
	sessionParameterSchema,
	signedInSchema,
	tokenPairSchema,
} from "./schemas.ts";
import { endOwnSession, logout, refreshSession } from "./session.ts";

function signedInRecord({ access, refresh, user }: SignedIn): ValueOf<typeof signedInSchema> {
	return { access, refresh, user: userRecord(user) };
}

const tag = "Accounts";
const limits = [authCallLimit];
const ownLimits = [ownCallLimit];

export const accountEndpoints: Endpoint[] = [
	endpoint({
		method: "post",
		path: "/v1/auth/register",
		id: "register",
		tag,
		summary: "Create an account",
		description:
			"A phone number and a password are all you need. With a one-time code as well, the number is verified at once.",
		access: anyone,
		limits: passwordLimits,
		body: registrationSchema,
		answer: json(201, signedInSchema, "The account, signed in."),
		errors: ["INVALID_PHONE", "WEAK_PASSWORD", "PHONE_TAKEN", "OTP_DISABLED"],
		handle: async ({ registry, body: { phone, password, otp } }) =>
			signedInRecord(
				otp === undefined
					? await register(registry, phone, password)
					: await registerProved(registry, { phone, password, otp }),
			),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/login",
		id: "logIn",
		tag,
		summary: "Sign in",
		description:
			"Takes a phone number and a password. An unknown phone number and a wrong password get the same answer. After too many failures the answer is 429. `Retry-After` says when to come back. A suspended account is refused with `ACCOUNT_SUSPENDED` unless you send `even_suspended`.",
		access: anyone,
		limits: signInLimits,
		body: credentialsSchema,
		answer: json(200, signedInSchema, "The account, signed in."),
		errors: ["INVALID_PHONE", "INVALID_CREDENTIALS", "ACCOUNT_SUSPENDED"],
		handle: async ({ registry, body: { phone, password, even_suspended: isEvenSuspended = false } }) =>
			signedInRecord(await login(registry, phone, password, isEvenSuspended)),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/token/refresh",
		id: "refreshTokens",
		tag,
		summary: "Exchange a refresh token for new tokens",
		description:
			"Each refresh token works once. If a used one is sent again, its whole session ends, because somebody may have stolen it.",
		access: anyone,
		limits,
		body: refreshSchema,
		answer: json(200, tokenPairSchema, "A new pair of tokens."),
		errors: ["INVALID_TOKEN"],
		handle: ({ registry, body }) => refreshSession(registry, body.refresh),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/logout",
		id: "logOut",
		tag,
		summary: "Sign out",
		description: "Ends the session of the refresh token. Its access tokens stop working too.",
		access: anyone,
		limits,
		body: refreshSchema,
		answer: noContent("The session has ended."),
		errors: ["INVALID_TOKEN"],
		handle: ({ registry, body }) => logout(registry, body.refresh),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/password/change",
		id: "changePassword",
		tag,
		summary: "Change your password",
		description: "Ends all sessions of the account and signs you in again.",
		access: user,
		limits: ownPasswordLimits,
		body: passwordChangeSchema,
		answer: json(200, tokenPairSchema, "A new pair of tokens."),
		errors: ["INVALID_CREDENTIALS", "WEAK_PASSWORD"],
		handle: ({ registry, caller, body }) => changePassword(registry, caller, body.current_password, body.new_password),
	}),
	endpoint({
		method: "get",
		path: "/v1/auth/me",
		id: "getCurrentUser",
		tag,
		summary: "Read your account",
		description: "Returns the account that the access token belongs to.",
		access: user,
		limits: ownLimits,
		answer: json(200, ownAccountSchema, "The account."),
		handle: async ({ registry, caller }) => ownAccountRecord(await ownAccount(registry, caller)),
	}),
	endpoint({
		method: "get",
		path: "/v1/auth/sessions",
		id: "listSessions",
		tag,
		summary: "List your sessions",
		description: "Lists where your account is signed in, newest first.",
		access: user,
		limits: ownLimits,
		answer: json(200, sessionListSchema, "Your live sessions."),
		handle: async ({ registry, caller }) => {
			const sessions = await listSessions(registry, caller);
			return {
				data: sessions.map((session) => ({
					...sessionRecord(session),
					current: session.id === caller.claims.sessionId,
				})),
			};
		},
	}),
	endpoint({
		method: "delete",
		path: "/v1/auth/sessions/{id}",
		id: "endSession",
		tag,
		summary: "End a session",
		description: "Signs one device out at once. You can also end the session that you call with.",
		access: user,
		limits: ownLimits,
		params: sessionParameterSchema,
		answer: noContent("The session has ended."),
		errors: ["NOT_FOUND"],
		handle: ({ registry, caller, params }) => endOwnSession(registry, caller, params.id),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/recovery-code",
		id: "createRecoveryCode",
		tag,
		summary: "Get a recovery code",
		description:
			"With this code you can set a new password if you forget yours. Only this answer shows it, so write it down. It replaces any earlier recovery code.",
		access: user,
		limits: ownPasswordLimits,
		body: newRecoveryCodeSchema,
		answer: json(201, recoveryCodeSchema, "The recovery code."),
		errors: ["INVALID_CREDENTIALS"],
		handle: async ({ registry, caller, body }) => ({
			recovery_code: await createRecoveryCode(registry, caller, body.password),
		}),
	}),
	endpoint({
		method: "post",
		path: "/v1/auth/password/reset",
		id: "resetPassword",
		tag,
		summary: "Set a new password with a recovery code or a one-time code",
		description:
			"Uses the code up, ends all sessions of the account and signs you in again. An unknown phone number and a wrong code get the same answer. A one-time code verifies the number. If it was not verified before, the API keys of the account are revoked, because somebody else may have made them. A suspended account is refused with `ACCOUNT_SUSPENDED`, and the code stays valid, unless you send `even_suspended`.",
		access: anyone,
		limits: passwordLimits,
		body: passwordResetSchema,
		answer: json(200, tokenPairSchema, "A new pair of tokens."),
		errors: ["INVALID_PHONE", "WEAK_PASSWORD", "INVALID_CREDENTIALS", "ACCOUNT_SUSPENDED", "OTP_DISABLED"],
		handle: async ({ registry, body }) => {
			const { recovery_code: code = "", otp, new_password: password, revoke_keys: revokesKeys } = body;
			const wanted = { phone: body.phone, password, revokesKeys, isEvenSuspended: body.even_suspended ?? false };
			const { access, refresh } =
				otp === undefined
					? await resetPassword(registry, { ...wanted, code })
					: await resetProved(registry, { ...wanted, otp });
			return { access, refresh };
		},
	}),
];
