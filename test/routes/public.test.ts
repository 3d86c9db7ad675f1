import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { DEMO_CODE } from "../../src/codes/demo.ts";
import { qrSvg } from "../../src/print/qr.ts";
import { readDirectory } from "../../src/zones/format.ts";
import { COUNTRY_NAMES, countryName } from "../../src/zones/naming.ts";
import { call, json, ORIGIN, post, problem } from "../support/client.ts";
import { countStatements } from "../support/count-statements.ts";
import { LAGOS, mint, newOwner, signUp } from "../support/people.ts";
import { sql } from "../support/sql.ts";

describe("GeoJSON", () => {
	it("comes by Accept and by ?format, as RFC 7946 has it", async () => {
		const { canonical } = await newOwner({ ...LAGOS, label: "Blue gate" });
		const path = `/v1/public/addresses/${canonical}`;
		const { lat, lng, ...properties } = await json<{ lat: number; lng: number }>(call(path));
		const feature = {
			type: "Feature",
			id: canonical,
			geometry: { type: "Point", coordinates: [lng, lat] },
			properties,
		};
		const geoJson = "application/geo+json";
		for (const [query, accept, type] of [
			["", geoJson, geoJson],
			["", `${geoJson};q=0.9, text/html;q=0.5`, geoJson],
			["?format=geojson", "*/*", geoJson],
			["?format=geojson", "application/json", geoJson],
			["", "*/*", "application/json"],
			["", "text/html", "application/json"],
			["", `${geoJson};q=0.5, application/json`, "application/json"],
			["?format=json", geoJson, "application/json"],
		] as const) {
			const answer = await call(path + query, { headers: { Accept: accept } });
			expect(answer.headers.get("Content-Type"), `${query} ${accept}`).toBe(type);
			expect(await json(answer)).toEqual(type === geoJson ? feature : { lat, lng, ...properties });
		}
	});

	it("also answers GeoJSON at a path of its own, in any spelling of the code", async () => {
		const { canonical, display } = await newOwner();
		const feature = await json(call(`/v1/public/addresses/${canonical}?format=geojson`));
		for (const code of [canonical, display, display.replaceAll("-", "+"), display.toLowerCase()]) {
			const answer = await call(`/v1/public/addresses/${code}.geojson`);
			expect(answer.headers.get("Content-Type")).toBe("application/geo+json");
			expect(await json(answer)).toEqual(feature);
		}
		await problem(call("/v1/public/addresses/NG-0421-58213.geojson"), 400, "BAD_CHECK_DIGIT");
		expect(await json(call(`/v1/public/addresses/${display.replaceAll("-", "+")}`))).toMatchObject({ canonical });
	});

	it.each(["fbclid=x", "utm_source=wa&utm_medium=chat", "format=json&gclid=1"])(
		"takes no notice of ?%s",
		async (query) => {
			const { canonical } = await newOwner();
			expect((await call(`/v1/public/addresses/${canonical}?${query}`)).status).toBe(200);
		},
	);

	it.each(["format=kml", "format=", "format=json&format=json", "fromat=geojson"])("refuses ?%s", async (query) => {
		const { canonical } = await newOwner();
		await problem(call(`/v1/public/addresses/${canonical}?${query}`), 400, "INVALID_REQUEST");
	});
});

interface Item {
	code: string;
	status: "found" | "failed" | "unchanged";
	address?: { canonical: string };
	problem?: { code: string; status: number };
}

