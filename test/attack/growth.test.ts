/** What one account and one network may write in a day: attack.md H4, M7, M2, faults.md F8. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Bindings } from "../../src/env.ts";
import { call, freshPhone, json, LAGOS, mint, PASSWORD, signUp, signUpAgent } from "../support/client.ts";

type Ask = (settings: Partial<Bindings>, address?: string) => Promise<Response>;

const from = (address: string | undefined): Record<string, string> => (address ? { "CF-Connecting-IP": address } : {});

/** Everything that makes the database grow for an account, each as a call that may be repeated. */
async function writesOfOneAccount(): Promise<Record<string, Ask>> {
	const { access } = await signUp();
	const agent = await signUpAgent();
	const { canonical } = await mint(access, LAGOS);
	let calls = 0;
	const post =
		(path: string, body: () => object, token = access, method = "POST"): Ask =>
		(settings, address) => {
			calls += 1;
			return call(path, { method, token, body: body(), settings, headers: from(address) });
		};
	const people = await Promise.all([signUp(), signUp(), signUp(), signUp()]);
	const attested = () => people[calls % people.length]!.user;
	return {
		NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: post("/v1/addresses", () => LAGOS, (await signUp()).access),
		CHANGES_PER_ACCOUNT_AND_DAY: post(`/v1/addresses/${canonical}`, () => ({ label: `${calls}` }), access, "PATCH"),
		NEW_KEYS_PER_ACCOUNT_AND_DAY: post("/v1/keys", () => ({ name: "Shop", mode: "live" })),
		"ATTESTATIONS_PER_AGENT_AND_DAY of addresses": post(
			`/v1/addresses/${canonical}/attestations`,
			() => ({ level: 1, note: "" }),
			agent.access,
		),
		"ATTESTATIONS_PER_AGENT_AND_DAY of phones": post(
			"/v1/auth/attest-phone",
			() => ({ phone: attested().phone, user_id: attested().id }),
			agent.access,
		),
	};
}

/** The rows of every table that the calls above could add to. */
async function rows(): Promise<Record<string, number>> {
	const tables = ["addresses", "address_changes", "api_keys", "attestations", "phone_proofs", "daily_counts", "users"];
	const counts = await env.DB.batch<{ count: number }>(
		tables.map((table) => env.DB.prepare(`select count(*) as count from ${table}`)),
	);
	return Object.fromEntries(tables.map((table, index) => [table, counts[index]?.results[0]?.count ?? -1]));
}

const writes = await writesOfOneAccount();

