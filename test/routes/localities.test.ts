import { describe, expect, it } from "vitest";
import { call, json, patch, post, problem } from "../support/client.ts";
import { LAGOS, type Minted, mint, newOwner, signUp } from "../support/people.ts";
import { row, sql } from "../support/sql.ts";

interface Preview {
	region: string;
	zone: string;
	zone_name: string;
	localities: { name: string; distance_m: number }[];
	nearest: { name: string; distance_m: number; direction: string } | null;
}
type Placed = Minted & { locality: string };

/** Nairobi, on the edge of its county; the zone around it is Kiambu's. */
const NAIROBI = { lat: -1.293, lng: 36.72 };

const preview = ({ lat, lng }: { lat: number; lng: number }) =>
	json<Preview>(call(`/v1/public/zones?lat=${lat}&lng=${lng}`));

describe("the locality of an address", () => {
	it("is the first that the preview offers, and its region is that of the point", async () => {
		const { access } = await signUp();
		for (const point of [LAGOS, NAIROBI]) {
			const { localities, region } = await preview(point);
			expect(localities.length).toBeGreaterThan(1);
			expect(localities.length).toBeLessThanOrEqual(4);
			expect(new Set(localities.map(({ name }) => name)).size).toBe(localities.length);
			for (const { name, distance_m } of localities) {
				expect(name.length).toBeLessThanOrEqual(60);
				expect(Number.isInteger(distance_m)).toBe(true);
			}
			expect(await mint(access, point)).toMatchObject({ locality: localities[0]?.name, region });
		}
		expect((await preview(NAIROBI)).region).toBe("Nairobi County");
	});

	it("may be empty, and even there the point is told from a place, unless none is within 100 km", async () => {
		// A well in Kordofan, and the middle of the Rub al-Khali.
		const well = await preview({ lat: 14.5, lng: 28 });
		expect(well.localities).toEqual([]);
		expect(well.nearest?.distance_m).toBeGreaterThan(20_000);
		expect(well.nearest?.distance_m).toBeLessThan(100_000);
		expect(well.nearest?.direction).toMatch(/^(north|south)?-?(east|west)?$/);
		expect((await preview({ lat: 20, lng: 51 })).nearest).toBeNull();
		const { localities, nearest } = await preview(NAIROBI);
		expect(nearest?.distance_m).toBeLessThanOrEqual(localities[0]?.distance_m ?? 0);
	});

	it("is what the owner chooses among those at the mint, and no other", async () => {
		const { access } = await signUp();
		const { localities } = await preview(LAGOS);
		const chosen = localities[1]?.name;
		expect(await mint(access, { ...LAGOS, locality: chosen })).toMatchObject({ locality: chosen });
		const refused = await problem(
			post("/v1/addresses", { ...LAGOS, locality: "Atlantis" }, { token: access }),
			400,
			"INVALID_REQUEST",
		);
		const [error] = refused.errors as { path: string; message: string }[];
		expect(error?.path).toBe("locality");
		for (const { name } of localities) expect(error?.message).toContain(`"${name}"`);
		const batch = await json<{ data: { status: string; address?: Placed }[] }>(
			post(
				"/v1/addresses/batch",
				{
					items: [
						{ external_id: "a", ...LAGOS, locality: chosen },
						{ external_id: "b", ...LAGOS, locality: "Atlantis" },
						{ external_id: "c", ...LAGOS },
					],
				},
				{ token: access },
			),
		);
		expect(batch.data.map(({ status }) => status)).toEqual(["created", "failed", "created"]);
		expect(batch.data.map(({ address }) => address?.locality)).toEqual([chosen, undefined, localities[0]?.name]);
	});

	it("is chosen later without a visit losing its worth, and a move drops a choice that the new point does not offer", async () => {
		const { access, canonical } = await newOwner();
		const { localities } = await preview(LAGOS);
		const [first, chosen] = localities.map(({ name }) => name);
		await sql("update addresses set verification_level = 2 where canonical = ?", canonical);
		const change = (body: object) =>
			json<Placed & { verification_level: number }>(patch(`/v1/addresses/${canonical}`, body, { token: access }));
		expect(await change({ locality: chosen })).toMatchObject({ locality: chosen, verification_level: 2 });
		await problem(
			patch(`/v1/addresses/${canonical}`, { locality: "Atlantis" }, { token: access }),
			400,
			"INVALID_REQUEST",
		);
		// Some metres away the same places are near.
		expect(await change({ lat: LAGOS.lat + 0.0001, lng: LAGOS.lng })).toMatchObject({ locality: chosen });
		await sql("update addresses set locality = 'Long gone' where canonical = ?", canonical);
		expect(await change({ lat: LAGOS.lat, lng: LAGOS.lng })).toMatchObject({ locality: first });
		expect(await row("select is_locality_chosen from addresses where canonical = ?", canonical)).toEqual({
			is_locality_chosen: 0,
		});
	});

	it("leaves with no private address: a refusal tells the region of its zone", async () => {
		const { access } = await signUp();
		const { canonical } = await mint(access, { ...NAIROBI, visibility: "private" });
		await sql("update addresses set region = 'of the pin', zone_region = 'of the zone' where canonical = ?", canonical);
		const refused = await problem(call(`/v1/public/addresses/${canonical}`), 403, "ADDRESS_PRIVATE");
		expect(refused).toMatchObject({ region: "of the zone" });
		expect(JSON.stringify(refused)).not.toContain("of the pin");
		expect(refused).not.toHaveProperty("locality");
	});

	it("stands on the page and on the card in the place of the zone's name", async () => {
		const { access } = await signUp();
		const { canonical, locality, region } = (await mint(access, { lat: 7.3775, lng: 3.947 })) as Placed;
		const page = await (await call(`/a/${canonical}`, { headers: { Accept: "text/html" } })).text();
		expect(page).toContain(`${locality}\u2069, \u2068${region}`);
		const card = await (await call(`/v1/addresses/${canonical}/label.svg`)).text();
		expect(card).toContain(locality);
		expect(card).not.toMatch(/\d km (north|south|east|west)/);
	});
});
