/** How large the database gets when one network, or one /48, writes all it may for a month. */
import { expect, it } from "vitest";
import { inOneTrip } from "../../src/db/statement.ts";
import { weightOf } from "../../src/limits/daily-limits.ts";
import { loginThrottle, noteSignIn } from "../../src/limits/failed-logins.ts";
import {
	type Limit,
	perDay,
	perMinute,
	SESSIONS_OF_YOUNG_ACCOUNT,
	SESSIONS_PER_ACCOUNT,
	YOUNG_FOR,
} from "../../src/settings/limits.ts";
import { DAY, MINUTE } from "../../src/time/time.ts";
import { call, json, post } from "../support/client.ts";
import { allOfSuite, isApart } from "../support/databases.ts";
import { freshPhone, LAGOS, newOwner, PASSWORD, signUp } from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { sql } from "../support/sql.ts";

const DAYS = 30;

/** How much of the 10 GB of D1 one network and one /48 may fill in a month, in bytes; of several databases together. */
const MOST = isApart ? { network: 2.2e9, wide: 6e9 } : { network: 2e9, wide: 5.3e9 };

async function bytes(): Promise<number> {
	const sizes = await Promise.all(allOfSuite.map((database) => database.prepare("select 1").run()));
	return sizes.reduce((sum, { meta }) => sum + meta.size_after, 0);
}

/** How many bytes one run of something adds to the database, on average over so many. */
async function bytesOf(times: number, write: (time: number) => Promise<unknown>): Promise<number> {
	const before = await bytes();
	for (let time = 0; time < times; time += 1) await write(time);
	return ((await bytes()) - before) / times;
}

/** How many there may be in a day, with what is left past the quota. */
const ofDay = ({ quota, trickle }: Limit, amount = trickle?.count ?? 0) =>
	quota + amount * (DAY / (trickle?.every ?? DAY));

/** A text of so many bytes in UTF-8, in the widest characters, and another one each time. */
const textOf = (bytes: number, time: number) =>
	`${time}`.padStart(4, "0").slice(0, bytes) + "😀".repeat((bytes - 4) / 4);

/** Texts of an address of so many bytes in all, and an external id where they are the longest that there are. */
function textsOf(bytes: number, time: number) {
	const external_id = `${bytes}-${time}`.padEnd(bytes > 1_980 ? 64 : 1, "x");
	const label = textOf(Math.min(bytes, 784), time);
	return { label, directions: bytes > 784 ? textOf(Math.min(bytes - 784, 1_184), time) : "", external_id };
}

/** Texts just short of counting once more, where a write counts least for its bytes, and the longest. */
const LENGTHS = [4, 300, 480, 980, 1_480, 1_968, 2_000];

