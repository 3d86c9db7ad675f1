import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { UNITS_PER_STEP } from "../../src/zones/geometry.ts";
import { areaOfGridPoint, arrange, cutWorld, doCross, type Ends } from "../../zones/borders.ts";
import { readBoundaries } from "../../zones/official.ts";
import { outlineOf } from "../../zones/outline.ts";
import { layOver } from "../../zones/overlay.ts";
import { readTerritories } from "../../zones/patches.ts";
import { joinOutlines } from "../../zones/planar.ts";
import type { Ring } from "../../zones/sources.ts";
import { seededRandom } from "../support/random.ts";

type Lines = Array<Array<[lng: unknown, lat: unknown]>>;

/** A square in Lesotho, whose places are told apart by their column and row. */
function cell(column = 0, row = 0, size = 0.1): Lines {
	const [west, south] = [28 + column * 0.1, -29.8 + row * 0.1];
	return [
		[
			[west, south],
			[west + size, south],
			[west + size, south + size],
			[west, south + size],
			[west, south],
		],
	];
}

function feature(zone: unknown, coordinates: unknown = cell(), type = "Polygon", name: unknown = "Ward") {
	return { type: "Feature", properties: { zone, name }, geometry: { type, coordinates } };
}

const collection = (...features: unknown[]) => ({ type: "FeatureCollection", features });

const territories = readTerritories();
const world = cutWorld(arrange(territories.map(({ rings }) => rings)));
const lesotho = territories.findIndex(({ country }) => country === "LS") + 1;

function lay(json: unknown) {
	const text = typeof json === "string" ? json : JSON.stringify(json);
	return layOver(lesotho, outlineOf(world, lesotho), readBoundaries(text, "wards.geojson"));
}

test("takes two wards with an edge in common, one of them without a name", () => {
	const { zones } = lay(
		collection(feature(7, cell(1), "Polygon", null), feature(0, [cell()], "MultiPolygon", " Cafe\u0301 ")),
	);
	expect(zones).toEqual([
		{
			number: 0,
			name: "Caf\u00e9",
			box: { west: 280_000_000, south: -298_000_000, east: 281_000_000, north: -297_000_000 },
		},
		{ number: 7, name: "", box: { west: 281_000_000, south: -298_000_000, east: 282_000_000, north: -297_000_000 } },
	]);
});

const open = [cell()[0]!.slice(0, 4)];
const swapped = cell().map((ring) => ring.map(([lng, lat]) => [lat, lng]));
const projected = cell().map((ring) => ring.map(([lng, lat]) => [Number(lng) * 1e5, Number(lat) * 1e5]));
const seam = [
	[
		[179, -29],
		[-179, -29],
		[-179, -30],
		[179, -29],
	],
];

test.each<[string, unknown, string]>([
	["text that is not JSON", "{", "wards.geojson: it is not JSON"],
	["a lone Feature", feature(1), "wards.geojson: it is not a GeoJSON FeatureCollection"],
	["no features", collection(), "wards.geojson: it has no features"],
	["a geometry among the features", collection(feature(1).geometry), "feature 1: it is not a GeoJSON Feature"],
	["a point", collection(feature(1, [28, -29], "Point")), 'feature 1 (zone 1): its geometry is "Point"'],
	["no geometry", collection({ ...feature(1), geometry: null }), "feature 1 (zone 1): its geometry is missing"],
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
		"ring 1: position 1 is 2800000, -2980000: it must be",
	],
	["an open ring", collection(feature(1, open)), "feature 1 (zone 1), ring 1: it is not closed"],
	[
		"an open second part",
		collection(feature(1, [cell(), open], "MultiPolygon")),
		"polygon 2, ring 1: it is not closed",
	],
	[
		"a ring of two positions",
		collection(
			feature(1, [
				[
					[28, -29],
					[28, -29],
				],
			]),
		),
		"ring 1: it is not closed",
	],
	["a ring over the antimeridian", collection(feature(1, seam)), "ring 1: it jumps over the antimeridian"],
	["a polygon without area", collection(feature(1, cell(0, 0, 1e-6))), "feature 1 (zone 1): it has no area"],
	["no number", collection(feature(undefined)), "feature 1: it has no property zone"],
	["a number in quotes", collection(feature("12")), 'feature 1: its property zone is "12"'],
	["a fraction", collection(feature(1.5)), "feature 1: its property zone is 1.5"],
	["a negative number", collection(feature(-1)), "feature 1: its property zone is -1"],
	["a number of five digits", collection(feature(10_000)), "feature 1: its property zone is 10000"],
	["a number twice", collection(feature(3), feature(3, cell(1))), "feature 2 (zone 3): it has the number of feature 1"],
	["a name that is a number", collection(feature(1, cell(), "Polygon", 5)), "feature 1 (zone 1): its property name"],
	["a name with a control character", collection(feature(1, cell(), "Polygon", "a\u0000")), "its property name"],
	["longitude and latitude swapped", collection(feature(1, swapped)), "feature 1 (zone 1): it lies wholly outside"],
	["a ward elsewhere", collection(feature(1), feature(2, cell(40))), "feature 2 (zone 2): it lies wholly outside"],
	[
		"a ward under others",
		collection(feature(8, cell(0, 0, 0.15)), feature(4, cell(1))),
		"feature 1 (zone 8): 23 % of it lies under others, first of all under wards.geojson, feature 2 (zone 4)",
	],
	["the same ward twice", collection(feature(1), feature(2)), "feature 2 (zone 2): 100 % of it lies under others"],
])("refuses %s and says what to mend", (_, json, message) => {
	expect(() => lay(json)).toThrow(
		expect.objectContaining({ name: "BoundaryError", message: expect.stringContaining(message) }),
	);
});

test("the command refuses a country that it does not know, one given twice, and a bad argument", () => {
	const directory = mkdtempSync(path.join(tmpdir(), "zones-"));
	const file = path.join(directory, "wards.geojson");
	writeFileSync(file, JSON.stringify(collection(feature(1))));
	const build = (...replace: string[]) => {
		const parts = replace.flatMap((argument) => ["--replace", argument]);
		const out = path.join(directory, "world.zones");
		try {
			execFileSync(process.execPath, ["zones/build.ts", ...parts, "--out", out], { stdio: "pipe", encoding: "utf8" });
			return "built";
		} catch (error) {
			return (error as { stderr: string }).stderr;
		}
	};
	expect(build(`ZZ=${file}`)).toBe("ZZ is no country of the index: use its ISO 3166-1 letters\n");
	expect(build(`LS=${file}`, `LS=${file}`)).toContain("LS is replaced twice");
	expect(build("LS")).toContain("--replace LS: write for instance --replace NG=wards.geojson");
	expect(build(`LS=${directory}/none.geojson`)).toContain("none.geojson: it cannot be read");
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
		const { arrangement } = joinOutlines(areas);
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
	const { arrangement, covered } = joinOutlines([
		[[0, 0, 1000, 0, 1003, 3000, 0, 3000]],
		[[1000, 0, 2000, 0, 2000, y, x, y]],
		[[x, y, 2000, y, 2000, 3000, 1003, 3000]],
	]);
	const inner = arrangement.sides.filter((both) => !both.includes(0)).map((both) => both.toSorted());
	expect(inner.sort()).toEqual([
		[1, 2],
		[1, 3],
		[2, 3],
	]);
	expect(arrangement.sides.length).toBe(inner.length + 7);
	expect(covered.slice(1).every(({ share }) => Math.abs(share) < 1e-9)).toBe(true);
});
