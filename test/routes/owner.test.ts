import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createAddressStore } from "../../src/addresses/store.ts";
import { openAllAddressesDatabases } from "../../src/db/open.ts";
import { call, json, LAGOS, mint, signUp } from "../support/client.ts";

interface Page {
	data: { canonical: string; owned: boolean; label: string }[];
	next_cursor: string | null;
}

const list = (token: string, query = "") => json<Page>(call(`/v1/addresses${query}`, { token }));

describe("GET /v1/addresses", () => {
	it("pages through the caller's own, newest first, each once", async () => {
		const { access } = await signUp();
		const stranger = await signUp();
		await mint(stranger.access, LAGOS);
		const minted: string[] = [];
		for (let number = 0; number < 5; number += 1) minted.push((await mint(access, LAGOS)).canonical);
		// Three of one millisecond: then the code decides.
		for (const [index, canonical] of minted.entries()) {
			await env.DB.prepare("update addresses set created_at = ? where canonical = ?")
				.bind(1_700_000_000_000 + Math.max(0, index - 2), canonical)
				.run();
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

	it.each([
		["limit=0", "limit"],
		["limit=101", "limit"],
		["limit=", "limit"],
		["limit=1e1", "limit"],
		["limit=2&limit=3", "limit"],
		["cursor=", "cursor"],
		["cursor=bm9uc2Vuc2U", "cursor"],
		["cursor=%E2%82%AC", "cursor"],
		["limt=5", "limt"],
	])("refuses ?%s by name", async (query, path) => {
		const { access } = await signUp();
		expect(await json(call(`/v1/addresses?${query}`, { token: access }), 400)).toMatchObject({
			code: "INVALID_REQUEST",
			errors: [{ path }],
		});
	});

	it("reads an index and sorts nothing", async () => {
		const asked: string[] = [];
		const prepare = (query: string) => {
			asked.push(query);
			return env.DB.prepare(query);
		};
		const [database] = openAllAddressesDatabases({ ...env, DB: { prepare } as D1Database });
		await createAddressStore(database!).ownedBy("u", 20, { createdAt: 1, canonical: "x" });
		expect(asked).toHaveLength(1);
		const { results } = await env.DB.prepare(`explain query plan ${asked[0]}`)
			.bind("u", 1, "x", 21)
			.all<{ detail: string }>();
		const plan = results.map(({ detail }) => detail).join("\n");
		expect(plan).toMatch(/using index addresses_by_owner/i);
		expect(plan).not.toMatch(/temp b-tree/i);
	});
});

describe("PATCH /v1/addresses/{canonical}", () => {
	const patch = (canonical: string, token: string, body: unknown) =>
		call(`/v1/addresses/${canonical}`, { method: "PATCH", token, body });

	it("changes the label, in NFC, and raises the version", async () => {
		const { access } = await signUp();
		const created = await mint(access, { ...LAGOS, label: "Old" });
		const { canonical } = created;
		const changed = await json(patch(canonical, access, { label: "Cafe\u0301" }));
		expect(changed).toEqual({ ...created, label: "Café" });
		expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject({ label: "Café" });
		expect(
			await env.DB.prepare("select version from addresses where canonical = ?").bind(canonical).first("version"),
		).toBe(2);
		expect(await json(patch(canonical, access, { label: "" }))).toMatchObject({ label: "" });
	});

	it.each<[unknown, string]>([
		[{}, "label"],
		[{ label: null }, "label"],
		[{ label: "x".repeat(201) }, "label"],
		[{ label: "ok", lat: 1 }, "lat"],
	])("refuses %j", async (body, path) => {
		const { access } = await signUp();
		const { canonical } = await mint(access, LAGOS);
		expect(await json(patch(canonical, access, body), 400)).toMatchObject({
			code: "INVALID_REQUEST",
			errors: [{ path }],
		});
	});

	it("is the owner's alone, and tells a stranger's mistake from a typing mistake", async () => {
		const { access } = await signUp();
		const stranger = await signUp();
		const { canonical } = await mint(access, { ...LAGOS, label: "Mine" });
		expect(await json(patch(canonical, stranger.access, { label: "x" }), 403)).toMatchObject({ code: "FORBIDDEN" });
		expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject({ label: "Mine" });
		expect(await json(patch("NG-0421-58212", access, { label: "x" }), 404)).toMatchObject({
			code: "ADDRESS_NOT_FOUND",
		});
		expect(await json(patch("NG-0421-58213", access, { label: "x" }), 400)).toMatchObject({ code: "BAD_CHECK_DIGIT" });
		expect(
			await json(call(`/v1/addresses/${canonical}`, { method: "PATCH", body: { label: "x" } }), 401),
		).toMatchObject({ code: "UNAUTHENTICATED" });
	});
});

describe("DELETE /v1/addresses/{canonical}", () => {
	const retire = (canonical: string, token?: string) =>
		call(`/v1/addresses/${canonical}`, { method: "DELETE", ...(token ? { token } : {}) });

	it("retires for good: 204, then 410, and the row stays so that the code is never issued again", async () => {
		const { access } = await signUp();
		const { canonical } = await mint(access, LAGOS);
		const answer = await retire(canonical, access);
		expect(answer.status).toBe(204);
		expect(await answer.text()).toBe("");
		expect(await json(retire(canonical, access), 410)).toMatchObject({ code: "ADDRESS_RETIRED" });
		const body = { label: "x" };
		expect(await json(call(`/v1/addresses/${canonical}`, { method: "PATCH", token: access, body }), 410)).toMatchObject(
			{ code: "ADDRESS_RETIRED" },
		);
		const row = await env.DB.prepare("select retired_at, version from addresses where canonical = ?")
			.bind(canonical)
			.first();
		expect(row).toEqual({ retired_at: expect.any(Number), version: 2 });
	});

	it("is the owner's alone", async () => {
		const { access } = await signUp();
		const stranger = await signUp();
		const { canonical } = await mint(access, LAGOS);
		expect(await json(retire(canonical, stranger.access), 403)).toMatchObject({ code: "FORBIDDEN" });
		expect(await json(retire(canonical), 401)).toMatchObject({ code: "UNAUTHENTICATED" });
		await json(call(`/v1/public/addresses/${canonical}`));
	});

	it("succeeds once when eight race", async () => {
		const { access } = await signUp();
		const { canonical } = await mint(access, LAGOS);
		const race = await Promise.all(Array.from({ length: 8 }, () => retire(canonical, access)));
		expect(race.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(410)]);
	});
});
