/** Addresses of Nigeria and Kenya in databases of their own, accounts in DB. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { settleAccounts } from "../../src/addresses/settle-actions.ts";
import * as addressStore from "../../src/addresses/store.ts";
import { continueSnapshot, latestSnapshot } from "../../src/changes/snapshot.ts";
import { codeOfSerial } from "../../src/codes/code.ts";
import { inOneTrip } from "../../src/db/statement.ts";
import { type Bindings, readConfig } from "../../src/env.ts";
import { ConfigError } from "../../src/errors.ts";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { DAY } from "../../src/time/time.ts";
import { zoneDigits } from "../../src/zones/naming.ts";
import { freeNumbersNear } from "../../src/zones/numbers.ts";
import { openZoneLocator } from "../../src/zones/open-locator.ts";
import { forgetCached } from "../support/caches.ts";
import { call, json, patch, post, problem, settle } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { allDatabases, databasesApart, rowsIn, several } from "../support/databases.ts";
import { logged } from "../support/logged.ts";
import { operate } from "../support/operators.ts";
import {
	AT_LAGOS,
	newKey,
	newRecoveryCode,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { until } from "../support/until.ts";

const LAGOS = { lat: 6.5244, lng: 3.3792 };
const KANO = { lat: 12.0022, lng: 8.592 };
const NAIROBI = { lat: -1.2864, lng: 36.8172 };
const ACCRA = { lat: 5.6037, lng: -0.187 };
const POINTS = { LAGOS, KANO, NAIROBI, ACCRA };

type Record_ = { canonical: string; label: string; version: number };

/** The name of the database that holds a code. */
const homeOf = (code: string) =>
	code.startsWith("KE")
		? "DB_KE"
		: /^NG[0-4]/.test(code)
			? "DB_NG_01234"
			: code.startsWith("NG")
				? "DB_NG_56789"
				: "DB";

const mint = (token: string, body: object, headers: Record<string, string> = {}, settings: object = several) =>
	post("/v1/addresses", body, { token, headers, settings });

/** In which databases there is an address of a code. */
async function placesOf(canonical: string): Promise<string[]> {
	const names = ["DB", ...Object.keys(databasesApart)];
	const found = await Promise.all(
		allDatabases.map((database) => rowsIn(database, "select 1 from addresses where canonical = ?", canonical)),
	);
	return names.filter((_, index) => (found[index] ?? []).length > 0);
}

/** The sum of a column `n` over all databases. */
async function sumOf(sql: string, parameter: string): Promise<number> {
	const counts = await Promise.all(allDatabases.map((database) => rowsIn(database, sql, parameter)));
	return counts.reduce((sum, [row]) => sum + Number(row?.n ?? 0), 0);
}

/** How often something is counted today in all databases. */
const countedOf = (subject: string) => sumOf("select count as n from daily_counts where subject = ?", subject);

/** How many addresses a user has in all databases, and how many are counted towards their quotas there. */
async function mintedAndSpent(userId: string): Promise<[number, number]> {
	const minted = await sumOf("select count(*) as n from addresses where owner_id = ?", userId);
	return [minted, await countedOf(`${userId}:new-addresses`)];
}

/** Bindings of which one database fails in each call. */
const without = (name: string): object => ({
	...several,
	[name]: databaseThrough(
		() => Promise.reject(new Error("D1_ERROR: Network connection lost.")),
		name === "DB" ? env.DB : databasesApart[name],
	),
});

let owner: SignedInUser;
const codes: Record<string, string> = {};

beforeAll(async () => {
	owner = await signUp();
	for (const [name, point] of Object.entries(POINTS))
		codes[name] = (await json<Record_>(mint(owner.access, { ...point, label: name }), 201)).canonical;
});

describe("the names of bindings", () => {
	const configured = (bindings: object) => () => readConfig({ ...env, ...bindings });

	it.each([
		["DB_ng", "is not named as a database"],
		["DB_NIGERIA", "is not named as a database"],
		["DB_NG_", "is not named as a database"],
		["DB_ZZ", "names the sandbox"],
	])("%s is refused", (name, message) => {
		expect(configured({ [name]: env.EMPTY_DB })).toThrow(ConfigError);
		expect(configured({ [name]: env.EMPTY_DB })).toThrow(message);
	});

	it("may claim each prefix once", () => {
		const claim = configured({ DB_GH_012: env.EMPTY_DB, DB_GH_23: env.EMPTY_DB });
		expect(claim).toThrow("The bindings DB_GH_012 and DB_GH_23 both claim GH2");
		expect(configured({ DB_GH: env.EMPTY_DB, DB_GH_23: env.EMPTY_DB })).not.toThrow();
	});
});

