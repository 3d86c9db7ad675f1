/** Reading a zone out by guessing, and what that must not do to others. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { codeOfSerial } from "../../src/codes/code.ts";
import { perMinute, rateLimitBindingOf } from "../../src/settings/limits.ts";
import { call, json, post, settle } from "../support/client.ts";
import { countStatements } from "../support/count-statements.ts";
import { databaseThrough } from "../support/database.ts";
import { freeCodes } from "../support/fill-zone.ts";
import { logged } from "../support/logged.ts";
import { inOneMinute, spend } from "../support/minute.ts";
import {
	AT_LAGOS,
	LAGOS,
	type Minted,
	mint,
	newKey,
	newOwner,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { sql, value } from "../support/sql.ts";

const { quota: OF_NETWORK } = perMinute.UNKNOWN_IN_ZONE;
const { quota: OF_ACCOUNT } = perMinute.UNKNOWN_IN_ZONE_OF_ACCOUNT;
const { quota: IN_ALL } = perMinute.UNKNOWN_CODES;

let nextUnit = 0;

/** A code under which nothing was issued, and which nobody has asked for yet. */
function unknownCode(zone: string): string {
	for (;;) {
		nextUnit += 1;
		const code = codeOfSerial("ZW", zone, nextUnit % 10_000);
		if (code) return code;
	}
}

const times = <Value>(number: number, make: (index: number) => Value) =>
	Array.from({ length: number }, (_, index) => make(index));
const unknownCodes = (number: number, zone: string) => times(number, () => unknownCode(zone));
const count = (statuses: number[], status: number) => statuses.filter((one) => one === status).length;

// Under settings of its own a call waits for what goes on after a look-up.
const resolve = (code: string, from?: string) => call(`/v1/public/addresses/${code}`, { from, settings: {} });

/** The statuses of look-ups of unknown codes of a zone, one after the other. */
async function guess(number: number, address: (index: number) => string, zone: string): Promise<number[]> {
	const statuses: number[] = [];
	for (let index = 0; index < number; index += 1) {
		statuses.push((await resolve(unknownCode(zone), address(index))).status);
	}
	return statuses;
}

let networks = 0;

/** An IPv6 /56 that nobody has called from. */
function freshNetwork(): string {
	networks += 1;
	return `2001:db8:${(0x2000 + networks).toString(16)}:55`;
}

const key = async (owner: SignedInUser) => (await newKey(owner, { scopes: ["addresses:write"] })).key;

/** The code of the problem of each item of a batch, or "found". */
async function batch(codes: string[], token: string, more: object = {}): Promise<string[]> {
	const answer = post("/v1/public/addresses/batch", { codes }, { token, ...more });
	const { data } = await json<{ data: { problem?: { code: string } }[] }>(answer);
	return data.map(({ problem }) => problem?.code ?? "found");
}

const asked = new Set<string>();

/** Codes of a zone with addresses, under which nothing was issued, and for which nobody has asked yet. */
async function freshCodes(country: string, zone: string, number: number): Promise<string[]> {
	const fresh = [...(await freeCodes(country, zone))].filter((code) => !asked.has(code)).slice(0, number);
	for (const code of fresh) asked.add(code);
	return fresh;
}

/** Has somebody spend what an account may of a zone's unknown codes. */
const exhaust = (zone: string, token: string) => batch(unknownCodes(OF_ACCOUNT, zone), token);