it("a month of all that one network or one /48 may write leaves the database most of its room", async () => {
	/** Bytes of the database for each write that a write of a kind counts as. */
	const sizes: Record<string, number> = {};
	const measure = async (kind: string, times: number, texts: string[], write: (time: number) => Promise<unknown>) => {
		sizes[kind] = (await bytesOf(times, write)) / weightOf(texts);
	};
	for (const length of LENGTHS) {
		const { access: token, canonical } = await newOwner();
		const batch = (from: number) => ({
			items: Array.from({ length: 50 }, (_, item) => ({ ...LAGOS, ...textsOf(length, from + item) })),
		});
		const texts = Object.values(textsOf(length, 1000));
		const kind = `of ${length} bytes`;
		await measure(`address ${kind}`, 3, texts, (time) =>
			json(post("/v1/addresses/batch", batch(1000 + time * 50), { token })),
		);
		sizes[`address ${kind}`]! /= 50;
		await measure(`address with a key ${kind}`, 64, texts.slice(0, 2), (time) => {
			const { external_id, ...body } = textsOf(length, 1000 + time);
			const headers = { "Idempotency-Key": external_id };
			return json(post("/v1/addresses", { ...LAGOS, ...body }, { token, headers }), 201);
		});
		await measure(`change ${kind}`, 64, texts.slice(0, 2), (time) => {
			const { external_id, ...body } = { ...textsOf(length, 1000 + time), ...LAGOS, lat: LAGOS.lat + time * 1e-7 };
			return json(call(`/v1/addresses/${canonical}`, { method: "PATCH", token, body }));
		});
		if (length > 784) continue;
		await measure(`unit ${kind}`, 60, ["12", textOf(length, 1)], (time) => {
			const body = { label: textOf(length, time) };
			return json(call(`/v1/addresses/${canonical}/units/${time}`, { method: "PUT", token, body }));
		});
	}
	const { access: token, canonical } = await newOwner();
	const name = "😀".repeat(25);
	await measure("key", 90, [name], async () => {
		const { id } = await json<{ id: string }>(post("/v1/keys", { name, mode: "live" }, { token }), 201);
		await call(`/v1/keys/${id}`, { method: "DELETE", token });
	});
	// With all the sessions that it keeps in its first month.
	const ofAccount = await bytesOf(40, async () => {
		const phone = freshPhone();
		await signUp(phone);
		for (let times = 1; times < SESSIONS_OF_YOUNG_ACCOUNT; times += 1)
			await json(post("/v1/auth/login", { phone, password: PASSWORD }));
		await inOneTrip(testRegistry().database, noteSignIn(testRegistry(), phone));
	});
	// Of an older account, which keeps more of them than a new one.
	const phone = freshPhone();
	await signUp(phone);
	await sql("update users set created_at = created_at - ? where phone = ?", YOUNG_FOR, phone);
	const ofSession = await bytesOf(SESSIONS_PER_ACCOUNT - 1, () =>
		json(post("/v1/auth/login", { phone, password: PASSWORD })),
	);
	const report = { kind: "other", text: "😀".repeat(300), ...LAGOS };
	const ofReport = await bytesOf(60, () => json(post(`/v1/public/addresses/${canonical}/reports`, report), 201));

	const ofWrite = Math.max(...Object.values(sizes));
	// A row for each phone and network, or each session, which stays for a day.
	const ofFailure = await bytesOf(200, (time) => {
		const guess = { phone: `+23480${String(time).padStart(8, "0")}` };
		return loginThrottle(testRegistry(), guess).fail();
	});
	const { PASSWORD_CALLS, PASSWORD_CALLS_OF_WIDE_NETWORK, PASSWORD_CALLS_IN_FULL_NETWORK } = perMinute;
	const failing = (guesses: number, accounts: number) =>
		ofFailure * (guesses * (DAY / MINUTE) + DAYS * accounts * (1 + SESSIONS_OF_YOUNG_ACCOUNT));
	const NETWORKS_OF_WIDE = 256;
	const months = {
		// Past its quota, accounts that wrote little go on, up to half as much again.
		network:
			DAYS *
				(ofWrite * 1.5 * perDay["writes-of-network"].quota +
					ofAccount * ofDay(perDay["registrations-of-network"]) +
					ofReport * ofDay(perDay["reports-of-network"])) +
			failing(PASSWORD_CALLS.quota, ofDay(perDay["registrations-of-network"])),
		// Older accounts write as much again.
		wide:
			DAYS *
				(ofWrite * 2 * ofDay(perDay["writes-of-wide-network"]) +
					ofAccount * ofDay(perDay["registrations-of-wide-network"]) +
					ofReport * ofDay(perDay["reports-of-wide-network"])) +
			failing(
				PASSWORD_CALLS_OF_WIDE_NETWORK.quota + NETWORKS_OF_WIDE * PASSWORD_CALLS_IN_FULL_NETWORK.quota,
				ofDay(perDay["registrations-of-wide-network"]),
			),
	};
	console.info(
		"Bytes of a write:",
		sizes,
		"of an account, a session, a report and a failed sign-in:",
		ofAccount,
		ofSession,
		ofReport,
		ofFailure,
		"in a month:",
		months,
	);
	expect(Math.min(ofWrite, ofAccount, ofReport)).toBeGreaterThan(500);
	expect(ofFailure).toBeGreaterThan(100);
	// The guide says how many bytes the sessions of older accounts add to what is bounded here.
	expect(ofSession).toBeLessThan(500);
	expect(months.network).toBeLessThan(MOST.network);
	expect(months.wide).toBeLessThan(MOST.wide);
});
