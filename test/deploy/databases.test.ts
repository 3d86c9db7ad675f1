/** Backups, restores and checks of a registry whose addresses lie in several databases. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { getPlatformProxy } from "wrangler";
import { readBackups } from "../../src/cli/backup.ts";
import { adoptDatabases, databasesOf, type RegistryStorage } from "../../src/cli/databases.ts";
import { importRegistry } from "../../src/cli/import.ts";
import { restoreBackup, rewindRegistry } from "../../src/cli/restore.ts";
import { tablesOf } from "../../src/cli/tables.ts";
import { drillRestore, verifyRegistry } from "../../src/cli/verify.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { dyingAfter, emptyRegistries, loseDatabase, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { migrate } from "../support/migrate.ts";
import { type Account, LAGOS, mint, PASSWORD, send, signUp } from "../support/remote.ts";
import { SECRETS, serveRegistry } from "../support/serve.ts";

const silent = () => {};
const secrets = readSigningSecrets(SECRETS);
const APART = ["DB_NG_01234", "DB_NG_56789", "DB_KE"];
const NAIROBI = { lat: -1.2864, lng: 36.8172, label: "Blue gate" };
const POINTS = {
	LAGOS,
	KANO: { ...LAGOS, lat: 12.0022, lng: 8.592 },
	NAIROBI,
	ACCRA: { ...LAGOS, lat: 5.6037, lng: -0.187 },
};

const served = await serveRegistry(0, { apart: APART });
const registries = await emptyRegistries();
afterAll(() => Promise.all([served.stop(), registries.stop()]));
// Miniflare's types are those of another version of the same interfaces.
const registry = served as unknown as Required<RegistryStorage>;
const folder = temporaryFolder();

/** A registry of its own without rows, over the same databases or some of them. */
async function emptyRegistry(names = APART): Promise<RegistryStorage> {
	const { database, bucket } = await registries.empty();
	const apart: Record<string, D1Database> = {};
	for (const name of names) apart[name] = (await registries.empty()).database;
	return { database, bucket, apart };
}

const inDatabase = (name: string, statement: string, ...values: unknown[]) =>
	query({ database: name === "DB" ? registry.database : registry.apart[name]! }, statement, ...values);

let names = 0;
let holder: Account;
let codes: Record<keyof typeof POINTS, string>;
let [backup, saveTo] = ["", ""];
beforeEach(async () => {
	names += 1;
	holder = await signUp(served.url);
	codes = {} as typeof codes;
	for (const [place, point] of Object.entries(POINTS))
		codes[place as keyof typeof POINTS] = await mint(served.url, holder.token, point);
	[backup, saveTo] = [path.join(folder, `backup-${names}`), path.join(folder, `saved-${names}`)];
	await journalIsWritten();
	await adoptDatabases(registry);
});

const keep = () => exportRegistry(registry, backup, silent, secrets);
const options = (more: object = {}) => ({ secrets, saveTo, isReviving: false, report: silent, ...more });
const restore = (more: object = {}) => restoreBackup(registry, backup, options(more));
const resolve = async (code: string) => (await send(served.url, { path: `/v1/public/addresses/${code}` })).status;
const call = (method: string, path: string, body?: object, { token } = holder) =>
	send(served.url, { method, path, token, body });
const lose = (...lost: string[]) =>
	Promise.all(
		lost.map((name) => loseDatabase({ database: name === "DB" ? registry.database : registry.apart[name]! })),
	);
const faultsOf = async (of: RegistryStorage = registry) => (await verifyRegistry(of, secrets)).faults;

const runHour = () => served.runHourly(Date.now());

/** Waits until the journal holds all changes: it is written after the answer, or within the hour. */
async function journalIsWritten(): Promise<void> {
	const waiting = async () => {
		const read = databasesOf(registry).map(({ name }) =>
			inDatabase(name, "select canonical from journal_queue union all select user_id from account_journal_queue"),
		);
		return (await Promise.all(read)).flat();
	};
	for (let tries = 0; tries < 20 && (await waiting()).length > 0; tries += 1) await setTimeout(50);
	if ((await waiting()).length > 0) await runHour();
	expect(await waiting()).toEqual([]);
}

/** Every row of every table of some databases. */
async function rowsOf(...of: string[]): Promise<Record<string, unknown[]>> {
	const rows: Record<string, unknown[]> = {};
	for (const { name, database } of databasesOf(registry)) {
		if (!of.includes(name)) continue;
		for (const table of await tablesOf(database))
			rows[`${name} ${table.name}`] = await inDatabase(name, `select * from "${table.name}" order by rowid`);
	}
	return rows;
}

