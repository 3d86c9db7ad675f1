import { env } from "cloudflare:workers";
import { generateKeyPair } from "jose";
import { describe, expect, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { watch } from "../../src/jobs/watch.ts";
import { call, json, patch, post, problem } from "../support/client.ts";
import { countOthers, forgetWatch } from "../support/hour.ts";
import { logged } from "../support/logged.ts";
import { acted, OperatorVisitor, operate, operatorSettings, operatorToken } from "../support/operators.ts";
import {
	freshPhone,
	LAGOS,
	mint,
	newKey,
	newOwner,
	newRecoveryCode,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { sql } from "../support/sql.ts";

const reason = "Ticket 4711";

/** Every endpoint of operators, as the router serves them. */
const OPERATOR_ENDPOINTS = app.routes
	.filter(({ method, path }) => method !== "ALL" && path.startsWith("/v1/operator"))
	.map(({ method, path }) => ({ method, path: path.replace(":code", "NG137748215").replace(":id", "usr_x") }));

const send = (
	{ method, path }: { method: string; path: string },
	headers: Record<string, string>,
	settings: object = operatorSettings,
) => call(path, { method, headers, settings, ...(method === "POST" ? { body: { reason } } : {}) });

const stranger = await generateKeyPair("RS256");

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Everyone who is no operator, by the headers that they send. unit/operator-identity.test.ts holds what makes a token wrong. */
const strangers: [name: string, headers: () => Promise<Record<string, string>>][] = [
	["nobody", async () => ({})],
	["somebody who is signed in", async () => bearer((await signUp()).access)],
	["an agent", async () => bearer((await signUpAgent()).access)],
	["a live API key", async () => ({ Authorization: `Api-Key ${(await newKey(await signUp())).key}` })],
	["a wrong signature", async () => bearer(await operatorToken({}, {}, stranger.privateKey))],
	[
		"a wrong assertion in front of a right token",
		async () => ({ "Cf-Access-Jwt-Assertion": "x.y.z", ...bearer(await operatorToken()) }),
	],
];

describe.each(OPERATOR_ENDPOINTS)("$method $path", (endpoint) => {
	it.each(strangers)("refuses %s, and logs it", async (_, headersOf) => {
		const headers = await headersOf();
		const refused = () => problem(send(endpoint, headers), 401, "UNAUTHENTICATED");
		expect(await logged(refused, "operator_refused")).toHaveLength(1);
	});

	it("is not there while no issuer is set", async () => {
		const headers = { Authorization: `Bearer ${await operatorToken()}` };
		await json(await send(endpoint, headers, {}), 404);
	});

	it("is not open to pages of other origins", async () => {
		const asked = { Origin: "https://evil.example", "Access-Control-Request-Method": endpoint.method };
		const preflight = await call(endpoint.path, { method: "OPTIONS", headers: asked, settings: operatorSettings });
		expect(preflight.headers.get("Access-Control-Allow-Origin")).toBeNull();
		const answer = await send(endpoint, {
			Authorization: `Bearer ${await operatorToken()}`,
			Origin: "https://evil.example",
		});
		expect(answer.headers.get("Access-Control-Allow-Origin")).toBeNull();
	});

	if (endpoint.method === "POST") {
		it.each([undefined, "", "no", " x ", "...", "\u200b\u200b\u200b\u2060", "\u3164\u3164\u3164", "y".repeat(501)])(
			"wants a reason, and not %j",
			async (bad) => {
				const more = { token: await operatorToken(), settings: operatorSettings };
				const answer = await post(endpoint.path, { reason: bad }, more);
				expect(JSON.stringify(await json(answer, 400))).toContain("reason");
			},
		);
	}
});

it("takes the token from Cloudflare Access, and by Access's own list", async () => {
	const headers = { "Cf-Access-Jwt-Assertion": await operatorToken({ email: "bob@addr.example" }) };
	const { OPERATORS: _, ...settings } = operatorSettings;
	await json(call("/v1/operator/acts", { headers, settings }));
});

it("has no operators where everyone whom a provider knows would be one, and serves all others", async () => {
	const { OPERATORS: _, ...rest } = operatorSettings;
	const settings = { ...rest, OPERATORS_ISSUER: "https://accounts.example" };
	const token = await operatorToken({ iss: settings.OPERATORS_ISSUER, email_verified: true });
	await json(call("/v1/operator/acts", { token, settings }), 404);
	await json(call("/healthz", { settings }));
});

it("does not take a developer's local key where the registry is reached over Cloudflare", async () => {
	const local = { OPERATORS_ISSUER: "local", OPERATORS_AUDIENCE: "local" };
	const token = await operatorToken({ iss: "local", aud: "local", email_verified: true });
	const settings = { ...operatorSettings, ...local };
	await json(call("/v1/operator/acts", { token, settings }), 404);
	for (const address of ["127.0.0.1", "::1"]) {
		await json(call("/v1/operator/acts", { token, settings, headers: { "CF-Connecting-IP": address } }));
	}
});

const login = (phone: string, password = PASSWORD) =>
	post("/v1/auth/login", { phone, password }, { settings: operatorSettings });

describe("finding a person", () => {
	it.each(["phone", "code", "id"])("by %s shows what is held, without secrets, and is kept as an act", async (by) => {
		const owner = await newOwner({ ...LAGOS, label: "Blue gate" });
		const { canonical } = owner;
		const { key } = await newKey(owner, { scopes: ["addresses:write"] });
		const searches: Record<string, string> = { phone: owner.user.phone, code: canonical, id: owner.user.id };
		const found = await acted("accounts/find", { [by]: searches[by], reason });
		expect(found).toMatchObject({
			id: owner.user.id,
			phone: owner.user.phone,
			role: "user",
			addresses: [{ canonical, label: "Blue gate" }],
		});
		expect(JSON.stringify(found)).not.toMatch(new RegExp(`${key}|password|hash|${owner.refresh}`));
		const { data } = await acted<{ data: object[] }>(`acts?account=${owner.user.id}`);
		expect(data).toMatchObject([
			{ act: "find", detail: by, operator: "ada@addr.example", reason, account: owner.user.id },
		]);
		expect(JSON.stringify(data)).not.toContain(owner.user.phone);
	});

	it("that does not exist is kept too, and one thing at a time is searched by", async () => {
		const phone = freshPhone();
		await json(operate("accounts/find", { phone, reason: "Nobody has it" }), 404);
		const { data } = await acted<{ data: object[] }>("acts?limit=1");
		expect(data).toMatchObject([{ act: "find", reason: "Nobody has it", account: null, subject: "" }]);
		await json(operate("accounts/find", { phone, id: "usr_x", reason }), 400);
		await json(operate("accounts/usr_x"), 404);
	});
});

describe("what operators read of people without an act", () => {
	it("is kept once an hour for each operator and account, and shown to the person", async () => {
		const { user, access } = await signUp();
		const looks = async () =>
			(await acted<{ data: { act: string; operator: string }[] }>(`acts?account=${user.id}&act=look`)).data;
		for (const _ of [1, 2, 3]) await acted(`accounts/${user.id}`);
		await new OperatorVisitor().open(`/operate/accounts/${user.id}`);
		expect(await looks()).toMatchObject([{ operator: "ada@addr.example", subject: user.id, reason: "" }]);
		const eve = { ...operatorSettings, OPERATORS: "ada@addr.example,eve@addr.example" };
		const token = await operatorToken({ email: "eve@addr.example" });
		await json(call(`/v1/operator/accounts/${user.id}`, { token, settings: eve }));
		expect((await looks()).map(({ operator }) => operator)).toEqual(["eve@addr.example", "ada@addr.example"]);
		const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_001);
		await acted(`accounts/${user.id}`);
		clock.mockRestore();
		expect(await looks()).toHaveLength(3);
		const held = await json<{ operator_acts: object[] }>(call("/v1/auth/me/export", { token: access }));
		expect(held.operator_acts).toHaveLength(3);
		// Who was found with a reason is not kept a second time.
		const found = await signUp();
		await acted("accounts/find", { id: found.user.id, reason });
		await acted(`accounts/${found.user.id}`);
		expect(await acted(`acts?account=${found.user.id}`)).toMatchObject({ data: [{ act: "find" }] });
	});

	it.each(["reports", "agents", "pending-phones"])("is kept of the list of %s too", async (list) => {
		const looks = async () => (await acted<{ data: object[] }>(`acts?act=look&subject=${list}`)).data;
		const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 8_000_000);
		const before = (await looks()).length;
		for (const _ of [1, 2]) await acted(list);
		await new OperatorVisitor().open(`/operate/${list}`);
		expect(await looks()).toHaveLength(before + 1);
		clock.mockRestore();
	});
});