describe("an address", () => {
	it("lies where its code says, and nowhere else", async () => {
		const homes = new Set<string>();
		for (const code of Object.values(codes)) {
			expect(await placesOf(code)).toEqual([homeOf(code)]);
			homes.add(homeOf(code));
		}
		expect(homes.size).toBeGreaterThan(2);
		expect(await mintedAndSpent(owner.user.id)).toEqual([4, 4]);
	});

	it("is resolved by anyone, read and changed by its owner", async () => {
		const { access: token } = owner;
		for (const code of Object.values(codes)) {
			await json(call(`/v1/public/addresses/${code}`, { settings: several }));
			expect(await json(call(`/v1/addresses/${code}`, { token, settings: several }))).toMatchObject({ owned: true });
			const changed = await json<Record_>(
				patch(`/v1/addresses/${code}`, { label: "New" }, { token, settings: several }),
			);
			expect(changed.label).toBe("New");
		}
		const batch = { codes: Object.values(codes) };
		const { data } = await json<{ data: { address?: Record_ }[] }>(
			post("/v1/public/addresses/batch", batch, { token, settings: several }),
		);
		expect(data.map(({ address }) => address?.canonical)).toEqual(batch.codes);
		expect(await countedOf(`${owner.user.id}:changes`)).toBe(4);
	});

	it("is listed with those of all databases, in the order of their creation, page by page", async () => {
		const { access: token } = owner;
		const seen: string[] = [];
		for (let cursor = ""; ; ) {
			const path = `/v1/addresses?limit=2${cursor && `&cursor=${cursor}`}`;
			const page = await json<{ data: Record_[]; next_cursor: string | null }>(
				call(path, { token, settings: several }),
			);
			seen.push(...page.data.map(({ canonical }) => canonical));
			if (!page.next_cursor) break;
			cursor = page.next_cursor;
		}
		expect(seen).toEqual(Object.values(codes).toReversed());
	});

	it("is retired in favour of one in another database", async () => {
		const holder = await signUp();
		const { canonical: old } = await json<Record_>(mint(holder.access, LAGOS), 201);
		const { canonical: next } = await json<Record_>(mint(holder.access, NAIROBI), 201);
		const retire = (successor: string) =>
			call(`/v1/addresses/${old}`, {
				method: "DELETE",
				token: holder.access,
				body: { successor },
				settings: several,
			});
		await problem(retire(codes.NAIROBI ?? ""), 400, "INVALID_REQUEST");
		expect((await retire(next)).status).toBe(204);
		const gone = await problem(call(`/v1/public/addresses/${old}`, { settings: several }), 410, "ADDRESS_RETIRED");
		expect(gone).toMatchObject({ successor: next });
	});

	it("is attested by an agent, and has units and links", async () => {
		const { access: token } = owner;
		const code = codes.LAGOS ?? "";
		const agent = await signUpAgent();
		const { updated_at } = await json<{ updated_at: string }>(
			call(`/v1/addresses/${code}`, { token, settings: several }),
		);
		const visit = { level: 2, note: "", ...AT_LAGOS, updated_at };
		await json(post(`/v1/addresses/${code}/attestations`, visit, { token: agent.access, settings: several }), 201);
		const put = call(`/v1/addresses/${code}/units/2B`, {
			method: "PUT",
			token,
			body: { label: "" },
			settings: several,
		});
		expect((await put).status).toBeLessThan(300);
		await json(post(`/v1/addresses/${code}/share`, {}, { token, settings: several }), 201);
		const { data } = await json<{ data: { change: string }[] }>(
			call(`/v1/addresses/${code}/history`, { token, settings: several }),
		);
		expect(data.map(({ change }) => change)).toContain("attested");
	});

	it("is minted by a key, whose account is known by a trip alone", async () => {
		const holder = await signUp();
		const { key } = await newKey(holder, { scopes: ["addresses:write"] });
		const { canonical } = await json<Record_>(mint(key, KANO), 201);
		expect(await placesOf(canonical)).toEqual([homeOf(canonical)]);
	});
});

describe("a mint that is sent again", () => {
	/** Sends a mint while a call to a database is cut, before it is done or after, and once more when all is well. */
	async function cut(
		name: string,
		index: number,
		isDone: boolean,
		send: (token: string, settings: object) => Promise<unknown>,
	): Promise<[number, unknown]> {
		const holder = await signUp();
		let calls = 0;
		const through = databaseThrough(
			async (work) => {
				calls += 1;
				if (calls !== index) return work();
				if (isDone) await work();
				throw new Error("D1_ERROR: cut off");
			},
			name === "DB" ? env.DB : databasesApart[name],
		);
		await send(holder.access, { ...several, [name]: through }).catch(() => undefined);
		await send(holder.access, several);
		return mintedAndSpent(holder.user.id);
	}

	const cuts = ["DB", "DB_NG_01234", "DB_KE"].flatMap((name) =>
		[1, 2].flatMap((index) => [true, false].map((isDone) => [name, index, isDone] as const)),
	);
	const ways = ["an Idempotency-Key", "an external id"] as const;

	it.each(ways.flatMap((way) => cuts.map((it) => [way, ...it] as const)))(
		"under %s, where the answer of %s is cut at call %i (done: %s), is one address and spends one",
		async (way, name, index, isDone) => {
			const point = name === "DB_KE" ? NAIROBI : LAGOS;
			const counted =
				way === "an Idempotency-Key"
					? await cut(name, index, isDone, (token, settings) =>
							json(mint(token, point, { "Idempotency-Key": "again" }, settings), 201),
						)
					: await cut(name, index, isDone, async (token, settings) => {
							const items = [{ ...point, external_id: "shop 1".replace(" ", "-") }];
							const { data } = await json<{ data: { status: string }[] }>(
								post("/v1/addresses/batch", { items }, { token, settings }),
							);
							expect(["created", "existing"]).toContain(data[0]?.status);
						});
			expect(counted).toEqual([1, 1]);
		},
	);

	it("ten times at once, with one left of the quota, is one code", async () => {
		const holder = await signUp();
		const settings = { ...several, NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 1 };
		const send = () => json<Record_>(mint(holder.access, LAGOS, { "Idempotency-Key": "race" }, settings), 201);
		const answers = await Promise.all(Array.from({ length: 10 }, send));
		expect(new Set(answers.map(({ canonical }) => canonical)).size).toBe(1);
		expect(await mintedAndSpent(holder.user.id)).toEqual([1, 1]);
	});

	it("under one key with two bodies in two countries, one after the other, is one address and one conflict", async () => {
		const holder = await signUp();
		const headers = { "Idempotency-Key": "two" };
		await json(mint(holder.access, LAGOS, headers), 201);
		for (const point of [NAIROBI, ACCRA, KANO])
			await problem(mint(holder.access, point, headers), 409, "IDEMPOTENCY_CONFLICT");
		expect(await mintedAndSpent(holder.user.id)).toEqual([1, 1]);
	});

	it("under a key waits while another database of its country is down, in which the zone may have gone on", async () => {
		const holder = await signUp();
		const headers = { "Idempotency-Key": "waits" };
		await problem(mint(holder.access, LAGOS, headers, without("DB_NG_56789")), 503, "UNAVAILABLE");
		await json(mint(holder.access, LAGOS, {}, without("DB_NG_56789")), 201);
		await json(mint(holder.access, LAGOS, headers, without("DB_KE")), 201);
	});

	it("40 at once with a quota of 5, in four databases, are 5 in each", async () => {
		const holder = await signUp();
		const settings = { ...several, NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 5 };
		const points = Object.values(POINTS);
		const race = Array.from({ length: 40 }, (_, index) =>
			mint(holder.access, points[index % 4] ?? LAGOS, {}, settings),
		);
		const statuses = (await Promise.all(race)).map(({ status }) => status);
		expect(statuses.filter((status) => status === 201)).toHaveLength(20);
		const counts = await Promise.all(
			allDatabases.map((database) =>
				rowsIn(database, "select count from daily_counts where subject = ?", `${holder.user.id}:new-addresses`),
			),
		);
		expect(counts).toEqual(counts.map(() => [{ count: 5 }]));
	});
});

