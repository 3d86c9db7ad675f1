import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { cleanUp } from "../../src/clean-up.ts";
import { sha256Hex } from "../../src/hash.ts";
import worker from "../../src/index.ts";
import { call, json, patch, post } from "../support/client.ts";
import {
	AT_LAGOS,
	LAGOS,
	mint,
	newKey,
	PASSWORD,
	register,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { row, sql, value } from "../support/sql.ts";

const DAY = 86_400_000;
const KEPT = 3;

const tables = ["refresh_tokens", "sessions", "failed_logins", "daily_counts", "otp_codes"];

async function counts(): Promise<Record<string, number>> {
	const rows = await env.DB.batch<{ count: number }>(
		tables.map((table) => env.DB.prepare(`select count(*) as count from ${table}`)),
	);
	return Object.fromEntries(tables.map((table, index) => [table, rows[index]?.results[0]?.count ?? 0]));
}

/** Fills each table anew, with rows that expired and with a few that have not. */
async function fill(expired: number): Promise<void> {
	const now = Date.now();
	const insert = (count: number, ages: { expiresAt: number; happenedAt: number; day: number }, name: string) => {
		const list = JSON.stringify(Array.from({ length: count }, (_, index) => `${name}-${index}`));
		const run = (statement: string, ...values: unknown[]) => env.DB.prepare(statement).bind(list, ...values);
		return [
			run(
				"insert into refresh_tokens (hash, session_id, expires_at) select value, value, ?2 from json_each(?1)",
				ages.expiresAt,
			),
			run(
				"insert into sessions (id, user_id, created_at, expires_at) select value, 'u', 0, ?2 from json_each(?1)",
				ages.expiresAt,
			),
			run(
				"insert into failed_logins (phone_key, pair_key, failed_at) select value, value, ?2 from json_each(?1)",
				ages.happenedAt,
			),
			run("insert into daily_counts (subject, day, count) select value, ?2, 1 from json_each(?1)", ages.day),
			run(
				"insert into otp_codes (id, phone, user_id, code_hash, sent_at, expires_at) select value, 'p', 'u', 'h', ?2, ?2 from json_each(?1)",
				ages.happenedAt,
			),
		];
	};
	const today = Math.floor(now / DAY);
	await env.DB.batch([
		...tables.map((table) => env.DB.prepare(`delete from ${table}`)),
		...insert(expired, { expiresAt: now - 1, happenedAt: now - DAY - 1, day: today - 2 }, "old"),
		...insert(KEPT, { expiresAt: now + DAY, happenedAt: now - DAY + 60_000, day: today - 1 }, "new"),
	]);
}

function everyTable(count: number): Record<string, number> {
	return Object.fromEntries(tables.map((table) => [table, count]));
}

it("deletes in bounded batches, one of each kind in turn, so that none waits for another's backlog", async () => {
	await fill(1_234);
	await cleanUp(env, Date.now(), 1);
	expect(await counts()).toEqual(everyTable(734 + KEPT));
});

it("ends after so many batches, says what is left, and goes on the next hour", async () => {
	const rows = 43_000;
	const grow = env.DB.prepare(
		`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${rows})
		insert into failed_logins (phone_key, pair_key, failed_at) select number, number, 0 from numbers`,
	);
	await env.DB.batch([env.DB.prepare("delete from failed_logins"), grow]);
	const info = vi.spyOn(console, "info");
	const run = async () => {
		info.mockClear();
		await cleanUp(env, Date.now());
		return JSON.parse(info.mock.calls.map(String).find((line) => line.includes('"cleaned_up"')) ?? "") as object;
	};
	expect(await run()).toMatchObject({ unfinished: ["failed_logins"], database_bytes: expect.any(Number) });
	expect(await run()).toMatchObject({ unfinished: [] });
	info.mockRestore();
	expect(await value("select count(*) as count from failed_logins")).toBe(0);
});

it("warns when the database is nearly full", async () => {
	const { DB } = env;
	// D1's own answer, but for the size that it tells.
	const told = {
		...{
			batch: DB.batch.bind(DB),
			prepare: (query: string) => (query === "select 1" ? sized(8_100_000_000) : DB.prepare(query)),
		},
	} as unknown as D1Database;
	const warn = vi.spyOn(console, "warn");
	await cleanUp({ ...env, DB: told }, Date.now());
	const lines = warn.mock.calls.map(String);
	warn.mockRestore();
	expect(lines.filter((line) => line.includes('"database_filling"'))).toHaveLength(1);
});

function sized(bytes: number): D1PreparedStatement {
	const statement = {
		bind: () => statement,
		run: async () => ({ results: [], success: true, meta: { size_after: bytes } }),
	};
	return statement as unknown as D1PreparedStatement;
}

it("keeps what a revoked key was for a while, and the tokens of an ended session for a day", async () => {
	const { access, refresh, user } = await signUp();
	const { id } = await newKey({ access });
	await call(`/v1/keys/${id}`, { method: "DELETE", token: access });
	await post("/v1/auth/logout", { refresh });
	const left = async () => {
		const [keys, sessions, tokens] = await env.DB.batch<{ count: number }>([
			env.DB.prepare("select count(*) as count from api_keys where user_id = ?").bind(user.id),
			env.DB.prepare("select count(*) as count from sessions where user_id = ?").bind(user.id),
			env.DB.prepare("select count(*) as count from refresh_tokens where hash = ?").bind(sha256Hex(refresh)),
		]);
		return [keys, sessions, tokens].map((answer) => answer?.results[0]?.count);
	};
	await cleanUp(env, Date.now() + DAY - 60_000);
	expect(await left()).toEqual([1, 1, 1]);
	await cleanUp(env, Date.now() + DAY + 60_000);
	expect(await left()).toEqual([1, 0, 0]);
	await cleanUp(env, Date.now() + 89 * DAY);
	expect(await left()).toEqual([1, 0, 0]);
	await cleanUp(env, Date.now() + 91 * DAY);
	expect(await left()).toEqual([0, 0, 0]);
});

it("every hour deletes what has expired and nothing else", async () => {
	await fill(1_234);
	const { access, refresh } = await signUp();
	const controller = createScheduledController({ scheduledTime: new Date(Date.now()), cron: "40 * * * *" });
	await worker.scheduled(controller, env, createExecutionContext());
	expect(await counts()).toEqual({ ...everyTable(KEPT), refresh_tokens: KEPT + 1, sessions: KEPT + 1 });
	await json(call("/v1/auth/me", { token: access }));
	await json<SignedInUser>(post("/v1/auth/token/refresh", { refresh }));
});

it("erases an address some days after it was retired, and its code stays burnt with its successor", async () => {
	const { access } = await signUp();
	const agent = await signUpAgent();
	const { canonical } = await mint(access, { ...LAGOS, label: "Mama Ada's house" });
	const successor = await mint(access, LAGOS);
	const path = `/v1/addresses/${canonical}`;
	await json(patch(path, { label: "Mama Ada's" }, { token: access }));
	await json(post(`${path}/attestations`, { level: 1, ...AT_LAGOS }, { token: agent.access }), 201);
	await json(call(`${path}/units/3B`, { method: "PUT", token: access, body: {} }));
	await call(path, { method: "DELETE", token: access, body: { successor: successor.canonical } });
	await cleanUp(env, Date.now() + 29 * DAY);
	await json(call(`${path}/history`, { token: access }));
	await cleanUp(env, Date.now() + 31 * DAY);
	for (const table of ["addresses", "address_changes", "attestations", "units"]) {
		const left = env.DB.prepare(`select count(*) as count from ${table} where canonical = ?`).bind(canonical);
		expect(await left.first("count"), table).toBe(0);
	}
	expect(await row("select * from burnt_codes where canonical = ?", canonical)).toEqual({
		canonical,
		retired_at: expect.any(Number),
		successor: successor.canonical,
	});
	expect(await json(call(`/v1/public/addresses/${canonical}`), 410)).toMatchObject({ successor: successor.canonical });
	await json(call(`/v1/public/addresses/${successor.canonical}`));
});

it("a code leads to no address of an account that was erased, whether it was burnt before or not", async () => {
	const { access } = await signUp();
	const [first, second, last] = [await mint(access, LAGOS), await mint(access, LAGOS), await mint(access, LAGOS)];
	const retire = async ({ canonical }: { canonical: string }) =>
		call(`/v1/addresses/${canonical}`, { method: "DELETE", token: access, body: { successor: last.canonical } });
	const successors = async () => {
		const of = (table: string) => `select successor from ${table} where canonical in (?1, ?2)`;
		const query = `${of("burnt_codes")} union all ${of("addresses")}`;
		return (await sql(query, first.canonical, second.canonical)).map(({ successor }) => successor);
	};
	expect((await retire(first)).status).toBe(204);
	await sql("update addresses set retired_at = retired_at - ? where retired_at > 0", 31 * DAY);
	await cleanUp(env, Date.now());
	expect((await retire(second)).status).toBe(204);
	expect(await successors()).toEqual([last.canonical, last.canonical]);
	await json(call("/v1/auth/me", { method: "DELETE", token: access, body: { password: PASSWORD } }), 202);
	await cleanUp(env, Date.now() + 31 * DAY);
	expect(await successors()).toEqual([null, null]);
});

it("an Idempotency-Key is forgotten after a week, and the address stays", async () => {
	const { access } = await signUp();
	const headers = { "Idempotency-Key": "order-1" };
	const { canonical } = await mint(access, LAGOS, headers);
	await cleanUp(env, Date.now() + 6 * DAY);
	expect((await mint(access, LAGOS, headers)).canonical).toBe(canonical);
	await cleanUp(env, Date.now() + 8 * DAY);
	const kept = await row("select idempotency_key, request_hash from addresses where canonical = ?", canonical);
	expect(kept).toEqual({ idempotency_key: null, request_hash: null });
	await json(call(`/v1/public/addresses/${canonical}`));
	expect((await mint(access, LAGOS, headers)).canonical).not.toBe(canonical);
});

it("an account is erased a month after it was opened where it was never used, and no other", async () => {
	const [unused, owner, keeper, returned] = [await register(), await register(), await register(), await register()];
	await mint(owner.access, LAGOS);
	await newKey(keeper);
	await json(post("/v1/auth/login", { phone: returned.user.phone, password: PASSWORD }));
	const opened = [unused, owner, keeper, returned].map(({ user }) => user.id);
	const kept = async () => {
		const rows = await sql<{ id: string }>("select id from users");
		return opened.filter((id) => rows.some((row) => row.id === id));
	};
	await cleanUp(env, Date.now() + 29 * DAY);
	expect(await kept()).toEqual(opened);
	for (const days of [31, 62]) {
		await cleanUp(env, Date.now() + days * DAY);
		expect(await kept()).toEqual(opened.slice(1));
	}
});