describe("a suspended account", () => {
	it("stops in every way but export, erasure and refresh, keeps its addresses, and goes on where it is restored", async () => {
		const owner = await newOwner();
		const { canonical } = owner;
		const { key } = await newKey(owner, { scopes: ["addresses:write"] });
		const recovery_code = await newRecoveryCode(owner);
		await acted(`accounts/${owner.user.id}/suspend`, { reason });

		const suspended = { code: "ACCOUNT_SUSPENDED" };
		const refusal = await json(login(owner.user.phone), 403);
		expect(refusal).toMatchObject({ ...suspended, detail: expect.stringContaining("office@addr.example") });
		await problem(login(owner.user.phone, "a wrong one"), 401, "INVALID_CREDENTIALS");
		const reset = { phone: owner.user.phone, recovery_code, new_password: "nine green hens" };
		expect(await json(post("/v1/auth/password/reset", reset), 403)).toMatchObject(suspended);
		const paths = ["/v1/auth/me", "/v1/auth/sessions", "/v1/keys", "/v1/addresses", `/v1/addresses/${canonical}`];
		for (const path of paths) {
			expect(await json(call(path, { token: owner.access }), 403), path).toMatchObject(suspended);
		}
		for (const header of [`Api-Key ${key}`, `Bearer ${key}`]) {
			const headers = { Authorization: header };
			expect(await json(post("/v1/addresses", LAGOS, { headers }), 403)).toMatchObject(suspended);
			expect(await json(call(`/v1/addresses/${canonical}`, { headers }), 403)).toMatchObject(suspended);
		}
		await json(call(`/v1/public/addresses/${canonical}`));
		const pair = await json<{ access: string }>(post("/v1/auth/token/refresh", { refresh: owner.refresh }));
		const held = await json(call("/v1/auth/me/export", { token: pair.access }));
		expect(held).toMatchObject({ account: { suspended_at: expect.any(String) }, operator_acts: [{ act: "suspend" }] });
		expect(JSON.stringify(held)).not.toMatch(/ada@addr|Ticket/);

		await acted(`accounts/${owner.user.id}/restore`, { reason });
		await json(call("/v1/auth/me", { token: pair.access }));
		await json(call(`/v1/addresses/${canonical}`, { headers: { Authorization: `Api-Key ${key}` } }));
		await json(login(owner.user.phone));
	});

	it("whose holder forgot the password gets a new one by the recovery code, and a session that exports and deletes alone", async () => {
		const { user, ...owner } = await newOwner();
		const recovery_code = await newRecoveryCode(owner);
		await acted(`accounts/${user.id}/suspend`, { reason });
		const reset = (more: object) =>
			post("/v1/auth/password/reset", { phone: user.phone, recovery_code, new_password: "nine green hens", ...more });
		await problem(reset({}), 403, "ACCOUNT_SUSPENDED");
		await problem(reset({ recovery_code: "AAAA", even_suspended: true }), 401, "INVALID_CREDENTIALS");
		const { access: token, refresh } = await json<SignedInUser>(reset({ even_suspended: true }));
		await problem(call("/v1/auth/me", { token: owner.access }), 401, "INVALID_TOKEN");
		await problem(call("/v1/auth/me", { token }), 403, "ACCOUNT_SUSPENDED");
		await problem(post("/v1/addresses", LAGOS, { token }), 403, "ACCOUNT_SUSPENDED");
		await json(call("/v1/auth/me/export", { token }));
		await problem(reset({ even_suspended: true }), 401, "INVALID_CREDENTIALS");
		const { access } = await json<SignedInUser>(post("/v1/auth/token/refresh", { refresh }));
		await json(call("/v1/auth/me", { method: "DELETE", token: access, body: { password: "nine green hens" } }), 202);
	});

	it("can be erased by its holder", async () => {
		const owner = await signUp();
		await acted(`accounts/${owner.user.id}/suspend`, { reason });
		await json(call("/v1/auth/me", { method: "DELETE", token: owner.access, body: { password: PASSWORD } }), 202);
	});
});

