import { and, desc, eq, gt, isNull, lte, ne, notExists, or, type SQL, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, deleteSome, isUniqueViolation } from "../db/open.ts";
import { retryIdempotent } from "../db/retry.ts";
import { phoneProofs, refreshTokens, sessions, users } from "../db/schema.ts";

export type User = typeof users.$inferSelect;
export type Session = typeof sessions.$inferSelect;

/** A session with its first refresh token, as stored. Times in milliseconds since the epoch. */
export interface NewSession {
	id: string;
	userId: string;
	tokenHash: string;
	createdAt: number;
	expiresAt: number;
	device: string;
}

/** A refresh token in the place of another. */
export interface Rotation {
	usedHash: string;
	nextHash: string;
	/** When the next one expires, unless its session ends first. */
	nextExpiresAt: number;
	/** Longest life of a session, in milliseconds. */
	lifetime: number;
}

/** A verification event of a phone, as stored. */
export type PhoneProof = Omit<typeof phoneProofs.$inferSelect, "takenFrom">;

/** How many sessions are listed: the newest. */
export const LISTED_SESSIONS_MAX = 100;

export type AccountStore = ReturnType<typeof createAccountStore>;

/** All SQL on accounts and their sessions. */
export function createAccountStore(db: Database) {
	/** Inserts a session with its first refresh token where a condition holds. */
	const insertSessionIf = ({ tokenHash, ...session }: NewSession, condition: SQL) =>
		[
			insertRow(
				db,
				sessions,
				{ ...session, revokedAt: null, webTokenHash: null, idleMilliseconds: null, lastSeenAt: session.createdAt },
				sql`where ${condition}`,
			).returning({ id: sessions.id }),
			insertRow(
				db,
				refreshTokens,
				{ hash: tokenHash, sessionId: session.id, expiresAt: session.expiresAt, consumedAt: null },
				sql`where changes() = 1`,
			),
		] as const;

	/** Changes the password of a session's user where a condition on them holds, ends all their sessions and starts this one; false where it does not. */
	const replacePassword = async (
		condition: SQL,
		change: Pick<User, "passwordHash"> & Partial<User>,
		session: NewSession,
	): Promise<boolean> => {
		const { userId } = session;
		const changed = db
			.select({ id: users.id })
			.from(users)
			.where(and(eq(users.id, userId), eq(users.passwordHash, change.passwordHash)));
		const [updated] = await db.batch([
			db
				.update(users)
				.set(change)
				.where(and(eq(users.id, userId), condition))
				.returning({ id: users.id }),
			db
				.update(sessions)
				.set({ revokedAt: session.createdAt })
				.where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt), sql`exists ${changed}`)),
			...insertSessionIf(session, sql`exists ${changed}`),
		]);
		return updated.length === 1;
	};

	return {
		/** Inserts a user signed in on a first session; undefined when the phone has an account already. */
		async createUser(user: User, session: NewSession): Promise<User | undefined> {
			try {
				const [[created]] = await db.batch([
					insertRow(db, users, user).returning(),
					...insertSessionIf(session, sql`true`),
				]);
				return created;
			} catch (error) {
				if (isUniqueViolation(error, "users.phone")) return undefined;
				throw error;
			}
		},

		userByPhone(phone: string): Promise<User | undefined> {
			return db.select().from(users).where(eq(users.phone, phone)).get();
		},

		userById(id: string): Promise<User | undefined> {
			return db.select().from(users).where(eq(users.id, id)).get();
		},

		/**
		 * Inserts a session and opens the account where it was closed, in one transaction, unless the user's password is no longer what was proved, or
		 * the account is due to be erased; false then, so that no session outlives a change of password.
		 */
		async createSession(session: NewSession, provedHash: string): Promise<boolean> {
			const proved = and(eq(users.id, session.userId), eq(users.passwordHash, provedHash));
			const unchanged = db
				.select({ id: users.id })
				.from(users)
				.where(and(proved, isNull(users.eraseAt)));
			const [, inserted] = await db.batch([
				db
					.update(users)
					.set({ eraseAt: null })
					.where(and(proved, gt(users.eraseAt, session.createdAt))),
				...insertSessionIf(session, sql`exists ${unchanged}`),
			]);
			return inserted.length === 1;
		},

		async isSessionLive(id: string, userId: string, now: number): Promise<boolean> {
			const row = await db
				.select({ id: sessions.id })
				.from(sessions)
				.where(
					and(
						eq(sessions.id, id),
						eq(sessions.userId, userId),
						isNull(sessions.revokedAt),
						gt(sessions.expiresAt, now),
					),
				)
				.get();
			return row !== undefined;
		},

		/**
		 * Consumes a refresh token and stores the next one of its session, in one transaction whose first statement decides: of any
		 * number of racing rotations of one token, one gets the session and the others undefined. Run again after an answer was lost, the same
		 * rotation finds its own successor and gets the session again, so that the database's trouble is not taken for a replay.
		 */
		async rotateRefreshToken(
			{ usedHash, nextHash, nextExpiresAt, lifetime }: Rotation,
			now: number,
		): Promise<{ id: string; userId: string } | undefined> {
			const used = eq(refreshTokens.hash, usedHash);
			const ofNext = db
				.select({ id: refreshTokens.sessionId })
				.from(refreshTokens)
				.where(eq(refreshTokens.hash, nextHash));
			const ofUsed = sql`${sessions.id} = ${refreshTokens.sessionId}`;
			const expiresAt = sql`min(${nextExpiresAt}, ${sessions.createdAt} + ${lifetime})`;
			const rotate = () =>
				db.batch([
					db
						.update(refreshTokens)
						.set({ consumedAt: now })
						.where(
							and(
								used,
								isNull(refreshTokens.consumedAt),
								gt(refreshTokens.expiresAt, now),
								sql`exists (select 1 from ${sessions} where ${ofUsed} and ${sessions.revokedAt} is null and ${sessions.createdAt} > ${now - lifetime})`,
							),
						),
					insertRow(
						db,
						refreshTokens,
						{ hash: nextHash, sessionId: sql`${refreshTokens.sessionId}`, expiresAt, consumedAt: null },
						sql`from ${refreshTokens} inner join ${sessions} on ${ofUsed} where ${used} and changes() = 1`,
					),
					db
						.update(sessions)
						.set({ expiresAt, lastSeenAt: now })
						.where(eq(sessions.id, ofNext))
						.returning({ id: sessions.id, userId: sessions.userId }),
				]);
			const [, , [session]] = await retryIdempotent(rotate);
			return session;
		},

		/** A refresh token and the state of its session. Undefined when it was never issued or was cleaned up. */
		refreshToken(
			hash: string,
		): Promise<
			{ sessionId: string; expiresAt: number; consumedAt: number | null; revokedAt: number | null } | undefined
		> {
			return db
				.select({
					sessionId: refreshTokens.sessionId,
					expiresAt: refreshTokens.expiresAt,
					consumedAt: refreshTokens.consumedAt,
					revokedAt: sessions.revokedAt,
				})
				.from(refreshTokens)
				.innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
				.where(eq(refreshTokens.hash, hash))
				.get();
		},

		/** Gives a session a token for a browser's cookie. */
		async openToWeb(id: string, web: Pick<Session, "webTokenHash" | "idleMilliseconds" | "expiresAt">): Promise<void> {
			await retryIdempotent(() => db.update(sessions).set(web).where(eq(sessions.id, id)).run());
		},

		/** The live session of a browser's token, with its user. */
		webSession(webTokenHash: string, now: number): Promise<{ session: Session; user: User } | undefined> {
			return db
				.select({ session: sessions, user: users })
				.from(sessions)
				.innerJoin(users, eq(users.id, sessions.userId))
				.where(and(eq(sessions.webTokenHash, webTokenHash), isNull(sessions.revokedAt), gt(sessions.expiresAt, now)))
				.get();
		},

		/** Notes that a live session of the web was used. */
		async noteWebUse(id: string, lastSeenAt: number, expiresAt: number): Promise<void> {
			const live = and(eq(sessions.id, id), isNull(sessions.revokedAt));
			await retryIdempotent(() => db.update(sessions).set({ lastSeenAt, expiresAt }).where(live).run());
		},

		/** The live sessions of a user, newest first. */
		liveSessions(userId: string, now: number): Promise<Session[]> {
			return db
				.select()
				.from(sessions)
				.where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt), gt(sessions.expiresAt, now)))
				.orderBy(desc(sessions.createdAt), desc(sessions.id))
				.limit(LISTED_SESSIONS_MAX);
		},

		/** Ends a live session of a user; false when they have no such session. */
		async endSession(id: string, userId: string, now: number): Promise<boolean> {
			// An end by an attempt whose answer was lost is this request's own, as its time tells.
			const live = or(isNull(sessions.revokedAt), eq(sessions.revokedAt, now));
			const rows = await retryIdempotent(() =>
				db
					.update(sessions)
					.set({ revokedAt: now })
					.where(and(eq(sessions.id, id), eq(sessions.userId, userId), live, gt(sessions.expiresAt, now)))
					.returning({ id: sessions.id }),
			);
			return rows.length === 1;
		},

		async revokeSession(id: string, now: number): Promise<void> {
			const live = and(eq(sessions.id, id), isNull(sessions.revokedAt));
			await retryIdempotent(() => db.update(sessions).set({ revokedAt: now }).where(live).run());
		},

		/** Keeps the hash of a new recovery code; false when the user's password is no longer what was proved. */
		async setRecoveryHash(userId: string, provedHash: string, recoveryHash: string): Promise<boolean> {
			const rows = await retryIdempotent(() =>
				db
					.update(users)
					.set({ recoveryHash })
					.where(and(eq(users.id, userId), eq(users.passwordHash, provedHash)))
					.returning({ id: users.id }),
			);
			return rows.length === 1;
		},

		/** Keeps a password under a new hash, unless it was changed meanwhile. */
		async rehash(userId: string, oldHash: string, newHash: string): Promise<void> {
			const unchanged = and(eq(users.id, userId), eq(users.passwordHash, oldHash));
			await retryIdempotent(() => db.update(users).set({ passwordHash: newHash }).where(unchanged).run());
		},

		/**
		 * Changes a password, ends every session and starts a new one, in one transaction; false when the password was changed meanwhile.
		 * @param oldHash What the current password was verified against.
		 */
		changePassword(oldHash: string, newHash: string, session: NewSession): Promise<boolean> {
			return replacePassword(eq(users.passwordHash, oldHash), { passwordHash: newHash }, session);
		},

		/** Sets a password by a recovery code, which is used up, ends every session and starts a new one, in one transaction; false when the code is no longer the user's. */
		resetPassword(recoveryHash: string, newHash: string, session: NewSession): Promise<boolean> {
			const change = { passwordHash: newHash, recoveryHash: null, eraseAt: null };
			return replacePassword(eq(users.recoveryHash, recoveryHash), change, session);
		},

		/**
		 * Gives a proved number to an account and writes the proof down, in one transaction. An unverified account that has the number loses it.
		 * Undefined when a verified account has it, or the account is gone.
		 */
		async passPhone(proof: PhoneProof): Promise<User | undefined> {
			const { userId, phone } = proof;
			const squats = and(eq(users.phone, phone), ne(users.id, userId), eq(users.phoneVerified, false));
			const verifiedElsewhere = db
				.select({ id: users.id })
				.from(users)
				.where(and(eq(users.phone, phone), ne(users.id, userId), eq(users.phoneVerified, true)));
			const [, , [user]] = await db.batch([
				insertRow(
					db,
					phoneProofs,
					{ ...proof, takenFrom: sql`(select ${users.id} from ${users} where ${squats})` },
					sql`from ${users} where ${users.id} = ${userId} and not exists ${verifiedElsewhere}`,
				),
				db.update(users).set({ phone: null }).where(and(squats, sql`changes() = 1`)),
				db
					.update(users)
					.set({ phone, phoneVerified: true })
					.where(and(eq(users.id, userId), notExists(verifiedElsewhere)))
					.returning(),
			]);
			return user;
		},

		/** Deletes up to `count` refresh tokens that expired by `now`; how many went. */
		deleteExpiredTokens(now: number, count: number): Promise<number> {
			return deleteSome(db, refreshTokens, lte(refreshTokens.expiresAt, now), count);
		},

		/** Deletes up to `count` sessions whose newest refresh token expired by `now`; how many went. */
		deleteExpiredSessions(now: number, count: number): Promise<number> {
			return deleteSome(db, sessions, lte(sessions.expiresAt, now), count);
		},
	};
}
