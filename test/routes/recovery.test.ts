import { describe, expect, it } from "vitest";
import { call, freshAddress, json, post, problem } from "../support/client.ts";
import { hashesDuring } from "../support/count-hashes.ts";
import { freshPhone, newRecoveryCode, PASSWORD, type SignedInUser, signUp } from "../support/people.ts";
import { row } from "../support/sql.ts";

const NEW = "nine green hens";
const NO_CODE = "0000-0000-0000-0000-0000-0000";

const login = (phone: string, password: string) => post("/v1/auth/login", { phone, password });
const reset = (phone: string, recovery_code: string, address = freshAddress(), new_password = NEW) =>
	post("/v1/auth/password/reset", { phone, recovery_code, new_password }, { headers: { "CF-Connecting-IP": address } });
describe("a recovery code", () => {
	it("needs the password, is shown once and stored as a hash alone", async () => {
		const { access, user } = await signUp();
		const ask = (password: string) => post("/v1/auth/recovery-code", { password }, { token: access });
		await problem(ask("not my password"), 401, "INVALID_CREDENTIALS");
		const answer = await ask(PASSWORD);
		expect(answer.headers.get("Cache-Control")).toBe("no-store");
		const { recovery_code: code } = await json<{ recovery_code: string }>(answer, 201);
		const stored = JSON.stringify(await row("select * from users where id = ?", user.id));
		for (const text of [code, code.replaceAll("-", "")]) expect(stored.toUpperCase()).not.toContain(text);
	});

	it("sets a new password, ends all sessions and signs in, once", async () => {
		const { access, refresh, user } = await signUp();
		const code = await newRecoveryCode({ access });
		const pair = await json<SignedInUser>(reset(user.phone, ` ${code.toLowerCase().replaceAll("-", " ")}`));
		expect(Object.keys(pair).sort()).toEqual(["access", "refresh"]);
		expect(await json(call("/v1/auth/me", { token: pair.access }))).toMatchObject(user);
		await json(call("/v1/auth/me", { token: access }), 401);
		await json(post("/v1/auth/token/refresh", { refresh }), 401);
		await json(login(user.phone, PASSWORD), 401);
		await json(login(user.phone, NEW));
		await problem(reset(user.phone, code), 401, "INVALID_CREDENTIALS");
	});

	it("replaces the one before", async () => {
		const { access, user } = await signUp();
		const [first, second] = [await newRecoveryCode({ access }), await newRecoveryCode({ access })];
		await json(reset(user.phone, first), 401);
		await json(reset(user.phone, second));
	});

	it("works for one of several requests that race", async () => {
		const { access, user } = await signUp();
		const code = await newRecoveryCode({ access });
		const passwords = ["nine green hens", "four black cats", "five white mice"];
		const answers = await Promise.all(passwords.map((password) => reset(user.phone, code, freshAddress(), password)));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
		await json(login(user.phone, passwords[answers.findIndex(({ status }) => status === 200)] ?? ""));
	});

	it("is not used up by a new password that is too weak", async () => {
		const { access, user } = await signUp();
		const code = await newRecoveryCode({ access });
		await problem(reset(user.phone, code, freshAddress(), "12345678"), 400, "WEAK_PASSWORD");
		await json(reset(user.phone, code));
	});
});

describe("guessing a recovery code", () => {
	it.each(["of an account with a code", "of an account without one", "of no account"])(
		"for a phone %s gets the same answers, no hash is made, and it ends after ten",
		async (kind) => {
			const address = freshAddress();
			const phone = kind === "of no account" ? freshPhone() : (await signUp()).user.phone;
			if (kind === "of an account with a code") await newRecoveryCode(await json<SignedInUser>(login(phone, PASSWORD)));
			const hashes = await hashesDuring(async () => {
				for (let left = 9; left >= 0; left -= 1) {
					const answer = await reset(phone, NO_CODE, address);
					expect(answer.headers.get("RateLimit")).toContain(`r=${left};`);
					const { instance: _, ...problem } = await json(answer, 401);
					expect(problem).toEqual({
						type: "https://registry.test/problems/INVALID_CREDENTIALS",
						title: expect.any(String),
						status: 401,
						detail: "The phone number or the recovery code is wrong.",
						code: "INVALID_CREDENTIALS",
					});
				}
				const refused = await reset(phone, NO_CODE, address);
				expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
				await problem(refused, 429, "RATE_LIMITED");
			});
			expect(hashes).toEqual([]);
		},
	);

	it("shares its tries with failed sign-ins, and stops the right code too", async () => {
		const { access, user } = await signUp();
		const code = await newRecoveryCode({ access });
		const address = freshAddress();
		const headers = { "CF-Connecting-IP": address };
		for (let index = 0; index < 10; index += 1) {
			await json(post("/v1/auth/login", { phone: user.phone, password: "not my password" }, { headers }), 401);
		}
		await problem(reset(user.phone, code, address), 429, "RATE_LIMITED");
		await json(reset(user.phone, code));
	});
});
