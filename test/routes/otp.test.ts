import { env } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";
import { call, freshAddress, json, ORIGIN, post, problem } from "../support/client.ts";
import { lastCode, sentTo, smsGateway, wrongFor } from "../support/one-time-codes.ts";
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
import { codeFor, postWithCodes, requestCode } from "../support/request-codes.ts";
import { row, sql } from "../support/sql.ts";

const NEW = "nine green hens";

const request = (token: string, phone: string, settings: object = {}) => requestCode(phone, { token, settings });
const verify = (token: string, phone: string, code: string, settings: object = {}, current_password = PASSWORD) =>
	// The password is wanted where the number is another than the account's.
	postWithCodes("/v1/auth/otp/verify", { phone, code, current_password }, { token, settings });
const register = (phone: string, otp: string, from?: string) =>
	postWithCodes("/v1/auth/register", { phone, password: PASSWORD, otp }, { from });
const reset = (phone: string, otp: string, from?: string, more: object = {}) =>
	postWithCodes("/v1/auth/password/reset", { phone, otp, new_password: NEW, ...more }, { from });
const login = (phone: string, password: string) => post("/v1/auth/login", { phone, password });
const me = (token: string) => json(call("/v1/auth/me", { token }));

/** Makes the codes of a phone that many milliseconds older. */
const age = (phone: string, by: number) =>
	sql("update otp_codes set sent_at = sent_at - ?1, expires_at = expires_at - ?1 where phone = ?2", by, phone);
const forgetCodes = () => sql("delete from otp_codes");
const proofOf = (phone: string) => row("select * from phone_proofs where phone = ?", phone);

async function wrongCode(answer: Response | Promise<Response>): Promise<void> {
	expect(await json(answer, 400)).toMatchObject({ code: "INVALID_REQUEST", errors: [{ path: "code" }] });
}

describe("while no gateway is configured", () => {
	it.each(["request", "verify", "signed-out"])("otp/%s is disabled for anyone, whatever they send", async (name) => {
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
			await problem(answer, 503, "OTP_DISABLED");
		}
	});

	it.each([
		["register", { password: PASSWORD }],
		["password/reset", { new_password: NEW }],
	])("%s takes no code", async (path, body) => {
		const answer = post(`/v1/auth/${path}`, { phone: freshPhone(), otp: "12345678", ...body });
		await problem(answer, 503, "OTP_DISABLED");
	});
});

