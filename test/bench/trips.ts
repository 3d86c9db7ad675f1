/**
 * How many trips to the database each operation makes one after the other, and how long it takes when each is made 60 ms longer, as for a
 * user far away. Prints the table and exits with 1 when an operation makes more trips than its goal.
 * `node test/bench/trips.ts [--delay 60] [--port 8813]`
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { codeOfUnit, UNITS_PER_ZONE } from "../../src/addresses/code.ts";
import { median } from "../support/median.ts";
import { serveRegistry } from "../support/serve.ts";

const { values } = parseArgs({
	options: { delay: { type: "string", default: "60" }, port: { type: "string", default: "8813" } },
});
const ROUNDS = 5;
const PASSWORD = "seven blue goats";
const LAGOS = { lat: 6.5244, lng: 3.3792 };

let lastCode = "";
const gateway = createServer(async (request, response) => {
	let body = "";
	for await (const chunk of request) body += String(chunk);
	[lastCode = ""] = /\d{6}/.exec((JSON.parse(body) as { text: string }).text) ?? [];
	response.writeHead(202).end();
});
await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));

const { url, database, stop } = await serveRegistry(Number(values.port), {
	entry: "test/bench/trips-worker.ts",
	bindings: {
		DELAY_MILLISECONDS: Number(values.delay),
		OTP_GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`,
		OTP_GATEWAY_TOKEN: "bench",
	},
});

interface Call {
	method?: string;
	path: string;
	/** An access token, or an API key. */
	token?: string;
	body?: object;
	headers?: Record<string, string>;
	status: number;
}

interface Answer {
	trips: number;
	milliseconds: number;
	body: Record<string, unknown>;
}

async function send({ path, token, body, headers = {}, status, ...rest }: Call): Promise<Answer> {
	const started = performance.now();
	const response = await fetch(url + path, {
		method: rest.method ?? (body ? "POST" : "GET"),
		headers: {
			...(body ? { "Content-Type": "application/json" } : {}),
			...(token ? { Authorization: `${token.startsWith("addr_") ? "Api-Key" : "Bearer"} ${token}` } : {}),
			...headers,
		},
		...(body ? { body: JSON.stringify(body) } : {}),
	});
	const text = await response.text();
	const milliseconds = performance.now() - started;
	if (response.status !== status) throw new Error(`${path}: expected ${status}, got ${response.status}: ${text}`);
	return {
		trips: Number(response.headers.get("X-Trips")),
		milliseconds,
		body: text ? (JSON.parse(text) as Record<string, unknown>) : {},
	};
}

let lastPhone = 30_000_000;
function freshPhone(): string {
	lastPhone += 1;
	return `+23480${lastPhone}`;
}

interface Account {
	id: string;
	phone: string;
	access: string;
	refresh: string;
}

async function signUp(): Promise<Account> {
	const phone = freshPhone();
	const { body } = await send({ path: "/v1/auth/register", body: { phone, password: PASSWORD }, status: 201 });
	const { access, refresh, user } = body as { access: string; refresh: string; user: { id: string } };
	return { id: user.id, phone, access, refresh };
}

const owner = await signUp();
const agent = await signUp();
await database.prepare("update users set role = 'agent' where id = ?").bind(agent.id).run();

async function mint(): Promise<string> {
	const { body } = await send({ path: "/v1/addresses", token: owner.access, body: LAGOS, status: 201 });
	return String(body.canonical);
}

async function newKey(): Promise<{ id: string; key: string }> {
	const request = { path: "/v1/keys", token: owner.access, body: { name: "Bench", mode: "live" }, status: 201 };
	return (await send(request)).body as { id: string; key: string };
}

const code = await mint();
const { key } = await newKey();
const withKey = (name: string): Call => ({
	path: "/v1/addresses",
	token: owner.access,
	body: LAGOS,
	headers: { "Idempotency-Key": name },
	status: 201,
});

/** An area whose published number is full and that goes on under another. */
async function fillLagos(): Promise<void> {
	const units = Array.from({ length: UNITS_PER_ZONE }, (_, unit) => unit);
	const codes = units.map((unit) => codeOfUnit(code.slice(0, 2), code.slice(2, 6), unit));
	await database
		.prepare(
			"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) select value, '', 0, 0, '', 'usr_filler', 0 from json_each(?) where value is not null on conflict do nothing",
		)
		.bind(JSON.stringify(codes))
		.run();
	await mint();
}

/** Codes that nobody was given. */
const unknown = Array.from({ length: 20 }, (_, unit) => codeOfUnit("ZZ", "0000", unit)).filter(
	(code) => code !== undefined,
);

interface Operation {
	name: string;
	/** The most trips in a row. */
	goal: number;
	call: (round: number) => Call | Promise<Call>;
}

