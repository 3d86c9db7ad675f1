import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { FeatureCollection } from "geojson";
import { describe, expect, it } from "vitest";
import { boxOf, gridX, gridY } from "../../src/zones/morton.ts";
import { areaOfGridPoint, arrange, cutWorld } from "../../zones/borders.ts";
import { compile } from "../../zones/compile.ts";
import { readBoundaries } from "../../zones/official.ts";
import { halve, type Outline, outlineOf } from "../../zones/outline.ts";
import { layOver } from "../../zones/overlay.ts";
import { surveyBorders } from "../../zones/survey.ts";
import { temporaryFolder } from "../support/folder.ts";
import { vectors } from "../support/vectors.ts";

/** Level of the cells of small indexes: 1.4 degrees a side. */
const ZONE_LEVEL = 15;
const root = path.join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
	scripts: Record<string, string>;
};
const folder = temporaryFolder();

/** Runs a command of package.json's as an operator types it. */
function run(command: string, ...args: string[]) {
	const { status, stdout, stderr } = spawnSync("node", [scripts[`zones:${command}`]!.slice("node ".length), ...args], {
		cwd: root,
		encoding: "utf8",
	});
	expect(stdout + stderr).not.toMatch(/^\s+at |node:internal/m);
	return { status, stdout, stderr };
}

it.each(vectors<[string, string, string]>("refused-zone-commands"))(
	"npm run zones:%s says what is wrong",
	(line, status, complaint) => {
		const [command = "", ...args] = line.split(" ");
		const found = run(command, ...args);
		expect(found.stderr).toContain(complaint);
		expect(String(found.status)).toBe(status);
	},
);

/** The cells of a level that hold a part of an outline, in the order of their keys. */
function cellsOf(
	outline: Outline,
	cell = { key: 0, level: 0, numbers: outline.numbers },
): { key: number; level: number }[] {
	const { key, level, numbers } = cell;
	const { west, south } = boxOf(key, level);
	if (numbers.length === 0 && !outline.holds(west, south)) return [];
	if (level === ZONE_LEVEL) return [{ key, level }];
	return halve(outline.edges, numbers, key, level).flatMap((half) => cellsOf(outline, half));
}

/**
 * Writes an index of Benin and Nigeria as two rectangles beside each other; the first two zones of Nigeria have these numbers.
 * @param wards What the file of its official zones says, where it has some.
 */
function writeIndex(name: string, first: number, second: number, wards?: string): string {
	const rectangle = (west: number) => [
		west,
		800_000,
		west + 200_000,
		800_000,
		west + 200_000,
		1_000_000,
		west,
		1_000_000,
	];
	const arrangement = arrange([[rectangle(200_000)], [rectangle(400_000)]]);
	const world = cutWorld(arrangement);
	const areas = ["BJ", "NG"].map((country, index) => {
		const zones = cellsOf(outlineOf(world, index + 1)).map((cell, at) => ({
			...cell,
			number: index === 1 && at < 2 ? [first, second][at]! : at,
			name: { place: `Place ${at}`, suffix: 0, region: "" },
		}));
		return { country, zones, retired: [] };
	});
	const file = path.join(folder, name);
	const overlays = wards ? [layOver(2, outlineOf(world, 2), readBoundaries(wards, name)).overlay] : [];
	writeFileSync(file, compile({ areas, arrangement, overlays }));
	return file;
}

/** A file with one ward, a square degree of Nigeria, under a number that no generated zone has. */
const WARD = (() => {
	const [west, south, east, north] = [4.5, 8.5, 5.5, 9.5];
	const ring = [
		[west, south],
		[east, south],
		[east, north],
		[west, north],
		[west, south],
	];
	const properties = { zone: 9000, name: "A ward" };
	const ward = { type: "Feature", properties, geometry: { type: "Polygon", coordinates: [ring] } };
	return JSON.stringify({ type: "FeatureCollection", features: [ward] });
})();

it("npm run zones:build gives up no official zones of the edition before", () => {
	const index = writeIndex("official.zones", 0, 1, WARD);
	expect(run("build", "--before", index, "--out", path.join(folder, "next.zones"))).toMatchObject({
		status: 1,
		stderr: "NG has 1 official zones: name the file that they were built from, as --replace NG=FILE\n",
	});
});

