/** Who may have codes sent to a phone, and what a proved phone is good for. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
	call,
	freshAddress,
	freshPhone,
	json,
	LAGOS,
	mint,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/client.ts";
import { lastCode, sentTo, smsGateway } from "../support/one-time-codes.ts";

const NEW = "nine green hens";

const post = (path: string, body: object, address = freshAddress(), settings: object = {}) =>
	call(path, {
		method: "POST",
		body,
		headers: { "CF-Connecting-IP": address },
		settings: { ...smsGateway, ...settings },
	});
const requestSignedOut = (phone: string, address?: string, settings?: object) =>
	post("/v1/auth/otp/signed-out", { phone }, address, settings);
const requestAs = (token: string, phone: string) =>
	call("/v1/auth/otp/request", { method: "POST", token, body: { phone }, settings: smsGateway });
const register = (phone: string, otp: string, address?: string) =>
	post("/v1/auth/register", { phone, password: PASSWORD, otp }, address);
const reset = (phone: string, otp: string, address?: string) =>
	post("/v1/auth/password/reset", { phone, otp, new_password: NEW }, address);
const login = (phone: string, password: string) => post("/v1/auth/login", { phone, password });
const me = (token: string) => json(call("/v1/auth/me", { token }));

/** The code that a phone is sent while nobody is signed in. */
async function codeFor(phone: string, address?: string): Promise<string> {
	await json(requestSignedOut(phone, address), 202);
	return lastCode(phone);
}

const wrongFor = (code: string) => (code === "000000" ? "111111" : "000000");

describe("while no gateway is configured", () => {
	it("no code is sent or taken", async () => {
		const phone = freshPhone();
		const bodies: [string, object][] = [
			["/v1/auth/otp/signed-out", { phone }],
			["/v1/auth/register", { phone, password: PASSWORD, otp: "123456" }],
			["/v1/auth/password/reset", { phone, otp: "123456", new_password: NEW }],
		];
		for (const [path, body] of bodies) {
			expect(await json(call(path, { method: "POST", body }), 503)).toMatchObject({ code: "OTP_DISABLED" });
		}
	});
});

describe("an account that is opened with a code", () => {
	it("has its number verified at once", async () => {
		const phone = freshPhone();
		const address = freshAddress();
		const code = await codeFor(phone, address);
		const opened = await json<SignedInUser>(register(phone, code, address), 201);
		expect(opened.user).toMatchObject({ phone, phone_verified: true });
		expect(await me(opened.access)).toMatchObject(opened.user as object);
		await json(login(phone, PASSWORD));
		expect(await json(register(phone, code, address), 400)).toMatchObject({ errors: [{ path: "otp" }] });
	});

	it("takes its number back from an account that never proved it", async () => {
		const phone = freshPhone();
		const other = await signUp(phone);
		const { user } = await json<SignedInUser>(register(phone, await codeFor(phone)), 201);
		expect(user).toMatchObject({ phone, phone_verified: true });
		expect(await me(other.access)).toMatchObject({ phone: null, phone_verified: false });
		const proof = await env.DB.prepare("select user_id, method, taken_from from phone_proofs where phone = ?")
			.bind(phone)
			.first();
		expect(proof).toEqual({ user_id: user.id, method: "otp", taken_from: other.user.id });
	});

	it("takes none from an account that has proved it", async () => {
		const phone = freshPhone();
		const owner = await json<SignedInUser>(register(phone, await codeFor(phone)), 201);
		expect(await json(register(phone, await codeFor(phone)), 409)).toMatchObject({ code: "PHONE_TAKEN" });
		expect(await me(owner.access)).toMatchObject({ phone, phone_verified: true });
	});

	it("is opened once when eight use the code at the same time", async () => {
		const phone = freshPhone();
		const address = freshAddress();
		const code = await codeFor(phone, address);
		const answers = await Promise.all(Array.from({ length: 8 }, () => register(phone, code, address)));
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
	});
});

