import { type SQL, sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { beforeDeadline } from "../deadline.ts";
import { type Bindings, readConfig } from "../env.ts";

/** A database as the stores use it. */
export type Database = DrizzleD1Database & {
	$client: D1Database;
	/** How long a read may take; as long as it takes where it is unset, as for commands. */
	readMilliseconds?: number;
};

/** A database for commands, whose reads take as long as they take. */
export function wrapDatabase(source: D1Database): Database {
	return drizzle(source);
}

/** A database whose reads are given up after a while. */
function limited(env: Bindings, source: D1Database | D1DatabaseSession): Database {
	const { DATABASE_READ_MILLISECONDS: readMilliseconds } = readConfig(env).limits;
	return Object.assign(wrapDatabase(source as D1Database), { readMilliseconds });
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

/** How large the database is, in bytes, which it tells with any answer. Rejects when it does not answer. */
export async function databaseBytes(env: Bindings): Promise<number> {
	const { meta } = await openDatabase(env).run(sql`select 1`);
	return meta.size_after;
}

/** Makes a store once per database, so that an isolate prepares its statements once. */
export function perDatabase<Store>(create: (db: Database) => Store): (db: Database) => Store {
	const stores = new WeakMap<Database, Store>();
	return (db) => {
		const store = stores.get(db) ?? create(db);
		stores.set(db, store);
		return store;
	};
}

/** Deletes up to `count` rows of a table that meet a condition, in one statement. Returns the number of rows deleted. */
export async function deleteSome(db: Database, table: SQLiteTable, condition: SQL, count: number): Promise<number> {
	const some = sql`select rowid from ${table} where ${condition} limit ${count}`;
	const { meta } = await db.delete(table).where(sql`rowid in (${some})`);
	return meta.changes;
}
