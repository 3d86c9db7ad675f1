import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { call, json } from "../support/client.ts";

afterEach(() => vi.restoreAllMocks());

it("a service whose parts all answer is ok, and says its version", async () => {
	expect(await json(call("/healthz"))).toEqual({
		status: "ok",
		version: env.VERSION?.id || "local",
		database: "ok",
		zone_index: "ok",
		zones: { edition: expect.any(Number), digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
	});
});

it("a service whose database does not answer says so, and goes on", async () => {
	const prepare = () => {
		throw new Error("D1 is away");
	};
	const health = await json(call("/healthz", { settings: { DB: new Proxy(env.DB, { get: () => prepare }) } }));
	expect(health).toMatchObject({ status: "degraded", database: "unavailable", zone_index: "ok" });
});

it("a service whose zone index does not answer says so, and goes on", async () => {
	const get = () => Promise.reject(new Error("R2 is away"));
	const head = () => Promise.reject(new Error("R2 is away"));
	const ZONES = { get, head } as unknown as R2Bucket;
	const health = await json(call("/healthz", { settings: { ZONES } }));
	expect(health).toMatchObject({ status: "degraded", database: "ok", zone_index: "unavailable" });
});
