import { AppError } from "../errors.ts";
import type { Credential } from "../http/authorization.ts";
import { type Access, type CallLimit, CREDENTIAL_ERRORS, type SecurityScheme } from "../http/endpoint.ts";
import { wasProved } from "../limits/credentials.ts";
import { takeTurn } from "../limits/hash-queue.ts";
import { assertCall, assertHash, assertNotPast, countAfterAnswer } from "../limits/rate-limits.ts";
import type { Registry } from "../registry.ts";
import { verifyAccessToken } from "./access-token.ts";
import type { Session } from "./session-store.ts";
import { callerOfAccessToken, type SignedInCaller } from "./signed-in.ts";

/** How people present their credential. */
const accessTokenScheme: SecurityScheme = {
	name: "accessToken",
	definition: {
		type: "http",
		scheme: "bearer",
		bearerFormat: "JWT",
		description:
			"For people: the access token that register, login and refresh return. It is valid for 30 minutes and is verified as RFC8725 (JWT Best Current Practices) recommends.",
	},
};

/** The token of `Authorization: Bearer <access token>`. @throws AppError UNAUTHENTICATED if there is none. */
function bearerToken(credential: Credential | undefined): string {
	if (credential?.kind === "access-token") return credential.text;
	throw new AppError("UNAUTHENTICATED", "Sign in and send the access token as Authorization: Bearer <token>.");
}

/** Admits a signed-in person: `Authorization: Bearer <access token>`. */
export const user: Access<SignedInCaller> = {
	schemes: [accessTokenScheme],
	summary: "Needs an access token.",
	errors: CREDENTIAL_ERRORS,
	admit: (registry, credential) => callerOfAccessToken(registry, bearerToken(credential)),
};

/** Admits a signed-in person, even if an operator has suspended their account. */
export const evenSuspendedUser: Access<SignedInCaller> = {
	...user,
	errors: ["UNAUTHENTICATED", "INVALID_TOKEN"],
	admit: (registry, credential) => callerOfAccessToken(registry, bearerToken(credential), "even-suspended"),
};

/** Admits a signed-in person who is an agent of the registry. */
export const agent: Access<SignedInCaller> = {
	schemes: [accessTokenScheme],
	summary: "Needs the access token of an agent.",
	errors: [...user.errors, "FORBIDDEN"],
	async admit(registry, credential) {
		const caller = await callerOfAccessToken(registry, bearerToken(credential), "agent");
		// Proved first, so that anyone who is not an agent is refused before their input is read.
		await caller.prove();
		return caller;
	},
};

const OF_ACCOUNT = "Too many calls of your account. Wait a minute.";
const OF_NETWORK = "Too many calls from your network. Wait a minute.";

type CallLimitName = "AUTH_CALLS" | "PASSWORD_CALLS";

/** Counts a call for an account or, without one, for the network. Nothing is counted on a developer's machine. */
async function count(registry: Registry, name: CallLimitName, account?: string): Promise<undefined> {
	if (account) await assertCall(registry, name, registry.network && account, OF_ACCOUNT);
	else if (name === "PASSWORD_CALLS") await assertHash(registry);
	else await assertCall(registry, name, registry.network, OF_NETWORK);
}

/**
 * A limit on the account of an access token, or on the network if the token is not genuine. The account's limit replaces the network's, so
 * that nobody else on that network can use up its calls. A call counts when it is done, and only if its session proved live. So the token
 * of an ended session uses up nothing.
 */
function perCaller(name: CallLimitName): CallLimit {
	return async (registry, credential) => {
		const token = credential?.kind === "access-token" ? credential.text : "";
		const claims = await verifyAccessToken(token, registry.settings.signingSecrets, registry.now);
		if (!claims || !registry.network) return count(registry, name);
		assertNotPast(registry, name, [claims.userId], OF_ACCOUNT);
		return () => {
			if (wasProved(claims.sessionId)) countAfterAnswer(registry, name, claims.userId);
		};
	};
}

/** The limit that all endpoints under /v1/auth share: first for those that anyone may call, then for those that need an access token. */
export const authCallLimit: CallLimit = (registry) => count(registry, "AUTH_CALLS");
export const ownCallLimit = perCaller("AUTH_CALLS");

/** Admits only as many requests as can soon hash a password. It comes first, because a request that it turns away has cost nothing yet. */
const hashingLimit: CallLimit = async (registry) => takeTurn(registry);

/** The limits of signing in. `login` itself counts the password hash when it is about to make it. */
export const signInLimits = [hashingLimit, authCallLimit];

/** The limits of an endpoint that hashes a password: first for one that anyone may call, then for one that needs an access token. */
export const passwordLimits: CallLimit[] = [
	hashingLimit,
	authCallLimit,
	(registry) => count(registry, "PASSWORD_CALLS"),
];
export const ownPasswordLimits = [hashingLimit, ownCallLimit, perCaller("PASSWORD_CALLS")];

/** The limit on a console form about signing in, for a signed-in user; then the limits on a form that hashes their password. */
export function callLimitOf({ userId }: Pick<Session, "userId">): CallLimit {
	return (registry) => count(registry, "AUTH_CALLS", userId);
}
export function passwordLimitsOf(session: Pick<Session, "userId">): readonly CallLimit[] {
	return [hashingLimit, callLimitOf(session), (registry) => count(registry, "PASSWORD_CALLS", session.userId)];
}
