/** The endpoints by which holders look after their account: where it is signed in, and how they get back in. */
import type { Context } from "hono";
import { json, noContent } from "../http/answer.ts";
import type { AppEnv } from "../http/app-env.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import type { ValueOf } from "../lazy.ts";
import type { SignedIn } from "./accounts.ts";
import { accountStore, ownCallLimit, ownPasswordLimits, passwordLimits, user } from "./authentication.ts";
import { askingNetwork, codeContext, otpGateway } from "./code-context.ts";
import { accountContext, loginThrottleOf } from "./endpoints.ts";
import { resetProved } from "./one-time-codes.ts";
import { createRecoveryCode, resetPassword } from "./recovery.ts";
import {
	newRecoveryCodeSchema,
	passwordResetSchema,
	recoveryCodeSchema,
	sessionListSchema,
	sessionParameterSchema,
	type sessionSchema,
	tokenPairSchema,
} from "./schemas.ts";
import { endOwnSession } from "./session.ts";
import type { Session } from "./session-store.ts";

/** The record of a session, as its holder sees it. */
export function sessionRecord(session: Session, currentId: string): ValueOf<typeof sessionSchema> {
	const { id, device, createdAt, lastSeenAt } = session;
	return {
		id,
		device: device || null,
		created_at: new Date(createdAt).toISOString(),
		last_used_at: new Date(lastSeenAt ?? createdAt).toISOString(),
		current: id === currentId,
	};
}

/**
 * Sets a new password by a one-time code that was sent to the phone while nobody was signed in.
 * @throws AppError OTP_DISABLED, INVALID_PHONE, WEAK_PASSWORD, INVALID_CREDENTIALS.
 */
export async function resetByOneTimeCode(
	c: Context<AppEnv>,
	phone: string,
	otp: string,
	password: string,
): Promise<SignedIn> {
	otpGateway(c);
	return resetProved(accountContext(c), codeContext(c), { phone, password, otp, network: askingNetwork(c) });
}

const tag = "Accounts";
const limits = [ownCallLimit];

export const holderEndpoints: Endpoint[] = [
	endpoint(
		{
			method: "get",
			path: "/v1/auth/sessions",
			id: "listSessions",
			tag,
			summary: "List your sessions",
			description: "Lists where your account is signed in, newest first.",
			access: user,
			limits,
			answer: json(200, sessionListSchema, "Your live sessions."),
		},
		async ({ c, caller }) => {
			const now = Date.now();
			const [sessions] = await caller.runAs((userId) => [accountStore(c).liveSessions({ userId, now })]);
			return { data: sessions.map((session) => sessionRecord(session, caller.claims.sessionId)) };
		},
	),
	endpoint(
		{
			method: "delete",
			path: "/v1/auth/sessions/{id}",
			id: "endSession",
			tag,
			summary: "End a session",
			description: "Signs one device out at once. You can also end the session that you call with.",
			access: user,
			limits,
			params: sessionParameterSchema,
			answer: noContent("The session has ended."),
			errors: ["NOT_FOUND"],
		},
		({ c, caller, params }) => endOwnSession(accountStore(c), caller, params.id, Date.now()),
	),
	endpoint(
		{
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
		},
		async ({ c, caller, body }) => ({
			recovery_code: await createRecoveryCode(accountContext(c), caller, loginThrottleOf(c), body.password),
		}),
	),
	endpoint(
		{
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
			errors: ["INVALID_PHONE", "WEAK_PASSWORD", "INVALID_CREDENTIALS", "OTP_DISABLED"],
		},
		async ({ c, body: { phone, recovery_code: code, otp, new_password: password } }) => {
			const { access, refresh } =
				otp === undefined
					? await resetPassword(accountContext(c), loginThrottleOf(c), { phone, code: code ?? "", password })
					: await resetByOneTimeCode(c, phone, otp, password);
			return { access, refresh };
		},
	),
];
