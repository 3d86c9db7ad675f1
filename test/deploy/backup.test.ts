import { hash } from "node:crypto";
import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBackups, rowsIn } from "../../src/cli/backup.ts";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { importRegistry } from "../../src/cli/import.ts";
import { restoreBackup } from "../../src/cli/restore.ts";
import { selectLines, tablesOf } from "../../src/cli/tables.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { DEMO_CODE } from "../../src/codes/demo.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { editionName, readDirectory } from "../../src/zones/format.ts";
import { dyingAfter, emptyRegistries } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fillTables } from "../support/random-rows.ts";
import { SECRETS } from "../support/serve.ts";

const ADDRESSES = 3_500;
/** So that the addresses make several parts. */
const PART_ROWS = 1_500;
const INDEX = "zones/world.zones";
const silent = () => {};
const secrets = readSigningSecrets(SECRETS);

const registries = await emptyRegistries();
afterAll(() => registries.stop());
const folder = temporaryFolder();
/** What the full one holds. */
let rows: Record<string, unknown[]>;
/** A backup of a registry with no rows but those that every one has. */
const small = path.join(folder, "small");

beforeAll(async () => {
	await fillTables(registries.full, ADDRESSES);
	rows = await rowsOf(registries.full);
	await registries.full.bucket.put("world.zones", readFileSync(INDEX));
	await exportRegistry(registries.full, path.join(folder, "whole"), silent, secrets, PART_ROWS);
	const other = await registries.empty();
	await other.bucket.put("world.zones", readFileSync(INDEX));
	await exportRegistry(other, small, silent, secrets);
});

/** Every row of every table, for comparison. */
async function rowsOf({ database }: Pick<RegistryStorage, "database">): Promise<Record<string, unknown[]>> {
	const tables = await tablesOf(database);
	const read = await database.batch(
		tables.map(({ name }) => database.prepare(`select * from "${name}" order by rowid`)),
	);
	return Object.fromEntries(tables.map(({ name }, index) => [name, read[index]!.results]));
}

function copyOf(name: string): string {
	const copy = path.join(folder, name);
	rmSync(copy, { recursive: true, force: true });
	return copy;
}

