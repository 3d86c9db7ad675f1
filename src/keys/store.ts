/** All SQL on API keys. */
import { and, desc, eq, isNotNull, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { assertion, ONE_ROW, refuse } from "../db/refusal.ts";
import { deletion, hasRow, insertRow, updateRows } from "../db/rows.ts";
import { apiKeys, users } from "../db/schema.ts";
import { allowanceOf, openedAtOf } from "../db/standing.ts";
import { type Parameters, query, refusing, statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";

export type ApiKey = typeof apiKeys.$inferSelect;

/** One thing that a key may do. */
export type KeyScope = ApiKey["scopes"][number];

/** A new key, which has never been used. */
type NewKeyRow = Omit<ApiKey, "lastUsedAt" | "revokedAt">;

const liveOf = ({ userId }: Parameters<{ userId: string }>) =>
	and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt));

/**
 * Inserts a key unless its user has `quota` live ones. One statement decides and writes, so that racing requests cannot exceed the quota.
 * Running it again inserts nothing twice.
 */
export const insert = statement((key: Parameters<NewKeyRow & { quota: number }>) => {
	const { id, userId, name, mode, scopes, prefix, hash, createdAt, sandbox } = key;
	return insertRow(
		apiKeys,
		{ id, userId, name, mode, scopes, prefix, hash, createdAt, lastUsedAt: null, revokedAt: null, sandbox },
		sql`where (select count(*) from ${apiKeys} where ${liveOf(key)}) < ${key.quota}`,
	).onConflictDoNothing();
});

export const byId = statement(({ id }: Parameters<{ id: string }>) =>
	query.select().from(apiKeys).where(eq(apiKeys.id, id)),
);

/** The live keys of a user, newest first. */
export const listOf = statement((user: Parameters<{ userId: string }>) =>
	query.select().from(apiKeys).where(liveOf(user)).orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
);

/** The errors for a key that is refused. */
interface KeyErrors {
	notLive: () => AppError;
	suspended: () => AppError;
	lacksScope: () => AppError;
}

const liveKeyOf = statement(({ hash, scope }: Parameters<{ hash: string; scope: KeyScope | null }>) => {
	const ofUser = (condition: SQL) => hasRow(users, and(eq(users.id, apiKeys.userId), condition));
	return query
		.select({
			userId: sql<string>`case when ${apiKeys.userId} is null then ${refuse("key not live")}
				when ${ofUser(isNotNull(users.suspendedAt))} then ${refuse("account suspended")} else ${apiKeys.userId} end`.as(
				"user_id",
			),
			hasScope: sql`case when ${apiKeys.id} is not null and not exists
				(select 1 from json_each(${apiKeys.scopes}) where value = coalesce(${scope}, value)) then ${refuse("key lacks scope")} end`.as(
				"has_scope",
			),
			id: sql<string>`${apiKeys.id}`.as("id"),
			lastUsedAt: apiKeys.lastUsedAt,
			scopes: apiKeys.scopes,
			databaseNames: sql<
				string | null
			>`(select ${users.databaseNames} from ${users} where ${users.id} = ${apiKeys.userId})`.as("database_names"),
			allowance: allowanceOf(apiKeys.userId).as("allowance"),
			openedAt: openedAtOf(apiKeys.userId).as("opened_at"),
			isSandbox: sql<0 | 1 | null>`${apiKeys.sandbox}`.as("is_sandbox"),
		})
		.from(ONE_ROW)
		.leftJoin(apiKeys, and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), ofUser(isNull(users.eraseAt))));
});

/**
 * Finds the live key with a hash, of an account that is neither closed nor suspended. Refuses if there is none or it lacks the scope; a
 * null scope means any. It is never cached, so that a revocation takes effect from the next request on.
 */
export const liveKey = (key: { hash: string; scope: KeyScope | null }, { notLive, suspended, lacksScope }: KeyErrors) =>
	refusing(liveKeyOf(key), { "key not live": notLive, "account suspended": suspended, "key lacks scope": lacksScope });

/** Records the use of a key, unless a use after `unlessAfter` is recorded. Times are in milliseconds since the epoch. */
export const markUsed = statement(
	({ id, now, unlessAfter }: Parameters<{ id: string; now: number; unlessAfter: number }>) =>
		updateRows(
			apiKeys,
			{ lastUsedAt: now },
			and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, unlessAfter))),
		),
);

/** Deletes up to `count` keys that were revoked before a time (milliseconds since the epoch). */
export const deleteRevokedBefore = deletion(apiKeys, ({ time }: Parameters<{ time: number }>) =>
	lt(apiKeys.revokedAt, time),
);

/** Refuses if there is no such key, or it is revoked. */
export const assertLive = assertion(
	({ id }: Parameters<{ id: string }>) => hasRow(apiKeys, and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt))),
	"no live key",
	() => new AppError("KEY_NOT_FOUND", "There is no live key with this id."),
);

/** Replaces the scopes of a key. */
export const setScopes = statement(({ id, scopes }: Parameters<Pick<ApiKey, "id" | "scopes">>) =>
	updateRows(apiKeys, { scopes }, eq(apiKeys.id, id)),
);

/** Revokes a live key of a user. Returns nothing if they have no such key. */
export const revoke = statement(({ id, userId, now }: Parameters<{ id: string; userId: string; now: number }>) =>
	updateRows(
		apiKeys,
		{ revokedAt: now },
		and(
			eq(apiKeys.id, id),
			eq(apiKeys.userId, userId),
			// If an earlier attempt's answer was lost, the revocation is this request's own: its time is the same.
			or(isNull(apiKeys.revokedAt), eq(apiKeys.revokedAt, now)),
		),
	).returning({ id: apiKeys.id }),
);
