import { type SQL, sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Bindings, readConfig } from "../env.ts";
import { withReadDeadline } from "./deadline.ts";

/** A database as the stores use it. */
export type Database = DrizzleD1Database & { $client: D1Database };

/** The value that `make` makes of each key, made once per key. */
function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
	const made = new WeakMap<Key, Value>();
	return (key) => {
		const value = made.get(key) ?? make(key);
		made.set(key, value);
		return value;
	};
}

/** A database whose reads are given up after a while. */
function limited(env: Bindings, source: D1Database | D1DatabaseSession): Database {
	return drizzle(withReadDeadline(source, readConfig(env).limits.DATABASE_READ_MILLISECONDS));
}

const primaries = new WeakMap<D1Database, Database>();
const nearest = new WeakMap<D1Database, Database>();

function open(env: Bindings): Database {
	const database = primaries.get(env.DB) ?? limited(env, env.DB);
	primaries.set(env.DB, database);
	return database;
}

/** The database that holds accounts, sessions and keys. */
export function openAccountsDatabase(env: Bindings): Database {
	return open(env);
}

/**
 * The database that holds the addresses of a country (two letters). This is the one place that chooses it: today every country
 * lives in `DB`, and one database per country is a change of this file. Countries of one database get the same object.
 */
export function openAddressesDatabase(env: Bindings, _country: string): Database {
	return open(env);
}

/**
 * The same database for reads that may be behind: its nearest replica answers, where it has replicas (D1's Sessions API). An isolate keeps one
 * session, so that what it reads never goes back in time.
 */
export function openNearestAddressesDatabase(env: Bindings, _country: string): Database {
	const database = nearest.get(env.DB) ?? limited(env, env.DB.withSession("first-unconstrained"));
	nearest.set(env.DB, database);
	return database;
}

/** Every database that holds addresses: what an owner has may lie in all of them. */
export function openAllAddressesDatabases(env: Bindings): Database[] {
	return [open(env)];
}

/** Asks every database for next to nothing. Rejects when one does not answer. */
export async function databaseAnswers(env: Bindings): Promise<void> {
	await open(env).run(sql`select 1`);
}

/** How large the largest database is, in bytes. */
export async function databaseBytes(env: Bindings): Promise<number> {
	const { meta } = await open(env).run(sql`select 1`);
	return meta.size_after;
}

/** Makes a store once per database, so that an isolate prepares its statements once. */
export function perDatabase<Store>(create: (db: Database) => Store): (db: Database) => Store {
	return oncePer(create);
}

/** Deletes up to `count` rows of a table that meet a condition, in one statement; how many went. */
export async function deleteSome(db: Database, table: SQLiteTable, condition: SQL, count: number): Promise<number> {
	const some = sql`select rowid from ${table} where ${condition} limit ${count}`;
	const { meta } = await db.delete(table).where(sql`rowid in (${some})`);
	return meta.changes;
}
