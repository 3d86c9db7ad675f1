/** Whether databases and bucket prove that they belong together in time, by the job of every five minutes. */
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, inject, it } from "vitest";
import { SNAPSHOT_CRON } from "../../src/changes/snapshot.ts";
import type { Bindings } from "../../src/env.ts";
import { watch, watchMeanwhile } from "../../src/jobs/watch.ts";
import { checkAllTogether } from "../../src/journal/maintain.ts";
import { DAY, MINUTE } from "../../src/time/time.ts";
import { asked, call, json, post } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { allDatabases, databasesApart, databasesThrough, isApart, several } from "../support/databases.ts";
import { forgetWatch, runHour } from "../support/hour.ts";
import { newOwner } from "../support/people.ts";
import { sql, value } from "../support/sql.ts";

const bindings = env as unknown as Bindings;
/** The database of Lagos, where the suite runs over several. */
const LAGOS_DATABASE = isApart ? "DB_NG_01234" : "DB";
const DATABASE = (isApart ? databasesApart.DB_NG_01234 : env.DB) as D1Database;
const OBJECT = `journal/checkpoints/${LAGOS_DATABASE}`;

/** One run of the job. Returns what it finds wrong. */
const run = async (of: Partial<Bindings> = {}) => Object.fromEntries(await checkAllTogether({ ...bindings, ...of }));

interface Row {
	checkpoint: number | null;
	checkpoint_mark: string | null;
	incident: string | null;
}
const rowOf = (database = DATABASE) =>
	database.prepare("select checkpoint, checkpoint_mark, incident from registry_identity").first<Row>();

/** Takes a database back to an earlier row, as Time Travel does by hand. */
const rollBack = ({ checkpoint, checkpoint_mark: mark }: Row, database = DATABASE) =>
	database
		.prepare("update registry_identity set checkpoint = ?, checkpoint_mark = ?, incident = null, incident_since = null")
		.bind(checkpoint, mark)
		.run();

const inBucket = async () => (await env.ZONES.get(OBJECT))?.text();

async function forget(): Promise<void> {
	for (const database of allDatabases)
		await rollBack({ checkpoint: null, checkpoint_mark: null, incident: null }, database);
	const { objects } = await env.ZONES.list({ prefix: "journal/checkpoints/" });
	await env.ZONES.delete(objects.map(({ key }) => key));
}

beforeEach(async () => {
	await forget();
	await sql("delete from journal_queue");
});
afterAll(forget);

const health = async (path = "/healthz") => call(path, { settings: databasesThrough((work) => work()) });
const behind = { [LAGOS_DATABASE]: "database_behind" };
const bucketBehind = { [LAGOS_DATABASE]: "bucket_behind" };

