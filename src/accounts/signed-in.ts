import { type Caller, createCaller } from "../db/caller.ts";
import { AppError } from "../errors.ts";
import { assertMayProve, noteProved, noteUnproved } from "../limits/credentials.ts";
import type { Registry } from "../registry.ts";
import { type AccessClaims, verifyAccessToken } from "./access-token.ts";
import { type Admitted, liveSession, sessionEnded } from "./session-store.ts";

/** A person who calls with an access token. */
export interface SignedInCaller extends Caller {
	/** What the token says. This registry signed it, but the caller's first database trip proves whether the session is still live. */
	claims: AccessClaims;
}

/** The error for a valid credential whose account an operator has suspended. It says how to reach the operator. */
export function accountSuspended({ settings }: Registry): AppError {
	const { operatorContact, operatorName } = settings.identity;
	const who = operatorName ? `the operator, ${operatorName},` : "the operator";
	const where = operatorContact ? ` at ${operatorContact.replace(/^mailto:/, "")}` : "";
	const detail = `This account has been suspended. Ask ${who}${where} why. To export or delete your data, sign in with \`"even_suspended": true\`.`;
	return new AppError("ACCOUNT_SUSPENDED", detail);
}

/**
 * The caller of a signed access token that has not expired. Each database trip of the caller also proves that the session is live. So
 * signing out, changing the password or suspending the account ends access at once.
 * @throws AppError INVALID_TOKEN; RATE_LIMITED if too many credentials from the network were wrong. The caller's trips also throw
 * INVALID_TOKEN, ACCOUNT_SUSPENDED, and FORBIDDEN for another role.
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

/** The caller of a session that a genuine credential opened. */
export function callerOfSession(
	registry: Registry,
	claims: AccessClaims,
	admitted: Admitted = "anyone",
): SignedInCaller {
	const caller = createCaller(registry, {
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
