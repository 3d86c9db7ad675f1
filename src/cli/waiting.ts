/** Addresses that a restore brought back without their accounts. */
import { missingAccounts, type OneDatabase, ownersIn } from "./databases.ts";

/** Codes, sorted, of the addresses in a database whose accounts do not exist. `among` limits them to some codes. */
export async function waitingAddresses(
	{ database, accounts }: Pick<OneDatabase, "database" | "accounts">,
	among?: string[],
): Promise<string[]> {
	const codes: string[] = [];
	const find = async (owners: Iterable<string>) => {
		const missing = await missingAccounts(accounts, owners);
		if (missing.size === 0) return;
		const isAmong = among ? "canonical in (select value from json_each(?2))" : "?2 is null";
		const { results } = await database
			.prepare(`select canonical from addresses where owner_id in (select value from json_each(?1)) and ${isAmong}`)
			.bind(JSON.stringify([...missing]), among ? JSON.stringify(among) : null)
			.all<{ canonical: string }>();
		codes.push(...results.map(({ canonical }) => canonical));
	};
	if (!among) for await (const owners of ownersIn(database)) await find(owners);
	else {
		const { results } = await database
			.prepare(
				"select distinct owner_id as id from addresses where canonical in (select value from json_each(?)) and owner_id <> 'usr_nobody'",
			)
			.bind(JSON.stringify(among))
			.all<{ id: string }>();
		await find(results.map(({ id }) => id));
	}
	return codes.sort();
}