describe("no incident is", () => {
	it("the first run after an upgrade, and each run that follows", async () => {
		for (let count = 1; count < 5; count += 1) {
			expect(await run()).toEqual({});
			expect(await rowOf()).toMatchObject({ checkpoint: count, incident: null });
		}
		expect(await json(health())).toMatchObject({ status: "ok", storage: "together" });
	});

	it("a run of the scheduled job, and one every minute", async () => {
		const hour = 1_800_000_000_000;
		for (let minute = 0; minute < 7; minute += 1)
			await asked().scheduled({ scheduledTime: new Date(hour + minute * MINUTE) as never, cron: SNAPSHOT_CRON });
		expect(await rowOf()).toMatchObject({ checkpoint: 2, incident: null });
	});

	const failing = (isDone: boolean) => {
		let isFailing = true;
		const through = (work: () => Promise<unknown>, [query = ""]: string[]) => {
			if (!isFailing || !/update "registry_identity"/.test(query)) return work();
			isFailing = false;
			const lost = () => Promise.reject(new Error("the Worker ended"));
			return isDone ? work().then(lost) : lost();
		};
		return { [LAGOS_DATABASE]: databaseThrough(through as never, DATABASE) } as Partial<Bindings>;
	};

	it.each([
		["before the first checkpoint", 0],
		["later", 2],
	])("a crash between the two writes, or after both: %s", async (_, before) => {
		for (let count = 0; count < before; count += 1) await run();
		for (const isDone of [false, true]) {
			const { checkpoint } = (await rowOf())!;
			expect(await run(failing(isDone))).toEqual({});
			expect((await rowOf())?.checkpoint ?? 0).toBe((checkpoint ?? 0) + Number(isDone));
			expect(await run()).toEqual({});
			expect(await run()).toEqual({});
		}
		expect(await rowOf()).toMatchObject({ incident: null });
	});

	it("a bucket that refuses to be written", async () => {
		await run();
		const put = () => Promise.reject(new Error("R2 is away"));
		const refusing = new Proxy(env.ZONES, {
			get: (target, name) => (name === "put" ? put : Reflect.get(target, name).bind(target)),
		});
		expect(await run({ ZONES: refusing })).toEqual({});
		expect(await run()).toEqual({});
		expect(await rowOf()).toMatchObject({ checkpoint: 2, incident: null });
	});

	it("any number of runs at once", async () => {
		for (let round = 0; round < 8; round += 1) {
			const found = await Promise.all(Array.from({ length: 5 }, () => run()));
			expect(found).toEqual(found.map(() => ({})));
		}
		expect(await run()).toEqual({});
		expect(await rowOf()).toMatchObject({ incident: null });
	});
});

describe("a database that is rolled back by hand", () => {
	/** The state of five runs ago. */
	async function older(): Promise<Row> {
		await run();
		const before = (await rowOf())!;
		for (let count = 0; count < 5; count += 1) await run();
		return before;
	}

	it("is found by the next run, refuses new addresses, and stays found until it is put right", async () => {
		const owner = await newOwner();
		const before = await older();
		const last = (await rowOf())!;
		await rollBack(before);
		for (let count = 0; count < 10; count += 1) expect(await run()).toEqual(behind);
		expect(await json(health())).toMatchObject({ status: "degraded", storage: "database_behind" });
		expect((await health("/healthz?strict")).status).toBe(503);
		const body = { lat: 6.5244, lng: 3.3792 };
		expect((await post("/v1/addresses", body, { token: owner.access })).status).toBe(503);
		expect((await call(`/v1/public/addresses/${owner.canonical}`)).status).toBe(200);
		await rollBack(last);
		expect(await run()).toEqual({});
		expect((await health("/healthz?strict")).status).toBe(200);
		expect((await post("/v1/addresses", body, { token: owner.access })).status).toBe(201);
	});

	it("is found to before its first checkpoint, as it is where it was made anew", async () => {
		await older();
		await rollBack({ checkpoint: null, checkpoint_mark: null, incident: null });
		expect(await run()).toEqual(behind);
	});

	it.each([
		["fewer", -1],
		["as many", 0],
		["more", 1],
	])("is found if it has had %s checkpoints than the bucket by other ways since", async (_, beyond) => {
		await older();
		const { checkpoint } = (await rowOf())!;
		await rollBack({ checkpoint: checkpoint! + beyond, checkpoint_mark: "another history", incident: null });
		expect(await run()).toEqual(beyond > 0 ? bucketBehind : behind);
	});

	it("is told at once, once a day while it lasts, and when it is over", async () => {
		const path = "/alerts/rolled-back";
		const alerts = async () => {
			const sent = (await (await fetch(`${inject("smsGateway")}/sent`)).json()) as Record<string, string>[];
			return sent.filter((alert) => alert.path === path && alert.incident === "database_behind");
		};
		const settings = { ...bindings, ALERT_URL: `${inject("smsGateway")}${path}` };
		await forgetWatch();
		const before = await older();
		const last = (await rowOf())!;
		await rollBack(before);
		const now = Date.now();
		for (const time of [now, now + 5 * MINUTE, now + DAY + MINUTE])
			await watchMeanwhile(settings, time, await checkAllTogether(settings));
		expect((await alerts()).map(({ state }) => state)).toEqual(["begun", "lasting"]);
		expect((await alerts())[0]?.text).toContain(`a restore: ${LAGOS_DATABASE}.`);
		await watch(settings, now + DAY + 2 * MINUTE);
		expect(await alerts()).toHaveLength(2);
		await rollBack(last);
		await run();
		await watch(settings, now + DAY + 3 * MINUTE);
		expect((await alerts()).map(({ state }) => state)).toEqual(["begun", "lasting", "ended"]);
		await forgetWatch();
	});

	it("erases nothing, because what it says of retired addresses and closed accounts is no longer true", async () => {
		const { canonical } = await newOwner();
		const before = await older();
		await sql("update addresses set retired_at = 5 where canonical = ?", canonical);
		const last = (await rowOf())!;
		await rollBack(before);
		await runHour();
		expect(await value("select count(*) from addresses where canonical = ?", canonical)).toBe(1);
		await rollBack(last);
		await run();
		await runHour();
		expect(await value("select count(*) from addresses where canonical = ?", canonical)).toBe(0);
	});

	it("keeps what waits for the journal, and takes none of the newer entries away", async () => {
		const { access: token, canonical } = await newOwner();
		const before = await older();
		await rollBack(before);
		await run();
		const entry = await env.ZONES.head(`issued-codes/${canonical}`);
		const changed = await call(`/v1/addresses/${canonical}`, { method: "PATCH", token, body: { label: "since" } });
		expect(changed.status).toBe(200);
		await asked().scheduled({ scheduledTime: new Date(Date.now() + MINUTE) as never, cron: "40 * * * *" });
		expect(await sql("select canonical from journal_queue where canonical = ?", canonical)).toEqual([{ canonical }]);
		expect((await env.ZONES.head(`issued-codes/${canonical}`))?.etag).toBe(entry?.etag);
	});
});

