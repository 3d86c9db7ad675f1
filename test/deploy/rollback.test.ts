/** What a database that was rolled back by hand and a bucket that was lost come to, and how an operator mends each. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { restoreBackup, rewindRegistry } from "../../src/cli/restore.ts";
import { verifyRegistry } from "../../src/cli/verify.ts";
import { exportVerified } from "../../src/cli/write-backup.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { noteMoment, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { mint, send, signUp } from "../support/remote.ts";
import { SECRETS, serveRegistry } from "../support/serve.ts";

const silent = () => {};
const secrets = readSigningSecrets(SECRETS);
const served = await serveRegistry(0);
afterAll(() => served.stop());
// Miniflare's types are those of another version of the same interfaces.
const registry = served as unknown as RegistryStorage;
const { bucket, database } = registry;
const folder = temporaryFolder();
const sql = (statement: string, ...values: unknown[]) => query(registry, statement, ...values);

let names = 0;
let holder: Awaited<ReturnType<typeof signUp>>;
beforeEach(async () => {
	names += 1;
	holder = await signUp(served.url, `+1202555${String(3000 + names)}`);
});
const folderOf = (name: string) => path.join(folder, `${name}-${names}`);

const call = (method: string, path: string, body?: object, token = holder.token) =>
	send(served.url, { method, path, token, body });
const change = async (code: string, body: object) =>
	expect((await call("PATCH", `/v1/addresses/${code}`, body)).status).toBe(200);
const statusOf = async (code: string) => (await send(served.url, { path: `/v1/public/addresses/${code}` })).status;
const labelOf = async (code: string) => (await call("GET", `/v1/addresses/${code}`)).body.label;
/** A run of the job of every five minutes. */
const run = () => served.runHourly(Date.now() - (Date.now() % 300_000), "*/5 * * * *");
const keep = (name: string, isNewBucket = false) =>
	exportVerified(registry, folderOf(name), silent, secrets, isNewBucket);
const options = (saveTo: string) => ({ secrets, saveTo: folderOf(saveTo), isReviving: false, report: silent });
const faults = async () => (await verifyRegistry(registry, secrets)).faults.join("\n");

/** What monitors see, past the five seconds for which an isolate repeats what it was told. */
async function health(): Promise<unknown[]> {
	await setTimeout(5_100);
	const [seen, strict] = [
		await send(served.url, { path: "/healthz" }),
		await send(served.url, { path: "/healthz?strict" }),
	];
	return [seen.body.status, seen.body.storage, strict.status];
}
const SOUND = ["ok", "together", 200];

async function journalIsWritten(): Promise<void> {
	const waiting = () => sql("select canonical from journal_queue union all select user_id from account_journal_queue");
	for (let tries = 0; tries < 20 && (await waiting()).length > 0; tries += 1) await setTimeout(50);
	await served.runHourly(Date.now());
	expect(await waiting()).toEqual([]);
}

/** A registry of which a lot changes after a moment. Returns its codes, and how to go to that moment and to the last. */
async function history() {
	const [open, shop, other, suspended] = [
		await mint(served.url, holder.token),
		await mint(served.url, holder.token),
		await mint(served.url, holder.token),
		await signUp(served.url),
	];
	await run();
	await keep("backup");
	await change(shop, { label: "v2" });
	await run();
	await journalIsWritten();
	const back = await noteMoment(database);
	await run();
	await change(open, { visibility: "private" });
	await change(shop, { label: "v3" });
	await sql("update users set disabled_at = 5 where id = ?", suspended.id);
	const since = await mint(served.url, holder.token);
	await run();
	await run();
	await journalIsWritten();
	const last = await noteMoment(database);
	return { open, shop, other, since, suspended, back, last, at: Date.now() };
}

type History = Awaited<ReturnType<typeof history>>;

const suspendedAt = async ({ suspended }: History) =>
	(await sql("select disabled_at from users where id = ?", suspended.id))[0]?.disabled_at;

/** Everything is as it was before the rollback, and goes on as if it had not been. */
async function expectMended({ open, shop, since }: History): Promise<void> {
	// Not by a look-up, which a cache may answer until the deployment that follows.
	const states = await sql(
		"select visibility from addresses where canonical in (?, ?, ?) order by visibility",
		...[open, shop, since],
	);
	expect(states.map(({ visibility }) => visibility)).toEqual(["private", "public", "public"]);
	await run();
	await run();
	expect(await health()).toEqual(SOUND);
	await mint(served.url, holder.token);
	await change(shop, { label: "after" });
	await journalIsWritten();
	expect(await faults()).toBe("");
	await keep("after");
}

