import { json, noContent } from "../http/answer.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import type { ValueOf } from "../lazy.ts";
import { changePassword, login, register, type SignedIn } from "./actions.ts";
import {
	authCallLimit,
	ownCallLimit,
	ownPasswordLimits,
	passwordLimits,
	signInLimits,
	user,
} from "./authentication.ts";
import { registerProved } from "./phone-actions.ts";
import { ownAccount } from "./phone-pending-actions.ts";
import { ownAccountRecord, userRecord } from "./record.ts";
import {
	credentialsSchema,
	ownAccountSchema,
	passwordChangeSchema,
	refreshSchema,
	registrationSchema,
	signedInSchema,
	tokenPairSchema,
} from "./schemas.ts";
import { logout, refreshSession } from "./session.ts";

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
			"Takes a phone number and a password. An unknown phone number and a wrong password get the same answer. After too many failures the answer is 429. `Retry-After` says when to come back.",
		access: anyone,
		limits: signInLimits,
		body: credentialsSchema,
		answer: json(200, signedInSchema, "The account, signed in."),
		errors: ["INVALID_PHONE", "INVALID_CREDENTIALS", "ACCOUNT_SUSPENDED"],
		handle: async ({ registry, body }) => signedInRecord(await login(registry, body.phone, body.password)),
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
		handle: async ({ registry, caller }) => ownAccountRecord(await ownAccount(registry, caller), registry.now),
	}),
];
