import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, json, LAGOS, mint, signUp, signUpAgent } from "../support/client.ts";

/**
 * The database as it is when a connection breaks at the worst moment: each write is done, and the answer to the first one that
 * matches `which` is lost. Reads are D1's own to repeat.
 */
function losingAnswers(which = /^\s*(insert|update|delete)/i): { DB: D1Database; lost: () => number } {
	const inner = new WeakMap<object, D1PreparedStatement>();
	let lost = 0;
	async function losing<Answer>(isWrite: boolean, work: () => Promise<Answer>): Promise<Answer> {
		const answer = await work();
		if (!isWrite || lost > 0) return answer;
		lost += 1;
		throw new Error("D1_ERROR: Network connection lost.");
	}
	const prepare = (query: string, statement: D1PreparedStatement = env.DB.prepare(query)): D1PreparedStatement => {
		const isWrite = which.test(query);
		const outer = {
			bind: (...values: unknown[]) => prepare(query, statement.bind(...values)),
			run: () => losing(isWrite, () => statement.run()),
			all: () => losing(isWrite, () => statement.all()),
			raw: () => losing(isWrite, () => statement.raw()),
		} as D1PreparedStatement;
		inner.set(outer, statement);
		return outer;
	};
	const batch = (statements: D1PreparedStatement[]) =>
		losing(true, () => env.DB.batch(statements.map((statement) => inner.get(statement) ?? statement)));
	return { DB: { prepare, batch } as D1Database, lost: () => lost };
}

describe("when the answer to a write is lost, the request is answered as if it were not", () => {
	it("minting under an Idempotency-Key, which mints once", async () => {
		const { access, user } = await signUp();
		const { DB, lost } = losingAnswers(/insert into "addresses"/);
		const headers = { "Idempotency-Key": "lost" };
		await json(call("/v1/addresses", { method: "POST", token: access, body: LAGOS, headers, settings: { DB } }), 201);
		expect(lost()).toBe(1);
		const count = env.DB.prepare("select count(*) as count from addresses where owner_id = ?").bind(user.id);
		expect(await count.first("count")).toBe(1);
	});

	it("retirement", async () => {
		const { access } = await signUp();
		const { canonical } = await mint(access, LAGOS);
		const { DB, lost } = losingAnswers();
		const retire = (settings = {}) => call(`/v1/addresses/${canonical}`, { method: "DELETE", token: access, settings });
		expect((await retire({ DB })).status).toBe(204);
		expect(lost()).toBe(1);
		await json(call(`/v1/public/addresses/${canonical}`), 410);
		const version = env.DB.prepare("select version from addresses where canonical = ?").bind(canonical);
		expect(await version.first("version")).toBe(2);
	});

	it("a new label", async () => {
		const { access } = await signUp();
		const { canonical } = await mint(access, LAGOS);
		const { DB, lost } = losingAnswers();
		const body = { label: "Green gate" };
		const answer = call(`/v1/addresses/${canonical}`, { method: "PATCH", token: access, body, settings: { DB } });
		expect(await json(answer)).toMatchObject(body);
		expect(lost()).toBe(1);
	});

	it("the revocation of a key", async () => {
		const { access } = await signUp();
		const { id } = await json(
			call("/v1/keys", { method: "POST", token: access, body: { name: "Shop", mode: "live" } }),
			201,
		);
		const { DB, lost } = losingAnswers();
		const revoke = (settings = {}) => call(`/v1/keys/${id}`, { method: "DELETE", token: access, settings });
		expect((await revoke({ DB })).status).toBe(204);
		expect(lost()).toBe(1);
		await json(revoke(), 404);
	});

	it("an attestation, which is kept once", async () => {
		const { access } = await signUp();
		const agent = await signUpAgent();
		const { canonical } = await mint(access, LAGOS);
		const { DB, lost } = losingAnswers();
		const answer = call(`/v1/addresses/${canonical}/attestations`, {
			method: "POST",
			token: agent.access,
			body: { level: 2, note: "" },
			settings: { DB },
		});
		expect(await json(answer, 201)).toMatchObject({ verification_level: 2 });
		expect(lost()).toBe(1);
		const count = env.DB.prepare("select count(*) as count from attestations where canonical = ?").bind(canonical);
		expect(await count.first("count")).toBe(1);
	});
});
