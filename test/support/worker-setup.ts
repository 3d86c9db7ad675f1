/** Runs before each test file of the Worker: files share a worker, and each finds storage and memory as a new one has them. */
import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { hashCheaply } from "./cheap-hashes.ts";
import { settle } from "./client.ts";
import { seen } from "./contract.ts";
import "./clock.ts";
import { allDatabases, fillHomes, rowsIn } from "../support/databases.ts";
import { secretsIn, watched } from "./secrecy.ts";
import { waitPatiently } from "./waits.ts";

hashCheaply();
waitPatiently();
// What the file before has left running may bring its database back.
const hasTables = async (database: D1Database) =>
	(await rowsIn(database, "select 1 from sqlite_master where name = 'users'")).length > 0;
do await reset();
while ((await Promise.all(allDatabases.map(hasTables))).includes(true));
for (const database of allDatabases) await applyD1Migrations(database, env.TEST_MIGRATIONS);
await fillHomes();
await env.ZONES.put("world.zones", env.TEST_ZONES);
seen.clear();
watched.length = 0;

afterAll(async () => {
	await settle();
	const leaks = watched.filter(({ text }) => secretsIn(text).length > 0);
	expect(leaks, "log lines and errors that hold a secret").toEqual([]);
});
