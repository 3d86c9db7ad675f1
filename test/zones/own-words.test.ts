import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { UNITS_PER_STEP } from "../../src/zones/geometry.ts";
import { DEEPEST_LEVEL, keyOf, keysAt } from "../../src/zones/morton.ts";
import { areaOfGridPoint, arrange, cutWorld } from "../../zones/borders.ts";
import { chakName } from "../../zones/chak-names.ts";
import { divisionName } from "../../zones/divisions.ts";
import { summary } from "../../zones/faults.ts";
import { nearbyFinder } from "../../zones/nearby.ts";
import { readText } from "../../zones/official.ts";
import { readGeometry } from "../../zones/official-geometry.ts";
import { readTerritories } from "../../zones/patches.ts";
import { namePlaces } from "../../zones/place-names.ts";
import { tallyOf } from "../../zones/population.ts";
import { readRegions, requireCovered } from "../../zones/region-file.ts";
import { surveyRegions } from "../../zones/regions.ts";
import { readPlaces, requireInCountries, type Settlement, withPlaces } from "../../zones/settlements.ts";
import { drawPersons } from "../../zones/studies/persons.ts";
import { plainRegion, readTruePoints } from "../../zones/studies/word-quality.ts";
import { countryAt } from "../../zones/survey.ts";
import { describeGround, readViews, requireNoAddress, territoriesWith } from "../../zones/view.ts";
import { middleKey, numbersAfresh, numbersAmong } from "../../zones/wards.ts";

type Box = [west: number, south: number, east: number, north: number];
const ring = ([west, south, east, north]: Box) => [
	[west, south],
	[east, south],
	[east, north],
	[west, north],
	[west, south],
];
const feature = (properties: object, ...boxes: Box[]) => ({
	type: "Feature",
	properties,
	geometry: { type: "MultiPolygon", coordinates: boxes.map((box) => [ring(box)]) },
});
const collection = (...features: object[]) => JSON.stringify({ type: "FeatureCollection", features });
const settlement = (name: string, lng: number, lat: number, more: Partial<Settlement> = {}): Settlement => ({
	...{ id: 1, name, country: "KE", featureCode: "PPL", population: 0, region: "" },
	...{ x: Math.round(lng * 1e5), y: Math.round(lat * 1e5) },
	...more,
});

test.each([
	["Chak One Hundred Twelve -Nine Left", "Chak 112/9-L"],
	["Chak One Hundred Twenty Nine Left", "Chak 120/9-L"],
	["Chak Eighty-eight -Six Right", "Chak 88/6-R"],
	["Chak Eighty Three Twelve L", "Chak 83/12-L"],
	["Chak One Hundred Eighty-eight Nine A Left", "Chak 188/9-AL"],
	["Chak Five Hundred Seventy-five", "Chak 575"],
	["Chak Hundred One", "Chak 101"],
	["Chak Jhumra", "Chak Jhumra"],
	["Chak Sixty-five A Gugera Distributary", "Chak Sixty-five A Gugera Distributary"],
	["Lahore", "Lahore"],
])("%s is written %s", (spelled, written) => {
	expect(chakName(spelled)).toBe(written);
});

test.each([
	["Murang'A", "Murang'a"],
	["Nyamira county", "Nyamira County"],
	["Tharaka - Nithi", "Tharaka-Nithi"],
	["M'Sila", "M'Sila"],
	["O'Higgins Region", "O'Higgins Region"],
	["Ho Chi Minh City (HCMC)", "Ho Chi Minh City"],
	["Zabaykalskiy (Transbaikal) Kray", "Zabaykalskiy (Transbaikal) Kray"],
])("the division %s is written %s", (listed, written) => {
	expect(divisionName(listed)).toBe(written);
});

