import { describe, expect, it } from "vitest";
import { codeOfSerial } from "../../src/codes/code.ts";
import { call, json, patch, post, problem } from "../support/client.ts";
import { databasesThrough } from "../support/databases.ts";
import { AT_LAGOS, LAGOS, mint, newOwner, signUp, signUpAgent } from "../support/people.ts";
import { row, sql, value } from "../support/sql.ts";

interface Page {
	data: { canonical: string; owned: boolean; label: string }[];
	next_cursor: string | null;
}

const list = (token: string, query = "") => json<Page>(call(`/v1/addresses${query}`, { token }));

describe("GET /v1/addresses", () => {
	it("pages through the caller's own, newest first, each once", async () => {
		const { access } = await signUp();
		await newOwner();
		const minted: string[] = [];
		for (let number = 0; number < 5; number += 1) minted.push((await mint(access, LAGOS)).canonical);
		// Three of one millisecond: then the code decides.
		for (const [index, canonical] of minted.entries()) {
			await sql(
				"update addresses set created_at = ? where canonical = ?",
				1_700_000_000_000 + Math.max(0, index - 2),
				canonical,
			);
		}
		const expected = [...minted.slice(3).reverse(), ...minted.slice(0, 3).sort().reverse()];
		const paged: string[] = [];
		let cursor: string | null = null;
		do {
			const page: Page = await list(access, `?limit=2${cursor ? `&cursor=${cursor}` : ""}`);
			expect(page.data.length).toBeLessThanOrEqual(2);
			paged.push(...page.data.map(({ canonical }) => canonical));
			cursor = page.next_cursor;
		} while (cursor && paged.length < 10);
		expect(paged).toEqual(expected);
		expect((await list(access, "?limit=5")).next_cursor).toBeNull();
		expect((await list(access)).data.every(({ owned }) => owned)).toBe(true);
	});

	it("is empty for a newcomer and leaves out what is retired", async () => {
		const { access } = await signUp();
		expect(await list(access)).toEqual({ data: [], next_cursor: null });
		const { canonical } = await mint(access, LAGOS);
		await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: access });
		expect(await list(access)).toEqual({ data: [], next_cursor: null });
	});

	it.each<[string, string, string?]>([
		["limit=0", "limit"],
		["limit=101", "limit"],
		["limit=", "limit"],
		["limit=1e1", "limit"],
		["limit=2&limit=3", "limit", "Send one value, not several."],
		["cursor=", "cursor"],
		["cursor=bm9uc2Vuc2U", "cursor"],
		["cursor=%E2%82%AC", "cursor"],
		["limt=5", "limt"],
	])("refuses ?%s by name", async (query, path, message = expect.any(String)) => {
		const { access } = await signUp();
		expect(await json(call(`/v1/addresses?${query}`, { token: access }), 400)).toMatchObject({
			code: "INVALID_REQUEST",
			errors: [{ path, message }],
		});
	});
});

const change = (canonical: string, token: string, body: unknown) =>
	patch(`/v1/addresses/${canonical}`, body, { token });

describe("PATCH /v1/addresses/{canonical}", () => {
	it("changes the label, in NFC, and raises the version", async () => {
		const { access } = await signUp();
		const created = await mint(access, { ...LAGOS, label: "Old" });
		const { canonical } = created;
		const changed = await json(change(canonical, access, { label: "Cafe\u0301" }));
		expect(changed).toEqual({ ...created, label: "Café", updated_at: changed.updated_at });
		expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject({ label: "Café" });
		expect(await value("select version from addresses where canonical = ?", canonical)).toBe(2);
		expect(await json(change(canonical, access, { label: "" }))).toMatchObject({ label: "" });
	});

	it.each<[unknown, string]>([
		[{}, "label"],
		[{ label: null }, "label"],
		[{ label: "x".repeat(201) }, "label"],
		[{ label: "ok", lat: 1 }, "lng"],
		[{ lng: 1 }, "lat"],
		[{ lat: 91, lng: 1 }, "lat"],
		[{ label: "ok", lon: 1 }, "lon"],
	])("refuses %j", async (body, path) => {
		const { access, canonical } = await newOwner();
		const { errors } = await problem(change(canonical, access, body), 400, "INVALID_REQUEST");
		expect(errors).toMatchObject([{ path }]);
	});
});

