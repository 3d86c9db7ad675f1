/** Addresses that came back without the account they belong to. */
/** The example of the documentation is nobody's, and does not wait for anybody. */
const WITHOUT_ACCOUNT = "owner_id <> 'usr_nobody' and not exists (select 1 from users where id = owner_id)";

/** Addresses of accounts that are not there, among some or all. */
export async function waitingAddresses(database: D1Database, among?: string[]): Promise<string[]> {
	const wanted = among ? "canonical in (select value from json_each(?))" : "?1 is null";
	const { results } = await database
		.prepare(`select canonical from addresses where ${wanted} and ${WITHOUT_ACCOUNT} order by canonical`)
		.bind(among ? JSON.stringify(among) : null)
		.all<{ canonical: string }>();
	return results.map(({ canonical }) => canonical);
}
