import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportRegistry, importRegistry, type Registry } from "../../.dev/backup.ts";
import { tablesOf } from "../../.dev/tables.ts";
import { DEMO_CODE } from "../../src/addresses/demo.ts";
import { emptyRegistries } from "../support/empty-registry.ts";
import { fillTables } from "../support/random-rows.ts";

const ADDRESSES = 5_000;
const silent = () => {};

let registries: Awaited<ReturnType<typeof emptyRegistries>>;
let folder: string;

beforeAll(async () => {
	registries = await emptyRegistries();
	folder = mkdtempSync(path.join(tmpdir(), "backup-"));
	await fillTables(registries.full, ADDRESSES);
	await registries.full.bucket.put("world.zones", "an index");
	await exportRegistry(registries.full, path.join(folder, "whole"), silent);
});
afterAll(async () => {
	await registries.stop();
	rmSync(folder, { recursive: true });
});

/** Every row of every table, for comparison. */
async function rowsOf({ database }: Pick<Registry, "database">): Promise<Record<string, unknown[]>> {
	const rows: Record<string, unknown[]> = {};
	for (const { name } of await tablesOf(database)) {
		rows[name] = (await database.prepare(`select * from "${name}" order by rowid`).all()).results;
	}
	return rows;
}

/** The same registry, whose database dies at the call numbered `calls`. */
function dyingAfter({ database, bucket }: Registry, calls: number): Registry {
	let left = calls;
	const dying = <Target extends object>(target: Target): Target =>
		new Proxy(target, {
			get(_, name) {
				const member: unknown = Reflect.get(target, name);
				if (typeof member !== "function") return member;
				if (name !== "prepare" && name !== "bind") return member.bind(target);
				return (...values: unknown[]) => {
					left -= 1;
					if (left < 0) throw new Error("the line is cut");
					return dying(member.apply(target, values));
				};
			},
		});
	return { database: dying(database), bucket };
}

function copyOf(name: string): string {
	const copy = path.join(folder, name);
	rmSync(copy, { recursive: true, force: true });
	return copy;
}

describe("a backup", () => {
	it("counts what it holds, and hashes it", async () => {
		const manifest = JSON.parse(readFileSync(path.join(folder, "whole/manifest.json"), "utf8"));
		const rows = await rowsOf(registries.full);
		expect(Object.keys(rows).length).toBeGreaterThan(10);
		for (const [table, { length }] of Object.entries(rows))
			expect(manifest.tables[table]).toMatchObject({ rows: length });
		// The demo address is in every registry.
		expect(manifest.tables.addresses.rows).toBe(ADDRESSES + 1);
		expect(manifest.zoneIndex.bytes).toBe("an index".length);
	});

	it("brings every row into an empty registry as it was, and the zone index", async () => {
		const target = await registries.empty();
		await importRegistry(target, path.join(folder, "whole"), silent);
		expect(await rowsOf(target)).toEqual(await rowsOf(registries.full));
		expect(await (await target.bucket.get("world.zones"))?.text()).toBe("an index");
	});

	it("goes on where an export was cut off, with the same result", async () => {
		const resumed = copyOf("resumed");
		for (let calls = 1; !existsSync(path.join(resumed, "manifest.json")); calls += 9) {
			await exportRegistry(dyingAfter(registries.full, calls), resumed, silent).catch((error: Error) =>
				expect(error.message).toBe("the line is cut"),
			);
			// Half a line that was written as the power went.
			const cut = path.join(resumed, "addresses.ndjson");
			if (existsSync(cut) && !existsSync(path.join(resumed, "manifest.json"))) appendFileSync(cut, '{"canonical":"NG');
		}
		const tablesIn = (name: string) =>
			JSON.parse(readFileSync(path.join(folder, name, "manifest.json"), "utf8")).tables;
		expect(tablesIn("resumed")).toEqual(tablesIn("whole"));
	});

	it("goes on where an import was cut off", async () => {
		const target = await registries.empty();
		let cuts = 0;
		for (let calls = 60; ; calls += 15) {
			try {
				await importRegistry(dyingAfter(target, calls), path.join(folder, "whole"), silent);
				break;
			} catch (error) {
				expect((error as Error).message).toBe("the line is cut");
				cuts += 1;
			}
		}
		expect(cuts).toBeGreaterThan(1);
		expect(await rowsOf(target)).toEqual(await rowsOf(registries.full));
	});
});

describe("an import refuses", () => {
	it("a registry with a row of its own, and leaves it as it is", async () => {
		const target = await registries.empty();
		await target.database.prepare("insert into daily_counts (subject, day, count) values ('own', 1, 1)").run();
		await expect(importRegistry(target, path.join(folder, "whole"), silent)).rejects.toThrow(/not empty.*daily_counts/);
		expect((await rowsOf(target)).addresses).toMatchObject([{ canonical: DEMO_CODE }]);
	});

	it("a damaged file, an unfinished backup and a database that lacks a migration", async () => {
		const target = await registries.empty();
		const damaged = copyOf("damaged");
		await exportRegistry(registries.full, damaged, silent);
		const file = path.join(damaged, "users.ndjson");
		writeFileSync(file, readFileSync(file, "utf8").replace('"id"', '"ib"'));
		await expect(importRegistry(target, damaged, silent)).rejects.toThrow(/users\.ndjson is not the file/);
		rmSync(path.join(damaged, "manifest.json"));
		await expect(importRegistry(target, damaged, silent)).rejects.toThrow(/no finished backup/);
		await target.database.prepare("delete from d1_migrations where name like '0003%'").run();
		await expect(importRegistry(target, path.join(folder, "whole"), silent)).rejects.toThrow(
			/lacks the migrations 0003/,
		);
		expect((await rowsOf(target)).users).toEqual([]);
	});

	it("as an export refuses a folder that holds a finished backup", async () => {
		await expect(exportRegistry(registries.full, path.join(folder, "whole"), silent)).rejects.toThrow(
			/Name another folder/,
		);
	});
});
