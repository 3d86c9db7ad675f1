import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { restoreBackup } from "../../src/cli/restore.ts";
import { selectLines } from "../../src/cli/tables.ts";
import { exportRegistry } from "../../src/cli/write-backup.ts";
import { readSigningSecrets, type SigningSecrets } from "../../src/settings/signing-secrets.ts";
import { loseDatabase, query } from "../support/empty-registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { migrate } from "../support/migrate.ts";
import { LAGOS, send } from "../support/remote.ts";
import { ALL_SECRETS, type Served, serveRegistry } from "../support/serve.ts";

/** What test/upgrade/fill.ts has written. */
interface Dump {
	commit: string;
	/** Versions before 1.0.0 had one for everything. */
	secrets: string | typeof ALL_SECRETS;
	dumpedAt: number;
	rows: Record<string, Record<string, unknown>[]>;
	objects: { key: string; bytes: string; customMetadata: Record<string, string> }[];
	backup: Record<string, string>;
	client: {
		password: string;
		newPassword: string;
		phones: { owners: string[]; suspended: string; closed: string; changed: string };
		refresh: string[];
		keys: Record<"writing" | "reading" | "revoked", string>;
		codes: string[];
		idempotent: { token: number; key: string; body: object; canonical: string }[];
		links: { code: string; link: string }[];
		reports: string[];
		answers: Record<string, { status: number; body: Record<string, unknown> }>;
	};
}

const FOLDER = path.join(import.meta.dirname, "../upgrade");
const silent = () => {};

/** Times of the dump as if it had been made now, so that nothing in it has expired. */
function asOfNow(row: Record<string, unknown>, dumpedAt: number): Record<string, unknown> {
	const isTime = (value: unknown) => typeof value === "number" && Math.abs(value - dumpedAt) < 400 * 86_400_000;
	return Object.fromEntries(
		Object.entries(row).map(([name, value]) => [name, isTime(value) ? Number(value) + Date.now() - dumpedAt : value]),
	);
}

/** Makes a database as the release left it: its migrations, and nothing but its rows. */
async function fillDatabase(database: D1Database, { rows, dumpedAt }: Dump): Promise<void> {
	const last = Math.max(...rows.d1_migrations!.map(({ name }) => Number.parseInt(String(name), 10)));
	await migrate(database, -1, last);
	const { results: triggers } = await database
		.prepare("select name, sql from sqlite_master where type = 'trigger'")
		.all<{ name: string; sql: string }>();
	const statements = Object.entries(rows)
		.filter(([table]) => table !== "d1_migrations")
		.flatMap(([table, all]) => {
			const { "#": _, ...first } = all[0] ?? {};
			const columns = Object.keys(first);
			if (columns.length === 0) return [database.prepare(`delete from "${table}"`)];
			const names = columns.map((column) => `"${column}"`).join(", ");
			const insert = `insert into "${table}" (rowid, ${names}) ${selectLines(["#", ...columns])}`;
			const lines = JSON.stringify(all.map((row) => asOfNow(row, dumpedAt)));
			return [database.prepare(`delete from "${table}"`), database.prepare(insert).bind(lines)];
		});
	await database.batch([
		...triggers.map(({ name }) => database.prepare(`drop trigger "${name}"`)),
		...statements,
		...triggers.map(({ sql }) => database.prepare(sql)),
	]);
}

const dumps = readdirSync(FOLDER).filter((name) => name.endsWith(".json.gz"));

describe.each(dumps)("a registry as %s left it", (name) => {
	const dump = JSON.parse(gunzipSync(readFileSync(path.join(FOLDER, name))).toString()) as Dump;
	const { client } = dump;
	const own = { ...ALL_SECRETS, ...(typeof dump.secrets === "string" ? { JWT_SECRETS: dump.secrets } : dump.secrets) };
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
		served = await serveRegistry(0, { state, bindings: own, isEmpty: true });
		registry = served as unknown as RegistryStorage;
		await fillDatabase(registry.database, dump);
		for (const { key, bytes, customMetadata } of dump.objects)
			await registry.bucket.put(key, Buffer.from(bytes, "base64"), { customMetadata });
		const last = Math.max(...dump.rows.d1_migrations!.map(({ name }) => Number.parseInt(String(name), 10)));
		await migrate(registry.database, last);
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

	it("goes on with its journal, and brings its own backup up to date after a loss", async () => {
		const { access } = (await signIn(client.phones.owners[1]!, client.password)).body;
		const changed = client.codes[121]!;
		const label = { label: "After the upgrade" };
		expect((await call("PATCH", `/v1/addresses/${changed}`, `Bearer ${access}`, label)).status).toBe(200);
		await served.runHourly(Date.now());
		expect(await sql("select * from journal_queue")).toEqual([]);

		const backup = path.join(folder, "backup");
		mkdirSync(backup);
		for (const [file, text] of Object.entries(dump.backup)) writeFileSync(path.join(backup, file), text);
		await loseDatabase(registry);
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
