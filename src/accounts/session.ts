import { equalInConstantTime, keyedHash, sha256Hex } from "../crypto/hash.ts";
import { newId, randomBase62 } from "../crypto/random.ts";
import type { Caller } from "../db/caller.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";
import type { SigningSecret } from "../settings/signing-secrets.ts";
import { DAY, MINUTE } from "../time/time.ts";
import { signAccessToken } from "./access-token.ts";
import { deviceName } from "./device.ts";
import type { NewSession } from "./session-store.ts";
import * as accountStore from "./store.ts";

/** How long a refresh token lives, in milliseconds: 30 days. */
const REFRESH_TOKEN_MILLISECONDS = 30 * DAY;

/** 43 base62 characters are 256 bits, and 32 hexadecimal ones 128. */
const REFRESH_SECRET_CHARACTERS = 43;
const REFRESH_SEAL_CHARACTERS = 32;

const SESSION_PREFIX = "ses";
/** The last group is the seal. Tokens that older versions issued have none. */
const REFRESH_TOKEN = new RegExp(
	`^(([\\dA-Za-z]{22})[\\dA-Za-z]{${REFRESH_SECRET_CHARACTERS}})([\\da-f]{${REFRESH_SEAL_CHARACTERS}})?$`,
);

/** The tokens that a client holds. */
export interface TokenPair {
	access: string;
	refresh: string;
}

/** How long a sign-in proves who somebody is, in milliseconds. */
export const JUST_SIGNED_IN = 10 * MINUTE;

/** Whether somebody signed in so recently that they need not give their password again. */
export function isJustSignedIn({ now }: Registry, { createdAt }: Pick<NewSession, "createdAt">): boolean {
	return createdAt > now - JUST_SIGNED_IN;
}

/** The longest life of a session, however much it is used, in milliseconds. */
export function sessionLifetime({ settings }: Registry): number {
	return settings.numbers.SESSION_DAYS_MAX * DAY;
}

/**
 * A refresh token: the name of its session, a secret, and a seal over both. The name identifies a used token as long as its session lives.
 * So only the last used token is stored, and no client makes the database grow by refreshing. The seal proves that this registry issued the
 * token: knowing a session's id is not enough to forge one that ends it.
 */
function newRefreshToken({ settings }: Registry, sessionId: string): string {
	const body = sessionId.slice(`${SESSION_PREFIX}_`.length) + randomBase62(REFRESH_SECRET_CHARACTERS);
	return body + sealOf(settings.signingSecrets[0], body);
}

function sealOf({ secret }: SigningSecret, body: string): string {
	return keyedHash(secret, "refresh token", body).slice(0, REFRESH_SEAL_CHARACTERS);
}

/**
 * The hash that is stored for a refresh token: 128 bits of its SHA-256. Versions before 1.2.0 stored 256 bits, and their tokens are still
 * found.
 */
const hashToStore = (refresh: string) => sha256Hex(refresh).slice(0, 32);

/** A new session of a user: the row to store, which has only the hash of the refresh token, and the pair to hand out. */
export async function newSession(
	registry: Registry,
	userId: string,
): Promise<{ session: NewSession; tokens: TokenPair }> {
	const { now, settings, userAgent } = registry;
	const id = newId(SESSION_PREFIX);
	const refresh = newRefreshToken(registry, id);
	const session = {
		id,
		userId,
		tokenHash: hashToStore(refresh),
		createdAt: now,
		expiresAt: now + Math.min(REFRESH_TOKEN_MILLISECONDS, sessionLifetime(registry)),
		device: deviceName(userAgent),
	};
	const access = await signAccessToken({ userId, sessionId: id }, settings.signingSecrets, now);
	return { session, tokens: { access, refresh } };
}

/** Ends a session at once, and returns whether it was live. */
export async function endSession(registry: Registry, id: string): Promise<boolean> {
	const { now } = registry;
	const [ended] = await inOneTrip(registry.database, accountStore.revokeSession({ id, now }));
	return ended !== undefined;
}

