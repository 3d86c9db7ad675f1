import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { zoneDigits } from "../../src/zones/naming.ts";
import { freeNumbersNear } from "../../src/zones/numbers.ts";
import { openZoneLocator } from "../../src/zones/open-locator.ts";
import { call, json, patch, post, problem } from "../support/client.ts";
import { fillZone, freeCodes } from "../support/fill-zone.ts";
import { LAGOS, mint, newOwner, signUp } from "../support/people.ts";
import { sql, value } from "../support/sql.ts";
import { until } from "../support/until.ts";

describe("minting", () => {
	it("gives 100 concurrent requests in one zone 100 different codes", async () => {
		const { access, user } = await signUp();
		const minted = await Promise.all(Array.from({ length: 100 }, () => mint(access, LAGOS)));
		const codes = new Set(minted.map(({ canonical }) => canonical));
		expect(codes.size).toBe(100);
		const results = await sql<{ canonical: string }>("select canonical from addresses where owner_id = ?", user.id);
		expect(new Set(results.map(({ canonical }) => canonical))).toEqual(codes);
	});

	it("draws each of the free codes of a nearly full zone, and none twice", async () => {
		const { access, country, zone } = await newOwner({ lat: 9.0765, lng: 7.3986 });
		await fillZone(country, zone, 12);
		const free = await freeCodes(country, zone);
		expect(free.size).toBe(12);
		const minted = await Promise.all(Array.from({ length: 12 }, () => mint(access, { lat: 9.0765, lng: 7.3986 })));
		expect(new Set(minted.map(({ canonical }) => canonical))).toEqual(free);
	});

	it("gives batches that are sent at once the address of an external id in a nearly full zone once", async () => {
		const place = { lat: 7.3775, lng: 3.947 };
		const { access, country, zone } = await newOwner(place);
		await fillZone(country, zone, 12);
		const body = { items: [{ external_id: "meter-1", ...place }] };
		const send = () => call("/v1/addresses/batch", { method: "POST", token: access, body });
		const answers = await Promise.all([1, 2, 3].map(() => json<{ data: [object] }>(send())));
		const canonical = await value("select canonical from addresses where external_id = 'meter-1'");
		for (const { data } of answers) expect(data).toMatchObject([{ external_id: "meter-1", address: { canonical } }]);
	});

	it("goes on under the country's next free number when a zone is full, once for all who race", async () => {
		const place = { lat: 12.0022, lng: 8.592 };
		const { access, country, zone } = await newOwner(place);
		await fillZone(country, zone, 3);
		const minted = await Promise.all(Array.from({ length: 20 }, () => mint(access, place)));
		expect(new Set(minted.map(({ canonical }) => canonical)).size).toBe(20);
		expect(minted.filter((address) => address.zone === zone)).toHaveLength(3);
		const overflow = minted.filter((address) => address.zone !== zone);
		expect(new Set(overflow.map((address) => address.zone)).size).toBe(1);
		const results = await sql("select country, zone, area, ordinal from overflow_zones where area = ?", Number(zone));
		expect(results).toEqual([{ country, zone: Number(overflow[0]?.zone), area: Number(zone), ordinal: 1 }]);
		for (const { canonical } of overflow) await json(call(`/v1/public/addresses/${canonical}`));
	});

	/** The numbers that the index leaves a country for zones that fill up, the nearest to a zone's number first. */
	async function freeNear({ country, zone }: { country: string; zone: string }): Promise<number[]> {
		return freeNumbersNear(Number(zone), (await openZoneLocator(env).numbersOf(country))!);
	}

	/** Has each of some numbers opened by another zone of a country, as its first unless it is said otherwise, or all by one zone in turn. */
	async function open(country: string, numbers: number[], { ordinal = 1, area = "" } = {}): Promise<void> {
		await sql(
			`insert into overflow_zones (country, zone, area, ordinal, created_at)
			select ?1, value, iif(?2 = '', 20000 + key, ?2), iif(?2 = '', ?3, key + 1), 0 from json_each(?4)`,
			country,
			area,
			ordinal,
			JSON.stringify(numbers),
		);
	}

	it("opens the nearest number that nobody has used, and tells operators when few are left", async () => {
		const place = { lat: -1.2864, lng: 36.8172 };
		const { access, country, zone } = await newOwner(place);
		await fillZone(country, zone, 0);
		const numbers = await freeNear({ country, zone });
		const [near, far] = [numbers[7]!, numbers[100]!];
		const others = numbers.filter((number) => number !== near && number !== far);
		await open(country, others);
		expect(await mint(access, place)).toMatchObject({ zone: zoneDigits(near) });
		await until(async () => (await shortages()).includes("incident:country_filling KE"));
	});

	/** What the hourly job tells operators of. */
	async function shortages(): Promise<unknown[]> {
		const results = await sql("select subject from daily_counts where subject like 'incident:%'");
		return results.map(({ subject }) => subject);
	}

	it("answers ZONE_FULL only when the country has no number left", async () => {
		const place = { lat: 0.3476, lng: 32.5825 };
		const { access, country, zone } = await newOwner(place);
		await fillZone(country, zone, 0);
		const [last, ...others] = await freeNear({ country, zone });
		await open(country, others);
		expect(await mint(access, place)).toMatchObject({ zone: zoneDigits(last!) });
		await fillZone(country, zoneDigits(last!), 0);
		await problem(post("/v1/addresses", place, { token: access }), 409, "ZONE_FULL");
		await until(async () => (await shortages()).includes(`incident:zone_full ${country}${zone}`));
	});

	it("gives no zone more than a tenth of the numbers left while others have their first number only", async () => {
		const place = { lat: -6.7924, lng: 39.2083 };
		const { access, country, zone } = await newOwner(place);
		const numbers = await freeNear({ country, zone });
		// The zone has opened eleven numbers, others all but a hundred of the rest: of these it may have ten.
		await open(country, numbers.slice(0, 11), { area: zone });
		await open(country, numbers.slice(11, -100), { ordinal: 2 });
		for (const number of [zone, zoneDigits(numbers[10]!)]) await fillZone(country, number, 0);
		await problem(post("/v1/addresses", place, { token: access }), 409, "ZONE_FULL");
		// Another zone of the same country goes on.
		const elsewhere = { lat: -6.163, lng: 35.7516 };
		const other = await mint(access, elsewhere);
		await fillZone(country, other.zone, 0);
		const left = new Set(numbers.slice(-100));
		const nearest = (await freeNear(other)).find((number) => left.has(number))!;
		expect(await mint(access, elsewhere)).toMatchObject({ zone: zoneDigits(nearest) });
		// One number given back makes its share large enough.
		await sql(
			"delete from overflow_zones where country = ? and ordinal = 2 and zone in (select zone from overflow_zones where ordinal = 2 limit 20)",
			country,
		);
		expect((await mint(access, place)).country).toBe(country);
	});

	it("notes the edition of the index with the address, and shows it at /healthz", async () => {
		const { canonical } = await newOwner();
		const { zones } = await json<{ zones: { edition: number; digest: string } }>(call("/healthz"));
		expect(zones.digest).toMatch(/^[0-9a-f]{64}$/);
		const edition = await value("select edition from addresses where canonical = ?", canonical);
		expect(edition).toBe(`${zones.edition}-${zones.digest.slice(0, 8)}`);
	});
});