describe("a password that is reset with a code", () => {
	it("lets its owner in again and ends all sessions, and the code is used up", async () => {
		const { access, refresh, user } = await signUp();
		const { canonical } = await mint(access, LAGOS);
		const address = freshAddress();
		const code = await codeFor(user.phone, address);
		const pair = await json<SignedInUser>(reset(user.phone, code, address));
		expect(Object.keys(pair).sort()).toEqual(["access", "refresh"]);
		expect(await me(pair.access)).toMatchObject({ ...user, phone_verified: true });
		expect(await json(call(`/v1/addresses/${canonical}`, { token: pair.access }))).toMatchObject({ owned: true });
		await json(call("/v1/auth/me", { token: access }), 401);
		await json(post("/v1/auth/token/refresh", { refresh }), 401);
		await json(login(user.phone, PASSWORD), 401);
		await json(login(user.phone, NEW));
		expect(await json(reset(user.phone, code, address), 401)).toMatchObject({ code: "INVALID_CREDENTIALS" });
	});

	it("leaves nothing to whoever opened the account, where the number was not verified", async () => {
		const other = await signUp();
		const { key } = await json<{ key: string }>(
			call("/v1/keys", { method: "POST", token: other.access, body: { name: "k", mode: "live" } }),
			201,
		);
		const { recovery_code } = await json<{ recovery_code: string }>(
			call("/v1/auth/recovery-code", { method: "POST", token: other.access, body: { password: PASSWORD } }),
			201,
		);
		const { phone } = other.user;
		const { access } = await json<SignedInUser>(reset(phone, await codeFor(phone)));
		await json(post("/v1/auth/password/reset", { phone, recovery_code, new_password: PASSWORD }), 401);
		const asKey = (secret: string) =>
			call("/v1/public/addresses/batch", {
				method: "POST",
				body: { codes: ["NG-0421-58212"] },
				headers: { Authorization: `Api-Key ${secret}` },
			});
		await json(asKey(key), 401);
		// The keys of a verified account are its owner's.
		const own = await json<{ key: string }>(
			call("/v1/keys", { method: "POST", token: access, body: { name: "k", mode: "live" } }),
			201,
		);
		await json(reset(phone, await codeFor(phone)));
		await json(asKey(own.key));
		// A thief may have made some, though.
		const body = { phone, otp: await codeFor(phone), new_password: PASSWORD, revoke_keys: true };
		await json(post("/v1/auth/password/reset", body));
		await json(asKey(own.key), 401);
	});

	it("tells a stranger nothing: a wrong code and a phone without an account get one answer", async () => {
		const { user } = await signUp();
		const nobody = freshPhone();
		const answers = await Promise.all(
			[user.phone, nobody].map(async (phone) => {
				const address = freshAddress();
				const code = await codeFor(phone, address);
				return json(reset(phone, wrongFor(code), address), 401);
			}),
		);
		const [first, second] = answers.map(({ instance: _, ...problem }) => problem);
		expect(first).toEqual(second);
		expect(first).toMatchObject({ code: "INVALID_CREDENTIALS" });
		// The code of a phone without an account still opens one.
		const address = freshAddress();
		const code = await codeFor(nobody, address);
		await json(reset(nobody, code, address), 401);
		await json(register(nobody, code, address), 201);
	});

	it("is refused for an account that is suspended", async () => {
		const { user } = await signUp();
		await env.DB.prepare("update users set disabled_at = 1 where id = ?").bind(user.id).run();
		expect(await json(reset(user.phone, await codeFor(user.phone)), 403)).toMatchObject({ code: "ACCOUNT_SUSPENDED" });
	});

	it("wants either proof and not both", async () => {
		const phone = freshPhone();
		for (const body of [{}, { otp: "123456", recovery_code: "AAAA" }]) {
			expect(await json(post("/v1/auth/password/reset", { phone, new_password: NEW, ...body }), 400)).toMatchObject({
				code: "INVALID_REQUEST",
				errors: [{ path: "recovery_code" }],
			});
		}
	});
});

/** Verifies a phone for an account that is signed in. */
async function verify(token: string, phone: string, password?: string): Promise<Response> {
	await json(requestAs(token, phone), 202);
	const body = {
		phone,
		code: await lastCode(phone),
		...(password === undefined ? {} : { current_password: password }),
	};
	return call("/v1/auth/otp/verify", { method: "POST", token, body, settings: smsGateway });
}