describe("POST /v1/public/addresses/batch", () => {
	let token = "";
	beforeAll(async () => {
		token = (await signUp()).access;
	});
	const send = (body: unknown) => post("/v1/public/addresses/batch", body, { token });
	const batch = (codes: unknown) => send({ codes });

	it("answers each code in the order asked, by its address or its own problem, in a few statements in all", async () => {
		const { access, canonical, display } = await newOwner();
		const retired = (await mint(access, LAGOS)).canonical;
		await sql("update addresses set retired_at = 1 where canonical = ?", retired);
		const elsewhere = (await mint(access, { lat: 48.8584, lng: 2.2945 })).canonical;
		const spelled = [display, ` ${canonical} `, canonical];
		const codes = ["NG-0421-58213", "nonsense", retired, "NG042158212", elsewhere, ...spelled];
		let data: Item[] = [];
		// An isolate prepares its statements when it first runs them.
		await json(batch(codes));
		const count = await countStatements(async () => {
			({ data } = await json<{ data: Item[] }>(batch(codes)));
		});
		// The session and the codes.
		expect(count).toBe(2);
		expect(data.map(({ code }) => code)).toEqual(codes);
		expect(data.map(({ address, problem }) => address?.canonical ?? problem?.code)).toEqual([
			...["BAD_CHECK_DIGIT", "MALFORMED_CODE", "ADDRESS_RETIRED", "ADDRESS_NOT_FOUND"],
			...[elsewhere, canonical, canonical, canonical],
		]);
		expect(data.map(({ status, address }) => (status === "found") === (address !== undefined))).toEqual(
			codes.map(() => true),
		);
		expect(data.at(-1)?.address).toEqual(await json(call(`/v1/public/addresses/${canonical}`)));
		const type = `${ORIGIN}/problems/BAD_CHECK_DIGIT`;
		expect(data[0]?.problem).toMatchObject({ type, status: 400, instance: expect.stringMatching(/^req_/) });
	});

	it("calls what has not changed since a time unchanged, but never what is private, retired or changed of late", async () => {
		const { access, canonical: old } = await newOwner();
		const [fresh, hidden, retired] = [await mint(access, LAGOS), await mint(access, LAGOS), await mint(access, LAGOS)];
		await sql(
			"update addresses set created_at = 1000, updated_at = null where owner_id = (select owner_id from addresses where canonical = ?)",
			old,
		);
		const changedAt = Date.now();
		await sql("update addresses set updated_at = ? where canonical = ?", changedAt, fresh.canonical);
		await sql("update addresses set visibility = 'private' where canonical = ?", hidden.canonical);
		await sql("update addresses set retired_at = 1000 where canonical = ?", retired.canonical);
		const codes = [old, fresh.canonical, hidden.canonical, retired.canonical, "NG-0421-58212"];
		// The owner's own token, which shows the private one too.
		const ask = (updated_since: string) =>
			json<{ data: Item[] }>(post("/v1/public/addresses/batch", { codes, updated_since }, { token: access }));
		const { data } = await ask(new Date(changedAt + 1).toISOString());
		expect(data.map(({ status }) => status)).toEqual(["unchanged", "found", "found", "failed", "failed"]);
		expect(data[0]).toEqual({ code: old, status: "unchanged" });
		const before = await ask("1970-01-01T00:00:01+00:00");
		expect(before.data.map(({ status }) => status)).toEqual(["found", "found", "found", "failed", "failed"]);
		const refused = await problem(send({ codes, updated_since: "yesterday" }), 400, "INVALID_REQUEST");
		expect(refused.errors?.[0]?.path).toBe("updated_since");
	});

	it("takes 100 codes", async () => {
		expect((await json<{ data: Item[] }>(batch(Array(100).fill("NG")))).data).toHaveLength(100);
		const wellFormed = await json<{ data: Item[] }>(batch(Array(100).fill("NG-0421-58212")));
		expect(wellFormed.data.every(({ problem }) => problem?.status === 404)).toBe(true);
	});

	it.each<[string, unknown]>([
		["101", Array(101).fill("NG")],
		["a number", ["NG-0421-58212", 5]],
		["text", "NG-0421-58212"],
		["nothing", undefined],
	])("refuses %s", async (_, codes) => {
		await problem(batch(codes), 400, "INVALID_REQUEST");
	});

	it("refuses none, in the singular", async () => {
		const { errors } = await problem(batch([]), 400, "INVALID_REQUEST");
		expect(errors).toEqual([{ path: "codes", message: "Send at least 1 item." }]);
	});

	it("takes 64 KiB and no more", async () => {
		const body = (bytes: number) => JSON.stringify({ codes: ["NG"] }).padEnd(bytes, " ");
		await json(send(body(64 * 1024)));
		await problem(send(body(64 * 1024 + 1)), 413, "BODY_TOO_LARGE");
	});
});

