import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { UNITS_PER_STEP } from "../../src/zones/geometry.ts";
import { gridX, gridY } from "../../src/zones/morton.ts";
import { areaOfGridPoint, arrange, arrangementOf, cutWorld, doCross, type Ends } from "../../zones/borders.ts";
import { compile } from "../../zones/compile.ts";
import { readBoundaries } from "../../zones/official.ts";
import { outlineOf } from "../../zones/outline.ts";
import { layOver, requireSound } from "../../zones/overlay.ts";
import { joinOutlines } from "../../zones/planar.ts";
import type { Ring } from "../../zones/sources.ts";
import { surveyBorders } from "../../zones/survey.ts";
import { corners, rectangle } from "../support/corners.ts";
import { seededRandom } from "../support/random.ts";

type Lines = Array<Array<[lng: unknown, lat: unknown]>>;

/** A square in Lesotho, whose places are told apart by their column and row. */
function cell(column = 0, row = 0, size = 0.1): Lines {
	const [west, south] = [28 + column * 0.1, -29.8 + row * 0.1];
	return [[...rectangle(west, south, west + size, south + size), [west, south]]];
}

function feature(zone: unknown, coordinates: unknown = cell(), type = "Polygon", name: unknown = "Ward") {
	return { type: "Feature", properties: { zone, name }, geometry: { type, coordinates } };
}

const collection = (...features: unknown[]) => ({ type: "FeatureCollection", features });

const { territories, world } = surveyBorders();
const lesotho = territories.findIndex(({ country }) => country === "LS") + 1;

function lay(json: unknown) {
	const text = typeof json === "string" ? json : JSON.stringify(json);
	const file = readBoundaries(text, "wards.geojson");
	requireSound(lesotho, { territories, world }, file);
	const { overlay, notes } = layOver(lesotho, outlineOf(world, lesotho), file);
	const zoneAt = (lng: number, lat: number) => areaOfGridPoint(overlay.world, gridX(lng), gridY(lat));
	return { zones: overlay.zones, notes: [...file.notes, ...notes], zoneAt };
}

test("takes two wards with an edge in common, one of them without a name", () => {
	const { zones } = lay(
		collection(feature(7, cell(1), "Polygon", null), feature(0, [cell()], "MultiPolygon", " Cafe\u0301 ")),
	);
	expect(zones).toEqual([
		{
			number: 0,
			name: "Caf\u00e9",
			region: "",
			box: { west: 280_000_000, south: -298_000_000, east: 281_000_000, north: -297_000_000 },
		},
		{
			number: 7,
			name: "",
			region: "",
			box: { west: 281_000_000, south: -298_000_000, east: 282_000_000, north: -297_000_000 },
		},
	]);
});

const open = [cell()[0]!.slice(0, 4)];
const swapped = cell().map((ring) => ring.map(([lng, lat]) => [lat, lng]));
const projected = cell().map((ring) => ring.map(([lng, lat]) => [Number(lng) * 1e5, Number(lat) * 1e5]));
const seam = [corners("179 -29, -179 -29, -179 -30, 179 -29")];
const around = [corners("-179 -30, -60 -30, 60 -30, 179 -30, 0 -29, -179 -30")];
const twoPositions = [corners("28 -29, 28 -29")];

