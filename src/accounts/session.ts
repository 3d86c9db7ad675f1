import { type SigningSecrets, signAccessToken } from "./access-token.ts";
import { randomBase62, sha256Hex } from "./secret.ts";
import type { NewSession } from "./store.ts";

/** How long a refresh token lives, in milliseconds: 30 days. */
export const REFRESH_TOKEN_MILLISECONDS = 30 * 24 * 60 * 60 * 1000;

/** 43 base62 characters are 256 bits. */
const REFRESH_TOKEN_CHARACTERS = 43;

/** What a client holds of a session. */
export interface TokenPair {
	access: string;
	refresh: string;
}

/** A new session of a user: the row to store, which knows the refresh token by its hash alone, and the pair to hand out. */
export async function newSession(
	userId: string,
	secrets: SigningSecrets,
	now: number,
): Promise<{ session: NewSession; tokens: TokenPair }> {
	const id = `ses_${randomBase62(22)}`;
	const refresh = randomBase62(REFRESH_TOKEN_CHARACTERS);
	const session = {
		id,
		userId,
		tokenHash: sha256Hex(refresh),
		createdAt: now,
		expiresAt: now + REFRESH_TOKEN_MILLISECONDS,
	};
	return { session, tokens: { access: await signAccessToken({ userId, sessionId: id }, secrets, now), refresh } };
}
