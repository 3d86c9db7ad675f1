import { expect, test } from "vitest";
import { compare } from "./oracle.ts";
import { sharedOracle } from "./shared.ts";

const oracle = sharedOracle();

test("the index and a brute-force oracle agree on 50,000 seeded points", async () => {
	const { asked, nowhere, countries, disagreements } = await compare(50_000, 2, oracle);
	expect(disagreements).toEqual([]);
	expect(asked).toBe(50_000);
	// The points must mean something: nearly all countries, and the open sea.
	expect(countries).toBeGreaterThan(230);
	expect(nowhere).toBeGreaterThan(1000);
});

test.each([
	["Maseru, in a hole of South Africa", -29.31, 27.48, "LS"],
	["Bloemfontein", -29.12, 26.22, "ZA"],
	["St Peter's", 41.9022, 12.4533, "VA"],
	["Llívia, an exclave of Spain", 42.4642, 1.9803, "ES"],
	["Paris", 48.8566, 2.3522, "FR"],
	["Saint-Denis de la Réunion", -20.8789, 55.4481, "RE"],
	["Longyearbyen", 78.2232, 15.6267, "SJ"],
	["Honolulu", 21.3069, -157.8583, "US"],
	["Sevastopol", 44.6, 33.53, "UA"],
	["Kyrenia", 35.34, 33.32, "CY"],
	["Laayoune", 27.1418, -13.18797, "EH"],
	["Pristina", 42.6629, 21.1655, "XK"],
	["Ramallah", 31.9038, 35.2034, "PS"],
	["Chukotka, on the antimeridian", 67, 180, "RU"],
	["Chukotka, just east of it", 67, -179.999, "RU"],
	["Wrangel Island, on the antimeridian", 71.1, -180, "RU"],
	["Taveuni, on the antimeridian", -16.8, 179.999995, "FJ"],
	["Bir Tawil", 21.87, 33.75, "none"],
	["the middle of the Atlantic", 0, -30, "none"],
	["the north pole", 90, 0, "none"],
	["the south pole", -90, 0, "AQ"],
])("the oracle itself knows %s", (_, lat, lng, country) => {
	expect(oracle([lat, lng])).toBe(country);
});
