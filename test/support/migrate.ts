import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const MIGRATIONS = path.join(import.meta.dirname, "../../migrations");

/**
 * Makes the tables of a database, with the one in which wrangler keeps what it has applied: in one trip, not in three hundred.
 * @param after Number of the last migration that it has.
 * @param upTo Number of the last migration that it gets.
 */
export async function migrate(database: Pick<D1Database, "exec">, after = -1, upTo = 9_999): Promise<void> {
	const isWanted = (name: string) => Number.parseInt(name, 10) > after && Number.parseInt(name, 10) <= upTo;
	const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql") && isWanted(name));
	const statements = names
		.sort()
		.flatMap((name) => [
			`insert into d1_migrations (name) values ('${name}')`,
			...readFileSync(path.join(MIGRATIONS, name), "utf8").split("--> statement-breakpoint"),
		]);
	await database.exec(
		[
			"create table if not exists d1_migrations (id integer primary key autoincrement, name text unique, applied_at text)",
			...statements,
		]
			// D1 takes a statement from each line.
			.map((statement) =>
				statement
					.replace(/^\s*--.*$/gm, "")
					.replaceAll(/\s*\n\s*/g, " ")
					.trim(),
			)
			.filter(Boolean)
			.join("\n"),
	);
}
