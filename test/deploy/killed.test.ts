/** The commands themselves, killed with SIGKILL together with the database under them, as on a machine that loses power. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { getPlatformProxy } from "wrangler";
import { maintainJournal } from "../../src/addresses/journal.ts";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { tablesOf } from "../../src/cli/tables.ts";
import { wrapDatabase } from "../../src/db/open.ts";
import type { Bindings } from "../../src/env.ts";
import { pruneAndPack } from "../../src/journal/maintain.ts";
import { rateLimitBindings } from "../../src/settings/limits.ts";
import { temporaryFolder } from "../support/folder.ts";
import { migrate } from "../support/migrate.ts";
import { fillTables } from "../support/random-rows.ts";
import { ALL_SECRETS, SECRETS } from "../support/serve.ts";

const ADDRESSES = 2_000;
const COMMAND = path.join(import.meta.dirname, "../../src/cli/registry.ts");
const CONFIG = `
name = "address-registry"
compatibility_date = "2026-10-01"
d1_databases = [{ binding = "DB", database_name = "address-registry" }]
r2_buckets = [{ binding = "ZONES", bucket_name = "address-registry-zones" }]
`;

const folder = temporaryFolder();

/** A machine with a local registry of its own, such as `npm start` keeps. */
function machine(name: string, config = CONFIG): string {
	const home = path.join(folder, name);
	mkdirSync(home);
	writeFileSync(path.join(home, "wrangler.toml"), config);
	return home;
}

async function withRegistry<Answer>(
	home: string,
	work: (registry: RegistryStorage & { nigeria: D1Database }) => Promise<Answer>,
): Promise<Answer> {
	const { env, dispose } = await getPlatformProxy<{ DB: D1Database; DB_NG: D1Database; ZONES: R2Bucket }>({
		configPath: path.join(home, "wrangler.toml"),
		persist: { path: path.join(home, ".wrangler/state/v3") },
		remoteBindings: false,
	});
	try {
		return await work({ database: env.DB, bucket: env.ZONES, nigeria: env.DB_NG });
	} finally {
		await dispose();
	}
}

/** Every row of every table, in an order of its own. */
function rowsIn(home: string): Promise<Record<string, string[]>> {
	return withRegistry(home, async ({ database }) => {
		const tables = await tablesOf(database);
		const read = await database.batch(tables.map(({ name }) => database.prepare(`select * from "${name}"`)));
		const lines = read.map(({ results }) => results.map((row) => JSON.stringify(row)).sort());
		return Object.fromEntries(tables.map(({ name }, index) => [name, lines[index]!]));
	});
}

/**
 * Runs a command to its end, or kills it with all that it started some milliseconds after it has printed a line.
 * @returns What it printed, and whether it was killed.
 */
function run(home: string, args: string[], killAt?: RegExp, milliseconds = 0) {
	return new Promise<{ printed: string; isKilled: boolean; status: number | null }>((resolve) => {
		const env = { ...process.env, JOURNAL_SECRETS: SECRETS };
		const child = spawn(process.execPath, [COMMAND, ...args], { cwd: home, detached: true, env });
		let printed = "";
		let isDoomed = false;
		child.stdout.on("data", (text: Buffer) => {
			printed += text;
			if (isDoomed || !killAt?.test(printed)) return;
			isDoomed = true;
			setTimeout(() => process.kill(-child.pid!, "SIGKILL"), milliseconds);
		});
		child.stderr.on("data", (text: Buffer) => {
			printed += text;
		});
		child.on("close", (status, signal) => resolve({ printed, isKilled: signal === "SIGKILL", status }));
	});
}

/** Kills a command at each of some moments, one run after the other, then lets it end. Returns what the last run printed. */
async function killAndEnd(home: string, args: string[], moments: [RegExp, number?][]): Promise<string> {
	for (const moment of moments) {
		const { printed, isKilled } = await run(home, args, ...moment);
		expect(isKilled, `${moment[0]}: ${printed}`).toBe(true);
		expect(printed).not.toMatch(/Restored|verified|is done/);
	}
	const { printed, status } = await run(home, args);
	expect(status, printed).toBe(0);
	return printed;
}

