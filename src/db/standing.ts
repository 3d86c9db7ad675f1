/** What quotas must know of an account, wherever they count. */
import { type Placeholder, type SQLWrapper, sql } from "drizzle-orm";
import type { Database } from "./open.ts";
import { allowances, users } from "./schema.ts";
import type { Standing, Statement } from "./statement.ts";

/** How many new addresses an operator allows an account in a day; null for the usual number. For the database of accounts. */
export const allowanceOf = (userId: SQLWrapper | Placeholder) =>
	sql<
		number | null
	>`(select ${allowances.newAddressesPerDay} from ${allowances} where ${allowances.userId} = ${userId})`;

/** When an account was opened, in milliseconds since the epoch; null where there is none. For the database of accounts. */
export const openedAtOf = (userId: SQLWrapper | Placeholder) =>
	sql<number | null>`(select ${users.createdAt} from ${users} where ${users.id} = ${userId})`;

const UNKNOWN: Standing = { allowance: null, openedAt: null };

/** A statement whose values include the standing of an account: unknown in the database of accounts, which looks it up. */
export function withStanding<Values, Result>(
	make: (values: Values & Standing) => Statement<Result>,
	values: Values,
): Statement<Result> {
	const bind = (db: Database, { allowance, openedAt }: Standing = UNKNOWN) =>
		make({ ...values, allowance, openedAt }).bind(db);
	return { ...make({ ...values, ...UNKNOWN }), bind };
}
