import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Resvg } from "@resvg/resvg-js";
import type { Feature, FeatureCollection, MultiPolygon, Position } from "geojson";
import { beforeAll, describe, expect, it } from "vitest";
import { createZoneLocator, type ZoneLocator } from "../../src/zones/locate.ts";
import { gridX, gridY } from "../../src/zones/morton.ts";
import { zoneDigits } from "../../src/zones/naming.ts";
import { areaOfGridPoint } from "../../zones/borders.ts";
import type { Edition } from "../../zones/edition.ts";
import { readBoundaries } from "../../zones/official.ts";
import { outlineOf } from "../../zones/outline.ts";
import { layOver } from "../../zones/overlay.ts";
import { surveyBorders } from "../../zones/survey.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededRandom } from "../support/random.ts";
import { askIndex } from "./oracle.ts";
import { publishedEdition } from "./shared.ts";
import { memorySource, readIndexFile } from "./support.ts";

const root = path.join(import.meta.dirname, "../..");
const POINTS = 2000;

const folder = temporaryFolder();

/** What the command draws. */
function draw(country: string, name: string, ...options: string[]): string {
	const out = path.join(folder, name);
	execFileSync("node", ["zones/studies/draw.ts", country, "--out", out, ...options], { cwd: root, stdio: "ignore" });
	return readFileSync(out, "utf8");
}

let published: Edition;
let locator: ZoneLocator;
/** The numbers of the country's zones, as the index has them. */
let numbers: string[];

beforeAll(async () => {
	published = await publishedEdition();
	locator = createZoneLocator(memorySource(readIndexFile()).read);
	const count = (await locator.numbersOf("AD"))?.published.length ?? 0;
	expect(count).toBeGreaterThan(10);
	numbers = [...published.countries.get("AD")!.zones.keys()].map(zoneDigits).sort();
	expect(numbers).toHaveLength(count);
});

/** Whether a ray to the east leaves a ring an odd number of times. */
function surrounds(ring: Position[], lat: number, lng: number): boolean {
	let inside = false;
	for (const [at, [x2 = 0, y2 = 0]] of ring.entries()) {
		const [x1 = 0, y1 = 0] = ring.at(at - 1) ?? [];
		if (y1 < lat !== y2 < lat && lng < x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
	}
	return inside;
}

/** Whether a point lies in one of the polygons: in its first ring, and in none of the others, which are holes (RFC 7946 section 3.1.6). */
function holds({ geometry }: Feature<MultiPolygon>, lat: number, lng: number): boolean {
	return geometry.coordinates.some(
		([outer = [], ...holes]) => surrounds(outer, lat, lng) && !holes.some((hole) => surrounds(hole, lat, lng)),
	);
}

describe("npm run zones:draw", () => {
	it("draws a picture that holds each zone of the country once", () => {
		const svg = draw("AD", "drawn.svg");
		// Refuses what is not well-formed.
		const picture = new Resvg(svg).render();
		expect(picture.width).toBe(1600);
		expect(picture.height).toBeGreaterThan(400);
		const zones = [...svg.matchAll(/<path d="(M[^"NI]+Z)" fill="hsl[^"]+"><title>AD-(\d{4}) [^<]+<\/title><\/path>/g)];
		expect(zones.map(([, , number]) => number)).toEqual(numbers);
		expect(new Set(zones.map(([, shape]) => shape)).size).toBe(numbers.length);
	});

	it.each([
		["a whole country", "AD", [42.42, 1.4, 42.67, 1.8]],
		["the part around the enclaves of another", "AM", [40.9, 44.95, 41.1, 45.3]],
	] as const)(
		"writes GeoJSON whose zones hold the points that the index finds in them, and no others: %s",
		async (_, country, [south, west, north, east]) => {
			const { type, features } = JSON.parse(
				draw(country, `${country}.geojson`, "--geojson"),
			) as FeatureCollection<MultiPolygon>;
			expect(type).toBe("FeatureCollection");
			expect(features).toHaveLength((await locator.numbersOf(country))?.published.length ?? 0);
			for (const { bbox, geometry } of features) {
				expect(bbox).toHaveLength(4);
				expect(geometry.type).toBe("MultiPolygon");
				// No ring visits a point twice, and no edge is drawn there and back (OGC 06-103r4, 6.1.11).
				const drawn = geometry.coordinates
					.flat()
					.flatMap((ring) => ring.slice(1).map((end, at) => `${ring[at]} ${end}`));
				const back = geometry.coordinates
					.flat()
					.flatMap((ring) => ring.slice(1).map((end, at) => `${end} ${ring[at]}`));
				expect(new Set([...drawn, ...back]).size).toBe(2 * drawn.length);
				for (const ring of geometry.coordinates.flat()) {
					expect(ring.at(0)).toEqual(ring.at(-1));
					expect(new Set(ring.map(String)).size).toBe(ring.length - 1);
				}
			}
			const near = features.filter(
				({ bbox: [w = 0, s = 0, e = 0, n = 0] = [] }) => w <= east && e >= west && s <= north && n >= south,
			);
			const random = seededRandom(6);
			const found = new Set<string>();
			for (let point = 0; point < POINTS; point += 1) {
				const [lat, lng] = [south + random() * (north - south), west + random() * (east - west)];
				const zone = await locator.locate(lat, lng);
				const expected = zone?.country === country ? [String(zone.zone).padStart(4, "0")] : [];
				const holders = near.filter((feature) => holds(feature, lat, lng));
				expect(holders.map(({ properties }) => properties?.zone)).toEqual(expected);
				for (const { properties } of holders) expect(properties?.name).toBe(zone?.name);
				found.add(expected[0] ?? "elsewhere");
			}
			expect(found).toContain("elsewhere");
			expect(found.size).toBeGreaterThan(near.length * 0.8);
		},
	);

	it("writes GeoJSON that makes the same zones when it replaces them", () => {
		const file = readBoundaries(draw("NL", "NL-again.geojson", "--geojson"), "NL.geojson");
		expect([file.notes, file.faults]).toEqual([[], []]);
		const { territories, world, sea } = surveyBorders();
		const area = territories.findIndex(({ country }) => country === "NL") + 1;
		const { overlay } = layOver(area, outlineOf(world, area), file);
		const random = seededRandom(9);
		let asked = 0;
		let same = 0;
		while (asked < POINTS) {
			const [lng, lat] = [3.2 + random() * 4, 50.7 + random() * 3];
			const [x, y] = [gridX(lng), gridY(lat)];
			// Drawn zones go on to the country's border at sea, beyond where zones end.
			if (areaOfGridPoint(world, x, y) !== area || areaOfGridPoint(sea, x, y) !== 0) continue;
			asked++;
			const drawn = overlay.zones[areaOfGridPoint(overlay.world, x, y) - 1];
			const { country, zone, name } = askIndex(published.directory, published.shards, [lat, lng]);
			if (drawn && country === "NL" && zone === drawn.number && name === drawn.name) same++;
		}
		// Sides of cells are rounded by up to half a metre.
		expect(same).toBeGreaterThanOrEqual(POINTS - 2);
	});
});
