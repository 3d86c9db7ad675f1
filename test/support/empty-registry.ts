/** Registries without a Worker: the database and the bucket alone, with the tables made and no rows. */
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { tablesOf } from "../../src/cli/tables.ts";
import { migrate } from "./migrate.ts";

/** How many registries one process holds. */
const COUNT = 26;

export async function emptyRegistries(): Promise<{
	full: RegistryStorage;
	/** @param upTo Number of its last migration. */
	empty(upTo?: number): Promise<RegistryStorage>;
	/** A database without tables. */
	bare(): Promise<D1Database>;
	stop(): Promise<void>;
}> {
	const names = Array.from({ length: COUNT }, (_, number) => String(number));
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			modules: true,
			script: "export default { fetch: () => new Response() }",
			cf: false,
			d1Databases: names.map((name) => `DB${name}`),
			r2Buckets: names.map((name) => `zones${name}`),
		}),
	);
	const next = () => {
		const name = names.pop();
		if (!name) throw new Error(`There are only ${COUNT} registries`);
		return name;
	};
	// Miniflare's types are those of another version of the same interfaces.
	const databaseOf = async (name: string) => (await miniflare.getD1Database(`DB${name}`)) as unknown as D1Database;
	const take = async (upTo?: number): Promise<RegistryStorage> => {
		const name = next();
		const database = await databaseOf(name);
		await migrate(database, -1, upTo);
		return { database, bucket: (await miniflare.getR2Bucket(`zones${name}`)) as unknown as R2Bucket };
	};
	return { full: await take(), empty: take, bare: () => databaseOf(next()), stop: () => miniflare.dispose() };
}

/** The same registry, whose database dies at the call numbered `calls`. */
export function dyingAfter({ database, bucket }: RegistryStorage, calls: number): RegistryStorage {
	let left = calls;
	/** What stands behind the statements that this one has handed out: a batch wants those. */
	const behind = new WeakMap<object, object>();
	const dying = <Target extends object>(target: Target): Target => {
		const proxy = new Proxy(target, {
			get(_, name) {
				const member: unknown = Reflect.get(target, name);
				if (typeof member !== "function") return member;
				if (!["prepare", "bind", "batch"].includes(String(name))) return member.bind(target);
				return (...values: unknown[]) => {
					left -= 1;
					if (left < 0) throw new Error("the line is cut");
					if (name === "batch")
						return member.call(
							target,
							(values[0] as object[]).map((one) => behind.get(one)),
						);
					return dying(member.apply(target, values));
				};
			},
		});
		behind.set(proxy, target);
		return proxy;
	};
	return { database: dying(database), bucket };
}

/** Puts the rows of tables in the place of those that are there, without the triggers. */
async function replaceRows(database: D1Database, rows: ReadonlyMap<string, string>): Promise<void> {
	const triggers = await database
		.prepare("select name, sql from sqlite_master where type = 'trigger'")
		.all<{ name: string; sql: string }>();
	const put = async ([name, text]: [string, string]) => {
		const { results: columns } = await database.prepare(`select name from pragma_table_info('${name}')`).all();
		const names = columns.map((column) => String(column.name));
		const values = names.map((column) => `json_extract(value, '$."${column}"')`).join();
		const into = `insert into "${name}" (${names.map((column) => `"${column}"`).join()})`;
		return database.prepare(`${into} select ${values} from json_each(?)`).bind(text);
	};
	const statements = [
		...triggers.results.map(({ name }) => database.prepare(`drop trigger "${name}"`)),
		...Array.from(rows.keys(), (name) => database.prepare(`delete from "${name}"`)),
		...(await Promise.all(Array.from(rows, put))),
		...triggers.results.map(({ sql }) => database.prepare(sql)),
	];
	await database.batch(statements);
}

/** Notes the state of a database. Returns a function that takes it back there, as D1's Time Travel does: all of it, whatever it is. */
export async function noteMoment(database: D1Database): Promise<() => Promise<void>> {
	const { results: tables } = await database
		.prepare(
			"select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like '\\_cf%' escape '\\'",
		)
		.all<{ name: string }>();
	const rows = new Map<string, string>();
	for (const { name } of tables)
		rows.set(name, JSON.stringify((await database.prepare(`select * from "${name}"`).all()).results));
	return () => replaceRows(database, rows);
}

/** Loses every row, as with the database itself: the tables are made again, and are empty. */
export async function loseDatabase({ database }: Pick<RegistryStorage, "database">): Promise<void> {
	const queues = ["journal_queue", "account_journal_queue", "journal_written"];
	const tables = [...(await tablesOf(database)).map(({ name }) => name), ...queues];
	await replaceRows(database, new Map(tables.map((name) => [name, "[]"])));
}

/** Runs a statement in the database of a registry, and returns its rows. */
export async function query(
	{ database }: Pick<RegistryStorage, "database">,
	statement: string,
	...values: unknown[]
): Promise<Record<string, unknown>[]> {
	const { results } = await database
		.prepare(statement)
		.bind(...values)
		.all();
	return results;
}