describe("a pin that moves", () => {
	/** A new address in Lagos that an agent has attested at level 2, and its owner's token. */
	async function attestedAddress(): Promise<{ access: string; canonical: string }> {
		const { access, canonical } = await newOwner({ ...LAGOS, label: "Blue gate" });
		const { access: token } = await signUpAgent();
		await json(post(`/v1/addresses/${canonical}/attestations`, { level: 2, ...AT_LAGOS }, { token }), 201);
		return { access, canonical };
	}

	it("moves within its zone, and the attestation keeps the point that it attested", async () => {
		const { access, canonical } = await attestedAddress();
		const point = { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng };
		expect(await json(change(canonical, access, LAGOS))).toMatchObject({ ...LAGOS, verification_level: 2 });
		expect(await json(change(canonical, access, point))).toMatchObject({
			...point,
			label: "Blue gate",
			verification_level: 0,
		});
		expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject(point);
		const attested = await row("select label, lat, lng from attestations where canonical = ?", canonical);
		expect(attested).toEqual({ ...LAGOS, label: "Blue gate" });
	});

	it("loses its level with a new label and keeps it with the same one", async () => {
		const { access, canonical } = await attestedAddress();
		expect(await json(change(canonical, access, { label: "Blue gate" }))).toMatchObject({ verification_level: 2 });
		expect(await json(change(canonical, access, { label: "Central bank" }))).toMatchObject({ verification_level: 0 });
	});

	it("stays where it is when the new point is in another zone or at sea", async () => {
		const { access, canonical } = await newOwner();
		expect(await json(change(canonical, access, { lat: -1.2921, lng: 36.8219 }), 422)).toMatchObject({
			code: "OUTSIDE_ITS_ZONE",
			detail: expect.stringContaining("successor"),
		});
		expect(await json(change(canonical, access, { lat: 0, lng: -20 }), 422)).toMatchObject({ code: "OUTSIDE_ZONES" });
		expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject(LAGOS);
	});

	it("takes words for the point where it stands, also where a later edition has given that to another zone", async () => {
		const { access, user } = await newOwner();
		const canonical = [1, 2].map((unit) => codeOfSerial("NG", "9997", unit)).find((code) => code !== undefined)!;
		const insert =
			"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values (?, '', ?, ?, '', ?, 0)";
		await sql(insert, canonical, LAGOS.lat, LAGOS.lng, user.id);
		const whole = { ...LAGOS, label: "Blue gate" };
		expect(await json(change(canonical, access, whole))).toMatchObject(whole);
		await problem(change(canonical, access, { ...LAGOS, lng: LAGOS.lng + 0.0001 }), 422, "OUTSIDE_ITS_ZONE");
	});

	it("moves under an overflow number within the area that took the number", async () => {
		const { access, user, country, zone } = await newOwner();
		const canonical = [1, 2].map((unit) => codeOfSerial(country, "9998", unit)).find((code) => code !== undefined);
		const overflow = "insert into overflow_zones (country, zone, area, ordinal, created_at) values (?, 9998, ?, 77, 0)";
		await sql(overflow, country, Number(zone));
		const insert =
			"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values (?, '', ?, ?, '', ?, 0)";
		await sql(insert, canonical, LAGOS.lat, LAGOS.lng, user.id);
		const point = { lat: LAGOS.lat, lng: LAGOS.lng + 0.0001 };
		expect(await json(change(canonical!, access, point))).toMatchObject(point);
	});
});