test.each<[string, unknown, string]>([
	["text that is not JSON", "{", "wards.geojson: it is not valid JSON"],
	["a lone Feature", feature(1), "wards.geojson: it is not a GeoJSON FeatureCollection"],
	["no features", collection(), "wards.geojson: it has no features"],
	["a geometry among the features", collection(feature(1).geometry), "feature 1: it is not a GeoJSON Feature"],
	[
		"a point",
		collection(feature(1, [28, -29], "Point")),
		'feature 1 (zone 1, "Ward", near -29.0000, 28.0000): its geometry is "Point"',
	],
	["no geometry", collection({ ...feature(1), geometry: null }), 'feature 1 (zone 1, "Ward"): its geometry is missing'],
	["a polygon without rings", collection(feature(1, [])), "its coordinates are not those of a Polygon"],
	[
		"coordinates that are text",
		collection(feature(1, [[["28", "-29"]]])),
		"its coordinates are not those of a Polygon",
	],
	["a multipolygon that is a polygon", collection(feature(1, cell(), "MultiPolygon")), "not those of a MultiPolygon"],
	[
		"metres instead of degrees",
		collection(feature(1, projected)),
		"ring 1: position 1 is 2800000, -2980000: it must be longitude and latitude, in this order, in degrees of WGS 84: convert the file, for instance with ogr2ogr -f GeoJSON -t_srs EPSG:4326",
	],
	[
		"an open ring",
		collection(feature(1, open)),
		'feature 1 (zone 1, "Ward", near -29.8000, 28.0000), ring 1: it is not closed',
	],
	[
		"an open second part",
		collection(feature(1, [cell(), open], "MultiPolygon")),
		"polygon 2, ring 1: it is not closed",
	],
	["a ring of two positions", collection(feature(1, twoPositions)), "ring 1: it is not closed"],
	["a ring over the antimeridian", collection(feature(1, seam)), "ring 1: it jumps over the antimeridian"],
	["no polygon with an area", collection(feature(1, cell(0, 0, 1e-6))), "no feature has an area"],
	["no number", collection(feature(undefined)), "near -29.8000, 28.0000): it has no property zone"],
	["a number that is a text", collection(feature("12a")), '28.0000): its property zone is "12a"'],
	["a fraction", collection(feature(1.5)), "28.0000): its property zone is 1.5"],
	["a negative number", collection(feature(-1)), "28.0000): its property zone is -1"],
	["a number of five digits", collection(feature(10_000)), "28.0000): its property zone is 10000"],
	[
		"a number twice",
		collection(feature(3), feature(3, cell(1))),
		'feature 2 (zone 3, "Ward", near -29.8000, 28.1000): it has the number of feature 1',
	],
	[
		"a name that is a number",
		collection(feature(1, cell(), "Polygon", 5)),
		"feature 1 (zone 1, near -29.8000, 28.0000): its property name",
	],
	["a name with a control character", collection(feature(1, cell(), "Polygon", "a\u0000")), "its property name"],
	[
		"longitude and latitude swapped",
		collection(feature(1, swapped)),
		'feature 1 (zone 1, "Ward", near 28.0000, -29.8000): it lies wholly outside the country: it is inside with latitude and longitude swapped: write longitude first',
	],
	[
		"a ward elsewhere",
		collection(feature(1), feature(2, cell(40))),
		'feature 2 (zone 2, "Ward", near -29.8000, 32.0000): it lies wholly outside',
	],
	[
		"a ward under others",
		collection(feature(8, cell(0, 0, 0.15)), feature(4, cell(1))),
		'(zone 8, "Ward", near -29.8000, 28.0000): it lies under others by 23 %, most of it under wards.geojson, feature 2 (zone 4, ',
	],
	[
		"the same ward twice",
		collection(feature(1), feature(2)),
		'feature 2 (zone 2, "Ward", near -29.8000, 28.0000): it is drawn as wards.geojson, feature 1 (zone 1, "Ward"',
	],
	[
		"a sliver",
		collection(feature(1), feature(2, [corners("28.1 -29.8, 28.1001 -29.8, 28.1001 -29.7, 28.1 -29.7, 28.1 -29.8")])),
		'feature 2 (zone 2, "Ward", near -29.8000, 28.1000): it is a sliver of about 9.6 m: join it to its neighbour',
	],
	[
		"latitude first, beyond the poles",
		collection(feature(1, [corners("10 130, 10 131, 11 131, 10 130")])),
		"ring 1: position 1 is 10, 130: it must be longitude and latitude, in this order: swap them",
	],
	[
		"a ring the wrong way around the earth",
		collection(feature(1, around)),
		"it reaches around more than half of the earth",
	],
	[
		"degrees of another datum",
		{ ...collection(feature(1)), crs: { type: "name", properties: { name: "urn:ogc:def:crs:EPSG::4230" } } },
		'its member crs is "urn:ogc:def:crs:EPSG::4230": convert it to WGS 84',
	],
])("refuses %s and says what to correct", (_, json, message) => {
	expect(() => lay(json)).toThrow(
		expect.objectContaining({ name: "BoundaryError", message: expect.stringContaining(message) }),
	);
});

