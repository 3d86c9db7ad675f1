import { randomBase62, sha256Hex } from "../secret.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import type { AccountStore, Session, User } from "./store.ts";

export type { Session };

/** How long a browser stays signed in without use, in milliseconds: on one's own device, and on a borrowed one. */
const KEPT_IDLE_MILLISECONDS = 30 * DAY;
const BORROWED_IDLE_MILLISECONDS = 12 * HOUR;

/** Longest life of a session of the web however much it is used, in milliseconds. */
const LIFETIME_MILLISECONDS = 180 * DAY;

/** 43 base62 characters are 256 bits. */
const TOKEN_CHARACTERS = 43;
const TOKEN = /^[\dA-Za-z]{43}$/;

/** Who is signed in on a browser. */
export interface WebSession {
	session: Session;
	user: User;
}

/**
 * Opens a session to a browser: the returned token goes into its cookie, and only its hash is stored. Unlike a refresh token it does not rotate,
 * because two tabs would use it at once.
 * @param isKept whether the person asked to stay signed in on this device
 * @param device what signed in, such as `Chrome on Android`
 * @param now milliseconds since the epoch
 */
export async function openWebSession(
	store: AccountStore,
	sessionId: string,
	{ isKept, device }: { isKept: boolean; device: string },
	now: number,
): Promise<string> {
	const token = randomBase62(TOKEN_CHARACTERS);
	const idleMilliseconds = isKept ? KEPT_IDLE_MILLISECONDS : BORROWED_IDLE_MILLISECONDS;
	await store.openToWeb(sessionId, {
		webTokenHash: sha256Hex(token),
		idleMilliseconds,
		device,
		lastSeenAt: now,
		expiresAt: now + idleMilliseconds,
	});
	return token;
}

/**
 * The live session of a browser's token, or undefined. A text that cannot be a token is refused without asking the database.
 * @returns the session, and the writing of its use when that is due, which need not be waited for: at most daily for a kept session, else half-hourly
 */
export async function findWebSession(
	store: AccountStore,
	token: string | undefined,
	now: number,
): Promise<(WebSession & { noteUse: (() => Promise<void>) | undefined }) | undefined> {
	if (!token || !TOKEN.test(token)) return undefined;
	const found = await store.webSession(sha256Hex(token), now);
	if (!found) return undefined;
	const { session } = found;
	const endsAt = session.createdAt + LIFETIME_MILLISECONDS;
	if (endsAt <= now) return undefined;
	const idle = session.idleMilliseconds ?? BORROWED_IDLE_MILLISECONDS;
	const notedEvery = idle > DAY ? DAY : 30 * MINUTE;
	const isDue = (session.lastSeenAt ?? 0) <= now - notedEvery;
	return {
		...found,
		noteUse: isDue ? () => store.noteWebUse(session.id, now, Math.min(now + idle, endsAt)) : undefined,
	};
}
