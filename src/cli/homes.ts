/**
 * Where the addresses of countries and zones are at home, as `npm run deploy`, `npm start` and `npm run registry -- move` record it in the
 * table `homes` of each database. A Worker goes by the names of its bindings alone; these rows prevent what a wrong binding would do.
 */
import type { Query } from "../../zones/registry.ts";
import { ACCOUNTS } from "../db/open.ts";
import type { homes } from "../db/schema.ts";
import { claimantsOf, readDatabases } from "../settings/database-bindings.ts";

export type HomeState = typeof homes.$inferSelect.state;

/** An existing database that wrangler.toml binds. */
export interface HomeDatabase {
	/** Such as `DB_NG`. */
	binding: string;
	query: Query;
}

/** An open database under the name of its binding. */
export const homeDatabase = (binding: string, database: D1Database): HomeDatabase => ({
	binding,
	query: async (sql) => (await database.prepare(sql).all<Record<string, unknown>>()).results,
});

/** A prefix of codes that a database is to hold from now on: `NG`, or `NG0`. */
interface NewHome {
	prefix: string;
	binding: string;
}

/** The SQL condition that a column holds a code with a given prefix. `:` follows `9` in ASCII. */
export const beginsWith = (column: string, prefix: string) => `${column} >= '${prefix}' and ${column} < '${prefix}:'`;

/** The homes that a database records; none if its tables are older. */
export async function homesIn({ query }: HomeDatabase): Promise<Map<string, HomeState>> {
	const [table] = await query("select name from sqlite_master where type = 'table' and name = 'homes'");
	const rows = table ? await query("select prefix, state from homes") : [];
	return new Map(rows.map(({ prefix, state }) => [String(prefix), state as HomeState]));
}

/** Those of some prefixes under which a database has ever issued codes, apart from the example that every registry has. */
async function heldAmong({ query }: HomeDatabase, prefixes: readonly string[]): Promise<Set<string>> {
	const [table] = await query("select name from sqlite_master where type = 'table' and name = 'addresses'");
	if (!table) return new Set();
	const isLike = "canonical >= value and canonical < value || ':'";
	const rows = await query(
		`select value as prefix from json_each('${JSON.stringify(prefixes)}')
		where exists (select 1 from addresses where ${isLike} and owner_id <> 'usr_nobody')
			or exists (select 1 from burnt_codes where ${isLike})`,
	);
	return new Set(rows.map(({ prefix }) => String(prefix)));
}

/** The names of all bindings, by the prefix that each claims. */
export function claimsOf(databases: readonly Pick<HomeDatabase, "binding">[]): ReadonlyMap<string, string> {
	return readDatabases(databases.map(({ binding }) => binding));
}

/** The command that moves a country. */
const moving = (prefix: string) => `npm run registry -- move ${prefix.slice(0, 2)}`;

/**
 * The prefixes that databases are to hold from now on and do not hold yet.
 * @throws Error if a binding claims codes that live elsewhere, or no binding claims codes any more that live in a database of their own.
 * It says how to mend that.
 */