describe("other acts", () => {
	it("make and unmake an agent", async () => {
		const [agent, owner] = [await signUp(), await signUp()];
		const attest = () =>
			post("/v1/auth/attest-phone", { phone: owner.user.phone, user_id: owner.user.id }, { token: agent.access });
		await json(attest(), 403);
		await acted(`accounts/${agent.user.id}/role`, { role: "agent", reason });
		await json(attest());
		await acted(`accounts/${agent.user.id}/role`, { role: "user", reason });
		await json(attest(), 403);
	});

	it("show what an agent attested", async () => {
		const [agent, owner] = [await signUp(), await newOwner()];
		const { canonical } = owner;
		await acted(`accounts/${agent.user.id}/role`, { role: "agent", reason });
		await sql(
			`insert into attestations (id, canonical, agent_id, level, note, position, distance, created_at)
			values ('att_x', ?, ?, 2, 'At the gate', '{"lat":6.5243,"lng":3.3792,"accuracy":8}', 11.1, 1700000000000)`,
			canonical,
			agent.user.id,
		);
		const position = { lat: 6.5243, lng: 3.3792, accuracy_m: 8 };
		const visit = { canonical, level: 2, note: "At the gate", position, distance_m: 11.1 };
		expect(await acted(`accounts/${agent.user.id}`)).toMatchObject({
			attested: [{ ...visit, created_at: "2023-11-14T22:13:20.000Z" }],
		});
		await patch(`/v1/addresses/${canonical}`, { visibility: "private" }, { token: owner.access });
		const withheld = { ...visit, note: "", position: null };
		expect(await acted(`accounts/${agent.user.id}`)).toMatchObject({ attested: [withheld] });
		const readByAct = { attested: [{ agent: agent.user.id, ...visit }] };
		expect(await acted(`addresses/${canonical}/read`, { reason })).toMatchObject(readByAct);
		const read = "insert into private_reads (canonical, agent_id, read_at) values (?, ?, 1700000000001)";
		await sql(read, canonical, agent.user.id);
		const visitor = await new OperatorVisitor().open(`/operate/accounts/${agent.user.id}`);
		expect(visitor.text).toMatch(/Private addresses read as an agent NG-[\d-]+ 14 Nov 2023.*Level 2.*From 11 m away/);
		const { data } = await acted<{ data: { account: string }[] }>("agents");
		expect(data.find(({ account }) => account === agent.user.id)).toEqual({
			account: agent.user.id,
			phone: agent.user.phone,
			suspended_at: null,
			last_attested: canonical,
			last_attested_at: "2023-11-14T22:13:20.000Z",
			attested_last_day: 0,
			last_private_read_at: "2023-11-14T22:13:20.001Z",
		});
		expect(data.some(({ account }) => account === owner.user.id)).toBe(false);
		await visitor.open("/operate/agents");
		expect(visitor.text).toMatch(new RegExp(`\\+${agent.user.phone.slice(1)} Last attested NG-[\\d-]+, 14 Nov 2023`));
	});

	it("raise and end an allowance of new addresses", async () => {
		const owner = await signUp();
		const settings = { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: "1" };
		const create = () => post("/v1/addresses", LAGOS, { token: owner.access, settings });
		await json(create(), 201);
		expect(await json(create(), 429)).toMatchObject({ detail: expect.stringContaining("create 1 addresses") });
		await acted(`accounts/${owner.user.id}/allowance`, { new_addresses_per_day: 3, reason });
		const second = await create();
		expect(second.headers.get("RateLimit-Policy")).toContain("q=3");
		await json(second, 201);
		await json(create(), 201);
		expect(await json(create(), 429)).toMatchObject({ detail: expect.stringContaining("create 3 addresses") });
		await acted(`accounts/${owner.user.id}/allowance`, { new_addresses_per_day: null, reason });
		expect(await json(create(), 429)).toMatchObject({ detail: expect.stringContaining("create 1 addresses") });
	});

	it("grant a key changes:read, and no longer once it is revoked", async () => {
		const owner = await signUp();
		const { id } = await newKey(owner, { scopes: ["addresses:write"] });
		const scopes = ["addresses:read", "changes:read"];
		await acted(`keys/${id}/scopes`, { scopes, reason });
		expect(await json(call("/v1/keys", { token: owner.access }))).toMatchObject([{ id, scopes }]);
		await json(post("/v1/keys", { name: "k", mode: "live", scopes }, { token: owner.access }), 400);
		await acted(`keys/${id}/revoke`, { reason });
		expect(await json(call("/v1/keys", { token: owner.access }))).toEqual([]);
		await problem(operate(`keys/${id}/scopes`, { scopes, reason }), 404, "KEY_NOT_FOUND");
		await problem(operate(`keys/${id}/revoke`, { reason }), 404, "KEY_NOT_FOUND");
		const { data } = await acted<{ data: object[] }>(`acts?subject=${id}`);
		expect(data).toMatchObject([{ act: "revoke-key", account: owner.user.id, reason }, { act: "scopes" }]);
	});

	it("hand an address over whose account is missing, and no other", async () => {
		const [lost, holder, example] = [await newOwner({ ...LAGOS, label: "Blue gate" }), await signUp(), "NG137748215"];
		const to = (user: string, code: string) => operate(`accounts/${user}/hand-over`, { code, reason });
		const { canonical } = lost;
		await problem(to(holder.user.id, canonical), 400, "INVALID_REQUEST");
		await problem(to(holder.user.id, example), 400, "INVALID_REQUEST");
		await sql("delete from users where id = ?", lost.user.id);
		await json(to("usr_x", canonical), 400);
		await sql("update users set erase_at = ? where id = ?", Date.now() + 1e8, holder.user.id);
		await problem(to(holder.user.id, canonical), 400, "INVALID_REQUEST");
		await sql("update users set erase_at = null where id = ?", holder.user.id);
		// Whoever mints again what they lost uses the same names.
		const { canonical: again } = await mint(holder.access, LAGOS);
		const named = "update addresses set external_id = 'meter 1', idempotency_key = 'key 1' where canonical in (?, ?)";
		await sql(named, canonical, again);
		await json(to(holder.user.id, canonical));
		await problem(to(lost.user.id, canonical), 400, "INVALID_REQUEST");
		const owned = await json(call(`/v1/addresses/${canonical}`, { token: holder.access }));
		expect(owned).toMatchObject({ label: "Blue gate", owned: true });
		const { data } = await acted<{ data: object[] }>(`acts?subject=${canonical}`);
		expect(data).toMatchObject([{ act: "hand-over", account: holder.user.id, reason }]);
	});

	it("that change nothing say so, and are not kept", async () => {
		const { user, canonical } = await newOwner();
		const none = async (path: string, body = {}) =>
			expect((await problem(operate(path, { ...body, reason }), 400, "INVALID_REQUEST")).detail).toContain(
				"Already done",
			);
		await none(`accounts/${user.id}/restore`);
		await none(`accounts/${user.id}/role`, { role: "user" });
		await none(`addresses/${canonical}/show`);
		await acted(`accounts/${user.id}/suspend`, { reason });
		await acted(`addresses/${canonical}/hide`, { reason });
		await none(`accounts/${user.id}/suspend`);
		await acted(`accounts/${user.id}/sign-out`, { reason });
		await none(`accounts/${user.id}/sign-out`);
		await none(`addresses/${canonical}/hide`);
		const { data } = await acted<{ data: { act: string }[] }>(`acts?account=${user.id}`);
		expect(data.map(({ act }) => act)).toEqual(["sign-out", "hide", "suspend"]);
	});

	it("retire an address, with any other live one as its successor", async () => {
		const [{ canonical }, { canonical: successor }] = [await newOwner(), await newOwner()];
		await json(operate(`addresses/${canonical}/retire`, { successor: canonical, reason }), 400);
		await json(call(`/v1/public/addresses/${canonical}`));
		const sandbox = await json(operate(`addresses/${canonical}/retire`, { successor: "ZZ000000009", reason }), 400);
		expect(JSON.stringify(sandbox)).toContain("Sandbox addresses");
		await acted(`addresses/${canonical}/retire`, { successor, reason });
		expect(await json(call(`/v1/public/addresses/${canonical}`), 410)).toMatchObject({ successor });
		await json(operate(`addresses/${canonical}/retire`, { reason }), 410);
	});

	it("hide and retire no example of the documentation, which every registry has", async () => {
		for (const [code, act] of [
			["NG-1377-48215", "retire"],
			["ZZ-0000-00009", "hide"],
		] as const) {
			const { detail } = await problem(operate(`addresses/${code}/${act}`, { reason }), 400, "INVALID_REQUEST");
			expect(detail).toContain("example");
			await json(call(`/v1/public/addresses/${code}`));
		}
	});

	it("hide an address from everyone but its owner at once, in every way, and show it again", async () => {
		const [owner, other] = [await newOwner({ ...LAGOS, label: "Blue gate" }), await signUp()];
		const { canonical } = owner;
		const ways = ["", ".geojson"].map((ending) => `/v1/public/addresses/${canonical}${ending}`);
		const all = [...ways, `/a/${canonical}`, `/a/${canonical}/contact.vcf`, `/v1/addresses/${canonical}/label.svg`];
		for (const way of all) expect((await call(way)).status, way).toBe(200);
		await acted(`addresses/${canonical}/hide`, { reason });
		for (const way of all) expect(await (await call(way)).text(), way).not.toMatch(/Blue gate|6\.5244/);
		for (const way of ways) {
			expect((await problem(call(way), 403, "ADDRESS_PRIVATE")).detail).toContain("operator");
		}
		await json(call(`/v1/addresses/${canonical}`, { token: other.access }), 403);
		const body = { codes: [canonical] };
		const batch = await json(post("/v1/public/addresses/batch", body, { token: other.access }));
		expect(batch).toMatchObject({ data: [{ status: "failed", problem: { code: "ADDRESS_PRIVATE" } }] });
		await json(call(`/v1/addresses/${canonical}`, { token: owner.access }));
		await json(patch(`/v1/addresses/${canonical}`, { label: "Green gate" }, { token: owner.access }));
		for (const way of ways) await json(call(way), 403);
		await acted(`addresses/${canonical}/show`, { reason });
		for (const way of all) expect((await call(way)).status, way).toBe(200);
	});

	it.each(["show", "hide"])(
		"retire an address once, where two retire it and a third would %s it at the same moment",
		async (third) => {
			const owner = await signUp();
			const [{ canonical }, first, second] = [
				await mint(owner.access, LAGOS),
				await mint(owner.access, LAGOS),
				await mint(owner.access, LAGOS),
			];
			const retire = (successor: string) => operate(`addresses/${canonical}/retire`, { successor, reason });
			if (third === "show") await acted(`addresses/${canonical}/hide`, { reason });
			const both = await Promise.all([
				retire(first.canonical),
				retire(second.canonical),
				operate(`addresses/${canonical}/${third}`, { reason }),
			]);
			const { data } = await acted<{ data: { act: string; detail: string }[] }>(`acts?subject=${canonical}`);
			const kept = data.filter(({ act }) => act === "retire");
			expect(kept).toHaveLength(1);
			expect(
				both
					.slice(0, 2)
					.map(({ status }) => status)
					.sort(),
			).toEqual([200, 410]);
			expect([200, 410]).toContain(both[2]!.status);
			expect(data.filter(({ act }) => act === third)).toHaveLength(both[2]!.status === 200 ? 1 : 0);
			expect(await json(call(`/v1/public/addresses/${canonical}`), 410)).toMatchObject({ successor: kept[0]!.detail });
		},
	);

	it("on nobody do nothing and are not kept", async () => {
		const before = await acted<{ data: object[] }>("acts?limit=100");
		for (const name of ["suspend", "restore", "sign-out"])
			await json(operate(`accounts/usr_x/${name}`, { reason }), 404);
		await json(operate("accounts/usr_x/role", { role: "agent", reason }), 404);
		await json(operate("acts?cursor=x"), 400);
		await json(operate("accounts/usr_x/allowance", { new_addresses_per_day: 5, reason }), 404);
		expect(await acted("acts?limit=100")).toEqual(before);
	});
});