describe("a bucket is found", () => {
	it.each<[string, (older: string) => Promise<unknown>]>([
		["lost or new", () => env.ZONES.delete(OBJECT)],
		["put back as an older copy", (older) => env.ZONES.put(OBJECT, older)],
		["that says nothing", () => env.ZONES.put(OBJECT, "{}")],
	])("%s, and stays so", async (_, replace) => {
		await run();
		const older = (await inBucket())!;
		for (let count = 0; count < 3; count += 1) await run();
		await replace(older);
		for (let count = 0; count < 5; count += 1) expect(await run()).toEqual(bucketBehind);
		expect(await json(health())).toMatchObject({ status: "degraded", storage: "bucket_behind" });
		const { access } = await newOwner();
		expect((await post("/v1/addresses", { lat: 6.5244, lng: 3.3792 }, { token: access })).status).toBe(201);
	});
});

it("each of several databases proves it by itself", async () => {
	for (let count = 0; count < 3; count += 1) expect(await run(several)).toEqual({});
	const kenya = databasesApart.DB_KE!;
	const before = (await rowOf(kenya))!;
	for (let count = 0; count < 3; count += 1) await run(several);
	await rollBack(before, kenya);
	await env.ZONES.delete("journal/checkpoints/DB_NG_56789");
	const accounts = (await rowOf(env.DB))!;
	expect(await run(several)).toEqual({ DB_KE: "database_behind", DB_NG_56789: "bucket_behind" });
	expect((await rowOf(env.DB))?.checkpoint).toBe(accounts.checkpoint! + 1);
});

it("a database that does not answer holds none of the others up", async () => {
	await run(several);
	const away = () => Promise.reject(new Error("away"));
	expect(await run({ ...several, DB_KE: databaseThrough(away) } as Partial<Bindings>)).toEqual({});
	expect(await rowOf(databasesApart.DB_NG_56789)).toMatchObject({ checkpoint: 2 });
	expect(await rowOf(databasesApart.DB_KE)).toMatchObject({ checkpoint: 1 });
});