it("what an operator allows an account, and its age, count in every database", async () => {
	const settings = { ...several, NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 1 };
	const holder = await signUp();
	const { key } = await newKey(holder, { scopes: ["addresses:write"] });
	const allowed = { new_addresses_per_day: 3, reason: "Case 2" };
	await json(operate(`accounts/${holder.user.id}/allowance`, allowed, several));
	for (const token of [holder.access, key, holder.access]) await json(mint(token, NAIROBI, {}, settings), 201);
	await problem(mint(key, NAIROBI, {}, settings), 429, "QUOTA_EXCEEDED");
	await json(mint(holder.access, LAGOS, {}, settings), 201);
});

describe("a batch", () => {
	const item = (point: object, external_id: string) => ({ ...point, external_id });
	const send = (token: string, items: object[], settings: object = several, query = "") =>
		json<{ data: { status: string; address?: Record_; problem?: { code: string } }[] }>(
			post(`/v1/addresses/batch${query}`, { items }, { token, settings }),
		);

	it("mints in each database, and again nothing", async () => {
		const holder = await signUp();
		const items = Object.entries(POINTS).map(([name, point]) => item(point, name));
		const { data } = await send(holder.access, items);
		expect(data.map(({ status }) => status)).toEqual(items.map(() => "created"));
		const again = await send(holder.access, items);
		expect(again.data.map(({ status }) => status)).toEqual(items.map(() => "existing"));
		expect(await mintedAndSpent(holder.user.id)).toEqual([4, 4]);
	});

	it("fails the items of a database that is down, and completes them when it is sent again", async () => {
		const holder = await signUp();
		const items = [item(LAGOS, "a"), item(NAIROBI, "b")];
		const { data } = await send(holder.access, items, without("DB_KE"));
		expect(data.map(({ status, problem }) => problem?.code ?? status)).toEqual(["created", "UNAVAILABLE"]);
		const again = await send(holder.access, items);
		expect(again.data.map(({ status }) => status)).toEqual(["existing", "created"]);
		expect(await mintedAndSpent(holder.user.id)).toEqual([2, 2]);
	});
});

describe("while a database is down", () => {
	it("of addresses, its codes are 503 and others 200, in a batch item by item, and so are the lists of its owners", async () => {
		const settings = without("DB_KE");
		const { access: token } = owner;
		await json(call(`/v1/addresses/${codes.LAGOS}`, { token, settings }));
		const away = await problem(call(`/v1/addresses/${codes.NAIROBI}`, { token, settings }), 503, "UNAVAILABLE");
		expect(away.detail).not.toBe("");
		await problem(call("/v1/addresses", { token, settings }), 503, "UNAVAILABLE");
		const stranger = await signUp();
		await json(call("/v1/addresses", { token: stranger.access, settings }));
		const { data } = await json<{ data: { address?: object; problem?: { code: string } }[] }>(
			post("/v1/public/addresses/batch", { codes: [codes.LAGOS, codes.NAIROBI] }, { token, settings }),
		);
		expect(data.map(({ address, problem }) => problem?.code ?? address !== undefined)).toEqual([true, "UNAVAILABLE"]);
	});

	it("of accounts, codes in the others resolve in public, and nobody with a credential is answered", async () => {
		const settings = without("DB");
		await json(call(`/v1/public/addresses/${codes.NAIROBI}`, { settings }));
		await problem(call(`/v1/addresses/${codes.NAIROBI}`, { token: owner.access, settings }), 503, "UNAVAILABLE");
	});
});

/** Closes an account. */
const close = (token: string, settings: object) =>
	call("/v1/auth/me", { method: "DELETE", token, body: { password: PASSWORD }, settings });

