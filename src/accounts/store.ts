import { and, eq, gt, isNull } from "drizzle-orm";
import { type Database, isUniqueViolation } from "../db/open.ts";
import { refreshTokens, sessions, users } from "../db/schema.ts";

export type User = typeof users.$inferSelect;

/** A session with its first refresh token, as stored. Times in milliseconds since the epoch. */
export interface NewSession {
	id: string;
	userId: string;
	tokenHash: string;
	createdAt: number;
	expiresAt: number;
}

export type AccountStore = ReturnType<typeof createAccountStore>;

/** All SQL on accounts and their sessions. */
export function createAccountStore(db: Database) {
	const insertSession = (session: NewSession) =>
		[
			db.insert(sessions).values({
				id: session.id,
				userId: session.userId,
				createdAt: session.createdAt,
				expiresAt: session.expiresAt,
			}),
			db.insert(refreshTokens).values({
				hash: session.tokenHash,
				sessionId: session.id,
				expiresAt: session.expiresAt,
			}),
		] as const;

	return {
		/** Inserts a user signed in on a first session; false when the phone has an account already. */
		async createUser(user: typeof users.$inferInsert, session: NewSession): Promise<boolean> {
			try {
				await db.batch([db.insert(users).values(user), ...insertSession(session)]);
				return true;
			} catch (error) {
				if (isUniqueViolation(error, "users.phone")) return false;
				throw error;
			}
		},

		userByPhone(phone: string): Promise<User | undefined> {
			return db.select().from(users).where(eq(users.phone, phone)).get();
		},

		userById(id: string): Promise<User | undefined> {
			return db.select().from(users).where(eq(users.id, id)).get();
		},

		async createSession(session: NewSession): Promise<void> {
			await db.batch([...insertSession(session)]);
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
	};
}
