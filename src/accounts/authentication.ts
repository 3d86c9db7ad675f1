import type { Context } from "hono";
import { openAccountsDatabase } from "../db/open.ts";
import { AppError } from "../errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readCredential } from "../http/authorization.ts";
import { type Access, type CallLimit, CREDENTIAL_ERRORS, type SecurityScheme } from "../http/endpoint.ts";
import { clientNetwork, clientNetworks, countCall, perNetwork, rateLimited } from "../http/rate-limit.ts";
import { securityLog } from "../http/security-log.ts";
import type { LoginContext } from "../limits/failed-logins.ts";
import { openFailedLoginStore } from "../limits/open.ts";
import { verifyAccessToken } from "./access-token.ts";
import { type SignedInCaller, signedInCaller } from "./caller.ts";
import { enterHashing } from "./hashing-turn.ts";
import { type AccountStore, accountStoreOf } from "./store.ts";

/** How people present their credential. */
export const accessTokenScheme: SecurityScheme = {
	name: "accessToken",
	definition: {
		type: "http",
		scheme: "bearer",
		bearerFormat: "JWT",
		description:
			"For people: the access token that register, login and refresh return. It is valid for 30 minutes and is verified as RFC8725 (JWT Best Current Practices) recommends.",
	},
};

/** The store of accounts that a request works with. */
export function accountStore(c: Context<AppEnv>): AccountStore {
	return accountStoreOf(openAccountsDatabase(c.env));
}

/**
 * Whoever calls with an access token.
 * @throws AppError INVALID_TOKEN where the token is not genuine or has expired.
 */
export function callerOfAccessToken(c: Context<AppEnv>, token: string, role?: "agent"): Promise<SignedInCaller> {
	return signedInCaller(accountStore(c), c.get("config").signingSecrets, token, Date.now(), role);
}

/** The credential of `Authorization: Bearer <access token>`. */
function bearerToken(c: Context<AppEnv>): string {
	const credential = readCredential(c);
	if (credential?.kind === "access-token") return credential.text;
	throw new AppError("UNAUTHENTICATED", "Sign in and send the access token as Authorization: Bearer <token>.", {
		headers: { "WWW-Authenticate": "Bearer" },
	});
}

/** Admits a signed-in person: `Authorization: Bearer <access token>`. */
export const user: Access<SignedInCaller> = {
	schemes: [accessTokenScheme],
	summary: "Needs an access token.",
	errors: CREDENTIAL_ERRORS,
	admit: (c) => callerOfAccessToken(c, bearerToken(c)),
};

/** Admits a signed-in person who is an agent of the registry. */
export const agent: Access<SignedInCaller> = {
	schemes: [accessTokenScheme],
	summary: "Needs the access token of an agent.",
	errors: [...user.errors, "FORBIDDEN"],
	async admit(c) {
		const caller = await callerOfAccessToken(c, bearerToken(c), "agent");
		// Proved at the door, so that whoever is no agent is refused before anything that they sent is read.
		await caller.run();
		return caller;
	},
};

/** What the throttle on sign-ins works with in a request. */
export function loginContext(c: Context<AppEnv>): LoginContext {
	const { limits, signingSecrets } = c.var.config;
	return {
		store: openFailedLoginStore(c.env),
		limits,
		signingSecrets,
		networks: clientNetworks(c),
		now: Date.now(),
		log: securityLog(c),
		countPasswordCall: async () => {
			await passwordCallLimit(c);
		},
		countLastSignIn: (network) => countCall(c, "LAST_SIGN_INS", network),
	};
}

/** The limit that all endpoints under /v1/auth share which anyone may call. */
export const authCallLimit = perNetwork("AUTH_CALLS", "Too many calls from your network. Wait a minute.");

/** The limit on the calls of an account. It takes the place of its network's, so that nobody else behind that network can use its calls up. */
export function callLimitOf(userId: string): CallLimit {
	return async (c) => {
		// Nobody is limited on a developer's machine.
		if (await countCall(c, "AUTH_CALLS", clientNetwork(c) && userId)) return undefined;
		throw rateLimited("Too many calls with your account. Wait a minute.");
	};
}

/** The limit that all endpoints under /v1/auth share which need an access token: that of its account, or of the network where it is not genuine. */
export const ownCallLimit: CallLimit = async (c) => {
	const credential = readCredential(c);
	const { signingSecrets } = c.var.config;
	const token = credential?.kind === "access-token" ? credential.text : "";
	const claims = await verifyAccessToken(token, signingSecrets, Date.now());
	const limit = claims ? callLimitOf(claims.userId) : authCallLimit;
	return limit(c);
};

/** The limit that all those share which hash a password. */
export const passwordCallLimit = perNetwork("PASSWORD_CALLS", "Too many sign-ins from your network. Wait a minute.");

/** Lets no more in to hash a password than have their turn soon. Asked first, because whoever it turns away has cost nothing yet. */
const hashingLimit: CallLimit = async (c) => enterHashing(c.var.config.limits, clientNetworks(c).at(-1));

/** The limits of signing in, which counts itself among the calls that hash a password when it is about to. */
export const signInLimits = [hashingLimit, authCallLimit];

/** The limits of an endpoint that hashes a password, which anyone may call or which needs an access token. */
export const passwordLimits = [hashingLimit, authCallLimit, passwordCallLimit];
export const ownPasswordLimits = [hashingLimit, ownCallLimit, passwordCallLimit];

/** The limits of a form of the console that hashes the password of whoever is signed in. */
export function passwordLimitsOf(userId: string): readonly CallLimit[] {
	return [hashingLimit, callLimitOf(userId), passwordCallLimit];
}
