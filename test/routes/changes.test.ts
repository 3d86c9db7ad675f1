import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { isWithheld } from "../../src/addresses/retired-or-withheld.ts";
import { tellClosings } from "../../src/addresses/settle-actions.ts";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { CHANGES_RETENTION } from "../../src/settings/retention.ts";
import { DAY } from "../../src/time/time.ts";
import { call, json, ORIGIN, patch, post, problem } from "../support/client.ts";
import { databaseOf } from "../support/databases.ts";
import { inOneMinute } from "../support/minute.ts";
import { acted } from "../support/operators.ts";
import {
	AT_LAGOS,
	LAGOS,
	mint,
	newKey,
	newOwner,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { sql, value } from "../support/sql.ts";

/** A line of the feed. */
interface Change {
	cursor: string;
	kind: string;
	code: string;
	at: string;
	address: { updated_at: string; lat: number; label: string } | null;
	successor: string | null;
}

const reason = "Ticket 4711";

let owner: SignedInUser;
let follower: string;

beforeAll(async () => {
	owner = await signUp();
	const { id, key } = await newKey(await signUp());
	await acted(`keys/${id}/scopes`, { scopes: ["addresses:read", "changes:read"], reason });
	follower = key;
});

const ask = (query = "", credential = follower) => call(`/v1/changes${query}`, { token: credential });

/** A page of the feed. */
async function read(after: string | undefined, { query = "", credential = follower } = {}) {
	const answer = await ask(`?${new URLSearchParams(after ? { after } : {})}${query}`, credential);
	const text = await answer.text();
	expect(answer.status, text).toBe(200);
	const lines = text.split("\n").slice(0, -1);
	const changes = lines.map((line) => JSON.parse(line) as Change);
	return { changes, cursor: answer.headers.get("Next-Cursor") ?? "", link: answer.headers.get("Link") };
}

/** What the feed tells of what is done meanwhile. */
async function told(work: () => Promise<unknown>, options = {}): Promise<Change[]> {
	const { cursor } = await read(undefined);
	await work();
	return (await read(cursor, options)).changes;
}

const change = (canonical: string, body: object) =>
	json(patch(`/v1/addresses/${canonical}`, body, { token: owner.access }));

const publicView = (canonical: string) => json(call(`/v1/public/addresses/${canonical}`));

const kinds = (changes: Change[]) => changes.map(({ kind }) => kind);

describe("the feed of changes", () => {
	it("tells in order what readers see happen to an address, with its record as it is now", async () => {
		const agent = await signUpAgent();
		const { canonical: code } = await mint(owner.access, LAGOS);
		const record = () => json<{ updated_at: string }>(call(`/v1/addresses/${code}`, { token: agent.access }));
		const attestation = { level: 2, note: "", ...AT_LAGOS };
		const unit = { method: "PUT", token: owner.access, body: { label: "" } };
		const acts: [kind: string | undefined, act: () => Promise<unknown>][] = [
			["changed", () => change(code, { label: "Green gate" })],
			["changed", () => call(`/v1/addresses/${code}/units/3B`, unit)],
			["moved", () => change(code, { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng })],
			[
				"verified",
				async () => {
					const { updated_at } = await record();
					const visit = { ...attestation, updated_at };
					await post(`/v1/addresses/${code}/attestations`, visit, { token: agent.access });
				},
			],
			[undefined, () => call(`/v1/addresses/${code}/share`, { method: "DELETE", token: owner.access })],
			["hidden", () => acted(`addresses/${code}/hide`, { reason })],
			["shown", () => acted(`addresses/${code}/show`, { reason })],
		];
		let [{ cursor }, before] = [await read(undefined), (await record()).updated_at];
		for (const [kind, act] of acts) {
			await act();
			const page = await read(cursor);
			expect(kinds(page.changes)).toEqual(kind ? [kind] : []);
			cursor = page.cursor;
			if (kind === "hidden") continue;
			const now = await record();
			if (kind) expect(page.changes).toMatchObject([{ code, address: await publicView(code), successor: null }]);
			expect(now.updated_at > before, kind).toBe(kind !== undefined);
			before = now.updated_at;
		}
		// Earlier changes are told with what is there now.
		const all = await read(undefined);
		const ofCode = all.changes.filter((change) => change.code === code);
		expect(kinds(ofCode)).toEqual(["created", ...acts.flatMap(([kind]) => kind ?? [])]);
		for (const { address } of ofCode) expect(address).toEqual(await publicView(code));
		expect(new Set(all.changes.map(({ cursor }) => cursor)).size).toBe(all.changes.length);
	});

	it("names what is retired, with its successor, and what is erased, without anything of it", async () => {
		const [old, next] = [await mint(owner.access, LAGOS), await mint(owner.access, LAGOS)];
		const { cursor } = await read(undefined);
		const body = { successor: next.canonical };
		await call(`/v1/addresses/${old.canonical}`, { method: "DELETE", token: owner.access, body });
		const gone = { code: old.canonical, address: null, successor: next.canonical };
		expect((await read(cursor)).changes).toMatchObject([{ kind: "retired", ...gone }]);
		await sql("update addresses set retired_at = 1 where canonical = ?", old.canonical);
		await cleanUp(env, Date.now());
		expect((await read(cursor)).changes).toMatchObject([
			{ kind: "retired", ...gone },
			{ kind: "erased", ...gone },
		]);
	});

	it("says of a private address that it is hidden, and nothing of what happens to it meanwhile", async () => {
		let code = "";
		const changes = await told(async () => {
			code = (await mint(owner.access, { ...LAGOS, label: "Quietwater" })).canonical;
			await change(code, { visibility: "private" });
			await change(code, { label: "Quietwater door" });
			await mint(owner.access, { ...LAGOS, visibility: "private" });
		});
		expect(changes).toMatchObject([{ kind: "hidden", code, address: null }]);
		expect(kinds(await told(() => change(code, { visibility: "public" })))).toEqual(["shown"]);
	});

	it("tells that an address goes and comes back just when the judge of readers says so", async () => {
		const { canonical } = await mint(owner.access, LAGOS);
		const set = (hiddenAt: number | null, visibility: string) =>
			sql(
				"update addresses set hidden_at = ?, visibility = ?, version = version + 1 where canonical = ?",
				...[hiddenAt, visibility, canonical],
			);
		const states = ([null, 1] as const).flatMap((hiddenAt) =>
			(["public", "private"] as const).map((visibility) => ({ hiddenAt, visibility })),
		);
		for (const before of states) {
			for (const after of states) {
				await set(before.hiddenAt, before.visibility);
				await set(after.hiddenAt, after.visibility);
				const kind = await value("select kind from changes where canonical = ? order by seq desc limit 1", canonical);
				const [was, is] = [isWithheld(before), isWithheld(after)];
				expect(kind, JSON.stringify({ before, after })).toBe(was === is ? "changed" : is ? "hidden" : "shown");
			}
		}
	});

	it("follows accounts that close and open again", async () => {
		const holder = await newOwner();
		const { canonical: code } = holder;
		const closed = await told(async () => {
			await json(call("/v1/auth/me", { method: "DELETE", token: holder.access, body: { password: PASSWORD } }), 202);
			await tellClosings(testRegistry());
		});
		expect(closed).toMatchObject([{ kind: "retired", code, address: null }]);
		const opened = await told(async () => {
			const credentials = { phone: holder.user.phone, password: PASSWORD };
			await json(post("/v1/auth/login", credentials));
			await tellClosings(testRegistry());
		});
		expect(opened).toMatchObject([{ kind: "shown", code }]);
		expect(Date.parse(opened[0]?.address?.updated_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
	});

	it("never tells of sandbox addresses", async () => {
		const { key } = await newKey(owner, { mode: "test", scopes: ["addresses:read", "addresses:write"] });
		const write = (path: string, method: string, body?: object) => call(path, { token: key, method, body });
		const changes = await told(async () => {
			const { canonical } = await json<{ canonical: string }>(write("/v1/addresses", "POST", LAGOS), 201);
			await write(`/v1/addresses/${canonical}`, "PATCH", { label: "Gate" });
			await write(`/v1/addresses/${canonical}`, "DELETE");
			await sql("update addresses set created_at = 1 where canonical = ?", canonical);
			await cleanUp(env, Date.now());
		});
		expect(changes).toEqual([]);
	});

	it("gives anyone the changes of their own addresses alone, private ones whole", async () => {
		const { key: writing } = await newKey(owner, { scopes: ["addresses:write"] });
		const { key: reading } = await newKey(owner);
		for (const credential of [writing, owner.access, reading]) {
			let code = "";
			const own = await told(
				async () => {
					await mint((await signUp()).access, LAGOS);
					code = (await mint(owner.access, { ...LAGOS, label: "Mine", visibility: "private" })).canonical;
				},
				{ query: "&mine=1", credential },
			);
			// A key that only reads learns that it was created, and nothing of where it is.
			const address = credential === reading ? null : { label: "Mine" };
			expect(own).toMatchObject([{ kind: "created", code, address }]);
			await problem(ask("", credential), 403, "FORBIDDEN");
		}
		await json(call("/v1/changes?mine=1"), 401);
	});

	it("comes in pages, each of which says where to go on, and whether at once", async () => {
		const { cursor } = await read(undefined);
		const codes = [];
		for (let count = 0; count < 5; count += 1) codes.push((await mint(owner.access, LAGOS)).canonical);
		const seen: string[] = [];
		let page = await read(cursor, { query: "&limit=2" });
		for (let pages = 1; ; pages += 1) {
			seen.push(...page.changes.map(({ code }) => code));
			if (!page.link) break;
			expect(page.link).toBe(
				`<${ORIGIN}/v1/changes?${new URLSearchParams({ after: page.cursor, limit: "2" })}>; rel="next"`,
			);
			expect(page.cursor).toBe(page.changes.at(-1)?.cursor);
			expect(pages).toBeLessThan(4);
			page = await read(page.cursor, { query: "&limit=2" });
		}
		expect(seen).toEqual(codes);
		expect(await read(page.cursor)).toEqual({ changes: [], cursor: page.cursor, link: null });
	});

	it.each([
		["gzip", "gzip"],
		["br, GZIP ; q=0.5", "gzip"],
		["gzip;q=0.01, *;q=0", "gzip"],
		["", null],
		["gzip;q=0, br", null],
		["br, gzip ; Q=0.000", null],
		["identity, *;q=0", null],
	])(
		"is compressed for a client that accepts %j, whatever the platform asks for",
		async (clientAcceptEncoding, encoding) => {
			const init = { token: follower, headers: { "Accept-Encoding": "br, gzip" }, cf: { clientAcceptEncoding } };
			const answer = await call("/v1/changes", init);
			expect(answer.headers.get("Content-Encoding")).toBe(encoding);
			await answer.arrayBuffer();
			const { headers } = await call(`/v1/changes?after=${answer.headers.get("Next-Cursor")}`, init);
			expect(headers.get("Content-Encoding")).toBeNull();
		},
	);

	it("is read so many pages a minute", async () => {
		// The platform's smallest limit, of three, in the place of sixty.
		const settings = { PER_MINUTE_60: env.THREE_A_MINUTE };
		const { access: token } = await signUp();
		const read = async () => (await call("/v1/changes?limit=1&mine=1", { token, settings })).status;
		expect(await inOneMinute(async () => [await read(), await read(), await read(), await read()])).toEqual([
			200, 200, 200, 429,
		]);
	});

	it("refuses what is no cursor, and sends a reader to the snapshot whose cursor it does not know", async () => {
		for (const after of ["x", "NG", btoa("1"), btoa("-1.1"), btoa("1.x"), "1".repeat(65)]) {
			expect(await json(ask(`?${new URLSearchParams({ after })}`), 400)).toMatchObject({ errors: [{ path: "after" }] });
		}
		for (const query of ["?limit=0", "?limit=1001", "?mine=0", "?since=1"]) await json(ask(query), 400);
		const reset = { code: "FEED_RESET", snapshot: `${ORIGIN}/v1/snapshots/latest` };
		const { cursor } = await read(undefined);
		const [own = "", ...others] = atob(cursor).split(" ");
		const [seq, at] = own.split(".").map(Number);
		for (const other of [`${seq}.${at! + 1}`, `${seq! + 1_000}.${at}`, `0.${at! - 1}`]) {
			const query = `?after=${btoa([other, ...others].join(" ")).replace(/=+$/, "")}`;
			expect(await json(ask(query), 410)).toMatchObject(reset);
			const ofOwn = await problem(ask(`${query}&mine=1`, owner.access), 410, "FEED_RESET");
			expect(ofOwn).toMatchObject({ detail: expect.stringContaining("GET /v1/addresses") });
			expect(ofOwn).not.toHaveProperty("snapshot");
		}
	});

	it("forgets changes after 35 days, but not where a reader stands who has read them all", async () => {
		const { cursor: old } = await read(undefined, { query: "&limit=1" });
		// The database's own clock, which wrote them, may be ahead of the test's (test/support/clock.ts).
		await sql("update changes set at = at - ?", CHANGES_RETENTION + DAY);
		const { cursor: newest } = await read(undefined);
		await cleanUp(env, Date.now());
		const { canonical: codeOfLagos } = await mint(owner.access, LAGOS);
		await cleanUp(env, Date.now());
		// In another database, nothing is newer than those.
		const home = databaseOf("NG", codeOfLagos.slice(2));
		const ofHome = (await read(undefined)).changes.filter(
			({ code }) => databaseOf(code.slice(0, 2), code.slice(2)) === home,
		);
		expect(kinds(ofHome).slice(1)).toEqual(["created"]);
		expect(kinds((await read(newest)).changes)).toEqual(["created"]);
		await json(ask(`?after=${old}`), 410);
	});
});