describe("a backup", () => {
	it("counts what it holds, and hashes it", async () => {
		const manifest = JSON.parse(readFileSync(path.join(folder, "whole/manifest.json"), "utf8"));
		expect(Object.keys(rows).length).toBeGreaterThan(10);
		for (const [table, { length }] of Object.entries(rows)) expect(rowsIn(manifest.tables[table])).toBe(length);
		// The examples of the documentation are in every registry.
		const { tables } = JSON.parse(readFileSync(path.join(small, "manifest.json"), "utf8"));
		expect(rowsIn(manifest.tables.addresses)).toBe(ADDRESSES + rowsIn(tables.addresses));
		expect(manifest.tables.addresses.length).toBeGreaterThan(1);
		expect(manifest.zoneIndex.bytes).toBe(readFileSync(INDEX).length);
	});

	it("holds no sandbox address but the fixed ones, nor what is said of it", async () => {
		const target = await registries.empty();
		const [{ owner_id: owner }] = rows.users!.map((row) => ({ owner_id: (row as { id: string }).id })) as [
			{ owner_id: string },
		];
		await target.database.batch(
			["ZZ137748215", "NG137748223"].flatMap((code) => [
				target.database
					.prepare(
						"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values (?, 'z', 1, 1, '', ?, 1)",
					)
					.bind(code, owner),
				target.database
					.prepare("insert into units (canonical, unit, label, created_at) values (?, '1', '', 1)")
					.bind(code),
			]),
		);
		const backup = path.join(folder, "sandbox");
		await exportRegistry(target, backup, silent, secrets);
		const codesIn = (table: string) =>
			readFileSync(path.join(backup, `${table}.0.ndjson`), "utf8").match(/"(NG137748223|ZZ\d{9})"/g);
		expect(codesIn("units")).toEqual(['"NG137748223"']);
		expect(codesIn("addresses")).not.toContain('"ZZ137748215"');
		expect(codesIn("addresses")).toContain('"ZZ000000009"');
		const other = await registries.empty();
		await importRegistry(other, backup, silent, { secrets });
		expect((await rowsOf(other)).addresses).toHaveLength((await rowsOf(target)).addresses!.length - 1);
	});

	it("is for who made it alone", () => {
		const whole = path.join(folder, "whole");
		expect(statSync(whole).mode & 0o777).toBe(0o700);
		for (const name of readdirSync(whole))
			expect([name, statSync(path.join(whole, name)).mode & 0o777]).toEqual([name, 0o600]);
	});

	it("brings every row into an empty registry as it was, and the zone index", async () => {
		const target = await registries.empty();
		await importRegistry(target, path.join(folder, "whole"), silent, { secrets });
		expect(await rowsOf(target)).toEqual(rows);
		const index = await (await target.bucket.get("world.zones"))?.arrayBuffer();
		expect(Buffer.from(index!).equals(readFileSync(INDEX))).toBe(true);
		// What a backup holds need not be in the journal.
		const queued = await target.database.prepare("select count(*) as queued from journal_queue").first();
		expect(queued).toEqual({ queued: 0 });
	});

	it("sets an index aside that its addresses are not of, and puts its own in its place", async () => {
		const target = await registries.empty();
		await target.bucket.put("world.zones", "another");
		await target.bucket.put("renewal", JSON.stringify({ edition: "all were compared with", after: null }));
		const said: string[] = [];
		await importRegistry(target, small, (line) => said.push(line), { secrets });
		expect(said.at(-1)).toMatch(
			/^The bucket held another zone index, which cannot be read\. It was renamed to set-aside\/unreadable\.zones, and \S+ of the backup is served\.$/,
		);
		expect(await (await target.bucket.get("set-aside/unreadable.zones"))?.text()).toBe("another");
		const index = await (await target.bucket.get("world.zones"))?.arrayBuffer();
		expect(Buffer.from(index!).equals(readFileSync(INDEX))).toBe(true);
		// So the hourly job compares with it what the backup brought.
		expect(await target.bucket.head("renewal")).toBeNull();
	});

	it("brings back the index to which the registry had returned from a later edition", async () => {
		const { database, bucket } = await registries.empty();
		const index = readFileSync(INDEX);
		await bucket.put("world.zones", index);
		const insert = database.prepare(
			"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at, edition) values (?, 'z', 1, 1, '', 'usr_1', ?, ?)",
		);
		const served = editionName(readDirectory(new Uint8Array(index)));
		await database.batch([insert.bind("NG137700011", 1, "9-00000000"), insert.bind("NG137700029", 2, served)]);
		const backup = path.join(folder, "returned");
		await exportRegistry({ database, bucket }, backup, silent, secrets);
		const target = await registries.empty();
		const said: string[] = [];
		await importRegistry(target, backup, (line) => said.push(line), { secrets });
		expect(said.at(-1)).toBe(`The zone index ${served} of the backup is in the bucket again.`);
	});

	it("goes on where an export was cut off, with the same result", async () => {
		const resumed = copyOf("resumed");
		for (let calls = 1; !existsSync(path.join(resumed, "manifest.json")); calls += 9) {
			await exportRegistry(dyingAfter(registries.full, calls), resumed, silent, secrets, PART_ROWS).catch(
				(error: Error) => expect(error.message).toBe("the line is cut"),
			);
			// Half a line that was written as the power went.
			const cut = path.join(resumed, "addresses.1.ndjson");
			if (existsSync(cut) && !existsSync(path.join(resumed, "manifest.json"))) appendFileSync(cut, '{"canonical":"NG');
		}
		const tablesIn = (name: string) =>
			JSON.parse(readFileSync(path.join(folder, name, "manifest.json"), "utf8")).tables;
		expect(tablesIn("resumed")).toEqual(tablesIn("whole"));
	});

	it("goes on where an import was cut off", async () => {
		const target = await registries.empty();
		let cuts = 0;
		for (let calls = 80; ; calls += 30) {
			try {
				await importRegistry(dyingAfter(target, calls), path.join(folder, "whole"), silent, { secrets });
				break;
			} catch (error) {
				expect((error as Error).message).toBe("the line is cut");
				cuts += 1;
			}
		}
		expect(cuts).toBeGreaterThan(1);
		expect(await rowsOf(target)).toEqual(rows);
	});
});