describe("the record of acts", () => {
	it("can be neither changed nor deleted", async () => {
		const { user } = await signUp();
		await acted(`accounts/${user.id}/sign-out`, { reason });
		for (const statement of [
			"delete from operator_acts",
			"update operator_acts set reason = ''",
			"update operator_acts set reason = 'other'",
			"update operator_acts set operator = 'other', reason = ''",
			"update operator_acts set at = 1, reason = ''",
		]) {
			await expect(sql(`${statement} where user_id = ?`, user.id)).rejects.toThrow("only ever added");
		}
	});

	it("forgets why a report on a person's retired address was decided, where the person is erased", async () => {
		const owner = await signUp();
		const { canonical } = await mint(owner.access, LAGOS);
		const { id } = await json<{ id: string }>(
			post(`/v1/public/addresses/${canonical}/reports`, { kind: "gone", text: "It is gone" }),
			201,
		);
		await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: owner.access });
		await acted(`reports/${id}/text`, { reason: "Ama of Elm Street" });
		await acted(`reports/${id}/decide`, { decision: "nothing", reason: "Ama of Elm Street" });
		expect((await acted<{ data: object[] }>(`acts?account=${owner.user.id}`)).data).toHaveLength(2);
		await sql("update users set erase_at = 1 where id = ?", owner.user.id);
		await cleanUp(env, Date.now());
		expect(await sql("select * from operator_acts where reason like '%Elm Street'")).toEqual([]);
	});

	it("keeps of an erased person that something was done, and neither who they were nor why", async () => {
		const { user } = await signUp();
		await acted(`accounts/${user.id}/suspend`, { reason: "They wrote from Elm Street" });
		await sql("update users set erase_at = 1 where id = ?", user.id);
		await cleanUp(env, Date.now());
		const results = await sql("select * from operator_acts where act = 'suspend' order by at desc limit 1");
		expect(results).toMatchObject([
			{ operator: "ada@addr.example", reason: "", subject: expect.stringMatching(/^[0-9a-f]{64}$/) },
		]);
		expect(JSON.stringify(results)).not.toContain(user.id);
	});
});

it("lists zones by fill, fullest first, as the hourly job counted them", async () => {
	const kano = { lat: 12.0022, lng: 8.592 };
	const { zone, zone_name: name, ...owner } = await newOwner(kano);
	for (let count = 0; count < 12; count += 1) await mint(owner.access, kano);
	await forgetWatch();
	expect(await acted("zones?country=NG")).toEqual({ counted_at: null, data: [], next_cursor: null });
	const now = Date.now();
	await countOthers(now);
	await watch(env, now);
	await mint(owner.access, kano);
	type Zones = { counted_at: string; data: { zone: string; issued: number }[] };
	const { counted_at, data } = await acted<Zones>("zones?country=NG");
	expect(counted_at).toBe(new Date(now).toISOString());
	expect(data.map(({ issued }) => issued)).toEqual(data.map(({ issued }) => issued).sort((a, b) => b - a));
	expect(data.find((row) => row.zone === zone)).toMatchObject({ zone_name: name, issued: 13, left: 9078 });
});
