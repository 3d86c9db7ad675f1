/** What agents may not do. */
import { expect, it } from "vitest";
import { AT_LAGOS, call, freshPhone, json, LAGOS, mint, signUpAgent } from "../support/client.ts";

const attestPhone = (token: string, body: object) => call("/v1/auth/attest-phone", { method: "POST", token, body });

it("no agent attests themselves", async () => {
	const { access, user } = await signUpAgent();
	const { canonical } = await mint(access, LAGOS);
	const body = { level: 3, note: "", ...AT_LAGOS };
	const address = call(`/v1/addresses/${canonical}/attestations`, { method: "POST", token: access, body });
	expect(await json(address, 403)).toMatchObject({ code: "FORBIDDEN" });
	const phone = attestPhone(access, { phone: user.phone, user_id: user.id });
	expect(await json(phone, 403)).toMatchObject({ code: "FORBIDDEN" });
	expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject({ verification_level: 0 });
	expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ phone_verified: false });
});

it("no agent verifies a number for whichever account has it", async () => {
	const agent = await signUpAgent();
	const unnamed = attestPhone(agent.access, { phone: freshPhone() });
	expect(await json(unnamed, 400)).toMatchObject({ code: "INVALID_REQUEST", errors: [{ path: "user_id" }] });
});
