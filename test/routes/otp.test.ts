import { env } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";
import { call, freshPhone, json, LAGOS, mint, PASSWORD, signUp } from "../support/client.ts";
import { lastCode, sentTo, smsGateway } from "../support/one-time-codes.ts";

const request = (token: string, phone: string, settings: object = {}) =>
	call("/v1/auth/otp/request", { method: "POST", token, body: { phone }, settings: { ...smsGateway, ...settings } });
const verify = (token: string, phone: string, code: string, settings: object = {}) =>
	call("/v1/auth/otp/verify", {
		method: "POST",
		token,
		// Wanted where the number is another than the account's.
		body: { phone, code, current_password: PASSWORD },
		settings: { ...smsGateway, ...settings },
	});

/** Makes the codes of a phone that many milliseconds older. */
async function age(phone: string, milliseconds: number): Promise<void> {
	await env.DB.prepare("update otp_codes set sent_at = sent_at - ?1, expires_at = expires_at - ?1 where phone = ?2")
		.bind(milliseconds, phone)
		.run();
}

async function wrongCode(answer: Response | Promise<Response>): Promise<void> {
	expect(await json(answer, 400)).toMatchObject({ code: "INVALID_REQUEST", errors: [{ path: "code" }] });
}

describe("while no gateway is configured", () => {
	it.each(["request", "verify"])("otp/%s is disabled for anyone, whatever they send", async (name) => {
		const { access, user } = await signUp();
		for (const init of [
			{},
			{ token: access },
			{ token: "garbage" },
			{ token: access, body: { phone: user.phone } },
			{ body: "no json" },
			{ headers: { Authorization: "Api-Key x" } },
		]) {
			const answer = await call(`/v1/auth/otp/${name}`, { method: "POST", ...init });
			expect(await json(answer, 503)).toMatchObject({ code: "OTP_DISABLED" });
		}
	});
});

it.each(["OTP_GATEWAY_URL", "OTP_GATEWAY_TOKEN"] as const)(
	"with %s alone, codes are disabled and all else goes on",
	async (name) => {
		const { access, user } = await signUp();
		const settings = { [name]: smsGateway[name] };
		const answer = await call("/v1/auth/otp/request", {
			method: "POST",
			token: access,
			body: { phone: user.phone },
			settings,
		});
		expect(await json(answer, 503)).toMatchObject({ code: "OTP_DISABLED" });
		await json(call("/v1/auth/me", { token: access, settings }));
	},
);

