import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, json, patch, post, problem } from "../support/client.ts";
import { lastCode, sentTo, smsGateway } from "../support/one-time-codes.ts";
import {
	AT_LAGOS,
	freshPhone,
	LAGOS,
	mint,
	newKey,
	newOwner,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";

/**
 * The database as it is when a connection breaks at the worst moment: each write is done, and the answer to the first one that
 * matches `which`, or to the batch that it stands in, is lost.
 */
function losingAnswers(which = /^\s*(insert|update|delete)/i): { DB: D1Database; lost: () => number } {
	const inner = new WeakMap<object, { query: string; statement: D1PreparedStatement }>();
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
		inner.set(outer, { query, statement });
		return outer;
	};
	const batch = (outer: D1PreparedStatement[]) => {
		const statements = outer.map((statement) => inner.get(statement)!);
		const isWrite = statements.some(({ query }) => which.test(query));
		return losing(isWrite, () => env.DB.batch(statements.map(({ statement }) => statement)));
	};
	return { DB: { prepare, batch } as D1Database, lost: () => lost };
}

describe("when the answer to a write is lost, the request is answered as if it were not", () => {
	it("minting under an Idempotency-Key, which mints once", async () => {
		const { access, user } = await signUp();
		const { DB, lost } = losingAnswers(/insert into "addresses"/);
		const headers = { "Idempotency-Key": "lost" };
		await json(post("/v1/addresses", LAGOS, { token: access, headers, settings: { DB } }), 201);
		expect(lost()).toBe(1);
		const count = env.DB.prepare("select count(*) as count from addresses where owner_id = ?").bind(user.id);
		expect(await count.first("count")).toBe(1);
	});

	it("retirement", async () => {
		const { access, canonical } = await newOwner();
		const { DB, lost } = losingAnswers();
		const retire = (settings = {}) => call(`/v1/addresses/${canonical}`, { method: "DELETE", token: access, settings });
		expect((await retire({ DB })).status).toBe(204);
		expect(lost()).toBe(1);
		await json(call(`/v1/public/addresses/${canonical}`), 410);
		const version = env.DB.prepare("select version from addresses where canonical = ?").bind(canonical);
		expect(await version.first("version")).toBe(2);
	});

	it("a new label", async () => {
		const { access, canonical } = await newOwner();
		const { DB, lost } = losingAnswers();
		const body = { label: "Green gate" };
		const answer = patch(`/v1/addresses/${canonical}`, body, { token: access, settings: { DB } });
		expect(await json(answer)).toMatchObject(body);
		expect(lost()).toBe(1);
	});

	it("the revocation of a key", async () => {
		const { access } = await signUp();
		const { id } = await newKey({ access });
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
		const answer = post(
			`/v1/addresses/${canonical}/attestations`,
			{ level: 2, note: "", ...AT_LAGOS },
			{ token: agent.access, settings: { DB } },
		);
		expect(await json(answer, 201)).toMatchObject({ verification_level: 2 });
		expect(lost()).toBe(1);
		const count = env.DB.prepare("select count(*) as count from attestations where canonical = ?").bind(canonical);
		expect(await count.first("count")).toBe(1);
	});

	it("a registration, which signs in", async () => {
		const phone = freshPhone();
		const { DB, lost } = losingAnswers();
		const body = { phone, password: PASSWORD };
		const { access, user } = await json<SignedInUser>(post("/v1/auth/register", body, { settings: { DB } }), 201);
		expect(lost()).toBe(1);
		expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ id: user.id, phone });
		const count = env.DB.prepare("select count(*) as count from sessions where user_id = ?").bind(user.id);
		expect(await count.first("count")).toBe(1);
	});

	it("a sign-in, which starts one session", async () => {
		const { user } = await signUp();
		const { DB, lost } = losingAnswers();
		const body = { phone: user.phone, password: PASSWORD };
		const { access } = await json<SignedInUser>(post("/v1/auth/login", body, { settings: { DB } }));
		expect(lost()).toBe(1);
		await json(call("/v1/auth/me", { token: access }));
		const count = env.DB.prepare("select count(*) as count from sessions where user_id = ?").bind(user.id);
		expect(await count.first("count")).toBe(2);
	});

	it("a new key, the last that the quota allows, which works and is the only one", async () => {
		const { access, user } = await signUp();
		const { DB, lost } = losingAnswers();
		const body = { name: "Shop", mode: "live" };
		const settings = { DB, LIVE_KEYS_PER_ACCOUNT: 1 };
		const { key } = await json(post("/v1/keys", body, { token: access, settings }), 201);
		expect(lost()).toBe(1);
		const { canonical } = await mint(access, LAGOS);
		await json(call(`/v1/addresses/${canonical}`, { headers: { Authorization: `Api-Key ${String(key)}` } }));
		const count = env.DB.prepare("select count(*) as count from api_keys where user_id = ?").bind(user.id);
		expect(await count.first("count")).toBe(1);
	});

	it("the attestation of a phone, which is kept once", async () => {
		const { user } = await signUp();
		const agent = await signUpAgent();
		const { DB, lost } = losingAnswers();
		const body = { phone: user.phone, user_id: user.id };
		const answer = post("/v1/auth/attest-phone", body, { token: agent.access, settings: { DB } });
		expect(await json(answer)).toMatchObject({ phone_verified: true });
		expect(lost()).toBe(1);
		const count = env.DB.prepare("select count(*) as count from phone_proofs where user_id = ?").bind(user.id);
		expect(await count.first("count")).toBe(1);
	});

	it("a one-time code asked for and used, each counted once", async () => {
		const { access, user } = await signUp();
		const asking = losingAnswers();
		const body = { phone: user.phone };
		const ask = (settings: object) => post("/v1/auth/otp/request", body, { token: access, settings });
		await json(ask({ ...smsGateway, DB: asking.DB }), 202);
		expect(asking.lost()).toBe(1);
		expect(await sentTo(user.phone)).toHaveLength(1);
		const spent = env.DB.prepare("select count from daily_counts where subject = ?").bind(
			`${user.id}:one-time-codes-of-account`,
		);
		expect(await spent.first("count")).toBe(1);

		const using = losingAnswers(/"used_at" =/);
		const answer = post(
			"/v1/auth/otp/verify",
			{ ...body, code: await lastCode(user.phone) },
			{ token: access, settings: { ...smsGateway, DB: using.DB } },
		);
		expect(await json(answer)).toMatchObject({ phone_verified: true });
		expect(using.lost()).toBe(1);
		const proofs = env.DB.prepare("select count(*) as count from phone_proofs where user_id = ?").bind(user.id);
		expect(await proofs.first("count")).toBe(1);
	});
});

it("minting without an Idempotency-Key is not repeated when its answer is lost, and what it minted is counted", async () => {
	const { access, user } = await signUp();
	const { DB, lost } = losingAnswers(/insert into "addresses"/);
	const answer = post("/v1/addresses", LAGOS, { token: access, settings: { DB } });
	await problem(answer, 503, "UNAVAILABLE");
	expect(lost()).toBe(1);
	const minted = env.DB.prepare("select count(*) as count from addresses where owner_id = ?").bind(user.id);
	expect(await minted.first("count")).toBe(1);
	const counted = env.DB.prepare("select count from daily_counts where subject = ?").bind(`${user.id}:new-addresses`);
	expect(await counted.first("count")).toBe(1);
});