test("tells all faults of a file at once", () => {
	const faulty = collection(
		feature("x"),
		feature(2),
		feature(2, cell(1)),
		feature(4, open),
		feature(5, cell(), "Point"),
	);
	expect(() => lay(faulty)).toThrow(expect.objectContaining({ faults: expect.objectContaining({ length: 4 }) }));
	// A number that stands twice, though the first zone of that number cannot be read, and a zone that lies abroad.
	const mixed = collection(feature(2, open), feature(2, cell(1)), feature(3, cell(40)));
	expect(() => lay(mixed)).toThrow(expect.objectContaining({ faults: expect.objectContaining({ length: 3 }) }));
	const covering = collection(feature(1), feature(2), feature(3, cell(40)), feature(4, cell(3)));
	expect(() => lay(covering)).toThrow(expect.objectContaining({ faults: expect.objectContaining({ length: 2 }) }));
});

test("reads what other programs write: a byte order mark, numbers as text, NAME, the old crs of WGS 84, and letters with joiners", () => {
	const names = [
		"\u062e\u0631\u0645\u200c\u0622\u0628\u0627\u062f",
		"\u0dc1\u0dca\u200d\u0dbb\u0dd3",
		"\u{1f600}".repeat(60),
	];
	const features = names.map((NAME, at) => ({ ...feature(0, cell(at)), properties: { ZONE: `042${at}`, NAME } }));
	const crs = { type: "name", properties: { name: "urn:ogc:def:crs:OGC:1.3:CRS84" } };
	const { zones, notes } = lay(`\ufeff${JSON.stringify({ ...collection(...features), crs })}`);
	expect(zones.map(({ number, name }) => [number, name])).toEqual(names.map((name, at) => [420 + at, name]));
	expect(notes).toEqual([]);
});

const bowTie = [corners("28 -29.8, 28.1 -29.7, 28.1 -29.8, 28 -29.7, 28 -29.8")];

test.each<[string, unknown, RegExp]>([
	[
		"that no zone has a name",
		collection(feature(1, cell(), "Polygon", null)),
		/no zone has a name: .*\(there are: zone, name\)/,
	],
	[
		"a feature without area",
		collection(feature(1), feature(2, cell(3, 0, 1e-6))),
		/feature 2 .*a ring has no area: the feature is left out/,
	],
	[
		"a ring that crosses itself",
		collection(feature(1, bowTie)),
		/ring 1: it crosses itself near -29\.[78]000, 28\.[01]000/,
	],
	[
		"an overlap",
		collection(feature(1), feature(2, cell(0.95))),
		/feature 2 .*: it shares 5\d{6} m2 near .* with zone 1, which gets them/,
	],
])("notes %s and goes on", (_, json, note) => {
	const { zones, notes } = lay(json);
	expect(zones[0]!.number).toBe(1);
	expect(notes).toEqual([expect.stringMatching(note)]);
});

test("polygons of one zone that overlap are united", () => {
	const { edges } = joinOutlines([[[[0, 0, 100, 0, 100, 100, 0, 100]], [[50, 50, 150, 50, 150, 150, 50, 150]]]]);
	const united = cutWorld(arrangementOf(edges, []));
	for (const [x, y, zone] of [
		[25, 25, 1],
		[75, 75, 1],
		[125, 125, 1],
		[125, 25, 0],
	] as const) {
		expect(areaOfGridPoint(united, x * UNITS_PER_STEP, y * UNITS_PER_STEP)).toBe(zone);
	}
});