it.each(["OTP_GATEWAY_URL", "OTP_GATEWAY_TOKEN"] as const)(
	"with %s alone, codes are disabled and all else goes on",
	async (name) => {
		const { access: token, user } = await signUp();
		const settings = { [name]: smsGateway[name] };
		const answer = post("/v1/auth/otp/request", { phone: user.phone }, { token, settings });
		await problem(answer, 503, "OTP_DISABLED");
		await json(call("/v1/auth/me", { token, settings }));
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
		const authorization = `Bearer ${smsGateway.OTP_GATEWAY_TOKEN}`;
		expect(message).toMatchObject({ path: "/sms", authorization, to: user.phone });
		const code = await lastCode(user.phone);
		expect(code).toMatch(/^\d{8}$/);
		// The phone fills it in on this host's own page alone, and the message stays within one SMS.
		expect(message?.text.split("\n").at(-1)).toBe(`@${new URL(ORIGIN).host} #${code}`);
		expect(message?.text.length).toBeLessThanOrEqual(160);
		const stored = await row("select code_hash from otp_codes where phone = ?", user.phone);
		expect(stored?.code_hash).toMatch(/^[0-9a-f]{64}$/);

		expect(await me(access)).toMatchObject({ phone_verified: false });
		expect(await json(verify(access, spaced, code))).toEqual({ ...user, phone_verified: true });
		expect(await me(access)).toMatchObject({ phone_verified: true });
		await wrongCode(verify(access, user.phone, code));
		const proofs = await sql("select method, agent_id, taken_from from phone_proofs where user_id = ?", user.id);
		expect(proofs).toEqual([{ method: "otp", agent_id: null, taken_from: null }]);
	});

	it("may be tried five times, also by guesses that race", async () => {
		const { access, user } = await signUp();
		const code = await codeFor(user.phone, { token: access });
		await Promise.all(Array.from({ length: 5 }, () => wrongCode(verify(access, user.phone, wrongFor(code)))));
		await wrongCode(verify(access, user.phone, code));
		expect(await row("select tries from otp_codes where phone = ?", user.phone)).toEqual({ tries: 5 });
	});

	it("works once when four requests use it at the same time, to verify a phone and to open an account", async () => {
		const { access: token, user } = await signUp();
		const code = await codeFor(user.phone, { token });
		const verified = await Promise.all(Array.from({ length: 4 }, () => verify(token, user.phone, code)));
		expect(verified.filter(({ status }) => status === 200)).toHaveLength(1);
		const [phone, from] = [freshPhone(), freshAddress()];
		const opening = await codeFor(phone, { from });
		const opened = await Promise.all(Array.from({ length: 4 }, () => register(phone, opening, from)));
		expect(opened.filter(({ status }) => status === 201)).toHaveLength(1);
	});

	it("expires after ten minutes", async () => {
		const { access, user } = await signUp();
		const code = await codeFor(user.phone, { token: access });
		await age(user.phone, 10 * 60_000 + 1);
		await wrongCode(verify(access, user.phone, code));
	});

	it("ends with the next one, and belongs to the user who asked", async () => {
		const { access: token, user } = await signUp();
		const first = await codeFor(user.phone, { token });
		await age(user.phone, 61_000);
		const second = await codeFor(user.phone, { token });
		const stranger = await signUp();
		await wrongCode(verify(stranger.access, user.phone, second));
		if (first !== second) await wrongCode(verify(token, user.phone, first));
		await json(verify(token, user.phone, second));
	});

	it("survives a rotation of the signing secrets", async () => {
		const { access: token, user } = await signUp();
		const code = await codeFor(user.phone, { token });
		const settings = { JWT_SECRETS: `next:${"n".repeat(32)},${env.JWT_SECRETS}` };
		await json(verify(token, user.phone, code, settings));
	});
});