describe("a backup of several databases", () => {
	it("has a folder for each, and one manifest that names them all", async () => {
		const manifest = await keep();
		expect(Object.keys(manifest.databases ?? {})).toEqual(APART);
		const backups = await readBackups(backup, { secrets });
		expect([...backups.keys()]).toEqual(["DB", ...APART]);
		const codesIn = (of: string) => readFileSync(path.join(backup, of, "addresses.0.ndjson"), "utf8");
		expect(codesIn("")).toContain(codes.ACCRA);
		expect(codesIn("DB_KE")).toContain(codes.NAIROBI);
		for (const code of [codes.LAGOS, codes.KANO])
			expect(codesIn(/^NG[0-4]/.test(code) ? "DB_NG_01234" : "DB_NG_56789")).toContain(code);
		expect(existsSync(path.join(backup, "DB_KE/world.zones"))).toBe(false);
	});

	it("is refused where one of them is damaged, missing, or of another backup", async () => {
		await keep();
		const other = path.join(folder, `other-${names}`);
		await mint(served.url, holder.token, NAIROBI);
		await exportRegistry(registry, other, silent, secrets);
		const broken = (name: string, breaking: (copy: string) => void) => {
			const copy = path.join(folder, `${name}-${names}`);
			cpSync(backup, copy, { recursive: true });
			breaking(copy);
			return readBackups(copy, { secrets });
		};
		const change = (copy: string) => writeFileSync(path.join(copy, "DB_KE/addresses.0.ndjson"), "");
		await expect(broken("changed", change)).rejects.toThrow("DB_KE/addresses.0.ndjson is not the file");
		const swap = (copy: string) =>
			cpSync(path.join(other, "DB_KE"), path.join(copy, "DB_KE"), { recursive: true, force: true });
		await expect(broken("swapped", swap)).rejects.toThrow(/DB_KE is not the backup that .* was made with/);
		await expect(readBackups(path.join(backup, "DB_KE"), { secrets })).rejects.toThrow(
			/is the backup of DB_KE only\. Name its parent folder, and --database DB_KE/,
		);
	});

	it("comes into an empty registry of the same databases equal to the row, and into no other", async () => {
		await keep();
		const few = await emptyRegistry(["DB_KE"]);
		await expect(importRegistry(few, backup, silent, { secrets })).rejects.toThrow(
			"The backup contains DB_NG_01234, DB_NG_56789, which wrangler.toml does not bind.",
		);
		const [one, target] = [few.apart!.DB_KE!, await emptyRegistry()];
		await one.prepare("insert into burnt_codes (canonical) values ('KE000000000')").run();
		const taken = { ...target, apart: { ...target.apart, DB_KE: one } };
		await expect(importRegistry(taken, backup, silent, { secrets })).rejects.toThrow("The registry is not empty");
		expect(await query(target, "select id from users")).toEqual([]);
		await importRegistry(target, backup, silent, { secrets });
		// The examples that lie in another database are left out of it.
		const rows = (table: string) =>
			`select * from "${table}" ${table === "addresses" ? "where owner_id <> 'usr_nobody'" : ""} order by rowid`;
		for (const { name, database } of databasesOf(target))
			for (const table of await tablesOf(database)) {
				const [there, wanted] = [await query({ database }, rows(table.name)), await inDatabase(name, rows(table.name))];
				expect([name, table.name, there]).toEqual([name, table.name, wanted]);
			}
	});
});

