import { type Bindings, readConfig } from "../env.ts";
import { beforeDeadline } from "../time/deadline.ts";
import { waitMilliseconds } from "../time/wait-times.ts";
import { ACCOUNTS, bindingOf, type ZoneOfCode } from "./database-of-code.ts";

/** A database that statements run in. */
export interface Database {
	/** The name of its binding, such as `DB`. */
	readonly name: string;
	readonly client: Pick<D1Database, "prepare" | "batch">;
	/** The time limit of a read in milliseconds; unset for no limit, as for commands. */
	readonly readMilliseconds?: number;
}

/** A database for commands, whose reads have no time limit. */
export function wrapDatabase(client: D1Database): Database {
	return { name: ACCOUNTS, client };
}

/**
 * The result of a read, within its time limit: D1 may take half a minute to report a failure. Writes have no limit, because one that is
 * abandoned may have been committed. The error looks like D1's own, so that it is handled like its other failures (retry.ts).
 */
export function readInTime<Found>({ readMilliseconds }: Database, read: Promise<Found>): Promise<Found> {
	if (readMilliseconds === undefined) return read;
	return beforeDeadline(read, readMilliseconds, "D1_ERROR: timed out before it answered");
}

const primaries = new WeakMap<object, Database>();
const nearest = new WeakMap<object, Database>();

/** A database by its binding, whose reads have a time limit. An isolate opens it once. */
function opened(env: Bindings, name: string, isNearest = false): Database {
	const source = (env as unknown as Record<string, D1Database>)[name] as D1Database;
	const known = isNearest ? nearest : primaries;
	const open = () => (isNearest ? source.withSession("first-unconstrained") : source);
	const database = known.get(source) ?? { name, client: open(), readMilliseconds: waitMilliseconds.databaseRead };
	known.set(source, database);
	return database;
}

/** The database of accounts. It also holds every address that is not routed to another database. */
export function openDatabase(env: Bindings): Database {
	return opened(env, ACCOUNTS);
}

/** All databases that hold addresses, that of accounts first. */
export function openAllDatabases(env: Bindings): readonly Database[] {
	return [ACCOUNTS, ...new Set(readConfig(env).databases.values())].map((name) => opened(env, name));
}

/** The database that holds the addresses of a zone. */
export function openAddressesDatabase(env: Bindings, zone: ZoneOfCode): Database {
	return opened(env, bindingOf(readConfig(env).databases, zone));
}

/**
 * The same database for reads that may be stale: the nearest replica answers, if there are replicas (D1's Sessions API). An isolate
 * reuses one session, so that its reads are monotonic.
 */
export function openNearestAddressesDatabase(env: Bindings, zone: ZoneOfCode): Database {
	return opened(env, bindingOf(readConfig(env).databases, zone), true);
}

/** D1 stores at most 10 GB and then refuses all writes. Above this size, addresses can still be changed, but no new one is accepted. */
const FULL_BYTES = 9_500_000_000;

/** By database, how large it was when it last answered, in bytes. */
const sizes = new WeakMap<Database, number>();

/** Records the size of a database, which every response of D1 includes. */
export function noteSize(database: Database, answers: D1Result[]): void {
	const bytes = answers.at(-1)?.meta?.size_after;
	if (bytes !== undefined) sizes.set(database, bytes);
}

/** Whether a database was too full for new addresses when it last answered. */
export function isFull(database: Database): boolean {
	return (sizes.get(database) ?? 0) > FULL_BYTES;
}

/** The size of a database in bytes. Rejects if the database does not respond. */
export async function databaseBytes({ client }: Database): Promise<number> {
	const { meta } = await client.prepare("select 1").run();
	return meta.size_after;
}
