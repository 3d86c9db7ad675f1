/** Moving a country into a database of its own. The command itself is killed in killed.test.ts. */
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type MoveOptions, moveCountry } from "../../src/cli/move.ts";
import { rewindRegistry } from "../../src/cli/restore.ts";
import { tablesOf } from "../../src/cli/tables.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { emptyRegistries } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { migrate } from "../support/migrate.ts";
import { fillTables } from "../support/random-rows.ts";
import { SECRETS } from "../support/serve.ts";

const ADDRESSES = 3_000;
const folder = temporaryFolder();

let registries: Awaited<ReturnType<typeof emptyRegistries>>;
beforeAll(async () => {
	registries = await emptyRegistries();
});
afterAll(() => registries.stop());

/** A registry with addresses in Nigeria, all of its rows being of them, and an empty database for those. */
async function world(binding = "DB_NG") {
	const { database, bucket } = await registries.empty();
	const target = await registries.bare();
	await migrate(target);
	await fillTables({ database }, ADDRESSES);
	await database.batch(
		[
			"update addresses set owner_id = (select min(id) from users) where owner_id <> 'usr_nobody'",
			"insert into operator_acts (id, at, operator, act, detail, subject, user_id, reason, request_id) values ('act_1', 1, 'ada', 'hide', '', 'NG000000005', '', 'why', 'r')",
			"insert into overflow_zones (country, zone, area, ordinal, created_at) values ('NG', 9000, 1, 1, 1)",
			"delete from homes",
			"insert into daily_counts (subject, day, count) values ('NG0421:new-addresses-of-zone', 20000, 7), ('usr_NG:changes', 20000, 1)",
		].map((statement) => database.prepare(statement)),
	);
	const lines: string[] = [];
	const options: MoveOptions = {
		databases: new Map([
			["DB", database],
			[binding, target],
		]),
		bucket,
		country: "NG",
		report: (line) => void lines.push(line),
		isServedAtOnce: false,
	};
	return { database, target, bucket, options, lines };
}

const rowsOf = async (database: D1Database, query: string) =>
	(await database.prepare(query).all<Record<string, unknown>>()).results;

/** Every row with a code of Nigeria but for SQLite's own numbers, by table, in the order of rows. */
async function nigeriaIn(database: D1Database): Promise<Record<string, string[]>> {
	const tables = [
		...(await tablesOf(database)),
		{ name: "changes", columns: ["canonical", "kind", "at"], rowNumber: "seq" },
	];
	const found: Record<string, string[]> = {};
	for (const { name, columns, rowNumber } of tables) {
		if (!columns.includes("canonical")) continue;
		const kept = columns.filter((column) => column !== rowNumber).join(", ");
		const of = name === "addresses" ? " and owner_id <> 'usr_nobody'" : "";
		const rows = await rowsOf(database, `select ${kept} from "${name}" where canonical like 'NG%'${of} order by rowid`);
		found[name] = rows.map((row) => JSON.stringify(row));
	}
	return found;
}

const none = (found: Record<string, string[]>) => Object.values(found).every((rows) => rows.length === 0);

