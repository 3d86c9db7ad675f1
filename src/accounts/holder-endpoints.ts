/** The endpoints by which holders look after their account: where it is signed in, and how they get back in. */

import { json, noContent } from "../http/answer.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import { createRecoveryCode, listSessions, resetPassword } from "./actions.ts";
import { ownCallLimit, ownPasswordLimits, passwordLimits, user } from "./authentication.ts";
import { resetProved } from "./phone-actions.ts";
import { sessionRecord } from "./record.ts";
import {
	newRecoveryCodeSchema,
	passwordResetSchema,
	recoveryCodeSchema,
	sessionListSchema,
	sessionParameterSchema,
	tokenPairSchema,
} from "./schemas.ts";
import { endOwnSession } from "./session.ts";

const tag = "Accounts";
const ownLimits = [ownCallLimit];

export const holderEndpoints: Endpoint[] = [
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
			"Uses the code up, ends all sessions of the account and signs you in again. An unknown phone number and a wrong code get the same answer. A one-time code verifies the number. If it was not verified before, the API keys of the account are revoked, because somebody else may have made them.",
		access: anyone,
		limits: passwordLimits,
		body: passwordResetSchema,
		answer: json(200, tokenPairSchema, "A new pair of tokens."),
		errors: ["INVALID_PHONE", "WEAK_PASSWORD", "INVALID_CREDENTIALS", "ACCOUNT_SUSPENDED", "OTP_DISABLED"],
		handle: async ({
			registry,
			body: { phone, recovery_code: code, otp, new_password: password, revoke_keys: revokesKeys },
		}) => {
			const { access, refresh } =
				otp === undefined
					? await resetPassword(registry, { phone, code: code ?? "", password, revokesKeys })
					: await resetProved(registry, { phone, otp, password, revokesKeys });
			return { access, refresh };
		},
	}),
];
