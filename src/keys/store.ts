import { and, desc, eq, isNotNull, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { type Database, deleteSome, perDatabase } from "../db/open.ts";
import { assertThat, ONE_ROW, refuse } from "../db/refusal.ts";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import { apiKeys, users } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";
import type { Registry } from "../registry.ts";

export type ApiKey = typeof apiKeys.$inferSelect;

/** What a key may do. */
export type KeyScope = ApiKey["scopes"][number];

/** A key that was never used. */
type NewKeyRow = Omit<ApiKey, "lastUsedAt" | "revokedAt">;

/** Why a statement refuses a key. */
export const KEY_NOT_LIVE = "key not live";
export const KEY_SUSPENDED = "account suspended";
export const KEY_LACKS_SCOPE = "key lacks scope";

type KeyStore = ReturnType<typeof keyStoreOf>;

/** All SQL on API keys. */
export const keyStoreOf = perDatabase((db: Database) => {
	const liveOf = ({ userId }: Parameters<{ userId: string }>) =>
		and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt));

	return {
		/**
		 * Inserts a key unless its user has `quota` live ones. It decides by itself, so that racing requests cannot exceed it. Run again, it
		 * inserts nothing twice.
		 */
		insert: prepare(db, (key: Parameters<NewKeyRow & { quota: number }>) => {
			const { id, userId, name, mode, scopes, prefix, hash, createdAt, sandbox } = key;
			return insertRow(
				db,
				apiKeys,
				{ id, userId, name, mode, scopes, prefix, hash, createdAt, lastUsedAt: null, revokedAt: null, sandbox },
				sql`where (select count(*) from ${apiKeys} where ${liveOf(key)}) < ${key.quota}`,
			).onConflictDoNothing();
		}),

		byId: prepare(db, ({ id }: Parameters<{ id: string }>) => db.select().from(apiKeys).where(eq(apiKeys.id, id))),

		/** The live keys of a user, newest first. */
		listOf: prepare(db, (user: Parameters<{ userId: string }>) =>
			db.select().from(apiKeys).where(liveOf(user)).orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
		),

		/**
		 * Finds the live key of a hash, of an account that is neither closed nor suspended; refuses for KEY_NOT_LIVE, KEY_SUSPENDED or
		 * KEY_LACKS_SCOPE, unless any scope will do. Never cached, so that a revocation counts from the next request on.
		 */
		liveKey: prepare(db, ({ hash, scope }: Parameters<{ hash: string; scope: KeyScope | null }>) => {
			const ofUser = (condition: SQL) => hasRow(users, and(eq(users.id, apiKeys.userId), condition));
			return db
				.select({
					userId: sql<string>`case when ${apiKeys.userId} is null then ${refuse(KEY_NOT_LIVE)}
						when ${ofUser(isNotNull(users.suspendedAt))} then ${refuse(KEY_SUSPENDED)} else ${apiKeys.userId} end`.as(
						"user_id",
					),
					hasScope: sql`case when ${apiKeys.id} is not null and not exists
						(select 1 from json_each(${apiKeys.scopes}) where value = coalesce(${scope}, value)) then ${refuse(KEY_LACKS_SCOPE)} end`.as(
						"has_scope",
					),
					id: sql<string>`${apiKeys.id}`.as("id"),
					lastUsedAt: apiKeys.lastUsedAt,
					scopes: apiKeys.scopes,
					isSandbox: sql<0 | 1 | null>`${apiKeys.sandbox}`.as("is_sandbox"),
				})
				.from(ONE_ROW)
				.leftJoin(apiKeys, and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), ofUser(isNull(users.eraseAt))));
		}),

		/** Notes the use of a key, unless one was noted after `unlessAfter`. Times in milliseconds since the epoch. */
		markUsed: prepare(db, ({ id, now, unlessAfter }: Parameters<{ id: string; now: number; unlessAfter: number }>) =>
			updateRows(
				db,
				apiKeys,
				{ lastUsedAt: now },
				and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, unlessAfter))),
			),
		),

		/** Deletes up to `count` keys that were revoked before a time (milliseconds since the epoch). Returns the number of rows deleted. */
		deleteRevokedBefore: (time: number, count: number) => deleteSome(db, apiKeys, lt(apiKeys.revokedAt, time), count),

		/** Refuses for KEY_NOT_LIVE where there is no such key, or it is revoked. */
		assertLive: prepare(db, ({ id }: Parameters<{ id: string }>) =>
			assertThat(db, hasRow(apiKeys, and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt))), KEY_NOT_LIVE),
		),

		/** Gives a key other scopes. */
		setScopes: prepare(db, ({ id, scopes }: Parameters<Pick<ApiKey, "id" | "scopes">>) =>
			updateRows(db, apiKeys, { scopes }, eq(apiKeys.id, id)),
		),

		/** Revokes a live key of a user; nothing is returned when they have no such key. */
		revoke: prepare(db, ({ id, userId, now }: Parameters<{ id: string; userId: string; now: number }>) =>
			updateRows(
				db,
				apiKeys,
				{ revokedAt: now },
				and(
					eq(apiKeys.id, id),
					eq(apiKeys.userId, userId),
					// A revocation by an attempt whose answer was lost is this request's own, as its time tells.
					or(isNull(apiKeys.revokedAt), eq(apiKeys.revokedAt, now)),
				),
			).returning({ id: apiKeys.id }),
		),
	};
});

/** The store of keys that a request works with. */
export function keyStore(registry: Registry): KeyStore {
	return keyStoreOf(registry.database);
}
