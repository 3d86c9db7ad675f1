import { beforeDeadline } from "../deadline.ts";
import { type Bindings, readConfig } from "../env.ts";

/** The name of the database of accounts. */
export const ACCOUNTS = "DB";

/** A database that statements run in. */
export interface Database {
	/** The name of its binding, such as `DB`. */
	readonly name: string;
	readonly client: Pick<D1Database, "prepare" | "batch">;
	/** How long a read may take; as long as it takes where it is unset, as for commands. */
	readonly readMilliseconds?: number;
}

/** A database for commands, whose reads take as long as they take. */
export function wrapDatabase(client: D1Database): Database {
	return { name: "DB", client };
}

/**
 * What a read finds, unless it takes too long: D1 may take half a minute to notice its own trouble. Writes are left to end, as what is
 * given up may have been written. The message is worded as D1's own, so that it is answered like its other failures (retry.ts).
 */
export function readInTime<Found>({ readMilliseconds }: Database, read: Promise<Found>): Promise<Found> {
	if (readMilliseconds === undefined) return read;
	return beforeDeadline(read, readMilliseconds, "D1_ERROR: timed out before it answered");
}

const primaries = new WeakMap<object, Database>();
const nearest = new WeakMap<object, Database>();

/** A database by its binding, whose reads are given up after a while. An isolate opens it once. */
function opened(env: Bindings, name: string, isNearest = false): Database {
	const source = (env as unknown as Record<string, D1Database>)[name] as D1Database;
	const known = isNearest ? nearest : primaries;
	const { DATABASE_READ_MILLISECONDS: readMilliseconds } = readConfig(env).limits;
	const open = () => (isNearest ? source.withSession("first-unconstrained") : source);
	const database = known.get(source) ?? { name, client: open(), readMilliseconds };
	known.set(source, database);
	return database;
}

/** The database of accounts: what hangs on a person lives in it, and the addresses that no other holds. */
export function openDatabase(env: Bindings): Database {
	return opened(env, "DB");
}

/** All databases that hold addresses, that of accounts first. */
export function openAllDatabases(env: Bindings): readonly Database[] {
	return ["DB", ...new Set(readConfig(env).databases.values())].map((name) => opened(env, name));
}

/** A zone as codes carry it: the country in two letters, and the number in four digits. */
export interface ZoneOfCode {
	readonly country: string;
	readonly zone: string;
}

/**
 * The binding of the database that holds the addresses of a zone. The names of bindings are the route: this alone reads it.
 * @param databases As `readDatabases` reads them.
 */
export function bindingOf(databases: ReadonlyMap<string, string>, { country, zone }: ZoneOfCode): string {
	return databases.get(country + zone.charAt(0)) ?? databases.get(country) ?? ACCOUNTS;
}

/** The database that holds the addresses of a zone. */
export function openAddressesDatabase(env: Bindings, zone: ZoneOfCode): Database {
	return opened(env, bindingOf(readConfig(env).databases, zone));
}

/**
 * The same database for reads that may be behind: its nearest replica answers, where it has replicas (D1's Sessions API). An
 * isolate keeps one session, so that what it reads never goes back in time.
 */
export function openNearestAddressesDatabase(env: Bindings, zone: ZoneOfCode): Database {
	return opened(env, bindingOf(readConfig(env).databases, zone), true);
}

/** D1 holds 10 GB, and refuses all writes past them. From here on what is there can still be changed, and nothing new is accepted. */
const FULL_BYTES = 9_500_000_000;

/** By database, how large it was when it last answered, in bytes. */
const sizes = new WeakMap<Database, number>();

/** Notes how large a database is, which it tells with any answer. */
export function noteSize(database: Database, answers: D1Result[]): void {
	const bytes = answers.at(-1)?.meta?.size_after;
	if (bytes !== undefined) sizes.set(database, bytes);
}

/** Whether a database was too full for new addresses when it last answered. */
export function isFull(database: Database): boolean {
	return (sizes.get(database) ?? 0) > FULL_BYTES;
}

/** How large a database is, in bytes, which it tells with any answer. Rejects when it does not answer. */
export async function databaseBytes({ client }: Database): Promise<number> {
	const { meta } = await client.prepare("select 1").run();
	return meta.size_after;
}
