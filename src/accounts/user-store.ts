/** All SQL on users and their secrets: passwords and recovery codes. */
import { and, eq, isNotNull, isNull, ne, or, type Placeholder, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { hasRow, insertRow, isAmong, updateRows } from "../db/rows.ts";
import { apiKeys, ERASING, users } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";

export type User = typeof users.$inferSelect;

const isNotErased = sql`${users.eraseAt} is not ${ERASING}`;

const ofId = (userId: Placeholder) => eq(users.id, userId);

/** The error when an operator looks for an account that does not exist. */
const noAccount = () => new AppError("NOT_FOUND", "There is no account with this id, phone number or address.");

/** Inserts a user. Running it again stores nothing twice. */
export const insertUser = statement((user: Parameters<User>) => insertRow(users, user).onConflictDoNothing());

export const userById = statement(({ id }: Parameters<{ id: string }>) => query.select().from(users).where(ofId(id)));

/** The account that has a phone, even if it is suspended or closed. */
export const userByPhone = statement(({ phone }: Parameters<{ phone: string }>) =>
	query.select().from(users).where(eq(users.phone, phone)),
);

/** Whether an account may sign in. With `admitsSuspended`, a suspended one may too, only to export and erase its data. */
const maySignIn = ({ admitsSuspended }: Parameters<{ admitsSuspended: 0 | 1 }>) =>
	sql`${isNotErased} and (${users.suspendedAt} is null or ${admitsSuspended})`;

const assertPasswordAmong = assertion(
	(proof: Parameters<{ userId: string; hashes: string[]; admitsSuspended: 0 | 1 }>) => {
		const isOneOf = sql`${users.passwordHash} in (select value from json_each(${proof.hashes}))`;
		return hasRow(users, and(ofId(proof.userId), isOneOf, maySignIn(proof)));
	},
	"password changed",
	() => new AppError("INVALID_CREDENTIALS", "The password is wrong."),
);

/**
 * Refuses if the stored password hash is none of `hashes`, or its account may not sign in. So no session outlives a change of either. If
 * the same batch sets a new hash, `hashes` must include it, because an attempt whose answer was lost may have set it.
 * @param error Makes the error; INVALID_CREDENTIALS by default.
 * @param isEvenSuspended Whether the account may be suspended.
 */
export const assertPassword = (
	userId: string,
	hashes: string[],
	error?: () => Error | Promise<Error>,
	isEvenSuspended = false,
) => assertPasswordAmong({ userId, hashes, admitsSuspended: isEvenSuspended ? 1 : 0 }, error);

/** Replaces the hash of a password, unless it was changed in the meantime. */
export const setPassword = statement(
	({ userId, oldHash, newHash }: Parameters<{ userId: string; oldHash: string; newHash: string }>) =>
		updateRows(users, { passwordHash: newHash }, and(ofId(userId), eq(users.passwordHash, oldHash))),
);

/** Opens the account of a user again if it was closed, and records that it is used. */
export const reopen = statement(({ userId }: Parameters<{ userId: string }>) =>
	updateRows(
		users,
		{ eraseAt: null, unusedUntil: null },
		and(ofId(userId), or(isNotNull(users.eraseAt), isNotNull(users.unusedUntil))),
	),
);

/** Stores the hash of a new recovery code of a user. */
export const setRecoveryHash = statement(
	({ userId, recoveryHash }: Parameters<{ userId: string; recoveryHash: string }>) =>
		updateRows(users, { recoveryHash }, ofId(userId)),
);

/**
 * Refuses if a recovery code is no longer the user's, or their account may not sign in. It passes if an attempt whose answer was lost has
 * already set the new password with the code.
 */
export const assertRecoveryCode = assertion(
	(proof: Parameters<{ userId: string; recoveryHash: string; newHash: string; admitsSuspended: 0 | 1 }>) => {
		const isRight = or(eq(users.recoveryHash, proof.recoveryHash), eq(users.passwordHash, proof.newHash));
		return hasRow(users, and(ofId(proof.userId), isRight, maySignIn(proof)));
	},
	"recovery code used",
);

/** Revokes all API keys of a user. */
export const revokeKeys = statement(({ userId, now }: Parameters<{ userId: string; now: number }>) =>
	updateRows(apiKeys, { revokedAt: now }, and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt))),
);

/** Refuses if there is no such account. */
export const assertAccount = assertion(
	({ userId }: Parameters<{ userId: string }>) => hasRow(users, ofId(userId)),
	"no account",
	noAccount,
);

/** Refuses unless one account is missing, and the other exists and is not closed. */
export const assertHeir = assertion(
	({ missingId, userId }: Parameters<{ missingId: string; userId: string }>) => {
		const isOpen = hasRow(users, and(ofId(userId), isNull(users.eraseAt)));
		return sql`${isOpen} and not ${hasRow(users, ofId(missingId))}`;
	},
	"no heir",
	() =>
		invalidField(
			"code",
			"Only an address whose account is missing can be assigned, and only to an account that is not closed.",
		),
);

/** Suspends an account from a time on, or restores it if the time is null. It changes nothing if that is its state already. */
export const setSuspension = statement(({ userId, at }: Parameters<{ userId: string; at: number | null }>) =>
	updateRows(users, { suspendedAt: at }, sql`${ofId(userId)} and (${users.suspendedAt} is null) = (${at} is not null)`),
);

/** The last four digits of the phone numbers of accounts. */
export const phoneEndings = statement(({ ids }: Parameters<{ ids: readonly string[] }>) =>
	query
		.select({ id: users.id, ending: sql<string | null>`substr(${users.phone}, -4)`.as("ending") })
		.from(users)
		.where(isAmong(users.id, ids)),
);

/** Agents, the oldest accounts first. The role is literal SQL text, so that the index of agents is used. */
export const agents = statement(({ limit }: Parameters<{ limit: number }>) =>
	query
		.select({ id: users.id, phone: users.phone, suspendedAt: users.suspendedAt })
		.from(users)
		.where(sql`${users.role} = 'agent'`)
		.orderBy(users.createdAt)
		.limit(limit),
);

/** Gives an account a role, unless it has it already. */
export const setRole = statement(({ userId, role }: Parameters<Pick<User, "role"> & { userId: string }>) =>
	updateRows(users, { role }, and(ofId(userId), ne(users.role, role))),
);

/** Sets the password of a user who forgot the previous one. The recovery code is used up. */
export const replacePassword = statement(({ userId, newHash }: Parameters<{ userId: string; newHash: string }>) =>
	updateRows(
		users,
		{
			passwordHash: newHash,
			recoveryHash: null,
			recoveryRequestedAt: null,
			recoveryAgentId: null,
			recoveryGivenAt: null,
			recoveryAskedAt: null,
			recoveryGivenTo: null,
			eraseAt: null,
			unusedUntil: null,
		},
		ofId(userId),
	),
);

/** Records that an account has addresses in a database, unless that is recorded. `name` is that of the database, between two spaces. */
export const recordDatabase = statement(({ userId, name }: Parameters<{ userId: string; name: string }>) =>
	updateRows(
		users,
		{ databaseNames: sql`trim(${users.databaseNames} || ' ' || trim(${name}))` },
		and(ofId(userId), sql`instr(' ' || ${users.databaseNames} || ' ', ${name}) = 0`),
	),
);
