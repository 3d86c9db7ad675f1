import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { restoreBackup } from "../../src/cli/restore.ts";
import { unclaimedAddresses } from "../../src/cli/unclaimed.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { DAY } from "../../src/time/time.ts";
import { dyingAfter, loseDatabase, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { mint as mintAt, PASSWORD, send, signUp } from "../support/remote.ts";
import { SECRETS, serveRegistry } from "../support/serve.ts";

const silent = () => {};
const sql = (statement: string, ...values: unknown[]) => query(registry, statement, ...values);
const HOME = { lat: 6.5244, lng: 3.3792 };

const served = await serveRegistry(0);
afterAll(() => served.stop());
// Miniflare's types are those of another version of the same interfaces.
const registry = served as unknown as RegistryStorage;
const folder = temporaryFolder();

async function call(method: string, path: string, token = "", body?: object) {
	const { status, body: said } = await send(served.url, { method, path, token, body });
	return { ...said, status } as Record<string, unknown> & { status: number };
}

const register = (phone: string) => signUp(served.url, phone);
const mint = (token: string, label: string) => mintAt(served.url, token, { ...HOME, label });

async function mintMany(token: string, label: string, count: number): Promise<string[]> {
	const codes: string[] = [];
	for (let index = 0; index < count; index += 1) codes.push(await mint(token, `${label} ${index}`));
	return codes;
}

const resolve = (code: string) => call("GET", `/v1/public/addresses/${code}`);

/** Waits until the journal holds all changes: it is written after the answer. */
async function journalIsWritten(): Promise<void> {
	while ((await sql("select 1 from journal_queue")).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

const secrets = readSigningSecrets(SECRETS);
const options = (name: string) => ({
	secrets,
	saveTo: path.join(folder, name),
	isReviving: false,
	report: silent,
});

it("brings every sign back after a loss of the database, though the restore is killed again and again", async () => {
	const holder = await register("+12025550101");
	const before = await mintMany(holder.token, "before", 12);
	const erased = await mintMany(holder.token, "erased", 2);
	for (const name of ["1A", "1B"])
		await call("PUT", `/v1/addresses/${before[2]}/units/${name}`, holder.token, { label: "first floor" });
	const backup = path.join(folder, "older");
	await exportRegistry(registry, backup, silent, secrets);

	const since = await mintMany(holder.token, "since", 12);
	const unit = (method: string, code: string, name: string, label: string) =>
		call(method, `/v1/addresses/${code}/units/${name}`, holder.token, ...(label ? [{ label }] : []));
	for (const code of [before[2]!, since[2]!])
		expect((await unit("PUT", code, "Shop%204", "third floor")).status).toBe(200);
	expect((await unit("PUT", before[2]!, "1A", "renamed")).status).toBe(200);
	expect((await unit("DELETE", before[2]!, "1B", "")).status).toBe(204);
	const moved = { lat: HOME.lat + 0.0005, lng: HOME.lng + 0.0005 };
	for (const code of [before[0]!, since[0]!]) {
		expect((await call("PATCH", `/v1/addresses/${code}`, holder.token, { label: "new words" })).status).toBe(200);
		expect((await call("PATCH", `/v1/addresses/${code}`, holder.token, moved)).status).toBe(200);
	}
	for (const code of [before[1]!, since[1]!, ...erased]) {
		expect((await call("DELETE", `/v1/addresses/${code}`, holder.token)).status).toBe(204);
	}
	const newcomer = await register("+12025550102");
	const ofNewcomer = await mint(newcomer.token, "of a newcomer");
	await journalIsWritten();
	// What was retired 31 days ago is erased.
	await sql("update addresses set retired_at = ? where canonical in (?, ?)", Date.now() - 31 * DAY, ...erased);
	await served.runHourly(Date.now());
	const known = () => sql("select canonical from addresses where canonical in (?, ?)", ...erased);
	expect(await known()).toEqual([]);

	await loseDatabase(registry);
	let cuts = 0;
	for (let calls = 40; ; calls += 12) {
		try {
			const { remarks } = await restoreBackup(dyingAfter(registry, calls), backup, options(`saved-${calls}`));
			expect(remarks).toEqual([
				`${ofNewcomer} is private and unclaimed: the account of its holder is not in the backup.`,
			]);
			break;
		} catch (error) {
			expect((error as Error).message).toBe("the line is cut");
			cuts += 1;
		}
	}
	expect(cuts).toBeGreaterThan(2);

	for (const [code, label] of [...before.entries(), ...since.entries()]
		.slice(0)
		.map(([index, code]) => [code, index] as const)) {
		const place = await resolve(code);
		if (label === 0) expect(place).toMatchObject({ status: 200, label: "new words", ...moved });
		else if (label === 1) expect(place.status).toBe(410);
		else expect(place).toMatchObject({ status: 200, ...HOME, label: expect.stringMatching(/^(before|since) \d+$/) });
	}
	for (const code of erased) expect((await resolve(code)).status).toBe(410);
	const unitsOf = async (code: string) => (await call("GET", `/v1/public/addresses/${code}/units`)).data;
	const third = { unit: "SHOP4", name: "Shop 4", label: "third floor" };
	expect(await unitsOf(since[2]!)).toEqual([third]);
	expect(await unitsOf(before[2]!)).toEqual([{ unit: "1A", name: "1A", label: "renamed" }, third]);
	expect(await known()).toEqual([]);

	const again = await call("POST", "/v1/auth/login", "", { phone: "+12025550101", password: PASSWORD });
	expect(again.status).toBe(200);
	const later = await mintMany(`Bearer ${again.access}`, "later", 100);
	const all = [...before, ...since, ...erased, ofNewcomer, ...later];
	expect(new Set(all).size).toBe(all.length);
});

it("keeps an address whose account is lost for its holder, seen by nobody", async () => {
	const [code = "", ...more] = await unclaimedAddresses({ ...registry, accounts: registry.database });
	expect(more).toEqual([]);
	expect((await resolve(code)).status).toBe(403);
	// Also where its row has outlived the account, as a public one.
	await sql("update addresses set visibility = 'public' where canonical = ?", code);
	await restoreBackup(registry, path.join(folder, "older"), options("saved-again"));
	expect((await resolve(code)).status).toBe(403);
	// As an operator does it by the API (test/routes/operators.test.ts), which this server does not have.
	const holder = await register("+12025550103");
	await sql("update addresses set owner_id = ? where canonical = ?", holder.id, code);
	expect(await unclaimedAddresses({ ...registry, accounts: registry.database })).toEqual([]);
	await served.runHourly(Date.now());
	await journalIsWritten();
});

it("keeps an address private that was made private since the backup, as the journal says and not by the fallback", async () => {
	const holder = await register("+12025550105");
	const code = await mint(holder.token, "green shutters");
	const unit = { label: "behind the kitchen" };
	expect((await call("PUT", `/v1/addresses/${code}/units/7C`, holder.token, unit)).status).toBe(200);
	const backup = path.join(folder, "public-then");
	await exportRegistry(registry, backup, silent, secrets);
	const now = { visibility: "private", label: "red shutters", directions: "past the well", lat: 6.5246 };
	const change = { ...now, lng: HOME.lng };
	expect((await call("PATCH", `/v1/addresses/${code}`, holder.token, change)).status).toBe(200);
	await journalIsWritten();
	await loseDatabase(registry);
	const { remarks } = await restoreBackup(registry, backup, options("saved-private"));
	expect(remarks.filter((remark) => remark.startsWith(code))).toEqual([]);
	expect(await sql("select * from addresses where canonical = ?", code)).toMatchObject([now]);

	const batch = { method: "POST", headers: { "Content-Type": "application/json" }, body: `{"codes":["${code}"]}` };
	const asked: [string, RequestInit][] = [
		[`/v1/public/addresses/${code}`, {}],
		[`/v1/public/addresses/${code}.geojson`, {}],
		[`/v1/public/addresses/${code}/units`, {}],
		["/v1/public/addresses/batch", batch],
		[`/v1/addresses/${code}/qr.svg`, {}],
		[`/a/${code}`, {}],
	];
	for (const [route, request] of asked) {
		const answer = await fetch(served.url + route, request);
		const text = await answer.text();
		expect(answer.status, route).toBeLessThan(500);
		expect(answer.status, route).not.toBe(404);
		for (const word of ["6.52", "3.37", "shutters", "well", "kitchen", "7C"])
			expect(text.includes(word), `${word} at ${route}`).toBe(false);
	}
});

it("names what it cannot read, and shows nobody what may be private by now", async () => {
	const holder = await register("+12025550104");
	const known = await mint(holder.token, "in the backup");
	const backup = path.join(folder, "unreadable");
	await exportRegistry(registry, backup, silent, secrets);
	await call("PATCH", `/v1/addresses/${known}`, holder.token, { label: "changed since" });
	const unknown = await mint(holder.token, "not in the backup");
	await journalIsWritten();
	for (const code of [known, unknown]) {
		const object = (await registry.bucket.get(`issued-codes/${code}`))!;
		const bytes = new Uint8Array(await object.arrayBuffer());
		bytes[20]! ^= 1;
		await registry.bucket.put(object.key, bytes, { customMetadata: object.customMetadata! });
	}
	await loseDatabase(registry);
	const { remarks, burnt } = await restoreBackup(registry, backup, options("saved-unreadable"));
	const about = (code: string) =>
		`${code}: its entry in the journal cannot be read. It comes back as private if the backup has it. Otherwise its code is burnt.`;
	expect(remarks.sort()).toEqual([known, unknown].map(about).sort());
	expect(burnt).toBe(1);
	expect((await resolve(unknown)).status).toBe(410);
	const rows = await sql("select * from addresses where canonical = ?", known);
	expect(rows).toMatchObject([{ label: "in the backup", visibility: "private" }]);
});

it("closes an account again that was closed since the backup, so that its holder can still open it", async () => {
	const phone = "+12025550107";
	const holder = await register(phone);
	const code = await mint(holder.token, "of somebody who leaves");
	const backup = path.join(folder, "closed-since");
	await exportRegistry(registry, backup, silent, secrets);
	const closing = await call("DELETE", "/v1/auth/me", holder.token, { password: PASSWORD });
	expect(closing.status).toBeLessThan(300);
	await served.runHourly(Date.now());
	await journalIsWritten();
	await loseDatabase(registry);
	const { remarks } = await restoreBackup(registry, backup, options("saved-closed-since"));
	expect(remarks).toContainEqual(
		expect.stringMatching(/^1 accounts were closed since the backup, and are closed again\./),
	);
	expect((await resolve(code)).status).toBe(410);
	expect((await call("POST", "/v1/auth/login", "", { phone, password: PASSWORD })).status).toBe(200);
	expect((await resolve(code)).status).toBe(200);
	await served.runHourly(Date.now());
});

it("refuses a signing secret that reads nothing, before it changes anything, unless it is told to", async () => {
	const holder = await register("+12025550106");
	const backup = path.join(folder, "wrong-secret");
	await exportRegistry(registry, backup, silent, secrets);
	const code = await mint(holder.token, "not in the backup");
	await journalIsWritten();
	await loseDatabase(registry);
	for (const id of ["bench", "other"]) {
		const secrets = readSigningSecrets(`${id}:${"f".repeat(32)}`);
		const wrong = { ...options(`saved-wrong-${id}`), secrets };
		await expect(restoreBackup(registry, backup, wrong)).rejects.toThrow(
			"is not signed under a secret in JOURNAL_SECRETS",
		);
		await expect(restoreBackup(registry, backup, { ...wrong, isForeign: true })).rejects.toThrow(
			"No entry of the journal under the secret 'bench' can be read.",
		);
	}
	expect(await sql("select * from burnt_codes")).toEqual([]);
	await restoreBackup(registry, backup, options("saved-right-secret"));
	expect((await resolve(code)).status).toBe(200);
});

it("refuses to go back behind what the journal holds, before it changes anything, unless it is told to", async () => {
	const backup = path.join(folder, "too-old");
	await exportRegistry(registry, backup, silent, secrets);
	await registry.bucket.put("journal/pruning", JSON.stringify({ prunedBefore: Date.now() + DAY }));
	await expect(restoreBackup(registry, backup, options("saved-too-old"))).rejects.toThrow(
		/the journal begins at .* Use a newer backup, or accept the loss with --incomplete\./,
	);
	await restoreBackup(registry, backup, { ...options("saved-incomplete"), isIncomplete: true });
	await registry.bucket.delete("journal/pruning");
});

it("brings a damaged backup or one of another index back by name or not at all", async () => {
	const backup = path.join(folder, "damaged");
	await exportRegistry(registry, backup, silent, secrets);
	writeFileSync(path.join(backup, "world.zones"), "changed");
	await expect(restoreBackup(registry, backup, options("saved-damaged"))).rejects.toThrow(
		/world\.zones is not the file that the manifest describes/,
	);
	const whole = path.join(folder, "whole");
	await exportRegistry(registry, whole, silent, secrets);
	await registry.bucket.put("world.zones", "another");
	const { remarks } = await restoreBackup(registry, whole, options("saved-index"));
	expect(remarks).toContainEqual(expect.stringContaining("It was renamed to set-aside/unreadable.zones"));
	expect((await call("GET", "/v1/public/zones?lat=6.5244&lng=3.3792")).status).toBe(200);
});
