import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { lookUpForAnyone } from "../../src/addresses/actions.ts";
import { parseCode } from "../../src/codes/code.ts";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { DAY, HOUR, MINUTE } from "../../src/time/time.ts";
import { call, json, problem } from "../support/client.ts";
import { allOfSuite } from "../support/databases.ts";
import { LAGOS, mint, newKey, type SignedInUser, signUp } from "../support/people.ts";
import { seededRandom } from "../support/random.ts";
import { testRegistry } from "../support/registry.ts";
import { row, sql, value } from "../support/sql.ts";

interface SandboxAddress {
	canonical: string;
	country: string;
	country_name: string;
	zone: string;
	zone_name: string;
	test?: true;
}

let owner: SignedInUser;
let key = "";
let live = "";
const created: string[] = [];

const withKey = (path: string, method = "GET", body?: unknown) => call(path, { method, token: key, body });

beforeAll(async () => {
	owner = await signUp();
	live = (await mint(owner.access, { ...LAGOS, label: "Live" })).canonical;
	({ key } = await newKey(owner, { mode: "test", scopes: ["addresses:write"] }));
});

describe("a test key", () => {
	it("creates addresses of the sandbox, under the number of the real zone, and they say so everywhere", async () => {
		const address = await json<SandboxAddress>(withKey("/v1/addresses", "POST", { ...LAGOS, label: "x" }), 201);
		expect(address).toMatchObject({ country: "ZZ", country_name: "Sandbox", test: true });
		expect(address.zone).toBe(live.slice(2, 6));
		expect(address.zone_name).toMatch(/^TEST /);
		created.push(address.canonical);
		expect(await json(call(`/v1/public/addresses/${address.canonical}`))).toMatchObject({ test: true });
		const textOf = async (path: string) => (await call(path)).text();
		const page = await textOf(`/a/${address.canonical}`);
		for (const part of ["noindex", ">TEST · QR code<"]) expect(page).toContain(part);
		expect(await textOf(`/v1/addresses/${address.canonical}/label.svg`)).toContain("TEST");
		const printed = await textOf(`/a/${address.canonical}/print`);
		expect(printed.match(/>TEST<.text>/g)).toHaveLength(7);
		expect(await textOf(`/a/${live}/print`)).not.toContain("TEST");
		const items = [{ external_id: "m1", ...LAGOS }];
		const { data } = await json<{ data: { address: SandboxAddress }[] }>(
			withKey("/v1/addresses/batch", "POST", { items }),
		);
		expect(data[0]?.address).toMatchObject({ country: "ZZ", test: true });
		// Neither waits for the journal nor has left the queue for it.
		expect(await row("select * from journal_queue where canonical = ?", address.canonical)).toBeUndefined();
		expect(await env.ZONES.head(`issued-codes/${address.canonical}`)).toBeNull();
	});

	it("changes and retires what it has created, and reads everything", async () => {
		const [code = ""] = created;
		const at = `/v1/addresses/${code}`;
		expect(await json(withKey(at, "PATCH", { label: "y" }))).toMatchObject({ label: "y" });
		expect(await json(withKey(at, "PATCH", { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng }))).toMatchObject({ test: true });
		expect((await withKey(at, "DELETE", {})).status).toBe(204);
		expect(await json(withKey(`/v1/addresses/${live}`))).toMatchObject({ owned: true });
	});

	it("moves what it has created, also where a full zone beside has gone on under the same number", async () => {
		const { canonical, zone } = await json<SandboxAddress>(withKey("/v1/addresses", "POST", LAGOS), 201);
		await sql(
			"insert into overflow_zones (country, zone, area, ordinal, created_at) values ('ZZ', ?, ?, 1, 0)",
			Number(zone),
			Number(zone) + 1,
		);
		const point = { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng };
		expect(await json(withKey(`/v1/addresses/${canonical}`, "PATCH", point))).toMatchObject(point);
		await sql("delete from overflow_zones where country = 'ZZ'");
	});

	it("writes no live address, and a person no sandbox address", async () => {
		const code = (await json<SandboxAddress>(withKey("/v1/addresses", "POST", LAGOS), 201)).canonical;
		for (const [method, path, body] of [
			["PATCH", "", { label: "x" }],
			["POST", "/share", { days: 1 }],
			["DELETE", "/share", {}],
			["DELETE", "", {}],
		] as const) {
			await problem(withKey(`/v1/addresses/${live}${path}`, method, body), 403, "FORBIDDEN");
			const own = call(`/v1/addresses/${code}${path}`, { method, token: owner.access, body });
			await problem(own, 403, "FORBIDDEN");
		}
	});

	it("that is older than the sandbox stays as it was", async () => {
		await sql("update api_keys set sandbox = 0 where user_id = ?", owner.user.id);
		const { country } = await json<SandboxAddress>(withKey("/v1/addresses", "POST", LAGOS), 201);
		await sql("update api_keys set sandbox = 1 where user_id = ?", owner.user.id);
		expect(country).toBe("NG");
	});

	it("uses up neither Idempotency-Key nor external_id of a live call", async () => {
		const { key: liveKey } = await newKey(owner, { mode: "live", scopes: ["addresses:write"] });
		const items = [{ external_id: "tried", ...LAGOS }];
		type Outcomes = { data: { status: string; address?: SandboxAddress }[] };
		const batch = (token: string, dry_run = false) =>
			json<Outcomes>(call("/v1/addresses/batch", { method: "POST", token, body: { items, dry_run } }));
		const single = (token: string, sent = "tried") =>
			json<SandboxAddress>(
				call("/v1/addresses", { method: "POST", token, headers: { "Idempotency-Key": sent }, body: LAGOS }),
				201,
			);
		const countryOf = ({ data: [item] }: Outcomes) => [item?.status, item?.address?.country];

		expect([(await single(key)).country, (await single(liveKey)).country]).toEqual(["ZZ", "NG"]);
		expect((await single(liveKey, "ZZtried")).country).toBe("NG");
		expect((await single(liveKey)).canonical).toBe((await single(liveKey)).canonical);
		expect(countryOf(await batch(key))).toEqual(["created", "ZZ"]);
		expect(countryOf(await batch(liveKey, true))).toEqual(["would_create", undefined]);
		expect(countryOf(await batch(key))).toEqual(["existing", "ZZ"]);
		expect(countryOf(await batch(liveKey))).toEqual(["created", "NG"]);
		expect(countryOf(await batch(liveKey))).toEqual(["existing", "NG"]);
		expect(countryOf(await batch(key))).toEqual(["existing", "ZZ"]);
		expect((await single(key)).canonical).toBe((await single(key)).canonical);
	});

	it("lists the addresses of the sandbox, and every other credential those that are not", async () => {
		const { key: liveKey } = await newKey(owner, { mode: "live", scopes: ["addresses:write"] });
		const countriesOf = async (token: string, query: string) => {
			const { data } = await json<{ data: SandboxAddress[] }>(call(`/v1/addresses?${query}`, { token }));
			return [...new Set(data.map(({ country }) => country))];
		};
		for (const query of ["limit=100", "external_id=tried"]) {
			expect(await countriesOf(key, query)).toEqual(["ZZ"]);
			for (const token of [liveKey, owner.access]) expect(await countriesOf(token, query)).toEqual(["NG"]);
		}
	});

	it("changes no live row, whatever it sends", async () => {
		const rows = () => sql("select * from addresses where canonical not like 'ZZ%' order by canonical");
		const before = await rows();
		expect(before.length).toBeGreaterThan(1);
		const random = seededRandom(23);
		const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
		const statuses = new Set<number>();
		for (let round = 0; round < 60; round += 1) {
			const code = pick([live, "NG031148211", ...created]);
			const point = { lat: LAGOS.lat + random() / 100, lng: LAGOS.lng };
			const item = { external_id: `m${Math.floor(random() * 5)}`, ...point };
			const [method, path, body] = pick([
				["POST", "/v1/addresses", { ...point, label: "fuzz" }],
				["POST", "/v1/addresses/batch", { items: [item] }],
				["PATCH", `/v1/addresses/${code}`, pick([{ label: "fuzz" }, point])],
				["DELETE", `/v1/addresses/${code}`, pick([{}, { successor: live }])],
			] as const);
			statuses.add((await withKey(path, method, body)).status);
		}
		expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 403]));
		expect(await rows()).toEqual(before);
	});

	it("leaves nothing after 30 days", async () => {
		const count = () => value("select count(*) from addresses where canonical like 'ZZ%'");
		expect(await count()).toBeGreaterThan(5);
		await cleanUp(env, Date.now() + 31 * DAY);
		// The fixed ones, but for those that are retired and by now burnt codes.
		expect(await count()).toBe(3 * allOfSuite.length);
		expect((await call(`/v1/public/addresses/${live}`)).status).toBe(200);
	});
});

describe("the fixed codes of the sandbox", () => {
	it.each([
		["ZZ-0000-00009", 200],
		["ZZ-0000-00017", 410],
		["ZZ-0000-00025", 410],
		["ZZ-0000-00033", 403],
		["ZZ-0000-00041", 200],
	])("%s always answers %i", async (code, status) => {
		const answer = await call(`/v1/public/addresses/${code}`);
		expect(answer.status).toBe(status);
		if (code.endsWith("25")) expect(await answer.json()).toMatchObject({ successor: "ZZ000000009" });
	});

	it("ZZ-0000-00041 has moved with each minute, and its ETag with it", async () => {
		const start = Date.UTC(2026, 0, 1);
		const at = async (now: number) =>
			lookUpForAnyone({ ...testRegistry(), now: start + now }, parseCode("ZZ-0000-00041"));
		const [first, same, next, hour] = await Promise.all([at(0), at(MINUTE - 1), at(MINUTE), at(HOUR)]);
		expect(same).toEqual(first);
		expect(next.lat - first.lat).toBeCloseTo(0.0001, 9);
		expect(next).toMatchObject({ version: first.version + 1, updatedAt: start + MINUTE });
		expect(hour.lat).toBe(first.lat);
	});
});
