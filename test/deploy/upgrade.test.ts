import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { restoreBackup } from "../../src/cli/restore.ts";
import { verifyRegistry } from "../../src/cli/verify.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { readSigningSecrets, type SigningSecrets } from "../../src/settings/signing-secrets.ts";
import { dumps, fillRegistry, migrateRegistry, readDump, type Settled, secretsOf } from "../support/dump.ts";
import { loseDatabase, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { LAGOS, send } from "../support/remote.ts";
import { type Served, serveRegistry } from "../support/serve.ts";

const silent = () => {};

describe.each(dumps)("a registry as %s left it", (name) => {
	const dump = readDump(name);
	const { client } = dump;
	const own = secretsOf(dump);
	const secrets: SigningSecrets = [...readSigningSecrets(own.JOURNAL_SECRETS), ...readSigningSecrets(own.JWT_SECRETS)];
	const folder = temporaryFolder();
	let served: Served;
	let registry: RegistryStorage;
	const call = (method: string, path: string, token?: string, body?: object, headers?: Record<string, string>) =>
		send(served.url, { method, path, token, body, headers });
	const sql = (statement: string, ...values: unknown[]) => query(registry, statement, ...values);
	const signIn = (phone: string, password: string) => call("POST", "/v1/auth/login", undefined, { phone, password });

	beforeAll(async () => {
		const state = path.join(folder, "state");
		const apart = Object.keys(dump.rowsApart ?? {});
		served = await serveRegistry(0, { state, bindings: own, isEmpty: true, apart });
		registry = served as unknown as RegistryStorage;
		await fillRegistry(registry, dump);
		await migrateRegistry(registry, dump);
	});
	afterAll(() => served.stop());

	it("names the commit that made it, and holds one of everything", () => {
		expect(dump.commit).toMatch(/^[0-9a-f]{7,40}$/);
		expect(client.codes).toHaveLength(300);
		for (const table of ["users", "sessions", "api_keys", "attestations", "reports", "units", "operator_acts"])
			expect([table, dump.rows[table]!.length > 0]).toEqual([table, true]);
	});

	it("answers for each code as before", async () => {
		for (const [code, { status, body }] of Object.entries(client.answers)) {
			const answer = await call("GET", `/v1/public/addresses/${code}`);
			expect([code, answer.status]).toEqual([code, status]);
			if (status !== 200) continue;
			for (const field of ["canonical", "display", "lat", "lng", "label", "visibility", "verification_level"])
				expect([code, field, answer.body[field]]).toEqual([code, field, body[field]]);
		}
		const shared = await call(
			"GET",
			`/v1/public/addresses/${client.links[0]!.code}${new URL(client.links[0]!.link).search}`,
		);
		// Versions before 1.0.0 signed links with the secret of access tokens, which opens no private address any more. Others end at the
		// moment that they are signed with, which no upgrade moves.
		const isOpen = typeof dump.secrets !== "string" && Date.now() < dump.dumpedAt + 364 * 86_400_000;
		expect(shared.status).toBe(isOpen ? 200 : 403);
		expect((await call("GET", `/v1/public/addresses/${client.codes[40]}/units`)).body.data).toHaveLength(1);
		expect((await call("GET", `/v1/public/reports/${client.reports[0]}`)).status).toBe(200);
	});

	it("keeps keys, sessions, suspensions and passwords", async () => {
		const list = (token: string) => call("GET", "/v1/addresses", token);
		expect((await list(client.keys.writing)).status).toBe(200);
		expect((await call("GET", `/v1/addresses/${client.codes[1]}`, client.keys.reading)).status).toBe(200);
		expect((await list(client.keys.revoked)).status).toBe(401);
		const minted = await call("POST", "/v1/addresses", client.keys.writing, LAGOS);
		expect(minted.status).toBe(201);
		for (const refresh of client.refresh)
			expect((await call("POST", "/v1/auth/token/refresh", undefined, { refresh })).status).toBe(200);
		expect((await signIn(client.phones.changed, client.newPassword)).status).toBe(200);
		expect((await signIn(client.phones.changed, client.password)).status).toBe(401);
		const suspended = await sql("select disabled_at from users where phone = ?", client.phones.suspended);
		expect(suspended).toEqual([{ disabled_at: expect.any(Number) }]);
		const { body } = await signIn(client.phones.suspended, client.password);
		expect([401, 403]).toContain((await call("POST", "/v1/addresses", `Bearer ${body.access}`, LAGOS)).status);
	});

	it("creates no second address for an Idempotency-Key of before", async () => {
		for (const { token, key, body, canonical } of client.idempotent.slice(0, 6)) {
			const { access } = (await signIn(client.phones.owners[token]!, client.password)).body;
			const again = await call("POST", "/v1/addresses", `Bearer ${access}`, body, { "Idempotency-Key": key });
			expect([again.status, again.body.canonical]).toEqual([201, canonical]);
		}
	});

	const { closedOwners, recovered, visited, old, meters, sandbox, keysOfVisited } = client;
	const resolve = async (code: string, search = "") =>
		(await call("GET", `/v1/public/addresses/${code}${search}`)).status;
	const resolveAll = (codes: string[]) => Promise.all(codes.map((code) => resolve(code)));

	if (closedOwners)
		it("keeps closed accounts closed, opens them again with their holders, and erases the one that is due", async () => {
			const [opening, closed, cutOff, due] = closedOwners as [Settled, Settled, Settled, Settled];
			const gone = [410, 410, 410, 410];
			for (const { codes } of [opening, closed, due]) expect(await resolveAll(codes)).toEqual(gone);
			expect(await resolveAll(cutOff.codes.slice(0, 3))).toEqual(gone.slice(1));
			await sql("update users set erase_at = 1 where id = ?", due.id);
			await served.runHourly(Date.now());
			for (const { codes } of [opening, closed, cutOff, due]) expect(await resolveAll(codes)).toEqual(gone);
			expect(await sql("select id from users where id = ?", due.id)).toEqual([]);
			for (const { phone, codes } of [opening, cutOff]) {
				expect((await signIn(phone, client.password)).status).toBe(200);
				await served.runHourly(Date.now());
				expect(await resolveAll(codes)).toEqual([200, 200, 403, 200]);
			}
			expect(await resolveAll(closed.codes)).toEqual(gone);
		});

	if (recovered)
		it("ends recoveries that are pending, names them, and takes a code that was handed over", async () => {
			const ended = await sql("select user_id from operator_acts where act = 'recovery-ended'");
			expect(ended).toEqual([{ user_id: recovered.due.id }]);
			const { phone, recoveryCode: recovery_code } = recovered.shown;
			const reset = { phone, recovery_code, new_password: client.newPassword };
			expect((await call("POST", "/v1/auth/password/reset", undefined, reset)).status).toBe(200);
			expect(await resolveAll(recovered.due.codes)).toEqual([200, 200, 403, 200]);
		});

	if (visited && old)
		it("keeps links, keys of the sandbox and of the feed, external ids, and a number that waits for its holder", async () => {
			const { access } = (await signIn(visited.phone, client.password)).body;
			const own = `Bearer ${access}`;
			expect(await resolve(visited.codes[2]!, new URL(visited.link).search)).toBe(200);
			expect((await call("GET", `/v1/addresses/${sandbox}`, keysOfVisited!.test)).status).toBe(200);
			expect((await call("GET", "/v1/changes", keysOfVisited!.feed)).status).toBe(200);
			const { body } = await call("POST", "/v1/addresses/batch", own, meters);
			expect(body.data).toMatchObject([{ status: "existing" }]);
			const accepting = { accept: true, current_password: client.password };
			expect((await call("POST", "/v1/auth/me/pending-phone", own, accepting)).status).toBe(200);
			expect((await signIn(visited.pendingPhone, client.password)).status).toBe(200);
			// The hourly job has forgotten a key that is older than a week.
			await served.runHourly(Date.now());
			const again = await call("POST", "/v1/addresses", own, old.body, { "Idempotency-Key": old.key });
			expect([again.status, again.body.canonical === old.canonical]).toEqual([201, false]);
			expect(await resolve(old.canonical)).toBe(200);
			expect((await verifyRegistry(registry, secrets)).faults).toEqual([]);
		});

	it("goes on with its journal, and brings its own backup up to date after a loss", async () => {
		const { access } = (await signIn(client.phones.owners[1]!, client.password)).body;
		const changed = client.codes[121]!;
		const label = { label: "After the upgrade" };
		expect((await call("PATCH", `/v1/addresses/${changed}`, `Bearer ${access}`, label)).status).toBe(200);
		await served.runHourly(Date.now());
		expect(await sql("select * from journal_queue")).toEqual([]);

		const backup = path.join(folder, "backup");
		mkdirSync(backup);
		for (const [file, text] of Object.entries(dump.backup)) {
			mkdirSync(path.dirname(path.join(backup, file)), { recursive: true });
			writeFileSync(path.join(backup, file), text);
		}
		for (const database of [registry.database, ...Object.values(registry.apart ?? {})])
			await loseDatabase({ database });
		const options = { secrets, saveTo: path.join(folder, "saved"), isReviving: false, report: silent };
		// Version 0.9.0 signed nothing, and neither did who dumped 0.9.1.
		const isForeign = !JSON.parse(dump.backup["manifest.json"] ?? "{}").signature;
		if (isForeign) await expect(restoreBackup(registry, backup, options)).rejects.toThrow("add --foreign");
		await restoreBackup(registry, backup, { ...options, saveTo: path.join(folder, "saved-again"), isForeign });
		for (const [code, { status, body }] of Object.entries(client.answers)) {
			if (code === changed) continue;
			const answer = await call("GET", `/v1/public/addresses/${code}`);
			expect([code, answer.status, answer.body.label]).toEqual([code, status, body.label]);
		}
		expect((await call("GET", `/v1/public/addresses/${changed}`)).body).toMatchObject(label);
		expect((await signIn(client.phones.owners[0]!, client.password)).status).toBe(200);
		await exportRegistry(registry, path.join(folder, "next"), silent, secrets);
	});
});
