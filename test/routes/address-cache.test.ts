import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
	BROWSER_SECONDS,
	drawingPath,
	EDGE_SECONDS,
	entryPath,
	SHARED_SECONDS,
} from "../../src/addresses/address-cache.ts";
import { app } from "../../src/app.ts";
import { call, json, ORIGIN, patch } from "../support/client.ts";
import { countStatements } from "../support/count-statements.ts";
import { fillZone, freeCodes } from "../support/fill-zone.ts";
import { LAGOS, mint, newOwner } from "../support/people.ts";
import { countOf, sql } from "../support/sql.ts";
import { until } from "../support/until.ts";

/** Whether the cache holds anything under a code. The entry's address is read from the real Cache API. */
async function isRemembered(canonical: string): Promise<boolean> {
	return (await caches.default.match(ORIGIN + entryPath(canonical))) !== undefined;
}

/** The journal is written after the answer, with statements of its own. */
const journaled = (canonical: string) =>
	until(async () => (await countOf("journal_queue", "canonical", canonical)) === 0);

async function mintResolved(label = "Blue gate"): Promise<{ access: string; canonical: string; path: string }> {
	const { access, canonical } = await newOwner({ ...LAGOS, label });
	const path = `/v1/public/addresses/${canonical}`;
	await json(call(path));
	await until(() => isRemembered(canonical));
	await journaled(canonical);
	return { access, canonical, path };
}

/** Changes a row where no code of the registry sees it: only a cached address can still show the old label. */
async function changeBehindItsBack(canonical: string): Promise<void> {
	await sql("update addresses set label = 'changed in the database' where canonical = ?", canonical);
}

describe("a cached address", () => {
	it("answers every spelling and format without a query", async () => {
		const { canonical, path } = await mintResolved();
		await changeBehindItsBack(canonical);
		const spaced = encodeURIComponent(`${canonical.slice(0, 2)} ${canonical.slice(2, 6)} ${canonical.slice(6)}`);
		const count = await countStatements(async () => {
			for (const spelling of [path, path.toLowerCase(), `/v1/public/addresses/${spaced}`, `${path}/`]) {
				expect(await json(call(spelling)), spelling).toMatchObject({ canonical, label: "Blue gate" });
			}
			const feature = await call(path, { headers: { Accept: "application/geo+json" } });
			expect([feature.headers.get("Content-Type"), feature.headers.get("Vary")]).toEqual([
				"application/geo+json",
				"Accept",
			]);
			expect(await json(feature)).toMatchObject({ properties: { label: "Blue gate" } });
			expect((await call(`/v1/addresses/${canonical}/qr.svg`)).headers.get("Content-Type")).toMatch(/^image\/svg/);
			expect((await call(path, { method: "HEAD" })).status).toBe(200);
		});
		expect(count).toBe(0);
	});

	it("costs one query before it is cached", async () => {
		const { canonical } = await newOwner();
		await journaled(canonical);
		expect(await countStatements(() => json(call(`/v1/public/addresses/${canonical}`)))).toBe(1);
	});

	it("serves a request with a credential too, which is not read, and whose answer nobody may store", async () => {
		const { canonical, path } = await mintResolved();
		await changeBehindItsBack(canonical);
		const ask = async () => {
			const answer = await call(path, { token: "x" });
			expect(answer.headers.get("Cache-Control")).toBe("no-store");
			expect(await json(answer)).toMatchObject({ label: expect.not.stringContaining("changed in the database") });
		};
		expect(await countStatements(ask)).toBe(0);
		const image = () => call(`/v1/addresses/${canonical}/qr.png`, { token: "x", settings: {} });
		await (await image()).arrayBuffer();
		expect(await countStatements(async () => (await image()).arrayBuffer())).toBe(0);
	});

	it("is fresh at once where it was renamed, and gone where it was retired", async () => {
		const { access, canonical, path } = await mintResolved();
		const before = await call(path);
		await json(patch(`/v1/addresses/${canonical}`, { label: "Green gate" }, { token: access }));
		const after = await call(path, { headers: { "If-None-Match": before.headers.get("ETag") ?? "" } });
		expect(await json(after)).toMatchObject({ label: "Green gate" });
		await until(() => isRemembered(canonical));
		expect((await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: access })).status).toBe(204);
		for (const spelling of [path, `${path}?format=geojson`, `/v1/addresses/${canonical}/qr.svg`]) {
			expect(await json(call(spelling), 410), spelling).toMatchObject({ code: "ADDRESS_RETIRED" });
		}
		expect((await caches.default.match(ORIGIN + entryPath(canonical)))?.status).not.toBe(200);
	});

	it("is drawn once, and drawn anew where it was renamed: its card and its pages", async () => {
		const { access, canonical } = await mintResolved();
		const paths = [`/v1/addresses/${canonical}/label.svg`, `/a/${canonical}`, `/a/${canonical}?lang=fr`];
		const formats = ["label-svg", "page-en", "page-fr-asked"] as const;
		for (const path of paths) expect(await (await call(path)).text(), path).toContain("Blue gate");
		for (const format of formats) {
			await until(async () => (await caches.default.match(ORIGIN + drawingPath(canonical, 1, format))) !== undefined);
		}
		await changeBehindItsBack(canonical);
		for (const path of paths) expect(await (await call(path)).text(), path).toContain("Blue gate");
		await json(patch(`/v1/addresses/${canonical}`, { label: "Green gate" }, { token: access }));
		for (const path of paths) expect(await (await call(path)).text(), path).toContain("Green gate");
		// What was drawn of the version before is left to expire: nothing leads to it.
		const old = await caches.default.match(ORIGIN + drawingPath(canonical, 1, "label-svg"));
		expect(await old?.text()).toContain("Blue gate");
	});

	it("is purged everywhere by its tag where the runtime has Workers Cache", async () => {
		const { access, canonical } = await mintResolved();
		// workerd has no Workers Cache of its own: what it would be told is taken down in its place.
		const purged: unknown[] = [];
		const context = Object.assign(createExecutionContext(), {
			cache: { purge: async (options: unknown) => void purged.push(options) },
		});
		const request = new Request(`${ORIGIN}/v1/addresses/${canonical}`, {
			method: "DELETE",
			headers: { Authorization: `Bearer ${access}` },
		});
		expect((await app.fetch(request, env, context)).status).toBe(204);
		await waitOnExecutionContext(context);
		expect(purged).toEqual([{ tags: [canonical] }]);
	});

	it("does not return to the cache when a look-up of the old row stores it after the change", async () => {
		const { access, canonical, path } = await mintResolved();
		const old = await caches.default.match(ORIGIN + entryPath(canonical));
		await json(patch(`/v1/addresses/${canonical}`, { label: "Green gate" }, { token: access }));
		await caches.default.put(ORIGIN + entryPath(canonical), old as Response);
		await until(async () => (await json(call(path))).label === "Green gate");
	});

	it("expires everywhere within a minute, whoever caches it", () => {
		expect(EDGE_SECONDS + SHARED_SECONDS + BROWSER_SECONDS).toBeLessThanOrEqual(60);
	});
});

