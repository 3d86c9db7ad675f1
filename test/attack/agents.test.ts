/** What agents may not do. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { call, freshPhone, json, LAGOS, mint, signUp, signUpAgent } from "../support/client.ts";

const attestPhone = (token: string, body: object) => call("/v1/auth/attest-phone", { method: "POST", token, body });

it("no agent attests themselves", async () => {
	const { access, user } = await signUpAgent();
	const { canonical } = await mint(access, LAGOS);
	const body = { level: 3, note: "" };
	const address = call(`/v1/addresses/${canonical}/attestations`, { method: "POST", token: access, body });
	expect(await json(address, 403)).toMatchObject({ code: "FORBIDDEN" });
	const phone = attestPhone(access, { phone: user.phone, user_id: user.id });
	expect(await json(phone, 403)).toMatchObject({ code: "FORBIDDEN" });
	expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject({ verification_level: 0 });
	expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ phone_verified: false });
});

it("no agent verifies a number for whichever account has it, and the proof says which number was replaced", async () => {
	const agent = await signUpAgent();
	const phone = freshPhone();
	const first = await signUp(phone);
	const owner = await signUp();
	const unnamed = attestPhone(agent.access, { phone });
	expect(await json(unnamed, 400)).toMatchObject({ code: "INVALID_REQUEST", errors: [{ path: "user_id" }] });
	await json(attestPhone(agent.access, { phone, user_id: owner.user.id }));
	const proof = await env.DB.prepare(
		"select user_id, taken_from, replaced_phone, replaced_verified from phone_proofs where phone = ?",
	)
		.bind(phone)
		.first();
	expect(proof).toEqual({
		user_id: owner.user.id,
		taken_from: first.user.id,
		replaced_phone: owner.user.phone,
		replaced_verified: 0,
	});
});

it("no agent moves a verified account to another number", async () => {
	const agent = await signUpAgent();
	const { access, user } = await signUp();
	await json(attestPhone(agent.access, { phone: user.phone, user_id: user.id }));
	const moved = attestPhone(agent.access, { phone: freshPhone(), user_id: user.id });
	expect(await json(moved, 403)).toMatchObject({ code: "FORBIDDEN" });
	expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ phone: user.phone, phone_verified: true });
});