describe("a backup of an older version", () => {
	const EXAMPLES = "owner_id = 'usr_nobody'";
	const ofOthers = async ({ database }: RegistryStorage, columns: string) =>
		(await database.prepare(`select ${columns} from addresses where not ${EXAMPLES} order by rowid`).all()).results;
	const ofNobody = async ({ database }: RegistryStorage) =>
		(await database.prepare(`select * from addresses where ${EXAMPLES} order by rowid`).all()).results;
	const codesOfExamples = async ({ database }: RegistryStorage) =>
		(await database.prepare(`select canonical from addresses where ${EXAMPLES} order by canonical`).raw()).flat();

	it("is imported and restored, though its tables are fewer and its examples stand elsewhere or are missing", async () => {
		// Addresses from before a migration that brings examples, and from before one that brings a table.
		const old = await registries.empty();
		const examplesOfOld = await ofNobody(old);
		await old.database.batch(
			[`delete from addresses where ${EXAMPLES}`, "drop table reports"].map((text) => old.database.prepare(text)),
		);
		const insert = (codes: string) =>
			`insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) select value, 'z', 0.1, 1e-7, 'l', 'usr_1', 5 from json_each('${codes}')`;
		await old.database.prepare(insert('["NG000100011", "NG000100029"]')).run();
		const again = `insert into addresses ${selectLines(Object.keys(examplesOfOld[0]!))}`;
		await old.database.prepare(again).bind(JSON.stringify(examplesOfOld)).run();
		await old.database.prepare(insert('["NG000100037"]')).run();
		await old.database.prepare("delete from addresses where canonical = 'ZZ000000017'").run();
		const backup = path.join(folder, "old");
		const { tables } = await exportRegistry(old, backup, silent, secrets, 2);
		expect(Object.keys(tables)).not.toContain("reports");

		const target = await registries.empty();
		const [known, examples] = [await ofOthers(old, "*"), await codesOfExamples(target)];
		const columns = Object.keys(known[0]!).join(", ");
		await expect(importRegistry(dyingAfter(target, 60), backup, silent, { secrets })).rejects.toThrow(
			"the line is cut",
		);
		for (const _ of ["goes on", "is whole"]) {
			await importRegistry(target, backup, silent, { secrets });
			expect(await ofOthers(target, columns)).toEqual(known);
			expect(await codesOfExamples(target)).toEqual(examples);
		}
		const told = await target.database.prepare("select kind from changes").all();
		expect(told.results).toEqual([{ kind: "reset" }]);

		await target.database.prepare("delete from addresses where canonical = 'NG000100029'").run();
		await target.database.prepare("update addresses set label = '' where canonical = 'NG000100011'").run();
		const { remarks } = await restoreBackup(target, backup, {
			secrets,
			saveTo: path.join(folder, "before-old"),
			isReviving: false,
			report: silent,
		});
		expect(remarks).toEqual([expect.stringMatching(/^1 addresses were reverted to the state .*: NG000100011\.$/)]);
		const contents = "canonical, label, lat, lng, owner_id, visibility";
		const sorted = async (registry: RegistryStorage) =>
			(await ofOthers(registry, contents)).map((row) => JSON.stringify(row)).sort();
		expect(await sorted(target)).toEqual(await sorted(old));
		expect(await codesOfExamples(target)).toEqual(examples);
	});

	it("is refused with the way to bring it back, where it is of another form", async () => {
		const other = copyOf("other-form");
		cpSync(small, other, { recursive: true });
		const manifest = JSON.parse(readFileSync(path.join(other, "manifest.json"), "utf8"));
		for (const [version, remedy] of [
			[1, /was written by an older version of the registry\. Import it with that version, then deploy this one/],
			[5, /is not the manifest of a backup that this version can read\. Use a newer version/],
		] as const) {
			const { sha256: _, ...rest } = manifest;
			writeFileSync(path.join(other, "manifest.json"), JSON.stringify({ ...rest, version }));
			await expect(importRegistry(registries.full, other, silent, { secrets })).rejects.toThrow(remedy);
		}
	});
});

