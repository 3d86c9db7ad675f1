import type { Caller } from "../db/caller.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import type { SigningSecrets } from "../env.ts";
import { AppError } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { newId, randomBase62 } from "../random.ts";
import { DAY } from "../time.ts";
import { signAccessToken } from "./access-token.ts";
import type { NewSession } from "./session-store.ts";
import type { AccountStore } from "./store.ts";

/** How long a refresh token lives, in milliseconds: 30 days. */
const REFRESH_TOKEN_MILLISECONDS = 30 * DAY;

/** 43 base62 characters are 256 bits. */
const REFRESH_SECRET_CHARACTERS = 43;

const SESSION_PREFIX = "ses";
const REFRESH_TOKEN = new RegExp(`^([\\dA-Za-z]{22})[\\dA-Za-z]{${REFRESH_SECRET_CHARACTERS}}$`);

/** What a client holds of a session. */
export interface TokenPair {
	access: string;
	refresh: string;
}

/** What a new session starts from. */
export interface SessionStart {
	signingSecrets: SigningSecrets;
	/** Milliseconds since the epoch. */
	now: number;
	/** What signs in, such as `Chrome on Android`; empty when nothing is known of it. */
	device: string;
	/** Longest life of a session however much it is used, in milliseconds. */
	lifetime: number;
	/** How many sessions the account keeps, this one included. */
	sessionsKept: number;
}

/**
 * A refresh token: the name of its session, then a secret. By its name a used token is recognised as long as the session lives, although only
 * the last used one is stored, so that no client makes the database grow by refreshing.
 */
function newRefreshToken(sessionId: string): string {
	return sessionId.slice(`${SESSION_PREFIX}_`.length) + randomBase62(REFRESH_SECRET_CHARACTERS);
}

/**
 * The session that a refresh token names.
 * @throws RefreshTokenError for a text that cannot be a token.
 */
function sessionNamedBy(refresh: string): string {
	const [, name] = REFRESH_TOKEN.exec(refresh) ?? [];
	if (!name) throw new RefreshTokenError("unknown");
	return `${SESSION_PREFIX}_${name}`;
}

/** A new session of a user: the row to store, which knows the refresh token by its hash alone, and the pair to hand out. */
export async function newSession(
	userId: string,
	{ signingSecrets, now, device, lifetime, sessionsKept }: SessionStart,
): Promise<{ session: NewSession; tokens: TokenPair }> {
	const id = newId(SESSION_PREFIX);
	const refresh = newRefreshToken(id);
	const session = {
		id,
		userId,
		tokenHash: sha256Hex(refresh),
		createdAt: now,
		expiresAt: now + Math.min(REFRESH_TOKEN_MILLISECONDS, lifetime),
		device,
		sessionsKept,
	};
	const access = await signAccessToken({ userId, sessionId: id }, signingSecrets, now);
	return { session, tokens: { access, refresh } };
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

/** Ends a session at once; whether it was live. */
export async function endSession(store: AccountStore, id: string, now: number): Promise<boolean> {
	const [[ended]] = await retryIdempotent(() => inOneTrip(store.revokeSession({ id, now })));
	return ended !== undefined;
}

/**
 * Trades a refresh token for the next pair of its session; it is good for one use. When it comes a second time, either the client or a thief
 * holds a copy and nobody can tell which, so the whole session ends (RFC 9700 section 4.14.2). No session outlives its `lifetime`.
 * @throws RefreshTokenError (INVALID_TOKEN).
 */
export async function refreshSession(
	store: AccountStore,
	{ signingSecrets, now, lifetime }: Pick<SessionStart, "signingSecrets" | "now" | "lifetime">,
	refresh: string,
): Promise<TokenPair> {
	const id = sessionNamedBy(refresh);
	const usedHash = sha256Hex(refresh);
	const next = newRefreshToken(id);
	const nextExpiresAt = now + REFRESH_TOKEN_MILLISECONDS;
	const rotation = { usedHash, nextHash: sha256Hex(next), nextExpiresAt, lifetime };
	const session = await store.rotateRefreshToken(rotation, now);
	if (session) {
		const access = await signAccessToken({ userId: session.userId, sessionId: session.id }, signingSecrets, now);
		return { access, refresh: next };
	}
	const [[token]] = await inOneTrip(store.refreshToken({ hash: usedHash }));
	if (token?.consumedAt === null) throw new RefreshTokenError(token.revokedAt === null ? "expired" : "revoked", id);
	const wasLive = await endSession(store, id, now);
	throw new RefreshTokenError(token || wasLive ? "replayed" : "unknown", id);
}

/**
 * Ends the session of a refresh token. A used token ends it too: that is all that a copy of one is good for.
 * @throws RefreshTokenError (INVALID_TOKEN) when there is no session to end.
 */
export async function logout(store: AccountStore, refresh: string, now: number): Promise<void> {
	const id = sessionNamedBy(refresh);
	const [[token]] = await inOneTrip(store.refreshToken({ hash: sha256Hex(refresh) }));
	if (token && token.expiresAt <= now) throw new RefreshTokenError("expired", id);
	if (!(await endSession(store, id, now))) throw new RefreshTokenError(token ? "revoked" : "unknown", id);
}

/**
 * Ends a live session of a user by its id.
 * @param now Milliseconds since the epoch.
 * @throws AppError NOT_FOUND, also for a session of another user and for one that has ended.
 */
export async function endOwnSession(store: AccountStore, caller: Caller, id: string, now: number): Promise<void> {
	const [[ended]] = await caller.runAs((userId) => [store.endSession({ id, userId, now })]);
	if (!ended) throw new AppError("NOT_FOUND", "You have no live session with this id.");
}
