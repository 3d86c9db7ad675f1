/** Which databases hold the addresses of an account. */

import { ACCOUNTS } from "../db/database-of-code.ts";
import type { Database } from "../db/open.ts";
import { ofAccounts, type Statements } from "../db/statement.ts";
import { recordDatabase } from "./user-store.ts";

export {
	deleteUnsettled,
	openAmong,
	type Unsettled,
	unsettledAccounts,
	unsettledOf,
} from "./address-database-store.ts";

/**
 * The statement that records that an account has addresses in a database. None is needed for that of accounts, nor if the check of a
 * credential has told that the database is recorded.
 * @param known The names of the databases that are recorded, separated by spaces.
 */
export function recordingDatabase(userId: string, { name }: Database, known = ""): Statements {
	if (name === ACCOUNTS || known.split(" ").includes(name)) return {};
	return { recorded: ofAccounts(recordDatabase({ userId, name: ` ${name} ` })) };
}