describe("a one-time code", () => {
	it("goes out once through the gateway, is stored hashed, and verifies the phone", async () => {
		const { access, user } = await signUp();
		const spaced = `${user.phone.slice(0, 4)} ${user.phone.slice(4)}`;
		const sent = await json<{ phone: string; expires_at: string }>(request(access, spaced), 202);
		expect(sent.phone).toBe(user.phone);
		expect(Date.parse(sent.expires_at) - Date.now()).toBeGreaterThan(9.9 * 60_000);
		expect(Date.parse(sent.expires_at) - Date.now()).toBeLessThanOrEqual(10 * 60_000);
		const [message, ...more] = await sentTo(user.phone);
		expect(more).toEqual([]);
		expect(message).toMatchObject({
			path: "/sms",
			authorization: `Bearer ${smsGateway.OTP_GATEWAY_TOKEN}`,
			to: user.phone,
		});
		const code = await lastCode(user.phone);
		expect(code).toMatch(/^\d{6}$/);
		const row = await env.DB.prepare("select code_hash from otp_codes where phone = ?").bind(user.phone).first();
		expect(row?.code_hash).toMatch(/^[0-9a-f]{64}$/);

		expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ phone_verified: false });
		expect(await json(verify(access, spaced, code))).toEqual({ ...user, phone_verified: true });
		expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ phone_verified: true });
		await wrongCode(verify(access, user.phone, code));
		const proofs = await env.DB.prepare("select method, agent_id, taken_from from phone_proofs where user_id = ?")
			.bind(user.id)
			.all();
		expect(proofs.results).toEqual([{ method: "otp", agent_id: null, taken_from: null }]);
	});

	it("may be tried five times, also by guesses that race", async () => {
		const { access, user } = await signUp();
		await json(request(access, user.phone), 202);
		const code = await lastCode(user.phone);
		const wrong = code === "000000" ? "111111" : "000000";
		await Promise.all(Array.from({ length: 5 }, () => wrongCode(verify(access, user.phone, wrong))));
		await wrongCode(verify(access, user.phone, code));
		const tries = await env.DB.prepare("select tries from otp_codes where phone = ?").bind(user.phone).first("tries");
		expect(tries).toBe(5);
	});

	it("works once when eight requests use it at the same time", async () => {
		const { access, user } = await signUp();
		await json(request(access, user.phone), 202);
		const code = await lastCode(user.phone);
		const answers = await Promise.all(Array.from({ length: 8 }, () => verify(access, user.phone, code)));
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
	});

	it("expires after ten minutes", async () => {
		const { access, user } = await signUp();
		await json(request(access, user.phone), 202);
		await age(user.phone, 10 * 60_000 + 1);
		await wrongCode(verify(access, user.phone, await lastCode(user.phone)));
	});

	it("ends with the next one, and belongs to the user who asked", async () => {
		const { access, user } = await signUp();
		await json(request(access, user.phone), 202);
		const first = await lastCode(user.phone);
		await age(user.phone, 61_000);
		await json(request(access, user.phone), 202);
		const second = await lastCode(user.phone);
		const stranger = await signUp();
		await wrongCode(verify(stranger.access, user.phone, second));
		if (first !== second) await wrongCode(verify(access, user.phone, first));
		await json(verify(access, user.phone, second));
	});

	it("survives a rotation of the signing secrets", async () => {
		const { access, user } = await signUp();
		await json(request(access, user.phone), 202);
		const settings = { JWT_SECRETS: `next:${"n".repeat(32)},${env.JWT_SECRETS}` };
		await json(verify(access, user.phone, await lastCode(user.phone), settings));
	});
});

describe("codes are sent", () => {
	it("once a minute per phone to one account, even when requests race", async () => {
		const { access, user } = await signUp();
		const answers = await Promise.all(Array.from({ length: 6 }, () => request(access, user.phone)));
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 429, 429, 429, 429, 429]);
		expect(await sentTo(user.phone)).toHaveLength(1);
		const refused = answers.find(({ status }) => status === 429);
		const wait = Number(refused?.headers.get("Retry-After"));
		expect(wait).toBeGreaterThan(50);
		expect(wait).toBeLessThanOrEqual(60);
		expect(await json(refused!, 429)).toMatchObject({ code: "RATE_LIMITED" });
	});

	it("five times a day per phone to one account", async () => {
		const { access, user } = await signUp();
		for (let left = 4; left >= 0; left -= 1) {
			const accepted = await request(access, user.phone);
			expect(accepted.headers.get("RateLimit-Policy")).toBe('"one-time-codes";q=5;w=86400');
			expect(accepted.headers.get("RateLimit")).toMatch(new RegExp(`^"one-time-codes";r=${left};t=86\\d{3}$`));
			await json(accepted, 202);
			await age(user.phone, 61_000);
		}
		const refused = await request(access, user.phone);
		expect(refused.headers.get("RateLimit-Policy")).toBe('"one-time-codes";q=5;w=86400');
		expect(refused.headers.get("RateLimit")).toMatch(/^"one-time-codes";r=0;t=86\d{3}$/);
		expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(86_000);
		await json(refused, 429);
		await age(user.phone, 24 * 3_600_000);
		await json(request(access, user.phone), 202);
	});

	it("up to the daily quota of a calling code, and then still to other calling codes", async () => {
		const { access } = await signUp();
		const settings = { OTP_PER_CALLING_CODE_AND_DAY: "2" };
		const danish = ["+4520123456", "+4520123457", "+4520123458"];
		const answers = await Promise.all(danish.map((phone) => request(access, phone, settings)));
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 429]);
		const refused = answers.find(({ status }) => status === 429);
		expect(refused?.headers.get("Retry-After")).toMatch(/^\d+$/);
		expect(await json(refused!, 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		await json(request(access, "+4791234567", settings), 202);
	});

	it("up to the daily quota of an account, whatever the phones", async () => {
		const { access } = await signUp();
		const phones = Array.from({ length: 11 }, (_, index) => `+467012345${String(index).padStart(2, "0")}`);
		const answers = await Promise.all(phones.map((phone) => request(access, phone)));
		expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
		expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
		const other = await signUp();
		await json(request(other.access, "+46701234570"), 202);
	});

	it("or refused by the gateway, which spends nothing", async () => {
		const { access, user } = await signUp();
		const answer = await request(access, user.phone, { OTP_GATEWAY_URL: `${inject("smsGateway")}/400` });
		expect(await json(answer, 503)).toMatchObject({ code: "UNAVAILABLE" });
		await json(request(access, user.phone), 202);
	});

	it.each([
		["does not answer", "http://127.0.0.1:9"],
		["fails, perhaps after it sent", `${inject("smsGateway")}/500`],
		["gives up waiting for its own", `${inject("smsGateway")}/504`],
		["sends us elsewhere", `${inject("smsGateway")}/302`],
	])("and counts where the gateway %s, so that retries cannot pump messages", async (_, OTP_GATEWAY_URL) => {
		const { access, user } = await signUp();
		const answer = await request(access, user.phone, { OTP_GATEWAY_URL });
		expect(await json(answer, 503)).toMatchObject({ code: "UNAVAILABLE" });
		await json(request(access, user.phone, { OTP_GATEWAY_URL }), 429);
	});

	it("never to text that is not a phone number", async () => {
		const { access } = await signUp();
		expect(await json(request(access, "0803 123 4567"), 400)).toMatchObject({ code: "INVALID_PHONE" });
		expect(await json(request(access, "+2348031234567;ext=5"), 400)).toMatchObject({ code: "INVALID_PHONE" });
	});
});

