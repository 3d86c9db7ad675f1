/** Unclaimed addresses: those that a restore brought back without their accounts. */
import { missingAccounts, type OneDatabase, ownersIn } from "./databases.ts";

type Places = Pick<OneDatabase, "database" | "accounts">;

/** Codes, sorted, of the addresses in a database whose accounts do not exist. */
export async function unclaimedAddresses({ database, accounts }: Places): Promise<string[]> {
	const codes: string[] = [];
	const ofOwners = database.prepare(
		"select canonical from addresses where owner_id in (select value from json_each(?))",
	);
	for await (const owners of ownersIn(database)) {
		const missing = await missingAccounts(accounts, owners);
		if (missing.size > 0) codes.push(...(await ofOwners.bind(JSON.stringify([...missing])).raw<[string]>()).flat());
	}
	return codes.sort();
}

/** Those of some codes whose addresses have no account, sorted. */
export async function unclaimedAmong({ database, accounts }: Places, codes: string[]): Promise<string[]> {
	const rows = await database
		.prepare(
			"select canonical, owner_id from addresses where canonical in (select value from json_each(?)) and owner_id <> 'usr_nobody'",
		)
		.bind(JSON.stringify(codes))
		.raw<[string, string]>();
	const missing = await missingAccounts(
		accounts,
		rows.map(([, owner]) => owner),
	);
	return rows.flatMap(([canonical, owner]) => (missing.has(owner) ? [canonical] : [])).sort();
}
