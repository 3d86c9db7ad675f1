/** All SQL on sessions and their refresh tokens. */
import { and, desc, eq, gt, inArray, isNull, lt, lte, ne, or, type Placeholder, type SQL, sql } from "drizzle-orm";
import { ONE_ROW, refuse } from "../db/refusal.ts";
import { deletion, hasRow, insertRow, literal, updateRows } from "../db/rows.ts";
import { refreshTokens, sessions, users } from "../db/schema.ts";
import { allowanceOf } from "../db/standing.ts";
import { type Parameters, query, refusing, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { SESSIONS_OF_YOUNG_ACCOUNT, SESSIONS_PER_ACCOUNT, YOUNG_FOR } from "../settings/limits.ts";

export type Session = typeof sessions.$inferSelect;

/** A session with its first refresh token, as stored. Times are in milliseconds since the epoch. */
export interface NewSession {
	id: string;
	userId: string;
	tokenHash: string;
	createdAt: number;
	expiresAt: number;
	device: string;
}

/** Who is admitted: anyone who is not suspended, only agents, or suspended accounts too. */
export type Admitted = "anyone" | "agent" | "even-suspended";

/** The session that an access token names, and who is admitted. `now` is in milliseconds since the epoch. */
interface SessionClaim {
	sessionId: string;
	userId: string;
	now: number;
	admitted: Admitted;
}

/** The fields that change when a session is opened to a browser. */
type WebOpening = Pick<Session, "id" | "webTokenHash" | "idleMilliseconds" | "expiresAt">;

/** The exchange of a used refresh token for the next one. Times are in milliseconds since the epoch. */
interface Rotation {
	usedHash: string;
	nextHash: string;
	/** When the next token expires, unless its session ends first. */
	nextExpiresAt: number;
	/** The longest life of a session, in milliseconds. */
	lifetime: number;
	now: number;
}

/** How many sessions are listed, newest first. */
export const LISTED_SESSIONS_MAX = 100;

/** How many surplus sessions of an account one sign-in deletes. There is more than one only after the limit was lowered. */
const SURPLUS_DELETED_MAX = 100;

/** The error for an access token that is wrong, expired or signed out. */
export function sessionEnded(): AppError {
	return new AppError(
		"INVALID_TOKEN",
		"The access token is wrong, expired or signed out. Refresh it or sign in again.",
		{ headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' } },
	);
}

const isLive = (now: Placeholder) => and(isNull(sessions.revokedAt), gt(sessions.expiresAt, now));
const insertSession = statement(({ id, userId, createdAt, expiresAt, device }: Parameters<NewSession>) =>
	insertRow(sessions, {
		id,
		userId,
		createdAt,
		expiresAt,
		revokedAt: null,
		webTokenHash: null,
		idleMilliseconds: null,
		lastSeenAt: createdAt,
		device,
	}).onConflictDoNothing(),
);
const insertToken = statement(({ id, tokenHash, expiresAt }: Parameters<NewSession>) =>
	insertRow(refreshTokens, {
		hash: tokenHash,
		sessionId: id,
		expiresAt,
		consumedAt: null,
	}).onConflictDoNothing(),
);

/** The surplus sessions of a user. Live sessions are retained before ended ones, and newer before older. */
const surplus = ({ userId, createdAt }: Parameters<Pick<NewSession, "userId" | "createdAt">>) =>
	sql`(select ${sessions.id} from ${sessions} where ${sessions.userId} = ${userId}
		order by ${sessions.revokedAt} is not null, ${sessions.createdAt} desc, ${sessions.id} desc
		limit ${literal(SURPLUS_DELETED_MAX)} offset coalesce((select case
			when ${users.createdAt} > ${createdAt} - ${literal(YOUNG_FOR)} then ${literal(SESSIONS_OF_YOUNG_ACCOUNT)}
			else ${literal(SESSIONS_PER_ACCOUNT)} end from ${users} where ${users.id} = ${userId}),
			${literal(SESSIONS_PER_ACCOUNT)}))`;
const deleteSurplusTokens = statement((session: Parameters<NewSession>) =>
	query.delete(refreshTokens).where(sql`${refreshTokens.sessionId} in ${surplus(session)}`),
);
const deleteSurplus = statement((session: Parameters<NewSession>) =>
	query.delete(sessions).where(sql`${sessions.id} in ${surplus(session)}`),
);

const isLiveOnWeb = ({ webTokenHash, now }: Parameters<{ webTokenHash: string; now: number }>) =>
	and(eq(sessions.webTokenHash, webTokenHash), isLive(now));

const ofToken = eq(sessions.id, refreshTokens.sessionId);
/** Whether a row is that of a refresh token. It matches the whole SHA-256 or its first 128 bits, in hexadecimal. */
const isToken = (hash: Placeholder) => sql`${refreshTokens.hash} in (${hash}, substr(${hash}, 1, 32))`;
const nextExpiry = ({ nextExpiresAt, lifetime }: Parameters<Rotation>) =>
	sql`min(${nextExpiresAt}, ${sessions.createdAt} + ${lifetime})`;
const consumeToken = statement(({ usedHash, lifetime, now }: Parameters<Rotation>) =>
	updateRows(
		refreshTokens,
		{ consumedAt: now },
		and(
			isToken(usedHash),
			isNull(refreshTokens.consumedAt),
			gt(refreshTokens.expiresAt, now),
			sql`exists (select 1 from ${sessions} join ${users} on ${users.id} = ${sessions.userId}
				where ${ofToken} and ${sessions.revokedAt} is null and ${sessions.createdAt} > ${now} - ${lifetime})`,
		),
	),
);
const insertNextToken = statement((rotation: Parameters<Rotation>) =>
	insertRow(
		refreshTokens,
		{
			hash: rotation.nextHash,
			sessionId: sql`${refreshTokens.sessionId}`,
			expiresAt: nextExpiry(rotation),
			consumedAt: null,
		},
		sql`from ${refreshTokens} inner join ${sessions} on ${ofToken} where ${isToken(rotation.usedHash)} and changes() = 1`,
	),
);
const ofNext = ({ nextHash }: Parameters<Rotation>) =>
	sql`(select ${refreshTokens.sessionId} from ${refreshTokens} where ${refreshTokens.hash} = ${nextHash})`;
const extendSession = statement((rotation: Parameters<Rotation>) => {
	const extended = { expiresAt: nextExpiry(rotation), lastSeenAt: rotation.now };
	const isNext = eq(sessions.id, ofNext(rotation));
	return updateRows(sessions, extended, isNext).returning({ id: sessions.id, userId: sessions.userId });
});
const deleteUsedBefore = statement((rotation: Parameters<Rotation>) => {
	const isOlder = sql`not ${isToken(rotation.usedHash)} and ${refreshTokens.hash} <> ${rotation.nextHash}`;
	return query.delete(refreshTokens).where(and(eq(refreshTokens.sessionId, ofNext(rotation)), isOlder));
});
const revokeWhere = (now: Placeholder, condition: SQL | undefined) =>
	updateRows(sessions, { revokedAt: now }, condition).returning({ id: sessions.id });

/** Starts a session with its first refresh token, and deletes the user's surplus sessions. Running it again stores nothing twice. */
export const startSession = (session: NewSession) => ({
	session: insertSession(session),
	token: insertToken(session),
	surplusTokens: deleteSurplusTokens(session),
	surplusSessions: deleteSurplus(session),
});

const liveSessionFor = statement(
	({ sessionId, userId, now, admitted }: Parameters<SessionClaim>) => {
		const admittedUser = sql<string>`case when ${users.id} is null then ${refuse("session ended")}
			when ${users.suspendedAt} is not null and ${admitted} <> 'even-suspended' then ${refuse("account suspended")}
			when ${users.role} <> 'agent' and ${admitted} = 'agent' then ${refuse("no agent")} else ${users.id} end`;
		return query
			.select({
				userId: admittedUser.as("user_id"),
				databaseNames: users.databaseNames,
				allowance: allowanceOf(users.id).as("allowance"),
				openedAt: sql<number>`${users.createdAt}`.as("opened_at"),
			})
			.from(ONE_ROW)
			.leftJoin(sessions, and(eq(sessions.id, sessionId), eq(sessions.userId, userId), isLive(now)))
			.leftJoin(users, eq(users.id, sessions.userId));
	},
	{
		refuses: {
			"no agent": () => new AppError("FORBIDDEN", "Only agents can attest."),
		},
	},
);

/**
 * Finds the user of a live session. Refuses if it is not live, or its user is not admitted.
 * @param refusals The errors for a session that is not live, and for a suspended account.
 */
export const liveSession = (claim: SessionClaim, refusals: Record<"ended" | "suspended", () => AppError>) =>
	refusing(liveSessionFor(claim), { "session ended": refusals.ended, "account suspended": refusals.suspended });

/**
 * Consumes a refresh token and stores the next one of its session, in one transaction. Its first statement decides: if one token is rotated
 * several times at once, one call gets the session and the others nothing. If an answer was lost, running the same rotation again finds its
 * own successor and gets the session again. A database failure is thus not taken for a replay. Tokens used before this one are deleted.
 */
export const rotateRefreshToken = (rotation: Rotation) => ({
	consumed: consumeToken(rotation),
	next: insertNextToken(rotation),
	sessions: extendSession(rotation),
	deleted: deleteUsedBefore(rotation),
});

/** A refresh token and the state of its session; empty if the token was never issued or has been deleted. */
export const refreshToken = statement(({ hash }: Parameters<{ hash: string }>) =>
	query
		.select({
			sessionId: refreshTokens.sessionId,
			expiresAt: refreshTokens.expiresAt,
			consumedAt: refreshTokens.consumedAt,
			revokedAt: sessions.revokedAt,
		})
		.from(refreshTokens)
		.innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
		.where(isToken(hash)),
);

/** Gives a session a token for a browser's cookie. */
export const openToWeb = statement(({ id, webTokenHash, idleMilliseconds, expiresAt }: Parameters<WebOpening>) =>
	updateRows(sessions, { webTokenHash, idleMilliseconds, expiresAt }, eq(sessions.id, id)),
);

/** The live session of a browser's token. */
export const webSession = statement((web: Parameters<{ webTokenHash: string; now: number }>) =>
	query.select().from(sessions).where(isLiveOnWeb(web)),
);

/** The user of the live session of a browser's token, even if suspended. */
export const webUser = statement((web: Parameters<{ webTokenHash: string; now: number }>) => {
	const ofSession = query.select({ id: sessions.userId }).from(sessions).where(isLiveOnWeb(web));
	return query.select().from(users).where(eq(users.id, ofSession));
});

/** Records the use of a browser's session, unless it was ended. */
export const noteWebUse = statement(
	({ id, lastSeenAt, expiresAt }: Parameters<Pick<Session, "id" | "lastSeenAt" | "expiresAt">>) =>
		updateRows(sessions, { lastSeenAt, expiresAt }, and(eq(sessions.id, id), isNull(sessions.revokedAt))),
);

/** Ends a session. Returns nothing if it had ended already. */
export const revokeSession = statement(({ id, now }: Parameters<{ id: string; now: number }>) =>
	// If an earlier attempt's answer was lost, the end is this request's own: its time is the same.
	revokeWhere(now, and(eq(sessions.id, id), or(isNull(sessions.revokedAt), eq(sessions.revokedAt, now)))),
);

/** Ends a live session of a user. Returns nothing if they have no such session. */
export const revokeOwnSession = statement(
	({ id, userId, now }: Parameters<{ id: string; userId: string; now: number }>) =>
		revokeWhere(
			now,
			and(
				eq(sessions.id, id),
				eq(sessions.userId, userId),
				// As in revokeSession, the same time marks an end by an earlier attempt.
				or(eq(sessions.revokedAt, now), isLive(now)),
			),
		),
);

/** The live sessions of a user, newest first. */
export const liveSessions = statement(({ userId, now }: Parameters<{ userId: string; now: number }>) =>
	query
		.select()
		.from(sessions)
		.where(and(eq(sessions.userId, userId), isLive(now)))
		.orderBy(desc(sessions.createdAt), desc(sessions.id))
		.limit(LISTED_SESSIONS_MAX),
);

const revokeAll = statement(
	({ userId, now, exceptId }: Parameters<{ userId: string; now: number; exceptId: string }>) =>
		revokeWhere(now, and(eq(sessions.userId, userId), isNull(sessions.revokedAt), ne(sessions.id, exceptId))),
);
const sharesEnded = { shareCount: sql`${users.shareCount} + 1` };
const endSharesOf = statement(({ userId }: Parameters<{ userId: string }>) =>
	updateRows(users, sharesEnded, eq(users.id, userId)),
);

/**
 * Ends every session of a user except `exceptId`, which the same batch starts; empty for none. Also ends all links to private addresses
 * made until then. The statement that ends the sessions comes last.
 */
export const revokeSessions = (user: { userId: string; now: number; exceptId: string }) => ({
	sharesEnded: endSharesOf(user),
	revoked: revokeAll(user),
});

/** Ends all links of a user to private addresses if they have no live session any more. */
export const endSharesOfSignedOut = statement(({ userId, now }: Parameters<{ userId: string; now: number }>) => {
	const isSignedIn = hasRow(sessions, and(eq(sessions.userId, userId), isLive(now)));
	return updateRows(users, sharesEnded, sql`${eq(users.id, userId)} and not ${isSignedIn}`);
});

/** Deletes up to `count` refresh tokens that expired by `now`. */
export const deleteExpiredTokens = deletion(refreshTokens, ({ now }: Parameters<{ now: number }>) =>
	lte(refreshTokens.expiresAt, now),
);

const endedBefore = ({ time, count }: Parameters<{ time: number; count: number }>) =>
	query.select({ id: sessions.id }).from(sessions).where(lt(sessions.revokedAt, time)).limit(count);
const deleteTokensOfEnded = statement((some: Parameters<{ time: number; count: number }>) =>
	query.delete(refreshTokens).where(inArray(refreshTokens.sessionId, endedBefore(some))),
);
const deleteEnded = statement((some: Parameters<{ time: number; count: number }>) =>
	query.delete(sessions).where(inArray(sessions.id, endedBefore(some))),
);

/** Deletes up to `count` sessions that were ended before a time, with their refresh tokens. Times are in milliseconds since the epoch. */
export const deleteEndedBefore = (some: { time: number; count: number }) => ({
	tokens: deleteTokensOfEnded(some),
	sessions: deleteEnded(some),
});

/** Deletes up to `count` sessions whose newest refresh token expired by `now`. */
export const deleteExpiredSessions = deletion(sessions, ({ now }: Parameters<{ now: number }>) =>
	lte(sessions.expiresAt, now),
);