describe("an account (H4, M2)", () => {
	it.each(Object.keys(writes))("has a limit in a day: %s", async (name) => {
		const settings = { [name.split(" ")[0] ?? ""]: 2, LIVE_KEYS_PER_ACCOUNT: 50 };
		const write = writes[name]!;
		expect((await write(settings)).ok).toBe(true);
		expect((await write(settings)).ok).toBe(true);
		const before = await rows();
		const refused = await write(settings);
		const retryAfter = Number(refused.headers.get("Retry-After"));
		expect(retryAfter).toBeGreaterThan(0);
		expect(retryAfter).toBeLessThanOrEqual(86_400);
		expect(await json(refused, 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		expect(await rows()).toEqual(before);
	});

	it("gains nothing by revoking the keys that it makes", async () => {
		const { access } = await signUp();
		const make = () =>
			call("/v1/keys", {
				method: "POST",
				token: access,
				body: { name: "Shop", mode: "live" },
				settings: { NEW_KEYS_PER_ACCOUNT_AND_DAY: 3 },
			});
		for (let made = 0; made < 3; made += 1) {
			const { id } = await json<{ id: string }>(make(), 201);
			expect((await call(`/v1/keys/${id}`, { method: "DELETE", token: access })).status).toBe(204);
		}
		expect(await json(make(), 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
	});
});

describe("a network (H4, F8)", () => {
	it.each(Object.keys(writes))("has a limit in a day over all accounts: %s", async (name) => {
		const number = Object.keys(writes).indexOf(name);
		const address = `198.51.${number}.1`;
		const settings = { WRITES_PER_NETWORK_AND_DAY: 2, WRITES_PER_ACCOUNT_PAST_NETWORK: 0 };
		const write = writes[name]!;
		expect((await write(settings, address)).ok).toBe(true);
		expect((await write(settings, address)).ok).toBe(true);
		const before = await rows();
		expect(await json(write(settings, address), 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		expect(await rows()).toEqual(before);
		// Nobody elsewhere is concerned.
		expect((await write(settings, `198.52.${number}.1`)).ok).toBe(true);
	});

	it.each([
		["an IPv4 /24", (index: number) => `203.0.113.${index}`, 4],
		["an IPv6 /56", (index: number) => `2001:db8:b:5${index.toString(16).padStart(2, "0")}::1`, 4],
		["an IPv6 /48", (index: number) => `2001:db8:c:${(index * 257).toString(16)}::1`, 8],
	])("gains little by moving within %s", async (_, address, written) => {
		const { access } = await signUp();
		const settings = { WRITES_PER_NETWORK_AND_DAY: 2, WRITES_PER_ACCOUNT_PAST_NETWORK: 0 };
		const statuses: number[] = [];
		for (let index = 1; index <= 12; index += 1) {
			const headers = from(address(index));
			statuses.push(
				(await call("/v1/addresses", { method: "POST", token: access, body: LAGOS, settings, headers })).status,
			);
		}
		expect(statuses).toEqual([...Array(written).fill(201), ...Array(12 - written).fill(429)]);
	});

	it("that one account has used up leaves its neighbours a share each, and ends at twice its limit", async () => {
		const [abuser, neighbour, other] = [await signUp(), await signUp(), await signUp()];
		const settings = { WRITES_PER_NETWORK_AND_DAY: 6, WRITES_PER_ACCOUNT_PAST_NETWORK: 4 };
		const statusesOf = async (token: string, times: number) => {
			const statuses: number[] = [];
			for (let index = 0; index < times; index += 1) {
				const headers = from("192.0.2.7");
				statuses.push((await call("/v1/addresses", { method: "POST", token, body: LAGOS, settings, headers })).status);
			}
			return statuses;
		};
		expect(await statusesOf(abuser.access, 7)).toEqual([...Array(6).fill(201), 429]);
		expect(await statusesOf(neighbour.access, 5)).toEqual([...Array(4).fill(201), 429]);
		expect(await statusesOf(other.access, 3)).toEqual([201, 201, 429]);
	});

	it("opens so many accounts in a day, whether or not one is verified (M7)", async () => {
		const settings = { REGISTRATIONS_PER_NETWORK_AND_DAY: 2, PASSWORD_HASH_PAUSE_MILLISECONDS: 0 };
		const register = (address: string) =>
			call("/v1/auth/register", {
				method: "POST",
				body: { phone: freshPhone(), password: PASSWORD },
				settings,
				headers: from(address),
			});
		expect((await register("2001:db8:d::1")).status).toBe(201);
		await env.DB.prepare("update users set phone_verified = 1").run();
		expect((await register("2001:db8:d::2")).status).toBe(201);
		const before = await rows();
		const refused = await register("2001:db8:d::3");
		expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
		expect(await json(refused, 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		expect(await rows()).toEqual(before);
		expect((await register("2001:db8:e::1")).status).toBe(201);
	});

	it("that is not known, as locally, is not counted", async () => {
		const { access } = await signUp();
		const settings = { WRITES_PER_NETWORK_AND_DAY: 1, WRITES_PER_ACCOUNT_PAST_NETWORK: 0 };
		const before = await env.DB.prepare("select count(*) as count from daily_counts").first("count");
		for (let index = 0; index < 3; index += 1) {
			const headers = { "CF-Connecting-IP": "" };
			const answer = call("/v1/addresses", { method: "POST", token: access, body: LAGOS, settings, headers });
			await json(answer, 201);
		}
		// The account's own.
		expect(await env.DB.prepare("select count(*) as count from daily_counts").first("count")).toBe(Number(before) + 1);
	});

	it("is stored as a keyed hash in every counter, and its IP address nowhere", async () => {
		const { access } = await signUp();
		await json(call("/v1/addresses", { method: "POST", token: access, body: LAGOS, headers: from("192.0.2.99") }), 201);
		const { results } = await env.DB.prepare("select subject from daily_counts").all<{ subject: string }>();
		const ofNetworks = results.filter(({ subject }) => subject.startsWith("writes-of-network:"));
		expect(ofNetworks.length).toBeGreaterThan(1);
		for (const { subject } of ofNetworks) expect(subject).toMatch(/^writes-of-network:[\da-f]{64}$/);
	});
});

describe("a session (H4)", () => {
	const refresh = (token: string) => call("/v1/auth/token/refresh", { method: "POST", body: { refresh: token } });
	const count = async (table: "sessions" | "refresh_tokens", userId: string) =>
		Number(
			await env.DB.prepare(
				table === "sessions"
					? "select count(*) as count from sessions where user_id = ?"
					: "select count(*) as count from refresh_tokens where session_id in (select id from sessions where user_id = ?)",
			)
				.bind(userId)
				.first("count"),
		);

	it("keeps two refresh tokens however often it is refreshed, and an older one still ends it when it comes again", async () => {
		const { refresh: first, user } = await signUp();
		let pair = { access: "", refresh: first };
		for (let times = 0; times < 20; times += 1) pair = await json(refresh(pair.refresh));
		expect(await count("refresh_tokens", user.id)).toBe(2);
		await json(call("/v1/auth/me", { token: pair.access }));
		expect((await refresh(first)).status).toBe(401);
		await json(call("/v1/auth/me", { token: pair.access }), 401);
		await json(refresh(pair.refresh), 401);
	});

	it("is ended by signing out with a token that was used long ago", async () => {
		const { refresh: first } = await signUp();
		const second = await json<{ access: string; refresh: string }>(refresh(first));
		const third = await json<{ access: string; refresh: string }>(refresh(second.refresh));
		expect((await call("/v1/auth/logout", { method: "POST", body: { refresh: first } })).status).toBe(204);
		await json(call("/v1/auth/me", { token: third.access }), 401);
		await json(call("/v1/auth/logout", { method: "POST", body: { refresh: first } }), 401);
	});

	it("past the number that an account keeps ends the oldest one, and no sign-in is refused", async () => {
		const { user, access: oldest } = await signUp();
		const settings = { SESSIONS_PER_ACCOUNT: 3, PASSWORD_HASH_PAUSE_MILLISECONDS: 0 };
		const signedIn: string[] = [];
		for (let times = 0; times < 5; times += 1) {
			const body = { phone: user.phone, password: PASSWORD };
			const { access } = await json<{ access: string }>(call("/v1/auth/login", { method: "POST", body, settings }));
			signedIn.push(access);
		}
		expect(await count("sessions", user.id)).toBe(3);
		expect(await count("refresh_tokens", user.id)).toBe(3);
		await json(call("/v1/auth/me", { token: oldest }), 401);
		await json(call("/v1/auth/me", { token: signedIn[1] ?? "" }), 401);
		for (const token of signedIn.slice(2)) await json(call("/v1/auth/me", { token }));
	});
});
