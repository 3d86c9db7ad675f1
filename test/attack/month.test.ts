/** How large the database gets when one account and one network write all they may for a month: attack.md H4, faults.md F8. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { codeOfUnit } from "../../src/addresses/code.ts";
import { cleanUp } from "../../src/clean-up.ts";
import { readConfig } from "../../src/env.ts";
import { DAY, HOUR } from "../../src/time.ts";
import { call, freshPhone, json, LAGOS, mint, PASSWORD, signUp } from "../support/client.ts";
import { smsGateway } from "../support/one-time-codes.ts";

const DAYS = 30;

/** Every how many days passwords are hashed, which takes longer than all the rest. */
const PASSWORD_DAYS = 6;

/** The database of D1, in bytes, and how much of it one network may fill in a month. */
const DATABASE_BYTES = 10_000_000_000;
const SHARE_OF_ONE_NETWORK = 0.2;

/** The platform counts by the real minute, in which this test lives through days. */
const unlimited = { limit: async () => ({ success: true }) } satisfies RateLimit;

/** A hundredth and less of the usual limits, so that a month of them is written within a minute. */
const settings = {
	...smsGateway,
	AUTH_CALLS: unlimited,
	PASSWORD_CALLS: unlimited,
	LOOKUPS: unlimited,
	LAST_LOOKUPS: unlimited,
	LAST_SIGN_INS: unlimited,
	PASSWORD_HASH_PAUSE_MILLISECONDS: 0,
	NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 6,
	CHANGES_PER_ACCOUNT_AND_DAY: 3,
	NEW_KEYS_PER_ACCOUNT_AND_DAY: 3,
	WRITES_PER_NETWORK_AND_DAY: 15,
	WRITES_PER_ACCOUNT_PAST_NETWORK: 1,
	REGISTRATIONS_PER_NETWORK_AND_DAY: 2,
	SESSIONS_PER_ACCOUNT: 4,
	REVOKED_KEYS_KEPT_DAYS: 7,
	OTP_PER_ACCOUNT_AND_DAY: 2,
	UNKNOWN_CODES_PER_DAY: 5,
	FAILED_LOGINS_PER_PHONE_AND_NETWORK: 3,
};

const tables = [
	"addresses",
	"address_changes",
	"api_keys",
	"users",
	"sessions",
	"refresh_tokens",
	"otp_codes",
	"failed_logins",
	"unknown_codes",
	"daily_counts",
	"burnt_codes",
] as const;

type Rows = Record<(typeof tables)[number], number>;

async function rowsOf(): Promise<Rows> {
	const answers = await env.DB.batch<{ count: number }>(
		tables.map((table) => env.DB.prepare(`select count(*) as count from ${table}`)),
	);
	return Object.fromEntries(tables.map((table, index) => [table, answers[index]?.results[0]?.count ?? -1])) as Rows;
}

async function bytes(): Promise<number> {
	return (await env.DB.prepare("select 1").run()).meta.size_after;
}

/** A label and a name as long as they may be. */
const LABEL = "😀".repeat(198);
const NAME = "n".repeat(100);

