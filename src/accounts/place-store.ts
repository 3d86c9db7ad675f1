/** All SQL on accounts that have addresses in other databases, and were closed or opened again lately. */
import { and, eq, lt, sql } from "drizzle-orm";
import { unsettled, users } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";

const closing = {
	userId: sql<string>`${users.id}`.as("user_id"),
	isClosed: sql<0 | 1>`${users.eraseAt} is not null`.as("is_closed"),
	places: users.places,
};

/** An account that was closed or opened lately, as it is now; nothing where there is none. */
export const unsettledOf = statement(({ userId }: Parameters<{ userId: string }>) =>
	query.select(closing).from(unsettled).innerJoin(users, eq(users.id, unsettled.userId)).where(eq(users.id, userId)),
);

/** Those that were longest ago. */
export const unsettledAccounts = statement(({ limit }: Parameters<{ limit: number }>) =>
	query
		.select(closing)
		.from(unsettled)
		.innerJoin(users, eq(users.id, unsettled.userId))
		.orderBy(unsettled.at)
		.limit(limit),
);

/** Drops the note of an account that was closed or opened before a time. */
export const settle = statement(({ userId, time }: Parameters<{ userId: string; time: number }>) =>
	query.delete(unsettled).where(and(eq(unsettled.userId, userId), lt(unsettled.at, time))),
);
