import { desc, eq, sql } from "drizzle-orm";
import { type Database, perDatabase } from "../db/open.ts";
import { insertRow } from "../db/rows.ts";
import { operatorActs } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

/** What an operator did, as stored. */
export type OperatorAct = typeof operatorActs.$inferSelect;

/** All SQL on what operators did. */
export const operateStoreOf = perDatabase((db: Database) => ({
	/** Keeps an act. Run again, it keeps nothing twice. */
	keep: prepare(db, (act: Parameters<OperatorAct>) => insertRow(db, operatorActs, act).onConflictDoNothing()),

	/** The act with an id. */
	byId: prepare(db, ({ id }: Parameters<Pick<OperatorAct, "id">>) =>
		db.select({ id: operatorActs.id }).from(operatorActs).where(eq(operatorActs.id, id)),
	),

	/** Acts before a position, newest first; of one account, on one subject, by one operator and of one kind, each unless it is empty. */
	acts: prepare(db, (wanted: Parameters<Omit<OperatorAct, "detail" | "reason" | "requestId"> & { limit: number }>) =>
		db
			.select()
			.from(operatorActs)
			.where(
				sql`(${operatorActs.at}, ${operatorActs.id}) < (${wanted.at}, ${wanted.id})
					and ${wanted.userId} in ('', ${operatorActs.userId}) and ${wanted.subject} in ('', ${operatorActs.subject})
					and ${wanted.operator} in ('', lower(${operatorActs.operator})) and ${wanted.act} in ('', ${operatorActs.act})`,
			)
			.orderBy(desc(operatorActs.at), desc(operatorActs.id))
			.limit(wanted.limit),
	),

	/** The newest act that hid an address. */
	lastHiding: prepare(db, ({ subject, userId }: Parameters<Pick<OperatorAct, "subject" | "userId">>) =>
		db
			.select({ reason: operatorActs.reason })
			.from(operatorActs)
			.where(
				sql`${operatorActs.userId} = ${userId} and ${operatorActs.subject} = ${subject}
					and (${operatorActs.act} = 'hide' or (${operatorActs.act} = 'decide' and ${operatorActs.detail} like 'hide%'))`,
			)
			.orderBy(desc(operatorActs.at))
			.limit(1),
	),

	/** Acts on one account, newest first. */
	actsOn: prepare(db, ({ userId, limit }: Parameters<{ userId: string; limit: number }>) =>
		db.select().from(operatorActs).where(eq(operatorActs.userId, userId)).orderBy(desc(operatorActs.at)).limit(limit),
	),
}));
