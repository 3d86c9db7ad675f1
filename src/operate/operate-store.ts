import { desc, eq, sql } from "drizzle-orm";
import { insertRow } from "../db/insert.ts";
import { type Database, perDatabase } from "../db/open.ts";
import { operatorActs } from "../db/schema.ts";
import { type Parameters, prepare } from "../db/statement.ts";

/** What an operator did, as stored. */
export type OperatorAct = typeof operatorActs.$inferSelect;

/** The position of an act in the list of all. */
export type ActPosition = Pick<OperatorAct, "at" | "id">;

/** All SQL on what operators did. */
export const operateStoreOf = perDatabase((db: Database) => ({
	/** Keeps an act. Run again, it keeps nothing twice. */
	keep: prepare(db, (act: Parameters<OperatorAct>) => insertRow(db, operatorActs, act).onConflictDoNothing()),

	/** Acts before a position, newest first; of one account unless it is empty. */
	acts: prepare(db, ({ userId, at, id, limit }: Parameters<ActPosition & { userId: string; limit: number }>) =>
		db
			.select()
			.from(operatorActs)
			.where(
				sql`(${operatorActs.at}, ${operatorActs.id}) < (${at}, ${id}) and (${userId} = '' or ${operatorActs.userId} = ${userId})`,
			)
			.orderBy(desc(operatorActs.at), desc(operatorActs.id))
			.limit(limit),
	),

	/** Acts on one account, newest first. */
	actsOn: prepare(db, ({ userId, limit }: Parameters<{ userId: string; limit: number }>) =>
		db.select().from(operatorActs).where(eq(operatorActs.userId, userId)).orderBy(desc(operatorActs.at)).limit(limit),
	),
}));