/** The ETag that a public resolve answers with. */
async function tagOf(path: string): Promise<string> {
	return (await call(path)).headers.get("ETag") ?? "none";
}

describe("the answer", () => {
	it("says how long it may be cached, and by what tag it is purged", async () => {
		const { canonical, path } = await mintResolved();
		const { headers } = await call(path);
		expect(headers.get("Cache-Control")).toBe(`public, max-age=${BROWSER_SECONDS}, s-maxage=${SHARED_SECONDS}`);
		expect(headers.get("Cache-Tag")).toBe(canonical);
		expect(headers.get("ETag")).toMatch(/^"1-json-[0-9a-f]{12}"$/);
		expect(headers.has("Set-Cookie")).toBe(false);
	});

	it.each([
		["itself", (tag: string) => tag],
		["its weak form", (tag: string) => `W/${tag}`],
		["a list that holds it", (tag: string) => `"0", ${tag}`],
	])("is 304 to an If-None-Match of %s", async (_, spell) => {
		const { path } = await mintResolved();
		const answer = await call(path, { headers: { "If-None-Match": spell(await tagOf(path)) } });
		expect(answer.status).toBe(304);
		expect(await answer.text()).toBe("");
		for (const name of ["ETag", "Cache-Control", "Cache-Tag", "Vary", "Access-Control-Allow-Origin"]) {
			expect(answer.headers.get(name), name).not.toBeNull();
		}
	});

	it("differs in its ETag by format, version and body", async () => {
		const { path } = await mintResolved();
		const tag = await tagOf(path);
		const others = [tag.replace("json", "geojson"), tag.replace("1-", "2-"), '"1-json-000000000000"', tag.slice(1, -1)];
		for (const other of others) {
			expect((await call(path, { headers: { "If-None-Match": other } })).status, other).toBe(200);
		}
		expect((await call(path, { method: "HEAD", headers: { "If-None-Match": tag } })).status).toBe(304);
	});
});

describe("the answer of an error", () => {
	const unknown = "/v1/public/addresses/NG-0421-58212";

	it("only that of an unknown code is cached, for a short time, and each answer has its own request id", async () => {
		const first = await json(call(unknown), 404);
		await until(() => isRemembered("NG042158212"));
		const entry = await caches.default.match(ORIGIN + entryPath("NG042158212"));
		expect(entry?.headers.get("Cache-Control")).toBe("public, max-age=10");
		let second: Record<string, unknown> = {};
		expect(
			await countStatements(async () => {
				second = await json(call(unknown), 404);
			}),
		).toBe(0);
		expect(second).toEqual({ ...first, instance: second.instance });
		expect(second.instance).not.toBe(first.instance);
	});

	it("that of an unknown code is purged where the code is minted", async () => {
		const place = { lat: 12.0022, lng: 8.592 };
		const { access, country, zone } = await newOwner(place);
		// With one code left in the zone, the draw has no choice.
		await fillZone(country, zone, 1);
		const [last = ""] = await freeCodes(country, zone);
		await json(call(`/v1/public/addresses/${last}`), 404);
		await until(() => isRemembered(last));
		expect((await mint(access, place)).canonical).toBe(last);
		expect(await json(call(`/v1/public/addresses/${last}`))).toMatchObject({ canonical: last });
	});

	it("is stored by no other cache", async () => {
		for (const [path, status] of [
			[unknown, 404],
			["/v1/public/addresses/NG-0421-58213", 400],
			["/v1/public/addresses/nonsense", 400],
		] as const) {
			const answer = await call(path);
			expect(answer.status).toBe(status);
			expect(answer.headers.get("Cache-Control")).toBe("no-store");
			await answer.body?.cancel();
		}
		expect(await isRemembered("NG042158213")).toBe(false);
		expect(await isRemembered("NONSENSE")).toBe(false);
	});
});
