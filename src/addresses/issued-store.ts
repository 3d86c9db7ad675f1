/** The SQL that tells what was issued under codes. */
import { sql } from "drizzle-orm";
import { ACCOUNTS } from "../db/database-of-code.ts";
import type { Database } from "../db/open.ts";
import { addresses, burntCodes } from "../db/schema.ts";
import { type Parameters, query, type Statement, statement } from "../db/statement.ts";
import { type Address, addressColumns } from "./address-columns-store.ts";
import { hasAllLike } from "./home-store.ts";

/**
 * What was issued under a code: an address, live or retired; a burnt code, whose address has been erased; or neither, where the database
 * cannot tell because not all codes with this prefix are in it.
 */
export type Issued =
	| { address: Address; burnt?: never }
	| { burnt: { successor: string | null }; address?: never }
	| { burnt?: never; address?: never };

const issuedStatus = statement(({ codes, isOfAccounts }: Parameters<{ codes: string[]; isOfAccounts: 0 | 1 }>) =>
	query
		.select({
			code: sql<string>`requested.value`.as("code"),
			address: addressColumns,
			isBurnt: sql<0 | 1>`${burntCodes.canonical} is not null`.as("is_burnt"),
			burntSuccessor: sql<string | null>`${burntCodes.successor}`.as("burnt_successor"),
			isElsewhere: sql<
				0 | 1
			>`${addresses.canonical} is null and not ${hasAllLike(sql`requested.value`, isOfAccounts)}`.as("is_elsewhere"),
		})
		.from(sql`json_each(${codes}) as requested`)
		.leftJoin(addresses, sql`${addresses.canonical} = requested.value`)
		.leftJoin(burntCodes, sql`${burntCodes.canonical} = requested.value`),
);

/** Reads what was issued under a code; undefined if nothing ever was. */
export function byOneCode(canonical: string): Statement<Issued | undefined> {
	const found = byCodes([canonical]);
	return { ...found, read: (answer) => found.read(answer).get(canonical) };
}

/** Reads what was issued under each of some codes, by code. Codes that were never issued are left out. */
export function byCodes(codes: string[]): Statement<Map<string, Issued>> {
	const found = issuedStatus({ codes, isOfAccounts: 1 });
	const read = (answer: D1Result) => {
		const issued = new Map<string, Issued>();
		for (const { code, address, isBurnt, burntSuccessor, isElsewhere } of found.read(answer)) {
			if (isBurnt) issued.set(code, { burnt: { successor: burntSuccessor } });
			else if (address) issued.set(code, { address });
			else if (isElsewhere) issued.set(code, {});
		}
		return issued;
	};
	const bind = (db: Database) => issuedStatus({ codes, isOfAccounts: db.name === ACCOUNTS ? 1 : 0 }).bind(db);
	return { ...found, bind, read };
}
