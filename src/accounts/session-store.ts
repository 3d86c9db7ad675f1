import {
	and,
	desc,
	eq,
	gt,
	inArray,
	isNull,
	lt,
	lte,
	notInArray,
	or,
	type Placeholder,
	type SQL,
	sql,
} from "drizzle-orm";
import { type Database, deleteSome, perDatabase } from "../db/open.ts";
import { ONE_ROW, refuse } from "../db/refusal.ts";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import { refreshTokens, sessions, users } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";
import { ACCOUNT_SUSPENDED } from "./user-store.ts";

export type Session = typeof sessions.$inferSelect;

/** A session with its first refresh token, as stored. Times in milliseconds since the epoch. */
export interface NewSession {
	id: string;
	userId: string;
	tokenHash: string;
	createdAt: number;
	expiresAt: number;
	device: string;
	/** How many sessions its user keeps, this one included: live before ended ones, and the newest of each. */
	sessionsKept: number;
}

/** Whom a session admits: anyone, agents alone, or those too whose account is suspended. */
export type Admitted = "anyone" | "agent" | "even-suspended";

/** What an access token names, and whom it must be. `now` is in milliseconds since the epoch. */
interface SessionClaim {
	sessionId: string;
	userId: string;
	now: number;
	admitted: Admitted;
}

/** What a session has that is opened to a browser. */
type WebOpening = Pick<Session, "id" | "webTokenHash" | "idleMilliseconds" | "expiresAt">;

/** A refresh token that replaces a used one. */
interface Rotation {
	usedHash: string;
	nextHash: string;
	/** When the next one expires, unless its session ends first. */
	nextExpiresAt: number;
	/** Longest life of a session, in milliseconds. */
	lifetime: number;
	now: number;
}

/** How many sessions are listed: the newest. */
export const LISTED_SESSIONS_MAX = 100;

/** How many sessions beyond those that an account keeps one sign-in deletes. There is more than one only after the setting was lowered. */
const SURPLUS_DELETED_MAX = 100;

/** Why a statement on sessions refuses. */
export const SESSION_ENDED = "session ended";
export const NO_AGENT = "no agent";