export async function provedHomes(databases: readonly HomeDatabase[]): Promise<NewHome[]> {
	const claims = claimsOf(databases);
	const known = new Map(
		await Promise.all(databases.map(async (database) => [database.binding, await homesIn(database)] as const)),
	);
	const stateIn = (binding: string, prefix: string) => known.get(binding)?.get(prefix);
	// Each query of a deployment starts wrangler, which takes seconds, so one query asks about all prefixes.
	const unfilled = [...claims].flatMap(([prefix, binding]) => (stateIn(binding, prefix) === "here" ? [] : [prefix]));
	const held = new Map<string, Set<string>>();
	if (unfilled.length > 0)
		for (const database of databases) held.set(database.binding, await heldAmong(database, unfilled));
	for (const [binding, homes] of known) {
		for (const [prefix, state] of homes) {
			if (state === "left" && claimantsOf(claims, prefix).includes(undefined))
				throw new Error(
					`The codes ${prefix} live in a database of their own, and wrangler.toml binds none for them. Bind it again as DB_${prefix.slice(0, 2)}${prefix.slice(2) && `_${prefix.slice(2)}`}, or by the name that it had.`,
				);
			if ((state === "here" || state === "arriving") && claims.get(prefix) !== binding)
				throw new Error(
					`The codes ${prefix} live in the database that wrangler.toml binds as ${binding}, whose name does not claim them. Give it its former name.`,
				);
		}
	}
	const added: NewHome[] = [];
	for (const [prefix, binding] of claims) {
		const state = stateIn(binding, prefix);
		if (state === "here") continue;
		const others = databases.filter((database) => database.binding !== binding);
		if (state === "arriving") {
			const source = others.find((database) => stateIn(database.binding, prefix) === "moving");
			if (source)
				throw new Error(
					`Some codes ${prefix} are still to be copied from ${source.binding} to ${binding}. Run \`${moving(prefix)}\` until it says that they are.`,
				);
			continue;
		}
		const isLeft = others.some((database) => stateIn(database.binding, prefix) === "left");
		// A lost database that was restored holds the codes, but its homes are not in the backup. One in the state `filling` was interrupted.
		if (isLeft && state !== "filling" && !held.get(binding)?.has(prefix))
			throw new Error(
				`The codes ${prefix} live in another database than the one that is bound as ${binding}, which holds none of them. Bind the one that does or, if it is lost, restore its backup into this one first.`,
			);
		for (const holder of others) {
			if (held.get(holder.binding)?.has(prefix))
				throw new Error(
					`${binding} would take over the codes ${prefix}, and ${holder.binding} holds some. Move them first: \`${moving(prefix)}\`.`,
				);
		}
		added.push({ prefix, binding });
	}
	return added;
}

/** The SQL that writes some homes. */
export const writeHomes = (prefixes: readonly string[], state: HomeState) =>
	`insert into homes (prefix, state) values ${prefixes.map((prefix) => `('${prefix}', '${state}')`).join(", ")}
	on conflict (prefix) do update set state = excluded.state`;

/**
 * Makes databases hold what they are to hold from now on. The databases that issued those codes until now refuse them first, so that no
 * code is issued where nobody would find it.
 * @throws Error if some were issued meanwhile.
 */
export async function fillHomes(databases: readonly HomeDatabase[], added: readonly NewHome[]): Promise<void> {
	for (const [binding, homes] of Map.groupBy(added, ({ binding }) => binding)) {
		const prefixes = homes.map(({ prefix }) => prefix);
		const own = databases.find((database) => database.binding === binding) as HomeDatabase;
		const others = databases.filter((database) => database !== own);
		const before = claimsOf(others).get(binding.slice("DB_".length, "DB_NG".length)) ?? ACCOUNTS;
		// From here on, a repeated run knows that they are nowhere else.
		await own.query(writeHomes(prefixes, "filling"));
		for (const database of others) {
			if (![before, ACCOUNTS].includes(database.binding)) continue;
			await database.query(writeHomes(prefixes, "left"));
			const [issued] = await heldAmong(database, prefixes);
			if (!issued) continue;
			await database.query(`delete from homes where prefix in (${prefixes.map((prefix) => `'${prefix}'`).join(", ")})`);
			throw new Error(
				`A code ${issued} has been issued in ${database.binding} meanwhile. Move it first: \`${moving(issued)}\`.`,
			);
		}
		await own.query(writeHomes(prefixes, "here"));
	}
}

/**
 * Records that all requests are now answered by a Worker that reads moved addresses from their new database alone.
 * @returns The countries whose move can be ended from now on.
 */
export async function noteServed(databases: readonly HomeDatabase[], now: number): Promise<string[]> {
	const countries = new Set<string>();
	for (const database of databases) {
		const condition = "state = 'arriving' and coalesce(served_since, 0) = 0";
		const served = await database.query(`select prefix from homes where ${condition}`);
		if (served.length > 0) await database.query(`update homes set served_since = ${now} where ${condition}`);
		for (const { prefix } of served) countries.add(String(prefix).slice(0, 2));
	}
	return [...countries];
}
