/** All SQL on personal data: reading it, closing the account, erasing it. */
import { and, desc, eq, inArray, isNull, lt, lte, notInArray, type Placeholder, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { keyedHash } from "../crypto/hash.ts";
import { deletion, hasRow, insertRow, isAmong, updateRows } from "../db/rows.ts";
import {
	allowances,
	apiKeys,
	dailyCounts,
	ERASING,
	erasedAccounts,
	operatorActs,
	otpCodes,
	pendingPhones,
	phoneProofs,
	refreshTokens,
	reservations,
	sessions,
	unsettled,
	users,
} from "../db/schema.ts";
import { type Parameters, query, type ResultOf, type Statement, spending, statement } from "../db/statement.ts";

/** The daily counts of an account. Their subjects begin with its id and a colon; `;` follows `:` in ASCII. */
const isCountedFor = (userId: Placeholder) =>
	sql`${dailyCounts.subject} > ${userId} || ':' and ${dailyCounts.subject} < ${userId} || ';'`;

type OfUser = Parameters<{ userId: string }>;

const userOf = statement(({ userId }: OfUser) => query.select().from(users).where(eq(users.id, userId)));
const sessionsOf = statement(({ userId }: OfUser) =>
	query.select().from(sessions).where(eq(sessions.userId, userId)).orderBy(desc(sessions.createdAt)),
);
const keysOf = statement(({ userId }: OfUser) =>
	query.select().from(apiKeys).where(eq(apiKeys.userId, userId)).orderBy(desc(apiKeys.createdAt)),
);
const proofsOf = statement(({ userId }: OfUser) =>
	query.select().from(phoneProofs).where(eq(phoneProofs.userId, userId)).orderBy(desc(phoneProofs.provedAt)),
);
const codesOf = statement(({ userId }: OfUser) =>
	query.select().from(otpCodes).where(eq(otpCodes.userId, userId)).orderBy(desc(otpCodes.sentAt)),
);
const countsOf = statement(({ userId }: OfUser) =>
	query.select().from(dailyCounts).where(isCountedFor(userId)).orderBy(desc(dailyCounts.day)),
);
/** The acts of operators that concern a user in one database, newest first. */
const actsOn = statement(({ userId }: OfUser) =>
	query
		.select({ id: operatorActs.id, at: operatorActs.at, act: operatorActs.act })
		.from(operatorActs)
		.where(eq(operatorActs.userId, userId))
		.orderBy(desc(operatorActs.at)),
);

/** Reads what each database has on a user, newest first: what they spent there, and the acts of operators. */
export function readingCountsAndActsOf(userId: string) {
	return { dailyCounts: countsOf({ userId }), operatorActs: actsOn({ userId }) };
}

/** Reads everything on a user in the database of accounts, newest first. */
export function readingAllOf(userId: string) {
	const of = { userId };
	return {
		users: userOf(of),
		sessions: sessionsOf(of),
		keys: keysOf(of),
		phoneProofs: proofsOf(of),
		oneTimeCodes: codesOf(of),
		...readingCountsAndActsOf(userId),
	};
}

/** Everything on a user in the database of accounts. */
export type PersonalData = Omit<ResultOf<ReturnType<typeof readingAllOf>>, "users"> & {
	user: typeof users.$inferSelect;
};

/** An account to close: the hash of the password that was proved, and when to erase it. Times are in milliseconds since the epoch. */
interface Closing {
	userId: string;
	provedHash: string;
	eraseAt: number;
	now: number;
}

const isProved = ({ userId, provedHash }: Parameters<Closing>) =>
	and(eq(users.id, userId), eq(users.passwordHash, provedHash));
const isClosed = (closing: Parameters<Closing>) => and(isProved(closing), eq(users.eraseAt, closing.eraseAt));
const closeUser = statement((closing: Parameters<Closing>) =>
	updateRows(
		users,
		{ eraseAt: closing.eraseAt, shareCount: sql`${users.shareCount} + 1` },
		and(isProved(closing), isNull(users.eraseAt)),
	),
);
const endSessions = statement((closing: Parameters<Closing>) => {
	const isOpen = and(eq(sessions.userId, closing.userId), isNull(sessions.revokedAt), hasRow(users, isClosed(closing)));
	return updateRows(sessions, { revokedAt: closing.now }, isOpen);
});
const closedUser = statement((closing: Parameters<Closing>) =>
	query.select({ id: users.id }).from(users).where(isClosed(closing)),
);

/**
 * Closes an account and ends its sessions. A trigger closes its addresses, and its keys are refused while it is closed. `closed` is empty
 * if the password has changed since it was proved.
 * @param spends What the closing spends.
 */
export const close = (closing: Closing, spends: readonly Statement[]) => ({
	closing: spending(closeUser(closing), spends),
	ended: endSessions(closing),
	closed: closedUser(closing),
});

/** Up to `count` accounts whose time for a first use ended by `now`, and whether each has a key or a session. */
export const dueForUse = statement(({ now, count }: Parameters<{ now: number; count: number }>) => {
	// A bare `id` would be that of the key or session: drizzle omits table names in a query of one table.
	const isUsed = sql<0 | 1>`exists (select 1 from ${apiKeys} where ${apiKeys.userId} = ${users}."id")
		or exists (select 1 from ${sessions} where ${sessions.userId} = ${users}."id")`;
	return query
		.select({ id: users.id, isUsed: isUsed.as("is_used") })
		.from(users)
		.where(lte(users.unusedUntil, now))
		.limit(count);
});

/** Marks the unused ones of some accounts for erasure at `now`, and exempts the others for good. */
export const closeUnused = statement(
	({ userIds, unused, now }: Parameters<{ userIds: string[]; unused: string[]; now: number }>) => {
		const eraseAt = sql`case when ${isAmong(users.id, unused)} then ${now} else ${users.eraseAt} end`;
		// An account that was signed in to since it was read is in use.
		const isStillDue = and(isAmong(users.id, userIds), lte(users.unusedUntil, now));
		return updateRows(users, { eraseAt, unusedUntil: null }, isStillDue);
	},
);

/**
 * Marks up to `count` closed accounts whose time has come by `now`, and returns their ids. From then on no sign-in opens them again, not
 * even one that began before (src/accounts/user-store.ts).
 */
export const due = statement(({ now, count }: Parameters<{ now: number; count: number }>) => {
	const some = query
		.select({ id: users.id })
		.from(users)
		.where(lte(users.eraseAt, now))
		.orderBy(users.eraseAt)
		.limit(count);
	return updateRows(users, { eraseAt: ERASING }, inArray(users.id, some)).returning({ id: users.id });
});

/** Deletes the records of up to `count` accounts that were erased before a time. By then no backup holds those accounts. */
export const forgetErasedBefore = statement(({ time, count }: Parameters<{ time: number; count: number }>) => {
	// Rows are in the order of time, so only the oldest need checking.
	const oldest = sql`rowid in (select rowid from ${erasedAccounts} order by rowid limit ${count})`;
	return query.delete(erasedAccounts).where(and(oldest, lt(erasedAccounts.erasedAt, time)));
});

/** Accounts to erase, and a JSON object with the names that replace their ids in acts on them. */
interface Erasing {
	userIds: string[];
	names: string;
	now: number;
}

/** The users whose time to be erased has come. */
const isDue = ({ userIds, now }: Parameters<Erasing>) => and(isAmong(users.id, userIds), lte(users.eraseAt, now));
/** Rows of accounts that are gone. Users are deleted first, because phone proofs may be deleted only when their account is gone. */
const isGone = (column: SQLiteColumn, { userIds }: Parameters<Erasing>) =>
	and(isAmong(column, userIds), notInArray(column, query.select({ id: users.id }).from(users)));
const deletingOf = (table: SQLiteTable, column: SQLiteColumn) =>
	statement((erasing: Parameters<Erasing>) => query.delete(table).where(isGone(column, erasing)));

const recordErased = statement((erasing: Parameters<Erasing>) =>
	insertRow(
		erasedAccounts,
		{ userId: sql`${users.id}`, erasedAt: erasing.now },
		sql`from ${users} where ${isDue(erasing)}`,
	).onConflictDoNothing(),
);
const deleteUsers = statement((erasing: Parameters<Erasing>) => query.delete(users).where(isDue(erasing)));
const deleteTokens = statement((erasing: Parameters<Erasing>) => {
	const ended = query.select({ id: sessions.id }).from(sessions).where(isGone(sessions.userId, erasing));
	return query.delete(refreshTokens).where(inArray(refreshTokens.sessionId, ended));
});
const deleteSessions = deletingOf(sessions, sessions.userId);
const deleteUnsettled = deletingOf(unsettled, unsettled.userId);
const deleteReservations = deletingOf(reservations, reservations.userId);
const deleteKeys = deletingOf(apiKeys, apiKeys.userId);
const deleteCodes = deletingOf(otpCodes, otpCodes.userId);
const deleteProofs = deletingOf(phoneProofs, phoneProofs.userId);
const deletePending = deletingOf(pendingPhones, pendingPhones.userId);
const deleteAllowances = deletingOf(allowances, allowances.userId);
const renameActs = statement((erasing: Parameters<Erasing>) => {
	const name = sql`json_extract(${erasing.names}, '$.' || ${operatorActs.userId})`;
	const renamed = { reason: "", subject: name, userId: name };
	return updateRows(operatorActs, renamed, isGone(operatorActs.userId, erasing));
});
const deleteCounts = statement(({ userIds }: Parameters<Erasing>) =>
	query.delete(dailyCounts).where(
		sql`rowid in (select counted.rowid from json_each(${userIds}) as given cross join ${dailyCounts} as counted
			where counted.subject > given.value || ':' and counted.subject < given.value || ';')`,
	),
);

/**
 * Erases those of some accounts whose time has come by `now`, with everything on them in this database except their random ids. Their
 * addresses must be gone already, because nobody would own them. For accounts that no longer exist, it deletes what is left.
 * @param secret Keys the hash that replaces an account's id in operators' acts on it.
 */
export function erase(userIds: string[], now: number, secret: Uint8Array) {
	const names = Object.fromEntries(userIds.map((id) => [id, keyedHash(secret, "erased account", id)]));
	const erasing = { userIds, names: JSON.stringify(names), now };
	return {
		recorded: recordErased(erasing),
		users: deleteUsers(erasing),
		tokens: deleteTokens(erasing),
		sessions: deleteSessions(erasing),
		unsettled: deleteUnsettled(erasing),
		reservations: deleteReservations(erasing),
		keys: deleteKeys(erasing),
		codes: deleteCodes(erasing),
		proofs: deleteProofs(erasing),
		pending: deletePending(erasing),
		allowances: deleteAllowances(erasing),
		acts: renameActs(erasing),
		counts: deleteCounts(erasing),
	};
}

/** Does the same to acts on their addresses, and to what they spent there, in a database that holds only addresses. */
export function eraseActsAndCounts(userIds: string[], now: number, secret: Uint8Array) {
	const { acts, counts } = erase(userIds, now, secret);
	return { acts, counts };
}

/** Deletes up to `count` rows that 1.3.0 reserved before a time (milliseconds since the epoch). Nothing is reserved since. */
export const deleteReservedBefore = deletion(reservations, ({ time }: Parameters<{ time: number }>) =>
	lt(reservations.at, time),
);
