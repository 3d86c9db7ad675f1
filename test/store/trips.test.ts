import { beforeAll, describe, expect, it } from "vitest";
import { call, json } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { fillZone } from "../support/fill-zone.ts";
import { smsGateway } from "../support/one-time-codes.ts";
import {
	AT_LAGOS,
	freshPhone,
	LAGOS,
	mint,
	newKey,
	newOwner,
	PASSWORD,
	register,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { codeFor } from "../support/request-codes.ts";
import { value } from "../support/sql.ts";

/** The real database, and how many trips were made to it one after the other: a batch is one trip. */
function recording(): { DB: D1Database; trips: () => number } {
	let trips = 0;
	let inFlight = 0;
	const DB = databaseThrough(async (work, queries) => {
		// Nobody waits for the journal, which is written while the answer is on its way.
		if (queries.every((query) => query.includes("journal_queue"))) return work();
		// What is asked side by side is one trip to whoever waits.
		if (inFlight === 0) trips += 1;
		inFlight += 1;
		try {
			return await work();
		} finally {
			inFlight -= 1;
		}
	});
	return { DB, trips: () => trips };
}

type Sent = Parameters<typeof call>;

let owner: SignedInUser;
let agent: SignedInUser;
let code: string;
let key: string;

beforeAll(async () => {
	// Hashed at the full cost, so that signing in need not hash it anew.
	owner = await register();
	agent = await signUpAgent();
	code = (await mint(owner.access, LAGOS)).canonical;
	key = (await newKey(owner)).key;
	// The use of a key is written down at most once a minute, after the answer.
	await json(call(`/v1/addresses/${code}`, { headers: { Authorization: `Api-Key ${key}` } }));
});

/** A request of somebody, or of nobody who is signed in. */
const send = (method: string, path: string, who?: SignedInUser, body?: object, headers = {}): Sent => [
	path,
	{ method, headers, body, ...(who ? { token: who.access } : {}) },
];
const get = (path: string, who?: SignedInUser) => send("GET", path, who);
const withKey = { "Idempotency-Key": "trips" };

/** A zone that fills up. */
const FULL = { lat: 9.0765, lng: 7.3986 };
const CHANGE = { current_password: PASSWORD, new_password: "nine green hens" };
const VISIT = { level: 1, note: "", ...AT_LAGOS };
const credentials = (password: string) => ({ phone: owner.user.phone, password });
const newPhone = () => ({ phone: freshPhone() });

const operations: [name: string, trips: number, status: number, send: () => Sent | Promise<Sent>][] = [
	["resolve", 1, 200, () => get(`/v1/public/addresses/${code}`)],
	// The count of unknown codes, which the second trip raises, decides whether the caller is told.
	["resolve what does not exist", 1, 404, () => get("/v1/public/addresses/NG042158212")],
	["resolve a batch", 1, 200, () => send("POST", "/v1/public/addresses/batch", owner, { codes: [code, code] })],
	["mint", 1, 201, () => send("POST", "/v1/addresses", owner, LAGOS)],
	["mint under a key", 1, 201, () => send("POST", "/v1/addresses", owner, LAGOS, withKey)],
	["mint again", 1, 201, () => send("POST", "/v1/addresses", owner, LAGOS, withKey)],
	[
		"mint in a full zone",
		2,
		201,
		async () => {
			const { country, zone } = await mint(owner.access, FULL);
			await fillZone(country, zone, 0);
			// Opens the number under which the zone goes on.
			await mint(owner.access, FULL);
			return send("POST", "/v1/addresses", owner, FULL);
		},
	],
	["read the changes of one's own addresses", 1, 200, () => get("/v1/changes?mine=1", owner)],
	["list", 1, 200, () => get("/v1/addresses", owner)],
	["read with a token", 1, 200, () => get(`/v1/addresses/${code}`, owner)],
	["read with a key", 1, 200, () => [`/v1/addresses/${code}`, { headers: { Authorization: `Api-Key ${key}` } }]],
	["relabel", 1, 200, () => send("PATCH", `/v1/addresses/${code}`, owner, { label: "Gate" })],
	[
		"attest",
		3,
		201,
		async () => {
			const { updated_at } = await json(call(`/v1/addresses/${code}`, { token: owner.access }));
			return send("POST", `/v1/addresses/${code}/attestations`, agent, { ...VISIT, updated_at });
		},
	],
	[
		"retire",
		1,
		204,
		async () => {
			const holder = await newOwner();
			return send("DELETE", `/v1/addresses/${holder.canonical}`, holder);
		},
	],
	["list keys", 1, 200, () => get("/v1/keys", owner)],
	["make a key", 1, 201, () => send("POST", "/v1/keys", owner, { name: "k", mode: "test" })],
	["revoke a key", 1, 204, async () => send("DELETE", `/v1/keys/${(await newKey(owner)).id}`, owner)],
	["me", 1, 200, () => get("/v1/auth/me", owner)],
	["register", 2, 201, () => send("POST", "/v1/auth/register", undefined, { ...newPhone(), password: PASSWORD })],
	["sign in", 2, 200, () => send("POST", "/v1/auth/login", undefined, credentials(PASSWORD))],
	["sign in wrongly", 2, 401, () => send("POST", "/v1/auth/login", undefined, credentials("not my password"))],
	[
		"refresh",
		1,
		200,
		async () => send("POST", "/v1/auth/token/refresh", undefined, { refresh: (await signUp()).refresh }),
	],
	["sign out", 2, 204, async () => send("POST", "/v1/auth/logout", undefined, { refresh: (await signUp()).refresh })],
	["change a password", 3, 200, async () => send("POST", "/v1/auth/password/change", await signUp(), CHANGE)],
	["ask for a one-time code", 2, 202, async () => send("POST", "/v1/auth/otp/request", await signUp(), newPhone())],
	["ask for one while signed out", 2, 202, () => send("POST", "/v1/auth/otp/signed-out", undefined, newPhone())],
	[
		"use a one-time code",
		3,
		200,
		async () => {
			const holder = await signUp();
			const { phone } = holder.user;
			const code = await codeFor(phone, { token: holder.access });
			return send("POST", "/v1/auth/otp/verify", holder, { phone, code });
		},
	],
	[
		"attest a phone",
		3,
		200,
		async () => {
			const { user } = await signUp();
			return send("POST", "/v1/auth/attest-phone", agent, { phone: user.phone, user_id: user.id });
		},
	],
];

describe("trips to the database", () => {
	it.each(operations)("%s: %i", async (_, expected, status, send) => {
		const [path, init] = await send();
		const { DB, trips } = recording();
		const answer = await call(path, { ...init, settings: { ...smsGateway, DB } });
		expect(answer.status).toBe(status);
		expect(trips()).toBe(expected);
	});
});

it("one database has no row in the tables of several, whatever is done in it", async () => {
	const holder = await newOwner();
	const { canonical: other } = await mint(holder.access, FULL, withKey);
	const { access: token } = holder;
	await call(`/v1/addresses/${other}`, { method: "DELETE", token, body: { successor: holder.canonical } });
	expect((await call("/v1/auth/me", { method: "DELETE", token, body: { password: PASSWORD } })).status).toBe(202);
	const { phone } = holder.user;
	await json(call("/v1/auth/login", { method: "POST", body: { phone, password: PASSWORD } }));
	for (const rows of ["reservations", "unsettled", "homes", "users where places <> ''"])
		expect([rows, await value(`select count(*) from ${rows}`)]).toEqual([rows, 0]);
});
