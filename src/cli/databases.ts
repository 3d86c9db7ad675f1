/** The databases of a registry, one by one, for backing it up, restoring and verifying it. */
import path from "node:path";
import { partsOf } from "../codes/code.ts";
import { ACCOUNTS, bindingOf } from "../db/database-of-code.ts";
import { readDatabases } from "../settings/database-bindings.ts";
import { chunksOf } from "./ndjson.ts";

/** Where a registry's data is. */
export interface RegistryStorage {
	/** The database of accounts. */
	database: D1Database;
	bucket: R2Bucket;
	/** The databases that hold the addresses of countries or of parts of them, by the names of their bindings, such as `DB_NG`. */
	apart?: Readonly<Record<string, D1Database>>;
}

/** Ids or codes in one statement. */
const IDS_AT_ONCE = 5_000;

/** One database of a registry. */
export interface OneDatabase extends Pick<RegistryStorage, "database" | "bucket"> {
	/** The name of its binding, such as `DB_NG`. */
	name: string;
	/** The database of accounts, which may be the same. */
	accounts: D1Database;
	/** Whether the address of a code lies in it. */
	holds(canonical: string): boolean;
}

/** The databases of a registry, that of accounts first. */
export function databasesOf({ database, bucket, apart = {} }: RegistryStorage): [OneDatabase, ...OneDatabase[]] {
	const routes = readDatabases(Object.keys(apart));
	const one = (name: string, own: D1Database): OneDatabase => {
		const holds = (canonical: string) => bindingOf(routes, partsOf(canonical)) === name;
		return { name, database: own, accounts: database, bucket, holds };
	};
	return [one(ACCOUNTS, database), ...Object.entries(apart).map(([name, own]) => one(name, own))];
}

/** Which database holds the address of a code. */
export function holderOf(databases: OneDatabase[], canonical: string): OneDatabase {
	return databases.find(({ holds }) => holds(canonical)) as OneDatabase;
}

/**
 * Asks each database about those of some values whose codes belong in it.
 * @param codeOf The code of a value.
 * @param select Selects codes among the values in a bound JSON list.
 */
export async function selectAmong<Value>(
	databases: OneDatabase[],
	values: Value[],
	codeOf: (value: Value) => string,
	select: string,
): Promise<string[]> {
	const found: string[] = [];
	for (const [{ database }, own] of Map.groupBy(values, (value) => holderOf(databases, codeOf(value))))
		for (const some of chunksOf(own, IDS_AT_ONCE)) {
			const rows = await database.prepare(select).bind(JSON.stringify(some)).raw<[string]>();
			found.push(...rows.map(([code]) => code));
		}
	return found;
}

/** The folder of a database's backup within that of its registry: the folder itself for accounts, one of its own for any other. */
export function folderOfDatabase(folder: string, name: string): string {
	return name === ACCOUNTS ? folder : path.join(folder, name);
}

/** A label that names the database too, unless it is that of accounts. */
export function labelOf(what: string, name: string): string {
	return name === ACCOUNTS ? what : `${what} ${name}`;
}

/** The ids among some that no account has. */
export async function missingAccounts(accounts: D1Database, ids: Iterable<string>): Promise<Set<string>> {
	const select = accounts.prepare("select value from json_each(?) where value not in (select id from users)");
	const missing = new Set<string>();
	for (const some of chunksOf([...new Set(ids)], IDS_AT_ONCE))
		for (const [id] of await select.bind(JSON.stringify(some)).raw<[string]>()) missing.add(id);
	return missing;
}

/**
 * The ids of those who own addresses in a database, a page at a time, without `usr_nobody`, who owns the examples.
 * @param condition The SQL condition that limits the addresses.
 */
export async function* ownersIn(database: D1Database, condition = "true"): AsyncGenerator<string[]> {
	const page = database.prepare(
		`select distinct owner_id as id from addresses where owner_id > ? and owner_id <> 'usr_nobody' and ${condition} order by owner_id limit ?`,
	);
	for (let last = ""; ; ) {
		const { results } = await page.bind(last, IDS_AT_ONCE).all<{ id: string }>();
		if (results.length > 0) yield results.map(({ id }) => id);
		if (results.length < IDS_AT_ONCE) return;
		last = results.at(-1)!.id;
	}
}

/** The random id of the registry in a database. */
export async function identityOf(database: D1Database): Promise<string> {
	const id = await database
		.prepare("select id from registry_identity")
		.first<string>("id")
		.catch(() => null);
	if (!id) throw new Error("The database has no identity yet. Deploy this version first.");
	return id;
}

/** Whether a database has rows beyond those that every registry begins with. */
export async function isUsed(database: D1Database): Promise<boolean> {
	const used = await database
		.prepare(
			"select exists (select 1 from users) or exists (select 1 from addresses where owner_id <> 'usr_nobody') as used",
		)
		.first<number>("used");
	return used === 1;
}

