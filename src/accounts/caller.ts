import { type Caller, createCaller } from "../db/caller.ts";
import { AppError } from "../errors.ts";
import { assertMayProve, noteProved, noteUnproved } from "../limits/rate-limits.ts";
import { holdingOf } from "../limits/reservations.ts";
import type { Registry } from "../registry.ts";
import { type AccessClaims, verifyAccessToken } from "./access-token.ts";
import { type Admitted, liveSession, sessionEnded } from "./session-store.ts";

/** A person who calls with an access token. */
export interface SignedInCaller extends Caller {
	/** What the token says: signed by this registry, but whether the session is still live is for the caller's first trip to prove. */
	claims: AccessClaims;
}

/** The error of a right credential whose account an operator has suspended. It says how to reach them. */
export function accountSuspended({ settings }: Registry): AppError {
	const { operatorContact, operatorName } = settings.identity;
	const who = operatorName ? `the operator, ${operatorName},` : "the operator";
	const where = operatorContact ? ` at ${operatorContact.replace(/^mailto:/, "")}` : "";
	const detail = `This account has been suspended. Ask ${who}${where} why. To export or delete your data, sign in with \`"even_suspended": true\`.`;
	return new AppError("ACCOUNT_SUSPENDED", detail);
}

/**
 * Whoever calls with an access token that is signed and not expired. Its session must still be live too, so that signing out, changing the
 * password or suspending the account ends access at once: each trip of the caller's proves that.
 * @throws AppError INVALID_TOKEN; RATE_LIMITED where too many credentials of the network were wrong. The caller's trips throw INVALID_TOKEN
 * too, ACCOUNT_SUSPENDED, and FORBIDDEN for another role.
 */
export async function callerOfAccessToken(
	registry: Registry,
	token: string,
	admitted: Admitted = "anyone",
): Promise<SignedInCaller> {
	const claims = await verifyAccessToken(token, registry.settings.signingSecrets, registry.now);
	if (!claims) throw sessionEnded();
	assertMayProve(registry, claims.sessionId);
	return callerOfSession(registry, claims, admitted);
}

/** Whoever calls in a session that was opened by a genuine credential. */
export function callerOfSession(
	registry: Registry,
	claims: AccessClaims,
	admitted: Admitted = "anyone",
): SignedInCaller {
	const caller = createCaller({
		db: registry.database,
		holding: holdingOf(registry),
		check: liveSession(
			{ ...claims, now: registry.now, admitted },
			{
				ended() {
					noteUnproved(registry);
					return sessionEnded();
				},
				suspended: () => accountSuspended(registry),
			},
		),
		userId: claims.userId,
		countedBy: claims.sessionId,
		proved: () => noteProved(registry, claims.sessionId),
	});
	return Object.assign(caller, { claims, agent: () => callerOfSession(registry, claims, "agent") });
}
