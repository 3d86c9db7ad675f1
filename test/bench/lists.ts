/**
 * How long the first page of an owner's list takes in SQLite, where the owner has 30 live addresses, beside 0 and 100,000 retired ones. Exits
 * with 1 when it takes longer than the goal. `node test/bench/lists.ts`
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { drizzle } from "drizzle-orm/d1";
import { addressStoreOf } from "../../src/addresses/store.ts";
import { median } from "../support/median.ts";

const RETIRED = 100_000;
const ROUNDS = 501;
const MILLISECONDS_MAX = 0.2;
const migrations = path.join(import.meta.dirname, "../../migrations");

/** The statement that the registry sends for the page, and its values. */
function statementOf(): { sql: string; values: (string | number)[] } {
	const sent = { sql: "", values: [] as (string | number)[] };
	const bind = (...values: (string | number)[]) => Object.assign(sent, { values });
	const prepare = (sql: string) => Object.assign(sent, { sql }) && { bind };
	addressStoreOf(drizzle({ prepare } as unknown as D1Database))
		.ownedBy("owner", 21)
		.bind();
	return sent;
}

function millisecondsWith(retired: number): number {
	const database = new DatabaseSync(":memory:");
	for (const name of readdirSync(migrations)
		.filter((name) => name.endsWith(".sql"))
		.sort()) {
		database.exec(readFileSync(path.join(migrations, name), "utf8").replaceAll("--> statement-breakpoint", ""));
	}
	const insert = database.prepare(
		"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at, retired_at) values (?, 'Lagos', 6.5, 3.4, '', 'owner', ?, ?)",
	);
	database.exec("begin");
	for (let row = 0; row < retired + 30; row += 1) insert.run(`ZZ${row}`, row, row < retired ? row : null);
	database.exec("commit");
	const { sql, values } = statementOf();
	const page = database.prepare(sql);
	const times = Array.from({ length: ROUNDS }, () => {
		const started = performance.now();
		if (page.all(...values).length !== 21) throw new Error("The page is not full");
		return performance.now() - started;
	});
	return median(times);
}

const [without, beside] = [millisecondsWith(0), millisecondsWith(RETIRED)];
console.log(
	`owner's list: ${without.toFixed(3)} ms; beside ${RETIRED} retired ${beside.toFixed(3)} ms, goal ${MILLISECONDS_MAX} ms`,
);
if (beside > MILLISECONDS_MAX) process.exitCode = 1;