test("a quarter bears the name of a city of its own region, and what is no settlement has no name", () => {
	const named = (...places: Settlement[]) =>
		namePlaces(places, nearbyFinder(places)).map(({ title, cityId }) => [title, cityId]);
	const place = (id: number, name: string, lng: number, region: string, population: number, featureCode = "PPL") =>
		settlement(name, lng, 0, { id, region, population, featureCode });
	const city = place(1, "City", 36, "One", 900_000);
	const town = place(2, "Town", 36.2, "Two", 40_000);
	const quarters = [place(3, "Here", 36.05, "One", 100, "PPLX"), place(4, "Across", 36.06, "Two", 50, "PPLX")];
	expect(named(city, town, ...quarters)).toEqual([
		["City", undefined],
		["Town", undefined],
		["City, Here", 1],
		["Town, Across", 2],
	]);
	expect(named(city, quarters[1]!)).toEqual([
		["City", undefined],
		["Across", undefined],
	]);
	const others = [place(5, "Big Flats Airport", 36, "One", 0), place(6, "Melbourne Airport", 36, "One", 712)];
	expect(named(...others)).toEqual([["Melbourne Airport", undefined]]);
});

test("persons are drawn where people live, each standing for as many, and the same ones again", () => {
	const [west, east] = [keyOf(0, 0), keyOf(90e7, 0)].sort((a, b) => a - b) as [number, number];
	const level = 22;
	const people = {
		listed: tallyOf(DEEPEST_LEVEL, [west, east], [300, 100]),
		unlisted: tallyOf(level, [west - (west % keysAt(level))], [400]),
	};
	const land = { isDry: () => true, touches: () => true };
	const persons = drawPersons(people, 8, land);
	expect(persons.map(({ x }) => Math.round(x / 9e6))).toEqual([0, 0, 0, 1, 0, 0, 0, 0]);
	expect(new Set(persons.slice(4).map(({ x, y }) => `${x} ${y}`)).size).toBe(4);
	expect(drawPersons(people, 8, land)).toEqual(persons);
	expect(drawPersons(people, 8, land, 0.2)).not.toEqual(persons);
});

test("a gazetteer is read, and each line that cannot be used is named with what is wrong", () => {
	const text =
		"\ufeffname;lat;lng;population;region\nKaloleni;-1.3;36.8;1200;Nairobi County\n# a remark\nMji; -1.2 ;36.9;;\n";
	const place = { population: 0, region: "", country: "", where: "g.csv, line 2" };
	expect(readPlaces(text, "g.csv")).toEqual([
		{ ...place, name: "Kaloleni", lat: -1.3, lng: 36.8, population: 1200, region: "Nairobi County" },
		{ ...place, name: "Mji", lat: -1.2, lng: 36.9, where: "g.csv, line 4" },
	]);
	const faulty = "name,lat,lng,population\n,1,2,\nA,120.5,7.3,\nB,x,7,\nC,1,2,many\n";
	expect(() => readPlaces(faulty, "g.csv")).toThrow(
		expect.objectContaining({
			faults: [
				expect.stringContaining("g.csv, line 2: its name"),
				"g.csv, line 3: latitude 120.5 is beyond 90 degrees: lat and lng are swapped",
				expect.stringContaining("g.csv, line 4: its point is x, 7"),
				expect.stringContaining("g.csv, line 5: its population is many"),
			],
		}),
	);
	expect(() => readPlaces("name,lat\nA,1\n", "g.csv")).toThrow("it lacks lng");
	expect(() => readPlaces("name,lat,lng,lon\nA,1,2,3\n", "g.csv")).toThrow("lon is not known");
	expect(() => readPlaces("name,lat,lng\n", "g.csv")).toThrow("it has no places");
});