describe("the number that one signs in with", () => {
	it("is changed with the password alone, by whoever holds the session", async () => {
		const { access, user } = await signUp();
		await json(verify(access, user.phone));
		const next = freshPhone();
		expect(await json(verify(access, next), 400)).toMatchObject({ errors: [{ path: "current_password" }] });
		await env.DB.prepare("delete from otp_codes").run();
		expect(await json(verify(access, next, "not my password"), 401)).toMatchObject({ code: "INVALID_CREDENTIALS" });
		expect(await me(access)).toMatchObject({ phone: user.phone, phone_verified: true });
		await env.DB.prepare("delete from otp_codes").run();
		expect(await json(verify(access, next, PASSWORD))).toMatchObject({ phone: next, phone_verified: true });
		await json(login(next, PASSWORD));
		await json(login(user.phone, PASSWORD), 401);
		const proof = await env.DB.prepare("select replaced_phone, replaced_verified from phone_proofs where phone = ?")
			.bind(next)
			.first();
		expect(proof).toEqual({ replaced_phone: user.phone, replaced_verified: 1 });
	});

	it("stays reserved for 30 days after it was given up, for its former holder alone", async () => {
		const { access, user } = await signUp();
		await json(verify(access, user.phone));
		const next = freshPhone();
		await json(verify(access, next, PASSWORD));
		const stranger = await signUp();
		const agent = await signUpAgent();
		const attempts = (settings: object) => [
			call("/v1/auth/register", { method: "POST", body: { phone: user.phone, password: PASSWORD }, settings }),
			call("/v1/auth/attest-phone", {
				method: "POST",
				token: agent.access,
				body: { phone: user.phone, user_id: stranger.user.id },
				settings,
			}),
			requestAs(stranger.access, user.phone),
		];
		for (const attempt of attempts({})) expect(await json(attempt, 409)).toMatchObject({ code: "PHONE_TAKEN" });
		expect(await json(register(user.phone, await codeFor(user.phone)), 409)).toMatchObject({ code: "PHONE_TAKEN" });
		await env.DB.prepare("delete from otp_codes").run();
		expect(await json(verify(access, user.phone, PASSWORD))).toMatchObject({ phone: user.phone });
		// Past its time the other number, which was given up now, is anybody's.
		const settings = { PHONE_RESERVED_DAYS: "0" };
		const body = { phone: next, password: PASSWORD };
		await json(call("/v1/auth/register", { method: "POST", body }), 409);
		await json(call("/v1/auth/register", { method: "POST", body, settings }), 201);
	});

	it("is not reserved where it was never verified", async () => {
		const phone = freshPhone();
		const other = await signUp(phone);
		await json(verify(other.access, freshPhone(), PASSWORD));
		await json(call("/v1/auth/register", { method: "POST", body: { phone, password: PASSWORD } }), 201);
	});
});

describe("codes are sent", () => {
	it.each([
		"+979123456789",
		"+881612345678",
		"+882161234567",
		"+883510012345678",
		"+870773111632",
		"+19005551234",
		"+447012345678",
		"+442079460123",
	])("to no number that costs much or takes no messages, such as %s", async (phone) => {
		const { access } = await signUp();
		for (const answer of [requestSignedOut(phone), requestAs(access, phone)]) {
			expect(await json(answer, 400)).toMatchObject({ code: "INVALID_PHONE" });
		}
		expect(await sentTo(phone)).toEqual([]);
	});

	it("to the countries and types of numbers that the settings name", async () => {
		const settings = { OTP_CALLING_CODES: "+47, 254", OTP_NUMBER_TYPES: "MOBILE" };
		expect(await json(requestSignedOut(freshPhone(), undefined, settings), 400)).toMatchObject({
			code: "INVALID_PHONE",
		});
		await json(requestSignedOut("+4791234570", undefined, settings), 202);
		await json(requestSignedOut("+254712345678", undefined, settings), 202);
	});

	it.each([{ OTP_CALLING_CODES: "Nigeria" }, { OTP_NUMBER_TYPES: "SATELLITE" }])(
		"under no settings that mean nothing: %j",
		async (settings) => {
			await json(requestSignedOut(freshPhone(), undefined, settings), 503);
		},
	);
});