describe("a restore of one database", () => {
	it("brings back what was issued since, burns what is not known, and leaves the others alone", async () => {
		await keep();
		const [since, unknown] = [
			await mint(served.url, holder.token, NAIROBI),
			await mint(served.url, holder.token, NAIROBI),
		];
		expect((await call("PATCH", `/v1/addresses/${codes.NAIROBI}`, { visibility: "private" })).status).toBe(200);
		await journalIsWritten();
		const entry = (await registry.bucket.get(`issued-codes/${unknown}`))!;
		await registry.bucket.put(entry.key, "damaged", { customMetadata: entry.customMetadata! });
		const others = ["DB", "DB_NG_01234", "DB_NG_56789"];
		const before = await rowsOf(...others);
		await lose("DB_KE");
		expect(await inDatabase("DB_KE", "select canonical from addresses")).toEqual([]);
		const { remarks, burnt } = await restore({ only: "DB_KE" });
		expect(remarks).toEqual([expect.stringContaining(`${unknown}: its entry in the journal cannot be read`)]);
		expect(burnt).toBe(1);
		expect(await rowsOf(...others)).toEqual(before);
		expect([await resolve(since), await resolve(unknown), await resolve(codes.NAIROBI)]).toEqual([200, 410, 403]);
		expect(await faultsOf()).toEqual([]);
	});

	it("to a time keeps what was issued since", async () => {
		const moment = Date.now();
		const since = await mint(served.url, holder.token, NAIROBI);
		await journalIsWritten();
		const rewound: string[] = [];
		const rewind = async (name: string) => {
			rewound.push(name);
			await inDatabase(name, "delete from addresses where canonical = ?", since);
		};
		await rewindRegistry(registry, moment, rewind, options({ only: "DB_KE" }));
		expect(rewound).toEqual(["DB_KE"]);
		expect([await resolve(since), await resolve(codes.LAGOS)]).toEqual([200, 200]);
		expect(await faultsOf()).toEqual([]);
		await mint(served.url, holder.token, NAIROBI);
	});

	it("continues after it was cut off at any call", async () => {
		await keep();
		const since = await mint(served.url, holder.token, NAIROBI);
		await journalIsWritten();
		await lose("DB_KE");
		let cuts = 0;
		for (let calls = 20; ; calls += 25) {
			const cut = dyingAfter({ database: registry.apart.DB_KE!, bucket: registry.bucket }, calls).database;
			const dying = { ...registry, database: registry.database, bucket: registry.bucket };
			const attempt = restoreBackup({ ...dying, apart: { ...registry.apart, DB_KE: cut } }, backup, {
				...options({ only: "DB_KE" }),
				saveTo: `${saveTo}-${calls}`,
			});
			const isCut = await attempt.then(
				() => false,
				(error: Error) => /the line is cut/.test(`${error.message}${error.cause}`),
			);
			if (!isCut) break;
			cuts += 1;
		}
		expect(cuts).toBeGreaterThan(2);
		expect([await resolve(since), await resolve(codes.NAIROBI)]).toEqual([200, 200]);
		expect(await faultsOf()).toEqual([]);
	});

	it("of accounts finds their addresses in the others again, closes those of closed accounts, and hides those of none", async () => {
		const [traveller, leaver] = [await signUp(served.url), await signUp(served.url)];
		const left = await mint(served.url, leaver.token, NAIROBI);
		await journalIsWritten();
		await keep();
		const [newcomer, there] = [await signUp(served.url), await mint(served.url, traveller.token, NAIROBI)];
		const orphan = await mint(served.url, newcomer.token, NAIROBI);
		expect((await call("DELETE", "/v1/auth/me", { password: PASSWORD }, leaver)).status).toBeLessThan(300);
		await journalIsWritten();
		await lose("DB");
		const { remarks } = await restore({ only: "DB" });
		const [row] = await inDatabase("DB", "select places from users where id = ?", traveller.id);
		expect(row?.places).toBe("DB_KE");
		expect(await resolve(there)).toBe(200);
		expect(await resolve(left)).toBe(410);
		expect(await resolve(orphan)).toBe(403);
		expect(remarks).toContain(`${orphan} is private and unclaimed: the account of its holder is not in the backup.`);
		expect(await faultsOf()).toEqual([]);
		const signedIn = await send(served.url, {
			path: "/v1/auth/login",
			body: { phone: traveller.phone, password: PASSWORD },
		});
		const list = await send(served.url, { path: "/v1/addresses", token: `Bearer ${signedIn.body.access}` });
		expect(list.text).toContain(there);
	});

	it("is refused by name where there is none", async () => {
		await keep();
		await expect(restore({ only: "DB_GH" })).rejects.toThrow("contains no backup of DB_GH");
	});
});

it("all of them lost, all come back with what happened since, also successors in other databases", async () => {
	await keep();
	const next = await mint(served.url, holder.token, NAIROBI);
	expect((await call("DELETE", `/v1/addresses/${codes.LAGOS}`, { successor: next })).status).toBe(204);
	await journalIsWritten();
	await runHour();
	await lose("DB", ...APART);
	await restore();
	expect(await resolve(next)).toBe(200);
	const moved = await send(served.url, { path: `/v1/public/addresses/${codes.LAGOS}` });
	expect([moved.status, moved.text]).toEqual([410, expect.stringContaining(next)]);
	for (const code of [codes.KANO, codes.ACCRA, codes.NAIROBI]) expect(await resolve(code)).toBe(200);
	expect(await faultsOf()).toEqual([]);
});