describe("a number that its holder proves", () => {
	it("passes from an unverified account that has not proved it, which keeps its sessions and addresses", async () => {
		const phone = freshPhone();
		const squatter = await signUp(phone);
		const { canonical } = await mint(squatter.access, LAGOS);
		const owner = await signUp();
		await json(request(owner.access, phone), 202);
		expect(await json(verify(owner.access, phone, await lastCode(phone)))).toEqual({
			...owner.user,
			phone,
			phone_verified: true,
		});
		const login = (number: string) =>
			call("/v1/auth/login", { method: "POST", body: { phone: number, password: PASSWORD } });
		expect(await json(login(phone))).toMatchObject({ user: { id: owner.user.id } });
		await json(login(owner.user.phone), 401);
		expect(await json(call("/v1/auth/me", { token: squatter.access }))).toMatchObject({
			...squatter.user,
			phone: null,
			phone_verified: false,
		});
		expect(await json(call(`/v1/addresses/${canonical}`, { token: squatter.access }))).toMatchObject({ owned: true });
		const proof = await env.DB.prepare("select user_id, taken_from from phone_proofs where phone = ?")
			.bind(phone)
			.first();
		expect(proof).toEqual({ user_id: owner.user.id, taken_from: squatter.user.id });
		// An account without a number can prove another one.
		const next = freshPhone();
		await json(request(squatter.access, next), 202);
		expect(await json(verify(squatter.access, next, await lastCode(next)))).toMatchObject({ phone: next });
	});

	it("never passes from an account that has proved it", async () => {
		const { access, user } = await signUp();
		const thief = await signUp();
		await json(request(thief.access, user.phone), 202);
		const code = await lastCode(user.phone);
		await age(user.phone, 61_000);
		await json(request(access, user.phone), 202);
		await json(verify(access, user.phone, await lastCode(user.phone)));
		await env.DB.prepare("delete from otp_codes where user_id = ?").bind(user.id).run();
		// The code that was sent before the number was proved, and a new one.
		expect(await json(verify(thief.access, user.phone, code), 409)).toMatchObject({ code: "PHONE_TAKEN" });
		await env.DB.prepare("delete from otp_codes where phone = ?").bind(user.phone).run();
		expect(await json(request(thief.access, user.phone), 409)).toMatchObject({ code: "PHONE_TAKEN" });
		expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ ...user, phone_verified: true });
		expect(await json(call("/v1/auth/me", { token: thief.access }))).toMatchObject(thief.user);
	});
});