/** Logs why a refresh token is refused, and returns the error. A replay is either a bug in the client or a theft. */
function refused(
	registry: Registry,
	reason: "unknown" | "expired" | "revoked" | "replayed",
	session?: string,
): AppError {
	registry.log(reason === "replayed" ? "warn" : "info", "refresh_token_refused", { session }, { reason });
	return new AppError("INVALID_TOKEN", "The refresh token is wrong, expired, used or signed out. Sign in again.", {
		headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
	});
}

/**
 * The session that a refresh token names, and whether its seal proves that this registry issued it.
 * @throws AppError INVALID_TOKEN for a text that cannot be a token.
 */
function sessionNamedBy(registry: Registry, refresh: string): { id: string; isIssued: boolean } {
	const [, body, name, seal] = REFRESH_TOKEN.exec(refresh) ?? [];
	if (!body || !name) throw refused(registry, "unknown");
	const { signingSecrets } = registry.settings;
	const isIssued = signingSecrets.some((secret) => equalInConstantTime(sealOf(secret, body), seal ?? ""));
	return { id: `${SESSION_PREFIX}_${name}`, isIssued };
}

/**
 * Exchanges a refresh token for the next pair of its session. If a token comes a second time, a thief may hold a copy. Nobody can tell who
 * sent which, so the whole session ends (RFC 9700 section 4.14.2). No session outlives its lifetime.
 * @throws AppError INVALID_TOKEN.
 */
export async function refreshSession(registry: Registry, refresh: string): Promise<TokenPair> {
	const { now, settings } = registry;
	const { id, isIssued } = sessionNamedBy(registry, refresh);
	const usedHash = sha256Hex(refresh);
	const next = newRefreshToken(registry, id);
	const nextExpiresAt = now + REFRESH_TOKEN_MILLISECONDS;
	const rotation = { usedHash, nextHash: hashToStore(next), nextExpiresAt, lifetime: sessionLifetime(registry), now };
	const {
		sessions: [session],
	} = await inOneTrip(registry.database, accountStore.rotateRefreshToken(rotation));
	if (session) {
		const claims = { userId: session.userId, sessionId: session.id };
		return { access: await signAccessToken(claims, settings.signingSecrets, now), refresh: next };
	}
	const [token] = await inOneTrip(registry.database, accountStore.refreshToken({ hash: usedHash }));
	if (token?.consumedAt === null) throw refused(registry, token.revokedAt === null ? "expired" : "revoked", id);
	if (!token && !isIssued) throw refused(registry, "unknown", id);
	const wasLive = await endSession(registry, id);
	throw refused(registry, token || wasLive ? "replayed" : "unknown", id);
}

/**
 * Ends the session of a refresh token. A used token ends it too, but can do nothing else.
 * @throws AppError INVALID_TOKEN if there is no session to end.
 */
export async function logout(registry: Registry, refresh: string): Promise<void> {
	const { id, isIssued } = sessionNamedBy(registry, refresh);
	const [token] = await inOneTrip(registry.database, accountStore.refreshToken({ hash: sha256Hex(refresh) }));
	if (token && token.expiresAt <= registry.now) throw refused(registry, "expired", id);
	if (!token && !isIssued) throw refused(registry, "unknown", id);
	if (!(await endSession(registry, id))) throw refused(registry, token ? "revoked" : "unknown", id);
}

/**
 * Ends a live session of a user by its id. If it was their last, links to their private addresses end too.
 * @throws AppError NOT_FOUND, also for a session of another user and for one that has ended.
 */
export async function endOwnSession(registry: Registry, caller: Caller, id: string): Promise<void> {
	const { now } = registry;
	const {
		ended: [ended],
	} = await caller.run(registry.database, (userId) => ({
		ended: accountStore.revokeOwnSession({ id, userId, now }),
		sharesEnded: accountStore.endSharesOfSignedOut({ userId, now }),
	}));
	if (!ended) throw new AppError("NOT_FOUND", "You have no live session with this id.");
}
