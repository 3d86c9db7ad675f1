import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { lookUpForAnyone } from "../../src/addresses/actions.ts";
import { endpoints } from "../../src/api.ts";
import { parseCode } from "../../src/codes/code.ts";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { DAY, HOUR, MINUTE } from "../../src/time/time.ts";
import { call, json, post, problem } from "../support/client.ts";
import { allOfSuite } from "../support/databases.ts";
import { acted } from "../support/operators.ts";
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

describe("the doors that a key opens", () => {
	/** Where a code, a report's id and a unit stand in a path. */
	const [CODE, REPORT] = [":canonical", ":id"];

	/** What an owner alone may do with an address: what is sent, and the answer where it may be done. */
	const doorsOfOwners: Record<string, [status: number, body?: object]> = {
		[`GET /v1/addresses/${CODE}/history`]: [200],
		[`GET /v1/addresses/${CODE}/units`]: [200],
		[`GET /v1/addresses/${CODE}/reports`]: [200],
		[`POST /v1/addresses/${CODE}/reports/${REPORT}/answer`]: [200, { text: "Answered" }],
		[`PATCH /v1/addresses/${CODE}`]: [200, { label: "Changed", entrance: LAGOS }],
		[`POST /v1/addresses/${CODE}/share`]: [201, { days: 1 }],
		[`DELETE /v1/addresses/${CODE}/share`]: [204],
		[`PUT /v1/addresses/${CODE}/units/:unit`]: [200, { label: "Third floor" }],
		[`DELETE /v1/addresses/${CODE}/units/:unit`]: [204],
		[`DELETE /v1/addresses/${CODE}`]: [204, {}],
	};

	/** What each other door opens is looked at below. */
	const otherDoors = [
		"POST /v1/public/addresses/batch",
		"POST /v1/addresses",
		"POST /v1/addresses/batch",
		"GET /v1/addresses",
		`GET /v1/addresses/${CODE}`,
		"GET /v1/changes",
		"GET /v1/snapshots/latest",
		"GET /v1/snapshots/:snapshot/:part",
	];

	const TRACES = /Hidden brook|Back gate|quiet-home/;
	const HOME = { ...LAGOS, label: "Hidden brook", visibility: "private" };
	const OPEN = { ...LAGOS, label: "Shop" };

	/** An address with a unit and a report. */
	async function addressWith(token: string, body: object): Promise<{ canonical: string; report: string }> {
		const { canonical } = await json<SandboxAddress>(post("/v1/addresses", body, { token }), 201);
		const unit = { method: "PUT", token, body: { label: "Back gate" } };
		await json(call(`/v1/addresses/${canonical}/units/3B`, unit));
		const { id } = await json<{ id: string }>(post(`/v1/public/addresses/${canonical}/reports`, { kind: "gone" }), 201);
		return { canonical, report: id };
	}

	const knock = (token: string, door: string, { canonical, report }: { canonical: string; report: string }) => {
		const [method = "", template = ""] = door.split(" ");
		const path = template.replace(CODE, canonical).replace(REPORT, report).replace(":unit", "3B");
		return call(path, { method, token, body: doorsOfOwners[door]?.[1] });
	};

	const keyOf = async (holder: SignedInUser, mode: string) => {
		const made = await newKey(holder, { mode, scopes: ["addresses:read", "addresses:write"] });
		const scopes = ["addresses:read", "addresses:write", "changes:read"];
		await acted(`keys/${made.id}/scopes`, { scopes, reason: "A mirror" });
		return made;
	};

	it("are all looked at here", () => {
		const takingKeys = endpoints.filter(({ access }) => access.schemes.some(({ name }) => name === "apiKey"));
		const found = takingKeys.map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`);
		expect(found.sort()).toEqual([...Object.keys(doorsOfOwners), ...otherDoors].sort());
	});

	it("are closed to a test key at live addresses, and open in the sandbox, wherever only an owner may act", async () => {
		const holder = await signUp();
		const [{ key: testing }, { key: living }] = [await keyOf(holder, "test"), await keyOf(holder, "live")];
		const { key: old } = await (async () => {
			const made = await keyOf(holder, "test");
			await sql("update api_keys set sandbox = 0 where id = ?", made.id);
			return made;
		})();
		for (const [door, [status]] of Object.entries(doorsOfOwners)) {
			for (const body of [HOME, OPEN]) {
				const own = await addressWith(living, body);
				const before = await row("select * from addresses where canonical = ?", own.canonical);
				const refused = await knock(testing, door, own);
				const text = await refused.clone().text();
				await problem(refused, 403, "FORBIDDEN");
				expect(text, door).not.toMatch(TRACES);
				expect(await row("select * from addresses where canonical = ?", own.canonical), door).toEqual(before);
				// A code without an address is refused alike, so that the error tells nothing of other codes.
				const nowhere = { ...own, canonical: "NG031148211" };
				expect((await problem(knock(testing, door, nowhere), 403, "FORBIDDEN")).detail).toBe(
					(JSON.parse(text) as { detail: string }).detail,
				);
				expect((await knock(old, door, own)).status, `${door} by an old test key`).toBe(status);
			}
			const tried = await addressWith(testing, HOME);
			expect((await knock(testing, door, tried)).status, `${door} in the sandbox`).toBe(status);
			// A person reads what their key has made, and writes none of it.
			const isRead = door.startsWith("GET");
			expect((await knock(holder.access, door, tried)).status, door).toBe(isRead ? 200 : 403);
		}
	});

	it("learns nothing of a live home from what it refuses about its entrance, its successor or its zone", async () => {
		const holder = await signUp();
		const { key: testing } = await keyOf(holder, "test");
		const { canonical } = await mint(holder.access, HOME);
		const { canonical: other } = await mint(holder.access, HOME);
		const { canonical: tried } = await json<SandboxAddress>(post("/v1/addresses", LAGOS, { token: testing }), 201);
		const at = (method: string, code: string, body: object) =>
			problem(call(`/v1/addresses/${code}`, { method, token: testing, body }), 403, "FORBIDDEN");
		const far = { lat: LAGOS.lat + 0.01, lng: LAGOS.lng };
		const details = [
			await at("PATCH", canonical, { entrance: LAGOS }),
			await at("PATCH", canonical, { entrance: far }),
			await at("PATCH", canonical, { ...LAGOS, entrance: far }),
			await at("DELETE", canonical, { successor: other }),
			await at("DELETE", tried, { successor: other }),
		].map(({ detail }) => detail);
		expect(new Set(details).size).toBe(1);
	});

	it("shows a test key live addresses as it shows them to anybody, and an old one as to their owner", async () => {
		const holder = await signUp();
		const [{ key: testing }, { key: old, id }] = [await keyOf(holder, "test"), await keyOf(holder, "test")];
		await sql("update api_keys set sandbox = 0 where id = ?", id);
		const items = [
			{ ...HOME, external_id: "quiet-home" },
			{ ...OPEN, external_id: "shop" },
		];
		const { data } = await json<{ data: { address: SandboxAddress }[] }>(
			post("/v1/addresses/batch", { items }, { token: holder.access }),
		);
		const [home = "", open = ""] = data.map(({ address }) => address.canonical);
		const textOf = async (path: string, token: string, body?: object) =>
			(await call(path, { token, ...(body ? { method: "POST", body } : {}) })).text();

		await problem(call(`/v1/addresses/${home}`, { token: testing }), 403, "ADDRESS_PRIVATE");
		expect(await textOf(`/v1/addresses/${home}`, old)).toMatch(TRACES);
		for (const token of [testing, old]) expect(await textOf(`/v1/addresses/${open}`, token)).toContain("Shop");

		const codes = { codes: [home, open] };
		const resolved = await textOf("/v1/public/addresses/batch", testing, codes);
		expect(resolved).toMatch(/"ADDRESS_PRIVATE".*"Shop"/);
		expect(await textOf("/v1/public/addresses/batch", old, codes)).toMatch(/Hidden brook.*"Shop"/);

		for (const query of ["", "?external_id=quiet-home", "?external_id=shop"]) {
			expect(await textOf(`/v1/addresses${query}`, testing), query).toContain('"data":[]');
			expect(await textOf(`/v1/addresses${query}`, old), query).toMatch(/Hidden brook|Shop/);
		}
		const mine = await call("/v1/changes?mine=1", { token: testing });
		expect([mine.status, await mine.text(), mine.headers.get("Next-Cursor")]).toEqual([200, "", expect.any(String)]);
		expect(await textOf("/v1/changes?mine=1", old)).toMatch(new RegExp(`${home}[^]*${open}`));
		// The feed of everybody's addresses is for whoever may follow it.
		const ofAll = await textOf("/v1/changes?limit=1000", testing);
		expect(ofAll).toContain(open);
		expect(ofAll).not.toMatch(TRACES);

		const minted = await textOf("/v1/addresses/batch", testing, { items });
		expect(minted).toMatch(/"status":"created".*"country":"ZZ"/);
		expect(minted).not.toMatch(new RegExp(`${home}|${open}`));
		expect(await textOf("/v1/addresses/batch", old, { items })).toMatch(new RegExp(`"existing".*${home}.*${open}`));
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