describe("a Worker that was deployed past the checks", () => {
	const LOME = { lat: 6.1319, lng: 1.2228 };
	const COTONOU = { lat: 6.3703, lng: 2.4305 };
	const later = async (answering: Promise<Response>) => {
		const answer = await answering;
		expect(answer.headers.get("Retry-After")).toBe("60");
		return problem(answer, 503, "UNAVAILABLE");
	};
	let holder: SignedInUser;
	beforeAll(async () => {
		await applyD1Migrations(env.UNFILLED_DB, env.TEST_MIGRATIONS);
		holder = await signUp();
	});
	afterAll(() => rowsIn(env.DB, "delete from homes where prefix = 'BJ'"));

	/** Expects that nothing is minted at a point, and that no answer says that a code there has no address. */
	async function expectUntold(settings: object, point: object, code: string, other = "created"): Promise<void> {
		const { access: token } = holder;
		const before = await mintedAndSpent(holder.user.id);
		await later(mint(token, point, {}, settings));
		const items = [
			{ ...point, external_id: "a" },
			{ ...NAIROBI, external_id: `b-${code}` },
		];
		const sent = await json<{ data: { status: string; problem?: { code: string } }[] }>(
			post("/v1/addresses/batch", { items }, { token, settings }),
		);
		expect(sent.data.map(({ status, problem }) => problem?.code ?? status)).toEqual(["UNAVAILABLE", other]);
		const [minted, spent] = await mintedAndSpent(holder.user.id);
		const created = other === "created" ? 1 : 0;
		expect([minted, spent]).toEqual([before[0] + created, Number(before[1]) + created]);

		for (const path of ["", ".geojson", "/units"])
			await later(call(`/v1/public/addresses/${code}${path}`, { settings }));
		const page = await call(`/a/${code}`, { settings, headers: { Accept: "text/html" } });
		expect([page.status, page.headers.get("Retry-After")]).toEqual([503, "60"]);
		await later(post(`/v1/public/addresses/${code}/reports`, { kind: "gone" }, { settings }));
		for (const [method, path, body] of [
			["GET", "", undefined],
			["PATCH", "", { label: "x" }],
			["DELETE", "", {}],
			["GET", "/history", undefined],
			["PUT", "/units/1", { label: "x" }],
		] as const)
			await later(call(`/v1/addresses/${code}${path}`, { method, body, token, settings }));
		const asked = { codes: [code, codes.NAIROBI] };
		const { data } = await json<{ data: { address?: Record_; problem?: { code: string } }[] }>(
			post("/v1/public/addresses/batch", asked, { token, settings }),
		);
		expect(data.map(({ address, problem }) => problem?.code ?? address?.canonical)).toEqual([
			"UNAVAILABLE",
			codes.NAIROBI,
		]);
	}

	it("with a database that nobody filled issues nothing in it, and never says that a code there has no address", async () => {
		const { canonical } = await json<Record_>(mint(holder.access, LOME), 201);
		const settings = { ...several, DB_TG: env.UNFILLED_DB };
		await expectUntold(settings, LOME, canonical);
		// No cache keeps what was answered meanwhile.
		await json(call(`/v1/public/addresses/${canonical}`, { settings: several }));
		// What one has resolved a moment ago is still served.
		await json(call(`/v1/public/addresses/${canonical}`, { settings }));
		await rowsIn(env.UNFILLED_DB, "insert into homes (prefix, state) values ('TG', 'here')");
		const unknown = call(`/v1/public/addresses/${codeOfSerial("TG", "9999", 0)}`, { settings });
		await problem(unknown, 404, "ADDRESS_NOT_FOUND");
	});

	it("without the database of a country does the same", async () => {
		await rowsIn(env.UNFILLED_DB, "insert into homes (prefix, state) values ('BJ', 'here')");
		await rowsIn(env.DB, "insert into homes (prefix, state) values ('BJ', 'left')");
		const bound = { ...several, DB_BJ: env.UNFILLED_DB };
		const { canonical } = await json<Record_>(mint(holder.access, COTONOU, {}, bound), 201);
		// An external id may be that of an address there.
		await expectUntold(several, COTONOU, canonical, "UNAVAILABLE");
		await json(call(`/v1/public/addresses/${canonical}`, { settings: bound }));
		// Nobody gets an incomplete list; whoever has no address there gets a list as ever.
		const [{ access: token }, stranger] = [holder, await signUp()];
		for (const path of ["/v1/addresses", "/v1/auth/me/export"]) {
			const answer = await call(path, { token, settings: several });
			expect(answer.headers.get("Retry-After")).toBe("5");
			await problem(answer, 503, "UNAVAILABLE");
			await json(call(path, { token: stranger.access, settings: several }));
			await json(call(path, { token, settings: bound }));
		}
		const [line] = await logged(() => call("/v1/addresses", { token, settings: several }), "misconfigured");
		expect(line?.message).toContain("holds the codes of BJ: bind it again");
		// Amid a move, until the next deployment, its addresses are read where they were.
		const moved = "BJ999800000";
		const left = "insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at)";
		await rowsIn(env.DB, "update homes set state = 'here' where prefix = 'BJ'");
		await rowsIn(env.DB, `${left} values (?, ?, 1, 2, '', ?, 1)`, moved, "z", holder.user.id);
		await rowsIn(env.DB, "update homes set state = 'left' where prefix = 'BJ'");
		await json(call("/v1/addresses", { token, settings: several }));
		await rowsIn(env.DB, "delete from addresses where canonical = ?", moved);
		await problem(call("/v1/addresses", { token, settings: several }), 503, "UNAVAILABLE");
		// An account whose codes all lie in databases that were bound in the place of one has a list too.
		await rowsIn(env.DB, "update users set places = 'DB_NG' where id = ?", stranger.user.id);
		const { canonical: lagos } = await json<Record_>(mint(stranger.access, LAGOS), 201);
		const { data } = await json<{ data: Record_[] }>(
			call("/v1/addresses", { token: stranger.access, settings: several }),
		);
		expect(data.map(({ canonical: code }) => code)).toEqual([lagos]);
	});

	it("without the database of a country erases no account, since it cannot see whose addresses lie there", async () => {
		const [unused, closed] = [await signUp(), await signUp()];
		for (const { access } of [unused, closed])
			await json(mint(access, COTONOU, {}, { ...several, DB_BJ: env.UNFILLED_DB }), 201);
		await close(closed.access, several);
		await rowsIn(env.DB, "update users set erase_at = 1 where id = ?", closed.user.id);
		await rowsIn(env.DB, "update users set unused_until = 1 where id = ?", unused.user.id);
		await rowsIn(env.DB, "delete from sessions where user_id = ?", unused.user.id);
		const cleaning = cleanUp({ ...env, ...several } as unknown as Bindings, Date.now());
		await expect(cleaning).rejects.toThrow("unused_accounts, closed_accounts");
		const eraseAt = (id: string) => rowsIn(env.DB, "select erase_at from users where id = ?", id);
		expect(await eraseAt(unused.user.id)).toEqual([{ erase_at: null }]);
		expect(await eraseAt(closed.user.id)).toHaveLength(1);
	});

	it("amid a move, before all is copied, says of no code that it has no address", async () => {
		const code = codeOfSerial("BJ", "9999", 0) ?? "";
		const settings = { ...several, DB_BJ: env.UNFILLED_DB };
		const set = (state: string, since: number | null) =>
			rowsIn(env.UNFILLED_DB, "update homes set state = ?, served_since = ? where prefix = 'BJ'", state, since);
		await set("arriving", null);
		await later(call(`/v1/public/addresses/${code}`, { settings }));
		await set("arriving", 0);
		await problem(call(`/v1/public/addresses/${code}`, { settings }), 404, "ADDRESS_NOT_FOUND");
	});
});