it("where a deployment has noted the homes of codes, accounts are restored all the same, and not amid a move", async () => {
	await inDatabase(
		"DB",
		"insert into homes (prefix, state) values ('NG', 'left'), ('KE', 'left') on conflict do nothing",
	);
	await keep();
	await lose("DB");
	await restore({ only: "DB" });
	expect(await resolve(codes.ACCRA)).toBe(200);
	await inDatabase("DB", "update homes set state = 'moving' where prefix = 'KE'");
	const refusal = "The addresses of KE are being moved, from or to DB. End that first";
	await expect(restore({ only: "DB", saveTo: `${saveTo}-amid` })).rejects.toThrow(refusal);
	await expect(exportRegistry(registry, `${backup}-amid`, silent, secrets)).rejects.toThrow(refusal);
	await inDatabase("DB", "update homes set state = 'left' where prefix = 'KE'");
});

it("a journal that lacks what its record names is noticed in whichever database the code lies", async () => {
	await keep();
	const lost = await mint(served.url, holder.token, NAIROBI);
	await journalIsWritten();
	await runHour();
	await registry.bucket.delete(`issued-codes/${lost}`);
	await lose("DB_KE");
	await expect(restore({ only: "DB_KE" })).rejects.toThrow(
		`The journal lacks 1 entries that its record names: ${lost}.`,
	);
	// That of another database lacks nothing.
	await restore({ only: "DB_NG_01234", saveTo: `${saveTo}-other` });
	await restore({ only: "DB_KE", isIncomplete: true, saveTo: `${saveTo}-accepted` });
	expect(await resolve(lost)).toBe(410);
});

it("a backup from before a database was bound is refused where codes lie in that database by now", async () => {
	const { DB_KE: _, ...apart } = registry.apart;
	const before = await emptyRegistry(Object.keys(apart));
	const [owner] = await inDatabase("DB", "select * from users where id = ?", holder.id);
	await before.database
		.prepare("insert into users (id, phone, password_hash, created_at) values (?, ?, 'x', 1)")
		.bind(owner!.id, owner!.phone)
		.run();
	const [{ id } = {}] = await inDatabase("DB", "select id from registry_identity");
	await before.database.prepare("update registry_identity set id = ?").bind(id).run();
	await before.database
		.prepare(
			"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values (?, 'z', 1, 1, '', ?, 1)",
		)
		.bind(codes.NAIROBI, owner!.id)
		.run();
	await exportRegistry(before, backup, silent, secrets);
	await expect(restore()).rejects.toThrow(
		`The backup was made before DB_KE was bound: it has ${codes.NAIROBI} in DB, where nobody would find it.`,
	);
});

describe("registry verify", () => {
	it("says each database, and names what does not agree among them", async () => {
		await runHour();
		const sound = await verifyRegistry(registry, secrets);
		expect(sound.faults).toEqual([]);
		for (const label of ["database", ...APART.map((name) => `database ${name}`)])
			expect(sound.facts.join("\n")).toMatch(new RegExp(`^${label}: .* addresses`, "m"));
		const copy =
			"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values (?, 'z', 1, 1, '', ?, 1)";
		await inDatabase("DB_NG_01234", copy, "KE000100011", holder.id);
		await inDatabase("DB", "update users set places = '' where id = ?", holder.id);
		await inDatabase("DB", "update addresses set successor = 'KE000100028' where canonical = ?", codes.ACCRA);
		const faults = (await faultsOf()).join("\n");
		expect(faults).toContain("DB_NG_01234 has codes of zones that lie in other databases: KE0001.");
		expect(faults).toContain(`1 accounts do not list DB_KE, in which they have addresses: ${holder.id}.`);
		expect(faults).toContain(`1 codes lead to successors that were never issued: ${codes.ACCRA}.`);
		await inDatabase("DB_NG_01234", "delete from addresses where canonical = 'KE000100011'");
		await inDatabase("DB", "update addresses set successor = null where canonical = ?", codes.ACCRA);
		await inDatabase("DB", "update users set places = ? where id = ?", APART.join(" "), holder.id);
	});

	it("shows in a drill over all of them what a restore would bring back", async () => {
		await keep();
		const since = await mint(served.url, holder.token, NAIROBI);
		await journalIsWritten();
		const before = await rowsOf("DB", ...APART);
		const scratch = { database: await registries.bare(), apart: {} as Record<string, D1Database> };
		for (const name of APART) scratch.apart[name] = await registries.bare();
		const drilling = { secrets, isForeign: false, isIncomplete: true, report: silent };
		const { findings } = await drillRestore(registry, scratch, backup, drilling);
		expect(findings.faults).toEqual([]);
		expect(await rowsOf("DB", ...APART)).toEqual(before);
		const rows = "select canonical from addresses where canonical = ?";
		expect(await query({ database: scratch.apart.DB_KE! }, rows, since)).toEqual([{ canonical: since }]);
		expect(await query(scratch, rows, since)).toEqual([]);
	});
});

