import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Resvg } from "@resvg/resvg-js";
import type { Feature, FeatureCollection, MultiPolygon } from "geojson";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createZoneLocator, type ZoneLocator } from "../../src/zones/locate.ts";
import { seededRandom } from "../support/random.ts";
import { memorySource, readIndexFile } from "./support.ts";

const root = path.join(import.meta.dirname, "../..");
const COUNTRY = "AD";
const POINTS = 2000;

const folder = mkdtempSync(path.join(tmpdir(), "zones-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the command draws. */
function draw(name: string, ...options: string[]): string {
	const out = path.join(folder, name);
	execFileSync("npm", ["run", "zones:draw", "--", COUNTRY, "--out", out, ...options], { cwd: root, stdio: "ignore" });
	return readFileSync(out, "utf8");
}

let locator: ZoneLocator;
/** The numbers of the country's zones, as the index has them. */
let numbers: string[];

beforeAll(async () => {
	locator = createZoneLocator(memorySource(readIndexFile()).read);
	const count = (await locator.publishedZones(COUNTRY)) ?? 0;
	expect(count).toBeGreaterThan(10);
	numbers = Array.from({ length: count }, (_, number) => String(number).padStart(4, "0"));
});

/** Whether a ray to the east leaves a shape an odd number of times. */
function holds({ geometry }: Feature<MultiPolygon>, lat: number, lng: number): boolean {
	let inside = false;
	for (const ring of geometry.coordinates.flat()) {
		for (const [at, [x2 = 0, y2 = 0]] of ring.entries()) {
			const [x1 = 0, y1 = 0] = ring.at(at - 1) ?? [];
			if (y1 < lat !== y2 < lat && lng < x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
		}
	}
	return inside;
}

describe("npm run zones:draw", () => {
	it("draws a picture that holds each zone of the country once", () => {
		const svg = draw("drawn.svg");
		// Refuses what is not well-formed.
		const picture = new Resvg(svg).render();
		expect(picture.width).toBe(1600);
		expect(picture.height).toBeGreaterThan(400);
		const zones = [...svg.matchAll(/<path d="(M[^"NI]+Z)" fill="hsl[^"]+"><title>AD-(\d{4}) [^<]+<\/title><\/path>/g)];
		expect(zones.map(([, , number]) => number)).toEqual(numbers);
		expect(new Set(zones.map(([, shape]) => shape)).size).toBe(numbers.length);
	});

	it("writes GeoJSON whose zones hold the points that the index finds in them, and no others", async () => {
		const { type, features } = JSON.parse(draw("drawn.geojson", "--geojson")) as FeatureCollection<MultiPolygon>;
		expect(type).toBe("FeatureCollection");
		expect(features.map(({ properties }) => properties?.zone)).toEqual(numbers);
		for (const { bbox, geometry } of features) {
			expect(bbox).toHaveLength(4);
			expect(geometry.type).toBe("MultiPolygon");
			for (const ring of geometry.coordinates.flat()) expect(ring.at(0)).toEqual(ring.at(-1));
		}
		const random = seededRandom(6);
		const found = new Set<string>();
		for (let point = 0; point < POINTS; point += 1) {
			const [lat, lng] = [42.42 + random() * 0.25, 1.4 + random() * 0.4];
			const zone = await locator.locate(lat, lng);
			const expected = zone?.country === COUNTRY ? [String(zone.zone).padStart(4, "0")] : [];
			const holders = features.filter((feature) => holds(feature, lat, lng));
			expect(holders.map(({ properties }) => properties?.zone)).toEqual(expected);
			for (const { properties } of holders) expect(properties?.zone_name).toBe(zone?.name);
			for (const number of expected) found.add(number);
		}
		expect(found.size).toBeGreaterThan(numbers.length * 0.9);
	});

	it.each([
		["of no country", ["ZZ"]],
		["of nothing", []],
		["of a path", ["../AD"]],
	])("refuses to draw %s, with a line that says what to type", (_, countries) => {
		const { status, stdout, stderr } = spawnSync(process.execPath, ["zones/draw.ts", ...countries], {
			cwd: root,
			encoding: "utf8",
		});
		expect(status).toBe(1);
		expect(stdout).toBe("");
		expect(stderr).toMatch(/^Which country\? [^\n]*npm run zones:draw -- NG\n$/);
	});
});
