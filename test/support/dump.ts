/** Registries as earlier releases left them, which test/upgrade/fill.ts has written into files. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { selectLines } from "../../src/cli/tables.ts";
import { migrate } from "./migrate.ts";
import { ALL_SECRETS } from "./serve.ts";

const FOLDER = path.join(import.meta.dirname, "../upgrade");

type Rows = Record<string, Record<string, unknown>[]>;

/** An account with two public addresses, a private one with a link, and one in another database. */
export interface Settled {
	id: string;
	phone: string;
	refresh: string;
	codes: string[];
	link: string;
}

/** What test/upgrade/fill.ts has written. */
export interface Dump {
	commit: string;
	/** Versions before 1.0.0 had one for everything. */
	secrets: string | typeof ALL_SECRETS;
	dumpedAt: number;
	rows: Rows;
	/** Rows of the other databases, by their bindings; none before 1.3.0. */
	rowsApart?: Record<string, Rows>;
	objects: { key: string; bytes: string; customMetadata: Record<string, string> }[];
	/** The files of a backup, by their paths in it. */
	backup: Record<string, string>;
	client: {
		password: string;
		newPassword: string;
		phones: { owners: string[]; suspended: string; closed: string; changed: string };
		refresh: string[];
		keys: Record<"writing" | "reading" | "revoked", string>;
		codes: string[];
		idempotent: { token: number; key: string; body: object; canonical: string }[];
		links: { code: string; link: string }[];
		reports: string[];
		answers: Record<string, { status: number; body: Record<string, unknown> }>;
		/** Accounts that their holders closed: two of them simply, one that DB_KE was not told of, and one that is about to be erased. */
		closedOwners?: Settled[];
		/** Accounts whose recovery in person an operator asked for: one for which it is due, and one whose code an agent was shown. */
		recovered?: { due: Settled; shown: Settled & { recoveryCode: string } };
		/** An account at whose private address an agent was, who also attested another phone number of theirs. */
		visited?: Settled & { pendingPhone: string };
		/** An Idempotency-Key that is older than a week. */
		old?: { key: string; body: object; canonical: string };
		meters?: { items: object[] };
		sandbox?: string;
		keysOfVisited?: Record<"test" | "feed", string>;
	};
}

/** The files of dumps, those of the oldest release first. */
export const dumps = readdirSync(FOLDER)
	.filter((name) => name.endsWith(".json.gz"))
	.sort(new Intl.Collator("en", { numeric: true }).compare);

export const readDump = (name: string) =>
	JSON.parse(gunzipSync(readFileSync(path.join(FOLDER, name))).toString()) as Dump;

/** The secrets of the Worker that made it, with those that it did not have yet. */
export const secretsOf = ({ secrets }: Dump) => ({
	...ALL_SECRETS,
	...(typeof secrets === "string" ? { JWT_SECRETS: secrets } : secrets),
});

/** The number of the last migration of the release. */
export const lastMigration = ({ rows }: Dump) =>
	Math.max(...rows.d1_migrations!.map(({ name }) => Number.parseInt(String(name), 10)));

/** Times of the dump as if it had been made now, so that nothing in it has expired. */
function asOfNow(row: Record<string, unknown>, dumpedAt: number): Record<string, unknown> {
	const isTime = (value: unknown) => typeof value === "number" && Math.abs(value - dumpedAt) < 400 * 86_400_000;
	return Object.fromEntries(
		Object.entries(row).map(([name, value]) => [name, isTime(value) ? Number(value) + Date.now() - dumpedAt : value]),
	);
}

/** Makes a database as the release left it: its migrations, and nothing but its rows. */
async function fillDatabase(database: D1Database, rows: Rows, { dumpedAt }: Dump): Promise<void> {
	const { results: triggers } = await database
		.prepare("select name, sql from sqlite_master where type = 'trigger'")
		.all<{ name: string; sql: string }>();
	const statements = Object.entries(rows)
		.filter(([table]) => table !== "d1_migrations")
		.flatMap(([table, all]) => {
			const { "#": _, ...first } = all[0] ?? {};
			const columns = Object.keys(first);
			if (columns.length === 0) return [database.prepare(`delete from "${table}"`)];
			const names = columns.map((column) => `"${column}"`).join(", ");
			const insert = `insert into "${table}" (rowid, ${names}) ${selectLines(["#", ...columns])}`;
			const lines = JSON.stringify(all.map((row) => asOfNow(row, dumpedAt)));
			return [database.prepare(`delete from "${table}"`), database.prepare(insert).bind(lines)];
		});
	await database.batch([
		...triggers.map(({ name }) => database.prepare(`drop trigger "${name}"`)),
		...statements,
		...triggers.map(({ sql }) => database.prepare(sql)),
	]);
}

/** Makes a registry without tables as the release left it: its databases with its own migrations, and its bucket. */
export async function fillRegistry({ database, apart = {}, bucket }: RegistryStorage, dump: Dump): Promise<void> {
	for (const [name, rows] of [["", dump.rows] as const, ...Object.entries(dump.rowsApart ?? {})]) {
		const own = name ? apart[name]! : database;
		await migrate(own, -1, lastMigration(dump));
		await fillDatabase(own, rows, dump);
	}
	for (const { key, bytes, customMetadata } of dump.objects)
		await bucket.put(key, Buffer.from(bytes, "base64"), { customMetadata });
}

/** Gives a registry the tables of this version, as `npm run deploy` does before it sends the Worker. */
export async function migrateRegistry({ database, apart = {} }: RegistryStorage, dump: Dump): Promise<void> {
	for (const own of [database, ...Object.values(apart)]) await migrate(own, lastMigration(dump));
}