describe("codes are sent", () => {
	it("once a minute per phone to one account, even when requests race", async () => {
		const { access, user } = await signUp();
		const answers = await Promise.all(Array.from({ length: 6 }, () => request(access, user.phone)));
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 429, 429, 429, 429, 429]);
		expect(await sentTo(user.phone)).toHaveLength(1);
	});

	it.each(["an account", "a network"])("once a minute and five times a day per phone to %s", async (asker) => {
		const { access: token, user } = await signUp();
		const by = asker === "an account" ? { token } : { from: freshAddress() };
		for (let left = 4; left >= 0; left -= 1) {
			const accepted = await requestCode(user.phone, by);
			expect(accepted.headers.get("RateLimit-Policy")).toContain('"one-time-codes";q=5;w=86400');
			expect(accepted.headers.get("RateLimit")).toMatch(new RegExp(`^"one-time-codes";r=${left};t=86\\d{3}`));
			await json(accepted, 202);
			const refused = await requestCode(user.phone, by);
			const wait = Number(refused.headers.get("Retry-After"));
			expect(wait).toBeGreaterThan(left === 0 ? 86_000 : 50);
			expect(wait).toBeLessThanOrEqual(left === 0 ? 86_400 : 60);
			await problem(refused, 429, "RATE_LIMITED");
			await age(user.phone, 61_000);
		}
		const refused = await requestCode(user.phone, by);
		expect(refused.headers.get("RateLimit")).toMatch(/^"one-time-codes";r=0;t=86\d{3}$/);
		await json(refused, 429);
		await age(user.phone, 24 * 3_600_000);
		await json(requestCode(user.phone, by), 202);
	});

	it("up to the daily quota of a calling code, and then still to other calling codes", async () => {
		const { access } = await signUp();
		const settings = { OTP_PER_CALLING_CODE_AND_DAY: "2" };
		const danish = ["+4520123456", "+4520123457", "+4520123458"];
		const answers = await Promise.all(danish.map((phone) => request(access, phone, settings)));
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 429]);
		const refused = answers.find(({ status }) => status === 429);
		expect(refused?.headers.get("Retry-After")).toMatch(/^\d+$/);
		await problem(refused!, 429, "QUOTA_EXCEEDED");
		await json(request(access, "+4791234567", settings), 202);
	});

	it("up to the daily quota of an account, whatever the phones", async () => {
		const { access } = await signUp();
		const phones = Array.from({ length: 11 }, (_, index) => `+467012345${String(index).padStart(2, "0")}`);
		const answers = await Promise.all(phones.map((phone) => request(access, phone)));
		expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
		const [refused, ...more] = answers.filter(({ status }) => status === 429);
		expect(more).toEqual([]);
		const { detail } = await json<{ detail: string }>(refused!, 429);
		expect(detail).toMatch(/^Your account may request 10 one-time codes per day \(UTC\)\. The count restarts at /);
		await json(request((await signUp()).access, "+46701234570"), 202);
	});

	it.each([
		["refuses, which spends nothing", `${inject("smsGateway")}/400`, 202],
		["does not answer, which counts, so that retries cannot pump messages", "http://127.0.0.1:9", 429],
		["fails, perhaps after it sent, which counts", `${inject("smsGateway")}/500`, 429],
		["gives up waiting for its own, which counts", `${inject("smsGateway")}/504`, 429],
		["sends us elsewhere, which counts", `${inject("smsGateway")}/302`, 429],
	])("or not, where the gateway %s", async (_, OTP_GATEWAY_URL, again) => {
		const { access, user } = await signUp();
		await problem(request(access, user.phone, { OTP_GATEWAY_URL }), 503, "UNAVAILABLE");
		await json(request(access, user.phone), again);
	});

	it("never to text that is not a phone number", async () => {
		const { access } = await signUp();
		for (const phone of ["0803 123 4567", "+2348031234567;ext=5"]) {
			await problem(request(access, phone), 400, "INVALID_PHONE");
		}
	});
});

describe("a number that its holder proves", () => {
	it("passes from an unverified account that has not proved it, which keeps its sessions and addresses", async () => {
		const phone = freshPhone();
		const squatter = await signUp(phone);
		const { canonical } = await mint(squatter.access, LAGOS);
		const owner = await signUp();
		const code = await codeFor(phone, { token: owner.access });
		expect(await json(verify(owner.access, phone, code))).toEqual({ ...owner.user, phone, phone_verified: true });
		expect(await json(login(phone, PASSWORD))).toMatchObject({ user: { id: owner.user.id } });
		await json(login(owner.user.phone, PASSWORD), 401);
		expect(await me(squatter.access)).toMatchObject({ ...squatter.user, phone: null, phone_verified: false });
		expect(await json(call(`/v1/addresses/${canonical}`, { token: squatter.access }))).toMatchObject({ owned: true });
		expect(await proofOf(phone)).toMatchObject({ user_id: owner.user.id, taken_from: squatter.user.id });
		// An account without a number can prove another one.
		const next = freshPhone();
		const nextCode = await codeFor(next, { token: squatter.access });
		expect(await json(verify(squatter.access, next, nextCode))).toMatchObject({ phone: next });
	});

	it("passes so to an account that is opened with the code too, whose number is verified at once", async () => {
		const [phone, from] = [freshPhone(), freshAddress()];
		const squatter = await signUp(phone);
		const code = await codeFor(phone, { from });
		const { access, user } = await json<SignedInUser>(register(phone, code, from), 201);
		expect(user).toMatchObject({ phone, phone_verified: true });
		expect(await me(access)).toMatchObject(user);
		expect(await me(squatter.access)).toMatchObject({ phone: null, phone_verified: false });
		expect(await proofOf(phone)).toMatchObject({ user_id: user.id, method: "otp", taken_from: squatter.user.id });
		await json(login(phone, PASSWORD));
		expect(await json(register(phone, code, from), 400)).toMatchObject({ errors: [{ path: "otp" }] });
	});

	it("never passes from an account that has proved it", async () => {
		const { access, user } = await signUp();
		const thief = await signUp();
		const early = await codeFor(user.phone, { token: thief.access });
		await age(user.phone, 61_000);
		await json(verify(access, user.phone, await codeFor(user.phone, { token: access })));
		// The code that was sent before the number was proved, and a new one.
		await problem(verify(thief.access, user.phone, early), 409, "PHONE_TAKEN");
		await forgetCodes();
		await problem(request(thief.access, user.phone), 409, "PHONE_TAKEN");
		const opening = register(user.phone, await codeFor(user.phone));
		await problem(opening, 409, "PHONE_TAKEN");
		expect(await me(access)).toMatchObject({ ...user, phone_verified: true });
		expect(await me(thief.access)).toMatchObject(thief.user);
	});
});

