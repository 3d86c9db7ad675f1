import { env } from "cloudflare:workers";
import { afterAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../src/accounts/password.ts";
import { newKey } from "../../src/keys/secret.ts";
import { call, freshPhone, json, LAGOS, mint, PASSWORD, type SignedInUser, signUp } from "../support/client.ts";
import { median } from "../support/median.ts";
import { smsGateway } from "../support/one-time-codes.ts";
import { kindsOfSecret, secretsIn, watched } from "../support/secrecy.ts";

const login = (phone: string, password: string) =>
	call("/v1/auth/login", { method: "POST", body: { phone, password } });

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

	it("take the same time", async () => {
		const { user } = await signUp();
		const timed = async (phone: string) => {
			const started = performance.now();
			await (await login(phone, "not my password")).text();
			return performance.now() - started;
		};
		const known: number[] = [];
		const differences: number[] = [];
		// In pairs whose order alternates, so that a machine that slows down slows both.
		for (let pair = 0; pair < 15; pair += 1) {
			const unknownFirst = pair % 2 === 0 ? await timed(freshPhone()) : undefined;
			const wrong = await timed(user.phone);
			const unknown = unknownFirst ?? (await timed(freshPhone()));
			known.push(wrong);
			differences.push(unknown - wrong);
		}
		console.log(
			`wrong password ${median(known).toFixed(1)} ms, unknown phone ${median(differences).toFixed(1)} ms more`,
		);
		// A login that skipped the hash would differ by nearly the whole; the bound is generous for a busy machine.
		expect(Math.abs(median(differences))).toBeLessThan(median(known) / 4);
	});
});

it("nothing secret is in a log line or an error of everything that people do, and of a broken database", async () => {
	const { access, refresh, user } = await signUp();
	const { canonical } = await mint(access, LAGOS);
	await json(login(user.phone, "not my password"), 401);
	await json(login("+234 not a phone", PASSWORD), 400);
	await json(call("/v1/auth/register", { method: "POST", body: { phone: user.phone, password: PASSWORD } }), 409);
	const { key } = await json<{ key: string }>(
		call("/v1/keys", { method: "POST", token: access, body: { name: user.phone, mode: "live" } }),
		201,
	);
	await json(call(`/v1/addresses/${canonical}`, { headers: { Authorization: `Api-Key ${key}` } }));
	await json(call(`/v1/addresses/${key}`), 401);
	await json(call(`/v1/auth/me?token=${access}`), 401);
	const holder = { method: "POST", token: access, settings: smsGateway };
	await json(call("/v1/auth/otp/request", { ...holder, body: { phone: user.phone } }), 202);
	await json(call("/v1/auth/otp/verify", { ...holder, body: { phone: user.phone, code: "000000" } }), 400);
	const pair = await json<SignedInUser>(call("/v1/auth/token/refresh", { method: "POST", body: { refresh } }));
	await json(call("/v1/auth/token/refresh", { method: "POST", body: { refresh } }), 401);
	await json(call("/v1/auth/me", { token: pair.access }), 401);

	for (const table of ["refresh_tokens", "failed_logins", "api_keys", "otp_codes", "users"]) {
		await env.DB.prepare(`drop table ${table}`).run();
	}
	const body = { phone: user.phone, password: PASSWORD };
	await json(call("/v1/auth/login", { method: "POST", body }), 500);
	await json(call("/v1/auth/register", { method: "POST", body: { ...body, phone: freshPhone() } }), 500);
	await json(call("/v1/auth/token/refresh", { method: "POST", body: { refresh } }), 500);
	await json(call(`/v1/addresses/${canonical}`, { headers: { Authorization: `Api-Key ${key}` } }), 500);

	expect(watched.filter(({ text }) => text.includes('"event":"unexpected_error"')).length).toBeGreaterThanOrEqual(4);
	expect(watched.filter(({ text }) => secretsIn(text).length > 0)).toEqual([]);
});

it("the watch that every test file ends with knows each kind of secret", () => {
	const { key, hash } = newKey("addr", "live");
	const samples: [kind: string, text: string][] = [
		["password", PASSWORD],
		["JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3IifQ.c2ln"],
		["refresh token", "3VxkQ0r7cWmB2nTq9LzYh5GdPj1sAeKu8XfRv6MoIbC"],
		["API key", key],
		["hash", hash],
		["password hash", hashPassword("x", { logN: 10, r: 8, p: 1 })],
		["signing secret", env.JWT_SECRETS],
		["gateway secret", smsGateway.OTP_GATEWAY_TOKEN],
		["one-time code", "493817 is your code for addr.example."],
		["full phone number", "+2348031234567"],
		["bound values", "Failed query: select ?\nparams: 1"],
	];
	expect(samples.map(([kind]) => kind)).toEqual(kindsOfSecret);
	for (const [kind, text] of samples) expect(secretsIn(`{"message":"${text}"}`), text).toContain(kind);
	expect(secretsIn('{"request_id":"req_09b42797e8b54c8b88df8e8d17524c8b","route":"/v1/auth/login"}')).toEqual([]);
});

afterAll(() => {
	expect(watched.length).toBeGreaterThan(10);
});
