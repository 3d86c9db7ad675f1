import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { codeOfSerial } from "../../src/codes/code.ts";
import { openDatabase } from "../../src/db/open.ts";
import worker from "../../src/index.ts";
import { countedZones, countOn, watch } from "../../src/jobs/watch.ts";
import { noteShortage } from "../../src/limits/suspicious.ts";
import { DAY, HOUR } from "../../src/time/time.ts";
import { call, json, post, settle } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { countOthers, forgetWatch, runHour } from "../support/hour.ts";
import { acted, OperatorVisitor } from "../support/operators.ts";
import { LAGOS, mint, newOwner } from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { sql, value } from "../support/sql.ts";
import { until } from "../support/until.ts";

interface Alert {
	path: string;
	incident: string;
	state: string;
	text: string;
	since: string;
	at: string;
}

/** What a real HTTP server got about an incident at a path (sms-gateway.ts). */
async function alertsAt(path: string, incident: string): Promise<Alert[]> {
	const sent = (await (await fetch(`${inject("smsGateway")}/sent`)).json()) as Alert[];
	return sent.filter((alert) => alert.path === path && alert.incident === incident);
}

const alertedAt = (path: string) => ({ ...env, ALERT_URL: `${inject("smsGateway")}${path}` });

interface Counted {
	name: string;
	count: number;
}
interface Figures {
	issued_today: Counted[];
	issued: { counted_at: string; countries: Counted[]; fullest_zones: Counted[] } | null;
	reports: { waiting: number; oldest_at: string | null };
	suspicious_today: Counted[];
	[name: string]: unknown;
}
const figures = () => acted<Figures>("figures");
const countOf = (counts: Counted[], name: string) => counts.find((row) => row.name === name)?.count ?? 0;

/** Burns so many codes that begin with a text. */
async function burn(prefix: string, digits: number, count: number): Promise<void> {
	await sql(
		`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)
		insert into burnt_codes (canonical) select ? || printf('%0${digits}d', n) from numbers`,
		count,
		prefix,
	);
}

beforeEach(async () => {
	const counted = ["reports", "failed_sign_ins", "daily_counts", "journal_queue"];
	for (const table of counted) await sql(`delete from ${table}`);
	// Every scheduled run leaves the first, those of other files too.
	await forgetWatch();
	await env.ZONES.delete("journal/verified-backup");
});
afterEach(() => {
	vi.restoreAllMocks();
});
afterAll(forgetWatch);

describe("the figures", () => {
	it("tell what was issued, what waits and what looks like an attack", async () => {
		const owner = await newOwner();
		const { canonical } = owner;
		const zone = canonical.slice(0, 6);
		const before = await figures();
		expect(before.issued).toBeNull();
		await mint(owner.access, LAGOS);
		await json(post(`/v1/public/addresses/${canonical}/reports`, { kind: "gone" }), 201);
		await post("/v1/auth/login", { phone: owner.user.phone, password: "a wrong one" });
		await runHour();
		const after = await figures();
		expect(countOf(after.issued_today, "NG") - countOf(before.issued_today, "NG")).toBe(1);
		// The example stands in each database, and is counted once.
		const issuedIn = async (prefix: string) =>
			new Set(
				(await sql("select canonical from addresses where canonical glob ?", `${prefix}*`)).map((it) => it.canonical),
			).size;
		const [issued, ofZone] = [await issuedIn("NG"), await issuedIn(zone)];
		expect(countOf(after.issued?.countries ?? [], "NG")).toBe(issued);
		expect(countOf(after.issued?.fullest_zones ?? [], zone)).toBe(ofZone);
		expect(after).toMatchObject({
			reports: { waiting: 1, oldest_at: expect.any(String) },
			failed_sign_ins: { count: 1, phones: 1 },
			unrecorded: 0,
			last_backup_at: null,
		});
		expect(after.database_bytes).toBeGreaterThan(100_000);
		const { text } = await new OperatorVisitor().open("/operate");
		expect(text).toMatch(new RegExp(`Nigeria \\d+ ${issued} `));
		expect(text).toMatch(new RegExp(`${zone} ${ofZone} 9,\\d+ `));
		expect(text).toContain("Failed sign-ins in the last day: 1. Phone numbers tried: 1.");
	});

	it("count an enumeration once it is logged", async () => {
		const headers = { "CF-Connecting-IP": "192.0.2.77" };
		for (let unit = 0; unit < 60; unit += 1) {
			const code = codeOfSerial("NG", "9998", unit);
			if (code) await call(`/v1/public/addresses/${code}`, { headers });
		}
		await settle();
		await until(async () => countOf((await figures()).suspicious_today, "enumeration") === 1);
	});
});

