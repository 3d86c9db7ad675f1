/** Reads the addresses of a caller from all databases in which they may lie. */
import { partsOf } from "../codes/code.ts";
import type { Caller } from "../db/caller.ts";
import type { ZoneOfCode } from "../db/database-of-code.ts";
import type { Database } from "../db/open.ts";
import { inEach } from "../db/several.ts";
import { inOneTrip, type ResultOf, type Statement, type Statements } from "../db/statement.ts";
import { type AppError, ConfigError } from "../errors.ts";
import { toAppError } from "../failures.ts";
import type { Registry } from "../registry.ts";
import { claimantsOf, readDatabases } from "../settings/database-bindings.ts";
import type { Issued } from "./store.ts";
import * as addressStore from "./store.ts";

/**
 * Makes sure that all databases with addresses are bound.
 * @throws ConfigError if one is not, since nobody can be told then whose addresses it holds.
 */
export async function assertAllBound({ databases, settings }: Pick<Registry, "databases" | "settings">): Promise<void> {
	const left = (await inEach(databases, addressStore.homesLeft({}))).flat().map(({ prefix }) => prefix);
	const unbound = left.filter((prefix) => claimantsOf(settings.databases, prefix).includes(undefined));
	if (unbound.length > 0)
		throw new ConfigError(
			`No binding names the database that holds the codes of ${unbound.join(", ")}: bind it again, and deploy`,
		);
}

/**
 * The databases, besides that of accounts, in which an account has or had addresses.
 * @param recorded The names of databases that are noted for the account, separated by spaces.
 * @throws ConfigError if one of them, or the one that its codes have moved to, is not bound.
 */
export async function otherDatabases(
	registry: Pick<Registry, "database" | "databases" | "settings">,
	recorded: string,
): Promise<Database[]> {
	const { database, databases, settings } = registry;
	const names = recorded.split(" ").flatMap((name): (string | undefined)[] => {
		if (name === "" || databases.some((db) => db.name === name)) return [name];
		return Array.from(readDatabases([name]).keys(), (prefix) => claimantsOf(settings.databases, prefix)).flat();
	});
	// A mint also notes a database that was never filled, and holds nothing.
	if (names.includes(undefined)) await assertAllBound(registry);
	return databases.filter((db) => db !== database && names.includes(db.name));
}

/**
 * Runs the same reads in each database in which a caller has or had addresses, starting with that of accounts. Returns the results of those
 * that answer, with the error of one that does not.
 * @throws What the database of accounts throws, and the refusal of a caller who cannot be proved.
 */
export async function inDatabasesThatAnswer<const Work extends Statement | Statements>(
	registry: Registry,
	caller: Caller,
	make: (userId: string, isSandbox: boolean) => Work,
): Promise<{ found: ResultOf<Work>[]; missing: AppError | undefined }> {
	const first = await caller.run(registry.database, make);
	try {
		const others = await otherDatabases(registry, caller.databaseNames);
		const work = others.length > 0 ? make(caller.userId, await caller.isSandbox()) : undefined;
		const answers = await Promise.allSettled(others.map((db) => inOneTrip(db, work as Work)));
		const failed = answers.find((answer) => answer.status === "rejected");
		return {
			found: [first, ...answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []))],
			missing: failed && toAppError(failed.reason, registry.requestId),
		};
	} catch (error) {
		return { found: [first], missing: toAppError(error, registry.requestId) };
	}
}

/**
 * Runs the same reads in each of these databases, and returns the results of all.
 * @throws What any of them throws: nobody gets an incomplete list.
 */
export async function inOwnersDatabases<const Work extends Statement | Statements>(
	registry: Registry,
	caller: Caller,
	make: (userId: string, isSandbox: boolean) => Work,
): Promise<ResultOf<Work>[]> {
	const { found, missing } = await inDatabasesThatAnswer(registry, caller, make);
	if (missing) throw missing;
	return found;
}

/**
 * Runs the same reads in each other database in which an address of a caller may lie that they created for a point of a zone: those in
 * which they have or had addresses, that of accounts, and those in which the country goes on once the zone is full.
 * @throws What any of them throws.
 */
export async function inOtherDatabases<const Work extends Statement | Statements>(
	registry: Registry,
	caller: Caller,
	{ country, zone }: ZoneOfCode,
	make: (userId: string, isSandbox: boolean) => Work,
): Promise<ResultOf<Work>[]> {
	const { database, databases } = registry;
	const own = registry.databaseOf({ country, zone });
	if (databases.every((db) => db === own)) return [];
	const first = own === database ? [] : [await caller.run(database, make)];
	if (!caller.isProved) await caller.prove();
	const ofCountry = Array.from("0123456789", (digit) => registry.databaseOf({ country, zone: `${digit}000` }));
	const others = new Set([...(await otherDatabases(registry, caller.databaseNames)), ...ofCountry]);
	const work = make(caller.userId, await caller.isSandbox());
	return [
		...first,
		...(await inEach(
			[...others].filter((db) => db !== own && db !== database),
			work,
		)),
	];
}

/**
 * Reads what was issued under codes for a caller, each in its database.
 * @returns A function from one of the codes to what was issued under it. With several databases, it throws AppError UNAVAILABLE for a code
 * whose database does not answer.
 */
export async function issuedUnder(
	registry: Registry,
	caller: Caller,
	canonicals: string[],
): Promise<(canonical: string) => Issued | undefined> {
	const byDatabase = Map.groupBy(canonicals, (canonical) => registry.databaseOf(partsOf(canonical)));
	if (byDatabase.size < 2) {
		const [db = registry.database] = byDatabase.keys();
		const issued = await caller.run(db, addressStore.byCodes(canonicals));
		return (canonical) => issued.get(canonical);
	}
	const [proved, ...read] = await Promise.allSettled([
		caller.prove(),
		...Array.from(byDatabase, ([db, codes]) => inOneTrip(db, addressStore.byCodes(codes))),
	]);
	if (proved?.status === "rejected") throw proved.reason;
	const found = new Map([...byDatabase.keys()].map((db, index) => [db, read[index]]));
	return (canonical) => {
		const answer = found.get(registry.databaseOf(partsOf(canonical)));
		if (answer?.status === "rejected") throw toAppError(answer.reason, registry.requestId);
		return answer?.value.get(canonical);
	};
}