test("a place of a gazetteer that would land at sea or abroad is refused with its line, above all one with swapped degrees", () => {
	const check = (...lines: string[]) => {
		try {
			return requireInCountries(readPlaces(`name,lat,lng,country\n${lines.join("\n")}\n`, "g.csv"), countryAt);
		} catch (error) {
			return (error as { faults: string[] }).faults;
		}
	};
	const kenya = ["Nairobi,-1.29,36.82,", "Kisumu,-0.1,34.76,", "Mombasa,-4.05,39.67,"];
	expect(check(...kenya)).toEqual([["KE", 3]]);
	// Swapped, Kenya is Spain; a neighbour's village is where it is.
	expect(check(...kenya, "Voi,38.56,-3.4,", "Taveta,37.68,-3.4,", "Namanga,-2.56,36.78,")).toEqual([
		"g.csv, line 5: it is in ES at 38.56, -3.4, and in KE with lat and lng swapped: swap them, or write ES in a column country",
		"g.csv, line 6: it is in ES at 37.68, -3.4, and in KE with lat and lng swapped: swap them, or write ES in a column country",
	]);
	expect(check("Palma,39.57,2.65,ES", ...kenya)).toEqual([
		["KE", 3],
		["ES", 1],
	]);
	expect(check(...kenya, "Null,0,0,", "Atlantic,0,-30,KE", "Karachi,67,24.9,PK", "Jinja,0.44,33.2,KE")).toEqual([
		"g.csv, line 5: it is in no country at 0, 0",
		"g.csv, line 6: it is in no country at 0, -30, and its country is KE",
		"g.csv, line 7: it is in FI at 67, 24.9, and in PK with lat and lng swapped",
		"g.csv, line 8: it is in UG at 0.44, 33.2, and its country is KE",
	]);
	expect(check("Lagos,3.38,6.52,")).toEqual([
		"g.csv, line 2: it is in no country at 3.38, 6.52, and in NG with lat and lng swapped",
	]);
});

test("an operator's place takes the place of a listed one of its name nearby, and of no other", () => {
	const listed = [
		settlement("Thika", 37.07, -1.03),
		settlement("Thika", 38.5, -1.03),
		settlement("Ruiru", 36.96, -1.15),
	];
	const own = { name: "THIKA", lat: -1.04, lng: 37.08, population: 250_000, region: "" };
	expect(withPlaces(listed, [own]).map(({ name, x }) => `${name} ${x}`)).toEqual([
		"Thika 3850000",
		"Ruiru 3696000",
		"THIKA 3708000",
	]);
});

const WEST: Box = [34, -1, 36, 1];
const EAST: Box = [36, -1, 38, 1];

test("an operator's regions decide instead of the map, and no file with a fault is taken", () => {
	const file = readRegions(
		"KE",
		collection(feature({ region: "West", GID_0: "KEN" }, WEST), feature({ name: "East", shapeISO: "KE-01" }, EAST)),
		"r.geojson",
	);
	const places = [settlement("A", 35, 0, { region: "Old" }), settlement("B", 37, 0, { region: "Old" })];
	const regions = surveyRegions([[]], [[], places], ["KE"], new Map([["KE", file]]));
	expect(regions.settlementsIn[1]!.map(({ region }) => region)).toEqual(["West", "East"]);
	expect(regions.regionAt(1, { x: 35.99 * 1e5, y: 0 })).toBe("West");
	expect(regions.regionAt(1, { x: 36.01 * 1e5, y: 0 })).toBe("East");
	expect(() => requireCovered(file, "KE", [...places, settlement("Far", 41, 3)])).toThrow(
		"1 of 3 settlements of KE lie in none of its regions, such as Far (3.0000, 41.0000)",
	);
	for (const [features, message] of [
		[[feature({ region: "West" }, [34, -1, 36.2, 1]), feature({ region: "East" }, EAST)], "it overlaps"],
		[
			[
				feature({ region: "Around" }, [34, -1, 38, -0.5], [34, 0.5, 38, 1], [34, -0.5, 35, 0.5], [37, -0.5, 38, 0.5]),
				feature({ region: "Far" }, [39, -1, 40, 1]),
			],
			"r.geojson: there is a hole beside Around near",
		],
		[[feature({ region: "West", iso_a2: "UG" }, WEST)], 'feature 1 ("West", near -1.0000, 34.0000): its iso_a2 is UG'],
		[[feature({ name: "West", shapeGroup: "UGA" }, WEST)], "its shapeGroup is UGA, and the file is given for KE"],
		[[feature({ name: "West", iso_3166_2: "UG-101" }, WEST)], "its iso_3166_2 is UG-101"],
		[[feature({}, WEST)], "it has no name"],
		[[feature({ region: "West" }, [340, -1, 360, 1])], "it must be longitude and latitude"],
	] as const) {
		expect(() => readRegions("KE", collection(...features), "r.geojson")).toThrow(message);
	}
});

