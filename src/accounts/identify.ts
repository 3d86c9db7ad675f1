import { AppError } from "../errors.ts";
import { type SigningSecrets, verifyAccessToken } from "./access-token.ts";
import type { AccountStore } from "./store.ts";

/**
 * Who an access token speaks for. Beside the signature, its session must still be live, so that signing out or changing the
 * password ends access at once and not when the token expires.
 * @throws AppError INVALID_TOKEN.
 */
export async function callerOfAccessToken(
	token: string,
	secrets: SigningSecrets,
	store: AccountStore,
	now: number,
): Promise<{ userId: string; sessionId: string }> {
	const claims = await verifyAccessToken(token, secrets, now);
	if (!claims || !(await store.isSessionLive(claims.sessionId, claims.userId, now))) {
		throw new AppError(
			"INVALID_TOKEN",
			"The access token is wrong, expired or signed out. Refresh it or sign in again.",
			{
				headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
			},
		);
	}
	return claims;
}
