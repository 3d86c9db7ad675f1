/** All SQL on what operators did. */
import { desc, eq, sql } from "drizzle-orm";
import { hasRow, insertRow } from "../db/rows.ts";
import { operatorActs } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { HOUR } from "../time/time.ts";

/** What an operator did, as stored. */
export type OperatorAct = typeof operatorActs.$inferSelect;

/** Records an act. It is idempotent. */
export const record = statement((act: Parameters<OperatorAct>) => insertRow(operatorActs, act).onConflictDoNothing());

/** Records that somebody was looked at, unless the same operator has looked at or found them within the hour. It is idempotent. */
export const recordOnceAnHour = statement((act: Parameters<OperatorAct>) => {
	const { operator, userId, subject, at } = act;
	const lately = sql`${operatorActs.userId} = ${userId} and ${operatorActs.at} > ${at} - ${HOUR}
		and ${operatorActs.subject} = ${subject} and ${operatorActs.operator} = ${operator} and ${operatorActs.act} in ('look', 'find')`;
	return insertRow(operatorActs, act, sql`where not ${hasRow(operatorActs, lately)}`);
});

/** The act with an id. */
export const recordedAct = statement(({ id }: Parameters<Pick<OperatorAct, "id">>) =>
	query.select({ id: operatorActs.id }).from(operatorActs).where(eq(operatorActs.id, id)),
);

/** Acts before a position, newest first; of one account, on one subject, by one operator and of one kind, each unless it is empty. */
export const actsBefore = statement(
	(wanted: Parameters<Omit<OperatorAct, "detail" | "reason" | "requestId"> & { limit: number }>) =>
		query
			.select()
			.from(operatorActs)
			.where(
				sql`(${operatorActs.at}, ${operatorActs.id}) < (${wanted.at}, ${wanted.id})
				and ${wanted.userId} in ('', ${operatorActs.userId}) and ${wanted.subject} in ('', ${operatorActs.subject})
				and ${wanted.operator} in ('', lower(${operatorActs.operator})) and ${wanted.act} in ('', ${operatorActs.act})`,
			)
			.orderBy(desc(operatorActs.at), desc(operatorActs.id))
			.limit(wanted.limit),
);

/** The newest act that hid an address. */
export const lastHiding = statement(({ subject, userId }: Parameters<Pick<OperatorAct, "subject" | "userId">>) =>
	query
		.select({ reason: operatorActs.reason })
		.from(operatorActs)
		.where(
			sql`${operatorActs.userId} = ${userId} and ${operatorActs.subject} = ${subject}
				and (${operatorActs.act} = 'hide' or (${operatorActs.act} = 'decide' and ${operatorActs.detail} like 'hide%'))`,
		)
		.orderBy(desc(operatorActs.at))
		.limit(1),
);

/** Acts on one account, newest first. */
export const newestActsOn = statement(({ userId, limit }: Parameters<{ userId: string; limit: number }>) =>
	query.select().from(operatorActs).where(eq(operatorActs.userId, userId)).orderBy(desc(operatorActs.at)).limit(limit),
);