describe("an incident", () => {
	it("is told when it begins, once a day while it lasts, and when it ends", async () => {
		const bindings = alertedAt("/alerts-of-backups");
		const backup = Date.UTC(2026, 0, 1);
		await env.ZONES.put("journal/verified-backup", new Date(backup).toISOString());
		const log = vi.spyOn(console, "warn");
		await watch(bindings, backup + 34 * DAY);
		const begun = backup + 36 * DAY;
		for (const time of [0, HOUR, 23 * HOUR, 24 * HOUR, 25 * HOUR]) await watch(bindings, begun + time);
		await env.ZONES.put("journal/verified-backup", new Date(begun + 25 * HOUR).toISOString());
		for (const time of [26 * HOUR, 27 * HOUR]) await watch(bindings, begun + time);
		const alerts = await alertsAt("/alerts-of-backups", "backup_old");
		expect(alerts.map(({ state, since, at }) => [state, Date.parse(since) - begun, Date.parse(at) - begun])).toEqual([
			["begun", 0, 0],
			["lasting", 0, 24 * HOUR],
			["ended", 0, 26 * HOUR],
		]);
		expect(alerts.map(({ text }) => text)).toEqual([
			"https://registry.test: The last verified backup is 36 days old. What to do: https://registry.test/docs/guides/operate#watch-the-registry",
			expect.stringMatching(/ is 37 days old\. What to do: /),
			"https://registry.test: backup_old is over.",
		]);
		// The guide has a row for each incident.
		const guide = await (await call("/docs/guides/operate")).text();
		expect(guide).toMatch(/id="watch-the-registry"[\s\S]*<code>backup_old<\/code>/);
		expect(log.mock.calls.join()).toContain('"event":"incident","incident":"backup_old","state":"begun"');
	});

	it("is that no backup has been made, and that changes wait for the journal", async () => {
		const path = "/alerts-of-no-backup";
		const { canonical } = await newOwner();
		await sql("update journal_queue set queued_at = ?", Date.now());
		await watch(alertedAt(path), Date.now() + HOUR);
		expect(await alertsAt(path, "backup_missing")).toEqual([]);
		await sql(
			"insert into journal_queue (canonical, version, queued_at) values (?, 9, ?) on conflict (canonical) do update set queued_at = excluded.queued_at",
			canonical,
			Date.now(),
		);
		await watch(alertedAt(path), Date.now() + 36 * DAY);
		expect(await alertsAt(path, "backup_missing")).toMatchObject([
			{ state: "begun", text: expect.stringContaining("no backup has been made") },
		]);
		expect(await alertsAt(path, "journal_old")).toMatchObject([{ state: "begun" }]);
	});

	it("is an hourly job that does not run, which that of snapshots notices and the next run ends", async () => {
		const path = "/alerts-of-the-dead";
		const now = Date.now();
		const snapshots = (time: number) => {
			const controller = createScheduledController({ scheduledTime: new Date(time), cron: "*/5 * * * *" });
			return worker.scheduled(controller, alertedAt(path), createExecutionContext());
		};
		await snapshots(now);
		await watch(alertedAt(path), now);
		await snapshots(now + 2 * HOUR);
		expect(await alertsAt(path, "hourly_job_dead")).toEqual([]);
		for (const hours of [4, 5]) await snapshots(now + hours * HOUR);
		await watch(alertedAt(path), now + 6 * HOUR);
		const told = await alertsAt(path, "hourly_job_dead");
		expect(told.map(({ state }) => state)).toEqual(["begun", "ended"]);
	});

	it("is told again in the next hour where the receiver did not take it", async () => {
		const now = Date.UTC(2026, 0, 1);
		const log = vi.spyOn(console, "error");
		await watch(alertedAt("/alerts-of-jobs/500"), now, ["clean_up"]);
		expect(log.mock.calls.join()).toContain('"alert_not_sent"');
		expect(log.mock.calls.join()).not.toContain("alerts-of-jobs");
		await watch(alertedAt("/alerts-of-jobs"), now + HOUR, ["clean_up"]);
		await watch(alertedAt("/alerts-of-jobs"), now + 2 * HOUR, ["clean_up"]);
		expect(await alertsAt("/alerts-of-jobs", "hourly_job_failed")).toMatchObject([{ state: "begun" }]);
	});

	it("is told with its beginning after the receiver was away, also where it is over by then", async () => {
		const begun = Date.UTC(2026, 0, 1);
		const path = "/alerts-after-silence";
		await watch(alertedAt(`${path}/500`), begun, ["clean_up", "journal"]);
		await watch(alertedAt(path), begun + HOUR);
		await watch(alertedAt(`${path}/500`), begun + 2 * HOUR, ["journal"]);
		await watch(alertedAt(path), begun + 3 * HOUR, ["journal"]);
		const alerts = await alertsAt(path, "hourly_job_failed");
		expect(alerts.map(({ state, since }) => [state, (Date.parse(since) - begun) / HOUR])).toEqual([
			["ended", 0],
			["begun", 2],
		]);
	});

	it("is told while the database does not answer, and those that cannot be judged then go on", async () => {
		const path = "/alerts-of-an-outage";
		const begun = Date.UTC(2026, 0, 1);
		const runAt = (time: number, settings: object = {}) => {
			const controller = createScheduledController({ scheduledTime: new Date(time), cron: "40 * * * *" });
			return worker.scheduled(controller, { ...alertedAt(path), ...settings }, createExecutionContext());
		};
		await env.ZONES.put("journal/verified-backup", new Date(begun - 36 * DAY).toISOString());
		await runAt(begun);
		const DB = databaseThrough(() => Promise.reject(new Error("D1 is away")));
		await expect(runAt(begun + HOUR, { DB })).rejects.toThrow();
		await runAt(begun + 2 * HOUR);
		const failed = await alertsAt(path, "hourly_job_failed");
		expect(failed.map(({ state, at }) => [state, Date.parse(at) - begun])).toEqual([
			["begun", HOUR],
			["ended", 2 * HOUR],
		]);
		expect(await alertsAt(path, "backup_old")).toMatchObject([{ state: "begun" }]);
	});

	it("is told once where two runs begin at the same moment", async () => {
		const path = "/alerts-of-two-runs";
		const now = Date.UTC(2026, 0, 1);
		await env.ZONES.put("journal/verified-backup", new Date(now - 36 * DAY).toISOString());
		for (const hours of [0, 24]) {
			const runs = [1, 2].map(() => watch(alertedAt(path), now + hours * HOUR));
			await Promise.all(runs);
		}
		expect(await alertsAt(path, "backup_old")).toMatchObject([{ state: "begun" }, { state: "lasting" }]);
	});

	it("is a report that waits for days, and a zone that fills, each told once", async () => {
		const { canonical } = await newOwner();
		await json(post(`/v1/public/addresses/${canonical}/reports`, { kind: "gone" }), 201);
		await burn("GH0002", 5, 8_200);
		await countOthers();
		for (const days of [4, 4.5]) await watch(alertedAt("/alerts-of-reports"), Date.now() + days * DAY);
		const told = async (incident: string) => (await alertsAt("/alerts-of-reports", incident)).map(({ text }) => text);
		expect(await told("reports_waiting")).toEqual([expect.stringContaining("the oldest for 4 days")]);
		expect(await told("zones_filling")).toEqual([expect.stringMatching(/Zones have become 90 % full: .*GH0002/)]);
	});

	it.each([
		["zone_full", ["NG0421", "NG0002"], "are full: NG0002, NG0421."],
		["country_filling", ["KE"], "80 % or more of their additional zone numbers: KE."],
	] as const)("is %s, told once a day, and over the day after the next", async (incident, places, said) => {
		const path = `/alerts-of-${incident}`;
		const noon = Math.floor(Date.now() / DAY) * DAY + 12 * HOUR;
		const counted: Promise<unknown>[] = [];
		const registry = testRegistry({ now: noon, afterAnswer: (counting) => void counted.push(counting) });
		for (const place of [...places, ...places]) noteShortage(registry, incident, place);
		await Promise.all(counted);
		for (const hours of [0, 1, 23, 24, 35, 36, 37]) await watch(alertedAt(path), noon + hours * HOUR);
		expect(await alertsAt(path, incident)).toMatchObject([
			{ state: "begun", text: expect.stringContaining(said), at: new Date(noon).toISOString() },
			{ state: "lasting", at: new Date(noon + DAY).toISOString() },
			{ state: "ended", at: new Date(noon + 36 * HOUR).toISOString() },
		]);
		expect((await figures()).suspicious_today).toEqual([]);
	});
});

