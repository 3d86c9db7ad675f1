/** What one account and one network may write in a day. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { type Bindings, readConfig } from "../../src/env.ts";
import { perDay, SESSIONS_PER_ACCOUNT, writesOfNetwork } from "../../src/limits/policy.ts";
import { AT_LAGOS, call, freshPhone, json, LAGOS, mint, PASSWORD, signUp, signUpAgent } from "../support/client.ts";
import { inOneMinute } from "../support/minute.ts";

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
		"new-addresses": post("/v1/addresses", () => LAGOS, (await signUp()).access),
		changes: post(`/v1/addresses/${canonical}`, () => ({ label: `${calls}` }), access, "PATCH"),
		"new-keys": post("/v1/keys", () => ({ name: "Shop", mode: "live" })),
		"attestations of addresses": post(
			`/v1/addresses/${canonical}/attestations`,
			() => ({ level: 1, note: "", ...AT_LAGOS }),
			agent.access,
		),
		"attestations of phones": post(
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

/** Has accounts and agents write so many of a kind today. */
const setCount = (name: string, count: number) =>
	env.DB.prepare("update daily_counts set count = ? where subject like ?")
		.bind(count, `usr_%:${name.split(" ")[0]}`)
		.run();

describe("an account", () => {
	it.each(Object.keys(writes))("has a limit in a day: %s", async (name) => {
		const { quota } = perDay[name.split(" ")[0] as keyof typeof perDay];
		const write = writes[name]!;
		expect((await write({})).ok).toBe(true);
		await setCount(name, (typeof quota === "number" ? quota : readConfig(env).limits[quota]) - 1);
		expect((await write({})).ok).toBe(true);
		const before = await rows();
		const refused = await write({});
		const retryAfter = Number(refused.headers.get("Retry-After"));
		expect(retryAfter).toBeGreaterThan(0);
		expect(retryAfter).toBeLessThanOrEqual(86_400);
		expect(await json(refused, 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		expect(await rows()).toEqual(before);
		await setCount(name, 0);
	});

	it.each(Object.keys(writes))("is told its limit and what is left of it: %s", async (name) => {
		const { headers } = await writes[name]!({});
		expect(headers.get("RateLimit-Policy")).toContain(`"${name.split(" ")[0]}";q=`);
		expect(headers.get("RateLimit")).toMatch(new RegExp(`"${name.split(" ")[0]}";r=\\d+;t=\\d+`));
	});

	it("that makes the 501st address of a day in a zone is shown to the operator, once", async () => {
		const { access } = await signUp();
		const { country, zone } = await mint(access, LAGOS);
		const subject = `${country}${zone}:new-addresses-of-zone`;
		const setTo = env.DB.prepare("update daily_counts set count = 499 where subject = ?").bind(subject);
		expect((await setTo.run()).meta.changes).toBe(1);
		const warn = vi.spyOn(console, "warn");
		for (const events of [0, 1, 1]) {
			await mint(access, LAGOS);
			const lines = warn.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("many_new_addresses"));
			expect(lines).toHaveLength(events);
			for (const line of lines) expect(line).toContain(`"zone":"${country}${zone}"`);
		}
		warn.mockRestore();
	});

	it("gains nothing by revoking the keys that it makes", async () => {
		const { access, user } = await signUp();
		const make = () => call("/v1/keys", { method: "POST", token: access, body: { name: "Shop", mode: "live" } });
		for (let made = 0; made < 3; made += 1) {
			const { id } = await json<{ id: string }>(make(), 201);
			expect((await call(`/v1/keys/${id}`, { method: "DELETE", token: access })).status).toBe(204);
		}
		const counted = env.DB.prepare("select count from daily_counts where subject = ?").bind(`${user.id}:new-keys`);
		expect(await counted.first("count")).toBe(3);
	});
});

describe("a network", () => {
	it.each(Object.keys(writes))("has a limit in a day over all accounts: %s", async (name) => {
		const number = Object.keys(writes).indexOf(name);
		const address = `198.51.${number}.1`;
		const settings = { WRITES_PER_NETWORK_AND_DAY: 2 };
		const write = writes[name]!;
		expect((await write(settings, address)).ok).toBe(true);
		expect((await write(settings, address)).ok).toBe(true);
		await setCount(name, writesOfNetwork.share);
		const before = await rows();
		expect(await json(write(settings, address), 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		expect(await rows()).toEqual(before);
		// Nobody elsewhere is concerned, next door either.
		expect((await write(settings, `198.51.${number}.2`)).ok).toBe(true);
		await setCount(name, 0);
	});

	it("that one account has used up leaves its neighbours a share each, and ends at twice its limit", async () => {
		const [abuser, neighbour] = [await signUp(), await signUp()];
		const settings = { WRITES_PER_NETWORK_AND_DAY: 6 };
		const statusesOf = async (token: string, times: number) => {
			const statuses: number[] = [];
			for (let index = 0; index < times; index += 1) {
				// An IPv6 customer moves within a /56.
				const headers = from(`2001:db8:b:5${index.toString(16).padStart(2, "0")}::1`);
				statuses.push((await call("/v1/addresses", { method: "POST", token, body: LAGOS, settings, headers })).status);
			}
			return statuses;
		};
		expect(await statusesOf(abuser.access, 11)).toEqual([...Array(10).fill(201), 429]);
		expect(await statusesOf(neighbour.access, 3)).toEqual([201, 201, 429]);
	});

	it("does not count an account with an allowance, whose addresses are shown to the operator all the same", async () => {
		const [allowed, neighbour] = [await signUp(), await signUp()];
		await env.DB.prepare("insert into allowances (user_id, new_addresses_per_day) values (?, 50)")
			.bind(allowed.user.id)
			.run();
		const settings = { WRITES_PER_NETWORK_AND_DAY: 1 };
		const mint = (token: string) =>
			call("/v1/addresses", { method: "POST", token, body: LAGOS, settings, headers: from("198.51.99.1") });
		const ofZone = env.DB.prepare("select sum(count) as count from daily_counts where subject like '%-of-zone'");
		const before = Number(await ofZone.first("count"));
		for (let index = 0; index < 13; index += 1) expect((await mint(allowed.access)).status).toBe(201);
		expect((await mint(neighbour.access)).status).toBe(201);
		expect(await ofZone.first("count")).toBe(before + 14);
	});

	it("opens so many accounts in a day, verified or not, then three a minute, and closes it to nobody next door", async () => {
		const settings = { REGISTRATIONS_PER_NETWORK_AND_DAY: 2, PASSWORD_HASH_PAUSE_MILLISECONDS: 0 };
		const register = (address: string) =>
			call("/v1/auth/register", {
				method: "POST",
				body: { phone: freshPhone(), password: PASSWORD },
				settings,
				headers: from(address),
			});
		let block = 0;
		const { opened, refused, next, added } = await inOneMinute(async () => {
			block += 1;
			const opened: number[] = [];
			for (let index = 1; index <= 5; index += 1) opened.push((await register(`203.0.${block}.1`)).status);
			await env.DB.prepare("update users set phone_verified = 1").run();
			const before = await rows();
			const refused = await register(`203.0.${block}.1`);
			const added = JSON.stringify(await rows()) !== JSON.stringify(before);
			return { opened, refused, added, next: (await register(`203.0.${block}.2`)).status };
		});
		expect(opened).toEqual([201, 201, 201, 201, 201]);
		expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
		expect(await json(refused, 429)).toMatchObject({ code: "RATE_LIMITED" });
		expect(added).toBe(false);
		expect(next).toBe(201);
	});

	it("that is not known, as locally, is not counted", async () => {
		const { access, user } = await signUp();
		const settings = { WRITES_PER_NETWORK_AND_DAY: 1 };
		for (let index = 0; index < 3; index += 1) {
			const headers = { "CF-Connecting-IP": "" };
			const answer = call("/v1/addresses", { method: "POST", token: access, body: LAGOS, settings, headers });
			await json(answer, 201);
		}
		const counted = env.DB.prepare("select count from daily_counts where subject = ?").bind(`${user.id}:new-addresses`);
		expect(await counted.first("count")).toBe(3);
	});

	it("is stored as a keyed hash in every counter, and its IP address nowhere", async () => {
		const { access } = await signUp();
		await json(call("/v1/addresses", { method: "POST", token: access, body: LAGOS, headers: from("192.0.2.99") }), 201);
		const { results } = await env.DB.prepare("select subject from daily_counts").all<{ subject: string }>();
		const ofNetworks = results.filter(({ subject }) => subject.endsWith(":writes-of-network"));
		expect(ofNetworks.length).toBeGreaterThan(1);
		for (const { subject } of ofNetworks) expect(subject).toMatch(/^[\da-f]{64}:writes-of-network$/);
	});
});

describe("a session", () => {
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
		const settings = { PASSWORD_HASH_PAUSE_MILLISECONDS: 0 };
		const names = JSON.stringify(Array.from({ length: SESSIONS_PER_ACCOUNT - 3 }, (_, index) => `ses_${index}`));
		await env.DB.prepare(
			"insert into sessions (id, user_id, created_at, expires_at) select value, ?1, ?2, ?2 from json_each(?3)",
		)
			.bind(user.id, Date.now() + 60_000, names)
			.run();
		const signedIn: string[] = [];
		for (let times = 0; times < 5; times += 1) {
			const body = { phone: user.phone, password: PASSWORD };
			const { access } = await json<{ access: string }>(call("/v1/auth/login", { method: "POST", body, settings }));
			signedIn.push(access);
		}
		expect(await count("sessions", user.id)).toBe(SESSIONS_PER_ACCOUNT);
		expect(await count("refresh_tokens", user.id)).toBe(3);
		await json(call("/v1/auth/me", { token: oldest }), 401);
		await json(call("/v1/auth/me", { token: signedIn[1] ?? "" }), 401);
		for (const token of signedIn.slice(2)) await json(call("/v1/auth/me", { token }));
	});
});