/** All SQL on sessions and their refresh tokens. */
export const sessionStoreOf = perDatabase((db: Database) => {
	const isLive = (now: Placeholder) => and(isNull(sessions.revokedAt), gt(sessions.expiresAt, now));
	const insertSession = prepare(db, ({ id, userId, createdAt, expiresAt, device }: Parameters<NewSession>) =>
		insertRow(db, sessions, {
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
	const insertToken = prepare(db, ({ id, tokenHash, expiresAt }: Parameters<NewSession>) =>
		insertRow(db, refreshTokens, { hash: tokenHash, sessionId: id, expiresAt, consumedAt: null }).onConflictDoNothing(),
	);

	const surplus = ({ userId, sessionsKept }: Parameters<Pick<NewSession, "userId" | "sessionsKept">>) =>
		db
			.select({ id: sessions.id })
			.from(sessions)
			.where(eq(sessions.userId, userId))
			.orderBy(sql`${sessions.revokedAt} is not null`, desc(sessions.createdAt), desc(sessions.id))
			.limit(SURPLUS_DELETED_MAX)
			.offset(sessionsKept);
	const deleteSurplusTokens = prepare(db, (session: Parameters<NewSession>) =>
		db.delete(refreshTokens).where(inArray(refreshTokens.sessionId, surplus(session))),
	);
	const deleteSurplus = prepare(db, (session: Parameters<NewSession>) =>
		db.delete(sessions).where(inArray(sessions.id, surplus(session))),
	);

	const isLiveOnWeb = ({ webTokenHash, now }: Parameters<{ webTokenHash: string; now: number }>) =>
		and(eq(sessions.webTokenHash, webTokenHash), isLive(now));

	const ofToken = eq(sessions.id, refreshTokens.sessionId);
	const nextExpiry = ({ nextExpiresAt, lifetime }: Parameters<Rotation>) =>
		sql`min(${nextExpiresAt}, ${sessions.createdAt} + ${lifetime})`;
	const consumeToken = prepare(db, ({ usedHash, lifetime, now }: Parameters<Rotation>) =>
		updateRows(
			db,
			refreshTokens,
			{ consumedAt: now },
			and(
				eq(refreshTokens.hash, usedHash),
				isNull(refreshTokens.consumedAt),
				gt(refreshTokens.expiresAt, now),
				sql`exists (select 1 from ${sessions} join ${users} on ${users.id} = ${sessions.userId}
					where ${ofToken} and ${sessions.revokedAt} is null and ${sessions.createdAt} > ${now} - ${lifetime})`,
			),
		),
	);
	const insertNextToken = prepare(db, (rotation: Parameters<Rotation>) =>
		insertRow(
			db,
			refreshTokens,
			{
				hash: rotation.nextHash,
				sessionId: sql`${refreshTokens.sessionId}`,
				expiresAt: nextExpiry(rotation),
				consumedAt: null,
			},
			sql`from ${refreshTokens} inner join ${sessions} on ${ofToken} where ${eq(refreshTokens.hash, rotation.usedHash)} and changes() = 1`,
		),
	);
	const ofNext = ({ nextHash }: Parameters<Rotation>) =>
		sql`(select ${refreshTokens.sessionId} from ${refreshTokens} where ${refreshTokens.hash} = ${nextHash})`;
	const extendSession = prepare(db, (rotation: Parameters<Rotation>) => {
		const extended = { expiresAt: nextExpiry(rotation), lastSeenAt: rotation.now };
		const isNext = eq(sessions.id, ofNext(rotation));
		return updateRows(db, sessions, extended, isNext).returning({ id: sessions.id, userId: sessions.userId });
	});
	const deleteUsedBefore = prepare(db, (rotation: Parameters<Rotation>) => {
		const isOlder = notInArray(refreshTokens.hash, [rotation.usedHash, rotation.nextHash]);
		return db.delete(refreshTokens).where(and(eq(refreshTokens.sessionId, ofNext(rotation)), isOlder));
	});
	const revokeWhere = (now: Placeholder, condition: SQL | undefined) =>
		updateRows(db, sessions, { revokedAt: now }, condition).returning({ id: sessions.id });
	const revokeAll = prepare(db, ({ userId, now }: Parameters<{ userId: string; now: number }>) =>
		revokeWhere(now, and(eq(sessions.userId, userId), isNull(sessions.revokedAt))),
	);
	const sharesEnded = { shareCount: sql`${users.shareCount} + 1` };
	const endSharesOf = prepare(db, ({ userId }: Parameters<{ userId: string }>) =>
		updateRows(db, users, sharesEnded, eq(users.id, userId)),
	);

	return {
		/** Starts a session with its first refresh token, and deletes those that its user keeps no more. Run again, it stores nothing twice. */
		startSession: (session: NewSession) => ({
			session: insertSession(session),
			token: insertToken(session),
			surplusTokens: deleteSurplusTokens(session),
			surplusSessions: deleteSurplus(session),
		}),

		/** Finds the user of a live session; refuses for SESSION_ENDED, or ACCOUNT_SUSPENDED or NO_AGENT where they are not admitted. */
		liveSession: prepare(db, ({ sessionId, userId, now, admitted }: Parameters<SessionClaim>) => {
			const admittedUser = sql<string>`case when ${users.id} is null then ${refuse(SESSION_ENDED)}
				when ${users.suspendedAt} is not null and ${admitted} <> 'even-suspended' then ${refuse(ACCOUNT_SUSPENDED)}
				when ${users.role} <> 'agent' and ${admitted} = 'agent' then ${refuse(NO_AGENT)} else ${users.id} end`;
			return db
				.select({ userId: admittedUser.as("user_id") })
				.from(ONE_ROW)
				.leftJoin(sessions, and(eq(sessions.id, sessionId), eq(sessions.userId, userId), isLive(now)))
				.leftJoin(users, eq(users.id, sessions.userId));
		}),

		/**
		 * Consumes a refresh token and stores the next one of its session, in one transaction whose first statement decides: of any number of
		 * racing rotations of one token, one gets the session and the others nothing. Run again after an answer was lost, the same rotation
		 * finds its own successor and gets the session again, so that the database's trouble is not taken for a replay. Tokens used before
		 * this one are deleted.
		 */
		rotateRefreshToken: (rotation: Rotation) => ({
			consumed: consumeToken(rotation),
			next: insertNextToken(rotation),
			sessions: extendSession(rotation),
			deleted: deleteUsedBefore(rotation),
		}),

		/** A refresh token and the state of its session; nothing when it was never issued or was cleaned up. */
		refreshToken: prepare(db, ({ hash }: Parameters<{ hash: string }>) =>
			db
				.select({
					sessionId: refreshTokens.sessionId,
					expiresAt: refreshTokens.expiresAt,
					consumedAt: refreshTokens.consumedAt,
					revokedAt: sessions.revokedAt,
				})
				.from(refreshTokens)
				.innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
				.where(eq(refreshTokens.hash, hash)),
		),

		/** Gives a session a token for a browser's cookie. */
		openToWeb: prepare(db, ({ id, webTokenHash, idleMilliseconds, expiresAt }: Parameters<WebOpening>) =>
			updateRows(db, sessions, { webTokenHash, idleMilliseconds, expiresAt }, eq(sessions.id, id)),
		),

		/** The live session of a browser's token. */
		webSession: prepare(db, (web: Parameters<{ webTokenHash: string; now: number }>) =>
			db.select().from(sessions).where(isLiveOnWeb(web)),
		),

		/** The user of the live session of a browser's token, suspended or not. */
		webUser: prepare(db, (web: Parameters<{ webTokenHash: string; now: number }>) => {
			const ofSession = db.select({ id: sessions.userId }).from(sessions).where(isLiveOnWeb(web));
			return db.select().from(users).where(eq(users.id, ofSession));
		}),

		/** Notes that a live session of the web was used. */
		noteWebUse: prepare(
			db,
			({ id, lastSeenAt, expiresAt }: Parameters<Pick<Session, "id" | "lastSeenAt" | "expiresAt">>) =>
				updateRows(db, sessions, { lastSeenAt, expiresAt }, and(eq(sessions.id, id), isNull(sessions.revokedAt))),
		),

		/** Ends a session; nothing is returned when it is not live. */
		revokeSession: prepare(db, ({ id, now }: Parameters<{ id: string; now: number }>) =>
			// An end by an attempt whose answer was lost is this request's own, as its time tells.
			revokeWhere(now, and(eq(sessions.id, id), or(isNull(sessions.revokedAt), eq(sessions.revokedAt, now)))),
		),

		/** Ends a live session of a user; nothing is returned when they have no such session. */
		endSession: prepare(db, ({ id, userId, now }: Parameters<{ id: string; userId: string; now: number }>) =>
			revokeWhere(now, and(eq(sessions.id, id), eq(sessions.userId, userId), isLive(now))),
		),

		/** The live sessions of a user, newest first. */
		liveSessions: prepare(db, ({ userId, now }: Parameters<{ userId: string; now: number }>) =>
			db
				.select()
				.from(sessions)
				.where(and(eq(sessions.userId, userId), isLive(now)))
				.orderBy(desc(sessions.createdAt), desc(sessions.id))
				.limit(LISTED_SESSIONS_MAX),
		),

		/** Ends every session of a user, and with them all links to private addresses that were made until then; the sessions last. */
		revokeSessions: (user: { userId: string; now: number }) => ({
			sharesEnded: endSharesOf(user),
			revoked: revokeAll(user),
		}),

		/** Ends all links of a user to private addresses where no session of theirs is live any more. */
		endSharesOfSignedOut: prepare(db, ({ userId, now }: Parameters<{ userId: string; now: number }>) => {
			const isSignedIn = hasRow(sessions, and(eq(sessions.userId, userId), isLive(now)));
			return updateRows(db, users, sharesEnded, sql`${eq(users.id, userId)} and not ${isSignedIn}`);
		}),

		/** Deletes up to `count` refresh tokens that expired by `now`. Returns the number of rows deleted. */
		deleteExpiredTokens: (now: number, count: number) =>
			deleteSome(db, refreshTokens, lte(refreshTokens.expiresAt, now), count),

		/** Deletes up to `count` sessions that were ended before a time, with their refresh tokens. Returns the number of rows deleted. */
		async deleteEndedBefore(time: number, count: number): Promise<number> {
			const ended = db.select({ id: sessions.id }).from(sessions).where(lt(sessions.revokedAt, time)).limit(count);
			const [, { meta }] = await db.batch([
				db.delete(refreshTokens).where(inArray(refreshTokens.sessionId, ended)),
				db.delete(sessions).where(inArray(sessions.id, ended)),
			]);
			return meta.changes;
		},

		/** Deletes up to `count` sessions whose newest refresh token expired by `now`. Returns the number of rows deleted. */
		deleteExpiredSessions: (now: number, count: number) =>
			deleteSome(db, sessions, lte(sessions.expiresAt, now), count),
	};
});
