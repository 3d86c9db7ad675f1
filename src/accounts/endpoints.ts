import type { Context } from "hono";
import { openAccountsDatabase } from "../db/open.ts";
import { json, noContent } from "../http/answer.ts";
import type { AppEnv } from "../http/app-env.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import { securityLog } from "../http/security-log.ts";
import type { ValueOf } from "../lazy.ts";
import { loginThrottle, noteSignIn } from "../limits/failed-logins.ts";
import { type NetworkLimit, registrationLimit } from "../limits/write-limits.ts";
import { log } from "../log.ts";
import { DAY } from "../time.ts";
import {
	type AccountContext,
	changePassword,
	currentUser,
	login,
	register,
	type SignedIn,
	type ThrottleOf,
} from "./accounts.ts";
import {
	accountStore,
	authCallLimit,
	loginContext,
	ownCallLimit,
	ownPasswordLimits,
	passwordLimits,
	signInLimits,
	user,
} from "./authentication.ts";
import { askingNetwork, codeContext, otpGateway } from "./code-context.ts";
import { readPasswordFilter } from "./common-passwords.ts";
import { deviceName } from "./device.ts";
import { hashInTurn } from "./hashing-turn.ts";
import { registerProved } from "./one-time-codes.ts";
import { phoneReader } from "./phone.ts";
import { reservedSince } from "./phone-proof.ts";
import { userRecord } from "./record.ts";
import {
	credentialsSchema,
	passwordChangeSchema,
	refreshSchema,
	registrationSchema,
	signedInSchema,
	tokenPairSchema,
	userSchema,
} from "./schemas.ts";
import { logout, RefreshTokenError, refreshSession, type SessionStart } from "./session.ts";

/** What a session starts from that a request opens. */
export function sessionStart(c: Context<AppEnv>): SessionStart {
	const { signingSecrets, limits } = c.var.config;
	const device = deviceName(c.req.header("User-Agent"));
	const lifetime = limits.SESSION_DAYS_MAX * DAY;
	return { signingSecrets, now: Date.now(), device, lifetime, sessionsKept: limits.SESSIONS_PER_ACCOUNT };
}

/** What the use cases on accounts work with in a request. */
export function accountContext(c: Context<AppEnv>): AccountContext {
	const start = sessionStart(c);
	return {
		...start,
		store: accountStore(c),
		readPhone: phoneReader(c.env),
		reservedSince: reservedSince(c.var.config.limits, start.now),
		log: securityLog(c),
		noteSignIn: (phone) => noteSignIn(loginContext(c), phone),
		hashInTurn: (hash) => hashInTurn(c.var.config.limits, hash),
		commonPasswords: () => readPasswordFilter(c.env),
	};
}

/** The limit on the accounts that are opened from the network of this request. */
export function newAccountLimit(c: Context<AppEnv>): NetworkLimit {
	return registrationLimit(c, openAccountsDatabase(c.env), Date.now());
}

/** The throttle on guessing passwords from the network of this request. */
export function loginThrottleOf(c: Context<AppEnv>): ThrottleOf {
	const context = loginContext(c);
	return (guess) => loginThrottle(context, guess);
}

/** Logs why a refresh token was refused: a replay is either a bug of the client or a theft. */
async function logRefusal<Result>(c: Context<AppEnv>, work: Promise<Result>): Promise<Result> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof RefreshTokenError) {
			const { reason, sessionId } = error;
			log(reason === "replayed" ? "warn" : "info", "refresh_token_refused", {
				request_id: c.var.requestId,
				reason,
				session_id: sessionId,
			});
		}
		throw error;
	}
}

function signedInRecord({ access, refresh, user }: SignedIn): ValueOf<typeof signedInSchema> {
	return { access, refresh, user: userRecord(user) };
}

/**
 * Opens an account for a phone, which a one-time code proves where one is given, and signs it in.
 * @throws AppError INVALID_PHONE, WEAK_PASSWORD, PHONE_TAKEN, QUOTA_EXCEEDED; with a code OTP_DISABLED, INVALID_REQUEST when it is wrong.
 */
export async function openAccount(
	c: Context<AppEnv>,
	phone: string,
	password: string,
	otp: string | undefined,
): Promise<SignedIn> {
	if (otp === undefined) return register(accountContext(c), newAccountLimit(c), phone, password);
	otpGateway(c);
	return registerProved(accountContext(c), codeContext(c), newAccountLimit(c), {
		phone,
		password,
		otp,
		network: askingNetwork(c),
	});
}

const tag = "Accounts";
const limits = [authCallLimit];

export const accountEndpoints: Endpoint[] = [
	endpoint(
		{
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
			errors: ["INVALID_PHONE", "WEAK_PASSWORD", "PHONE_TAKEN", "QUOTA_EXCEEDED", "OTP_DISABLED"],
		},
		async ({ c, body: { phone, password, otp } }) => signedInRecord(await openAccount(c, phone, password, otp)),
	),
	endpoint(
		{
			method: "post",
			path: "/v1/auth/login",
			id: "logIn",
			tag,
			summary: "Sign in",
			description:
				"Takes a phone number and a password. An unknown phone number and a wrong password get the same answer. After too many failures the answer is 429. `Retry-After` is only a few seconds if the failures were those of others behind your network.",
			access: anyone,
			limits: signInLimits,
			body: credentialsSchema,
			answer: json(200, signedInSchema, "The account, signed in."),
			errors: ["INVALID_PHONE", "INVALID_CREDENTIALS"],
		},
		async ({ c, body }) =>
			signedInRecord(await login(accountContext(c), loginThrottleOf(c), body.phone, body.password)),
	),
	endpoint(
		{
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
		},
		({ c, body }) => logRefusal(c, refreshSession(accountStore(c), sessionStart(c), body.refresh)),
	),
	endpoint(
		{
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
		},
		({ c, body }) => {
			const { store, now } = accountContext(c);
			return logRefusal(c, logout(store, body.refresh, now));
		},
	),
	endpoint(
		{
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
		},
		({ c, caller, body }) =>
			changePassword(accountContext(c), caller, loginThrottleOf(c), body.current_password, body.new_password),
	),
	endpoint(
		{
			method: "get",
			path: "/v1/auth/me",
			id: "getCurrentUser",
			tag,
			summary: "Read your account",
			description: "Returns the account that the access token belongs to.",
			access: user,
			limits: [ownCallLimit],
			answer: json(200, userSchema, "The account."),
		},
		async ({ c, caller }) => userRecord(await currentUser(accountStore(c), caller)),
	),
];
