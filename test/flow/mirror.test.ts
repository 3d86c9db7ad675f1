import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { tellClosings } from "../../src/addresses/settle-actions.ts";
import { continueSnapshot, SNAPSHOT_CRON } from "../../src/changes/snapshot.ts";
import worker from "../../src/index.ts";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { DAY } from "../../src/time/time.ts";
import { call, json, ORIGIN, patch, post, problem } from "../support/client.ts";
import { allOfSuite } from "../support/databases.ts";
import { runHour } from "../support/hour.ts";
import { linesOfPart, type Manifest, Mirror, pathOf } from "../support/mirror.ts";
import { acted, operate } from "../support/operators.ts";
import { AT_LAGOS, LAGOS, mint, newKey, PASSWORD, type SignedInUser, signUp, signUpAgent } from "../support/people.ts";
import { seededRandom } from "../support/random.ts";
import { testRegistry } from "../support/registry.ts";
import { sql, value } from "../support/sql.ts";

const reason = "Ticket 4711";
/** A snapshot of few addresses in several parts, which the source of the job makes, because the deployed one makes parts of thousands. */
const PART = 5;

let key: string;
beforeAll(async () => {
	const { id, key: made } = await newKey(await signUp());
	await acted(`keys/${id}/scopes`, { scopes: ["changes:read"], reason });
	key = made;
});

const ask = (path: string) => call(path, { token: key });

/** Goes on with the snapshot as the five-minute job does, which first tells the feed of accounts that were closed or opened. */
async function runJob(now = Date.now(), part = PART, parts?: number): Promise<boolean> {
	await tellClosings(testRegistry());
	return continueSnapshot(testRegistry({ now }), part, parts);
}

/** Makes the snapshot of the day of a time, part by part. Returns after how many runs. */
async function makeSnapshot(now = Date.now(), part = PART): Promise<number> {
	for (let runs = 1; ; runs += 1) if (await runJob(now, part, 1)) return runs;
}

const latest = () => json<Manifest>(ask("/v1/snapshots/latest"));

/** The lines of a part, as `asked` answered or as it answers now. */
const linesOf = async (part: Manifest["parts"][number], asked?: Response) =>
	linesOfPart(part, asked ?? (await ask(pathOf(part.url))));

const newMirror = () => new Mirror(ask, () => runJob());

/** Changes addresses in every way there is, one after the other, its own and those of nobody else. */
async function write(seed: number, rounds: number, agent: SignedInUser): Promise<void> {
	const draw = seededRandom(seed);
	const owner = await signUp();
	const own: string[] = [];
	/** Addresses that agents cannot see. */
	const withheld = new Set<string>();
	const change = (code: string, body: object) => patch(`/v1/addresses/${code}`, body, { token: owner.access });
	const acts = [
		(code: string) => change(code, { label: `Gate ${draw()}` }),
		(code: string) => change(code, { lat: LAGOS.lat + draw() / 10_000, lng: LAGOS.lng }),
		async (code: string) => {
			if (withheld.has(code)) return;
			const { updated_at } = await json(call(`/v1/addresses/${code}`, { token: agent.access }));
			const attestation = { level: 1, note: "", updated_at, ...AT_LAGOS };
			await json(post(`/v1/addresses/${code}/attestations`, attestation, { token: agent.access }), 201);
		},
		async (code: string) => {
			withheld.add(code);
			await (draw() < 0.5 ? change(code, { visibility: "private" }) : operate(`addresses/${code}/hide`, { reason }));
		},
		async (code: string) => {
			await change(code, { visibility: "public" });
			await operate(`addresses/${code}/show`, { reason });
			withheld.delete(code);
		},
		async (code: string) => {
			await call(`/v1/addresses/${code}`, { method: "DELETE", token: owner.access });
			own.splice(own.indexOf(code), 1);
			if (draw() < 0.5) await sql("update addresses set retired_at = 1 where canonical = ?", code);
		},
	];
	for (let round = 0; round < rounds; round += 1) {
		if (own.length < 2 || draw() < 0.3) own.push((await mint(owner.access, LAGOS)).canonical);
		const code = own[Math.floor(draw() * own.length)] ?? "";
		await acts[Math.floor(draw() * acts.length)]?.(code);
	}
	if (seed % 4 > 0) return;
	// Closes the account with its addresses, and sometimes comes back.
	await call("/v1/auth/me", { method: "DELETE", token: owner.access, body: { password: PASSWORD } });
	const credentials = { phone: owner.user.phone, password: PASSWORD };
	if (seed % 8 === 0) await post("/v1/auth/login", credentials);
}

