import type { Caller } from "../db/caller.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { SESSIONS_PER_ACCOUNT } from "../limits/policy.ts";
import { log } from "../log.ts";
import { newId, randomBase62 } from "../random.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time.ts";
import { signAccessToken } from "./access-token.ts";
import { deviceName } from "./device.ts";
import type { NewSession } from "./session-store.ts";
import { accountStore } from "./store.ts";

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

/** Longest life of a session however much it is used, in milliseconds. */
export function sessionLifetime({ settings }: Registry): number {
	return settings.limits.SESSION_DAYS_MAX * DAY;
}

/**
 * A refresh token: the name of its session, then a secret. By its name a used token is recognised as long as the session lives, although
 * only the last used one is stored, so that no client makes the database grow by refreshing.
 */
function newRefreshToken(sessionId: string): string {
	return sessionId.slice(`${SESSION_PREFIX}_`.length) + randomBase62(REFRESH_SECRET_CHARACTERS);
}

/** A new session of a user: the row to store, which knows the refresh token by its hash alone, and the pair to hand out. */
export async function newSession(
	registry: Registry,
	userId: string,
): Promise<{ session: NewSession; tokens: TokenPair }> {
	const { now, settings, userAgent } = registry;
	const id = newId(SESSION_PREFIX);
	const refresh = newRefreshToken(id);
	const session = {
		id,
		userId,
		tokenHash: sha256Hex(refresh),
		createdAt: now,
		expiresAt: now + Math.min(REFRESH_TOKEN_MILLISECONDS, sessionLifetime(registry)),
		device: deviceName(userAgent),
		sessionsKept: SESSIONS_PER_ACCOUNT,
	};
	const access = await signAccessToken({ userId, sessionId: id }, settings.signingSecrets, now);
	return { session, tokens: { access, refresh } };
}

/** Ends a session at once, and returns whether it was live. */
export async function endSession(registry: Registry, id: string): Promise<boolean> {
	const { now } = registry;
	const [ended] = await retryIdempotent(() => inOneTrip(accountStore(registry).revokeSession({ id, now })));
	return ended !== undefined;
}

/** Logs why a refresh token is refused, and returns the error: a replay is either a bug of the client or a theft. */
function refused(
	{ requestId }: Registry,
	reason: "unknown" | "expired" | "revoked" | "replayed",
	sessionId?: string,
): AppError {
	const level = reason === "replayed" ? "warn" : "info";
	log(level, "refresh_token_refused", { request_id: requestId, reason, session_id: sessionId });
	return new AppError("INVALID_TOKEN", "The refresh token is wrong, expired, used or signed out. Sign in again.", {
		headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
	});
}

/** The session that a refresh token names. @throws AppError INVALID_TOKEN for a text that cannot be a token. */
function sessionNamedBy(registry: Registry, refresh: string): string {
	const [, name] = REFRESH_TOKEN.exec(refresh) ?? [];
	if (!name) throw refused(registry, "unknown");
	return `${SESSION_PREFIX}_${name}`;
}

/**
 * Trades a refresh token for the next pair of its session. When it comes a second time, either the client or a
 * thief holds a copy and nobody can tell which, so the whole session ends (RFC 9700 section 4.14.2). No session outlives its lifetime.
 * @throws AppError INVALID_TOKEN.
 */
export async function refreshSession(registry: Registry, refresh: string): Promise<TokenPair> {
	const store = accountStore(registry);
	const { now, settings } = registry;
	const id = sessionNamedBy(registry, refresh);
	const usedHash = sha256Hex(refresh);
	const next = newRefreshToken(id);
	const nextExpiresAt = now + REFRESH_TOKEN_MILLISECONDS;
	const rotation = { usedHash, nextHash: sha256Hex(next), nextExpiresAt, lifetime: sessionLifetime(registry), now };
	const {
		sessions: [session],
	} = await retryIdempotent(() => inOneTrip(store.rotateRefreshToken(rotation)));
	if (session) {
		const claims = { userId: session.userId, sessionId: session.id };
		return { access: await signAccessToken(claims, settings.signingSecrets, now), refresh: next };
	}
	const [token] = await inOneTrip(store.refreshToken({ hash: usedHash }));
	if (token?.consumedAt === null) throw refused(registry, token.revokedAt === null ? "expired" : "revoked", id);
	const wasLive = await endSession(registry, id);
	throw refused(registry, token || wasLive ? "replayed" : "unknown", id);
}

/**
 * Ends the session of a refresh token. A used token ends it too: that is all that a copy of one is good for.
 * @throws AppError INVALID_TOKEN when there is no session to end.
 */
export async function logout(registry: Registry, refresh: string): Promise<void> {
	const id = sessionNamedBy(registry, refresh);
	const [token] = await inOneTrip(accountStore(registry).refreshToken({ hash: sha256Hex(refresh) }));
	if (token && token.expiresAt <= registry.now) throw refused(registry, "expired", id);
	if (!(await endSession(registry, id))) throw refused(registry, token ? "revoked" : "unknown", id);
}

/**
 * Ends a live session of a user by its id. Where it was their last, links to their private addresses end too.
 * @throws AppError NOT_FOUND, also for a session of another user and for one that has ended.
 */
export async function endOwnSession(registry: Registry, caller: Caller, id: string): Promise<void> {
	const { now } = registry;
	const store = accountStore(registry);
	const {
		ended: [ended],
	} = await caller.runAs((userId) => ({
		ended: store.endSession({ id, userId, now }),
		sharesEnded: store.endSharesOfSignedOut({ userId, now }),
	}));
	if (!ended) throw new AppError("NOT_FOUND", "You have no live session with this id.");
}