it("whose session has ended reads and writes nothing in any database", async () => {
	const holder = await signUp();
	const { canonical } = await json<Record_>(mint(holder.access, NAIROBI), 201);
	await call("/v1/auth/logout", { method: "POST", body: { refresh: holder.refresh } });
	const { access: token } = holder;
	await problem(call(`/v1/addresses/${canonical}`, { token, settings: several }), 401, "INVALID_TOKEN");
	await problem(
		patch(`/v1/addresses/${canonical}`, { label: "x" }, { token, settings: several }),
		401,
		"INVALID_TOKEN",
	);
	await problem(mint(token, LAGOS), 401, "INVALID_TOKEN");
	expect(await mintedAndSpent(holder.user.id)).toEqual([1, 1]);
});

describe("the feed of changes", () => {
	interface Line {
		cursor: string;
		code: string;
		kind: string;
	}
	const read = async (token: string, after?: string, limit = 100, settings: object = several) => {
		const path = `/v1/changes?mine=1&limit=${limit}${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`;
		const answer = await call(path, { token, settings });
		const text = await answer.text();
		expect(answer.status, text).toBe(200);
		const lines = text.split("\n").filter(Boolean);
		return { changes: lines.map((line) => JSON.parse(line) as Line), next: answer.headers.get("Next-Cursor") ?? "" };
	};

	it("tells of all databases in the order of time, and goes on from any of its cursors", async () => {
		const holder = await signUp();
		const minted: string[] = [];
		for (const point of [LAGOS, NAIROBI, ACCRA, KANO])
			minted.push((await json<Record_>(mint(holder.access, point), 201)).canonical);
		const { changes, next } = await read(holder.access);
		expect(changes.map(({ code }) => code)).toEqual(minted);
		for (const [index, { cursor }] of changes.entries()) {
			const rest = await read(holder.access, cursor);
			expect(rest.changes.map(({ code }) => code)).toEqual(minted.slice(index + 1));
		}
		expect((await read(holder.access, next)).changes).toEqual([]);
		await json(patch(`/v1/addresses/${minted[1]}`, { label: "x" }, { token: holder.access, settings: several }));
		const after = await read(holder.access, next);
		expect(after.changes).toMatchObject([{ code: minted[1], kind: "changed" }]);
		const paged: string[] = [];
		for (let cursor: string | undefined; paged.length < 5; ) {
			const page = await read(holder.access, cursor, 2);
			paged.push(...page.changes.map(({ code }) => code));
			cursor = page.next;
		}
		expect(paged).toEqual([...minted, minted[1]]);
	});

	it("reads a database whole that a cursor does not name, and knows no such cursor once the database lacks a change", async () => {
		const holder = await signUp();
		const minted: string[] = [];
		for (const point of [LAGOS, NAIROBI, ACCRA])
			minted.push((await json<Record_>(mint(holder.access, point), 201)).canonical);
		const { next } = await read(holder.access);
		const places = atob(next).split(" ");
		const cursor = btoa(places.filter((place) => !place.startsWith("DB_KE")).join(" ")).replace(/=+$/, "");
		expect((await read(holder.access, cursor)).changes).toMatchObject([{ code: minted[1] }]);
		// As after a restore of one.
		await rowsIn(databasesApart.DB_KE!, "insert into changes (canonical, kind, at) values ('', 'reset', 1)");
		await rowsIn(databasesApart.DB_KE!, "delete from changes where seq < (select max(seq) from changes)");
		for (const after of [cursor, next])
			await problem(
				call(`/v1/changes?mine=1&after=${after}`, { token: holder.access, settings: several }),
				410,
				"FEED_RESET",
			);
		const { canonical } = await json<Record_>(mint(holder.access, NAIROBI), 201);
		const seen: string[] = [];
		for (let after: string | undefined; seen.length < 3; ) {
			const page = await read(holder.access, after, 1);
			seen.push(...page.changes.map(({ code }) => code));
			after = page.next;
		}
		expect(seen).toEqual([minted[0], minted[2], canonical]);
	});

	it("makes a snapshot of all databases", async () => {
		const registry = testRegistry({}, several);
		for (let parts = 0; !(await continueSnapshot(registry)) && parts < 20; parts += 1);
		const { parts, position } = (await latestSnapshot(registry))!;
		expect(Object.keys(position)).toEqual(["DB", ...Object.keys(databasesApart)]);
		const live = await Promise.all(
			allDatabases.map((database) =>
				rowsIn(
					database,
					`select canonical from addresses where retired_at is null and canonical < 'ZZ'
						and owner_id not in (select owner_id from closed_owners where closed_at is not null)`,
				),
			),
		);
		const names = ["DB", ...Object.keys(databasesApart)];
		const atHome = live.flatMap((rows, index) =>
			rows.filter(({ canonical }) => homeOf(String(canonical)) === names[index]),
		);
		expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(atHome.length);
	});
});