it("end right when they are run again: export, import, and restore after the loss of the database", async () => {
	const home = machine("home");
	await withRegistry(home, async ({ database }) => {
		await migrate(database);
		await fillTables({ database }, ADDRESSES);
		await database.batch(
			[
				"update addresses set owner_id = (select min(id) from users) where owner_id <> 'usr_nobody'",
				"update addresses set visibility = 'public' where owner_id <> 'usr_nobody'",
				// An import makes rows agree that contradict each other.
				"update users set erase_at = null",
				"update addresses set closed_with_account = 0",
				"update closed_owners set closed_at = null",
				"delete from journal_queue",
				"delete from account_journal_queue",
			].map((statement) => database.prepare(statement)),
		);
	});
	const exported = await killAndEnd(home, ["export", "older"], [[/^\w+: /], [/^(\w+: .*\n){3}/, 50]]);
	expect(exported).toMatch(/, and verified\.\n/);
	const tablesOfBackup = (name: string) =>
		JSON.parse(readFileSync(path.join(home, ".backups", name, "manifest.json"), "utf8")).tables;
	expect((await run(home, ["export", "whole"])).status).toBe(0);
	expect(tablesOfBackup("older")).toEqual(tablesOfBackup("whole"));
	const before = await rowsIn(home);

	const other = machine("other");
	cpSync(path.join(home, ".backups/older"), path.join(other, ".backups/older"), { recursive: true });
	await withRegistry(other, ({ database }) => migrate(database));
	await killAndEnd(other, ["import", "older"], [[/^\w+, /], [/^(\w+, .*\n){6}/, 100], [/^(\w+, .*\n){16}/]]);
	expect(await rowsIn(other)).toEqual(before);

	// What happened since, and the loss of the database.
	await withRegistry(home, async ({ database, bucket }) => {
		await database.batch(
			[
				"update addresses set label = 'words of today', version = version + 1 where rowid % 50 = 0 and owner_id <> 'usr_nobody'",
				"update addresses set visibility = 'private', version = version + 1 where rowid % 50 = 1 and owner_id <> 'usr_nobody'",
				"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) select 'NG7' || substr(canonical, 4), '', 1, 2, 'of today', owner_id, 5 from addresses where rowid % 100 = 2 and owner_id <> 'usr_nobody'",
			].map((statement) => database.prepare(statement)),
		);
		// Bindings that it does not use, but that have to be there.
		const others = Object.fromEntries(["ASSETS", ...rateLimitBindings].map((name) => [name, {}]));
		const bindings = { ...others, DB: database, ZONES: bucket, ...ALL_SECRETS } as unknown as Bindings;
		await maintainJournal(bindings, wrapDatabase(database));
		await pruneAndPack(bindings, Date.now());
	});
	const after = await rowsIn(home);
	rmSync(path.join(home, ".wrangler/state/v3/d1"), { recursive: true });
	await withRegistry(home, ({ database }) => migrate(database));

	const restored = await killAndEnd(
		home,
		["restore", "older"],
		[
			[/^journal: /m],
			[/^address_changes: .* put back/m, 300],
			[/^addresses: .* put back/m],
			[/^units: .* put back/m],
			[/^burnt_codes: .* not known/m],
		],
	);
	expect(restored).toContain("Restored. 0 codes were burnt and will never be issued again.");
	const restoredRows = await rowsIn(home);
	const different = Object.entries(after).flatMap(([table, lines]) => {
		// Made again when they are needed, and kept from zones that no index names.
		if (["last_codes", "overflow_zones"].includes(table)) return [];
		// Nobody is signed in by a backup.
		if (["refresh_tokens", "sessions"].includes(table)) return restoredRows[table]!;
		// The numbers of rows are the database's own.
		const content = (line: string) => line.replace(/^\{"id":\d+,/, "{");
		const [found, expected] = [restoredRows[table]!.map(content), lines.map(content)];
		const [there, wanted] = [new Set(found), new Set(expected)];
		const others = [...found.filter((line) => !wanted.has(line)), ...expected.filter((line) => !there.has(line))];
		return found.length === expected.length ? others : [`${table}: ${found.length} of ${expected.length}`, ...others];
	});
	expect(different).toEqual([]);
});

it("end right when they are run again: the move of a country into a database of its own", async () => {
	const databases = ["", "_NG"].map((name) => `{ binding = "DB${name}", database_name = "address-registry${name}" }`);
	const home = machine("moving", CONFIG.replace(/d1_databases = .*/, `d1_databases = [${databases.join(", ")}]`));
	const inNigeria = (database: D1Database) =>
		database
			.prepare("select * from addresses where canonical like 'NG%' and owner_id <> 'usr_nobody' order by rowid")
			.all()
			.then(({ results }) => results.map((row) => JSON.stringify(row)));
	const before = await withRegistry(home, async ({ database, nigeria }) => {
		for (const each of [database, nigeria]) await migrate(each);
		await fillTables({ database }, ADDRESSES);
		return inNigeria(database);
	});
	expect(before).toHaveLength(ADDRESSES);
	const moved = await killAndEnd(
		home,
		["move", "NG"],
		[
			[/^NG: from DB to DB_NG/m],
			[/^burnt_codes: .* copied/m, 20],
			[/^address_changes: .* copied/m],
			[/^addresses: the same/m],
			[/^changes: the same/m, 30],
			[/^address_changes: deleted/m, 20],
		],
	);
	expect(moved).toContain("The move of NG is done.");
	await withRegistry(home, async ({ database, nigeria }) => {
		expect(await inNigeria(nigeria)).toEqual(before);
		expect(await inNigeria(database)).toEqual([]);
	});
	const { printed, status } = await run(home, ["move", "NG"]);
	expect([status, printed]).toEqual([1, expect.stringContaining("There is nothing to move.")]);
});