it("a month of all that one account and one network may write fills a bounded part of the database (H4)", async () => {
	const realNow = Date.now.bind(Date);
	// A clock that goes on, because hashes wait for their turn by it; from one o'clock on, so that no day ends within its writes.
	let ahead = DAY - (realNow() % DAY) + HOUR;
	vi.spyOn(Date, "now").mockImplementation(() => realNow() + ahead);
	const owner = await signUp();
	const { canonical } = await mint(owner.access, LAGOS);
	const before = { rows: await rowsOf(), bytes: await bytes() };
	const most = { ...before.rows };
	let calls = 0;
	let unit = 0;

	/** Calls from one /64. */
	const ask = async (method: string, path: string, body?: object, token?: string, headers = {}) => {
		calls += 1;
		const address = { "CF-Connecting-IP": `2001:db8:1:2::${(calls % 60_000).toString(16)}` };
		const answer = await call(path, {
			method,
			...(body ? { body } : {}),
			...(token ? { token } : {}),
			settings,
			headers: { ...address, ...headers },
		});
		return answer;
	};
	/** Does something several times at once, more often than is allowed, and returns how often it was done. */
	const inOneGo = async (times: number, work: (time: number) => Promise<Response>): Promise<number> => {
		const answers = await Promise.all(Array.from({ length: times }, (_, time) => work(time)));
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status >= 300 && status !== 429)).toEqual([]);
		return statuses.filter((status) => status < 300).length;
	};
	const signIn = async (phone: string) =>
		json<{ access: string; refresh: string }>(await ask("POST", "/v1/auth/login", { phone, password: PASSWORD }));

	const guessCode = () => {
		unit += 1;
		return ask("GET", `/v1/public/addresses/${codeOfUnit("ZW", "0001", unit) ?? "ZW000100010"}`);
	};
	let session: { access: string; refresh: string } = owner;
	for (let day = 0; day < DAYS; day += 1) {
		ahead += DAY;
		const isPasswordDay = day % PASSWORD_DAYS === 0;
		if (isPasswordDay) session = await signIn(owner.user.phone);
		for (let time = 0; time < 10; time += 1) {
			session = await json(await ask("POST", "/v1/auth/token/refresh", { refresh: session.refresh }));
		}
		const { access } = session;
		const mintOne = (time: number) => {
			const headers = { "Idempotency-Key": `${day}-${time}`.padEnd(255, "k") };
			return ask("POST", "/v1/addresses", { ...LAGOS, label: LABEL + time }, access, headers);
		};
		const changeOne = (time: number) =>
			ask("PATCH", `/v1/addresses/${canonical}`, { label: `${LABEL}${day % 2}${time}` }, access);
		const makeAndRevokeKey = async () => {
			const made = await ask("POST", "/v1/keys", { name: NAME, mode: "live" }, access);
			if (made.ok) {
				const { id } = await json<{ id: string }>(made.clone(), 201);
				expect((await ask("DELETE", `/v1/keys/${id}`, undefined, access)).status).toBe(204);
			}
			return made;
		};
		const requestCode = () => ask("POST", "/v1/auth/otp/request", { phone: freshPhone() }, access);
		const done = [inOneGo(8, mintOne), inOneGo(5, changeOne), inOneGo(5, makeAndRevokeKey), inOneGo(4, requestCode)];
		expect(await Promise.all(done)).toEqual([6, 3, 3, 2]);
		const opened: string[] = [];
		const register = async () => {
			const answer = await ask("POST", "/v1/auth/register", { phone: freshPhone(), password: PASSWORD });
			if (answer.ok) opened.push((await json<{ access: string }>(answer.clone(), 201)).access);
			return answer;
		};
		if (isPasswordDay) expect(await inOneGo(3, register)).toBe(2);
		const mintElsewhere = (token: string) => ask("POST", "/v1/addresses", { ...LAGOS, label: LABEL }, token);
		await Promise.all(opened.map((token) => inOneGo(8, () => mintElsewhere(token))));
		await Promise.all(Array.from({ length: 12 }, guessCode));
		for (let guess = 0; isPasswordDay && guess < 4; guess += 1) {
			await ask("POST", "/v1/auth/login", { phone: "+2348099999999", password: "wrong wrong" });
		}
		const rows = await rowsOf();
		for (const table of tables) most[table] = Math.max(most[table], rows[table]);
		for (let hour = 1; hour < 24; hour += 8) await cleanUp({ ...env, ...settings }, Date.now() + hour * HOUR);
	}

	const rows = await rowsOf();
	const grown = (table: keyof Rows) => rows[table] - before.rows[table];
	// What stays: what the limits allow of it in a day, thirty times.
	const accounts = 2 * (DAYS / PASSWORD_DAYS);
	expect(grown("users")).toBe(accounts);
	const written = grown("addresses") + 3 * DAYS + 3 * DAYS;
	expect(written).toBeGreaterThan(12 * DAYS);
	expect(written).toBeLessThanOrEqual(2 * 15 * DAYS);
	expect(grown("address_changes")).toBe(3 * DAYS);
	expect(grown("burnt_codes")).toBe(0);
	// What comes and goes never is more than some days' worth.
	expect(most.api_keys - before.rows.api_keys).toBeLessThanOrEqual(3 * (7 + 2));
	expect(most.sessions - before.rows.sessions).toBeLessThanOrEqual(accounts + 4);
	expect(most.refresh_tokens - before.rows.refresh_tokens).toBeLessThanOrEqual(2 * (accounts + 4));
	expect(most.otp_codes - before.rows.otp_codes).toBeLessThanOrEqual(2 * 3);
	expect(most.failed_logins - before.rows.failed_logins).toBeLessThanOrEqual(3 * 3);
	expect(most.unknown_codes - before.rows.unknown_codes).toBeLessThanOrEqual(4 * 3);
	expect(most.daily_counts - before.rows.daily_counts).toBeLessThanOrEqual(20 * 3);

	const grownBytes = (await bytes()) - before.bytes;
	const bytesPerWrite = grownBytes / written;
	const { WRITES_PER_NETWORK_AND_DAY } = readConfig(env).limits;
	const monthOfOneNetwork = bytesPerWrite * WRITES_PER_NETWORK_AND_DAY * DAYS;
	expect(monthOfOneNetwork).toBeLessThan(SHARE_OF_ONE_NETWORK * DATABASE_BYTES);

	// A quarter after it stopped, all that comes and goes is gone.
	for (let hour = 0; hour < 5; hour += 1) await cleanUp({ ...env, ...settings }, Date.now() + 90 * DAY + hour * HOUR);
	const left = await rowsOf();
	for (const table of ["sessions", "refresh_tokens", "api_keys", "otp_codes", "failed_logins"] as const) {
		expect(left[table], table).toBe(0);
	}
	expect(left.unknown_codes + left.daily_counts).toBe(0);
	vi.restoreAllMocks();
});
