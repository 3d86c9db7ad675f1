import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { call, json } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";

it("a service whose parts all answer is ok, and says its version", async () => {
	expect(await json(call("/healthz"))).toEqual({
		status: "ok",
		version: env.VERSION?.id || "local",
		database: "ok",
		zone_index: "ok",
		zones: { edition: expect.any(Number), digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
	});
});

const away = () => Promise.reject(new Error("away"));

it.each([
	["database", { DB: databaseThrough(away) }],
	["zone_index", { ZONES: { get: away, head: away } as unknown as R2Bucket }],
])("a service whose %s does not answer says so, and goes on", async (part, settings) => {
	const parts = { database: "ok", zone_index: "ok", [part]: "unavailable" };
	expect(await json(call("/healthz", { settings }))).toMatchObject({ status: "degraded", ...parts });
});
