/** What is public, what callers are told, and what is kept. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { cleanUp } from "../../src/clean-up.ts";
import { DAY } from "../../src/time.ts";
import { AT_LAGOS, call, json, LAGOS, mint, PASSWORD, register, signUp, signUpAgent } from "../support/client.ts";

const LABEL = "Mama Ada's house, key under the mat";

describe("that the point and the label are public", () => {
	it("stands in the API's documents: at the top, where an address is created, and at its label", async () => {
		const document = await json<{
			info: { description: string };
			paths: Record<string, { post: { description: string } }>;
			components: { schemas: Record<string, { properties: { label: { description: string } } }> };
		}>(call("/openapi.json"));
		const { info, paths, components } = document;
		expect(info.description).toContain("are public to everyone who has its code");
		expect(paths["/v1/addresses"]?.post.description).toContain("The exact point and the label are public");
		for (const schema of ["NewAddress", "AddressChange"]) {
			expect(components.schemas[schema]?.properties.label.description, schema).toContain("It is public");
		}
		for (const path of ["/docs", "/llms.txt"]) {
			expect(await (await call(path)).text(), path).toMatch(/point and the label[^.]* public/);
		}
	});
});

describe("a retry under the Idempotency-Key of an address that was retired since", () => {
	const headers = { "Idempotency-Key": "one" };
	const create = (token: string, label = LABEL) =>
		call("/v1/addresses", { method: "POST", token, body: { ...LAGOS, label }, headers });

	it("says that it is retired, and names the successor", async () => {
		const { access } = await signUp();
		const { canonical } = await json<{ canonical: string }>(create(access), 201);
		const successor = await mint(access, LAGOS);
		const body = { successor: successor.canonical };
		expect((await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: access, body })).status).toBe(204);
		const problem = await json(create(access), 410);
		expect(problem).toMatchObject({ code: "ADDRESS_RETIRED", successor: successor.canonical });
		expect(JSON.stringify(problem)).not.toContain(LABEL);
		expect(await json(create(access, "another"), 409)).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
		const count = env.DB.prepare("select count(*) as count from addresses where length(idempotency_key) = 32");
		expect(await count.first("count")).toBe(1);
	});

	it("gets the first answer again while it is live", async () => {
		const { access } = await signUp();
		const first = await json(create(access), 201);
		expect(await json(create(access), 201)).toEqual(first);
	});
});

it("what was attested is what is shown: a new label or point sets the level to 0", async () => {
	const agent = await signUpAgent();
	const { access } = await signUp();
	const { canonical } = await mint(access, { ...LAGOS, label: "Blue gate" });
	const path = `/v1/addresses/${canonical}`;
	const attest = () =>
		call(`${path}/attestations`, { method: "POST", token: agent.access, body: { level: 3, note: "", ...AT_LAGOS } });
	for (const change of [{ label: "Central Bank, Customer Service" }, { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng }]) {
		await json(attest(), 201);
		expect(await json(call(path, { token: access }))).toMatchObject({ verification_level: 3 });
		expect(await json(call(path, { method: "PATCH", token: access, body: change }))).toMatchObject({
			verification_level: 0,
		});
		expect(await (await call(`/a/${canonical}`)).text()).not.toContain("identified its holder");
	}
});

it("of an address that was retired a month ago neither point, label, owner nor key is kept", async () => {
	const { access, user } = await signUp();
	const headers = { "Idempotency-Key": "a-home" };
	const { canonical } = await mint(access, { ...LAGOS, label: LABEL }, headers);
	await call(`/v1/addresses/${canonical}`, { method: "PATCH", token: access, body: { label: "Mama Ada" } });
	await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: access });
	await cleanUp(env, Date.now() + 31 * DAY);
	for (const table of ["addresses", "address_changes", "burnt_codes"]) {
		const { results } = await env.DB.prepare(`select * from ${table} where canonical = ?`).bind(canonical).all();
		const text = JSON.stringify(results);
		for (const secret of ["Ada", "6.52", "a-home", user.id]) expect(text, table).not.toContain(secret);
	}
	expect((await call(`/v1/public/addresses/${canonical}`)).status).toBe(410);
});

it("a code leads to no address of an account that was erased, whether it was burnt before or not", async () => {
	const { access } = await signUp();
	const [first, second, last] = [await mint(access, LAGOS), await mint(access, LAGOS), await mint(access, LAGOS)];
	const retire = async ({ canonical }: { canonical: string }) =>
		call(`/v1/addresses/${canonical}`, { method: "DELETE", token: access, body: { successor: last.canonical } });
	const successors = async () => {
		const query =
			"select successor from burnt_codes where canonical in (?1, ?2) union all select successor from addresses where canonical in (?1, ?2)";
		const { results } = await env.DB.prepare(query)
			.bind(first.canonical, second.canonical)
			.all<{ successor: string }>();
		return results.map(({ successor }) => successor);
	};
	expect((await retire(first)).status).toBe(204);
	await env.DB.prepare("update addresses set retired_at = retired_at - ? where retired_at > 0")
		.bind(31 * DAY)
		.run();
	await cleanUp(env, Date.now());
	expect((await retire(second)).status).toBe(204);
	expect(await successors()).toEqual([last.canonical, last.canonical]);
	await json(call("/v1/auth/me", { method: "DELETE", token: access, body: { password: PASSWORD } }), 202);
	await cleanUp(env, Date.now() + 31 * DAY);
	expect(await successors()).toEqual([null, null]);
});

it("an Idempotency-Key is forgotten after a week, and the address stays", async () => {
	const { access } = await signUp();
	const headers = { "Idempotency-Key": "order-1" };
	const { canonical } = await mint(access, LAGOS, headers);
	await cleanUp(env, Date.now() + 6 * DAY);
	expect((await mint(access, LAGOS, headers)).canonical).toBe(canonical);
	await cleanUp(env, Date.now() + 8 * DAY);
	const kept = env.DB.prepare("select idempotency_key, request_hash from addresses where canonical = ?").bind(
		canonical,
	);
	expect(await kept.first()).toEqual({ idempotency_key: null, request_hash: null });
	await json(call(`/v1/public/addresses/${canonical}`));
	expect((await mint(access, LAGOS, headers)).canonical).not.toBe(canonical);
});

it("an account is erased a month after it was opened where it was never used, and no other", async () => {
	const [unused, owner, keeper, returned] = [await register(), await register(), await register(), await register()];
	await mint(owner.access, LAGOS);
	await json(call("/v1/keys", { method: "POST", token: keeper.access, body: { name: "Shop", mode: "live" } }), 201);
	await json(call("/v1/auth/login", { method: "POST", body: { phone: returned.user.phone, password: PASSWORD } }));
	const opened = [unused, owner, keeper, returned].map(({ user }) => user.id);
	const kept = async () => {
		const query = "select id from users where id in (select value from json_each(?))";
		const { results } = await env.DB.prepare(query).bind(JSON.stringify(opened)).all<{ id: string }>();
		return opened.filter((id) => results.some((row) => row.id === id));
	};
	await cleanUp(env, Date.now() + 29 * DAY);
	expect(await kept()).toEqual(opened);
	for (const days of [31, 62]) {
		await cleanUp(env, Date.now() + days * DAY);
		expect(await kept()).toEqual(opened.slice(1));
	}
});

it.each(['a"b', "a'b", "a$b", "a,b"])("a Host that is none is refused where it would write links: %s", async (host) => {
	for (const path of ["/healthz", "/docs", "/v1/public/addresses/NG042158212", "/my", "/nothing"]) {
		const context = createExecutionContext();
		const answer = await app.fetch(new Request(`https://${host}${path}`), { ...env, WEB_URL: "" }, context);
		await waitOnExecutionContext(context);
		expect(await json(answer, 400), path).toMatchObject({ code: "INVALID_REQUEST" });
	}
});

it("a Host of which no URL can be made is refused too", async () => {
	const request = new Proxy(new Request("https://registry.test/docs"), {
		get: (target, name) => (name === "url" ? "https://a b/docs" : Reflect.get(target, name, target)),
	});
	const context = createExecutionContext();
	const answer = await app.fetch(request, { ...env, WEB_URL: "" }, context);
	await waitOnExecutionContext(context);
	expect(await json(answer, 400)).toMatchObject({ code: "INVALID_REQUEST" });
});

it("no image fails by the length of the Host", async () => {
	const { access } = await signUp();
	const { canonical } = await mint(access, LAGOS);
	const context = createExecutionContext();
	for (const [length, status] of [
		[200, 200],
		[2_400, 400],
	] as const) {
		const host = `${"a.".repeat(length / 2 - 1)}aa`;
		const request = new Request(`https://${host}/v1/addresses/${canonical}/qr.svg`);
		const answer = await app.fetch(request, { ...env, WEB_URL: "" }, context);
		expect(answer.status).toBe(status);
		expect(answer.headers.get("X-Request-Id")).toMatch(/^req_/);
		expect((await answer.text()).length).toBeLessThan(20_000);
	}
	await waitOnExecutionContext(context);
});
