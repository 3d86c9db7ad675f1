/**
 * Where the addresses of countries and zones are at home, as `npm run deploy`, `npm start` and `npm run registry -- move` record it in the
 * table `homes` of each database. A Worker goes by the names of its bindings alone; these rows prevent what a wrong binding would do.
 */
import { ACCOUNTS } from "../db/database-of-code.ts";
import type { homes } from "../db/schema.ts";
import { pooled } from "../journal/entries.ts";
import { claimantsOf, readDatabases } from "../settings/database-bindings.ts";

export type HomeState = typeof homes.$inferSelect.state;

/** Databases that are asked at once: each call may start wrangler, which takes some 150 MB. */
export const DATABASES_AT_ONCE = 4;

/** Runs statements in one call, which may take seconds where it starts wrangler, and answers with the rows of each. */
export type Ask = (...statements: string[]) => Promise<Record<string, unknown>[][]>;

/** A database that wrangler.toml binds, and what it recorded when it was opened. */
export interface HomeDatabase {
	/** Such as `DB_NG`. */
	binding: string;
	ask: Ask;
	/** Names of its migrations; none before its tables are made. */
	migrations: readonly string[];
	/** The homes that it records, by prefix; none if its tables are older. */
	homes: ReadonlyMap<string, HomeState>;
}

/** Asks an open database. */
export const askOf =
	(database: D1Database): Ask =>
	async (...statements) =>
		(await database.batch<Record<string, unknown>>(statements.map((sql) => database.prepare(sql)))).map(
			({ results }) => results,
		);

/** Reads what a database records of its migrations and of homes. */
export async function homeDatabase(binding: string, ask: Ask): Promise<HomeDatabase> {
	const where = (table: string, instead: () => ReturnType<Ask>) => (error: Error) => {
		if (error.message.includes(`no such table: ${table}`)) return instead();
		throw error;
	};
	const applied = "select name from d1_migrations";
	const [migrations = [], homes = []] = await ask(applied, "select prefix, state from homes")
		.catch(where("homes", () => ask(applied)))
		.catch(where("d1_migrations", async () => []));
	return {
		binding,
		ask,
		migrations: migrations.map(({ name }) => String(name)),
		homes: new Map(homes.map(({ prefix, state }) => [String(prefix), state as HomeState])),
	};
}

/** A prefix of codes that a database is to hold from now on: `NG`, or `NG0`. */
interface NewHome {
	prefix: string;
	binding: string;
}

/** The SQL condition that a column holds a code with a given prefix. `:` follows `9` in ASCII. */
export const beginsWith = (column: string, prefix: string) => `${column} >= '${prefix}' and ${column} < '${prefix}:'`;

/** Selects those of some prefixes under which a database has ever issued codes, apart from the example that every registry has. */
function selectHeld(prefixes: readonly string[]): string {
	const isLike = "canonical >= value and canonical < value || ':'";
	return `select value as prefix from json_each('${JSON.stringify(prefixes)}')
		where exists (select 1 from addresses where ${isLike} and owner_id <> 'usr_nobody')
			or exists (select 1 from burnt_codes where ${isLike})`;
}

/** The names of all bindings, by the prefix that each claims. */
function claimsOf(databases: readonly Pick<HomeDatabase, "binding">[]): ReadonlyMap<string, string> {
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
	const known = new Map(databases.map(({ binding, homes }) => [binding, homes]));
	const stateIn = (binding: string, prefix: string) => known.get(binding)?.get(prefix);
	const unfilled = [...claims].flatMap(([prefix, binding]) => (stateIn(binding, prefix) === "here" ? [] : [prefix]));
	const asked = unfilled.length > 0 ? databases.filter(({ migrations }) => migrations.length > 0) : [];
	const held = new Map(
		await pooled(asked, DATABASES_AT_ONCE, async ({ binding, ask }) => {
			const [rows = []] = await ask(selectHeld(unfilled));
			return [binding, new Set(rows.map(({ prefix }) => String(prefix)))] as const;
		}),
	);
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
		await own.ask(writeHomes(prefixes, "filling"));
		for (const database of others) {
			if (![before, ACCOUNTS].includes(database.binding)) continue;
			const [, held = []] = await database.ask(writeHomes(prefixes, "left"), selectHeld(prefixes));
			if (!held[0]) continue;
			const issued = String(held[0].prefix);
			await database.ask(`delete from homes where prefix in (${prefixes.map((prefix) => `'${prefix}'`).join(", ")})`);
			throw new Error(
				`A code ${issued} has been issued in ${database.binding} meanwhile. Move it first: \`${moving(issued)}\`.`,
			);
		}
		await own.ask(writeHomes(prefixes, "here"));
	}
}

/**
 * Records that all requests are now answered by a Worker that reads moved addresses from their new database alone.
 * @param databases As they were when the Worker was about to be deployed.
 * @returns The countries whose move can be ended from now on.
 */
export async function noteServed(databases: readonly HomeDatabase[], now: number): Promise<string[]> {
	const countries = new Set<string>();
	for (const { homes, ask } of databases) {
		if (![...homes.values()].includes("arriving")) continue;
		const [served = []] = await ask(
			`update homes set served_since = ${now} where state = 'arriving' and coalesce(served_since, 0) = 0 returning prefix`,
		);
		for (const { prefix } of served) countries.add(String(prefix).slice(0, 2));
	}
	return [...countries];
}