describe("a database that was rolled back by hand", () => {
	const incident = ["degraded", "database_behind", 503];

	it("is an incident that a restore of the backup ends, with what waits for the journal named", async () => {
		const past = await history();
		await past.back();
		expect(await statusOf(past.open)).toBe(200);
		await run();
		expect(await health()).toEqual(incident);
		const minted = await call("POST", "/v1/addresses", { lat: 6.5244, lng: 3.3792 });
		expect(minted.status).toBe(503);
		await change(past.shop, { label: "meanwhile" });
		await change(past.other, { visibility: "private" });
		await served.runHourly(Date.now());
		await run();
		const waiting = await sql("select canonical from journal_queue order by canonical");
		expect(waiting.map(({ canonical }) => canonical)).toEqual([past.shop, past.other].sort());
		expect(await faults()).toContain("The database was rolled back or is another one");
		await expect(keep("refused")).rejects.toThrow(/was rolled back.*registry -- restore NAME/);
		const { remarks } = await restoreBackup(registry, folderOf("backup"), options("saved"));
		expect(remarks.join("\n")).toMatch(/2 addresses or accounts were changed beside newer entries/);
		expect(await suspendedAt(past)).toBe(5);
		expect([await labelOf(past.shop), await statusOf(past.other)]).toEqual(["v3", 403]);
		await expectMended(past);
	});

	it("is an incident that going to the minute before it ends", async () => {
		const past = await history();
		await past.back();
		await run();
		await change(past.other, { visibility: "private" });
		await rewindRegistry(registry, past.at, past.last, options("saved"));
		expect(await suspendedAt(past)).toBe(5);
		expect(await statusOf(past.other)).toBe(403);
		await expectMended(past);
	});

	it("is an incident by the first change where it was by minutes alone", async () => {
		const past = await history();
		const { since: before } = past;
		const back = await noteMoment(database);
		await change(before, { visibility: "private" });
		await journalIsWritten();
		await back();
		await run();
		expect(await health()).toEqual(SOUND);
		await change(before, { label: "meanwhile" });
		for (let round = 0; round < 3; round += 1) await change(before, { label: `meanwhile ${round}` });
		await served.runHourly(Date.now());
		expect(await health()).toEqual(["degraded", "journal_newer", 503]);
		await expect(keep("refused")).rejects.toThrow(/newer entries than the database for 1 codes .*restore NAME/);
		expect(await faults()).toContain(`(${before})`);
		await restoreBackup(registry, folderOf("backup"), options("saved"));
		expect(await statusOf(before)).toBe(403);
		await expectMended({ ...past, since: past.other });
	});
});

it("an entry with a version that nobody wrote is an incident, and goes with the object", async () => {
	const code = await mint(served.url, holder.token);
	await journalIsWritten();
	const object = (await bucket.get(`issued-codes/${code}`))!;
	await bucket.put(object.key, "x", { customMetadata: { ...object.customMetadata, version: "900" } });
	await change(code, { label: "blue" });
	await served.runHourly(Date.now());
	expect(await sql("select canonical from journal_queue")).toEqual([{ canonical: code }]);
	expect(await health()).toEqual(["degraded", "journal_newer", 503]);
	await bucket.delete(object.key);
	await journalIsWritten();
	await run();
	expect(await health()).toEqual(SOUND);
});

async function objects(): Promise<string[]> {
	const keys: string[] = [];
	for (let cursor: string | undefined; ; ) {
		const page = await bucket.list(cursor ? { cursor } : {});
		keys.push(...page.objects.map(({ key }) => key));
		if (!page.truncated) return keys;
		cursor = page.cursor;
	}
}

/** Copies the bucket. Returns a function that puts the copy in its place. */
async function copyBucket(): Promise<() => Promise<void>> {
	const copies = await Promise.all(
		(await objects()).map(async (key) => {
			const object = (await bucket.get(key))!;
			return { key, bytes: await object.arrayBuffer(), customMetadata: object.customMetadata ?? {} };
		}),
	);
	return async () => {
		await bucket.delete(await objects());
		for (const { key, bytes, customMetadata } of copies) await bucket.put(key, bytes, { customMetadata });
	};
}

describe("a bucket", () => {
	const incident = ["degraded", "bucket_behind", 503];

	it.each<[string, () => Promise<() => Promise<unknown>>]>([
		["that was lost", async () => async () => bucket.delete(await objects())],
		["that was replaced by an older copy", copyBucket],
	])("%s is an incident that a verified backup ends", async (_, prepare) => {
		await run();
		await journalIsWritten();
		await keep("older");
		const replace = await prepare();
		const code = await mint(served.url, holder.token);
		await change(code, { visibility: "private" });
		await journalIsWritten();
		await run();
		await run();
		await replace();
		await bucket.put("world.zones", readFileSync(path.join(folderOf("older"), "world.zones")));
		await run();
		expect(await health()).toEqual(incident);
		const minted = await mint(served.url, holder.token);
		await journalIsWritten();
		expect(await faults()).toContain("The bucket is new, or older than the database");
		await expect(keep("refused")).rejects.toThrow(/The bucket is new.*export --new-bucket/);
		const refused = restoreBackup(registry, folderOf("older"), options("refused"));
		await expect(refused).rejects.toThrow(/Make a verified backup first/);
		await keep("newer", true);
		await run();
		await run();
		expect(await health()).toEqual(SOUND);
		expect(await faults()).toBe("");
		await expect(keep("again", true)).rejects.toThrow("The bucket is not new. Leave out --new-bucket.");
		// What lies between the older backup and the newer one is in the newer one alone.
		const older = restoreBackup(registry, folderOf("older"), options("older-saved"));
		await expect(older).rejects.toThrow(/but the journal begins at/);
		await restoreBackup(registry, folderOf("newer"), options("saved"));
		expect([await statusOf(code), await statusOf(minted)]).toEqual([403, 200]);
		await run();
		expect(await health()).toEqual(SOUND);
	});
});

it("an operator who backs up and restores notices nothing", async () => {
	const past = await history();
	await restoreBackup(registry, folderOf("backup"), options("saved"));
	await expectMended(past);
});