describe("GET /v1/addresses/{canonical}/history", () => {
	it("tells its owner, and nobody else, what changed and when", async () => {
		const { access, canonical } = await newOwner({ ...LAGOS, label: "Old" });
		const [agent, stranger] = [await signUpAgent(), await signUp()];
		const successor = await mint(access, LAGOS);
		const path = `/v1/addresses/${canonical}`;
		const point = { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng };
		for (const body of [{ label: "New" }, { label: "New" }, point]) await json(change(canonical, access, body));
		const { updated_at } = await json<{ updated_at: string }>(call(path, { token: access }));
		await json(post(`${path}/attestations`, { level: 1, updated_at, ...AT_LAGOS }, { token: agent.access }), 201);
		await call(path, { method: "DELETE", token: access, body: { successor: successor.display } });
		const { data } = await json<{ data: { at: string; change: string }[] }>(call(`${path}/history`, { token: access }));
		// The database dates the changes that it writes down itself, by a clock that may be another than the Worker's (clock.ts).
		const isOfDatabase = ({ change }: { change: string }) => change === "label" || change === "point";
		expect([...data.filter((event) => !isOfDatabase(event)), ...data.filter(isOfDatabase)]).toEqual(
			[
				{ change: "created" },
				{ change: "attested", level: 1 },
				{ change: "retired", successor: successor.canonical },
				{ change: "label", previous_label: "Old" },
				{ change: "point", previous_lat: LAGOS.lat, previous_lng: LAGOS.lng },
			].map((event) => ({ ...event, at: expect.stringMatching(/Z$/) })),
		);
		await problem(call(`${path}/history`, { token: stranger.access }), 410, "ADDRESS_RETIRED");
		const ofLive = `/v1/addresses/${successor.canonical}/history`;
		await problem(call(ofLive, { token: stranger.access }), 403, "FORBIDDEN");
	});

	it("reads no more of a long one than it answers: the latest events, oldest first", async () => {
		const { access, canonical } = await newOwner();
		const insert = `insert into address_changes (canonical, changed_at, change, label)
			with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000) select ?, i, 'label', i from n`;
		await sql(insert, canonical);
		let rows = 0;
		const settings = databasesThrough(async (work) => {
			const answer = await work();
			for (const { results } of [answer].flat() as D1Result[]) rows = Math.max(rows, results.length);
			return answer;
		});
		const answer = await call(`/v1/addresses/${canonical}/history`, { token: access, settings });
		const { data } = await json<{ data: { previous_label?: string }[] }>(answer);
		expect([data.length, data[0]?.previous_label, rows]).toEqual([1000, "2002", 1000]);
	});

	it("cannot be rewritten", async () => {
		const { access, canonical } = await newOwner({ ...LAGOS, label: "Old" });
		await json(change(canonical, access, { label: "New" }));
		for (const statement of ["update address_changes set label = 'x'", "delete from address_changes"]) {
			const rewriting = sql(`${statement} where canonical = ?`, canonical);
			await expect(rewriting).rejects.toThrow(/only ever added/);
		}
	});
});

