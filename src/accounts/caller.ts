import { type Caller, createCaller } from "../db/caller.ts";
import type { SigningSecrets } from "../env.ts";
import { AppError } from "../errors.ts";
import { type AccessClaims, verifyAccessToken } from "./access-token.ts";
import { NO_AGENT, SESSION_ENDED } from "./session-store.ts";
import type { AccountStore } from "./store.ts";

/** A person who calls with an access token. */
export interface SignedInCaller extends Caller {
	/** What the token says: signed by this registry, but whether the session is still live is for the caller's first trip to prove. */
	claims: AccessClaims;
}

function sessionEnded(): AppError {
	return new AppError(
		"INVALID_TOKEN",
		"The access token is wrong, expired or signed out. Refresh it or sign in again.",
		{ headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' } },
	);
}

/**
 * Whoever calls with an access token that is signed and not expired. Its session must still be live too, so that signing out, changing the
 * password or disabling the account ends access at once: each trip of the caller's proves that.
 * @param now Milliseconds since the epoch.
 * @param role What the caller must be; anyone when it is left out.
 * @throws AppError INVALID_TOKEN; the caller's trips throw it too, and FORBIDDEN for another role.
 */
export async function signedInCaller(
	store: AccountStore,
	secrets: SigningSecrets,
	token: string,
	now: number,
	role?: "agent",
): Promise<SignedInCaller> {
	const claims = await verifyAccessToken(token, secrets, now);
	if (!claims) throw sessionEnded();
	return callerOfSession(store, claims, now, role);
}

/**
 * Whoever calls in a session that was opened by a genuine credential.
 * @param now Milliseconds since the epoch.
 * @param role What the caller must be; anyone when it is left out.
 */
export function callerOfSession(
	store: AccountStore,
	claims: AccessClaims,
	now: number,
	role?: "agent",
): SignedInCaller {
	const session = { ...claims, now };
	const caller = createCaller({
		check: role === "agent" ? store.liveSessionOfAgent(session) : store.liveSession(session),
		userId: claims.userId,
		countedBy: claims.userId,
		refusals: {
			[SESSION_ENDED]: sessionEnded,
			[NO_AGENT]: () => new AppError("FORBIDDEN", "Only agents can attest."),
		},
	});
	return Object.assign(caller, { claims });
}
