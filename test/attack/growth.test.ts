/** What one account and one network may write in a day. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Bindings, readConfig } from "../../src/env.ts";
import { perDay, writesOfNetwork } from "../../src/limits/policy.ts";
import { call, json, post } from "../support/client.ts";
import { logged } from "../support/logged.ts";
import { inOneMinute } from "../support/minute.ts";
import { AT_LAGOS, freshPhone, LAGOS, mint, newOwner, PASSWORD, signUp, signUpAgent } from "../support/people.ts";
import { row, sql, value } from "../support/sql.ts";

type Ask = (settings: Partial<Bindings>, from?: string) => Promise<Response>;

/** Everything that makes the database grow for an account, each as a call that may be repeated. */
async function writesOfOneAccount(): Promise<Record<string, Ask>> {
	const { access } = await signUp();
	const agent = await signUpAgent();
	const { canonical } = await mint(access, LAGOS);
	let calls = 0;
	const send =
		(path: string, body: () => object, token = access, method = "POST"): Ask =>
		(settings, from) => {
			calls += 1;
			return call(path, { method, token, body: body(), settings, from });
		};
	const people = await Promise.all([signUp(), signUp(), signUp(), signUp()]);
	const attested = () => people[calls % people.length]!.user;
	return {
		"new-addresses": send("/v1/addresses", () => LAGOS, (await signUp()).access),
		changes: send(`/v1/addresses/${canonical}`, () => ({ label: `${calls}` }), access, "PATCH"),
		"changes of links": send(`/v1/addresses/${canonical}/share`, () => ({}), access, "DELETE"),
		"new-keys": send("/v1/keys", () => ({ name: "Shop", mode: "live" })),
		"attestations of addresses": send(
			`/v1/addresses/${canonical}/attestations`,
			() => ({ level: 1, note: "", ...AT_LAGOS }),
			agent.access,
		),
		"attestations of phones": send(
			"/v1/auth/attest-phone",
			() => ({ phone: attested().phone, user_id: attested().id }),
			agent.access,
		),
	};
}

/** How many rows each table has that the calls above could add to. */
const rows = () =>
	row(
		`select ${["addresses", "address_changes", "api_keys", "attestations", "phone_proofs", "daily_counts", "users"]
			.map((table) => `(select count(*) from ${table}) as ${table}`)
			.join()}`,
	);

const writes = await writesOfOneAccount();

/** Has accounts and agents write so many of a kind today. */
const setCount = (name: string, count: number) =>
	sql("update daily_counts set count = ? where subject like ?", count, `usr_%:${name.split(" ")[0]}`);

describe("an account", () => {
	it.each(Object.keys(writes))("has a limit in a day, and is told what is left of it: %s", async (name) => {
		const { quota } = perDay[name.split(" ")[0] as keyof typeof perDay];
		const write = writes[name]!;
		const { headers } = await write({});
		expect(headers.get("RateLimit-Policy")).toContain(`"${name.split(" ")[0]}";q=`);
		expect(headers.get("RateLimit")).toMatch(new RegExp(`"${name.split(" ")[0]}";r=\\d+;t=\\d+`));
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

	it("that makes the 501st address of a day in a zone is shown to the operator, once", async () => {
		const { access, country, zone } = await newOwner();
		const subject = `${country}${zone}:new-addresses-of-zone`;
		await sql("update daily_counts set count = 499 where subject = ?", subject);
		const lines = await logged(async () => {
			for (let made = 0; made < 3; made += 1) await mint(access, LAGOS);
		}, "many_new_addresses");
		expect(lines).toMatchObject([{ zone: `${country}${zone}` }]);
	});

	it("gains nothing by revoking the keys that it makes", async () => {
		const { access, user } = await signUp();
		for (let made = 0; made < 3; made += 1) {
			const { id } = await json(post("/v1/keys", { name: "Shop", mode: "live" }, { token: access }), 201);
			expect((await call(`/v1/keys/${id}`, { method: "DELETE", token: access })).status).toBe(204);
		}
		expect(await value("select count from daily_counts where subject = ?", `${user.id}:new-keys`)).toBe(3);
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
				const from = `2001:db8:b:5${index.toString(16).padStart(2, "0")}::1`;
				statuses.push((await post("/v1/addresses", LAGOS, { token, settings, from })).status);
			}
			return statuses;
		};
		expect(await statusesOf(abuser.access, 11)).toEqual([...Array(10).fill(201), 429]);
		expect(await statusesOf(neighbour.access, 3)).toEqual([201, 201, 429]);
	});

	it("does not count an account with an allowance, whose addresses are shown to the operator all the same", async () => {
		const [allowed, neighbour] = [await signUp(), await signUp()];
		await sql("insert into allowances (user_id, new_addresses_per_day) values (?, 50)", allowed.user.id);
		const settings = { WRITES_PER_NETWORK_AND_DAY: 1 };
		const mint = (token: string) => post("/v1/addresses", LAGOS, { token, settings, from: "198.51.99.1" });
		const ofZone = () => value("select sum(count) from daily_counts where subject like '%-of-zone'");
		const before = Number(await ofZone());
		for (let index = 0; index < 13; index += 1) expect((await mint(allowed.access)).status).toBe(201);
		expect((await mint(neighbour.access)).status).toBe(201);
		expect(await ofZone()).toBe(before + 14);
	});

	it("opens so many accounts in a day, verified or not, then three a minute, and closes it to nobody next door", async () => {
		const settings = { REGISTRATIONS_PER_NETWORK_AND_DAY: 2, PASSWORD_HASH_PAUSE_MILLISECONDS: 0 };
		const register = (from: string) =>
			post("/v1/auth/register", { phone: freshPhone(), password: PASSWORD }, { settings, from });
		let block = 0;
		const { opened, refused, next, added } = await inOneMinute(async () => {
			block += 1;
			const opened: number[] = [];
			for (let index = 1; index <= 5; index += 1) opened.push((await register(`203.0.${block}.1`)).status);
			await sql("update users set phone_verified = 1");
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
			await json(post("/v1/addresses", LAGOS, { token: access, settings, from: "" }), 201);
		}
		expect(await value("select count from daily_counts where subject = ?", `${user.id}:new-addresses`)).toBe(3);
	});

	it("is stored as a keyed hash in every counter, and its IP address nowhere", async () => {
		const { access } = await signUp();
		await json(post("/v1/addresses", LAGOS, { token: access, from: "192.0.2.99" }), 201);
		const ofNetworks = await sql("select subject from daily_counts where subject like '%:writes-of-network'");
		expect(ofNetworks.length).toBeGreaterThan(1);
		for (const { subject } of ofNetworks) expect(subject).toMatch(/^[\da-f]{64}:writes-of-network$/);
	});
});
