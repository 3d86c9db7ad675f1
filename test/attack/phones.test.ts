/** Who may have codes sent, to what phones and how often, and guessing them. */
import { describe, expect, it, vi } from "vitest";
import { HOUR } from "../../src/time/time.ts";
import { freshAddress, json, post } from "../support/client.ts";
import { sentTo, wrongFor } from "../support/one-time-codes.ts";
import { freshPhone, PASSWORD, signUp } from "../support/people.ts";
import { leave } from "../support/quotas.ts";
import { codeFor, postWithCodes, requestCode } from "../support/request-codes.ts";
import { row, sql } from "../support/sql.ts";

const register = (phone: string, otp: string, from?: string) =>
	postWithCodes("/v1/auth/register", { phone, password: PASSWORD, otp }, { from });
const statusesOf = async (answers: Promise<Response>[]) => (await Promise.all(answers)).map(({ status }) => status);

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
		for (const answer of [requestCode(phone), requestCode(phone, { token: access })]) {
			expect(await json(answer, 400)).toMatchObject({ code: "INVALID_PHONE" });
		}
		expect(await sentTo(phone)).toEqual([]);
	});

	it("to the countries that the settings name", async () => {
		const settings = { OTP_CALLING_CODES: "+47, 254" };
		expect(await json(requestCode(freshPhone(), { settings }), 400)).toMatchObject({ code: "INVALID_PHONE" });
		for (const phone of ["+4791234570", "+254712345678"]) await json(requestCode(phone, { settings }), 202);
	});

	it.each([{ OTP_CALLING_CODES: "Nigeria" }])("under no settings that mean nothing: %j", async (settings) => {
		await json(requestCode(freshPhone(), { settings }), 503);
	});
});

describe("a code that is asked for while signed out", () => {
	it("says the same of a phone with an account and of one without", async () => {
		const { user } = await signUp();
		const proved = freshPhone();
		await json(register(proved, await codeFor(proved)), 201);
		for (const phone of [user.phone, freshPhone(), proved]) {
			const answer = await requestCode(phone);
			expect(answer.headers.get("RateLimit")).toMatch(/^"one-time-codes";r=4;t=86\d{3}$/);
			expect(await json(answer, 202)).toEqual({ phone, expires_at: expect.any(String) });
		}
	});

	it("is good for no account that is signed in, and theirs not for resetting", async () => {
		const { access: token, user } = await signUp();
		const { phone } = user;
		const use = (code: string) => postWithCodes("/v1/auth/otp/verify", { phone, code }, { token });
		const signedOut = await codeFor(phone);
		await json(use(signedOut), 400);
		const signedIn = await codeFor(phone, { token });
		const reset = { phone, otp: signedIn, new_password: "nine green hens" };
		if (signedIn !== signedOut) await json(postWithCodes("/v1/auth/password/reset", reset), 401);
		await json(use(signedIn));
	});

	it("goes from one network to so many phones a day, and to more from elsewhere", async () => {
		const ask = (from: string) => requestCode(freshPhone(), { from });
		await json(ask("203.0.113.1"), 202);
		await leave("one-time-codes-of-network", 1);
		// Three of an hour more.
		const answers = await Promise.all(Array.from({ length: 6 }, () => ask("203.0.113.1")));
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 429, 429]);
		const refused = answers.find(({ status }) => status === 429);
		expect(await json(refused!, 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		for (const from of ["198.51.100.1", "203.0.113.2"]) await json(ask(from), 202);
		// An IPv6 customer moves freely within a /56, and gains nothing by it.
		await json(ask("2001:db8:7:1ff::1"), 202);
		await leave("one-time-codes-of-network", 1);
		const moving = Array.from({ length: 7 }, (_, index) => ask(`2001:db8:7:${(0x100 + index).toString(16)}::1`));
		expect((await statusesOf(moving)).filter((status) => status === 202)).toHaveLength(4);
	});
});

