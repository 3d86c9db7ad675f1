import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { erasedSince } from "../../src/journal/retention.ts";
import { call, json, post } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { runHour } from "../support/hour.ts";
import { logged } from "../support/logged.ts";
import { newOwner, newRecoveryCode, PASSWORD, register, type SignedInUser, signUp } from "../support/people.ts";
import { countOf, row, value } from "../support/sql.ts";

const DAY = 86_400_000;
const KEPT = 3;

const tables = ["refresh_tokens", "sessions", "failed_sign_ins", "daily_counts", "otp_codes"];

async function counts(): Promise<Record<string, number>> {
	const columns = tables.map((table) => `(select count(*) from ${table}) as ${table}`);
	return (await row<Record<string, number>>(`select ${columns}`))!;
}

/** Fills each table anew, with rows that expired and with a few that have not. */
async function fill(expired: number): Promise<void> {
	const now = Date.now();
	const today = Math.floor(now / DAY);
	const insert = (count: number, name: string, expiresAt: number, happenedAt: number, day: number) => {
		const rows: [into: string, time: number][] = [
			["refresh_tokens (hash, session_id, expires_at) select value, value, ?2", expiresAt],
			["sessions (id, user_id, created_at, expires_at) select value, 'u', 0, ?2", expiresAt],
			[
				"failed_sign_ins (pair_key, phone_key, count, since, phone_count, phone_since, failed_at) select value, value, 1, ?2, 1, ?2, ?2",
				happenedAt,
			],
			["daily_counts (subject, day, count) select value, ?2, 1", day],
			[
				"otp_codes (id, phone, user_id, code_hash, sent_at, expires_at) select value, 'p', 'u', 'h', ?2, ?2",
				happenedAt,
			],
		];
		const names = JSON.stringify(Array.from({ length: count }, (_, index) => `${name}-${index}`));
		return rows.map(([into, time]) => env.DB.prepare(`insert into ${into} from json_each(?1)`).bind(names, time));
	};
	await env.DB.batch([
		...tables.map((table) => env.DB.prepare(`delete from ${table}`)),
		...insert(expired, "old", now - 1, now - DAY - 1, today - 2),
		...insert(KEPT, "new", now + DAY, now - DAY + 60_000, today - 1),
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
		insert into failed_sign_ins (pair_key, phone_key, count, since, phone_count, phone_since, failed_at)
		select number, number, 1, 0, 1, 0, 0 from numbers`,
	);
	await env.DB.batch([env.DB.prepare("delete from failed_sign_ins"), grow]);
	const run = () => logged(() => cleanUp(env, Date.now()), "cleaned_up");
	const accounts = (lines: object[]) => lines.filter((line) => !("database" in line));
	expect(accounts(await run())).toMatchObject([
		{ unfinished: ["failed_sign_ins"], database_bytes: expect.any(Number) },
	]);
	expect(accounts(await run())).toMatchObject([{ unfinished: [] }]);
	expect(await value("select count(*) as count from failed_sign_ins")).toBe(0);
});

it("warns when the database is nearly full", async () => {
	// D1's own answer, but for the size that it tells.
	const DB = databaseThrough(async (work, [query]) => {
		const answer = await work();
		return query === "select 1" ? { ...answer, meta: { size_after: 8_100_000_000 } } : answer;
	});
	expect(await logged(() => cleanUp({ ...env, DB }, Date.now()), "database_filling")).toHaveLength(1);
});

it("every hour deletes what has expired and nothing else", async () => {
	await fill(1_234);
	const { access, refresh } = await signUp();
	await runHour();
	expect(await counts()).toEqual({ ...everyTable(KEPT), refresh_tokens: KEPT + 1, sessions: KEPT + 1 });
	await json(call("/v1/auth/me", { token: access }));
	await json<SignedInUser>(post("/v1/auth/token/refresh", { refresh }));
});

it("no sign-in opens an account again whose erasure has begun, not even one that began before its time came", async () => {
	const [owner, other] = [await newOwner(), await newOwner()];
	const recovery_code = await newRecoveryCode(other);
	for (const { access } of [owner, other])
		await json(call("/v1/auth/me", { method: "DELETE", token: access, body: { password: PASSWORD } }), 202);
	let isAsked = false;
	const DB = databaseThrough(async (work) => {
		const answer = await work();
		if (!isAsked && (await countOf("addresses", "canonical", owner.canonical)) === 0) {
			isAsked = true;
			// The addresses are gone. By the clock of a sign-in that waits for its hash, the time of the account has not come.
			await json(post("/v1/auth/login", { phone: owner.user.phone, password: PASSWORD }), 401);
			const reset = { phone: other.user.phone, recovery_code, new_password: "nine green hens" };
			await json(post("/v1/auth/password/reset", reset), 401);
		}
		return answer;
	});
	await cleanUp({ ...env, DB }, Date.now() + 8 * DAY);
	expect(isAsked).toBe(true);
	for (const { user } of [owner, other]) expect(await countOf("users", "id", user.id)).toBe(0);
});

it("closed accounts go in one run, though some own addresses and many do not, and are forgotten after 400 days", async () => {
	await env.DB.batch(
		[
			"insert into users (id, password_hash, created_at, erase_at) select 'usr_closed_' || value, '', 0, 1 from json_each(?)",
			`insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at, retired_at, closed_with_account)
				select 'TZ' || printf('%09d', value), '', 0, 0, '', 'usr_closed_' || value, 0, 1, 1 from json_each(?) where value % 2 = 0`,
		].map((statement) => env.DB.prepare(statement).bind(JSON.stringify([...Array(1_600).keys()]))),
	);
	const deleted = (await logged(() => cleanUp(env, Date.now()), "cleaned_up")).at(-1);
	expect(deleted).toMatchObject({ closed_accounts: 1_600, addresses_of_closed_accounts: 800, unfinished: [] });
	const burnt = "select count(*) from burnt_codes where canonical like 'TZ%' and retired_at = 1";
	expect(await value(burnt), "with the time of their retirement").toBe(800);
	const noted = "select count(*) from erased_accounts where user_id like 'usr_closed_%'";
	await cleanUp(env, Date.now() + 399 * DAY);
	expect(await value(noted)).toBe(1_600);
	await cleanUp(env, Date.now() + 401 * DAY);
	expect(await value(noted)).toBe(0);
});

it("an account that is signed in to while it is about to be erased stays", async () => {
	const { user } = await register();
	let isSignedIn = false;
	const DB = databaseThrough(async (work, [query = ""]) => {
		// The accounts that are due are read by now, and which of them have addresses is about to be.
		if (/select distinct/i.test(query) && !isSignedIn) {
			isSignedIn = true;
			await json(post("/v1/auth/login", { phone: user.phone, password: PASSWORD }));
		}
		return work();
	});
	await cleanUp({ ...env, DB }, Date.now() + 31 * DAY);
	expect(await countOf("users", "id", user.id)).toBe(1);
});

it("an account is erased only once that is noted outside the database", async () => {
	const { access, user } = await signUp();
	await json(call("/v1/auth/me", { method: "DELETE", token: access, body: { password: PASSWORD } }), 202);
	const now = Date.now() + 8 * DAY;
	const put = () => Promise.reject(new Error("R2 is away"));
	const ZONES = new Proxy(env.ZONES, { get: (bucket, name) => (name === "put" ? put : Reflect.get(bucket, name)) });
	await expect(cleanUp({ ...env, ZONES }, now)).rejects.toThrow("closed_accounts");
	expect(await countOf("users", "id", user.id)).toBe(1);
	await cleanUp(env, now);
	expect(await countOf("users", "id", user.id)).toBe(0);
	expect((await erasedSince(env.ZONES, 0)).accounts).toContain(user.id);
});