describe("a network that asks for codes that do not exist", () => {
	it.each([
		["an IPv4 address", (block: number) => [() => `198.18.${block}.7`, () => `198.18.${block}.8`] as const],
		[
			"anywhere in an IPv6 /56",
			(block: number) =>
				[
					(index: number) => `2001:db8:${block}:12${(index + 16).toString(16)}::1`,
					() => `2001:db8:${block}:1300::1`,
				] as const,
		],
	])(
		"gets thirty of a zone a minute, from %s, goes on in other zones, and its neighbours notice nothing",
		async (_, of) => {
			let block = 0;
			const { statuses, elsewhere, beside } = await inOneMinute(async () => {
				block += 1;
				const [from, neighbour] = of(block);
				const statuses = await guess(OF_NETWORK + 5, from, "0001");
				return { statuses, elsewhere: await guess(3, from, "0002"), beside: await guess(3, neighbour, "0001") };
			});
			expect(statuses).toEqual([...Array(OF_NETWORK).fill(404), ...Array(5).fill(429)]);
			expect([...elsewhere, ...beside]).toEqual(Array(6).fill(404));
		},
	);

	it("gets no answer about existing codes of that zone either, except from a cache", async () => {
		const { access } = await signUp();
		const answers = await inOneMinute(async () => {
			const address = `${freshNetwork()}00::1`;
			// A second after minting the cache forgets a code once more, which `settle` waits for where a call has settings.
			const remembered = await json<Minted>(post("/v1/addresses", LAGOS, { token: access, settings: {} }), 201);
			const { country, zone, canonical } = await mint(access, LAGOS);
			await settle();
			await resolve(remembered.canonical, address);
			for (const code of await freshCodes(country, zone, OF_NETWORK + 1)) await resolve(code, address);
			return {
				refused: await resolve(canonical, address),
				page: await call(`/a/${canonical}`, { from: address }),
				remembered: await resolve(remembered.canonical, address),
				malformed: await resolve("NG-0421-58213", address),
				elsewhere: await resolve(canonical),
			};
		});
		const { refused } = answers;
		expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
		expect(refused.headers.get("RateLimit-Policy")).toBe('"unknown-in-zone";q=30;w=60');
		expect(refused.headers.get("RateLimit")).toMatch(/^"unknown-in-zone";r=0;t=\d+$/);
		const problem = await json<{ detail: string }>(refused, 429);
		expect(problem).toMatchObject({ code: "RATE_LIMITED" });
		expect(problem.detail).toContain("GET /v1/addresses/{code}");
		const { page, remembered, malformed, elsewhere } = answers;
		expect([page, remembered, malformed, elsewhere].map(({ status }) => status)).toEqual([429, 200, 400, 200]);
	});

	it("learns no more when it asks at once", async () => {
		const statuses = await inOneMinute(async () => {
			const address = `${freshNetwork()}00::1`;
			const answers = await Promise.all(times(60, () => resolve(unknownCode("0004"), address)));
			return answers.map(({ status }) => status);
		});
		expect(count(statuses, 404)).toBeLessThanOrEqual(OF_NETWORK);
	});

	it("may be a class that types one code: a 404 that is remembered is no miss", async () => {
		const address = `${freshNetwork()}00::1`;
		const code = unknownCode("0005");
		for (let child = 0; child < OF_NETWORK + 5; child += 1) expect((await resolve(code, address)).status).toBe(404);
	});

	it("is logged once a minute by a keyed hash, and writes nothing to the database", async () => {
		const rows = () => value("select count(*) from daily_counts");
		const before = await rows();
		const events = await inOneMinute(() => {
			const network = freshNetwork();
			return logged(() => guess(OF_NETWORK + 8, () => `${network}00::1`, "0006"), "enumeration");
		});
		expect(events).toMatchObject([{ zone: "ZW0006", network: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
		expect(JSON.stringify(events)).not.toContain("2001:db8");
		expect(await rows()).toBe(before);
	});
});

describe("a neighbour who guesses", () => {
	it("shuts out neither keys nor owners behind the same network", async () => {
		const { canonical, country, zone, ...owner } = await newOwner();
		const from = "198.51.100.77";
		for (const code of await freshCodes(country, zone, OF_NETWORK + 3)) await resolve(code, from);
		const ask = async (method: string, token: string, body?: object) =>
			(await call(`/v1/addresses/${canonical}`, { method, body, token, from })).status;
		expect(await ask("GET", await key(owner))).toBe(200);
		expect(await ask("PATCH", owner.access, { label: "Green gate" })).toBe(200);
		expect(await ask("DELETE", owner.access)).toBe(204);
	});
});

describe("a credential", () => {
	it("of twenty behind one network gets its own quota of unknown codes of a zone, and no more", async () => {
		// The platform's smallest limit in the place of sixty, so that all are past theirs within a minute.
		const settings = { PER_MINUTE_60: env.THREE_A_MINUTE };
		const quota = 3;
		for (const { access } of await Promise.all(times(20, () => signUp()))) {
			const codes = unknownCodes(quota + 2, "0008");
			const problems = await inOneMinute(() => batch(codes, access, { from: "198.51.100.90", settings }));
			expect(problems.filter((code) => code !== "RATE_LIMITED").length).toBeLessThanOrEqual(quota);
			expect(problems.at(-1)).toBe("RATE_LIMITED");
		}
	});

	it("of an owner past them reads, changes and retires their own addresses there, and learns of no other", async () => {
		const [owner, theirs] = [await signUp(), await newOwner()];
		const home = await mint(theirs.access, { ...LAGOS, visibility: "private" });
		const ask = async (method: string, path: string, body?: object) =>
			(await call(`/v1/addresses/${path}`, { method, body, token: owner.access })).status;
		const answers = await inOneMinute(async () => {
			const { canonical, country, zone } = await mint(owner.access, LAGOS);
			const free = await freshCodes(country, zone, OF_ACCOUNT + 4);
			const code = free.pop() ?? "";
			await batch(free, owner.access);
			const refused: number[] = [];
			for (const code of [theirs.canonical, home.canonical, free.pop() ?? ""]) {
				refused.push(await ask("GET", code), await ask("PATCH", code, { label: "x" }), await ask("DELETE", code));
			}
			return {
				refused,
				batch: await batch([canonical, theirs.canonical, code, unknownCode("0009"), "nonsense"], owner.access),
				own: [
					await ask("GET", canonical),
					await ask("GET", `${canonical}/history`),
					await ask("PATCH", canonical, { label: "Green gate" }),
					await ask("DELETE", canonical),
				],
			};
		});
		expect(answers.refused).toEqual(Array(9).fill(429));
		// Items of that zone alone are refused, whether they exist or not, and never the batch.
		expect(answers.batch).toEqual(["found", "RATE_LIMITED", "RATE_LIMITED", "ADDRESS_NOT_FOUND", "MALFORMED_CODE"]);
		expect(answers.own).toEqual([200, 200, 200, 204]);
	});

	it("of an agent past them attests nothing there", async () => {
		const { access: token } = await signUpAgent();
		let zone = 3000;
		const status = await inOneMinute(async () => {
			zone += 1;
			await exhaust(String(zone), token);
			const path = `/v1/addresses/${unknownCode(String(zone))}/attestations`;
			return (await post(path, { level: 1, note: "", ...AT_LAGOS }, { token })).status;
		});
		expect(status).toBe(429);
	});

	it("gets three hundred unknown codes a minute in all", async () => {
		const problems = await inOneMinute(async () => {
			const { access } = await signUp();
			const answers: string[] = [];
			for (let part = 0; part < 4; part += 1) {
				const codes = times(100, (index) => unknownCode(String(1000 + part * 10 + (index % 10))));
				answers.push(...(await batch(codes, access)));
			}
			return answers;
		});
		expect(problems.filter((code) => code === "ADDRESS_NOT_FOUND").length).toBe(IN_ALL);
		expect(problems.slice(IN_ALL)).toEqual(Array(400 - IN_ALL).fill("RATE_LIMITED"));
	});

	it("is counted by its account, so that making keys gains nothing, and no other account is concerned", async () => {
		const [owner, neighbour] = [await signUp(), await signUp()];
		const [first, second, others] = [await key(owner), await key(owner), await key(neighbour)];
		let zone = 2000;
		const statuses = await inOneMinute(async () => {
			zone += 1;
			await exhaust(String(zone), first);
			const ask = async (token: string) => (await call(`/v1/addresses/${unknownCode(String(zone))}`, { token })).status;
			return [await ask(first), await ask(second), await ask(owner.access), await ask(others)];
		});
		expect(statuses).toEqual([429, 429, 429, 404]);
	});

	it("of an account that may ask for unknown codes is not limited", async () => {
		const { access, user } = await signUp();
		await sql("insert into allowances (user_id, unknown_codes_per_minute) values (?, 1000)", user.id);
		const codes = unknownCodes(OF_ACCOUNT + 30, "0012");
		expect(new Set(await inOneMinute(() => batch(codes, access)))).toEqual(new Set(["ADDRESS_NOT_FOUND"]));
	});

	it.each([
		["look-ups", "/v1/addresses/ZZ000000009", "LOOKUPS"],
		["calls to /v1/auth", "/v1/auth/me", "AUTH_CALLS"],
		["pages of the feed", "/v1/changes?mine=1", "BATCHES"],
	] as const)("shares the %s of its account with all its sessions and keys", async (_, path, limit) => {
		// The platform's smallest limit, of three, in its place.
		const settings = { [rateLimitBindingOf(limit)]: env.THREE_A_MINUTE };
		const statuses = await inOneMinute(async () => {
			const owner = await signUp();
			const tokens = [owner.access];
			for (let number = 0; number < 3; number += 1) {
				const { access } = await json<{ access: string }>(
					post("/v1/auth/login", { phone: owner.user.phone, password: PASSWORD }),
				);
				tokens.push(limit === "AUTH_CALLS" ? access : await key(owner));
			}
			const statuses: number[] = [];
			for (const token of [...tokens, ...tokens]) statuses.push((await call(path, { token, settings })).status);
			const neighbour = await signUp();
			return { own: statuses, neighbour: (await call(path, { token: neighbour.access, settings })).status };
		});
		// A call to /v1/auth counts when it is done.
		const [done] = statuses.own.splice(3, 1);
		expect(done).toBe(limit === "AUTH_CALLS" ? 200 : 429);
		expect(statuses).toEqual({ own: [200, 200, 200, 429, 429, 429, 429], neighbour: 200 });
	});
});

describe("what nobody has proved counts for its network", () => {
	/** A key that looks like one, from whose checksum nobody can tell that it is none. */
	const forge = async (owner: SignedInUser) => {
		const forged = await key(owner);
		await sql("update api_keys set revoked_at = 1 where user_id = ?", owner.user.id);
		return forged;
	};

	/** The platform's smallest limit in the place of six thousand. */
	const settings = { PER_MINUTE_6000: env.THREE_A_MINUTE };
	const limit = 3;

	it("keys that are wrong are refused without the database past the limit, and those that are right go on", async () => {
		const address = "198.51.100.91";
		const forged = await forge(await signUp());
		const genuine = await key(await signUp());
		const ask = async (token: string, from?: string) => (await call("/v1/addresses", { token, from, settings })).status;
		expect(await ask(genuine, address)).toBe(200);
		const answers = await inOneMinute(async () => {
			const statuses = await Promise.all(times(limit + 5, () => ask(forged, address)));
			let last = 0;
			const asked = await countStatements(async () => {
				last = await ask(forged, address);
			});
			return { statuses, last, asked, genuine: await ask(genuine, address) };
		});
		expect(count(answers.statuses, 401)).toBeGreaterThanOrEqual(limit);
		expect(answers).toMatchObject({ last: 429, asked: 0, genuine: 200 });
		expect(await ask(forged)).toBe(401);
	});

	it("three hundred keys that are wrong keep no neighbour from a key that was not used for long", async () => {
		const from = "198.51.100.93";
		const [forged, idle] = [await forge(await signUp()), await key(await signUp())];
		const status = await inOneMinute(async () => {
			await spend("AUTH_CALLS", 300, `unproved ${from}`);
			for (let number = 0; number < 3; number += 1) await call("/v1/addresses", { token: forged, from, settings: {} });
			return (await call("/v1/addresses", { token: idle, from })).status;
		});
		expect(status).toBe(200);
	});

	it("made-up cookies of the console are refused the same way", async () => {
		const headers = { Cookie: `__Host-session=${"x".repeat(43)}` };
		const open = async () => (await call("/my/sign-in", { headers, from: "198.51.100.92", settings })).status;
		expect(await open()).toBe(200);
		const last = await inOneMinute(async () => {
			await Promise.all(times(limit + 5, open));
			return open();
		});
		expect(last).toBe(429);
	});

	it("/healthz asks the database once in five seconds", async () => {
		let asked = 0;
		const DB = databaseThrough((work) => {
			asked += 1;
			return work();
		});
		const now = vi.spyOn(Date, "now").mockReturnValue(1_900_000_000_000);
		for (let index = 0; index < 20; index += 1) await json(call("/healthz", { settings: { DB } }));
		expect(asked).toBe(1);
		now.mockReturnValue(1_900_000_005_000);
		await json(call("/healthz", { settings: { DB } }));
		now.mockRestore();
		expect(asked).toBe(2);
	});
});

it("every answer that a limit was asked for names it", async () => {
	const { access, canonical } = await newOwner();
	const policyOf = async (path: string, init: Parameters<typeof call>[1] = {}) =>
		(await call(path, init)).headers.get("RateLimit-Policy");
	const lookups = '"lookups";q=6000;w=60';
	expect(await policyOf(`/v1/public/addresses/${canonical}`)).toBe(lookups);
	expect(await policyOf(`/v1/addresses/${canonical}`, { token: access })).toBe(lookups);
	expect(await policyOf(`/v1/public/addresses/${unknownCode("0011")}`)).toBe(
		`${lookups}, "unknown-in-zone";q=30;w=60, "unknown-codes";q=300;w=60`,
	);
	expect(await policyOf("/v1/auth/me", { token: access })).toBe('"auth-calls";q=300;w=60');
	const batch = { method: "POST", token: access, body: { codes: [canonical] } };
	expect(await policyOf("/v1/public/addresses/batch", batch)).toBe('"batches";q=60;w=60');
	expect(await policyOf("/v1/public/zones?lat=6.5&lng=3.3")).toBeNull();
});

it("a rate limit that fails lets look-ups pass, and is logged", async () => {
	const { access, canonical } = await newOwner();
	const broken = { limit: () => Promise.reject(new Error("The limiter is away")) } as unknown as RateLimit;
	const settings = { PER_MINUTE_6000: broken, PER_MINUTE_300: broken, PER_MINUTE_30: broken };
	const lines = await logged(async () => {
		expect((await call(`/v1/public/addresses/${canonical}`, { settings })).status).toBe(200);
		expect((await call(`/v1/public/addresses/${unknownCode("0010")}`, { settings })).status).toBe(404);
		expect((await call("/v1/auth/me", { token: access, settings })).status).toBe(200);
	}, "rate_limit_unavailable");
	expect(lines).toHaveLength(5);
});