describe("Idempotency-Key", () => {
	const create = (token: string, key: string, body: object) =>
		post("/v1/addresses", body, { token, headers: { "Idempotency-Key": key } });

	it("gives racing retries one address too while the zone has no free code left", async () => {
		const place = { lat: 7.3775, lng: 3.947 };
		const { access, user, country, zone } = await newOwner(place);
		await fillZone(country, zone, 0);
		const answers = await Promise.all(Array.from({ length: 8 }, () => json(create(access, "last", place), 201)));
		for (const answer of answers) expect(answer).toEqual(answers[0]);
		const keyed = "select count(*) from addresses where owner_id = ? and idempotency_key is not null";
		expect(await value(keyed, user.id)).toBe(1);
	});

	it("refuses another body under a used key, when the two race too, and keeps the keys of two users apart", async () => {
		const { access } = await signUp();
		const race = Array.from({ length: 20 }, (_, index) =>
			create(access, "two", { ...LAGOS, label: `Gate ${index % 2}` }),
		);
		const answers = await Promise.all(race);
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
		const winners = answers.filter(({ status }) => status === 201).map((answer) => json(answer, 201));
		expect(new Set((await Promise.all(winners)).map(({ canonical }) => canonical)).size).toBe(1);
		const first = await json(create(access, "k", LAGOS), 201);
		await problem(create(access, "k", { ...LAGOS, lat: 6.5 }), 409, "IDEMPOTENCY_CONFLICT");
		const other = await signUp();
		expect((await json(create(other.access, "k", LAGOS), 201)).canonical).not.toBe(first.canonical);
	});

	it("is looked at before the zone: a repeated request gets its answer although no zone can be found any more", async () => {
		const { access } = await signUp();
		const first = await json(create(access, "early", LAGOS), 201);
		await problem(create(access, "early", { lat: 0, lng: 0 }), 409, "IDEMPOTENCY_CONFLICT");
		await env.ZONES.put("world.zones", "no zone index");
		try {
			expect(await json(create(access, "early", LAGOS), 201)).toEqual(first);
		} finally {
			await env.ZONES.put("world.zones", env.TEST_ZONES);
		}
	});

	it("compares labels in NFC, so that two spellings of one label are one request, whatever has changed since", async () => {
		const { access } = await signUp();
		const first = await json(create(access, "nfc", { ...LAGOS, label: "Caf\u00e9" }), 201);
		expect(await json(create(access, "nfc", { ...LAGOS, label: "Cafe\u0301" }), 201)).toEqual(first);
		await json(patch(`/v1/addresses/${first.canonical}`, { label: "Changed since" }, { token: access }));
		expect(await json(create(access, "nfc", { ...LAGOS, label: "Caf\u00e9" }), 201)).toEqual(first);
	});
});
