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
	PASSWORD,
	register,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { codeFor } from "../support/request-codes.ts";

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

const post = (path: string, token: string | undefined, body: object, headers = {}): Sent => [
	path,
	{ method: "POST", body, headers, ...(token ? { token } : {}) },
];

const operations: Record<string, { trips: number; status?: number; send: () => Sent | Promise<Sent> }> = {
	resolve: { trips: 1, send: () => [`/v1/public/addresses/${code}`] },
	// The count of unknown codes, which the second trip raises, decides whether the caller is told.
	"resolve what does not exist": { trips: 1, status: 404, send: () => ["/v1/public/addresses/NG042158212"] },
	"resolve a batch": {
		trips: 1,
		send: () => post("/v1/public/addresses/batch", owner.access, { codes: [code, code] }),
	},
	mint: { trips: 1, status: 201, send: () => post("/v1/addresses", owner.access, LAGOS) },
	"mint under a key": {
		trips: 1,
		status: 201,
		send: () => post("/v1/addresses", owner.access, LAGOS, { "Idempotency-Key": "trips" }),
	},
	"mint under the same key again": {
		trips: 1,
		status: 201,
		send: () => post("/v1/addresses", owner.access, LAGOS, { "Idempotency-Key": "trips" }),
	},
	"mint in a full zone": {
		trips: 2,
		status: 201,
		send: async () => {
			const { canonical } = await mint(owner.access, { lat: 9.0765, lng: 7.3986 });
			await fillZone(canonical.slice(0, 2), canonical.slice(2, 6), 0);
			// Opens the number under which the zone goes on.
			await mint(owner.access, { lat: 9.0765, lng: 7.3986 });
			return post("/v1/addresses", owner.access, { lat: 9.0765, lng: 7.3986 });
		},
	},
	"read the changes of one's own addresses": { trips: 1, send: () => ["/v1/changes?mine=1", { token: owner.access }] },
	list: { trips: 1, send: () => ["/v1/addresses", { token: owner.access }] },
	"read with a token": { trips: 1, send: () => [`/v1/addresses/${code}`, { token: owner.access }] },
	"read with a key": {
		trips: 1,
		send: () => [`/v1/addresses/${code}`, { headers: { Authorization: `Api-Key ${key}` } }],
	},
	relabel: {
		trips: 1,
		send: () => [`/v1/addresses/${code}`, { method: "PATCH", token: owner.access, body: { label: "Gate" } }],
	},
	retire: {
		trips: 1,
		status: 204,
		send: async () => [
			`/v1/addresses/${(await mint(owner.access, LAGOS)).canonical}`,
			{ method: "DELETE", token: owner.access },
		],
	},
	attest: {
		trips: 3,
		status: 201,
		send: () => post(`/v1/addresses/${code}/attestations`, agent.access, { level: 1, note: "", ...AT_LAGOS }),
	},
	"list keys": { trips: 1, send: () => ["/v1/keys", { token: owner.access }] },
	"make a key": { trips: 1, status: 201, send: () => post("/v1/keys", owner.access, { name: "k", mode: "test" }) },
	"revoke a key": {
		trips: 1,
		status: 204,
		send: async () => [`/v1/keys/${(await newKey(owner)).id}`, { method: "DELETE", token: owner.access }],
	},
	me: { trips: 1, send: () => ["/v1/auth/me", { token: owner.access }] },
	register: {
		trips: 2,
		status: 201,
		send: () => post("/v1/auth/register", undefined, { phone: freshPhone(), password: PASSWORD }),
	},
	"sign in": {
		trips: 2,
		send: () => post("/v1/auth/login", undefined, { phone: owner.user.phone, password: PASSWORD }),
	},
	"sign in with a wrong password": {
		trips: 2,
		status: 401,
		send: () => post("/v1/auth/login", undefined, { phone: owner.user.phone, password: "not my password" }),
	},
	refresh: {
		trips: 1,
		send: async () => post("/v1/auth/token/refresh", undefined, { refresh: (await signUp()).refresh }),
	},
	"sign out": {
		trips: 2,
		status: 204,
		send: async () => post("/v1/auth/logout", undefined, { refresh: (await signUp()).refresh }),
	},
	"change a password": {
		trips: 3,
		send: async () =>
			post("/v1/auth/password/change", (await signUp()).access, {
				current_password: PASSWORD,
				new_password: "nine green hens",
			}),
	},
	"ask for a one-time code": {
		trips: 2,
		status: 202,
		send: async () => post("/v1/auth/otp/request", (await signUp()).access, { phone: freshPhone() }),
	},
	"ask for a one-time code while signed out": {
		trips: 2,
		status: 202,
		send: () => post("/v1/auth/otp/signed-out", undefined, { phone: freshPhone() }),
	},
	"use a one-time code": {
		trips: 3,
		send: async () => {
			const { access: token, user } = await signUp();
			return post("/v1/auth/otp/verify", token, { phone: user.phone, code: await codeFor(user.phone, { token }) });
		},
	},
	"attest a phone": {
		trips: 3,
		send: async () => {
			const { user } = await signUp();
			return post("/v1/auth/attest-phone", agent.access, { phone: user.phone, user_id: user.id });
		},
	},
};

describe("trips to the database", () => {
	it.each(Object.entries(operations))("%s", async (_, { trips: expected, status = 200, send }) => {
		const [path, init] = await send();
		const { DB, trips } = recording();
		const answer = await call(path, { ...init, settings: { ...smsGateway, DB } });
		expect(answer.status).toBe(status);
		expect(trips()).toBe(expected);
	});
});