test("the lists and the map together tell a region that is one division, several, or a part of one", () => {
	const lines = [
		{
			sides: [1, 2],
			points: [
				[36e5, -1e5],
				[36e5, 1e5],
			],
		},
		{
			sides: [1, 0],
			points: [
				[36e5, 1e5],
				[34e5, 1e5],
				[34e5, -1e5],
				[36e5, -1e5],
			],
		},
		{
			sides: [2, 0],
			points: [
				[36e5, -1e5],
				[38e5, -1e5],
				[38e5, 1e5],
				[36e5, 1e5],
			],
		},
	] as unknown as Parameters<typeof surveyRegions>[0][0];
	const at = (lng: number, lat: number, region: string, country = "KE") =>
		settlement(`${lng}`, lng, lat, { region, country });
	/** One of many places in a row. */
	const inRow = (lng: number, place: number, region: string) => at(lng + 0.01 * place, 0.3 * ((place % 3) - 1), region);
	const rows = (lng: number, region: string) => [-0.6, -0.2, 0.2, 0.6].map((lat) => at(lng, lat, region));
	const kenya = [...rows(35, "One"), ...rows(36.5, "Two"), ...rows(37.5, "Three"), at(35.1, 0, "Abroad", "UG")];
	const { possibleAt, regionAt } = surveyRegions([lines], [[], kenya], ["KE"]);
	expect(possibleAt(1, { x: 35.9e5, y: 0 })).toEqual(["One"]);
	expect(possibleAt(1, { x: 36.1e5, y: 0 })).toEqual(["Three", "Two"]);
	// Nearer to One, but beyond its line.
	expect(regionAt(1, { x: 36.02e5, y: 0 })).toBe("Two");
	expect(regionAt(1, { x: 37.4e5, y: 0 })).toBe("Three");
	// Beyond all lines the nearest settlement counts, within reason.
	expect(possibleAt(1, { x: 38.3e5, y: 0 })).toEqual([]);
	expect(regionAt(1, { x: 38.3e5, y: 0 })).toBe("Three");
	expect(regionAt(1, { x: 41e5, y: 0 })).toBe("");
	// A city with a division of its own is not within the one around it because one of its two places is there.
	const city = [...rows(35, "One"), at(35.8, 0, "City"), at(36.2, 0, "City")];
	expect(surveyRegions([lines], [[], city], ["KE"]).possibleAt(1, { x: 35.8e5, y: 0 })).toEqual(["One"]);
	// The line between them has moved since the map: a part of One, which reaches further west, is Two's by now, if its places lie together.
	const east = Array.from({ length: 20 }, (_, at) => inRow(37, at, "Two"));
	const part = (lng: (at: number) => number, count: number) => [
		...Array.from({ length: 20 - count }, (_, at) => inRow(34.2, at, "One")),
		...Array.from({ length: count }, (_, at) => inRow(lng(at), at, "Two")),
	];
	const possible = (...places: Settlement[]) =>
		surveyRegions([lines], [[], [...places, ...east]], ["KE"]).possibleAt(1, { x: 34.5e5, y: 0 });
	expect(possible(...part(() => 35.7, 6))).toEqual(["One", "Two"]);
	expect(possible(...part(() => 34.2, 6))).toEqual(["One"]);
	expect(possible(...part(() => 35.7, 4))).toEqual(["One"]);
	// Regions so small that each has under a fiftieth of a division's places are told apart, if they are wholly there.
	const small = Array.from({ length: 60 }, (_, at) => inRow(34.2, at, `Small ${at}`));
	expect(possible(...small)).toHaveLength(60);
});

