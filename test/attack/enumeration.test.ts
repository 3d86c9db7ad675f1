/** Reading a zone out by guessing, and shutting others out by it: attack.md H1, M1, faults.md F3. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { codeOfUnit } from "../../src/addresses/code.ts";
import { call, freshAddress, json, LAGOS, mint, type SignedInUser, signUp, signUpAgent } from "../support/client.ts";

/** Waits for a new minute when this one is nearly over, since budgets are counted by the minute. */
async function withinOneMinute(): Promise<void> {
	const left = 60_000 - (Date.now() % 60_000);
	if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left + 50));
}

let nextUnit = 0;

/** A code under which nothing was issued, and which nobody has asked for yet. */
function unknownCode(zone = "0001"): string {
	for (;;) {
		nextUnit += 1;
		const code = codeOfUnit("ZW", zone, nextUnit);
		if (code) return code;
	}
}

const TIGHT = { UNKNOWN_CODES_PER_MINUTE: "10", UNKNOWN_CODES_PER_DAY: "20" };

function resolve(code: string, address: string, settings = TIGHT): Promise<Response> {
	return call(`/v1/public/addresses/${code}`, { headers: { "CF-Connecting-IP": address }, settings });
}

/** The statuses of look-ups of unknown codes, one from each address. */
async function guess(addresses: string[], settings = TIGHT, zone?: string): Promise<number[]> {
	const statuses: number[] = [];
	for (const address of addresses) statuses.push((await resolve(unknownCode(zone), address, settings)).status);
	return statuses;
}

function count(statuses: number[], status: number): number {
	return statuses.filter((one) => one === status).length;
}

const times = (number: number, address: (index: number) => string) =>
	Array.from({ length: number }, (_, index) => address(index));

async function key(owner: SignedInUser): Promise<string> {
	const body = { name: "Shop", mode: "live" };
	const { key } = await json<{ key: string }>(call("/v1/keys", { method: "POST", token: owner.access, body }), 201);
	return `Api-Key ${key}`;
}

describe("a network that asks for codes that do not exist", () => {
	it.each([
		["one address", () => "2001:db8:1:1::1"],
		["one /64", (index: number) => `2001:db8:a:2::${index + 1}`],
		["one /56", (index: number) => `2001:db8:b:5${index.toString(16).padStart(2, "0")}::1`],
		["one /48", (index: number) => `2001:db8:2:${(index * 257).toString(16)}::1`],
		["one IPv4 address", () => "198.51.100.7"],
		["one IPv4 /24", (index: number) => `203.0.113.${index + 1}`],
	])("has the budget of the minute and five more, from %s", async (_, address) => {
		await withinOneMinute();
		const statuses = await guess(times(24, address));
		expect(count(statuses, 404)).toBe(15);
		expect(statuses.slice(15)).toEqual(Array(9).fill(429));
	});

	it("past its budget gets no answer about existing codes either, except from a cache, while other networks do", async () => {
		await withinOneMinute();
		const { access } = await signUp();
		const [remembered, asked] = [await mint(access, LAGOS), await mint(access, LAGOS)];
		const address = "2001:db8:3::1";
		expect((await resolve(remembered.canonical, address)).status).toBe(200);
		await guess(times(20, () => address));
		const refused = await resolve(asked.canonical, address);
		expect(refused.headers.get("Retry-After")).toBe("60");
		expect(await json(refused, 429)).toMatchObject({ code: "RATE_LIMITED" });
		expect(
			(await call(`/a/${asked.canonical}`, { headers: { "CF-Connecting-IP": address }, settings: TIGHT })).status,
		).toBe(429);
		expect((await resolve(remembered.canonical, address)).status).toBe(200);
		expect((await resolve("NG-0421-58213", address)).status).toBe(400);
		expect((await resolve(asked.canonical, freshAddress())).status).toBe(200);
	});

	it("past the day's budget has five look-ups a minute, found or not alike, so that nobody behind it is shut out", async () => {
		const { access } = await signUp();
		const addresses = [await mint(access, LAGOS), await mint(access, LAGOS), await mint(access, LAGOS)];
		const address = "2001:db8:4::1";
		await guess(
			times(21, () => address),
			{ UNKNOWN_CODES_PER_MINUTE: "1000", UNKNOWN_CODES_PER_DAY: "20" },
		);
		// Another minute of the same day: only the day's budget is past.
		await env.DB.prepare("update unknown_codes set minute = minute - 1").run();
		await withinOneMinute();
		const statuses: number[] = [];
		for (const { canonical } of addresses) statuses.push((await resolve(canonical, address)).status);
		expect(statuses).toEqual([200, 200, 200]);
		const guesses = await guess(times(6, () => address));
		expect(count(guesses, 404)).toBeLessThanOrEqual(2);
		expect(count(guesses, 429)).toBeGreaterThanOrEqual(4);
		// The next day it has its budget back.
		await env.DB.prepare("update unknown_codes set day = day - 1, minute = minute - 1440").run();
		expect(await guess([address])).toEqual([404]);
	});

	it("learns no more when it asks at once", async () => {
		await withinOneMinute();
		const answers = await Promise.all(
			times(60, () => "2001:db8:5::1").map((address) => resolve(unknownCode(), address)),
		);
		expect(
			count(
				answers.map(({ status }) => status),
				404,
			),
		).toBeLessThanOrEqual(15);
	});

	it("is logged once, by a keyed hash, and so is a zone that many networks ask for", async () => {
		await withinOneMinute();
		const warn = vi.spyOn(console, "warn");
		await guess(times(13, () => "2001:db8:6::1"));
		const settings = { ...TIGHT, UNKNOWN_CODES_PER_ZONE_AND_MINUTE: "60" };
		await guess(
			times(70, (index) => `100.${index}.1.1`),
			settings,
			"0002",
		);
		const lines = warn.mock.calls.map(([line]) => String(line));
		warn.mockRestore();
		// Three widths of one network.
		expect(lines.filter((line) => line.includes('"enumeration"'))).toHaveLength(3);
		expect(lines.join()).not.toContain("2001:db8");
		const alarms = lines.filter((line) => line.includes('"enumeration_of_zone"'));
		expect(alarms).toHaveLength(1);
		expect(alarms[0]).toContain("ZW0002");
	});
});

