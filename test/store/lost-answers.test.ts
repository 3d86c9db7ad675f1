import { describe, expect, it } from "vitest";
import type { Bindings } from "../../src/env.ts";
import { standingLimits } from "../../src/settings/limits.ts";
import { call, json, patch, post, problem } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { lastCode, sentTo, smsGateway } from "../support/one-time-codes.ts";
import { acted, operate } from "../support/operators.ts";
import type { SignedInUser } from "../support/people.ts";
import { AT_LAGOS, freshPhone, LAGOS, newKey, newOwner, PASSWORD, signUp, signUpAgent } from "../support/people.ts";
import { countOf, sql, value } from "../support/sql.ts";

const MINTING = /insert into "addresses"/;

/**
 * The answer to a request while the connection to the database breaks at the worst moment: each write is done, and the answer to the first
 * one that matches `which`, or to the batch that it stands in, is lost.
 */
async function losing(
	send: (settings: { DB: D1Database }) => Promise<Response>,
	which = /^\s*(insert|update|delete)/i,
): Promise<Response> {
	let lost = 0;
	const DB = databaseThrough(async (work, queries) => {
		const answer = await work();
		if (lost > 0 || !queries.some((query) => which.test(query))) return answer;
		lost += 1;
		throw new Error("D1_ERROR: Network connection lost.");
	});
	const answer = await send({ DB });
	expect(lost).toBe(1);
	return answer;
}

describe("when the answer to a write is lost, the request is answered as if it were not", () => {
	it("minting under an Idempotency-Key, which mints once", async () => {
		const { access: token, user } = await signUp();
		const headers = { "Idempotency-Key": "lost" };
		const mint = (settings: object) => post("/v1/addresses", LAGOS, { token, headers, settings });
		await json(losing(mint, MINTING), 201);
		expect(await countOf("addresses", "owner_id", user.id)).toBe(1);
	});

	it("retirement", async () => {
		const { access: token, canonical } = await newOwner();
		const path = `/v1/addresses/${canonical}`;
		expect((await losing((settings) => call(path, { method: "DELETE", token, settings }))).status).toBe(204);
		await json(call(`/v1/public/addresses/${canonical}`), 410);
		expect(await value("select version from addresses where canonical = ?", canonical)).toBe(2);
	});

	it("what operators do that cannot be done twice", async () => {
		const { canonical } = await newOwner();
		const { user } = await signUp();
		await sql("insert into pending_phones values (?, ?, 'usr_x', 1, null, null)", user.id, freshPhone());
		for (const path of [`addresses/${canonical}/retire`, `accounts/${user.id}/refuse-phone`]) {
			const body = { reason: "Ticket 4711" };
			await json(losing((settings) => operate(path, body, settings)));
			const { data } = await acted<{ data: object[] }>(`acts?subject=${path.split("/")[1]}`);
			expect(data).toHaveLength(1);
			expect([404, 410]).toContain((await operate(path, body)).status);
		}
	});

	it("a new label", async () => {
		const { access: token, canonical } = await newOwner();
		const body = { label: "Green gate" };
		const answer = losing((settings) => patch(`/v1/addresses/${canonical}`, body, { token, settings }));
		expect(await json(answer)).toMatchObject(body);
	});

	it("the revocation of a key", async () => {
		const { access: token } = await signUp();
		const { id } = await newKey({ access: token });
		const revoke = (settings = {}) => call(`/v1/keys/${id}`, { method: "DELETE", token, settings });
		expect((await losing(revoke)).status).toBe(204);
		await json(revoke(), 404);
	});

	it("an attestation, which is kept once", async () => {
		const { canonical } = await newOwner();
		const { access: token } = await signUpAgent();
		const body = { level: 2, note: "", ...AT_LAGOS };
		const answer = losing((settings) => post(`/v1/addresses/${canonical}/attestations`, body, { token, settings }));
		expect(await json(answer, 201)).toMatchObject({ verification_level: 2 });
		expect(await countOf("attestations", "canonical", canonical)).toBe(1);
	});

	it("a registration, which signs in", async () => {
		const phone = freshPhone();
		const answer = losing((settings) => post("/v1/auth/register", { phone, password: PASSWORD }, { settings }));
		const { access, user } = await json<SignedInUser>(answer, 201);
		expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ id: user.id, phone });
		expect(await countOf("sessions", "user_id", user.id)).toBe(1);
	});

	it("a sign-in, which starts one session", async () => {
		const { user } = await signUp();
		const body = { phone: user.phone, password: PASSWORD };
		const { access } = await json<SignedInUser>(losing((settings) => post("/v1/auth/login", body, { settings })));
		await json(call("/v1/auth/me", { token: access }));
		expect(await countOf("sessions", "user_id", user.id)).toBe(2);
	});

	it("a new key, the last that the quota allows, which works and is the only one", async () => {
		const { access: token, user, canonical } = await newOwner();
		const make = (settings: Partial<Bindings> = {}) =>
			post("/v1/keys", { name: "Shop", mode: "live" }, { token, settings });
		const { quota } = standingLimits["live-keys"];
		for (let made = 1; made < quota; made += 1) await json(make(), 201);
		const answer = losing(({ DB }) => make({ DB }));
		const { key } = await json<{ key: string }>(answer, 201);
		await json(call(`/v1/addresses/${canonical}`, { token: key }));
		expect(await countOf("api_keys", "user_id", user.id)).toBe(quota);
	});

	it("the attestation of a phone, which is kept once", async () => {
		const { user } = await signUp();
		const { access: token } = await signUpAgent();
		const body = { phone: user.phone, user_id: user.id };
		const answer = losing((settings) => post("/v1/auth/attest-phone", body, { token, settings }));
		expect(await json(answer)).toMatchObject({ phone_verified: true });
		expect(await countOf("phone_proofs", "user_id", user.id)).toBe(1);
	});

	it("a one-time code asked for and used, each counted once", async () => {
		const { access: token, user } = await signUp();
		const { phone } = user;
		const send = (name: string, body: object) => (settings: object) =>
			post(`/v1/auth/otp/${name}`, body, { token, settings: { ...smsGateway, ...settings } });
		await json(losing(send("request", { phone })), 202);
		expect(await sentTo(phone)).toHaveLength(1);
		const spent = await value(
			"select count from daily_counts where subject = ?",
			`${user.id}:one-time-codes-of-account`,
		);
		expect(spent).toBe(1);
		const verified = losing(send("verify", { phone, code: await lastCode(phone) }), /"used_at" =/);
		expect(await json(verified)).toMatchObject({ phone_verified: true });
		expect(await countOf("phone_proofs", "user_id", user.id)).toBe(1);
	});
});

it("minting without an Idempotency-Key is not repeated when its answer is lost, and what it minted is counted", async () => {
	const { access: token, user } = await signUp();
	await problem(
		losing((settings) => post("/v1/addresses", LAGOS, { token, settings }), MINTING),
		503,
		"UNAVAILABLE",
	);
	expect(await countOf("addresses", "owner_id", user.id)).toBe(1);
	expect(await value("select count from daily_counts where subject = ?", `${user.id}:new-addresses`)).toBe(1);
});