describe("somebody who has codes sent from the network of others", () => {
	const askFrom = (from: string) => async (phone: string) => (await requestCode(phone, { from })).status;

	it("leaves them three an hour", async () => {
		const ask = askFrom(freshAddress());
		const five = () => statusesOf(Array.from({ length: 5 }, () => requestCode(freshPhone(), { from })));
		const from = freshAddress();
		await json(requestCode(freshPhone(), { from }), 202);
		await leave("one-time-codes-of-network", 0);
		expect((await five()).sort()).toEqual([202, 202, 202, 429, 429]);
		const { now } = Date;
		const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + HOUR);
		expect((await five().finally(() => clock.mockRestore())).sort()).toEqual([202, 202, 202, 429, 429]);
		expect(await ask(freshPhone())).toBe(202);
	});

	it("keeps nobody there from a code for a phone with which they have signed in before", async () => {
		const [{ user }, from] = [await signUp(), freshAddress()];
		await json(post("/v1/auth/login", { phone: user.phone, password: PASSWORD }, { from }));
		const ask = askFrom(from);
		expect(await ask(freshPhone())).toBe(202);
		await leave("one-time-codes-of-network", 0);
		while ((await ask(freshPhone())) === 202);
		expect(await ask(user.phone)).toBe(202);
	});
});

describe("strangers who have codes sent to a phone", () => {
	it("use up none of its account's", async () => {
		const { access, user } = await signUp("+4520300001");
		for (let network = 0; network < 10; network += 1) await json(requestCode(user.phone), 202);
		await json(requestCode(user.phone), 429);
		expect((await sentTo(user.phone)).length).toBe(10);
		await json(requestCode(user.phone, { token: access }), 202);
	});

	it("use up none of its country's for accounts that were there before, as fresh accounts do not either", async () => {
		const settings = { OTP_PER_CALLING_CODE_AND_DAY: "3" };
		const old = await signUp("+46701230100");
		await sql("update users set created_at = created_at - 86400000 where id = ?", old.user.id);
		const askAs = ({ access: token, user }: typeof old) =>
			requestCode(user.phone, { token, from: "203.0.113.77", settings });
		const statuses: number[] = [];
		for (let index = 0; index < 5; index += 1) {
			statuses.push((await askAs(await signUp(`+4670123020${index}`))).status);
		}
		expect(statuses).toContain(202);
		expect(statuses.slice(-2)).toEqual([429, 429]);
		expect(await json(requestCode("+46701230300", { settings }), 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		await json(askAs(old), 202);
	});

	it("neither replace nor use up a code of somebody else", async () => {
		const phone = freshPhone();
		const [mine, theirs] = [freshAddress(), freshAddress()];
		const code = await codeFor(phone, { from: mine });
		const wrong = wrongFor(code, await codeFor(phone, { from: theirs }));
		// Each network spends its own tries: the stranger's on the stranger's code, those of a third on the codes of both.
		for (const address of [theirs, freshAddress()]) {
			for (let index = 0; index < 6; index += 1) await json(register(phone, wrong, address), 400);
		}
		await json(register(phone, code, mine), 201);
	});

	it("guess ten times at most at a code, five of them from where it was asked for", async () => {
		const phone = freshPhone();
		const mine = freshAddress();
		const code = await codeFor(phone, { from: mine });
		const wrong = wrongFor(code);
		// From elsewhere a code is good too: phones change their network.
		await Promise.all(Array.from({ length: 7 }, () => register(phone, wrong)));
		await Promise.all(Array.from({ length: 7 }, () => register(phone, wrong, mine)));
		const tries = await row("select tries, tries_elsewhere from otp_codes where phone = ?", phone);
		expect(tries).toEqual({ tries: 5, tries_elsewhere: 5 });
		await json(register(phone, code), 400);
		await json(register(phone, code, mine), 400);
		const moved = freshPhone();
		await json(register(moved, await codeFor(moved, { from: mine })), 201);
	});
});