test("takes real counties as they come, one of them without an area", () => {
	const text = readFileSync(`${import.meta.dirname}/fixtures/us-counties.geojson`, "utf8");
	const file = readBoundaries(text, "us-counties.geojson");
	const states = territories.findIndex(({ country }) => country === "US") + 1;
	const { overlay } = layOver(states, outlineOf(world, states), file);
	expect(overlay.zones.map(({ name }) => name).sort()).toEqual([
		"Alexandria",
		"Arlington",
		"Charles",
		"District of Columbia",
		"Fairfax",
		"Fairfax",
		"Fredericksburg",
		"Howard",
		"Loudoun",
		"Manassas",
		"Manassas Park",
		"Montgomery",
		"Prince George's",
		"Prince William",
		"Stafford",
	]);
	const lost = file.notes.filter((note) => note.includes("the feature is left out"));
	expect(lost).toEqual([
		expect.stringMatching(/^us-counties\.geojson, feature 1 \(zone 610, "Falls Church", near 38\.89/),
	]);
	const at = (lng: number, lat: number) => {
		const zone = areaOfGridPoint(overlay.world, gridX(lng), gridY(lat));
		return overlay.zones[zone - 1]?.name;
	};
	expect([at(-77.0365, 38.8977), at(-77.0861, 38.8816), at(-77.5636, 39.0853)]).toEqual([
		"District of Columbia",
		"Arlington",
		"Loudoun",
	]);
});

test("faults of a file are told by themselves, before the zones are laid over their country", () => {
	const check = (json: unknown) => {
		try {
			requireSound(lesotho, { territories, world }, readBoundaries(JSON.stringify(json), "wards.geojson"));
			return [];
		} catch (error) {
			return (error as { faults: string[] }).faults;
		}
	};
	// A ward around all of the country has no corner in it, and one across its border has some.
	const around = feature(1, [corners("26 -31, 30 -31, 30 -28, 26 -28, 26 -31")]);
	expect(check(collection(around))).toEqual([]);
	expect(check(collection(feature(1, cell(0, 0, 3))))).toEqual([]);
	expect(check(collection(feature(1), feature(2), feature(undefined, cell(2)), feature(4, cell(40))))).toEqual([
		expect.stringContaining('feature 3 ("Ward", near -29.8000, 28.2000): it has no property zone'),
		expect.stringContaining(
			'feature 2 (zone 2, "Ward", near -29.8000, 28.0000): it is drawn as wards.geojson, feature 1',
		),
		expect.stringContaining('feature 4 (zone 4, "Ward", near -29.8000, 32.0000): it lies wholly outside'),
	]);
});

test("a small ward drawn over a large one without a hole for it keeps its land", () => {
	const { zones, notes, zoneAt } = lay(collection(feature(1, cell(0, 0, 0.4)), feature(2, cell(1, 1, 0.05))));
	expect(zones.length).toBe(2);
	expect(zoneAt(28.12, -29.68)).toBe(2);
	expect(zoneAt(28.3, -29.6)).toBe(1);
	expect(notes).toEqual([expect.stringMatching(/feature 1 .*: it shares \d+ m2 near .* with zone 2, which gets them/)]);
});

/** Two wards that face each other across a gap of so many degrees, which is open at both ends. */
const apart = (degrees: number) => collection(feature(1), feature(2, cell(1 + degrees * 10)));

/** Wards around a hole of so many degrees that is surrounded by them. */
function surrounded(degrees: number) {
	const [west, east] = [28.1 - degrees / 2, 28.1 + degrees / 2];
	const lower = [
		corners(
			`28 -29.8, 28.2 -29.8, 28.2 -29.7, ${east} -29.7, ${east} -29.75, ${west} -29.75, ${west} -29.7, 28 -29.7, 28 -29.8`,
		),
	];
	const upper = [
		corners(
			`28 -29.6, 28 -29.7, ${west} -29.7, ${west} -29.65, ${east} -29.65, ${east} -29.7, 28.2 -29.7, 28.2 -29.6, 28 -29.6`,
		),
	];
	return collection(feature(1, lower), feature(2, upper));
}

test.each([
	["half a metre, open at both ends", apart(0.000005), 28.1000025, -29.75],
	["5 metres, open at both ends", apart(0.00005), 28.100025, -29.75],
	["10 metres, surrounded", surrounded(0.0001), 28.1, -29.72],
])("closes a gap of %s", (_, json, lng, lat) => {
	const { notes, zoneAt } = lay(json);
	expect([1, 2]).toContain(zoneAt(lng, lat));
	expect(notes).toEqual(["gaps between zones narrower than 20 m, closed: 1"]);
});

test("leaves a gap of 400 metres, and says where it is", () => {
	const { notes, zoneAt } = lay(surrounded(0.004));
	expect(zoneAt(28.1, -29.72)).toBe(0);
	expect(notes).toEqual([
		expect.stringMatching(/^a gap near -29\.\d+, 28\.\d+: it is surrounded by zones and in none, and has 4\.\d km2/),
	]);
});

test("refuses 2,500 wards that meet in one point, and says where", () => {
	const count = 2500;
	const at = (turn: number): [number, number] => [
		28.3 + 0.1 * Math.cos((2 * Math.PI * turn) / count),
		-29.5 + 0.1 * Math.sin((2 * Math.PI * turn) / count),
	];
	const slices = Array.from({ length: count }, (_, slice) => {
		const next = slice + 1 === count ? 0 : slice + 1;
		return feature(slice, [[[28.3, -29.5], at(slice), at(next), [28.3, -29.5]]]);
	});
	const file = readBoundaries(JSON.stringify(collection(...slices)), "wards.geojson");
	const arrangement = arrange([
		[[2_800_000, -3_000_000, 2_900_000, -3_000_000, 2_900_000, -2_900_000, 2_800_000, -2_900_000]],
	]);
	const { overlay } = layOver(1, outlineOf(cutWorld(arrangement), 1), file);
	expect(overlay.zones.length).toBe(count);
	const areas = [{ country: "LS", zones: [], retired: [] }];
	expect(() => compile({ areas, arrangement, overlays: [overlay] })).toThrow(
		/too many borders meet near -29\.\d+, 28\.\d+: no shard of the index can hold them: simplify the boundaries there/,
	);
});

/** Whether a point, in lattice steps, is in rings by the rule of even and odd, and how far it is from their edges. */
function place(rings: readonly Ring[], x: number, y: number): { inside: boolean; distance: number } {
	let inside = false;
	let distance = Infinity;
	for (const ring of rings) {
		for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
			const [x1, y1, x2, y2] = [ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!];
			if (y1 > y !== y2 > y && x < x1 + ((x2 - x1) * (y - y1)) / (y2 - y1)) inside = !inside;
			const [dx, dy] = [x2 - x1, y2 - y1];
			const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
			distance = Math.min(distance, Math.hypot(x - x1 - along * dx, y - y1 - along * dy));
		}
	}
	return { inside, distance };
}