describe("GET /v1/public/zones", () => {
	it("names the zone that minting uses, and mints nothing", async () => {
		const { access } = await signUp();
		const minted = await mint(access, LAGOS);
		const answer = await call(`/v1/public/zones?lat=${LAGOS.lat}&lng=${LAGOS.lng}`);
		expect(answer.headers.get("Cache-Control")).toMatch(/^public/);
		const zone = await json<Record<string, unknown> & { bounds: Record<string, number> }>(answer);
		expect(zone).toEqual({
			country: "NG",
			country_name: "Nigeria",
			zone: minted.zone,
			zone_name: minted.zone_name,
			region: minted.region,
			bounds: expect.any(Object),
			localities: expect.any(Array),
			nearest: { name: expect.any(String), distance_m: expect.any(Number), direction: expect.any(String) },
		});
		const { south = 0, west = 0, north = 0, east = 0 } = zone.bounds;
		expect(south <= LAGOS.lat && LAGOS.lat <= north && west <= LAGOS.lng && LAGOS.lng <= east).toBe(true);
		const etag = answer.headers.get("ETag") ?? "";
		const again = await call(`/v1/public/zones?lat=${LAGOS.lat}&lng=${LAGOS.lng}`, {
			headers: { "If-None-Match": etag },
		});
		expect(again.status).toBe(304);
		await json(call("/v1/public/zones?lat=9.05e0&lng=7.49"));
	});

	it("names each country as the runtime does", () => {
		const runtime = new Intl.DisplayNames(["en"], { type: "region" });
		const { countries } = readDirectory(new Uint8Array(env.TEST_ZONES));
		expect(countries.map((country) => countryName(country))).toEqual(countries.map((country) => runtime.of(country)));
		expect(Object.keys(COUNTRY_NAMES)).toEqual(countries);
	});

	it("answers 422 where no zone is", async () => {
		await problem(call("/v1/public/zones?lat=-45&lng=-20"), 422, "OUTSIDE_ZONES");
	});

	it.each([
		["", "lat"],
		["lat=6.5", "lng"],
		["lat=&lng=3", "lat"],
		["lat=%20&lng=3", "lat"],
		["lat=abc&lng=3", "lat"],
		["lat=1e400&lng=3", "lat"],
		["lat=0x10&lng=3", "lat"],
		["lat=6,5&lng=3", "lat"],
		["lat=NaN&lng=3", "lat"],
		["lat=Infinity&lng=3", "lat"],
		["lat=91&lng=3", "lat"],
		["lat=6&lng=180.01", "lng"],
		["lat=6&lat=7&lng=3", "lat"],
		["lat=6&lng=3&lon=3", "lon"],
	])("refuses ?%s by name", async (query, path) => {
		const { code, errors } = await json<{ code: string; errors: { path: string; message: string }[] }>(
			call(`/v1/public/zones?${query}`),
			400,
		);
		expect(code).toBe("INVALID_REQUEST");
		expect(errors.map((error) => error.path)).toContain(path);
		const told = { lat: "Send a number of degrees from -90 to 90.", lng: "Send a number of degrees from -180 to 180." };
		for (const { path, message } of errors) if (path === "lat" || path === "lng") expect(message).toBe(told[path]);
	});
});