it("a database that was lost is not taken for a new one", async () => {
	await keep();
	const [{ id } = {}] = await inDatabase("DB_KE", "select id from registry_identity");
	await lose("DB_KE");
	await inDatabase("DB_KE", "update registry_identity set id = 'reg_0123456789abcdef0123456789abcdef'");
	await expect(adoptDatabases(registry)).rejects.toThrow(
		"DB_KE is empty, but accounts have addresses in it. Restore it first.",
	);
	await restore({ only: "DB_KE" });
	expect(await inDatabase("DB_KE", "select id from registry_identity")).toEqual([{ id }]);
	await adoptDatabases(registry);
});

it("the commands work over the databases that wrangler.toml binds", async () => {
	const home = path.join(folder, "home");
	mkdirSync(home);
	const bind = (binding: string) => `{ binding = "${binding}", database_name = "${binding.toLowerCase()}" }`;
	const bucket = '{ binding = "ZONES", bucket_name = "zones" }';
	writeFileSync(
		path.join(home, "wrangler.toml"),
		`name = "r"\ncompatibility_date = "2026-10-01"\nd1_databases = [${["DB", "DB_KE"].map(bind)}]\nr2_buckets = [${bucket}]\n`,
	);
	const inHome = async <Answer>(work: (databases: Record<"DB" | "DB_KE", D1Database>) => Promise<Answer>) => {
		const { env, dispose } = await getPlatformProxy<Record<"DB" | "DB_KE", D1Database>>({
			configPath: path.join(home, "wrangler.toml"),
			persist: { path: path.join(home, ".wrangler/state/v3") },
			remoteBindings: false,
		});
		return work(env).finally(dispose);
	};
	const run = (...args: string[]) => {
		const env = { ...process.env, JOURNAL_SECRETS: SECRETS };
		const command = path.join(import.meta.dirname, "../../src/cli/registry.ts");
		const { status, stdout, stderr } = spawnSync("node", [command, ...args], { cwd: home, env, encoding: "utf8" });
		return { status, printed: stdout + stderr };
	};
	const address =
		"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values (?, 'z', 1, 1, '', 'usr_1', 1)";
	await inHome(async ({ DB, DB_KE }) => {
		await migrate(DB);
		await migrate(DB_KE);
		await DB.prepare(
			"insert into users (id, phone, password_hash, created_at, places) values ('usr_1', '+12025550100', 'x', 1, 'DB_KE')",
		).run();
		await DB.prepare(address).bind("GH000100015").run();
		await DB_KE.prepare(address).bind("KE000100011").run();
	});
	expect(run("export", "all")).toMatchObject({ status: 0, printed: expect.stringContaining("addresses DB_KE: ") });
	expect(run("verify", "all")).toMatchObject({
		status: 0,
		printed: expect.stringMatching(/all, DB is complete.*\n.*all, DB_KE is complete/),
	});
	expect(run("verify")).toMatchObject({ status: 0, printed: expect.stringContaining("The registry is consistent.") });
	await inHome(({ DB_KE }) => loseDatabase({ database: DB_KE }));
	expect(run("restore", "all", "--database", "DB_KE")).toMatchObject({
		status: 0,
		printed: expect.stringContaining("Restored. 0 codes were burnt"),
	});
	const rows = await inHome(({ DB_KE }) =>
		query({ database: DB_KE }, "select canonical from addresses where owner_id = 'usr_1'"),
	);
	expect(rows).toEqual([{ canonical: "KE000100011" }]);
	expect(run("drill", "all", "--incomplete")).toMatchObject({
		status: 0,
		printed: expect.stringMatching(/The drill restored .* 0 codes would be burnt/),
	});
});