describe("DELETE /v1/addresses/{canonical}", () => {
	const retire = (canonical: string, token?: string, body?: unknown) =>
		call(`/v1/addresses/${canonical}`, { method: "DELETE", ...(token ? { token } : {}), ...(body ? { body } : {}) });

	it("names a successor from then on, in the answer and on the page, and redirects nobody", async () => {
		const { access, canonical } = await newOwner();
		const successor = await mint(access, LAGOS);
		expect((await retire(canonical, access, { successor: successor.display })).status).toBe(204);
		// Done again it changes nothing, whatever it names.
		expect((await retire(canonical, access, { successor: (await mint(access, LAGOS)).display })).status).toBe(204);
		expect(await json(call(`/v1/public/addresses/${canonical}`), 410)).toMatchObject({
			code: "ADDRESS_RETIRED",
			successor: successor.canonical,
			detail: expect.stringContaining(successor.display),
		});
		const page = await call(`/a/${canonical}`, { headers: { Accept: "text/html" }, redirect: "manual" });
		expect(page.status).toBe(410);
		expect(await page.text()).toContain(`href="/a/${successor.canonical}"`);
	});

	it("takes the successor from the query too, for proxies that drop a body, and refuses another in the body", async () => {
		const { access } = await newOwner();
		const [old, next, other] = [await mint(access, LAGOS), await mint(access, LAGOS), await mint(access, LAGOS)];
		const at = `${old.canonical}?successor=${encodeURIComponent(next.display)}`;
		const { errors } = await problem(retire(at, access, { successor: other.display }), 400, "INVALID_REQUEST");
		expect(errors).toMatchObject([{ path: "successor" }]);
		for (const wrong of ["", "NG-0421-58213", next.canonical.slice(1)])
			await problem(retire(`${old.canonical}?successor=${wrong}`, access), 400, "INVALID_REQUEST");
		await json(call(`/v1/public/addresses/${old.canonical}`), 200);
		expect((await retire(at, access)).status).toBe(204);
		expect((await retire(at, access, { successor: next.canonical })).status).toBe(204);
		const gone = await problem(call(`/v1/public/addresses/${old.canonical}`), 410, "ADDRESS_RETIRED");
		expect(gone).toMatchObject({ successor: next.canonical });
	});

	it("refuses a successor that leads nowhere, and retires nothing", async () => {
		const [{ access, refresh, canonical }, foreign] = [await newOwner(), await newOwner()];
		const retired = await mint(access, LAGOS);
		await retire(retired.canonical, access);
		for (const successor of [canonical, retired.canonical, foreign.canonical, "NG-0421-58212", "NG-0421-58213", ""]) {
			const { errors } = await problem(retire(canonical, access, { successor }), 400, "INVALID_REQUEST");
			expect(errors).toMatchObject([{ path: "successor" }]);
		}
		await json(call(`/v1/public/addresses/${canonical}`));
		// Whoever is not signed in any more learns that first.
		await post("/v1/auth/logout", { refresh });
		await json(retire(canonical, access, { successor: canonical }), 401);
	});

	it("retires one alone of two addresses that name each other as successors at once", async () => {
		const { access, canonical: one } = await newOwner();
		const { canonical: other } = await mint(access, LAGOS);
		const answers = await Promise.all([
			retire(one, access, { successor: other }),
			retire(other, access, { successor: one }),
		]);
		expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
	});

	it("retires for good, however often the owner repeats it, and the row stays so that the code is never issued again", async () => {
		const { access: token, canonical } = await newOwner();
		for (let time = 0; time < 3; time += 1) {
			const answer = await retire(canonical, token);
			expect([answer.status, await answer.text()]).toEqual([204, ""]);
		}
		const path = `/v1/addresses/${canonical}`;
		await problem(call(path, { token }), 410, "ADDRESS_RETIRED");
		await problem(patch(path, { label: "x" }, { token }), 410, "ADDRESS_RETIRED");
		await problem(retire(canonical, (await signUp()).access), 410, "ADDRESS_RETIRED");
		const stored = await row("select retired_at, version from addresses where canonical = ?", canonical);
		expect(stored).toEqual({ retired_at: expect.any(Number), version: 2 });
	});

	it("is final when it races with changes, which get 200 or 410", async () => {
		const { access: token, canonical } = await newOwner();
		const race = Array.from({ length: 20 }, (_, index) =>
			index % 2 ? retire(canonical, token) : change(canonical, token, { label: `L${index}` }),
		);
		for (const { status } of await Promise.all(race)) expect([200, 204, 410]).toContain(status);
		await json(call(`/v1/public/addresses/${canonical}`), 410);
	});

	it("happens once when eight race, and all are told that it is done", async () => {
		const { access, canonical } = await newOwner();
		const race = await Promise.all(Array.from({ length: 8 }, () => retire(canonical, access)));
		expect(race.map(({ status }) => status)).toEqual(Array(8).fill(204));
		expect(await value("select version from addresses where canonical = ?", canonical)).toBe(2);
	});
});

it("a retry under the Idempotency-Key of an address that was retired since says that it is retired, and names the successor", async () => {
	const { access: token } = await signUp();
	const create = (label: string) =>
		post("/v1/addresses", { ...LAGOS, label }, { token, headers: { "Idempotency-Key": "one" } });
	const { canonical } = await json(create("Blue gate"), 201);
	const body = { successor: (await mint(token, LAGOS)).canonical };
	expect((await call(`/v1/addresses/${canonical}`, { method: "DELETE", token, body })).status).toBe(204);
	const problem = await json(create("Blue gate"), 410);
	expect(problem).toMatchObject({ code: "ADDRESS_RETIRED", ...body });
	expect(JSON.stringify(problem)).not.toContain("Blue gate");
	expect(await json(create("Green gate"), 409)).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
	expect(await value("select count(*) from addresses where length(idempotency_key) = 32")).toBe(1);
});
