import { and, desc, eq, isNull, lte, or, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import type { Database } from "../db/open.ts";
import { retryIdempotent } from "../db/retry.ts";
import { apiKeys, users } from "../db/schema.ts";

export type ApiKey = typeof apiKeys.$inferSelect;

/** What a key may do. */
export type KeyScope = ApiKey["scopes"][number];

/** A key that was never used. */
export type NewKeyRow = Omit<ApiKey, "lastUsedAt" | "revokedAt">;

export type KeyStore = ReturnType<typeof createKeyStore>;

/** All SQL on API keys. */
export function createKeyStore(db: Database) {
	const liveOf = (userId: string) => and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt));

	return {
		/** Inserts a key unless its user has `quota` live ones; undefined then. One statement, so that racing requests cannot exceed it. */
		async insert(key: NewKeyRow, quota: number): Promise<ApiKey | undefined> {
			const [inserted] = await insertRow(
				db,
				apiKeys,
				{ ...key, lastUsedAt: null, revokedAt: null },
				sql`where (select count(*) from ${apiKeys} where ${liveOf(key.userId)}) < ${quota}`,
			).returning();
			return inserted;
		},

		/** The live keys of a user, newest first. */
		listOf(userId: string): Promise<ApiKey[]> {
			return db.select().from(apiKeys).where(liveOf(userId)).orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
		},

		/** The live key of a hash, of an account that is not closed. Never cached, so that a revocation counts from the next request on. */
		liveByHash(hash: string): Promise<Pick<ApiKey, "id" | "userId" | "scopes" | "lastUsedAt"> | undefined> {
			const { id, userId, scopes, lastUsedAt } = apiKeys;
			return db
				.select({ id, userId, scopes, lastUsedAt })
				.from(apiKeys)
				.innerJoin(users, and(eq(users.id, userId), isNull(users.eraseAt)))
				.where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt)))
				.get();
		},

		/** Notes the use of a key, unless one was noted after `unlessAfter`. Times in milliseconds since the epoch. */
		async markUsed(id: string, now: number, unlessAfter: number): Promise<void> {
			await db
				.update(apiKeys)
				.set({ lastUsedAt: now })
				.where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, unlessAfter))));
		},

		/** Revokes a live key of a user; false when they have no such key. */
		async revoke(id: string, userId: string, now: number): Promise<boolean> {
			// A revocation by an attempt whose answer was lost is this request's own, as its time tells.
			const live = or(isNull(apiKeys.revokedAt), eq(apiKeys.revokedAt, now));
			const rows = await retryIdempotent(() =>
				db
					.update(apiKeys)
					.set({ revokedAt: now })
					.where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId), live))
					.returning({ id: apiKeys.id }),
			);
			return rows.length === 1;
		},
	};
}