it("a mirror that loads a snapshot and follows the feed equals a fresh snapshot, under 6 writers, and after a day away", async () => {
	const agent = await signUpAgent();
	await write(100, 10, agent);
	const writers = Array.from({ length: 6 }, (_, seed) => write(seed, 16, agent));
	let isWriting = true;
	const writing = Promise.all(writers).finally(() => (isWriting = false));
	// Awaited below; one that fails meanwhile ends the loop.
	writing.catch(() => {});
	expect(await makeSnapshot()).toBeGreaterThan(1);
	const [mirror, absent, fresh] = [newMirror(), newMirror(), newMirror()];
	await Promise.all([mirror.load(), absent.load()]);
	while (isWriting) {
		await mirror.follow();
		await runHour();
		await scheduler.wait(200);
	}
	await writing;
	await runHour();
	await tellClosings(testRegistry());
	for (const each of [mirror, absent]) await each.follow();
	await makeSnapshot(Date.now() + DAY);
	await fresh.load();
	expect(fresh.addresses.size).toBeGreaterThan(5);
	expect(mirror.text).toBe(fresh.text);
	expect(absent.text).toBe(fresh.text);
	expect([mirror.resets, absent.resets]).toEqual([0, 0]);
	const kinds = ["created", "changed", "moved", "verified", "hidden", "shown", "retired", "erased"];
	expect([...mirror.kinds].sort()).toEqual(kinds.sort());
});