test("outlines that cross and overlap become edges that do not, and the first of them prevails", () => {
	const random = seededRandom(23);
	let overlapping = 0;
	for (let trial = 0; trial < 150; trial++) {
		// From dense tangles within a few steps to polygons across half a kilometre.
		const extent = [12, 60, 500][trial % 3]!;
		const whole = () => Math.floor(random() * extent);
		const areas = Array.from({ length: 5 }, (_, area): Ring[] =>
			Array.from({ length: area === 2 ? 2 : 1 }, () => Array.from({ length: 2 * (3 + (trial % 4)) }, whole)),
		);
		const arrangement = arrangementOf(joinOutlines(areas.map((rings) => [rings])).edges, []);
		const ends = arrangement.sides.map((_, edge) => [...arrangement.drawn.subarray(4 * edge, 4 * edge + 4)] as Ends);
		expect(ends.some((a, at) => ends.slice(at + 1).some((b) => doCross(a, b)))).toBe(false);
		if (ends.length === 0) continue;
		const joined = cutWorld(arrangement);
		for (let asked = 0; asked < 200; asked++) {
			const [x, y] = [(random() * 1.2 - 0.1) * extent, (random() * 1.2 - 0.1) * extent];
			const places = areas.map((rings) => place(rings, x, y));
			// Edges move by less than a step where they are cut, and again where that cuts others.
			if (places.some(({ distance }) => distance < 3)) continue;
			const holders = places.flatMap(({ inside }, index) => (inside ? [index + 1] : []));
			if (holders.length > 1) overlapping++;
			const found = areaOfGridPoint(joined, Math.floor(x * UNITS_PER_STEP), Math.floor(y * UNITS_PER_STEP));
			expect(found, `${trial}: ${x}, ${y}`).toBe(holders[0] ?? 0);
		}
	}
	expect(overlapping).toBeGreaterThan(500);
});

test.each([
	["west of", 1001, 1200],
	["on", 1001, 1000],
	["east of", 1002, 1700],
])("wards whose corner lies a hair %s the straight edge of a third leave no gap there", (_, x, y) => {
	const { edges, overlaps } = joinOutlines([
		[[[0, 0, 1000, 0, 1003, 3000, 0, 3000]]],
		[[[1000, 0, 2000, 0, 2000, y, x, y]]],
		[[[x, y, 2000, y, 2000, 3000, 1003, 3000]]],
	]);
	const { sides } = arrangementOf(edges, []);
	const inner = sides.filter((both) => !both.includes(0)).map((both) => both.toSorted());
	expect(inner.sort()).toEqual([
		[1, 2],
		[1, 3],
		[2, 3],
	]);
	expect(sides.length).toBe(inner.length + 7);
	expect(overlaps.every(({ area }) => Math.abs(area) < 1e-6)).toBe(true);
});