test("a file in another encoding than UTF-8 is refused with its feature, or with its line", () => {
	const folder = mkdtempSync(path.join(tmpdir(), "latin-"));
	const write = (name: string, text: string) => {
		const file = path.join(folder, name);
		writeFileSync(file, Buffer.from(text, "latin1"));
		return file;
	};
	const geojson = collection(feature({ name: "Plain" }, WEST), feature({ name: "Caf\u00e9" }, EAST));
	expect(() => readText(write("a.geojson", geojson))).toThrow(
		"a.geojson, feature 2 (near -1.0000, 36.0000): it is not in UTF-8",
	);
	for (const [start, format] of [
		["\x00\x00\x27\x0a\x00\x00", "a shapefile"],
		["SQLite format 3\x00\xff", "a GeoPackage"],
		["PK\x03\x04\xff", "a ZIP archive"],
		['<?xml version="1.0"?><kml/>', "XML, such as KML"],
	])
		expect(() => readText(write("wards.dat", start!))).toThrow(
			new RegExp(`wards.dat: it is ${format}.*convert it, for instance with ogr2ogr -f GeoJSON -t_srs EPSG:4326`),
		);
	expect(() => readText(write("a.csv", "name,lat,lng\nA,1,2\nCaf\u00e9,1,2\n"))).toThrow(
		"a.csv, line 3: it is not in UTF-8",
	);
});

test("a ring outside its polygon is an island: it becomes a polygon of its own, with a note", () => {
	const { polygons, notes } = readGeometry(
		{ type: "Polygon", coordinates: [ring(WEST), ring([40, -1, 42, 1])] },
		"Ward",
	);
	expect(polygons.length).toBe(2);
	expect(notes).toEqual(["Ward: it has 1 rings outside their polygon: each is taken as a polygon of its own"]);
});

test("what is to be said of many features is said a few times and counted", () => {
	const lines = Array.from({ length: 2110 }, (_, at) => `w.geojson, feature ${at}: it has no property zone`);
	expect(summary([...lines, "another"])).toEqual([
		...lines.slice(0, 10),
		"and 2100 more of which the same is to be said",
		"another",
	]);
	// Each of them names other wards, places and sizes.
	const overlaps = Array.from(
		{ length: 2053 },
		(_, at) =>
			`w.geojson, feature ${at} (zone ${at}, "Ward ${at}"): it shares ${9000 - at} m2 near -29.${at}, 28.1 with zone 7, which gets them`,
	);
	const covered = ["A", "B"].flatMap((name) =>
		Array.from(
			{ length: 6 },
			(_, at) =>
				`w.geojson, feature ${at}: it lies under others by 23 %, most of it under w.geojson, feature 2 ("${name}")`,
		),
	);
	expect(summary([...overlaps, ...covered])).toEqual([
		...overlaps.slice(0, 10),
		"and 2043 more of which the same is to be said",
		...covered.slice(0, 10),
		"and 2 more of which the same is to be said",
	]);
});

test("a ward on both sides of the antimeridian is numbered next to its neighbours", () => {
	const key = (...boxes: Box[]) => middleKey(feature({}, ...boxes).geometry, true)!;
	const chukotka = key([177, 62, 180, 70], [-180, 62, -169, 70]);
	const kamchatka = key([156, 51, 174, 64]);
	const kaliningrad = key([19, 54, 23, 55]);
	expect(Math.abs(chukotka - kamchatka)).toBeLessThan(Math.abs(chukotka - kaliningrad));
	expect(key([-1, 0, 1, 2])).toBe(key([-0.5, 0.5, 0.5, 1.5]));
	expect(middleKey({ coordinates: [[[200, 1]]] }, true)).toBeUndefined();
	// Alaska among the United States stays in the west.
	const alaska = middleKey(feature({}, [172, 51, 180, 55], [-180, 51, -130, 71]).geometry, false)!;
	expect(alaska).toBeLessThan(2 ** 31);
});

