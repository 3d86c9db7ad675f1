import { describe, expect, it } from "vitest";
import { call, json, problem } from "../support/client.ts";
import { fillZone } from "../support/fill-zone.ts";
import { LAGOS, newOwner, signUp } from "../support/people.ts";
import { countOf, sql, value } from "../support/sql.ts";

const post = (token: string, body: object, settings: object, headers: Record<string, string> = {}) =>
	call("/v1/addresses", { method: "POST", token, body, headers, settings });

/** How many addresses a user has, and how many are counted towards their quota. */
async function mintedAndCounted(userId: string): Promise<[minted: unknown, counted: unknown]> {
	const counted = await value("select count from daily_counts where subject = ?", `${userId}:new-addresses`);
	return [await countOf("addresses", "owner_id", userId), counted ?? 0];
}

describe("the quota of new addresses", () => {
	it("gives all of 50 racing retries of one key the address, although it is the last that the quota allows", async () => {
		const { access, user } = await signUp();
		const headers = { "Idempotency-Key": "last" };
		const settings = { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 1 };
		const race = Array.from({ length: 50 }, () => post(access, LAGOS, settings, headers));
		const codes = await Promise.all(race.map(async (answer) => (await json(answer, 201)).canonical));
		expect(new Set(codes).size).toBe(1);
		expect(await mintedAndCounted(user.id)).toEqual([1, 1]);
		await problem(post(access, LAGOS, settings), 429, "QUOTA_EXCEEDED");
	});

	it("says how many are left, and nothing on a retry, which spends none", async () => {
		const { access, user } = await signUp();
		const settings = { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 3 };
		const headers = { "Idempotency-Key": "told" };
		const first = await post(access, LAGOS, settings, headers);
		expect(first.headers.get("RateLimit")).toMatch(/^"new-addresses";r=2;t=\d+$/);
		const again = await post(access, LAGOS, settings, headers);
		expect(again.headers.get("RateLimit")).toBeNull();
		expect((await json(again, 201)).canonical).toBe((await json(first, 201)).canonical);
		expect(await mintedAndCounted(user.id)).toEqual([1, 1]);
	});

	it("is not spent by a mint that comes to nothing: a full zone, a point in no zone or off the earth, another body under a used key", async () => {
		const place = { lat: 14.7167, lng: -17.4677 };
		const { access, user, country, zone } = await newOwner(place);
		await fillZone(country, zone, 0);
		// Every number that there is has been opened.
		await sql(
			`with recursive numbers (number) as (select 0 union all select number + 1 from numbers where number < 9999)
			insert into overflow_zones (country, zone, area, ordinal, created_at)
			select ?, number, 20000 + number, 1, 0 from numbers`,
			country,
		);
		await problem(post(access, place, {}), 409, "ZONE_FULL");
		await problem(post(access, { lat: 0, lng: 0 }, {}), 422, "OUTSIDE_ZONES");
		await problem(post(access, { lat: 91, lng: 0 }, {}), 400, "INVALID_REQUEST");
		const headers = { "Idempotency-Key": "one" };
		await json(post(access, LAGOS, {}, headers), 201);
		await problem(post(access, { ...LAGOS, label: "x" }, {}, headers), 409, "IDEMPOTENCY_CONFLICT");
		expect(await mintedAndCounted(user.id)).toEqual([2, 2]);
	});

	it("lets nothing be minted when it is 0", async () => {
		const { access, user } = await signUp();
		const answer = post(access, LAGOS, { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 0 });
		await problem(answer, 429, "QUOTA_EXCEEDED");
		expect(await mintedAndCounted(user.id)).toEqual([0, 0]);
	});
});
