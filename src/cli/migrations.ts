/** The migrations of a registry's databases: those of this version, and those that a database or a backup has. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.join(import.meta.dirname, "../../migrations");

/** The first migration of version 0.9.0, the oldest version from which a registry can be upgraded. */
const BASELINE = "0000_tables.sql";

/** Names of the migrations of this version, in order. */
export function migrationNames(): string[] {
	return readdirSync(FOLDER)
		.filter((name) => name.endsWith(".sql"))
		.sort();
}

/**
 * @param migrations Names of the migrations that a database or a backup has; empty if it has no tables yet.
 * @param what Such as `This database`.
 * @param remedy What to do instead of an upgrade.
 * @throws Error when they are those of a version before 0.9.0.
 */
export function requireBaseline(migrations: readonly string[], what: string, remedy: string): void {
	if (migrations.length === 0 || migrations.includes(BASELINE)) return;
	throw new Error(`${what} was made by a version before 0.9.0, which no later version can upgrade: ${remedy}.`);
}

/** Names of the migrations that a database has, which determine what its tables look like. */
export async function migrationsOf(database: D1Database): Promise<string[]> {
	const { results } = await database
		.prepare("select name from d1_migrations order by id")
		.all<{ name: string }>()
		.catch((cause) => {
			throw new Error(
				"The database has no tables. Create them with `npx wrangler d1 migrations apply DB --remote`, or with --local on this machine.",
				{ cause },
			);
		});
	return results.map(({ name }) => name);
}

/** Makes the tables of an empty local database, as a deployment does. */
export async function makeTables(database: D1Database): Promise<void> {
	const statements = migrationNames().flatMap((name) => [
		...readFileSync(path.join(FOLDER, name), "utf8").split("--> statement-breakpoint"),
		`insert into d1_migrations (name) values ('${name}')`,
	]);
	const plain = [
		"create table d1_migrations (id integer primary key autoincrement, name text unique, applied_at text)",
		...statements,
	]
		.map((statement) => statement.replaceAll(/^\s*--.*$/gm, "").trim())
		.filter((statement) => statement !== "");
	await database.batch(plain.map((statement) => database.prepare(statement)));
}
