import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { importRegistry } from "../../src/cli/import.ts";
import { restoreBackup, rewindRegistry } from "../../src/cli/restore.ts";
import { drillRestore, verifyRegistry } from "../../src/cli/verify.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { DAY } from "../../src/time/time.ts";
import { emptyRegistries, loseDatabase, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { makeKey, mint, PASSWORD, send, signUp } from "../support/remote.ts";
import { SECRETS, serveRegistry } from "../support/serve.ts";

const silent = () => {};
const secrets = readSigningSecrets(SECRETS);
const others = readSigningSecrets(`other:${"f".repeat(32)}`);
const served = await serveRegistry(0);
const registries = await emptyRegistries();
afterAll(() => Promise.all([served.stop(), registries.stop()]));
// Miniflare's types are those of another version of the same interfaces.
const registry = served as unknown as RegistryStorage;
const folder = temporaryFolder();
const sql = (statement: string, ...values: unknown[]) => query(registry, statement, ...values);

let names = 0;
let holder: Awaited<ReturnType<typeof signUp>>;
/** A backup of now, and where what was there before a restore is saved. */
let [backup, saveTo] = ["", ""];
beforeEach(async () => {
	names += 1;
	holder = await signUp(served.url, `+1202555${String(2000 + names)}`);
	[backup, saveTo] = [path.join(folder, `backup-${names}`), path.join(folder, `saved-${names}`)];
});

const call = (method: string, path: string, token = holder.token, body?: object) =>
	send(served.url, { method, path, token, body });
const resolve = (code: string) => send(served.url, { path: `/v1/public/addresses/${code}` });
const signIn = (phone: string, password = PASSWORD) =>
	send(served.url, { path: "/v1/auth/login", body: { phone, password } });
const keep = (trusted = secrets) => exportRegistry(registry, backup, silent, trusted);
const options = () => ({ secrets, saveTo, isReviving: false, report: silent });
const restore = (more: object = {}) => restoreBackup(registry, backup, { ...options(), ...more });

/** Waits until the journal holds all changes of addresses and accounts: it is written after the answer, or within the hour. */
async function journalIsWritten(): Promise<void> {
	const waiting = () => sql("select canonical from journal_queue union all select user_id from account_journal_queue");
	for (let tries = 0; tries < 20 && (await waiting()).length > 0; tries += 1) await setTimeout(50);
	if ((await waiting()).length > 0) await served.runHourly(Date.now());
	expect(await waiting()).toEqual([]);
}

const identity = async (of: RegistryStorage = registry) => (await query(of, "select id from registry_identity"))[0]?.id;

describe("through a loss of the database hold", () => {
	it("a revoked key, a suspension, a changed password and a changed phone", async () => {
		const [revoked, kept] = [await makeKey(served.url, holder.token), await makeKey(served.url, holder.token)];
		const [suspended, moved] = [await signUp(served.url), await signUp(served.url)];
		await keep();
		expect((await call("DELETE", `/v1/keys/${revoked.id}`)).status).toBe(204);
		// As operators and the one-time code do it.
		const phone = "+12025559901";
		await sql("update users set disabled_at = 5 where id = ?", suspended.id);
		await sql("update users set phone = ? where id = ?", phone, moved.id);
		const password = { current_password: PASSWORD, new_password: "nine green herons" };
		expect((await call("POST", "/v1/auth/password/change", holder.token, password)).status).toBe(200);
		await journalIsWritten();
		await loseDatabase(registry);
		await restore();
		expect((await send(served.url, { path: "/v1/addresses", token: revoked.token })).status).toBe(401);
		expect((await send(served.url, { path: "/v1/addresses", token: kept.token })).status).toBe(200);
		expect((await signIn(holder.phone)).status).toBe(401);
		expect((await signIn(holder.phone, password.new_password)).status).toBe(200);
		expect((await signIn(moved.phone)).status).toBe(401);
		expect((await signIn(phone)).status).toBe(200);
		expect(await sql("select disabled_at from users where id = ?", suspended.id)).toEqual([{ disabled_at: 5 }]);
	});

	it("the closing of an account without addresses", async () => {
		await keep();
		expect((await call("DELETE", "/v1/auth/me", holder.token, { password: PASSWORD })).status).toBeLessThan(300);
		await journalIsWritten();
		await loseDatabase(registry);
		const { remarks } = await restore();
		expect(remarks).toContainEqual(expect.stringMatching(/^1 accounts were closed since the backup/));
		const [{ erase_at: eraseAt } = {}] = await sql("select erase_at from users where id = ?", holder.id);
		expect(eraseAt).toBeGreaterThan(Date.now());
	});

	it("a number that went from one account to another", async () => {
		const other = await signUp(served.url);
		await keep();
		await sql("update users set phone = null where id = ?", other.id);
		await sql("update users set phone = ? where id = ?", other.phone, holder.id);
		await journalIsWritten();
		await loseDatabase(registry);
		await restore();
		expect(await sql("select id from users where phone = ?", other.phone)).toEqual([{ id: holder.id }]);
	});

	it("the successor of a code that was retired and erased, by both ways back", async () => {
		const [old, next] = [await mint(served.url, holder.token), await mint(served.url, holder.token)];
		await keep();
		expect((await call("DELETE", `/v1/addresses/${old}`, holder.token, { successor: next })).status).toBe(204);
		await journalIsWritten();
		await sql("update addresses set retired_at = ? where canonical = ?", Date.now() - 31 * DAY, old);
		await served.runHourly(Date.now());
		const successor = () => sql("select successor from burnt_codes where canonical = ?", old);
		expect(await successor()).toEqual([{ successor: next }]);
		await loseDatabase(registry);
		await restore();
		expect(await successor()).toEqual([{ successor: next }]);
		const moment = Date.now();
		const rewind = async () => {
			await sql("drop trigger burnt_codes_stay");
			await sql("delete from burnt_codes where canonical = ?", old);
		};
		await rewindRegistry(registry, moment, rewind, { ...options(), saveTo: `${saveTo}-rewound` });
		expect(await successor()).toEqual([{ successor: next }]);
	});
});

describe("a restore of a living registry", () => {
	it("keeps every change that was answered before it and during it", async () => {
		const codes: string[] = [];
		for (let index = 0; index < 8; index += 1) codes.push(await mint(served.url, holder.token));
		await keep();
		const change = (code: string, label: string) => call("PATCH", `/v1/addresses/${code}`, holder.token, { label });
		// The journal was not told of this one, as when R2 has refused it.
		expect((await change(codes[0]!, "before")).status).toBe(200);
		await journalIsWritten();
		await registry.bucket.delete(`issued-codes/${codes[0]}`);
		await sql("insert into journal_queue (canonical, version) values (?, 2)", codes[0]);
		let changed = 0;
		const report = (line: string) => {
			if (!/^(addresses|users|journal|burnt_codes):/.test(line) || changed > 0) return;
			changed = 1;
		};
		const answered: Promise<unknown>[] = [];
		const changing = (line: string) => {
			report(line);
			const code = codes[1 + answered.length];
			if (code) answered.push(change(code, "during"));
		};
		await restore({ report: changing });
		await Promise.all(answered);
		const labels = await Promise.all(codes.map(async (code) => (await resolve(code)).body.label));
		expect(labels).toEqual(["before", ...answered.map(() => "during"), ...labels.slice(1 + answered.length)]);
		expect(answered.length).toBe(7);
	});

	it("takes nobody's new API keys away, by Time Travel either", async () => {
		await keep();
		const moment = Date.now();
		const key = await makeKey(served.url, holder.token);
		const rewind = () => sql("delete from api_keys where id = ?", key.id).then(() => {});
		await rewindRegistry(registry, moment, rewind, options());
		expect((await send(served.url, { path: "/v1/addresses", token: key.token })).status).toBe(200);
	});
});

describe("refused before anything is changed is", () => {
	const state = () => sql("select canonical, version from addresses order by canonical");

	it("a restore with a journal that lacks what its record names, unless that is accepted", async () => {
		await keep();
		const lost = await mint(served.url, holder.token);
		await mint(served.url, holder.token);
		await journalIsWritten();
		await served.runHourly(Date.now());
		await registry.bucket.delete(`issued-codes/${lost}`);
		await loseDatabase(registry);
		const before = await state();
		await expect(restore()).rejects.toThrow(`The journal lacks 1 entries that its record names: ${lost}.`);
		expect(await state()).toEqual(before);
		const { burnt } = await restore({ isIncomplete: true, saveTo: `${saveTo}-accepted` });
		expect(burnt).toBeGreaterThan(0);
		expect((await resolve(lost)).status).toBe(410);
	});

	it("a restore with a record that lacks a part, or of which a part was changed", async () => {
		await keep();
		await mint(served.url, holder.token);
		await journalIsWritten();
		await served.runHourly(Date.now());
		const head = (await registry.bucket.get("journal/record-head"))!;
		const { key } = await head.json<{ key: string }>();
		const part = (await registry.bucket.get(key))!;
		const [text, { customMetadata }] = [await part.text(), part];
		await registry.bucket.delete(key);
		await expect(restore()).rejects.toThrow(`${key} is missing from the bucket`);
		await registry.bucket.put(key, text.replace(/:1\b/, ":2"), { customMetadata: customMetadata! });
		await expect(restore({ saveTo: `${saveTo}-2` })).rejects.toThrow(`${key} is not what the registry wrote`);
		await registry.bucket.put(key, text, { customMetadata: customMetadata! });
		await restore({ saveTo: `${saveTo}-3` });
	});

	it("an import beside a journal that knows more", async () => {
		await keep();
		await mint(served.url, holder.token);
		await journalIsWritten();
		await loseDatabase(registry);
		await expect(importRegistry(registry, backup, silent, { secrets })).rejects.toThrow(
			/The journal in the bucket contains changes after .* Use restore\./,
		);
		expect(await sql("select id from users")).toEqual([]);
		await restore();
	});

	it("a backup of another registry, one that is signed by nobody, and a changed one", async () => {
		const other = await registries.empty();
		const foreign = path.join(folder, `foreign-${names}`);
		await exportRegistry(other, foreign, silent, secrets);
		const ofOther = await identity(other);
		expect(ofOther).toMatch(/^reg_[0-9a-f]{32}$/);
		await served.runHourly(Date.now());
		const restoring = (from: string, more: object = {}) => restoreBackup(registry, from, { ...options(), ...more });
		await expect(restoring(foreign)).rejects.toThrow(
			`The backup is of the registry ${ofOther}, but the bucket belongs to ${await identity()}.`,
		);
		await keep(others);
		await expect(restore()).rejects.toThrow(/is not signed under a secret in JOURNAL_SECRETS.*--foreign/);
		const empty = await registries.empty();
		await expect(importRegistry(empty, backup, silent, { secrets })).rejects.toThrow("is not signed under");
		const unsigned = path.join(folder, `unsigned-${names}`);
		cpSync(backup, unsigned, { recursive: true });
		const manifest = path.join(unsigned, "manifest.json");
		const { signature: _, ...rest } = JSON.parse(readFileSync(manifest, "utf8"));
		writeFileSync(manifest, JSON.stringify(rest));
		await expect(restoring(unsigned)).rejects.toThrow("is not signed under");
		writeFileSync(manifest, JSON.stringify({ ...rest, registry: ofOther }));
		await expect(restoring(unsigned, { isForeign: true })).rejects.toThrow("has been changed or damaged");
		await importRegistry(empty, backup, silent, { secrets, isForeign: true });
	});
});

it("names the addresses that go back to the backup, because nothing else is known of their state", async () => {
	const code = await mint(served.url, holder.token);
	await journalIsWritten();
	await keep();
	await sql("update addresses set label = 'typed wrongly' where canonical = ?", code);
	const { remarks } = await restore();
	expect(remarks).toContainEqual(`1 addresses were reverted to the state in the backup or the journal: ${code}.`);
	expect((await resolve(code)).body.label).toBe("Blue gate");
});

it("after a loss of database and bucket, a restore says that the journal is gone, and goes on where that is accepted", async () => {
	const code = await mint(served.url, holder.token);
	await journalIsWritten();
	await served.runHourly(Date.now());
	await keep();
	const lost = await registries.empty();
	const both = { ...options(), saveTo: `${saveTo}-both` };
	await expect(restoreBackup(lost, backup, both)).rejects.toThrow(
		/The journal cannot be proved complete: journal\/record-head is missing from the bucket/,
	);
	expect(await query(lost, "select id from users")).toEqual([]);
	await restoreBackup(lost, backup, { ...both, saveTo: `${saveTo}-accepted`, isIncomplete: true });
	expect(await query(lost, "select canonical from addresses where canonical = ?", code)).toHaveLength(1);
	expect(await identity(lost)).toBe(await identity());
});

it("a database that was made anew has the identity of its backup after the restore", async () => {
	await served.runHourly(Date.now());
	await keep();
	const before = await identity();
	await loseDatabase(registry);
	await sql("update registry_identity set id = 'reg_0123456789abcdef0123456789abcdef'");
	await expect(served.runHourly(Date.now()), "no job writes into the journal of another").rejects.toThrow();
	await restore();
	expect(await identity()).toBe(before);
	await served.runHourly(Date.now());
});

it("an entry whose object says another version than it holds is not believed", async () => {
	await keep();
	const code = await mint(served.url, holder.token);
	expect((await call("PATCH", `/v1/addresses/${code}`, holder.token, { visibility: "private" })).status).toBe(200);
	await journalIsWritten();
	const object = (await registry.bucket.get(`issued-codes/${code}`))!;
	await registry.bucket.put(object.key, await object.arrayBuffer(), {
		customMetadata: { ...object.customMetadata, version: "9" },
	});
	await loseDatabase(registry);
	const { remarks } = await restore();
	expect(remarks).toContainEqual(
		expect.stringMatching(new RegExp(`^${code}: its entry in the journal cannot be read`)),
	);
	expect((await resolve(code)).status).toBe(410);
});

it("no unknown number becomes an overflow where the bucket serves another index than the newest addresses were created under", async () => {
	await keep();
	const code = await mint(served.url, holder.token);
	await journalIsWritten();
	await sql("update addresses set edition = '9-00000000', version = version + 1 where canonical = ?", code);
	await sql("delete from overflow_zones");
	const { remarks } = await restore();
	expect(remarks).toContainEqual(
		expect.stringMatching(/^Which zones have opened additional numbers since is not known/),
	);
	expect(await sql("select * from overflow_zones")).toEqual([]);
	await sql("update addresses set edition = null where canonical = ?", code);
	await journalIsWritten();
});

describe("registry verify", () => {
	it("finds a sound registry sound, and names what contradicts itself", async () => {
		const code = await mint(served.url, holder.token);
		await journalIsWritten();
		await served.runHourly(Date.now());
		const { facts, faults } = await verifyRegistry(registry, secrets);
		expect(faults).toEqual([]);
		expect(facts.join("\n")).toMatch(/^database: .*addresses/);
		await sql("insert into units (canonical, unit, label, created_at) values ('NG000000000', '1', '', 1)");
		await sql("insert into last_codes (canonical) values (?)", code);
		await sql("update users set erase_at = 4000000000000 where id = ?", holder.id);
		await sql("delete from closed_owners where owner_id = ?", holder.id);
		const entry = (await registry.bucket.get(`issued-codes/${code}`))!;
		const { customMetadata } = entry;
		await registry.bucket.put(entry.key, await entry.arrayBuffer(), {
			customMetadata: { ...customMetadata, version: "99" },
		});
		const found = (await verifyRegistry(registry, secrets)).faults.join("\n");
		for (const fault of [
			"1 units belong to no address: NG000000000.",
			`1 last free codes are issued already: ${code}.`,
			`1 closed accounts have addresses that are not closed: ${holder.id}.`,
			`The journal is ahead of the database for 1 codes, as after a loss that was not restored: ${code}.`,
		])
			expect(found).toContain(fault);
		await sql("delete from units where canonical = 'NG000000000'");
		await sql("delete from last_codes");
		await sql("update users set erase_at = null where id = ?", holder.id);
		await registry.bucket.put(entry.key, "", { customMetadata: customMetadata! });
	});

	it("shows in a drill what a restore would bring back, and changes nothing of the registry", async () => {
		await keep();
		const code = await mint(served.url, holder.token);
		await journalIsWritten();
		const objects = async () => (await registry.bucket.list()).objects.map(({ key, etag }) => `${key} ${etag}`);
		const before = await objects();
		const scratch = await registries.bare();
		const drilled = await drillRestore(registry, { database: scratch }, backup, {
			secrets,
			isForeign: false,
			isIncomplete: true,
			report: silent,
		});
		expect(drilled.findings.faults).toEqual([]);
		expect(await objects()).toEqual(before);
		const rows = await query({ database: scratch }, "select canonical from addresses where canonical = ?", code);
		expect(rows).toEqual([{ canonical: code }]);
	});
});

/** The registry, whose database runs some work before it reads the first rows of a table. */
function workingBefore(work: Record<string, () => Promise<unknown>>): RegistryStorage {
	const left = { ...work };
	const prepare = (sql: string) => {
		const [, table = ""] = /^select rowid as .* from "(\w+)" where rowid/s.exec(sql) ?? [];
		const statement = registry.database.prepare(sql);
		const doing = left[table];
		if (!doing) return statement;
		delete left[table];
		const bind = (...values: unknown[]) => {
			const bound = statement.bind(...values);
			return { all: () => doing().then(() => bound.all()) };
		};
		return { bind };
	};
	const database = new Proxy(registry.database, {
		get(target, name) {
			if (name === "prepare") return prepare;
			const member: unknown = Reflect.get(target, name);
			return typeof member === "function" ? member.bind(target) : member;
		},
	});
	return { ...registry, bucket: registry.bucket, database };
}

it("a backup of a registry that is written to becomes one moment, by an import and by a restore", async () => {
	const [leaver, returner, erased] = [await signUp(served.url), await signUp(served.url), await signUp(served.url)];
	const close = ({ token }: typeof holder) => call("DELETE", "/v1/auth/me", token, { password: PASSWORD });
	const [burnt, left, back, gone] = [
		await mint(served.url, holder.token),
		await mint(served.url, leaver.token),
		await mint(served.url, returner.token),
		await mint(served.url, erased.token),
	];
	const unit = { label: "Third floor" };
	expect((await call("PUT", `/v1/addresses/${burnt}/units/3b`, holder.token, unit)).status).toBe(200);
	await makeKey(served.url, erased.token);
	expect((await close(returner)).status).toBeLessThan(300);
	await journalIsWritten();
	let during = "";
	const writing = workingBefore({
		async addresses() {
			during = await mint(served.url, holder.token);
			expect((await call("PUT", `/v1/addresses/${during}/units/3b`, holder.token, unit)).status).toBe(200);
		},
		async users() {
			await sql("update addresses set retired_at = ? where canonical = ?", Date.now() - 31 * DAY, burnt);
			expect((await close(leaver)).status).toBeLessThan(300);
			await sql("update users set erase_at = null where id = ?", returner.id);
			await sql("update users set erase_at = 1 where id = ?", erased.id);
			await served.runHourly(Date.now());
			await served.runHourly(Date.now());
			expect(await sql("select id from users where id = ?", erased.id)).toEqual([]);
		},
	});
	await exportRegistry(writing, backup, silent, secrets);
	const states = (of: RegistryStorage) =>
		query(
			of,
			"select canonical, retired_at is null and owner_id not in (select owner_id from closed_owners where closed_at is not null) as live from addresses where canonical in (?, ?, ?, ?, ?) order by canonical",
			...[burnt, left, back, gone, during],
		);
	const expected = [left, back, during].sort().map((canonical) => ({ canonical, live: canonical === left ? 0 : 1 }));
	const empty = await registries.empty();
	await importRegistry(empty, backup, silent, { secrets });
	expect((await verifyRegistry(empty, secrets)).faults).toEqual([]);
	expect(await states(empty)).toEqual(expected);
	// As after the loss of database and bucket.
	const lost = await registries.empty();
	await restoreBackup(lost, backup, { ...options(), isIncomplete: true });
	expect((await verifyRegistry(lost, secrets)).faults).toEqual([]);
	expect(await states(lost)).toEqual(expected);
});