/** Whether a database belongs to another registry: it holds addresses, and none of the first page of their owners has an account. */
export async function isOfOthers({ database, accounts }: OneDatabase): Promise<boolean> {
	for await (const owners of ownersIn(database))
		return (await missingAccounts(accounts, owners)).size === owners.length;
	return false;
}

/**
 * Writes the id of their registry into databases that were added.
 * @throws Error for a database of another registry, and for one that is empty although accounts have addresses in it.
 */
export async function adoptDatabases(registry: RegistryStorage): Promise<void> {
	const id = await identityOf(registry.database);
	for (const one of databasesOf(registry).slice(1)) {
		const { name, database, accounts } = one;
		const own = await identityOf(database);
		if (own === id) continue;
		if (await isOfOthers(one)) throw new Error(`${name} belongs to the registry ${own}, but DB belongs to ${id}.`);
		const known = await accounts
			.prepare("select 1 as known from users where instr(' ' || places || ' ', ?) > 0 limit 1")
			.bind(` ${name} `)
			.first();
		const hasMoved = await database.prepare("select 1 from homes where state = 'left' limit 1").first();
		if (known && !hasMoved && !(await isUsed(database)))
			throw new Error(`${name} is empty, but accounts have addresses in it. Restore it first.`);
		await database.prepare("update registry_identity set id = ?").bind(id).run();
	}
}

/**
 * Records in the accounts of those who own addresses in `from` that they have addresses in the database `name`.
 * @param condition The SQL condition that limits the addresses.
 * @returns How many accounts lacked the record.
 */
export async function notePlaces(
	accounts: D1Database,
	from: D1Database,
	name: string,
	condition?: string,
): Promise<number> {
	let noted = 0;
	for await (const owners of ownersIn(from, condition)) {
		const { meta } = await accounts
			.prepare(
				"update users set places = trim(places || ' ' || ?1) where id in (select value from json_each(?2)) and instr(' ' || places || ' ', ' ' || ?1 || ' ') = 0",
			)
			.bind(name, JSON.stringify(owners))
			.run();
		noted += meta.changes;
	}
	return noted;
}

/**
 * Records for all accounts in which databases they have addresses: needed after accounts were restored to a moment before they had them
 * there.
 * @returns How many accounts lacked a record.
 */
export async function rebuildPlaces(registry: RegistryStorage): Promise<number> {
	let noted = 0;
	for (const { name, database, accounts } of databasesOf(registry).slice(1))
		noted += await notePlaces(accounts, database, name);
	return noted;
}

/**
 * Records in restored databases which codes are at home in each, where that is missing. Otherwise a database that was made anew would
 * issue no codes.
 */
export async function noteHomes(registry: RegistryStorage): Promise<void> {
	const databases = databasesOf(registry);
	const claims = readDatabases(databases.map(({ name }) => name));
	for (const { name, database } of databases) {
		const table = await database.prepare("select 1 from sqlite_master where name = 'homes'").first();
		if (!table || claims.size === 0) continue;
		const isElsewhere = (prefix: string) => name === ACCOUNTS || claims.get(prefix.slice(0, 2)) === name;
		const homes = [...claims].flatMap(([prefix, binding]) =>
			binding === name ? [[prefix, "here"]] : isElsewhere(prefix) ? [[prefix, "left"]] : [],
		);
		await database
			.prepare(
				"insert into homes (prefix, state) select value ->> 0, value ->> 1 from json_each(?) where true on conflict do nothing",
			)
			.bind(JSON.stringify(homes))
			.run();
	}
}

/** @throws Error while a country moves from one database to another: its addresses are then spread over both. */
export async function requireNoMove(registry: RegistryStorage): Promise<void> {
	for (const { name, database } of databasesOf(registry)) {
		const moving = await database
			.prepare("select prefix from homes where state in ('moving', 'arriving') limit 1")
			.first<string>("prefix")
			.catch(() => null);
		if (moving)
			throw new Error(
				`The addresses of ${moving} are being moved, from or to ${name}. End that first: npm run registry -- move ${moving.slice(0, 2)}`,
			);
	}
}

/**
 * @throws Error if a database has received the codes of a country, or given them away, since a moment in milliseconds since the epoch. In
 * its state of that moment, it would not agree with the databases that are bound now.
 */
export async function requireNoMoveSince(databases: OneDatabase[], moment: number): Promise<void> {
	for (const { name, database } of databases) {
		const moved = await database
			.prepare("select prefix, served_since as ended from homes where served_since > ? order by served_since desc")
			.bind(moment)
			.first<{ prefix: string; ended: number }>()
			.catch(() => null);
		if (moved)
			throw new Error(
				`The addresses of ${moved.prefix} moved to or from ${name} until ${new Date(moved.ended).toISOString()}, and nobody would find them where they lay before: name a later moment or, to undo more, restore a backup that was made since.`,
			);
	}
}
