/** All SQL on accounts that have addresses in other databases, and were closed or opened again recently. */
import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { isAmong } from "../db/rows.ts";
import { unsettled, users } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";

/** An account that was closed or opened again, and the databases in which it has addresses. */
export interface Unsettled {
	userId: string;
	databaseNames: string;
}

const columns = { userId: sql<string>`${users.id}`.as("user_id"), databaseNames: users.databaseNames };

/** An account, if it was closed or opened again recently. */
export const unsettledOf = statement(({ userId }: Parameters<{ userId: string }>) =>
	query.select(columns).from(unsettled).innerJoin(users, eq(users.id, unsettled.userId)).where(eq(users.id, userId)),
);

/** Up to `limit` such accounts, the longest waiting first. */
export const unsettledAccounts = statement(({ limit }: Parameters<{ limit: number }>) =>
	query
		.select(columns)
		.from(unsettled)
		.innerJoin(users, eq(users.id, unsettled.userId))
		.orderBy(unsettled.at)
		.limit(limit),
);

/** Which of some accounts are open. */
export const openAmong = statement(({ ids }: Parameters<{ ids: string[] }>) =>
	query
		.select({ id: users.id })
		.from(users)
		.where(and(isAmong(users.id, ids), isNull(users.eraseAt))),
);

/** Deletes the record that an account was closed or opened again before a time (milliseconds since the epoch). */
export const deleteUnsettled = statement(({ userId, time }: Parameters<{ userId: string; time: number }>) =>
	query.delete(unsettled).where(and(eq(unsettled.userId, userId), lt(unsettled.at, time))),
);