describe("an account with addresses in three databases", () => {
	it("hides them when it is closed, also in one that was down, and shows them when its holder comes back", async () => {
		const holder = await signUp();
		const minted: string[] = [];
		for (const point of [LAGOS, NAIROBI, ACCRA])
			minted.push((await json<Record_>(mint(holder.access, point), 201)).canonical);
		const stands = () =>
			Promise.all(
				minted.map(async (code) => (await call(`/v1/public/addresses/${code}`, { settings: several })).status),
			);
		const closing = await close(holder.access, without("DB_KE"));
		expect(closing.status).toBeLessThan(300);
		await settleAccounts(testRegistry({}, several));
		expect(await stands()).toEqual([410, 410, 410]);
		const body = { phone: holder.user.phone, password: PASSWORD };
		await json(post("/v1/auth/login", body, { settings: several }));
		await until(async () => (await stands()).every((status) => status === 200));
	});

	it("is closed by no job that read it before its holder came back, and opened where it was left closed", async () => {
		const holder = await signUp();
		const { canonical } = await json<Record_>(mint(holder.access, NAIROBI), 201);
		const standing = async () => (await call(`/v1/public/addresses/${canonical}`, { settings: several })).status;
		await close(holder.access, several);
		const registry = testRegistry({}, several);
		const kenya = registry.databaseOf({ country: "KE", zone: "0000" });
		const [read] = await inOneTrip(registry.database, addressStore.closingOf({ ownerId: holder.user.id }));
		await json(post("/v1/auth/login", { phone: holder.user.phone, password: PASSWORD }, { settings: several }));
		await inOneTrip(kenya, addressStore.followClosing(read!, Date.now()));
		expect(await standing()).toBe(200);
		// As version 1.3.0 leaves it, which opens an account without knowing of the row.
		await forgetCached(canonical);
		await rowsIn(
			databasesApart.DB_KE!,
			"update closed_owners set closed_at = 5, changed_at = 5 where owner_id = ?",
			holder.user.id,
		);
		expect(await standing()).toBe(410);
		await settleAccounts(registry);
		expect(await standing()).toBe(200);
	});

	it("shows them when its holder comes back by a recovery code", async () => {
		const holder = await signUp();
		const recovery_code = await newRecoveryCode(holder);
		const { canonical } = await json<Record_>(mint(holder.access, NAIROBI), 201);
		const standing = async () => (await call(`/v1/public/addresses/${canonical}`, { settings: several })).status;
		await close(holder.access, several);
		expect(await standing()).toBe(410);
		const body = { phone: holder.user.phone, recovery_code, new_password: "another long pass phrase" };
		await json(post("/v1/auth/password/reset", body, { settings: several }));
		expect(await standing()).toBe(200);
	});

	it("is erased once each database says that nothing is left, and none names it", async () => {
		const holder = await signUp();
		for (const point of [LAGOS, NAIROBI, ACCRA]) await json(mint(holder.access, point), 201);
		await close(holder.access, several);
		await rowsIn(env.DB, "update users set erase_at = 1 where id = ?", holder.user.id);
		const bindings = { ...env, ...several } as unknown as Bindings;
		const now = Date.now();
		await cleanUp({ ...bindings, ...without("DB_KE") } as unknown as Bindings, now).catch(() => undefined);
		expect(await rowsIn(env.DB, "select 1 from users where id = ?", holder.user.id)).toHaveLength(1);
		await cleanUp(bindings, now);
		expect(await rowsIn(env.DB, "select 1 from users where id = ?", holder.user.id)).toEqual([]);
		// But for the note by which a restore erases it again.
		const tables =
			"select name from sqlite_master where type = 'table' and name not in ('erased_accounts', '_cf_METADATA')";
		for (const database of allDatabases)
			for (const { name } of await rowsIn(database, tables)) {
				const rows = JSON.stringify(await rowsIn(database, `select * from "${name}"`));
				expect(rows, String(name)).not.toContain(holder.user.id);
			}
	});
});