describe("snapshots", () => {
	it("have no empty part at the end where all parts are full", async () => {
		const live = `select count(*) as live from addresses where retired_at is null and canonical < 'ZZ'
			and owner_id not in (select owner_id from closed_owners where closed_at is not null)`;
		let count = Number(await value(live));
		for (const { access } = await signUp(); count < 4 || count % 2 > 0; count += 1) await mint(access, LAGOS);
		// All of them lie in one database, and each other database adds an empty part.
		const others = allOfSuite.length - 1;
		expect(await makeSnapshot(Date.UTC(2029, 0, 1), count / 2)).toBe(2 + others);
		expect((await latest()).parts).toHaveLength(2 + others);
	});

	it("are made by the cron once a day, and go on after a run that failed", async () => {
		const at = (hours: number) => new Date(Date.UTC(2030, 0, 1, hours));
		// A run makes several parts, and each database has one.
		const run = async (hours: number, bindings = env) =>
			worker.scheduled(
				createScheduledController({ scheduledTime: at(hours), cron: SNAPSHOT_CRON }),
				bindings,
				createExecutionContext(),
			);
		await run(0);
		const first = await latest();
		expect(first).toMatchObject({ id: "20300101T000000Z", created_at: "2030-01-01T00:00:00.000Z" });
		await run(23);
		expect(await latest()).toEqual(first);
		const failing = new Proxy(env.ZONES, {
			get: (bucket, name) =>
				name === "put" ? () => Promise.reject(new Error("away")) : Reflect.get(bucket, name).bind(bucket),
		});
		await expect(run(24, { ...env, ZONES: failing })).rejects.toThrow();
		expect(await latest()).toEqual(first);
		await run(25);
		const second = await latest();
		expect(second.id).toBe("20300102T010000Z");
		// The files of the newest alone are served.
		for (const part of second.parts) await linesOf(part);
		const old = await problem(ask(first.parts[0]!.url.slice(ORIGIN.length)), 410, "FEED_RESET");
		expect(old).toMatchObject({ snapshot: `${ORIGIN}/v1/snapshots/latest` });
	});

	it("serve nothing from the moment on in which it is private, hidden, retired or erased, and are whole again after the next run", async () => {
		const holder = await signUp();
		const places = [0, 1, 2, 3, 4, 5].map((index) => ({ ...LAGOS, label: `Snapshot gate ${index}` }));
		const codes: string[] = [];
		for (const place of places) codes.push((await mint(holder.access, place)).canonical);
		const [hers, theirs, gone, forgotten, moved, stays] = codes as [string, string, string, string, string, string];
		const day = Date.UTC(2030, 5, 1);
		await makeSnapshot(day);
		/** What a reader gets of all parts, and how many parts are refused. */
		const served = async ({ parts }: Manifest) => {
			let [text, refused] = ["", 0];
			for (const part of parts) {
				const answer = await ask(part.url.slice(ORIGIN.length));
				if (answer.status === 200) text += (await linesOf(part)).join("\n");
				else {
					await problem(answer, 503, "SNAPSHOT_BEING_MADE");
					refused += 1;
				}
			}
			return { text, refused };
		};
		const before = await latest();
		expect((await served(before)).text).toContain("Snapshot gate 3");
		const change = (code: string, body: object) => patch(`/v1/addresses/${code}`, body, { token: holder.access });
		await change(hers, { visibility: "private" });
		await acted(`addresses/${theirs}/hide`, { reason });
		await call(`/v1/addresses/${gone}`, { method: "DELETE", token: holder.access });
		await call(`/v1/addresses/${forgotten}`, { method: "DELETE", token: holder.access });
		await cleanUp(env, Date.now() + 31 * DAY);
		await change(moved, { label: "Snapshot gate 4, moved" });
		const withheld = /Snapshot gate [0-3]/;
		const at = await served(before);
		expect(at.text).not.toMatch(withheld);
		expect(at.refused).toBeGreaterThan(0);
		await makeSnapshot(day + 600_000, PART);
		const after = await latest();
		expect(after.id).toBe(before.id);
		const whole = await served(after);
		expect(whole.refused).toBe(0);
		expect(whole.text).not.toMatch(withheld);
		for (const code of [moved, stays]) expect(whole.text).toContain(code);
		expect(after.count).toBe(before.count - 4);
		const names = new Set(after.parts.map(({ url }) => url));
		const replaced = before.parts.filter(({ url }) => !names.has(url));
		expect(replaced.length).toBe(at.refused);
		for (const { url } of replaced) await problem(ask(url.slice(ORIGIN.length)), 410, "FEED_RESET");
		// Neither does the bucket hold it any longer.
		const kept = (await env.ZONES.list({ prefix: "snapshots/203006" })).objects.map(({ key }) => key);
		for (const { url } of replaced) expect(kept).not.toContain(url.slice(`${ORIGIN}/v1/`.length));
	});

	it("are written anew ten parts in a run, and refuse the others until the next", async () => {
		const holder = await signUp();
		const codes: string[] = [];
		for (let count = 0; count < 12; count += 1) codes.push((await mint(holder.access, LAGOS)).canonical);
		const day = Date.UTC(2030, 6, 1);
		await makeSnapshot(day, 1);
		const refused = async () => {
			const { parts } = await latest();
			const answers = await Promise.all(parts.map(({ url }) => ask(url.slice(ORIGIN.length))));
			await Promise.all(answers.map((answer) => answer.arrayBuffer()));
			return answers.filter(({ status }) => status === 503).length;
		};
		for (const code of codes) await call(`/v1/addresses/${code}`, { method: "DELETE", token: holder.access });
		const { count } = await latest();
		expect(await refused()).toBe(12);
		for (const left of [2, 0]) {
			await makeSnapshot(day + 600_000);
			expect(await refused()).toBe(left);
		}
		expect((await latest()).count).toBe(count - 12);
	});

	it("of version 0.9.0, which do not say what their parts hold, are not served and made anew", async () => {
		const [head] = await sql<{ seq: number; at: number }>("select seq, at from changes order by seq desc limit 1");
		const part = { name: "0-8d969eef6eca.ndjson.gz", count: 1, bytes: 20, sha256: "8d969eef6eca".padEnd(64, "0") };
		const old = { id: "20300701T000000Z", startedAt: Date.UTC(2030, 6, 1), position: head, parts: [part] };
		await env.ZONES.put("snapshots/latest.json", JSON.stringify(old));
		await env.ZONES.put("snapshots/progress.json", JSON.stringify({ ...old, after: "NG" }));
		await env.ZONES.put(`snapshots/${old.id}/${part.name}`, "what 0.9.0 wrote");
		await problem(ask("/v1/snapshots/latest"), 503, "SNAPSHOT_BEING_MADE");
		await problem(ask(`/v1/snapshots/${old.id}/${part.name}`), 410, "FEED_RESET");
		await makeSnapshot(Date.UTC(2030, 6, 1, 1));
		const made = await latest();
		expect(made.id).toBe("20300701T010000Z");
		for (const each of made.parts) await linesOf(each);
	});

	it("begin anew where the one that was being made is older than any that is kept", async () => {
		const at = (days: number) => Date.UTC(2031, 0, 1 + days);
		expect(await continueSnapshot(testRegistry({ now: at(0) }), 2, 1)).toBe(false);
		await makeSnapshot(at(8));
		const { id, parts } = await latest();
		expect(id).toBe("20310109T000000Z");
		for (const part of parts) await linesOf(part);
	});

	it("are never those of a feed from before a restore", async () => {
		const { cursor, id, parts: before } = await latest();
		for (const database of allOfSuite)
			await database.batch([
				database.prepare("insert into changes (canonical, kind, at) values ('', 'reset', 1)"),
				database.prepare("delete from changes where seq < (select max(seq) from changes)"),
			]);
		await json(ask(`/v1/changes?after=${cursor}`), 410);
		// As many parts as the one before, eight in five minutes; whoever waits as long finds one.
		const waits = async () => {
			const answer = await ask("/v1/snapshots/latest");
			await problem(answer, 503, "SNAPSHOT_BEING_MADE");
			return Number(answer.headers.get("Retry-After"));
		};
		expect(await waits()).toBe(300 * Math.ceil(before.length / 8));
		await continueSnapshot(testRegistry({ now: Date.now() }), PART, 1);
		expect(await waits()).toBe(300 * Math.ceil((before.length - 1) / 8));
		await makeSnapshot();
		const made = await latest();
		expect(made.id).not.toBe(id);
		await ask(`/v1/changes?after=${made.cursor}`);
	});

	it("are for those alone whom an operator lets follow all addresses", async () => {
		const { access } = await signUp();
		const [part] = (await latest()).parts;
		for (const path of ["/v1/snapshots/latest", part!.url.slice(ORIGIN.length)]) {
			await json(call(path), 401);
			await problem(call(path, { token: access }), 403, "FORBIDDEN");
		}
		await problem(ask("/v1/snapshots/20300101T000000Z/0-8d969eef6eca.ndjson.gz"), 410, "FEED_RESET");
		for (const path of ["latest/world.zones", "..%2Fworld.zones/x"]) {
			await json(ask(`/v1/snapshots/${path}`), 404);
		}
	});
});