describe("a password that is reset with a code", () => {
	it("lets its owner in again and ends all sessions, and the code is used up", async () => {
		const { access, refresh, user, canonical } = await newOwner();
		const from = freshAddress();
		const code = await codeFor(user.phone, { from });
		const pair = await json<SignedInUser>(reset(user.phone, code, from));
		expect(Object.keys(pair).sort()).toEqual(["access", "refresh"]);
		expect(await me(pair.access)).toMatchObject({ ...user, phone_verified: true });
		expect(await json(call(`/v1/addresses/${canonical}`, { token: pair.access }))).toMatchObject({ owned: true });
		await json(call("/v1/auth/me", { token: access }), 401);
		await json(post("/v1/auth/token/refresh", { refresh }), 401);
		await json(login(user.phone, PASSWORD), 401);
		await json(login(user.phone, NEW));
		await problem(reset(user.phone, code, from), 401, "INVALID_CREDENTIALS");
	});

	it.each(["reset", "register"])("forgets the sign-ins that failed there before: %s", async (how) => {
		const [{ user }, from] = [await signUp(), freshAddress()];
		const signIn = (password: string) => post("/v1/auth/login", { phone: user.phone, password }, { from });
		for (let failure = 0; failure < 10; failure += 1) await json(signIn("I forgot it"), 401);
		const code = await codeFor(user.phone, { from });
		if (how === "reset") await json(reset(user.phone, code, from));
		else await json(register(user.phone, code, from), 201);
		await json(signIn(how === "reset" ? NEW : PASSWORD));
	});

	it("leaves nothing to whoever opened the account, where the number was not verified", async () => {
		const { access: token, user } = await signUp();
		const use = (token: string, status: number) =>
			json(post("/v1/public/addresses/batch", { codes: ["NG-0421-58212"] }, { token }), status);
		const { key } = await newKey({ access: token });
		const recovery_code = await newRecoveryCode({ access: token });
		const { phone } = user;
		const { access } = await json<SignedInUser>(reset(phone, await codeFor(phone)));
		await json(post("/v1/auth/password/reset", { phone, recovery_code, new_password: PASSWORD }), 401);
		await use(key, 401);
		// The keys of a verified account are its owner's.
		const { key: own } = await newKey({ access });
		await json(reset(phone, await codeFor(phone)));
		await use(own, 200);
		// A thief may have made some, though.
		await json(reset(phone, await codeFor(phone), undefined, { revoke_keys: true }));
		await use(own, 401);
	});

	it("tells a stranger nothing: a wrong code and a phone without an account get one answer", async () => {
		const { user } = await signUp();
		const nobody = freshPhone();
		const answers = [user.phone, nobody].map(async (phone) => {
			const from = freshAddress();
			const { instance: _, ...problem } = await json(reset(phone, wrongFor(await codeFor(phone, { from })), from), 401);
			return problem;
		});
		const [first, second] = await Promise.all(answers);
		expect(first).toEqual(second);
		expect(first).toMatchObject({ code: "INVALID_CREDENTIALS" });
		// The code of a phone without an account still opens one.
		const from = freshAddress();
		const code = await codeFor(nobody, { from });
		await json(reset(nobody, code, from), 401);
		await json(register(nobody, code, from), 201);
	});

	it("is refused for an account that is suspended, unless it asks for the session that may export and delete", async () => {
		const { user } = await signUp();
		await sql("update users set disabled_at = 1 where id = ?", user.id);
		const code = await codeFor(user.phone);
		const from = freshAddress();
		await problem(reset(user.phone, code, from), 403, "ACCOUNT_SUSPENDED");
		const { access: token } = await json<SignedInUser>(reset(user.phone, code, from, { even_suspended: true }));
		await problem(call("/v1/auth/me", { token }), 403, "ACCOUNT_SUSPENDED");
		await json(call("/v1/auth/me/export", { token }));
	});

	it.each([[{ otp: undefined }], [{ recovery_code: "AAAA" }]])("wants either proof and not both: %j", async (more) => {
		const { errors } = await problem(reset(freshPhone(), "12345678", undefined, more), 400, "INVALID_REQUEST");
		expect(errors).toMatchObject([{ path: "recovery_code" }]);
	});
});