describe("npm run zones:diff", () => {
	const files = [writeIndex("old.zones", 0, 1), writeIndex("new.zones", 1, 9000)];

	it("sums up first, then names each number", () => {
		const { stdout } = run("diff", ...files);
		expect(stdout).toMatch(/^edition 3-\w{8} to 3-\w{8}: 1 added, 1 gone, 1 moved\nNG: 1 added, 1 gone, 1 moved\n/);
		expect(stdout.trim().split("\n").slice(2)).toEqual([
			"gone  NG0000  Place 0",
			"moved  NG0001  Place 0",
			"added  NG9000  Place 1",
		]);
	});

	it("keeps to a country, and to the summary", () => {
		expect(run("diff", ...files, "--country", "bj").stdout).toMatch(/: 0 added, 0 gone, 0 moved\n$/);
		expect(run("diff", ...files, "--country", "NG", "--summary").stdout.split("\n")).toHaveLength(3);
		expect(run("diff", ...files, "--country", "ZZ")).toMatchObject({ status: 2 });
	});
});

it("npm run zones:draw draws an index that is not published", () => {
	const index = writeIndex("drawn.zones", 5000, 7000);
	const out = path.join(folder, "NG.geojson");
	expect(run("draw", "NG", "--index", index, "--geojson", "--out", out).stdout).toMatch(/^\d+ zones of NG drawn in /);
	const { features } = JSON.parse(readFileSync(out, "utf8")) as FeatureCollection;
	const numbers = features.map(({ properties }) => properties?.zone);
	expect(numbers).toContain("5000");
	expect(numbers).toContain("7000");
	expect(features[0]?.properties?.name).toMatch(/^Place \d/);
});

it("npm run zones:draw draws an index with official zones by the outlines that it holds", () => {
	const index = writeIndex("district.zones", 0, 1, WARD);
	const out = path.join(folder, "district.geojson");
	expect(run("draw", "NG", "--index", index, "--geojson", "--out", out).status).toBe(0);
	const { features } = JSON.parse(readFileSync(out, "utf8")) as FeatureCollection;
	const ward = features.find(({ properties }) => properties?.zone === "9000")!;
	expect(ward.properties).toEqual({ country: "NG", zone: "9000", name: "A ward" });
	expect(features.length).toBeGreaterThan(2);
	if (ward.geometry.type !== "MultiLineString") throw new Error(`it is drawn as a ${ward.geometry.type}`);
	const sides = ward.geometry.coordinates.map(([from, to]) => [...from!, ...to!] as [number, number, number, number]);
	const length = sides.reduce((sum, [x1, y1, x2, y2]) => sum + Math.hypot(x2 - x1, y2 - y1), 0);
	expect(length).toBeCloseTo(4, 3);
	for (const [x, y] of sides) expect([x === 4.5, x === 5.5, y === 8.5, y === 9.5]).toContain(true);
	const picture = path.join(folder, "district.svg");
	run("draw", "NG", "--index", index, "--out", picture);
	expect(readFileSync(picture, "utf8")).toMatch(/<path d="M[^"]+"><title>NG-9000 A ward<\/title><\/path>/);
});

describe("npm run zones:number", () => {
	it.each([
		["osm", "name", ["Oke Ado", "", "Agodi"], "; 2 features that are no polygons left out"],
		["geoboundaries", "shapeName", ["Gwale", "Dala", "Fagge"], ""],
		["grid3", "wardname", ["Attissa I", "Attissa II", "Biseni I"], ""],
	])("makes zones of wards as %s has them", (source, property, names, leftOut) => {
		const out = path.join(folder, `${source}.geojson`);
		const { stdout } = run("number", `test/zones/fixtures/${source}-wards.geojson`, "--name", property, "--out", out);
		expect(stdout).toBe(`3 wards numbered in ${out}${leftOut}\n`);
		const file = readBoundaries(readFileSync(out, "utf8"), out);
		expect({ faults: file.faults, notes: file.notes }).toEqual({ faults: [], notes: [] });
		const { territories, world } = surveyBorders();
		const area = territories.findIndex(({ country }) => country === "NG") + 1;
		const { overlay } = layOver(area, outlineOf(world, area), file);
		expect(overlay.zones.map(({ number, name }) => [number, name])).toEqual(
			names.map((name, at) => [Math.floor((at * 8000) / 3), name]),
		);
		for (const { geometry } of (JSON.parse(readFileSync(out, "utf8")) as FeatureCollection).features) {
			if (geometry.type !== "Polygon") continue;
			const [lng = 0, lat = 0] = geometry.coordinates[0]![0]!;
			expect(areaOfGridPoint(overlay.world, gridX(lng + 0.02), gridY(lat + 0.02))).toBeGreaterThan(0);
		}
	});
});
