import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

const MIGRATIONS = path.join(import.meta.dirname, "../../migrations");

/** The statements of migrations, one a line, with the table in which wrangler keeps what it has applied. */
function statementsOf(after: number, upTo: number): string[] {
	const isWanted = (name: string) => Number.parseInt(name, 10) > after && Number.parseInt(name, 10) <= upTo;
	const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql") && isWanted(name));
	return [
		"create table if not exists d1_migrations (id integer primary key autoincrement, name text unique, applied_at text)",
		...names
			.sort()
			.flatMap((name) => [
				`insert into d1_migrations (name) values ('${name}')`,
				...readFileSync(path.join(MIGRATIONS, name), "utf8").split("--> statement-breakpoint"),
			]),
	]
		.map((statement) =>
			statement
				.replace(/^\s*--.*$/gm, "")
				.replaceAll(/\s*\n\s*/g, " ")
				.trim(),
		)
		.filter(Boolean);
}

/**
 * Makes the tables of a database in one trip, not in three hundred: D1 takes a statement from each line.
 * @param after Number of the last migration that it has.
 * @param upTo Number of the last migration that it gets.
 */
export async function migrate(database: Pick<D1Database, "exec">, after = -1, upTo = 9_999): Promise<void> {
	await database.exec(statementsOf(after, upTo).join("\n"));
}

/** Migrates a database in this process, as `migrate` does. */
export function migrateHere(database: DatabaseSync, after = -1, upTo = 9_999): void {
	for (const statement of statementsOf(after, upTo)) database.exec(statement);
}

/** A database in this process, with the tables made and no rows but those that every registry has. */
export function memoryDatabase(): DatabaseSync {
	const database = new DatabaseSync(":memory:");
	migrateHere(database);
	return database;
}
