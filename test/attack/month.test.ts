/** How large the database gets when one network writes all it may for a month. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { readConfig } from "../../src/env.ts";
import { perMinute, UNUSED_ACCOUNT_KEPT } from "../../src/limits/policy.ts";
import { DAY, MINUTE } from "../../src/time.ts";
import { call, json, post as send } from "../support/client.ts";
import { LAGOS, newOwner, signUp } from "../support/people.ts";

const DAYS = 30;

/** The database of D1, in bytes, and how much of it one network may fill in a month. */
const DATABASE_BYTES = 10_000_000_000;
const SHARE_OF_ONE_NETWORK = 0.2;

/** A label and a name as long as they may be, in the widest characters. */
const LABEL = "😀".repeat(197);
const NAME = "n".repeat(100);

/** No read is given up, however busy the machine is. */
const settings = { DATABASE_READ_MILLISECONDS: 60_000 };

async function bytes(): Promise<number> {
	return (await env.DB.prepare("select 1").run()).meta.size_after;
}

/** How many bytes one run of something adds to the database, on average over so many. */
async function bytesOf(times: number, write: (time: number) => Promise<unknown>): Promise<number> {
	const before = await bytes();
	for (let time = 0; time < times; time += 1) await write(time);
	return ((await bytes()) - before) / times;
}

it("a month of all that one network may write fills at most a fifth of the database", async () => {
	const { access, canonical } = await newOwner();
	const post = (path: string, body: object, more = {}) => send(path, body, { token: access, settings, ...more });
	const writes = {
		address: (time: number) => {
			const headers = { "Idempotency-Key": String(time).padEnd(255, "k") };
			return json(post("/v1/addresses", { ...LAGOS, label: LABEL + time }, { headers }), 201);
		},
		change: (time: number) => {
			const body = { ...LAGOS, label: LABEL + time, lat: LAGOS.lat + time * 1e-7 };
			return json(post(`/v1/addresses/${canonical}`, body, { method: "PATCH" }));
		},
		key: async () => {
			const { id } = await json<{ id: string }>(post("/v1/keys", { name: NAME, mode: "live" }), 201);
			await call(`/v1/keys/${id}`, { method: "DELETE", token: access });
		},
	};
	const sizes: number[] = [
		await bytesOf(300, writes.address),
		await bytesOf(150, writes.change),
		await bytesOf(90, writes.key),
	];
	const ofAccount = await bytesOf(300, () => signUp());
	const { WRITES_PER_NETWORK_AND_DAY, REGISTRATIONS_PER_NETWORK_AND_DAY } = readConfig(env).limits;
	// Past its quota, accounts that wrote little go on, up to twice the quota.
	const ofWrites = Math.max(...sizes) * 2 * WRITES_PER_NETWORK_AND_DAY * DAYS;
	const accounts = REGISTRATIONS_PER_NETWORK_AND_DAY + perMinute.LAST_REGISTRATIONS * (DAY / MINUTE);
	const ofAccounts = ofAccount * accounts * (UNUSED_ACCOUNT_KEPT / DAY);
	const month = ofWrites + ofAccounts;
	console.info(
		`A month of one network: ${Math.round(month / 1e6)} MB; bytes of an address, change, key, account:`,
		sizes,
		ofAccount,
	);
	expect(Math.min(...sizes, ofAccount)).toBeGreaterThan(100);
	expect(month).toBeLessThan(SHARE_OF_ONE_NETWORK * DATABASE_BYTES);
});
