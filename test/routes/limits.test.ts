import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { networkOf } from "../../src/platform/client-network.ts";
import { perMinute } from "../../src/settings/limits.ts";
import { call, freshAddress, json, post, problem } from "../support/client.ts";
import { hashesDuring } from "../support/count-hashes.ts";
import { ageFailures, repeatNewest } from "../support/failed-sign-ins.ts";
import { inOneMinute, spend } from "../support/minute.ts";
import { freshPhone, LAGOS, mint, PASSWORD, signUp } from "../support/people.ts";
import { sql, value } from "../support/sql.ts";

const login = (phone: string, password: string, from?: string) => post("/v1/auth/login", { phone, password }, { from });

const WRONG = "not my password";

/** Fails to sign in so often: once, and its row stands for further failures, each of which waits for its turn to hash. */
async function fail(times: number, phone: string, address?: string): Promise<void> {
	await problem(login(phone, WRONG, address), 401, "INVALID_CREDENTIALS");
	await repeatNewest(times);
}

async function throttled(answer: Response | Promise<Response>, leastSeconds: number, mostSeconds: number) {
	const response = await answer;
	await problem(response, 429, "RATE_LIMITED");
	const wait = Number(response.headers.get("Retry-After"));
	expect(wait).toBeGreaterThan(leastSeconds);
	expect(wait).toBeLessThanOrEqual(mostSeconds);
}

describe("failed sign-ins", () => {
	it.each(["of an account", "of no account"])(
		"with a phone %s from one network end after ten, and say how many are left",
		async (kind) => {
			const phone = kind === "of an account" ? (await signUp()).user.phone : freshPhone();
			const address = freshAddress();
			for (let left = 9; left >= 0; left -= 1) {
				const answer = await login(phone, WRONG, address);
				expect(answer.headers.get("RateLimit-Policy")).toBe('"failed-logins";q=10;w=900');
				expect(answer.headers.get("RateLimit")).toMatch(new RegExp(`^"failed-logins";r=${left};t=(900|8\\d\\d)$`));
				await json(answer, 401);
			}
			const hashes = await hashesDuring(async () => {
				for (const password of [WRONG, PASSWORD, WRONG]) await throttled(login(phone, password, address), 800, 900);
			});
			// Refused before any hashing, which is nearly all that a sign-in costs.
			expect(hashes).toEqual([]);
		},
	);

	it("lock out one network and not the owner elsewhere, nor another phone there", async () => {
		const { user } = await signUp();
		const address = freshAddress();
		await fail(10, user.phone, address);
		await throttled(login(user.phone, PASSWORD, address), 800, 900);
		await json(login(user.phone, PASSWORD));
		await json(login((await signUp()).user.phone, PASSWORD, address));
		await throttled(login(user.phone, PASSWORD, address), 800, 900);
	});

	it("count an IPv6 /56 as one network", async () => {
		const { user } = await signUp();
		for (const [place, times] of [1, 8, 1].entries()) await fail(times, user.phone, `2001:db8:1:2${place}0::1`);
		await throttled(login(user.phone, PASSWORD, "2001:db8:1:2ff:ffff::1"), 800, 900);
		await json(login(user.phone, PASSWORD, "2001:db8:1:300::1"));
	});

	it("are forgotten when the right password comes in time, for that network alone", async () => {
		const { user } = await signUp();
		const [mine, his] = [freshAddress(), freshAddress()];
		await fail(9, user.phone, mine);
		await fail(10, user.phone, his);
		await json(login(user.phone, PASSWORD, mine));
		await fail(9, user.phone, mine);
		await json(login(user.phone, PASSWORD, mine));
		await throttled(login(user.phone, PASSWORD, his), 800, 900);
	});

	it("are forgotten after fifteen minutes", async () => {
		const { user } = await signUp();
		const address = freshAddress();
		await fail(10, user.phone, address);
		await ageFailures(840_000);
		await throttled(login(user.phone, PASSWORD, address), 0, 60);
		await ageFailures(60_001);
		await json(login(user.phone, PASSWORD, address));
	});

	it("tell at most ten guesses their outcome when fifteen race, the right one among them", async () => {
		const { user } = await signUp();
		const address = freshAddress();
		const answers = await Promise.all(
			Array.from({ length: 15 }, (_, index) => login(user.phone, index === 14 ? PASSWORD : WRONG, address)),
		);
		const statuses = answers.map(({ status }) => status);
		// A busy machine turns some away before they are judged (503).
		const told = statuses.filter((status) => status !== 429 && status !== 503);
		expect(told.length).toBeLessThanOrEqual(10);
		for (const status of told) expect([200, 401]).toContain(status);
	});
});