describe("a code that is asked for while signed out", () => {
	it("says the same of a phone with an account and of one without", async () => {
		const { user } = await signUp();
		const proved = freshPhone();
		await json(register(proved, await codeFor(proved)), 201);
		for (const phone of [user.phone, freshPhone(), proved]) {
			const answer = await requestSignedOut(phone);
			expect(answer.headers.get("RateLimit")).toMatch(/^"one-time-codes";r=4;t=86\d{3}$/);
			expect(await json(answer, 202)).toEqual({ phone, expires_at: expect.any(String) });
		}
	});

	it("is good for no account that is signed in, and theirs not for resetting", async () => {
		const { access, user } = await signUp();
		const signedOut = await codeFor(user.phone);
		const use = (code: string) =>
			call("/v1/auth/otp/verify", {
				method: "POST",
				token: access,
				body: { phone: user.phone, code },
				settings: smsGateway,
			});
		await json(use(signedOut), 400);
		await json(requestAs(access, user.phone), 202);
		const signedIn = await lastCode(user.phone);
		if (signedIn !== signedOut) await json(reset(user.phone, signedIn), 401);
		await json(use(signedIn));
	});

	it("goes once a minute and five times a day to one network", async () => {
		const phone = freshPhone();
		const address = freshAddress();
		for (let left = 4; left >= 0; left -= 1) {
			const answer = await requestSignedOut(phone, address);
			expect(answer.headers.get("RateLimit")).toContain(`r=${left};`);
			await json(answer, 202);
			const wait = Number((await requestSignedOut(phone, address)).headers.get("Retry-After"));
			expect(wait).toBeGreaterThan(left === 0 ? 86_000 : 50);
			expect(wait).toBeLessThanOrEqual(left === 0 ? 86_400 : 60);
			await env.DB.prepare("update otp_codes set sent_at = sent_at - 61000 where phone = ?").bind(phone).run();
		}
		expect(await json(requestSignedOut(phone, address), 429)).toMatchObject({ code: "RATE_LIMITED" });
	});

	it("goes from one network to so many phones a day, and to more from elsewhere", async () => {
		const address = "203.0.113.1";
		const settings = { OTP_PER_NETWORK_AND_DAY: "2" };
		const answers = await Promise.all(
			Array.from({ length: 4 }, () => requestSignedOut(freshPhone(), address, settings)),
		);
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 429, 429]);
		const refused = answers.find(({ status }) => status === 429);
		expect(await json(refused!, 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		await json(requestSignedOut(freshPhone(), "198.51.100.1", settings), 202);
		await json(requestSignedOut(freshPhone(), "203.0.113.2", settings), 202);
		// An IPv6 customer moves freely within a /56, and gains nothing by it.
		const moving = await Promise.all(
			Array.from({ length: 6 }, (_, index) =>
				requestSignedOut(freshPhone(), `2001:db8:7:${(0x100 + index).toString(16)}::1`, settings),
			),
		);
		expect(moving.filter(({ status }) => status === 202)).toHaveLength(2);
	});
});

describe("strangers who have codes sent to a phone", () => {
	it("use up none of its account's", async () => {
		const { access, user } = await signUp("+4520300001");
		for (let network = 0; network < 10; network += 1) await json(requestSignedOut(user.phone), 202);
		await json(requestSignedOut(user.phone), 429);
		expect((await sentTo(user.phone)).length).toBe(10);
		await json(requestAs(access, user.phone), 202);
	});

	it("use up none of its country's for accounts that were there before, as fresh accounts do not either", async () => {
		const settings = { OTP_PER_CALLING_CODE_AND_DAY: "3" };
		const old = await signUp("+46701230100");
		await env.DB.prepare("update users set created_at = created_at - 86400000 where id = ?").bind(old.user.id).run();
		const askAs = (token: string, phone: string) =>
			call("/v1/auth/otp/request", {
				method: "POST",
				token,
				body: { phone },
				headers: { "CF-Connecting-IP": "203.0.113.77" },
				settings: { ...smsGateway, ...settings },
			});
		const statuses: number[] = [];
		for (let index = 0; index < 5; index += 1) {
			const fresh = await signUp(`+4670123020${index}`);
			statuses.push((await askAs(fresh.access, fresh.user.phone)).status);
		}
		expect(statuses).toContain(202);
		expect(statuses.slice(-2)).toEqual([429, 429]);
		const stranger = requestSignedOut("+46701230300", freshAddress(), settings);
		expect(await json(stranger, 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		await json(askAs(old.access, old.user.phone), 202);
	});

	it("neither replace nor use up a code of somebody else", async () => {
		const phone = freshPhone();
		const [mine, theirs] = [freshAddress(), freshAddress()];
		const code = await codeFor(phone, mine);
		const other = await codeFor(phone, theirs);
		const wrong = [code, other].includes("000000") ? "111111" : "000000";
		// Each network spends its own tries: the stranger's on the stranger's code, those of a third on the codes of both.
		for (const address of [theirs, freshAddress()]) {
			for (let index = 0; index < 6; index += 1) await json(register(phone, wrong, address), 400);
		}
		await json(register(phone, code, mine), 201);
	});

	it("guess ten times at most at a code, five of them from where it was asked for", async () => {
		const phone = freshPhone();
		const mine = freshAddress();
		const code = await codeFor(phone, mine);
		const wrong = wrongFor(code);
		// From elsewhere a code is good too: phones change their network.
		const tries = async () =>
			env.DB.prepare("select tries, tries_elsewhere from otp_codes where phone = ?").bind(phone).first();
		await Promise.all(Array.from({ length: 7 }, () => register(phone, wrong)));
		await Promise.all(Array.from({ length: 7 }, () => register(phone, wrong, mine)));
		expect(await tries()).toEqual({ tries: 5, tries_elsewhere: 5 });
		await json(register(phone, code), 400);
		await json(register(phone, code, mine), 400);
		const moved = freshPhone();
		await json(register(moved, await codeFor(moved, mine), freshAddress()), 201);
	});
});
