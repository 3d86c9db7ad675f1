import { and, desc, eq, exists, gt, isNull, lte, ne, notExists, type SQL, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, deleteSome, perDatabase } from "../db/open.ts";
import { assertThat, ONE_ROW, refusalOf, refuse } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import { phoneProofs, refreshTokens, sessions, users } from "../db/schema.ts";
import { inOneTrip, type Parameters, prepare } from "../db/statement.ts";

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

/** What an access token names. `now` is in milliseconds since the epoch. */
interface SessionClaim {
	sessionId: string;
	userId: string;
	now: number;
}

/** What a session has that is opened to a browser. */
type WebOpening = Pick<Session, "id" | "webTokenHash" | "idleMilliseconds" | "expiresAt">;

/** A refresh token in the place of another. */
export interface Rotation {
	usedHash: string;
	nextHash: string;
	/** When the next one expires, unless its session ends first. */
	nextExpiresAt: number;
	/** Longest life of a session, in milliseconds. */
	lifetime: number;
}

/** How many sessions are listed: the newest. */
export const LISTED_SESSIONS_MAX = 100;

/** A verification event of a phone, as stored. */
export type PhoneProof = Omit<typeof phoneProofs.$inferSelect, "takenFrom">;

/** Why a statement of accounts refuses. */
export const SESSION_ENDED = "session ended";
export const NO_AGENT = "no agent";
export const PHONE_TAKEN = "phone taken";
export const PASSWORD_CHANGED = "password changed";
export const RECOVERY_CODE_USED = "recovery code used";

export type AccountStore = ReturnType<typeof accountStoreOf>;

