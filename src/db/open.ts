import { beforeDeadline } from "../deadline.ts";
import { type Bindings, readConfig } from "../env.ts";

/** A database that statements run in. */
export interface Database {
	readonly client: Pick<D1Database, "prepare" | "batch">;
	/** How long a read may take; as long as it takes where it is unset, as for commands. */
	readonly readMilliseconds?: number;
}

/** A database for commands, whose reads take as long as they take. */
export function wrapDatabase(client: D1Database): Database {
	return { client };
}

/** A database whose reads are given up after a while. */
function limited(env: Bindings, client: D1Database | D1DatabaseSession): Database {
	const { DATABASE_READ_MILLISECONDS: readMilliseconds } = readConfig(env).limits;
	return { client, readMilliseconds };
}

/**
 * What a read finds, unless it takes too long: D1 may take half a minute to notice its own trouble. Writes are left to end, as what is
 * given up may have been written. The message is worded as D1's own, so that it is answered like its other failures (retry.ts).
 */
export function readInTime<Found>({ readMilliseconds }: Database, read: Promise<Found>): Promise<Found> {
	if (readMilliseconds === undefined) return read;
	return beforeDeadline(read, readMilliseconds, "D1_ERROR: timed out before it answered");
}

const primaries = new WeakMap<D1Database, Database>();
const nearest = new WeakMap<D1Database, Database>();

/** The database: it holds accounts, sessions, keys and, today, all addresses. An isolate opens it once. */
export function openDatabase(env: Bindings): Database {
	const database = primaries.get(env.DB) ?? limited(env, env.DB);
	primaries.set(env.DB, database);
	return database;
}

/** A zone as codes carry it: the country in two letters, and the number in four digits. */
export interface ZoneOfCode {
	readonly country: string;
	readonly zone: string;
}

/**
 * The database that holds the addresses of a zone. This and the function below alone choose it. Today all addresses lie in the
 * one database, and more than this would have to change before some did not: a caller is proved, limits are spent and an owner's
 * list is read where the addresses are.
 */
export function openAddressesDatabase(env: Bindings, _zone: ZoneOfCode): Database {
	return openDatabase(env);
}

/**
 * The same database for reads that may be behind: its nearest replica answers, where it has replicas (D1's Sessions API). An
 * isolate keeps one session, so that what it reads never goes back in time.
 */
export function openNearestAddressesDatabase(env: Bindings, _zone: ZoneOfCode): Database {
	const database = nearest.get(env.DB) ?? limited(env, env.DB.withSession("first-unconstrained"));
	nearest.set(env.DB, database);
	return database;
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

/** How large the database is, in bytes, which it tells with any answer. Rejects when it does not answer. */
export async function databaseBytes(env: Bindings): Promise<number> {
	const { meta } = await openDatabase(env).client.prepare("select 1").run();
	return meta.size_after;
}
