import { env } from "cloudflare:workers";
import { afterAll, describe, expect, it } from "vitest";
import { hashPassword, PASSWORD_COST } from "../../src/accounts/password.ts";
import { newKey as newSecret } from "../../src/keys/secret.ts";
import { call, json, post } from "../support/client.ts";
import { hashesDuring } from "../support/count-hashes.ts";
import { countStatements } from "../support/count-statements.ts";
import { smsGateway } from "../support/one-time-codes.ts";
import { freshPhone, newKey, newOwner, PASSWORD, register, type SignedInUser, signUp } from "../support/people.ts";
import { kindsOfSecret, secretsIn, watched } from "../support/secrecy.ts";

const login = (phone: string, password: string) => post("/v1/auth/login", { phone, password });

describe("an unknown phone and a wrong password", () => {
	/** Status, headers and body of a refusal, without the name and time of the request. */
	async function refusal(answer: Response): Promise<unknown> {
		const headers = Object.fromEntries(answer.headers);
		delete headers["x-request-id"];
		headers.ratelimit = headers.ratelimit?.replace(/t=\d+/, "") ?? "";
		const body = await json<{ instance: string }>(answer, 401);
		return { headers, body: { ...body, instance: "" } };
	}

	it("get the same status, headers and body", async () => {
		const { user } = await signUp();
		const wrong = await refusal(await login(user.phone, "not my password"));
		expect(await refusal(await login(freshPhone(), "not my password"))).toEqual(wrong);
		expect(await refusal(await login(freshPhone(), PASSWORD))).toEqual(wrong);
	});

	it("take the same time: one hash at the same cost, and as many statements", async () => {
		const { user } = await register();
		const workOf = async (phone: string) => {
			let hashes: unknown;
			const statements = await countStatements(async () => {
				hashes = await hashesDuring(() => json(login(phone, "not my password"), 401));
			});
			return { hashes, statements };
		};
		const wrong = await workOf(user.phone);
		const { logN, r, p } = PASSWORD_COST;
		expect(wrong.hashes).toEqual([{ N: 2 ** logN, r, p }]);
		expect(await workOf(freshPhone())).toEqual(wrong);
	});
});

it("nothing secret is in a log line or an error of everything that people do, and of a broken database", async () => {
	const { access, refresh, user, canonical } = await newOwner();
	await json(login(user.phone, "not my password"), 401);
	await json(login("+234 not a phone", PASSWORD), 400);
	await json(post("/v1/auth/register", { phone: user.phone, password: PASSWORD }), 409);
	const { key } = await newKey({ access }, { name: user.phone });
	await json(call(`/v1/addresses/${canonical}`, { headers: { Authorization: `Api-Key ${key}` } }));
	await json(call(`/v1/addresses/${key}`), 401);
	await json(call(`/v1/auth/me?token=${access}`), 401);
	const holder = { method: "POST", token: access, settings: smsGateway };
	await json(call("/v1/auth/otp/request", { ...holder, body: { phone: user.phone } }), 202);
	await json(call("/v1/auth/otp/verify", { ...holder, body: { phone: user.phone, code: "00000000" } }), 400);
	const pair = await json<SignedInUser>(post("/v1/auth/token/refresh", { refresh }));
	await json(post("/v1/auth/token/refresh", { refresh }), 401);
	await json(call("/v1/auth/me", { token: pair.access }), 401);

	const settings = { DB: env.EMPTY_DB };
	const body = { phone: user.phone, password: PASSWORD };
	await json(post("/v1/auth/login", body, { settings }), 500);
	const other = { ...body, phone: freshPhone() };
	await json(post("/v1/auth/register", other, { settings }), 500);
	await json(post("/v1/auth/token/refresh", { refresh }, { settings }), 500);
	await json(call(`/v1/addresses/${canonical}`, { headers: { Authorization: `Api-Key ${key}` }, settings }), 500);

	expect(watched.filter(({ text }) => text.includes('"event":"unexpected_error"')).length).toBeGreaterThanOrEqual(4);
	expect(watched.filter(({ text }) => secretsIn(text).length > 0)).toEqual([]);
});

it("the watch that every test file ends with knows each kind of secret", () => {
	const { key, hash } = newSecret("addr", "live");
	const samples: [kind: string, text: string][] = [
		["password", PASSWORD],
		["JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3IifQ.c2ln"],
		["refresh token", "3VxkQ0r7cWmB2nTq9LzYh5GdPj1sAeKu8XfRv6MoIbC"],
		["API key", key],
		["hash", hash],
		["password hash", hashPassword("x", { logN: 10, r: 8, p: 1 })],
		["signing secret", env.JWT_SECRETS],
		["gateway secret", smsGateway.OTP_GATEWAY_TOKEN],
		["one-time code", "49381726 is your code for addr.example."],
		["full phone number", "+2348031234567"],
		["bound values", "Failed query: select ?\nparams: 1"],
	];
	expect(samples.map(([kind]) => kind)).toEqual(kindsOfSecret);
	for (const text of [env.SHARE_SECRETS, env.JOURNAL_SECRETS]) expect(secretsIn(text)).toContain("signing secret");
	for (const [kind, text] of samples) expect(secretsIn(`{"message":"${text}"}`), text).toContain(kind);
	expect(secretsIn('{"request_id":"req_09b42797e8b54c8b88df8e8d17524c8b","route":"/v1/auth/login"}')).toEqual([]);
});

afterAll(() => {
	expect(watched.length).toBeGreaterThan(10);
});