it("the count of requests holds route, status, country, error and time, and nothing that a caller typed", async () => {
	const points: AnalyticsEngineDataPoint[] = [];
	// The platform's local dataset drops every point, so this one has its shape and keeps them.
	const METRICS = { writeDataPoint: (point?: AnalyticsEngineDataPoint) => void (point && points.push(point)) };
	const settings = { METRICS };
	await call("/v1/public/addresses/NG-0421-58212?share=secret", { settings });
	await call("/v1/no-such-path", { settings });
	await call("/a/NG042158213/print", { settings });
	await call("/", { settings });
	const time = expect.any(Number);
	const pointOf = (route: string, status: number, code = "") => ({
		indexes: [route],
		blobs: [`GET ${route}`, "", code],
		doubles: [status, time],
	});
	expect(points).toEqual([
		pointOf("/v1/public/addresses/:code", 404, "ADDRESS_NOT_FOUND"),
		pointOf("none", 404),
		pointOf("/a/:code/print", 400, "BAD_CHECK_DIGIT"),
		pointOf("/", 200),
	]);
});

// The last, because burnt codes stay.
it("what was issued is counted on where a run has stopped, burnt codes too", async () => {
	await burn("GH", 9, 150_000);
	const now = Date.now();
	await countOthers(now + HOUR);
	await countOn(env, now, openDatabase(env), 1);
	expect((await countedZones(env)).at).toBeNull();
	await watch(env, now + HOUR);
	const { issued } = await figures();
	expect(issued).toMatchObject({ counted_at: new Date(now + HOUR).toISOString() });
	const burnt = await value("select count(*) from burnt_codes where canonical glob 'GH*'");
	expect(countOf(issued?.countries ?? [], "GH")).toBe(burnt);
});
