import { expect, test } from "vitest";
import { vectors } from "../support/vectors.ts";
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

test.each(vectors<[string, string, string, string]>("countries-of-places"))(
	"the oracle itself knows %s",
	(_, lat, lng, country) => {
		expect(oracle([Number(lat), Number(lng)])).toBe(country);
	},
);
