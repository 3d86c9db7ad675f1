import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { cleanUp } from "../../src/clean-up.ts";
import worker from "../../src/index.ts";
import { call, json, LAGOS, mint, type SignedInUser, signUp, signUpAgent } from "../support/client.ts";

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

it("deletes in bounded batches", async () => {
	await fill(1_234);
	await cleanUp(env, Date.now(), 1);
	expect(await counts()).toEqual(everyTable(734 + KEPT));
});

it("every night deletes what has expired and nothing else", async () => {
	await fill(1_234);
	const { access, refresh } = await signUp();
	const controller = createScheduledController({ scheduledTime: new Date(), cron: "40 2 * * *" });
	await worker.scheduled(controller, env);
	expect(await counts()).toEqual({ ...everyTable(KEPT), refresh_tokens: KEPT + 1, sessions: KEPT + 1 });
	await json(call("/v1/auth/me", { token: access }));
	await json<SignedInUser>(call("/v1/auth/token/refresh", { method: "POST", body: { refresh } }));
});

it("erases an address some days after it was retired, and its code stays burnt with its successor", async () => {
	const { access } = await signUp();
	const agent = await signUpAgent();
	const { canonical } = await mint(access, { ...LAGOS, label: "Mama Ada's house" });
	const successor = await mint(access, LAGOS);
	const path = `/v1/addresses/${canonical}`;
	await json(call(path, { method: "PATCH", token: access, body: { label: "Mama Ada's" } }));
	await json(call(`${path}/attestations`, { method: "POST", token: agent.access, body: { level: 1 } }), 201);
	await call(path, { method: "DELETE", token: access, body: { successor: successor.canonical } });
	await cleanUp(env, Date.now() + 29 * DAY);
	await json(call(`${path}/history`, { token: access }));
	await cleanUp(env, Date.now() + 31 * DAY);
	for (const table of ["addresses", "address_changes", "attestations"]) {
		const left = env.DB.prepare(`select count(*) as count from ${table} where canonical = ?`).bind(canonical);
		expect(await left.first("count"), table).toBe(0);
	}
	expect(await env.DB.prepare("select * from burnt_codes where canonical = ?").bind(canonical).first()).toEqual({
		canonical,
		retired_at: expect.any(Number),
		successor: successor.canonical,
	});
	expect(await json(call(`/v1/public/addresses/${canonical}`), 410)).toMatchObject({ successor: successor.canonical });
	await json(call(`/v1/public/addresses/${successor.canonical}`));
});
