/** What the registry answers while D1, R2 or the cache fail. `npm run faults` lets every call of every operation fail, hang or come back spoilt. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { entryPath, STALE_SECONDS } from "../../src/addresses/address-cache.ts";
import { call, json, ORIGIN, post, problem, settle } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { databasesThrough } from "../support/databases.ts";
import { logged } from "../support/logged.ts";
import { LAGOS, newOwner, PASSWORD, signUp } from "../support/people.ts";
import { sql } from "../support/sql.ts";
import { until } from "../support/until.ts";
import { underWaits } from "../support/waits.ts";

/** A database whose connection breaks at once. */
const lostDatabase = (message = "D1_ERROR: Network connection lost.") =>
	databaseThrough(() => Promise.reject(new Error(message)));

/** The same of all databases. */
const allLost = () => databasesThrough(() => Promise.reject(new Error("D1_ERROR: Network connection lost.")));

/** The database, which holds as much as D1 allows: it is read and deleted from, and refuses all else. */
const full = databasesThrough((work, queries) =>
	queries.some((query) => /^\s*(with\b.*\b)?(insert|update)\b/is.test(query))
		? Promise.reject(new Error("D1_ERROR: Exceeded maximum DB size"))
		: work(),
);

/** Addresses whose second purge, a second after the first, takes nothing more out of the cache. */
const minted: { access: string; canonical: string }[] = [];

beforeAll(async () => {
	const { access } = await signUp();
	for (let count = 0; count < 12; count += 1) {
		const { canonical } = await json<{ canonical: string }>(
			post("/v1/addresses", LAGOS, { token: access, settings: {} }),
			201,
		);
		minted.push({ access, canonical });
	}
	await settle();
});

/** An address of those that is in the cache. */
async function mintResolved(): Promise<{ access: string; canonical: string; path: string }> {
	const { access, canonical } = minted.pop()!;
	const path = `/v1/public/addresses/${canonical}`;
	await json(call(path));
	await until(async () => (await caches.default.match(ORIGIN + entryPath(canonical))) !== undefined);
	return { access, canonical, path };
}

/** Puts something else in the place of what is cached of a code, fresh until so many seconds from now. */
async function putEntry(canonical: string, body: string | null, seconds: number): Promise<void> {
	const headers = {
		"Cache-Control": "public, max-age=600",
		ETag: '"1-json-0123456789ab"',
		"X-Fresh-Until": String(Date.now() + seconds * 1000),
	};
	await caches.default.put(ORIGIN + entryPath(canonical), new Response(body, { headers }));
}

async function expire(canonical: string, secondsAgo: number): Promise<void> {
	const entry = await caches.default.match(ORIGIN + entryPath(canonical));
	await putEntry(canonical, (await entry?.text()) ?? null, -secondsAgo);
}

const never = () => new Promise<never>(() => {});

it.each([
	["database", "/v1/auth/me", { DB: databaseThrough(never) }],
	["bucket", "/v1/public/zones?lat=6.5244&lng=3.3792", { ZONES: { get: never, head: never } }],
])("a %s that does not answer is given up in time, with a time to come back", async (_, path, failing) => {
	const { access } = await signUp();
	const asked = () => call(path, { token: access, settings: failing as object });
	const answer = await underWaits({ databaseRead: 150, bucketRead: 150 }, asked);
	expect(answer.headers.get("Retry-After")).toBe("5");
	await problem(answer, 503, "UNAVAILABLE");
});

it.each([
	["D1_ERROR: Network connection lost.", 3, 503],
	["D1_ERROR: D1 DB is overloaded. Too many requests queued.", 1, 503],
	// While an operator runs `wrangler d1 export`.
	["D1_ERROR: Currently processing a long-running export.", 1, 503],
	["D1_ERROR: UNIQUE constraint failed: users.phone", 1, 500],
])("a read that ends in %s is tried %i times and answered %i", async (message, tries, status) => {
	const { access } = await signUp();
	let tried = 0;
	const DB = databaseThrough(() => {
		tried += 1;
		return Promise.reject(new Error(message));
	});
	const answer = await call("/v1/auth/me", { token: access, settings: { DB } });
	expect([answer.status, answer.headers.has("Retry-After"), tried]).toEqual([status, status === 503, tries]);
});

describe("while the database is away", () => {
	it("a cached address is served when it is no longer fresh, marked so and stored by nobody else", async () => {
		const { canonical, path } = await mintResolved();
		await expire(canonical, 100);
		const settings = allLost();
		for (const at of [path, `/v1/addresses/${canonical}/qr.svg`, `/a/${canonical}`]) {
			const answer = await call(at, { settings });
			expect(answer.status, at).toBe(200);
			expect(answer.headers.get("Cache-Status"), at).toMatch(/^registry; hit; ttl=-1\d\d$/);
			expect(answer.headers.get("Cache-Control"), at).toBe("no-store");
			await answer.text();
		}
		const fresh = await call(path);
		expect(fresh.headers.has("Cache-Status")).toBe(false);
		expect(fresh.headers.get("Cache-Control")).toMatch(/^public/);
	});

	it("a cached address is kept for ten minutes and no longer", async () => {
		const { canonical } = await mintResolved();
		const entry = await caches.default.match(ORIGIN + entryPath(canonical));
		expect(entry?.headers.get("Cache-Control")).toBe("public, max-age=600");
		expect(STALE_SECONDS).toBe(600);
	});

	it("an address that was retired elsewhere is not served, once this location has seen that", async () => {
		const { canonical, path } = await mintResolved();
		await sql("update addresses set retired_at = 1 where canonical = ?", canonical);
		await expire(canonical, 1);
		await json(call(path), 410);
		await until(async () => (await caches.default.match(ORIGIN + entryPath(canonical))) === undefined);
		await json(call(path, { settings: allLost() }), 503);
	});

	it.each([
		"D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
		"D1_ERROR: D1 DB exceeded its memory limit and was reset.",
		"D1_ERROR: internal error; reference = 4f2c",
	])("its own errors answer 503 with a time to come back: %s", async (message) => {
		const { access } = await signUp();
		const answer = await call("/v1/auth/me", { token: access, settings: { DB: lostDatabase(message) } });
		expect(answer.headers.get("Retry-After")).toBe("5");
		await problem(answer, 503, "UNAVAILABLE");
	});
});

