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

/** The feed is told of what is closed or opened, from the first address on. */
const CHANGED = `changed_at = max(${NOW}, changed_at + 1), is_told = 0, told_created_at = 0, told_canonical = ''`;

/** The statement that closes owners, by the SQL that selects their ids. */
const closing = (ids: string) =>
	`insert into closed_owners (owner_id, closed_at, changed_at) select id, ${NOW}, ${NOW} from (${ids}) where true
	on conflict (owner_id) do update set closed_at = excluded.closed_at, ${CHANGED} where closed_at is null`;

/** Addresses that version 1.3.0 closed one by one, by their index of owners. */
export const CLOSED_FORMERLY = "retired_at is not null and closed_with_account = 1";

/** The statements that open owners, by the SQL that selects their ids. */
const opening = (ids: string) => [
	`update closed_owners set closed_at = null, ${CHANGED} where closed_at is not null and owner_id in (${ids})`,
	`update addresses set retired_at = null, closed_with_account = 0, version = version + 1, updated_at = ${NOW}
	where ${CLOSED_FORMERLY} and owner_id in (${ids})`,
];

/** Accounts that are closed or opened in one transaction. */
const ACCOUNTS_AT_ONCE = 500;

/** Runs statements in one transaction. */
type Run = (database: D1Database, statements: D1PreparedStatement[]) => Promise<unknown>;

/** Runs statements about owners, whose ids they read from a bound JSON list, for some of them at a time. */
async function runFor(database: D1Database, owners: { id: string }[], statements: string[], run: Run): Promise<void> {
	for (const some of chunksOf(owners, ACCOUNTS_AT_ONCE)) {
		const list = JSON.stringify(some.map(({ id }) => id));
		const bound = statements.map((statement) => database.prepare(statement).bind(list));
		await run(database, bound);
	}
}

const OF_LIST = "select value as id from json_each(?)";

/** Closes the owners whose accounts are closed, and opens those of open ones, in databases other than that of accounts. */
export async function settleClosings(registry: RegistryStorage, run: Run): Promise<void> {
	const [{ accounts }, ...others] = databasesOf(registry);
	const { results: closed } = await accounts
		.prepare("select id from users where erase_at is not null and places <> ''")
		.all<{ id: string }>();
	for (const { database } of others) {
		await runFor(database, closed, [closing(OF_LIST)], run);
		const { results: owners } = await database
			.prepare(
				`select owner_id as id from closed_owners where closed_at is not null union select owner_id from addresses where ${CLOSED_FORMERLY}`,
			)
			.all<{ id: string }>();
		const { results: open } = await accounts
			.prepare("select id from users where erase_at is null and id in (select value from json_each(?))")
			.bind(JSON.stringify(owners.map(({ id }) => id)))
			.all<{ id: string }>();
		await runFor(database, open, opening(OF_LIST), run);
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
		closing("select id from users where erase_at is not null"),
		...opening("select id from users where erase_at is null"),
	];
	return [...ofAddresses, ...(database === accounts ? ofAccounts : [])].map((sql) => database.prepare(sql));
}