describe("a neighbour who guesses", () => {
	it("shuts out neither keys nor owners behind the same network (M1)", async () => {
		await withinOneMinute();
		const owner = await signUp();
		const authorization = await key(owner);
		const { canonical } = await mint(owner.access, LAGOS);
		const address = "198.51.100.77";
		const statuses = await guess(times(20, () => address));
		expect(statuses.at(-1)).toBe(429);
		const path = `/v1/addresses/${canonical}`;
		const ask = (method: string, credential: string, body?: object) =>
			call(path, {
				method,
				body,
				settings: TIGHT,
				headers: { "CF-Connecting-IP": address, Authorization: credential },
			});
		expect((await ask("GET", authorization)).status).toBe(200);
		expect((await ask("PATCH", `Bearer ${owner.access}`, { label: "Green gate" })).status).toBe(200);
		expect((await ask("DELETE", `Bearer ${owner.access}`)).status).toBe(204);
	});

	it("uses up no calls of those who are signed in, which are counted by their account (M1)", async () => {
		const { access } = await signUp();
		const headers = { "CF-Connecting-IP": "198.51.100.78" };
		const askAll = (path: string, init: Parameters<typeof call>[1]) =>
			Promise.all(Array.from({ length: 610 }, async () => (await call(path, { ...init, headers })).status));
		// A minute may end in between, and then twice as many pass.
		const signingOut = await askAll("/v1/auth/logout", { method: "POST", body: {} });
		expect(signingOut.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10);
		await json(call("/v1/auth/me", { token: access, headers }));
		const ofOne = await askAll("/v1/auth/me", { token: access });
		expect(ofOne.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10);
	});
});

