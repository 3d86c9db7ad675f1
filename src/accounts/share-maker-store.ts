/** All SQL on who made links to private addresses. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { ONE_ROW } from "../db/refusal.ts";
import { hasRow } from "../db/rows.ts";
import { apiKeys, users } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";

/** Who made a link: the account, its count of ended links at the time, and the API key used, or null if none was. */
export interface ShareMaker {
	userId: string;
	accountCount: number;
	keyId: string | null;
}

/** Whether a link's maker still stands: its account has not ended all links since, and its key is not revoked. */
export const isValidMaker = statement(({ userId, accountCount, keyId }: Parameters<ShareMaker>) => {
	const isLiveKey = hasRow(apiKeys, and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)));
	const isOfKey = sql`(${keyId} is null or ${isLiveKey})`;
	const isValid = hasRow(users, and(eq(users.id, userId), eq(users.shareCount, accountCount), isOfKey));
	return query.select({ isValid: sql<0 | 1>`${isValid}`.as("is_valid") }).from(ONE_ROW);
});

/** How many times an account has ended all links to its private addresses. */
export const shareCountOf = statement(
	({ userId }: Parameters<Pick<ShareMaker, "userId">>) =>
		query.select({ count: users.shareCount }).from(users).where(eq(users.id, userId)),
	{ ofAccounts: true },
);
