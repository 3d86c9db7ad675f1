/** What is public, what is told, and what is kept: attack.md L1, L6, M4, M9 and I4. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { cleanUp } from "../../src/clean-up.ts";
import { DAY } from "../../src/time.ts";
import { call, json, LAGOS, mint, signUp, signUpAgent } from "../support/client.ts";

const LABEL = "Mama Ada's house, key under the mat";

describe("that the point and the label are public (L1)", () => {
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

describe("a retry under the Idempotency-Key of an address that was retired since (L6)", () => {
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
		const count = env.DB.prepare("select count(*) as count from addresses where idempotency_key = 'one'");
		expect(await count.first("count")).toBe(1);
	});

	it("gets the first answer again while it is live", async () => {
		const { access } = await signUp();
		const first = await json(create(access), 201);
		expect(await json(create(access), 201)).toEqual(first);
	});
});

it("what was attested is what is shown: a new label or point sets the level to 0 (M4)", async () => {
	const agent = await signUpAgent();
	const { access } = await signUp();
	const { canonical } = await mint(access, { ...LAGOS, label: "Blue gate" });
	const path = `/v1/addresses/${canonical}`;
	const attest = () =>
		call(`${path}/attestations`, { method: "POST", token: agent.access, body: { level: 3, note: "" } });
	for (const change of [{ label: "Central Bank, Customer Service" }, { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng }]) {
		await json(attest(), 201);
		expect(await json(call(path, { token: access }))).toMatchObject({ verification_level: 3 });
		expect(await json(call(path, { method: "PATCH", token: access, body: change }))).toMatchObject({
			verification_level: 0,
		});
		expect(await (await call(`/a/${canonical}`)).text()).not.toContain("identified its holder");
	}
});

it("of an address that was retired a month ago neither point, label, owner nor key is kept (M9)", async () => {
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

it("no image fails by the length of the Host (I4)", async () => {
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