describe("a credential", () => {
	const ways: [method: string, path: (code: string) => string, body?: ((code: string) => object) | undefined][] = [
		["GET", (code) => `/v1/addresses/${code}`],
		["PATCH", (code) => `/v1/addresses/${code}`, () => ({ label: "x" })],
		["DELETE", (code) => `/v1/addresses/${code}`],
		["POST", (code) => `/v1/addresses/${code}/attestations`, () => ({ level: 1, note: "" })],
		["POST", () => "/v1/public/addresses/batch", (code) => ({ codes: [code] })],
	];

	it.each(ways)(
		"has one budget over all networks, by %s %s too, and its owner's addresses are never refused",
		async (method, path, body) => {
			await withinOneMinute();
			const agent = await signUpAgent();
			const own = await mint(agent.access, LAGOS);
			const { canonical: foreign } = await mint((await signUp()).access, LAGOS);
			const ask = (code: string, [how, at, what]: (typeof ways)[number]) =>
				call(at(code), { method: how, token: agent.access, body: what?.(code), settings: TIGHT });
			const statuses: number[] = [];
			for (let guesses = 0; guesses < 20; guesses += 1)
				statuses.push((await ask(unknownCode(), [method, path, body])).status);
			expect(count(statuses, 429)).toBe(5);
			expect((await ask(foreign, [method, path, body])).status).toBe(429);
			expect((await ask(own.canonical, ways[0]!)).status).toBe(200);
			expect((await ask(own.canonical, ways[1]!)).status).toBe(200);
			expect((await ask(own.canonical, ways[2]!)).status).toBe(204);
		},
	);

	it("is counted by its account, so that making keys gains nothing, and no other account is concerned", async () => {
		await withinOneMinute();
		const [owner, neighbour] = [await signUp(), await signUp()];
		const { canonical: foreign } = await mint((await signUp()).access, LAGOS);
		const own = await mint(owner.access, LAGOS);
		const ask = async (code: string, authorization: string) =>
			(await call(`/v1/addresses/${code}`, { headers: { Authorization: authorization }, settings: TIGHT })).status;
		const [first, second] = [await key(owner), await key(owner)];
		expect(await ask(unknownCode(), second)).toBe(404);
		const statuses: number[] = [];
		for (let guesses = 0; guesses < 18; guesses += 1) statuses.push(await ask(unknownCode(), first));
		expect(statuses).toEqual([...Array(14).fill(404), ...Array(4).fill(429)]);
		// The other key, one that is new and the token of the same account.
		for (const authorization of [second, await key(owner), `Bearer ${owner.access}`]) {
			expect(await ask(unknownCode(), authorization)).toBe(429);
			expect(await ask(foreign, authorization)).toBe(429);
			expect(await ask(own.canonical, authorization)).toBe(200);
		}
		expect(await ask(foreign, await key(neighbour))).toBe(200);
	});

	it("past its budget writes nothing more (H4)", async () => {
		await withinOneMinute();
		const counted = () => env.DB.prepare("select sum(day_count) as sum from unknown_codes").first("sum");
		await guess(times(20, () => "2001:db8:7::1"));
		const before = await counted();
		expect(await guess(times(3, (index) => `2001:db8:7:${index}::1`))).toEqual([429, 429, 429]);
		expect(await counted()).toBe(before);
	});

	it("is required for batches, in which every unknown code counts (H1)", async () => {
		await withinOneMinute();
		const codes = times(16, () => unknownCode());
		const batch = (headers: Record<string, string>, some = codes) =>
			call("/v1/public/addresses/batch", { method: "POST", body: { codes: some }, headers, settings: TIGHT });
		expect(await json(batch({}), 401)).toMatchObject({ code: "UNAUTHENTICATED" });
		const authorization = { Authorization: await key(await signUp()) };
		expect((await batch(authorization, codes.slice(0, 10))).status).toBe(200);
		expect((await batch(authorization)).status).toBe(429);
	});
});

describe("a rate limit that fails (F3)", () => {
	it("lets look-ups pass, and is logged", async () => {
		const { access } = await signUp();
		const { canonical } = await mint(access, LAGOS);
		const broken = { limit: () => Promise.reject(new Error("The limiter is away")) } as unknown as RateLimit;
		const settings = { LOOKUPS: broken, AUTH_CALLS: broken, PASSWORD_CALLS: broken, LAST_LOOKUPS: broken };
		const error = vi.spyOn(console, "error");
		expect((await call(`/v1/public/addresses/${canonical}`, { settings })).status).toBe(200);
		expect((await call("/v1/auth/me", { token: access, settings })).status).toBe(200);
		const lines = error.mock.calls.map(([line]) => String(line));
		error.mockRestore();
		expect(lines.filter((line) => line.includes("rate_limit_unavailable"))).toHaveLength(2);
	});
});