/** All SQL on accounts and their sessions. */
export const accountStoreOf = perDatabase((db: Database) => {
	const idOf = (condition: SQL | undefined) => db.select({ id: users.id }).from(users).where(condition);
	/** An account whose holder may act. Where it is false, every credential of the account stops at once. */
	const isActive = isNull(users.disabledAt);

	/** Finds the user of a live session, with `role` as it is or as it must be. */
	const sessionCheck = (role: SQL) =>
		prepare(db, ({ sessionId, userId, now }: Parameters<SessionClaim>) =>
			db
				.select({
					userId: sql<string>`coalesce(${users.id}, ${refuse(SESSION_ENDED)})`.as("user_id"),
					role: sql<User["role"]>`${role}`.as("role"),
				})
				.from(ONE_ROW)
				.leftJoin(
					sessions,
					and(
						eq(sessions.id, sessionId),
						eq(sessions.userId, userId),
						isNull(sessions.revokedAt),
						gt(sessions.expiresAt, now),
					),
				)
				.leftJoin(users, and(eq(users.id, sessions.userId), isActive)),
		);

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
		insertRow(db, refreshTokens, {
			hash: tokenHash,
			sessionId: id,
			expiresAt,
			consumedAt: null,
		}).onConflictDoNothing(),
	);
	const insertUser = prepare(db, (user: Parameters<User>) => insertRow(db, users, user).onConflictDoNothing());

	const assertPassword = prepare(db, ({ userId, hashes }: Parameters<{ userId: string; hashes: string }>) => {
		const isOneOf = sql`${users.passwordHash} in (select value from json_each(${hashes}))`;
		return assertThat(db, exists(idOf(and(eq(users.id, userId), isOneOf, isActive))), PASSWORD_CHANGED);
	});

	/** Refuses for PHONE_TAKEN where another account than `userId` has the phone. */
	const assertPhoneFree = prepare(db, ({ phone, userId }: Parameters<{ phone: string; userId: string }>) =>
		assertThat(db, notExists(idOf(and(eq(users.phone, phone), ne(users.id, userId)))), PHONE_TAKEN),
	);

	const userById = prepare(db, ({ id }: Parameters<{ id: string }>) => db.select().from(users).where(eq(users.id, id)));

	const isLiveOnWeb = ({ webTokenHash, now }: Parameters<{ webTokenHash: string; now: number }>) =>
		and(eq(sessions.webTokenHash, webTokenHash), isNull(sessions.revokedAt), gt(sessions.expiresAt, now));

	type Holding = Parameters<{ phone: string; userId: string }>;
	const squats = ({ phone, userId }: Holding) =>
		and(eq(users.phone, phone), ne(users.id, userId), eq(users.phoneVerified, false));
	const verifiedElsewhere = ({ phone, userId }: Holding) =>
		idOf(and(eq(users.phone, phone), ne(users.id, userId), eq(users.phoneVerified, true)));
	const insertProof = prepare(db, (proof: Parameters<PhoneProof>) => {
		const { id, userId, phone, method, agentId, provedAt } = proof;
		return insertRow(
			db,
			phoneProofs,
			{ id, userId, phone, method, agentId, provedAt, takenFrom: sql`${idOf(squats(proof))}` },
			sql`from ${users} where ${and(eq(users.id, userId), notExists(verifiedElsewhere(proof)))}`,
		).onConflictDoNothing();
	});
	const takePhone = prepare(db, (proof: Holding) =>
		db
			.update(users)
			.set({ phone: null })
			.where(and(squats(proof), sql`changes() = 1`)),
	);
	const givePhone = prepare(db, (proof: Holding) =>
		db
			.update(users)
			.set({ phone: sql`${proof.phone}`, phoneVerified: true })
			.where(and(eq(users.id, proof.userId), notExists(verifiedElsewhere(proof))))
			.returning(),
	);

	const ofToken = eq(sessions.id, refreshTokens.sessionId);
	const nextExpiry = ({ nextExpiresAt, lifetime }: Parameters<Rotation>) =>
		sql`min(${nextExpiresAt}, ${sessions.createdAt} + ${lifetime})`;
	const consumeToken = prepare(db, ({ usedHash, lifetime, now }: Parameters<Rotation & { now: number }>) =>
		db
			.update(refreshTokens)
			.set({ consumedAt: sql`${now}` })
			.where(
				and(
					eq(refreshTokens.hash, usedHash),
					isNull(refreshTokens.consumedAt),
					gt(refreshTokens.expiresAt, now),
					exists(
						db
							.select({ id: sessions.id })
							.from(sessions)
							.innerJoin(users, and(eq(users.id, sessions.userId), isActive))
							.where(and(ofToken, isNull(sessions.revokedAt), sql`${sessions.createdAt} > ${now} - ${lifetime}`)),
					),
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
	const extendSession = prepare(db, (rotation: Parameters<Rotation & { now: number }>) => {
		const ofNext = db
			.select({ id: refreshTokens.sessionId })
			.from(refreshTokens)
			.where(eq(refreshTokens.hash, rotation.nextHash));
		return db
			.update(sessions)
			.set({ expiresAt: nextExpiry(rotation), lastSeenAt: sql`${rotation.now}` })
			.where(eq(sessions.id, ofNext))
			.returning({ id: sessions.id, userId: sessions.userId });
	});

	/** A session with its first refresh token. Run again, it stores nothing twice. */
	const startSession = (session: NewSession) => [insertSession(session), insertToken(session)] as const;

	return {
		userById,
		startSession,

		/** Finds the user of a live session; refuses for SESSION_ENDED. */
		liveSession: sessionCheck(sql`${users.role}`),

		/** Finds the user of a live session where they are an agent; refuses for SESSION_ENDED or NO_AGENT. */
		liveSessionOfAgent: sessionCheck(
			sql`case when ${users.role} <> 'agent' then ${refuse(NO_AGENT)} else ${users.role} end`,
		),

		/** The account that has a phone, whether or not its holder may act. */
		userByPhone: prepare(db, ({ phone }: Parameters<{ phone: string }>) =>
			db.select().from(users).where(eq(users.phone, phone)),
		),

		/** Inserts a user signed in on a first session; undefined when another account has the phone. */
		async createUser(user: User & { phone: string }, session: NewSession): Promise<User | undefined> {
			const { id, phone } = user;
			try {
				// Run again after an answer was lost, it finds what it has written itself.
				const [, , , , [created]] = await retryIdempotent(() =>
					inOneTrip(
						assertPhoneFree({ phone, userId: id }),
						insertUser(user),
						...startSession(session),
						userById({ id }),
					),
				);
				return created;
			} catch (error) {
				if (refusalOf(error) === PHONE_TAKEN) return undefined;
				throw error;
			}
		},

		/** Refuses for PASSWORD_CHANGED where a password is none of the hashes, or its account may not act, so that no session outlives a change of either. */
		assertPassword: (userId: string, ...hashes: string[]) => assertPassword({ userId, hashes: JSON.stringify(hashes) }),

		/**
		 * Consumes a refresh token and stores the next one of its session, in one transaction whose first statement decides: of any
		 * number of racing rotations of one token, one gets the session and the others undefined. Run again after an answer was lost, the same
		 * rotation finds its own successor and gets the session again, so that the database's trouble is not taken for a replay.
		 */
		async rotateRefreshToken(rotation: Rotation, now: number): Promise<{ id: string; userId: string } | undefined> {
			const values = { ...rotation, now };
			const [, , [session]] = await retryIdempotent(() =>
				inOneTrip(consumeToken(values), insertNextToken(values), extendSession(values)),
			);
			return session;
		},

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
		openToWeb: prepare(db, (web: Parameters<WebOpening>) =>
			db
				.update(sessions)
				.set({
					webTokenHash: sql`${web.webTokenHash}`,
					idleMilliseconds: sql`${web.idleMilliseconds}`,
					expiresAt: sql`${web.expiresAt}`,
				})
				.where(eq(sessions.id, web.id)),
		),

		/** The live session of a browser's token. */
		webSession: prepare(db, (web: Parameters<{ webTokenHash: string; now: number }>) =>
			db.select().from(sessions).where(isLiveOnWeb(web)),
		),

		/** The user of the live session of a browser's token, where they may act. */
		webUser: prepare(db, (web: Parameters<{ webTokenHash: string; now: number }>) => {
			const ofSession = db.select({ id: sessions.userId }).from(sessions).where(isLiveOnWeb(web));
			return db
				.select()
				.from(users)
				.where(and(eq(users.id, ofSession), isActive));
		}),

		/** Notes that a live session of the web was used. */
		noteWebUse: prepare(db, (use: Parameters<Pick<Session, "id" | "lastSeenAt" | "expiresAt">>) =>
			db
				.update(sessions)
				.set({ lastSeenAt: sql`${use.lastSeenAt}`, expiresAt: sql`${use.expiresAt}` })
				.where(and(eq(sessions.id, use.id), isNull(sessions.revokedAt))),
		),

		/** Ends a session. */
		revokeSession: prepare(db, ({ id, now }: Parameters<{ id: string; now: number }>) =>
			db
				.update(sessions)
				.set({ revokedAt: sql`${now}` })
				.where(and(eq(sessions.id, id), isNull(sessions.revokedAt))),
		),

		/** Ends a live session of a user; nothing is returned when they have no such session. */
		endSession: prepare(db, ({ id, userId, now }: Parameters<{ id: string; userId: string; now: number }>) =>
			db
				.update(sessions)
				.set({ revokedAt: sql`${now}` })
				.where(
					and(
						eq(sessions.id, id),
						eq(sessions.userId, userId),
						isNull(sessions.revokedAt),
						gt(sessions.expiresAt, now),
					),
				)
				.returning({ id: sessions.id }),
		),

		/** The live sessions of a user, newest first. */
		liveSessions: prepare(db, ({ userId, now }: Parameters<{ userId: string; now: number }>) =>
			db
				.select()
				.from(sessions)
				.where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt), gt(sessions.expiresAt, now)))
				.orderBy(desc(sessions.createdAt), desc(sessions.id))
				.limit(LISTED_SESSIONS_MAX),
		),

		/** Ends every session of a user. */
		revokeSessions: prepare(db, ({ userId, now }: Parameters<{ userId: string; now: number }>) =>
			db
				.update(sessions)
				.set({ revokedAt: sql`${now}` })
				.where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt))),
		),

		/** Keeps a password under a new hash, unless it was changed meanwhile. */
		setPassword: prepare(
			db,
			({ userId, oldHash, newHash }: Parameters<{ userId: string; oldHash: string; newHash: string }>) =>
				db
					.update(users)
					.set({ passwordHash: sql`${newHash}` })
					.where(and(eq(users.id, userId), eq(users.passwordHash, oldHash))),
		),

		/** Opens the account of a user where it was closed and is not yet due to be erased. */
		reopen: prepare(db, ({ userId, now }: Parameters<{ userId: string; now: number }>) =>
			db
				.update(users)
				.set({ eraseAt: null })
				.where(and(eq(users.id, userId), gt(users.eraseAt, now))),
		),

		/** Keeps the hash of a new recovery code of a user. */
		setRecoveryHash: prepare(db, ({ userId, recoveryHash }: Parameters<{ userId: string; recoveryHash: string }>) =>
			db
				.update(users)
				.set({ recoveryHash: sql`${recoveryHash}` })
				.where(eq(users.id, userId)),
		),

		/** Refuses for RECOVERY_CODE_USED where a recovery code is no longer the user's, or their account may not act. */
		assertRecoveryCode: prepare(db, ({ userId, recoveryHash }: Parameters<{ userId: string; recoveryHash: string }>) =>
			assertThat(
				db,
				exists(idOf(and(eq(users.id, userId), eq(users.recoveryHash, recoveryHash), isActive))),
				RECOVERY_CODE_USED,
			),
		),

		/** Sets the password of a user by a recovery code, which is used up. */
		resetPassword: prepare(db, ({ userId, newHash }: Parameters<{ userId: string; newHash: string }>) =>
			db
				.update(users)
				.set({ passwordHash: sql`${newHash}`, recoveryHash: null, eraseAt: null })
				.where(eq(users.id, userId)),
		),

		/** Refuses for PHONE_TAKEN where a verified account other than `userId` has the phone. */
		assertProvable: prepare(db, ({ phone, userId }: Parameters<{ phone: string; userId: string }>) =>
			assertThat(db, notExists(verifiedElsewhere({ phone, userId })), PHONE_TAKEN),
		),

		/**
		 * Gives a proved number to an account and writes the proof down. An unverified account that has the number loses it. The last one's result is
		 * the account, or nothing when a verified account has the number or the account is gone. Run again, they prove nothing twice.
		 */
		passPhone: (proof: PhoneProof) => [insertProof(proof), takePhone(proof), givePhone(proof)] as const,

		/** Deletes up to `count` refresh tokens that expired by `now`; how many went. */
		deleteExpiredTokens(now: number, count: number): Promise<number> {
			return deleteSome(db, refreshTokens, lte(refreshTokens.expiresAt, now), count);
		},

		/** Deletes up to `count` sessions whose newest refresh token expired by `now`; how many went. */
		deleteExpiredSessions(now: number, count: number): Promise<number> {
			return deleteSome(db, sessions, lte(sessions.expiresAt, now), count);
		},
	};
});
