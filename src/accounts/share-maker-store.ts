import { and, eq, isNull, sql } from "drizzle-orm";
import { ONE_ROW } from "../db/refusal.ts";
import { hasRow } from "../db/rows.ts";
import { apiKeys, users } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";

/** The account that made a link and its count of ended links then, and the key that it was made by; null where there was none. */
export interface ShareMaker {
	userId: string;
	accountCount: number;
	keyId: string | null;
}

/** All SQL on who made links to private addresses. */
export const shareMakerStore = {
	/** Whether what made a link is still valid: its account has not ended all links since, and its key is not revoked. */
	isValid: statement(({ userId, accountCount, keyId }: Parameters<ShareMaker>) => {
		const isLiveKey = hasRow(apiKeys, and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)));
		const isOfKey = sql`(${keyId} is null or ${isLiveKey})`;
		const isValid = hasRow(users, and(eq(users.id, userId), eq(users.shareCount, accountCount), isOfKey));
		return query.select({ isValid: sql<0 | 1>`${isValid}`.as("is_valid") }).from(ONE_ROW);
	}),

	/** How often an account has ended all links to its private addresses. */
	accountCount: statement(({ userId }: Parameters<Pick<ShareMaker, "userId">>) =>
		query.select({ count: users.shareCount }).from(users).where(eq(users.id, userId)),
	),
};
