import { and, eq, isNotNull, isNull, ne, or, type Placeholder, sql } from "drizzle-orm";
import { type Database, perDatabase } from "../db/open.ts";
import { assertThat } from "../db/refusal.ts";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import { apiKeys, ERASING, users } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

export type User = typeof users.$inferSelect;

/** Why a statement on users refuses. */
export const PASSWORD_CHANGED = "password changed";
export const RECOVERY_CODE_USED = "recovery code used";

/** Why a statement on accounts refuses that an operator has suspended. */
export const ACCOUNT_SUSPENDED = "account suspended";
/** Why a statement on an account refuses that does not exist. */
export const NO_ACCOUNT = "no account";
/** Why a statement refuses that what one account has goes to another. */
export const NO_HEIR = "no heir";

/** An account that is neither suspended nor being erased. Where it is false, every credential of the account stops at once. */
const isActive = sql`${users.suspendedAt} is null and ${users.eraseAt} is not ${ERASING}`;

/** All SQL on users and what proves them: passwords and recovery codes. */
export const userStoreOf = perDatabase((db: Database) => {
	const ofId = (userId: Placeholder) => eq(users.id, userId);

	const assertPassword = prepare(db, ({ userId, hashes }: Parameters<{ userId: string; hashes: string }>) => {
		const isOneOf = sql`${users.passwordHash} in (select value from json_each(${hashes}))`;
		return assertThat(db, hasRow(users, and(ofId(userId), isOneOf, isActive)), PASSWORD_CHANGED);
	});

	return {
		/** Inserts a user. Run again, it stores nothing twice. */
		insertUser: prepare(db, (user: Parameters<User>) => insertRow(db, users, user).onConflictDoNothing()),

		userById: prepare(db, ({ id }: Parameters<{ id: string }>) => db.select().from(users).where(ofId(id))),

		/** The account that has a phone, whether or not its holder may act. */
		userByPhone: prepare(db, ({ phone }: Parameters<{ phone: string }>) =>
			db.select().from(users).where(eq(users.phone, phone)),
		),

		/**
		 * Refuses for PASSWORD_CHANGED where a password is none of the hashes, or its account may not act, so that no session outlives a
		 * change of either.
		 */
		assertPassword: (userId: string, ...hashes: string[]) => assertPassword({ userId, hashes: JSON.stringify(hashes) }),

		/** Keeps a password under a new hash, unless it was changed meanwhile. */
		setPassword: prepare(
			db,
			({ userId, oldHash, newHash }: Parameters<{ userId: string; oldHash: string; newHash: string }>) =>
				updateRows(db, users, { passwordHash: newHash }, and(ofId(userId), eq(users.passwordHash, oldHash))),
		),

		/** Opens the account of a user where it was closed, and notes that it is used. */
		reopen: prepare(db, ({ userId }: Parameters<{ userId: string }>) =>
			updateRows(
				db,
				users,
				{ eraseAt: null, unusedUntil: null },
				and(ofId(userId), or(isNotNull(users.eraseAt), isNotNull(users.unusedUntil))),
			),
		),

		/** Keeps the hash of a new recovery code of a user. */
		setRecoveryHash: prepare(db, ({ userId, recoveryHash }: Parameters<{ userId: string; recoveryHash: string }>) =>
			updateRows(db, users, { recoveryHash }, ofId(userId)),
		),

		/** Refuses for RECOVERY_CODE_USED where a recovery code is no longer the user's, or their account may not act. */
		assertRecoveryCode: prepare(db, ({ userId, recoveryHash }: Parameters<{ userId: string; recoveryHash: string }>) =>
			assertThat(
				db,
				hasRow(users, and(ofId(userId), eq(users.recoveryHash, recoveryHash), isActive)),
				RECOVERY_CODE_USED,
			),
		),

		/** Revokes all API keys of a user. */
		revokeKeys: prepare(db, ({ userId, now }: Parameters<{ userId: string; now: number }>) =>
			updateRows(db, apiKeys, { revokedAt: now }, and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt))),
		),

		/** Refuses for NO_ACCOUNT where there is no such account. */
		assertAccount: prepare(db, ({ userId }: Parameters<{ userId: string }>) =>
			assertThat(db, hasRow(users, ofId(userId)), NO_ACCOUNT),
		),

		/** Refuses for NO_HEIR unless one account is missing and another is there and not closed. */
		assertHeir: prepare(db, ({ missingId, userId }: Parameters<{ missingId: string; userId: string }>) => {
			const isOpen = hasRow(users, and(ofId(userId), isNull(users.eraseAt)));
			return assertThat(db, sql`${isOpen} and not ${hasRow(users, ofId(missingId))}`, NO_HEIR);
		}),

		/** Suspends an account from a time on, unless it is suspended already; restores it where the time is null. */
		setSuspension: prepare(db, ({ userId, at }: Parameters<{ userId: string; at: number | null }>) =>
			updateRows(
				db,
				users,
				{ suspendedAt: at },
				sql`${ofId(userId)} and (${users.suspendedAt} is null) = (${at} is not null)`,
			),
		),

		/** Agents, the oldest accounts first. The condition is text, so that the index of agents serves it. */
		agents: prepare(db, ({ limit }: Parameters<{ limit: number }>) =>
			db
				.select({ id: users.id, phone: users.phone, suspendedAt: users.suspendedAt })
				.from(users)
				.where(sql`${users.role} = 'agent'`)
				.orderBy(users.createdAt)
				.limit(limit),
		),

		/** Makes an account an agent's, or ends that, unless it is so already. */
		setRole: prepare(db, ({ userId, role }: Parameters<Pick<User, "role"> & { userId: string }>) =>
			updateRows(db, users, { role }, and(ofId(userId), ne(users.role, role))),
		),

		/** Sets the password of a user who forgot the previous one. The recovery code is used up. */
		resetPassword: prepare(db, ({ userId, newHash }: Parameters<{ userId: string; newHash: string }>) =>
			updateRows(
				db,
				users,
				{ passwordHash: newHash, recoveryHash: null, eraseAt: null, unusedUntil: null },
				ofId(userId),
			),
		),
	};
});
