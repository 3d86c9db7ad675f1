import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { HOUR } from "../../src/time/time.ts";
import { call, json } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { databasesThrough, isApart } from "../support/databases.ts";
import { sql } from "../support/sql.ts";

/** A database that no answer is remembered of. */
const afresh = () => databasesThrough((work) => work());

beforeEach(async () => {
	await sql("delete from journal_queue");
	await env.ZONES.delete("watch/last-run");
});

it("a service whose parts all answer is ok, and says its version", async () => {
	expect(await json(call("/healthz", { settings: afresh() }))).toEqual({
		status: "ok",
		version: env.VERSION?.id || "local",
		database: "ok",
		...(isApart ? { databases: { DB_KE: "ok", DB_NG_01234: "ok", DB_NG_56789: "ok" } } : {}),
		storage: "together",
		zone_index: "ok",
		hourly_job_age_seconds: null,
		journal_wait_seconds: null,
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

it("says how old the last run and the oldest change are that waits, and is degraded past three hours", async () => {
	const late = Date.now() - 4 * HOUR;
	const recent = Date.now() - HOUR;
	await env.ZONES.put("watch/last-run", String(recent));
	expect(await json(call("/healthz", { settings: afresh() }))).toMatchObject({
		status: "ok",
		journal_wait_seconds: null,
	});
	await json(call("/healthz?strict", { settings: afresh() }));
	await sql("insert into journal_queue (canonical, version, queued_at) values ('NG000000009', 1, ?)", late);
	const waiting = await json<{ journal_wait_seconds: number }>(call("/healthz", { settings: afresh() }));
	expect(waiting).toMatchObject({ status: "degraded", database: "ok" });
	expect(waiting.journal_wait_seconds).toBeGreaterThanOrEqual(4 * 3600);
	await sql("delete from journal_queue");
	await env.ZONES.put("watch/last-run", String(late));
	const dead = await json<{ hourly_job_age_seconds: number }>(call("/healthz", { settings: afresh() }));
	expect(dead.hourly_job_age_seconds).toBeGreaterThanOrEqual(4 * 3600);
	for (const strict of ["strict", "strict=", "strict=1", "strict=true"]) {
		const refused = await call(`/healthz?${strict}`, { settings: afresh() });
		expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "60"]);
	}
	await env.ZONES.delete("watch/last-run");
});