describe("an import refuses", () => {
	it("a registry with a row of its own, and leaves it as it is", async () => {
		const target = await registries.empty();
		await target.database.prepare("insert into daily_counts (subject, day, count) values ('own', 1, 1)").run();
		await expect(importRegistry(target, path.join(folder, "whole"), silent, { secrets })).rejects.toThrow(
			/not empty.*daily_counts/,
		);
		const { addresses } = await rowsOf(target);
		expect(addresses).toContainEqual(expect.objectContaining({ canonical: DEMO_CODE }));
		expect(addresses!.length).toBeLessThan(ADDRESSES);
	});

	it("a damaged file, an unfinished backup and a database that lacks a migration", async () => {
		const target = await registries.empty();
		const damaged = copyOf("damaged");
		cpSync(small, damaged, { recursive: true });
		const file = path.join(damaged, "addresses.0.ndjson");
		writeFileSync(file, `${readFileSync(file, "utf8")} `);
		await expect(importRegistry(target, damaged, silent, { secrets })).rejects.toThrow(
			/addresses\.0\.ndjson is not the file/,
		);
		rmSync(file);
		await expect(importRegistry(target, damaged, silent, { secrets })).rejects.toThrow(
			/addresses\.0\.ndjson is missing/,
		);
		const manifest = path.join(damaged, "manifest.json");
		const text = readFileSync(manifest, "utf8");
		for (const changed of [text.replace('"startedAt": "20', '"startedAt": "21'), text.slice(0, -9)]) {
			writeFileSync(manifest, changed);
			await expect(importRegistry(target, damaged, silent, { secrets })).rejects.toThrow(
				/manifest\.json has been changed or damaged/,
			);
		}
		const { sha256: _, signature: __, ...rest } = JSON.parse(text);
		const old = { ...rest, migrations: ["0000_registry.sql"] };
		writeFileSync(manifest, JSON.stringify({ ...old, sha256: hash("sha256", JSON.stringify(old)) }));
		cpSync(path.join(small, "addresses.0.ndjson"), file);
		await expect(importRegistry(target, damaged, silent, { secrets, isForeign: true })).rejects.toThrow(
			/made by a version before 0\.9\.0/,
		);
		rmSync(manifest);
		await expect(importRegistry(target, damaged, silent, { secrets })).rejects.toThrow(/no finished backup/);
		await target.database.prepare("delete from d1_migrations where name like '0001%'").run();
		await expect(importRegistry(target, small, silent, { secrets })).rejects.toThrow(/lacks the migrations 0001/);
		expect((await rowsOf(target)).users).toEqual([]);
	});

	it("as an export refuses a folder that holds a finished backup", async () => {
		await expect(exportRegistry(registries.full, path.join(folder, "whole"), silent, secrets)).rejects.toThrow(
			/Name another folder/,
		);
	});

	it("as an export refuses a folder that holds anything else, and writes nothing there", async () => {
		const other = path.join(folder, "checkout");
		mkdirSync(other);
		writeFileSync(path.join(other, "package.json"), "{}");
		await expect(exportRegistry(registries.full, other, silent, secrets)).rejects.toThrow(
			/checkout holds something else\. Name a new folder/,
		);
		expect(readdirSync(other)).toEqual(["package.json"]);
	});

	it("that is not there is named with those that are", async () => {
		const wanted = path.join(folder, "oen");
		await expect(readBackups(wanted)).rejects.toThrow(/There is no backup .*oen\. There are .*small.*\. A backup/);
		const nowhere = path.join(folder, "checkout", "nowhere", "oen");
		await expect(readBackups(nowhere)).rejects.toThrow(/nowhere contains no backups\./);
	});
});