describe("a page of another origin", () => {
	const Origin = "https://shop.example";

	it.each([
		"/v1/public/addresses/NG-0421-58212",
		"/v1/addresses",
		"/v1/addresses/NG042158212",
		"/v1/auth/login",
		"/v1/public/zones",
		"/v1/nothing",
	])("may ask whether it may call %s", async (path) => {
		const answer = await call(path, {
			method: "OPTIONS",
			headers: {
				Origin,
				"Access-Control-Request-Method": "PATCH",
				"Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
			},
		});
		expect(answer.status).toBe(204);
		expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
		expect(answer.headers.get("Access-Control-Allow-Methods")).toBe("GET,HEAD,POST,PUT,PATCH,DELETE");
		// What monitoring in a shop's page adds to every call is allowed too.
		const monitoring = ["traceparent", "sentry-trace", "baggage", "*"];
		for (const name of ["Authorization", "Content-Type", "Idempotency-Key", ...monitoring]) {
			expect(answer.headers.get("Access-Control-Allow-Headers")?.split(",")).toContain(name);
		}
		expect(answer.headers.has("Access-Control-Allow-Credentials")).toBe(false);
	});

	it.each([
		["/v1/public/zones?lat=6.5244&lng=3.3792", 200],
		["/v1/public/addresses/NG-0421-58213", 400],
		["/v1/addresses", 401],
		["/v1/public/addresses/NG-0421-58212", 404],
		["/v1/nothing", 404],
		["/v1/auth/login", 405],
	])("may read the answer of %s, %i", async (path, status) => {
		const answer = await call(path, { headers: { Origin } });
		expect(answer.status).toBe(status);
		expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
		// A wildcard, and not a name: no page can call with credentials.
		expect(answer.headers.get("Access-Control-Expose-Headers")).toBe("*");
		await answer.body?.cancel();
	});
});

describe("every answer of the API", () => {
	it.each([
		["/v1/public/zones?lat=6.5244&lng=3.3792", "cross-origin"],
		["/v1/public/addresses/NG-0421-58212", "same-origin"],
		["/v1/addresses", "same-origin"],
		["/healthz", "same-origin"],
	])("%s is data and never taken for a document", async (path, resourcePolicy) => {
		const { headers } = await call(path);
		expect(headers.get("Content-Type")).toMatch(/^application\/(problem\+)?json$/);
		expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
		expect(headers.get("Cross-Origin-Resource-Policy")).toBe(resourcePolicy);
		expect(headers.get("Strict-Transport-Security")).toBe("max-age=63072000; includeSubDomains");
	});

	it("has at most 480 bytes of headers where it resolves a code, with all that browsers and caches need", async () => {
		const { canonical } = await newOwner();
		for (let round = 0; round < 2; round += 1) {
			const { headers } = await call(`/v1/public/addresses/${canonical}`);
			const bytes = [...headers].reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
			expect(bytes).toBeLessThanOrEqual(480);
			for (const name of ["ETag", "Cache-Control", "Cache-Tag", "Vary", "Access-Control-Allow-Origin"]) {
				expect(headers.has(name), name).toBe(true);
			}
		}
	});

	it("can neither run scripts nor be framed nor set a base for links where it is an image, of the QR code of its page", async () => {
		const { canonical, display, qr_url, qr_svg_url } = await newOwner();
		expect([qr_url, qr_svg_url]).toEqual([`${ORIGIN}/a/${canonical}`, `${ORIGIN}/v1/addresses/${canonical}/qr.svg`]);
		for (let round = 0; round < 2; round += 1) {
			const answer = await call(`/v1/addresses/${canonical}/qr.svg`);
			const { headers } = answer;
			// test/unit/qr.test.ts reads such an image back with two decoders.
			expect(await answer.text()).toBe(qrSvg(qr_url, display));
			expect(headers.get("Content-Type")).toBe("image/svg+xml; charset=utf-8");
			expect(headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
			expect(headers.get("Content-Security-Policy")).toContain(
				"default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
			);
			expect(headers.get("X-Frame-Options")).toBe("DENY");
			expect(headers.get("Referrer-Policy")).toBe("no-referrer");
		}
	});

	it("sends Strict-Transport-Security over HTTPS only", async () => {
		const plain = await exports.default.fetch(new Request("http://127.0.0.1/healthz"));
		expect(plain.headers.has("Strict-Transport-Security")).toBe(false);
		await plain.body?.cancel();
	});
});

it("the demo address resolves in every registry, and nobody can change or retire it", async () => {
	expect(await json(call(`/v1/public/addresses/${DEMO_CODE}`))).toMatchObject({ canonical: DEMO_CODE, country: "NG" });
	const { access } = await signUp();
	for (const init of [{ method: "PATCH", body: { label: "Mine" } }, { method: "DELETE" }]) {
		await problem(call(`/v1/addresses/${DEMO_CODE}`, { ...init, token: access }), 403, "FORBIDDEN");
	}
});