describe("the number that one signs in with", () => {
	/** Verifies a phone for an account that is signed in. */
	async function prove(token: string, phone: string, current_password?: string): Promise<Response> {
		await forgetCodes();
		const code = await codeFor(phone, { token });
		return postWithCodes("/v1/auth/otp/verify", { phone, code, current_password }, { token });
	}

	it("is changed with the password alone, by whoever holds the session", async () => {
		const { access, user } = await signUp();
		await json(prove(access, user.phone));
		const next = freshPhone();
		expect(await json(prove(access, next), 400)).toMatchObject({ errors: [{ path: "current_password" }] });
		await problem(prove(access, next, "not my password"), 401, "INVALID_CREDENTIALS");
		expect(await me(access)).toMatchObject({ phone: user.phone, phone_verified: true });
		expect(await json(prove(access, next, PASSWORD))).toMatchObject({ phone: next, phone_verified: true });
		await json(login(next, PASSWORD));
		await json(login(user.phone, PASSWORD), 401);
		expect(await proofOf(next)).toMatchObject({ replaced_phone: user.phone, replaced_verified: 1 });
	});

	it("stays reserved for 30 days after it was given up, for its former holder alone", async () => {
		const { access, user } = await signUp();
		await json(prove(access, user.phone));
		const next = freshPhone();
		await json(prove(access, next, PASSWORD));
		const [stranger, { access: token }] = [await signUp(), await signUpAgent()];
		const { phone } = user;
		for (const attempt of [
			post("/v1/auth/register", { phone, password: PASSWORD }),
			post("/v1/auth/attest-phone", { phone, user_id: stranger.user.id }, { token }),
			request(stranger.access, phone),
			register(phone, await codeFor(phone)),
		]) {
			await problem(attempt, 409, "PHONE_TAKEN");
		}
		expect(await json(prove(access, phone, PASSWORD))).toMatchObject({ phone });
		// Past its time the other number, which was given up now, is anybody's.
		const body = { phone: next, password: PASSWORD };
		await json(post("/v1/auth/register", body), 409);
		await json(post("/v1/auth/register", body, { settings: { PHONE_RESERVED_DAYS: "0" } }), 201);
	});

	it("is not reserved where it was never verified", async () => {
		const { access, user } = await signUp();
		await json(prove(access, freshPhone(), PASSWORD));
		await json(post("/v1/auth/register", { phone: user.phone, password: PASSWORD }), 201);
	});
});
