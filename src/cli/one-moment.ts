/**
 * Makes the rows of a backup agree that were read while the registry was in use: an export takes minutes, and D1 has no snapshot that
 * lasts that long. An export reads the rows that belong to addresses first, then addresses, then accounts, and last what was erased
 * (write-backup.ts). So a row that contradicts later ones has been ended since, and is deleted.
 */
import { databasesOf, type OneDatabase, type RegistryStorage } from "./databases.ts";
import { chunksOf } from "./ndjson.ts";

/** The tables of rows that belong to an address, and addresses, in the order in which the database lets them be deleted. */
const OF_ADDRESSES = ["address_changes", "attestations", "private_reads", "units", "reports", "addresses"];

const NOW = "cast(unixepoch('subsec') * 1000 as integer)";

/** Addresses that are closed or opened with their accounts, by a condition on their owners. */
const closing = (isOwner: string) =>
	`update addresses set retired_at = ${NOW}, closed_with_account = 1, version = version + 1, updated_at = ${NOW}
	where retired_at is null and ${isOwner}`;
const opening = (isOwner: string) =>
	`update addresses set retired_at = null, closed_with_account = 0, version = version + 1, updated_at = ${NOW}
	where closed_with_account = 1 and ${isOwner}`;

/** Accounts whose addresses are closed or opened in one transaction. */
const ACCOUNTS_AT_ONCE = 500;

/**
 * Closes the addresses of closed accounts, and reopens those of open ones, in databases other than that of accounts.
 * @param run Runs statements in one transaction.
 */
export async function settleClosings(
	registry: RegistryStorage,
	run: (database: D1Database, statements: D1PreparedStatement[]) => Promise<unknown>,
): Promise<void> {
	const [{ accounts }, ...others] = databasesOf(registry);
	if (others.length === 0) return;
	const isOwner = "owner_id in (select value from json_each(?))";
	const { results: closed } = await accounts
		.prepare("select id from users where erase_at is not null and places <> ''")
		.all<{ id: string }>();
	for (const { database } of others) {
		const { results: owners } = await database
			.prepare("select distinct owner_id as id from addresses where closed_with_account = 1")
			.all<{ id: string }>();
		const { results: open } = await accounts
			.prepare("select id from users where erase_at is null and id in (select value from json_each(?))")
			.bind(JSON.stringify(owners.map(({ id }) => id)))
			.all<{ id: string }>();
		for (const [statement, ids] of [
			[closing(isOwner), closed],
			[opening(isOwner), open],
		] as const)
			for (const some of chunksOf(ids, ACCOUNTS_AT_ONCE)) {
				const bound = database.prepare(statement).bind(JSON.stringify(some.map(({ id }) => id)));
				await run(database, [bound]);
			}
	}
}

/** The statements that make one database agree, for one transaction. */
export function oneMoment({ database, accounts }: Pick<OneDatabase, "database" | "accounts">): D1PreparedStatement[] {
	const ofAddresses = OF_ADDRESSES.map(
		(table) => `delete from ${table} where canonical in (select canonical from burnt_codes)`,
	);
	const ofAccounts = [
		"delete from users where id in (select user_id from erased_accounts)",
		"delete from refresh_tokens where session_id in (select id from sessions where user_id not in (select id from users))",
		...["sessions", "api_keys"].map((table) => `delete from ${table} where user_id not in (select id from users)`),
		closing("owner_id in (select id from users where erase_at is not null)"),
		opening("owner_id in (select id from users where erase_at is null)"),
	];
	return [...ofAddresses, ...(database === accounts ? ofAccounts : [])].map((sql) => database.prepare(sql));
}