const operations: Operation[] = [
	{ name: "resolve", goal: 1, call: async () => ({ path: `/v1/public/addresses/${await mint()}`, status: 200 }) },
	{
		name: "resolve, unknown",
		// The count of unknown codes, which is raised in the second, decides whether the caller is told.
		goal: 2,
		call: (round) => ({ path: `/v1/public/addresses/${unknown[round]}`, status: 404 }),
	},
	{
		name: "batch of 2",
		goal: 1,
		call: () => ({ path: "/v1/public/addresses/batch", token: key, body: { codes: [code, code] }, status: 200 }),
	},
	{
		name: "mint",
		goal: 2,
		call: () => ({ path: "/v1/addresses", token: owner.access, body: LAGOS, status: 201 }),
	},
	{ name: "mint with key", goal: 2, call: (round) => withKey(`new-${round}`) },
	{
		name: "mint with key, again",
		goal: 2,
		call: async (round) => {
			await send(withKey(`again-${round}`));
			return withKey(`again-${round}`);
		},
	},
	{
		name: "mint in a full zone",
		goal: 2,
		call: async (round) => {
			if (round === 0) await fillLagos();
			return { path: "/v1/addresses", token: owner.access, body: LAGOS, status: 201 };
		},
	},
	{ name: "list", goal: 1, call: () => ({ path: "/v1/addresses", token: owner.access, status: 200 }) },
	{
		name: "read with token",
		goal: 1,
		call: () => ({ path: `/v1/addresses/${code}`, token: owner.access, status: 200 }),
	},
	{ name: "read with key", goal: 1, call: () => ({ path: `/v1/addresses/${code}`, token: key, status: 200 }) },
	{
		name: "relabel",
		goal: 1,
		call: (round) => ({
			method: "PATCH",
			path: `/v1/addresses/${code}`,
			token: owner.access,
			body: { label: `Gate ${round}` },
			status: 200,
		}),
	},
	{
		name: "retire",
		goal: 1,
		call: async () => ({
			method: "DELETE",
			path: `/v1/addresses/${await mint()}`,
			token: owner.access,
			status: 204,
		}),
	},
	{
		name: "attest",
		goal: 3,
		call: () => ({
			path: `/v1/addresses/${code}/attestations`,
			token: agent.access,
			body: { level: 1, note: "" },
			status: 201,
		}),
	},
	{ name: "keys", goal: 1, call: () => ({ path: "/v1/keys", token: owner.access, status: 200 }) },
	{
		name: "new key",
		goal: 1,
		call: () => ({ path: "/v1/keys", token: owner.access, body: { name: "k", mode: "test" }, status: 201 }),
	},
	{
		name: "revoke key",
		goal: 1,
		call: async () => ({
			method: "DELETE",
			path: `/v1/keys/${(await newKey()).id}`,
			token: owner.access,
			status: 204,
		}),
	},
	{ name: "me", goal: 1, call: () => ({ path: "/v1/auth/me", token: owner.access, status: 200 }) },
	{
		name: "register",
		goal: 2,
		call: () => ({ path: "/v1/auth/register", body: { phone: freshPhone(), password: PASSWORD }, status: 201 }),
	},
	{
		name: "login",
		goal: 2,
		call: () => ({ path: "/v1/auth/login", body: { phone: owner.phone, password: PASSWORD }, status: 200 }),
	},
	{
		name: "login, wrong password",
		goal: 2,
		call: () => ({ path: "/v1/auth/login", body: { phone: owner.phone, password: "not my password" }, status: 401 }),
	},
	{
		name: "refresh",
		goal: 1,
		call: async () => ({
			path: "/v1/auth/token/refresh",
			body: { refresh: (await signUp()).refresh },
			status: 200,
		}),
	},
	{
		name: "logout",
		goal: 2,
		call: async () => ({ path: "/v1/auth/logout", body: { refresh: (await signUp()).refresh }, status: 204 }),
	},
	{
		name: "password change",
		goal: 3,
		call: async () => ({
			path: "/v1/auth/password/change",
			token: (await signUp()).access,
			body: { current_password: PASSWORD, new_password: "nine green hens" },
			status: 200,
		}),
	},
	{
		name: "otp/request",
		goal: 3,
		call: async () => ({
			path: "/v1/auth/otp/request",
			token: (await signUp()).access,
			body: { phone: freshPhone() },
			status: 202,
		}),
	},
	{
		name: "otp/verify",
		goal: 3,
		call: async () => {
			const { access, phone } = await signUp();
			await send({ path: "/v1/auth/otp/request", token: access, body: { phone }, status: 202 });
			return { path: "/v1/auth/otp/verify", token: access, body: { phone, code: lastCode }, status: 200 };
		},
	},
	{
		name: "attest-phone",
		goal: 3,
		call: async () => {
			const { id, phone } = await signUp();
			return { path: "/v1/auth/attest-phone", token: agent.access, body: { phone, user_id: id }, status: 200 };
		},
	},
];

console.log(`| operation | trips in a row | goal | at ${values.delay} ms more per trip |\n|---|---:|---:|---:|`);
for (const { name, goal, call } of operations) {
	const answers: Answer[] = [];
	for (let round = 0; round < ROUNDS; round += 1) answers.push(await send(await call(round)));
	const most = Math.max(...answers.map(({ trips }) => trips));
	const time = median(answers.map(({ milliseconds }) => milliseconds));
	console.log(`| ${name} | ${most}${most > goal ? " MISSED" : ""} | ${goal} | ${time.toFixed(0)} ms |`);
	if (most > goal) process.exitCode = 1;
}
await stop();
gateway.close();
