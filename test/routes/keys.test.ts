import { describe, expect, it, vi } from "vitest";
import { standingLimits } from "../../src/settings/limits.ts";
import { call, json, post, problem } from "../support/client.ts";
import { LAGOS, newOwner, PASSWORD, signUp } from "../support/people.ts";
import { row, sql } from "../support/sql.ts";

interface Key {
	id: string;
	name: string;
	mode: string;
	scopes: string[];
	prefix: string;
	created_at: string;
	last_used_at: string | null;
}

const create = (token: string, body: unknown = { name: "Backend", mode: "live" }, settings = {}) =>
	post("/v1/keys/", body, { token, settings });
const list = async (token: string) => json<Key[]>(call("/v1/keys/", { token }));
const remove = (token: string, id: string) => call(`/v1/keys/${id}`, { method: "DELETE", token });
const createKey = async (token: string, body?: unknown) => json<Key & { key: string }>(create(token, body), 201);
const withKey = (path: string, key: string, init: { method?: string; body?: unknown } = {}) =>
	call(path, { ...init, headers: { Authorization: `Api-Key ${key}` } });

describe("API keys", () => {
	it.each(["test", "live"])(
		"of mode %s show their secret once, and are listed by prefix, newest first",
		async (mode) => {
			const { access } = await signUp();
			const first = await createKey(access);
			const response = await create(access, { name: "  Café ☕", mode });
			expect(response.headers.get("Cache-Control")).toBe("no-store");
			const created = await json<Key & { key: string }>(response, 201);
			expect(created.key).toMatch(new RegExp(`^addr_${mode}_[0-9A-Za-z]{38}$`));
			const { key, ...record } = created;
			expect(record).toEqual({
				id: expect.stringMatching(/^key_\w{22}$/),
				name: "  Café ☕",
				mode,
				scopes: ["addresses:read"],
				prefix: key.slice(0, `addr_${mode}_`.length + 8),
				created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
				last_used_at: null,
			});
			const keys = await list(access);
			expect(keys.map(({ id }) => id)).toEqual([record.id, first.id]);
			expect(keys[0]).toEqual(record);
			const results = await sql("select * from api_keys");
			expect(JSON.stringify(results)).not.toContain(key.slice(-30));
		},
	);

	it("that write ask for the password, by a session of more than ten minutes", async () => {
		const { access, user } = await signUp();
		const writing = { name: "Meters", mode: "live", scopes: ["addresses:write"] };
		await createKey(access, writing);
		await sql("update sessions set created_at = created_at - 660000 where user_id = ?", user.id);
		// What the specification shows needs none.
		await createKey(access);
		const refused = await json(create(access, writing), 400);
		expect(refused).toMatchObject({ code: "INVALID_REQUEST", errors: [{ path: "password" }] });
		await problem(create(access, { ...writing, password: "not mine" }), 401, "INVALID_CREDENTIALS");
		const { key } = await createKey(access, { ...writing, password: PASSWORD });
		await json(withKey("/v1/addresses", key));
		expect(await list(access)).toHaveLength(3);
	});

	it("take their prefix from the settings, and those made before a change go on", async () => {
		const { access, canonical } = await newOwner();
		const settings = { API_KEY_PREFIX: "geo" };
		const { key } = await json<{ key: string }>(create(access, { name: "x", mode: "test" }, settings), 201);
		expect(key).toMatch(/^geo_test_/);
		const old = await createKey(access);
		for (const each of [key, old.key]) {
			const headers = { Authorization: `api-key ${each}` };
			expect(await json(call(`/v1/addresses/${canonical}`, { headers, settings }))).toMatchObject({ owned: true });
		}
	});

	it("open an address record, which says whether the key's owner owns it", async () => {
		const { access, canonical } = await newOwner();
		const mine = await createKey(access);
		const other = await createKey((await signUp()).access);
		const record = await json(call(`/v1/addresses/${canonical}`, { token: access }));
		const response = await withKey(`/v1/addresses/${canonical}`, mine.key);
		expect(response.headers.get("Cache-Control")).toBe("no-store");
		expect(await json(response)).toEqual(record);
		const { external_id: _, ...others } = record as Record<string, unknown>;
		expect(await json(withKey(`/v1/addresses/${canonical}`, other.key))).toEqual({ ...others, owned: false });
	});

	it("with the scope addresses:write mint, list, change and retire their owner's addresses, as Bearer too", async () => {
		const { access, user } = await signUp();
		const { key, scopes } = await createKey(access, { name: "Shop", mode: "live", scopes: ["addresses:write"] });
		expect(scopes).toEqual(["addresses:read", "addresses:write"]);
		expect((await list(access))[0]?.scopes).toEqual(scopes);
		const as = (path: string, init: object = {}) => call(path, { ...init, token: key });
		const { canonical } = await json<{ canonical: string }>(as("/v1/addresses", { method: "POST", body: LAGOS }), 201);
		const owner = await row("select owner_id from addresses where canonical = ?", canonical);
		expect(owner?.owner_id).toBe(user.id);
		const at = `/v1/addresses/${canonical}`;
		expect(await json(withKey("/v1/addresses", key))).toMatchObject({ data: [{ canonical, owned: true }] });
		const change = { method: "PATCH", body: { label: "Green gate" } };
		expect(await json(as(at, change))).toMatchObject(change.body);
		expect(await json(as(`${at}/history`))).toMatchObject({ data: [{ change: "created" }, { change: "label" }] });
		const stranger = await createKey((await signUp()).access, { name: "k", mode: "live", scopes: ["addresses:write"] });
		for (const init of [change, { method: "DELETE" }]) {
			await problem(call(at, { ...init, token: stranger.key }), 403, "FORBIDDEN");
		}
		expect((await as(at, { method: "DELETE" })).status).toBe(204);
		await problem(as(at), 410, "ADDRESS_RETIRED");
	});

	it("are given changes:read by the operator alone, which is said to whoever asks for it", async () => {
		const { access } = await signUp();
		const asked = create(access, { name: "Copy", mode: "live", scopes: ["changes:read"] });
		expect(await json(asked, 400)).toMatchObject({
			errors: [{ path: "scopes.0", message: expect.stringContaining("The operator of the registry grants") }],
		});
	});

	it("made before there were scopes may read and no more", async () => {
		const { access } = await signUp();
		const { id, key } = await createKey(access, { name: "k", mode: "live", scopes: ["addresses:write"] });
		// What the migration gives to the rows that it finds.
		await sql(
			`update api_keys set scopes = (select trim(dflt_value, '''') from pragma_table_info('api_keys') where name = 'scopes') where id = ?`,
			id,
		);
		expect((await list(access))[0]?.scopes).toEqual(["addresses:read"]);
		await problem(withKey("/v1/addresses", key), 403, "FORBIDDEN");
	});

	it("are revoked at once, and only once", async () => {
		const { access, canonical } = await newOwner();
		const { id, key } = await createKey(access);
		await json(withKey(`/v1/addresses/${canonical}`, key));
		const stranger = await signUp();
		await problem(remove(stranger.access, id), 404, "KEY_NOT_FOUND");
		await json(withKey(`/v1/addresses/${canonical}`, key));
		expect((await remove(access, id)).status).toBe(204);
		await problem(withKey(`/v1/addresses/${canonical}`, key), 401, "INVALID_TOKEN");
		await problem(remove(access, id), 404, "KEY_NOT_FOUND");
		expect(await list(access)).toEqual([]);
	});

	it("note their last use, once a minute at most", async () => {
		const { access, canonical } = await newOwner();
		const { key } = await createKey(access);
		const start = Date.now();
		const clock = vi.spyOn(Date, "now");
		/** How many milliseconds after the start the last use was, once the key is used so late. */
		const usedAt = async (milliseconds: number) => {
			clock.mockReturnValue(start + milliseconds);
			await json(call(`/v1/addresses/${canonical}`, { headers: { Authorization: `Api-Key ${key}` }, settings: {} }));
			return Date.parse((await list(access))[0]?.last_used_at ?? "") - start;
		};
		expect([await usedAt(0), await usedAt(50_000), await usedAt(61_000)]).toEqual([0, 0, 61_000]);
		clock.mockRestore();
	});

	it("never exceed the quota of an account, even when requests race", async () => {
		const { access } = await signUp();
		const make = () => create(access);
		for (let left = standingLimits["live-keys"].quota; left > 3; left -= 1) await json(make(), 201);
		const answers = await Promise.all(Array.from({ length: 8 }, make));
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
		const full = await make();
		expect(Number(full.headers.get("Retry-After"))).toBeGreaterThan(0);
		await problem(full, 429, "QUOTA_EXCEEDED");
		await remove(access, (await list(access))[0]?.id ?? "");
		await json(make(), 201);
	});

	it.each([
		[{ mode: "live" }, "name"],
		[{ name: "", mode: "live" }, "name"],
		[{ name: "  ", mode: "live" }, "name"],
		[{ name: "x".repeat(101), mode: "live" }, "name"],
		[{ name: "a\nb", mode: "live" }, "name"],
		[{ name: "x", mode: "prod" }, "mode"],
		[{ name: "x", mode: "live", scope: "all" }, "scope"],
		[{ name: "x", mode: "live", scopes: [] }, "scopes"],
		[{ name: "x", mode: "live", scopes: ["addresses:write", "admin"] }, "scopes.1"],
		[{ name: "x", mode: "live", scopes: "addresses:read" }, "scopes"],
	])("are refused for %j", async (body, path) => {
		const { access } = await signUp();
		expect(await json(create(access, body), 400)).toMatchObject({ code: "INVALID_REQUEST", errors: [{ path }] });
	});
});
