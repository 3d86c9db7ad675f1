/** Addresses that came back without the account they belong to. */
import { displayCode } from "../codes/code.ts";

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

/**
 * Gives an address whose account is lost to the account that its holder has now.
 * @throws Error when the address does not wait, or the account is closed or not there.
 */
export async function handOver(database: D1Database, canonical: string, account: string): Promise<void> {
	const { meta } = await database
		.prepare(
			// What the account calls an address of its own already stays there.
			`update addresses set owner_id = ?2, version = version + 1, idempotency_key = null, request_hash = null,
				external_id = iif(external_id in (select external_id from addresses where owner_id = ?2), null, external_id)
			where canonical = ?1 and exists (select 1 from users where id = ?2 and erase_at is null) and not exists (select 1 from users where id = owner_id)`,
		)
		.bind(canonical, account)
		.run();
	if (meta.changes > 0) return;
	const select = database.prepare("select erase_at from users where id = ?").bind(account);
	const known = await select.first<{ erase_at: number | null }>();
	if (!known) throw new Error(`There is no account ${account}.`);
	throw new Error(
		known.erase_at === null
			? `${displayCode(canonical)} does not wait for its holder.`
			: `The account ${account} is closed, and the address would be erased with it. Ask its holder to sign in first.`,
	);
}
