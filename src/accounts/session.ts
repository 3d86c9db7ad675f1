import type { SigningSecrets } from "../env.ts";
import { AppError } from "../errors.ts";
import { newId, randomBase62, sha256Hex } from "../secret.ts";
import { DAY } from "../time.ts";
import { signAccessToken } from "./access-token.ts";
import type { AccountStore, NewSession } from "./store.ts";

/** How long a refresh token lives, in milliseconds: 30 days. */
const REFRESH_TOKEN_MILLISECONDS = 30 * DAY;

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
	const id = newId("ses");
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

/** Why a refresh token was refused, for the log; callers are told one thing in all cases. */
export type RefreshRefusal = "unknown" | "expired" | "revoked" | "replayed";

/** A refresh token that is not good. */
export class RefreshTokenError extends AppError {
	readonly reason: RefreshRefusal;
	/** The session it belongs to, when it is known. */
	readonly sessionId: string | undefined;

	constructor(reason: RefreshRefusal, sessionId?: string) {
		super("INVALID_TOKEN", "The refresh token is wrong, expired, used or signed out. Sign in again.", {
			headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
		});
		this.reason = reason;
		this.sessionId = sessionId;
	}
}

/**
 * Trades a refresh token for the next pair of its session; it is good for one use. When it comes a second time, either the client or a thief
 * holds a copy and nobody can tell which, so the whole session ends (RFC 9700 section 4.14.2).
 * @throws RefreshTokenError (INVALID_TOKEN).
 */
export async function refreshSession(
	store: AccountStore,
	secrets: SigningSecrets,
	refresh: string,
	now: number,
): Promise<TokenPair> {
	const usedHash = sha256Hex(refresh);
	const next = randomBase62(REFRESH_TOKEN_CHARACTERS);
	const rotation = { usedHash, nextHash: sha256Hex(next), nextExpiresAt: now + REFRESH_TOKEN_MILLISECONDS };
	const session = await store.rotateRefreshToken(rotation, now);
	if (session) {
		const access = await signAccessToken({ userId: session.userId, sessionId: session.id }, secrets, now);
		return { access, refresh: next };
	}
	const token = await store.refreshToken(usedHash);
	if (!token) throw new RefreshTokenError("unknown");
	if (token.consumedAt === null) {
		throw new RefreshTokenError(token.revokedAt === null ? "expired" : "revoked", token.sessionId);
	}
	await store.revokeSession(token.sessionId, now);
	throw new RefreshTokenError("replayed", token.sessionId);
}

/**
 * Ends the session of a refresh token. A used token ends it too: that is all that a copy of one is good for.
 * @throws RefreshTokenError (INVALID_TOKEN) when there is no session to end.
 */
export async function logout(store: AccountStore, refresh: string, now: number): Promise<void> {
	const token = await store.refreshToken(sha256Hex(refresh));
	if (!token) throw new RefreshTokenError("unknown");
	if (token.revokedAt !== null) throw new RefreshTokenError("revoked", token.sessionId);
	if (token.expiresAt <= now) throw new RefreshTokenError("expired", token.sessionId);
	await store.revokeSession(token.sessionId, now);
}