it("copies all rows with a code, and opens them where they are read, once a deployment reads them there alone", async () => {
	const { database, target, bucket, options, lines } = await world();
	const before = await nigeriaIn(database);
	expect(before.addresses).toHaveLength(ADDRESSES);
	expect(await moveCountry(options)).toBe(false);
	expect(lines.at(-1)).toContain("Run `npm run deploy` now");
	expect(await nigeriaIn(target)).toEqual(before);
	expect(await rowsOf(target, "select id from operator_acts")).toEqual([{ id: "act_1" }]);
	expect(await rowsOf(target, "select zone from overflow_zones")).toEqual([{ zone: 9000 }]);
	const counted = "select subject, count from daily_counts where day = 20000 order by subject";
	const ofZone = { subject: "NG0421:new-addresses-of-zone", count: 7 };
	expect(await rowsOf(target, counted)).toEqual([ofZone]);
	const owner = await rowsOf(database, "select places from users where id = (select min(id) from users)");
	expect(owner).toEqual([{ places: expect.stringMatching(/\bDB_NG$/) }]);

	// Neither the old Worker nor the new one writes, and both read all of it.
	const writes = [
		"update addresses set label = 'x', version = version + 1 where canonical = 'NG000000005'",
		"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values ('NG900000000', '', 0, 0, '', 'usr_a', 0)",
		"insert into reports (id, canonical, kind, text, created_at) values ('rpt_1', 'NG000000005', 'gone', '', 1)",
	];
	for (const write of writes) await expect(database.prepare(write).run()).rejects.toThrow("refused: moving");
	await expect(target.prepare(writes[0] as string).run()).rejects.toThrow("refused: moving");

	// Before the deployment it goes no further, however often it is run.
	expect(await moveCountry(options)).toBe(false);
	expect(await nigeriaIn(database)).toEqual(before);

	await bucket.put("snapshots/latest.json", "{}");
	await target.prepare("update homes set served_since = 1").run();
	expect(await moveCountry({ ...options, now: () => 200_000 })).toBe(true);
	const { changes, ...left } = await nigeriaIn(database);
	expect(none(left)).toBe(true);
	// Readers of the feed stand at rows of it, which stay until they expire.
	expect(changes).toEqual(before.changes);
	expect(await nigeriaIn(target)).toEqual(before);
	expect(await bucket.get("snapshots/latest.json")).toBeNull();
	expect(await rowsOf(database, counted)).toEqual([{ subject: "usr_NG:changes", count: 1 }]);
	expect(await rowsOf(target, counted)).toEqual([ofZone]);
	await target.prepare(writes[0] as string).run();
	expect(await rowsOf(target, "select label from addresses where canonical = 'NG000000005'")).toEqual([{ label: "x" }]);
	await expect(moveCountry(options)).rejects.toThrow("There is nothing to move.");

	// What waits for the journal would be written before, entry by entry.
	for (const each of [database, target]) await each.exec("delete from journal_queue");
	// Neither side goes back to where the other one does not have them.
	const apart = { DB_NG: target };
	const rewind = () => Promise.reject(new Error("rewound"));
	const going = (only: string, moment: number) =>
		rewindRegistry({ database, bucket, apart }, moment, rewind, {
			...{ secrets: readSigningSecrets(SECRETS), saveTo: path.join(folder, `${only}-${moment}`) },
			...{ only, isReviving: false, report: () => {} },
		});
	for (const name of ["DB", "DB_NG"]) {
		await expect(going(name, 199_999)).rejects.toThrow(
			`The addresses of NG moved to or from ${name} until 1970-01-01T00:03:20.000Z`,
		);
		await expect(going(name, 200_000)).rejects.toThrow("rewound");
	}
});

it("goes on wherever it was interrupted, and may run twice at once", async () => {
	const { database, target, options } = await world();
	const before = await nigeriaIn(database);
	for (const stop of [1, 2, 4, 7, 11, 16]) {
		let reports = 0;
		const report = () => {
			reports += 1;
			if (reports === stop) throw new Error("killed");
		};
		await expect(moveCountry({ ...options, report })).rejects.toThrow("killed");
	}
	await Promise.all([moveCountry(options), moveCountry(options)]);
	expect(await nigeriaIn(target)).toEqual(before);
	const now = () => 1e15;
	await target.prepare("update homes set served_since = 1").run();
	await Promise.all([moveCountry({ ...options, now }), moveCountry({ ...options, now })]);
	expect(await nigeriaIn(target)).toEqual(before);
	expect(await rowsOf(target, "select prefix, state from homes")).toEqual([{ prefix: "NG", state: "here" }]);
});

it("refuses a country without a binding, and a database that holds others, before anything is changed", async () => {
	const { database, target, options } = await world();
	await expect(moveCountry({ ...options, country: "KE" })).rejects.toThrow(
		'wrangler.toml binds no database for KE. Add one: [[d1_databases]] with binding = "DB_KE"',
	);
	await target
		.prepare(
			"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values ('GH000000009', '', 0, 0, '', 'usr_a', 0)",
		)
		.run();
	await expect(moveCountry(options)).rejects.toThrow("holds addresses already. Bind an empty one.");
	const into = (binding: string, other: D1Database) =>
		moveCountry({
			...options,
			databases: new Map([
				["DB", database],
				[binding, other],
			]),
		});
	await expect(into("DB_NG", await registries.bare())).rejects.toThrow(
		"The database bound as DB_NG lacks the tables of this version. Make them by `npx wrangler d1 migrations apply DB_NG`",
	);
	await target.exec(
		"delete from addresses where owner_id = 'usr_a'\ninsert into homes (prefix, state) values ('NG0', 'here')",
	);
	await expect(into("DB_NG_01", target)).rejects.toThrow("DB_NG_01 holds other codes already (NG0).");
	await expect(into("DB_NIGERIA", target)).rejects.toThrow("The binding DB_NIGERIA is not named as a database");
	expect(await rowsOf(database, "select * from homes")).toEqual([]);
});