describe("new addresses", () => {
	const settings = { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: "3" };
	const create = (token: string) => post("/v1/addresses", LAGOS, { token, settings });

	it("end exactly at the quota, also when requests race, and the next day goes on", async () => {
		const { access, user } = await signUp();
		const answers = await Promise.all(Array.from({ length: 10 }, () => create(access)));
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array<number>(7).fill(429)]);
		const refused = answers.find(({ status }) => status === 429);
		const untilMidnight = Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000);
		expect(Math.abs(Number(refused?.headers.get("Retry-After")) - untilMidnight)).toBeLessThan(30);
		expect(refused?.headers.get("RateLimit")).toMatch(/^"new-addresses";r=0;t=\d+$/);
		await problem(refused!, 429, "QUOTA_EXCEEDED");
		expect(await value("select count(*) from addresses where owner_id = ?", user.id)).toBe(3);
		await json(create((await signUp()).access), 201);
		await sql("update daily_counts set day = day - 1");
		await json(create(access), 201);
	});
});

/** Look-ups that a network has in a minute here: the limit that test/vitest.config.ts sets. */
const LOOKUPS = 200;

describe("a network", () => {
	it("has 300 calls to /v1/auth a minute, and who is signed in has as many apart from them, as other networks have", async () => {
		let block = 0;
		const { refused, ...others } = await inOneMinute(async () => {
			block += 1;
			const { access } = await signUp();
			const from = `2001:db8:${block}::1`;
			await spend("AUTH_CALLS", perMinute.AUTH_CALLS.quota - 1, networkOf(from)!);
			const ask = (from: string) => post("/v1/auth/logout", {}, { from });
			const me = () => call("/v1/auth/me", { token: access, from });
			const last = await ask(from);
			const refused = await ask(`2001:db8:${block}:0:1::`);
			const [elsewhere, own] = [await ask(freshAddress()), await me()];
			await spend("AUTH_CALLS", perMinute.AUTH_CALLS.quota, decodeJwt<{ sub: string }>(access).sub);
			await me();
			return { refused, last, elsewhere, own, past: await me() };
		});
		await throttled(refused, 0, 60);
		const statuses = Object.entries(others).map(([name, { status }]) => [name, status]);
		expect(Object.fromEntries(statuses)).toEqual({ last: 400, elsewhere: 400, own: 200, past: 429 });
	});

	it.each(["/v1/auth/me", "/v1/addresses/ZZ000000009"])(
		"with the token of a session that has ended uses up no call of the account's other sessions to %s",
		async (path) => {
			// The platform's smallest limit, of three, in the place of each.
			const settings = { PER_MINUTE_300: env.THREE_A_MINUTE, PER_MINUTE_6000: env.THREE_A_MINUTE };
			const from = freshAddress();
			const ask = async (token: string) => (await call(path, { token, settings, from })).status;
			const statuses = await inOneMinute(async () => {
				const { user, access: ended, refresh } = await signUp();
				const { access } = await json<{ access: string }>(login(user.phone, PASSWORD));
				await post("/v1/auth/logout", { refresh });
				const first = await ask(access);
				const others = [await ask(ended), await ask(ended), await ask(ended), await ask(ended), await ask(ended)];
				return [first, ...others, await ask(access)];
			});
			expect(statuses).toEqual([200, 401, 401, 401, 401, 429, 200]);
		},
	);

	it.each(["/v1/auth/me", "/v1/addresses/ZZ000000009"])(
		"gains no call to %s by more sessions of one account",
		async (path) => {
			const settings = { PER_MINUTE_300: env.THREE_A_MINUTE, PER_MINUTE_6000: env.THREE_A_MINUTE };
			const ask = async (token: string) => (await call(path, { token, settings, from: freshAddress() })).status;
			const statuses = await inOneMinute(async () => {
				const { user, access: one } = await signUp();
				const { access: other } = await json<{ access: string }>(login(user.phone, PASSWORD));
				const asked = [await ask(one), await ask(other), await ask(one), await ask(other)];
				// The third of each.
				return [asked.slice(0, 3), await ask(one), await ask(other)];
			});
			expect(statuses).toEqual([[200, 200, 200], 429, 429]);
		},
	);

	it("has no more than its look-ups of a minute", async () => {
		const { access } = await signUp();
		const statuses = await inOneMinute(async () => {
			const [cached, asked] = [await mint(access, LAGOS), await mint(access, LAGOS)];
			const address = freshAddress();
			await spend("LOOKUPS", LOOKUPS - 1, address);
			const ask = async ({ canonical }: { canonical: string }) =>
				(await call(`/v1/public/addresses/${canonical}`, { from: address })).status;
			return [await ask(cached), await ask(asked), await ask(cached)];
		});
		expect(statuses).toEqual([200, 429, 200]);
	});
});
