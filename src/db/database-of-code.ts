/** Which database the address of a code lives in. The names of bindings say so (src/settings/database-bindings.ts). */

/** The name of the database of accounts. */
export const ACCOUNTS = "DB";

/** A zone as codes carry it: the country in two letters, and the number in four digits. */
export interface ZoneOfCode {
	readonly country: string;
	readonly zone: string;
}

/**
 * The binding of the database that holds the addresses of a zone. The names of bindings define the routing; only this reads them.
 * @param databases As `readDatabases` reads them.
 */
export function bindingOf(databases: ReadonlyMap<string, string>, { country, zone }: ZoneOfCode): string {
	return databases.get(country + zone.charAt(0)) ?? databases.get(country) ?? ACCOUNTS;
}
