import { sha256Hex } from "../crypto/hash.ts";
import { randomBase62 } from "../crypto/random.ts";
import { inOneTrip } from "../db/statement.ts";
import { assertMayProve, noteProved, noteUnproved } from "../limits/credentials.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import { DAY, HOUR, MINUTE } from "../time/time.ts";
import { sessionLifetime } from "./session.ts";
import type { Session } from "./session-store.ts";
import { callerOfSession, type SignedInCaller } from "./signed-in.ts";
import * as accountStore from "./store.ts";
import type { User } from "./user-store.ts";

export type { Session };

/** How long an unused browser stays signed in, in milliseconds: on one's own device, and on a borrowed one. */
const REMEMBERED_IDLE_MILLISECONDS = 30 * DAY;
const BORROWED_IDLE_MILLISECONDS = 12 * HOUR;

/** 43 base62 characters are 256 bits. */
const TOKEN_CHARACTERS = 43;
const TOKEN = /^[\dA-Za-z]{43}$/;

/** Who is signed in on a browser, and with which session. */
export interface WebSession {
	session: Session;
	user: User;
	/** Whether a phone number waits for their answer, and whether another account claims theirs. */
	isPhonePending: boolean;
	isPhoneClaimed: boolean;
	/** The caller for database trips. It refuses a suspended account. */
	caller: SignedInCaller;
}

/** The same session with a caller that admits suspended accounts, to export and erase their own data. */
export function evenSuspended(registry: Registry, { session, user, ...more }: WebSession): WebSession {
	const claims = { userId: user.id, sessionId: session.id };
	return { ...more, session, user, caller: callerOfSession(registry, claims, "even-suspended") };
}

/**
 * Opens a session to a browser. The returned token goes into its cookie, and only its hash is stored. Unlike a refresh token it does not
 * rotate, because two tabs would use it at once.
 * @param isRemembered Whether the person asked to stay signed in on this device.
 */
export async function openWebSession(registry: Registry, sessionId: string, isRemembered: boolean): Promise<string> {
	const token = randomBase62(TOKEN_CHARACTERS);
	const idleMilliseconds = isRemembered ? REMEMBERED_IDLE_MILLISECONDS : BORROWED_IDLE_MILLISECONDS;
	const opening = accountStore.openToWeb({
		id: sessionId,
		webTokenHash: sha256Hex(token),
		idleMilliseconds,
		expiresAt: registry.now + Math.min(idleMilliseconds, sessionLifetime(registry)),
	});
	await inOneTrip(registry.database, opening);
	return token;
}

/**
 * The live session of a browser's token, or undefined. A text that cannot be a token is refused without a database trip. Use is recorded
 * after the answer: at most daily for a remembered session, else every 30 minutes. If that fails, the answer stands and the failure is
 * logged.
 * @throws AppError RATE_LIMITED if too many tokens from the network were wrong.
 */
export async function findWebSession(registry: Registry, token: string | undefined): Promise<WebSession | undefined> {
	if (!token || !TOKEN.test(token)) return undefined;
	const { now } = registry;
	const web = { webTokenHash: sha256Hex(token), now };
	assertMayProve(registry, web.webTokenHash);
	const {
		sessions: [session],
		users: [user],
		news: [news],
	} = await inOneTrip(registry.database, {
		sessions: accountStore.webSession(web),
		users: accountStore.webUser(web),
		news: accountStore.newsOnWeb(web),
	});
	if (!session || !user) {
		noteUnproved(registry);
		return undefined;
	}
	noteProved(registry, web.webTokenHash);
	const endsAt = session.createdAt + sessionLifetime(registry);
	if (endsAt <= now) return undefined;
	const idle = session.idleMilliseconds ?? BORROWED_IDLE_MILLISECONDS;
	const notedEvery = idle > DAY ? DAY : 30 * MINUTE;
	if ((session.lastSeenAt ?? 0) <= now - notedEvery) {
		const use = accountStore.noteWebUse({ id: session.id, lastSeenAt: now, expiresAt: Math.min(now + idle, endsAt) });
		const failed = () => log("error", "session_use_not_noted", { request_id: registry.requestId });
		registry.afterAnswer(inOneTrip(registry.database, use).catch(failed));
	}
	return {
		session,
		user,
		isPhonePending: news?.isPending === 1,
		isPhoneClaimed: news?.isClaimed === 1,
		caller: callerOfSession(registry, { userId: user.id, sessionId: session.id }),
	};
}