describe.each([
	["DB", ACCRA],
	["another database", NAIROBI],
])("once the changes of a day are used up, an address in %s", (_, point) => {
	it("takes what changes nothing, and refuses every change", async () => {
		const [{ access: token, user }, stranger] = [await signUp(), await signUp()];
		const { canonical } = await json<Record_>(mint(token, { ...point, label: "Gate" }), 201);
		const path = `/v1/addresses/${canonical}`;
		const database = databasesApart[homeOf(canonical)] ?? env.DB;
		for (const { id } of [user, stranger.user])
			await rowsIn(
				database,
				"insert or replace into daily_counts (subject, day, count) values (?, ?, 100000)",
				`${id}:changes`,
				Math.floor(Date.now() / DAY),
			);
		const before = await json<Record_>(call(path, { token, settings: several }));
		expect((await call(`${path}/units/9`, { method: "DELETE", token, settings: several })).status).toBe(204);
		const change = { label: "Door" };
		await problem(patch(path, change, { token: stranger.access, settings: several }), 403, "FORBIDDEN");
		await problem(patch(path, change, { token, settings: several }), 429, "QUOTA_EXCEEDED");
		const body = { label: "Left" };
		await problem(call(`${path}/units/2B`, { method: "PUT", body, token, settings: several }), 429, "QUOTA_EXCEEDED");
		expect(await json<Record_>(call(path, { token, settings: several }))).toEqual(before);
		for (const { id } of [user, stranger.user]) {
			const counted = "select count from daily_counts where subject = ?";
			expect(await rowsIn(database, counted, `${id}:changes`)).toEqual([{ count: 100_000 }]);
		}
	});
});

describe("agents and operators", () => {
	const privateHome = async (point: object) => {
		const { access: token } = owner;
		const { canonical } = await json<Record_>(mint(token, point), 201);
		const body = { visibility: "private" };
		await json(patch(`/v1/addresses/${canonical}`, body, { token, settings: several }));
		return canonical;
	};

	it("have one quota of private addresses in all databases, and read each as often as they like", async () => {
		const { access: token, user } = await signUpAgent();
		const codes = [await privateHome(LAGOS), await privateHome(NAIROBI), await privateHome(ACCRA)];
		const read = (canonical: string) => call(`/v1/addresses/${canonical}`, { token, settings: several });
		for (const canonical of codes.slice(0, 2)) await json(read(canonical));
		const spent = "select count from daily_counts where subject = ?";
		expect(await rowsIn(env.DB, spent, `${user.id}:private-reads`)).toEqual([{ count: 2 }]);
		await rowsIn(env.DB, "update daily_counts set count = 50 where subject = ?", `${user.id}:private-reads`);
		await problem(read(codes[2] ?? ""), 429, "QUOTA_EXCEEDED");
		for (const canonical of codes.slice(0, 2)) await json(read(canonical));
	});

	it("see what an agent did in all databases, and when nobody travels as fast", async () => {
		const { access: token, user } = await signUpAgent();
		const attest = async (canonical: string, { lat, lng }: typeof LAGOS) => {
			const { updated_at } = await json<{ updated_at: string }>(
				call(`/v1/addresses/${canonical}`, { token, settings: several }),
			);
			const visit = { level: 1, updated_at, position: { lat, lng, accuracy_m: 10 } };
			await json(post(`/v1/addresses/${canonical}/attestations`, visit, { token, settings: several }), 201);
		};
		const [lagos, nairobi] = [await privateHome(LAGOS), await privateHome(NAIROBI)];
		await attest(lagos, LAGOS);
		const lines = await logged(async () => {
			await attest(nairobi, NAIROBI);
			await settle();
		}, "agent_too_fast");
		expect(lines).toHaveLength(1);
		const view = await json<{ attested: Record_[]; private_reads: Record_[] }>(
			operate(`accounts/${user.id}`, undefined, several),
		);
		const both = [nairobi, lagos];
		expect(view.attested.map(({ canonical }) => canonical)).toEqual(both);
		expect(view.private_reads.map(({ canonical }) => canonical).toSorted()).toEqual(both.toSorted());
	});

	it("did what the account that it concerns finds in its export", async () => {
		const holder = await signUp();
		const { canonical } = await json<Record_>(mint(holder.access, NAIROBI), 201);
		await json(operate(`addresses/${canonical}/hide`, { reason: "Case 1" }, several));
		await json(operate(`accounts/${holder.user.id}/sign-out`, { reason: "Case 1" }, several));
		const body = { phone: holder.user.phone, password: PASSWORD };
		const { access: token } = await json<{ access: string }>(post("/v1/auth/login", body, { settings: several }));
		const exported = await json<{ operator_acts: { act: string }[]; daily_counts: { count: number }[] }>(
			call("/v1/auth/me/export", { token, settings: several }),
		);
		expect(exported.operator_acts.map(({ act }) => act)).toEqual(["sign-out", "hide"]);
		expect(exported.daily_counts).toContainEqual(expect.objectContaining({ count: 1 }));
	});
});