test("wards of a country with addresses get numbers that nobody has had, and are told at once how many fit", () => {
	expect(numbersAfresh(4)).toEqual([0, 2000, 4000, 6000]);
	const free = Array.from({ length: 3023 }, (_, at) => 3 * at);
	const numbers = numbersAmong(free, 100, "w.geojson");
	expect(new Set(numbers).size).toBe(100);
	expect(numbers.every((number) => free.includes(number))).toBe(true);
	expect(() => numbersAmong(free, 5564, "w.geojson")).toThrow(
		"it has 5564 polygons, and of the 3023 numbers that nobody has had, 2720 may go to wards",
	);
});

test("an authority's view gives land to the country that it says, and leaves all other land where it is", async () => {
	const territories = readTerritories();
	const known = new Set(territories.map(({ country }) => country));
	const box: Box = [78.5, 34.6, 79.5, 35.2];
	const views = readViews(
		collection(feature({ country: "IN", reason: "Aksai Chin, by its law" }, box)),
		"v.geojson",
		known,
	);
	const ground = (region: string) =>
		describeGround(views[0]!, ({ x, y }) => (x === 79e5 && y === 34.9e5 ? region : "elsewhere"));
	expect(ground("Ladakh")).toContain(
		"it is told to be in Ladakh, by the nearest place of IN: if that is wrong, draw the regions of IN there and name the file as --regions IN=FILE",
	);
	expect(ground("")).toContain("it has no region");
	const worldOf = (given: typeof territories) => cutWorld(arrange(given.map(({ rings }) => rings)));
	const [before, after] = [worldOf(territories), worldOf(territoriesWith(views, territories))];
	const countryAt = (world: typeof before, lng: number, lat: number) =>
		territories[
			areaOfGridPoint(world, Math.round(lng * 1e5) * UNITS_PER_STEP, Math.round(lat * 1e5) * UNITS_PER_STEP) - 1
		]?.country;
	let moved = 0;
	for (let lat = 30; lat < 40; lat += 0.137) {
		for (let lng = 70; lng < 85; lng += 0.137) {
			const isIn = 78.5 < lng && lng < 79.5 && 34.6 < lat && lat < 35.2;
			const [was, is] = [countryAt(before, lng, lat), countryAt(after, lng, lat)];
			expect(is, `${lat}, ${lng}`).toBe(isIn ? "IN" : was);
			if (was !== is) moved++;
		}
	}
	expect(moved).toBeGreaterThan(10);
	for (const [properties, message] of [
		[{ country: "QQ", reason: "x" }, 'its country is "QQ"'],
		[{ country: "IN" }, "it has no reason"],
	] as const) {
		expect(() => readViews(collection(feature(properties, box)), "v.geojson", known)).toThrow(message);
	}
	const twice = collection(feature({ country: "IN", reason: "a" }, box), feature({ country: "CN", reason: "b" }, box));
	expect(() => readViews(twice, "v.geojson", known)).toThrow("it overlaps another");
	await expect(requireNoAddress(views, async () => [{ canonical: "CN000000001", lat: 35, lng: 79 }])).rejects.toThrow(
		"1 addresses of other countries have been issued there, such as CN000000001",
	);
	await requireNoAddress(views, async () => [{ canonical: "CN000000001", lat: 35, lng: 79.6 }]);
});

test("true points are read with their spellings, and regions compared without accents, case and kinds", () => {
	const text = "lat,lng,country,region\n6.5,3.3,NG,Lagos|Lagos State\n";
	expect(readTruePoints(text, "t.csv")).toEqual([
		{ lat: 6.5, lng: 3.3, country: "NG", regions: ["Lagos", "Lagos State"] },
	]);
	expect(() => readTruePoints("lat,lng,country,region\n1,2,Nigeria,x\n1,2,NG,\n", "t.csv")).toThrow(
		expect.objectContaining({ faults: [expect.stringContaining("line 2"), expect.stringContaining("line 3")] }),
	);
	expect(plainRegion("Nairobi County")).toBe(plainRegion("nairobi"));
	expect(plainRegion("São Paulo")).toBe("sao paulo");
	expect(plainRegion("Federal Capital Territory")).toBe("federal capital territory");
});
