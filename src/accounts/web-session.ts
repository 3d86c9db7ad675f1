import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { sha256Hex } from "../hash.ts";
import { randomBase62 } from "../random.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { callerOfSession, type SignedInCaller } from "./caller.ts";
import type { SessionStart } from "./session.ts";
import type { Session } from "./session-store.ts";
import type { AccountStore } from "./store.ts";
import type { User } from "./user-store.ts";

export type { Session };

/** How long a browser stays signed in without use, in milliseconds: on one's own device, and on a borrowed one. */
const KEPT_IDLE_MILLISECONDS = 30 * DAY;
const BORROWED_IDLE_MILLISECONDS = 12 * HOUR;

/** 43 base62 characters are 256 bits. */
const TOKEN_CHARACTERS = 43;
const TOKEN = /^[\dA-Za-z]{43}$/;

/** When a session is looked at, in milliseconds since the epoch, and how long it lives at most, in milliseconds. */
type SessionTerms = Pick<SessionStart, "now" | "lifetime">;

/** Who is signed in on a browser. */
export interface WebSession {
	session: Session;
	user: User;
	/** In whose name the database is asked. */
	caller: SignedInCaller;
}

/**
 * Opens a session to a browser: the returned token goes into its cookie, and only its hash is stored. Unlike a refresh token it does not rotate,
 * because two tabs would use it at once.
 * @param isKept whether the person asked to stay signed in on this device
 * @param now milliseconds since the epoch
 */
export async function openWebSession(
	store: AccountStore,
	sessionId: string,
	isKept: boolean,
	{ now, lifetime }: SessionTerms,
): Promise<string> {
	const token = randomBase62(TOKEN_CHARACTERS);
	const idleMilliseconds = isKept ? KEPT_IDLE_MILLISECONDS : BORROWED_IDLE_MILLISECONDS;
	const opening = store.openToWeb({
		id: sessionId,
		webTokenHash: sha256Hex(token),
		idleMilliseconds,
		expiresAt: now + Math.min(idleMilliseconds, lifetime),
	});
	await retryIdempotent(() => inOneTrip(opening));
	return token;
}

/**
 * The live session of a browser's token, or undefined. A text that cannot be a token is refused without asking the database.
 * @returns the session, and the writing of its use when that is due, which need not be waited for: at most daily for a kept session, else half-hourly
 */
export async function findWebSession(
	store: AccountStore,
	token: string | undefined,
	{ now, lifetime }: SessionTerms,
): Promise<(WebSession & { noteUse: (() => Promise<unknown>) | undefined }) | undefined> {
	if (!token || !TOKEN.test(token)) return undefined;
	const web = { webTokenHash: sha256Hex(token), now };
	const [[session], [user]] = await inOneTrip(store.webSession(web), store.webUser(web));
	if (!session || !user) return undefined;
	const endsAt = session.createdAt + lifetime;
	if (endsAt <= now) return undefined;
	const idle = session.idleMilliseconds ?? BORROWED_IDLE_MILLISECONDS;
	const notedEvery = idle > DAY ? DAY : 30 * MINUTE;
	const isDue = (session.lastSeenAt ?? 0) <= now - notedEvery;
	const use = store.noteWebUse({ id: session.id, lastSeenAt: now, expiresAt: Math.min(now + idle, endsAt) });
	return {
		session,
		user,
		caller: callerOfSession(store, { userId: user.id, sessionId: session.id }, now),
		noteUse: isDue ? () => retryIdempotent(() => inOneTrip(use)) : undefined,
	};
}
