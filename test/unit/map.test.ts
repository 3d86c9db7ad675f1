import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { neighbourhood, type Stretch, WIDTH } from "../../src/addresses/map.ts";
import { drawMap } from "../../src/addresses/map-drawing.ts";
import { createZoneLocator } from "../../src/zones/locate.ts";

const index = readFileSync(path.join(import.meta.dirname, "../../zones/world.zones"));

const locator = createZoneLocator(async (offset, length) => ({
	bytes: new Uint8Array(index.subarray(offset, offset + length)),
	etag: "published",
}));

async function mapAt(lat: number, lng: number) {
	const around = await neighbourhood(locator, { lat, lng });
	if (!around) throw new Error(`No zone at ${lat}, ${lng}`);
	return { around, svg: drawMap(around, "Map", "0000", (metres) => `${metres} m`) };
}

function widthOf(stretches: Stretch[]): number {
	return stretches.reduce((sum, { from, to }) => sum + to - from, 0);
}

describe("the map", () => {
	it.each([
		["a city", 6.5244, 3.3792],
		["a border town", -1.675, 29.2333],
		["a country smaller than the map", 43.738, 7.424],
		["a border with enclaves", 51.4425, 4.93],
		["the desert", 24, 5],
		["the antimeridian", -16.85, 179.99],
		["a fjord", 60.39, 5.32],
	])("of %s shows the own zone and the point once, in the frame and under 10 KB", async (_, lat, lng) => {
		const { around, svg } = await mapAt(lat, lng);
		expect(svg.match(/class="own"/g)).toHaveLength(1);
		const [, x, y] = /<circle class="pin" cx="([\d.]+)" cy="([\d.]+)"/.exec(svg) ?? [];
		const own = /<rect class="own" x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
		const [left = 0, top = 0, width = 0, height = 0] = own.slice(1).map(Number);
		expect(Number(x)).toBeGreaterThanOrEqual(left);
		expect(Number(x)).toBeLessThanOrEqual(left + width);
		expect(Number(y)).toBeGreaterThanOrEqual(top);
		expect(Number(y)).toBeLessThanOrEqual(top + height);
		expect(svg.match(/<rect class="near"/g)?.length ?? 0).toBeGreaterThan(around.own.country === "MC" ? 1 : 3);
		expect(svg).not.toMatch(/NaN|undefined|Infinity|e-\d/);
		expect(svg.length).toBeLessThan(10_000);
		for (const row of around.rows) expect(widthOf(row)).toBeCloseTo(WIDTH, 5);
	});

	it.each([
		["Bujumbura", -3.3614, 29.3599],
		["Geneva", 46.2044, 6.1432],
	])("of %s is not covered by a neighbour whose box reaches over a border out of sight", async (_, lat, lng) => {
		const { around, svg } = await mapAt(lat, lng);
		expect(around.borders).toEqual([]);
		expect(svg).toContain('<rect class="own"');
		expect(svg).toContain('<rect class="near"');
		expect(svg).not.toContain('<rect class="far"');
	});

	it("gives every country its own land only, as the index has it", async () => {
		const { around, svg } = await mapAt(-1.675, 29.2333);
		expect(new Set(around.rows.flat().map(({ land }) => land))).toEqual(new Set(["CD", "RW"]));
		expect(svg.match(/<clipPath id="of-(CD|RW)">/g)).toHaveLength(2);
		for (const [number, row] of around.rows.entries()) {
			for (const { from, to, land } of row) {
				if (to - from < 4) continue;
				for (const x of [from + 1.5, (from + to) / 2, to - 1.5]) {
					const zone = await locator.locate(around.projection.lat(2 * number + 1), around.projection.lng(x));
					expect(zone?.country).toBe(land);
				}
			}
		}
	});

	it("names the zone of the address by the number in its code", async () => {
		const { svg } = await mapAt(6.5244, 3.3792);
		expect(svg).toContain(">0000</text>");
	});

	it("has a scale whose bar is as long as it says", async () => {
		const { around, svg } = await mapAt(6.5244, 3.3792);
		const metres = Number(/>\u2068(\d+) m\u2069<\/text>/.exec(svg)?.[1]);
		const units = Number(/v4h([\d.]+)v-4/.exec(svg)?.[1]);
		// One degree of latitude is 110.6 km here (WGS 84), and a sphere's 111.2 km on average.
		expect((units / around.projection.unitsPerDegree) * 110_600).toBeCloseTo(metres, -2);
		expect(String(metres)).toMatch(/^[125]0*$/);
	});

	it.each([
		["the south pole", -90, 0],
		["the far south", -80, 0],
		["beside the antimeridian", -16.85, -179.999],
		["a zone wider than the map, at the antimeridian", 70.58708, 179.20139],
	])("of %s is drawn, and never fails", async (_, lat, lng) => {
		const { svg } = await mapAt(lat, lng);
		expect(svg).toMatch(/^<svg .*<circle class="pin" .*<\/svg>$/s);
		expect(svg).not.toMatch(/NaN|undefined|Infinity/);
	});

	it("is left out where the index has no zone", async () => {
		expect(await neighbourhood(locator, { lat: -40, lng: -100 })).toBeUndefined();
	});
});