describe("reports", () => {
	const report = (code: string, from: string, settings: object = several) =>
		post(`/v1/public/addresses/${code}/reports`, { kind: "gone" }, { from, settings });

	it("of a network are counted and refused in the database of each address", async () => {
		const from = "10.77.0.1";
		const ofNetwork = "subject like '%:reports-of-network'";
		for (const name of ["LAGOS", "NAIROBI", "ACCRA"]) await json(report(codes[name] ?? "", from), 201);
		const counts = ["LAGOS", "NAIROBI", "ACCRA"].map((name) => {
			const database = databasesApart[homeOf(codes[name] ?? "")] ?? env.DB;
			return rowsIn(database, `select count from daily_counts where ${ofNetwork}`);
		});
		expect(await Promise.all(counts)).toEqual([[{ count: 1 }], [{ count: 1 }], [{ count: 1 }]]);
		await rowsIn(databasesApart.DB_KE as D1Database, `update daily_counts set count = 1000 where ${ofNetwork}`);
		await problem(report(codes.NAIROBI ?? "", from), 429, "QUOTA_EXCEEDED");
		await json(report(codes.ACCRA ?? "", from), 201);
	});
});

it("healthz tells of each database", async () => {
	const health = async (settings: object) =>
		json<{ status: string; databases: object }>(call("/healthz", { settings }));
	expect(await health(several)).toMatchObject({ databases: { DB_KE: "ok", DB_NG_01234: "ok", DB_NG_56789: "ok" } });
	expect(await health(without("DB_KE"))).toMatchObject({ status: "degraded", databases: { DB_KE: "unavailable" } });
});

it("the journal holds what is minted in each database", async () => {
	const holder = await signUp();
	const { canonical } = await json<Record_>(mint(holder.access, NAIROBI), 201);
	const database = databasesApart.DB_KE as D1Database;
	await until(
		async () => (await rowsIn(database, "select 1 from journal_queue where canonical = ?", canonical)).length === 0,
	);
	expect(await env.ZONES.head(`issued-codes/${canonical}`)).not.toBeNull();
});

// Last, because it leaves thousands of rows for the feed and the journal.
describe("full zones of one database", () => {
	const CITIES = [
		LAGOS,
		KANO,
		{ lat: 7.3775, lng: 3.947 },
		{ lat: 9.0765, lng: 7.3986 },
		{ lat: 13.0059, lng: 5.2476 },
	];

	/** Issues the codes of a zone to nobody, but for some. */
	const fill = (prefix: string, left: number) => {
		const units = Array.from({ length: 10_000 }, (_, unit) => codeOfSerial(prefix.slice(0, 2), prefix.slice(2), unit));
		return rowsIn(
			databasesApart[homeOf(prefix)] as D1Database,
			`insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at)
			select value, '', 0, 0, '', 'usr_filler', 0 from json_each(?) where value not in (select canonical from burnt_codes) on conflict do nothing`,
			JSON.stringify(units.filter((code) => code !== undefined).slice(left)),
		);
	};

	it.each(["DB_NG_01234", "DB_NG_56789"])("%s go on under numbers of another, once for all who race", async (home) => {
		const { access: token, user } = await signUp();
		const settings = { ...several, NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 1000 };
		const first = await Promise.all(CITIES.map((at) => json<Record_>(mint(token, at, {}, settings), 201)));
		const zones = first.map(({ canonical }) => canonical.slice(0, 6));
		const full = zones.flatMap((zone, index) => (homeOf(zone) === home ? [{ zone, at: CITIES[index] ?? LAGOS }] : []));
		expect(full.length).toBeGreaterThan(1);
		const [{ zone: anyZone } = { zone: "" }] = full;
		const numbers = freeNumbersNear(Number(anyZone.slice(2)), (await openZoneLocator(env).numbersOf("NG"))!);
		// All numbers but thirty of the other database have been opened. Of these, the nearest has a few codes left, as each zone has.
		const left = numbers.filter((number) => homeOf(`NG${zoneDigits(number)}`) !== home).slice(0, 30);
		const database = databasesApart.DB_NG_01234 as D1Database;
		await rowsIn(database, "delete from overflow_zones");
		await rowsIn(
			database,
			`insert into overflow_zones (country, zone, area, ordinal, created_at)
			select 'NG', value, 20000 + key, 1, 0 from json_each(?)`,
			JSON.stringify(numbers.filter((number) => !left.includes(number))),
		);
		for (const zone of [...full.map(({ zone }) => zone), `NG${zoneDigits(left[0] ?? 0)}`]) await fill(zone, 4);
		const race = Array.from({ length: 50 }, (_, index) =>
			json<Record_>(mint(token, full[index % full.length]?.at ?? LAGOS, {}, settings), 201),
		);
		const minted = (await Promise.all(race)).map(({ canonical }) => canonical);
		expect(new Set(minted).size).toBe(50);
		for (const code of minted) expect(await placesOf(code)).toEqual([homeOf(code)]);
		expect(new Set(minted.map(homeOf)).size).toBe(2);
		expect(await mintedAndSpent(user.id)).toEqual([50 + CITIES.length, 50 + CITIES.length]);
		const opened = await rowsIn(database, "select zone, area from overflow_zones where area < 20000 order by zone");
		expect(new Set(opened.map(({ zone }) => zone)).size).toBe(opened.length);
		for (const { zone } of opened) expect(left).toContain(zone);
		for (const other of allDatabases.filter((each) => each !== database))
			expect(await rowsIn(other, "select 1 from overflow_zones")).toEqual([]);
		const used = minted.map((code) => code.slice(0, 6)).filter((zone) => !zones.includes(zone));
		expect(new Set(used)).toEqual(new Set(opened.map(({ zone }) => `NG${zoneDigits(Number(zone))}`)));
	});
});