it("a database that is full still resolves and lists codes, and refuses writes and sign-ins with 503", async () => {
	const { access, refresh, user, canonical } = await newOwner();
	const settings = full;
	for (const path of [`/v1/public/addresses/${canonical}`, `/v1/addresses/${canonical}`, "/v1/addresses"]) {
		const answer = await call(path, { token: access, settings });
		expect(answer.status, path).toBe(200);
		await answer.text();
	}
	const writes: [string, string, object][] = [
		["POST", "/v1/addresses", { ...LAGOS, label: "one more" }],
		["PATCH", `/v1/addresses/${canonical}`, { label: "changed" }],
		["DELETE", `/v1/addresses/${canonical}`, {}],
		["POST", "/v1/auth/login", { phone: user.phone, password: PASSWORD }],
		["POST", "/v1/auth/token/refresh", { refresh }],
	];
	for (const [method, path, body] of writes) {
		const answer = await call(path, { method, token: access, body, settings });
		expect(await json(answer, 503), `${method} ${path}`).toMatchObject({ code: "UNAVAILABLE" });
	}
});

it("a code is judged before the database is asked, and a broken one tells nothing of itself", async () => {
	const settings = Object.fromEntries(Object.keys(full).map((name) => [name, env.EMPTY_DB]));
	await problem(call("/v1/public/addresses/NG-0421-58213", { settings }), 400, "BAD_CHECK_DIGIT");
	await problem(call("/v1/public/addresses/NG-0421-5821", { settings }), 400, "MALFORMED_CODE");
	const broken = await problem(call("/v1/public/addresses/NG-0421-58212", { settings }), 500, "INTERNAL");
	expect(JSON.stringify({ ...broken, instance: "" })).not.toMatch(/sql|table|select|D1/i);
});

describe("a cache entry that this version has not written", () => {
	it.each([
		["text", "x"],
		["null", "null"],
		["an address without a field", JSON.stringify({ canonical: "NG042158212" })],
	])("is ignored by what is drawn from it: %s", async (_, body) => {
		const { canonical } = await mintResolved();
		await putEntry(canonical, body, 60);
		const feature = await json(call(`/v1/public/addresses/${canonical}.geojson`));
		expect(feature).toMatchObject({ id: canonical });
	});

	it.each([["soon"], [""], ["0"]])("is ignored where it does not say until when it is fresh: %j", async (time) => {
		const { canonical, path } = await mintResolved();
		const headers = { "Cache-Control": "public, max-age=600", "X-Fresh-Until": time };
		await caches.default.put(ORIGIN + entryPath(canonical), new Response("x", { headers }));
		expect(await json(call(path))).toMatchObject({ canonical });
	});
});

describe("while the zone index is", () => {
	afterEach(async () => {
		await env.ZONES.put("world.zones", env.TEST_ZONES);
	});

	it.each<[string, string, (bytes: Uint8Array) => Uint8Array | undefined]>([
		["missing", "missing", () => undefined],
		["empty", "truncated", () => new Uint8Array()],
		["cut short", "truncated", (bytes) => bytes.slice(0, 5000)],
		["another file", "not_a_zone_index", (bytes) => bytes.fill(0x20)],
		["corrupt", "corrupt", (bytes) => bytes.fill(0xff, 40, 60)],
		["of a newer format", "unsupported_version", (bytes) => bytes.fill(99, 8, 9)],
	])("%s, the copy in the deployment serves, and the log names why", async (_, reason, change) => {
		const { access: token, canonical } = await newOwner();
		const bytes = change(new Uint8Array(env.TEST_ZONES.slice(0)));
		await (bytes ? env.ZONES.put("world.zones", bytes) : env.ZONES.delete("world.zones"));
		// A bucket of its own by identity, so that the index is opened anew whatever this isolate has read before.
		const ZONES = {
			get: (...args: Parameters<R2Bucket["get"]>) => {
				// R2 refuses a range of an empty object. Its local form fails an assertion and prints it, as if a test had failed.
				if (bytes?.length === 0) throw new Error("get: The requested range is not satisfiable (10039)");
				return env.ZONES.get(...args);
			},
			head: (key: string) => env.ZONES.head(key),
		} as R2Bucket;
		const lines = await logged(async () => {
			const body = { lat: -41.2866, lng: 174.7756 };
			const answer = post("/v1/addresses", body, { token, settings: { ZONES } });
			expect(await json(answer, 201)).toMatchObject({ country: "NZ" });
		}, "zone_index_copy_used");
		expect(lines[0]).toMatchObject({ reason });
		await json(call(`/v1/public/addresses/${canonical}`));
	});
});
