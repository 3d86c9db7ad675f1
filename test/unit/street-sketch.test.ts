import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { BasemapError, basemapReader } from "../../src/basemap/archive.ts";
import { type Corner, clipLine, clipRing, type Frame } from "../../src/basemap/clip.ts";
import { kindOf } from "../../src/basemap/features.ts";
import { sketchStreets } from "../../src/basemap/sketch.ts";
import { encodeTile, packArchive, type TestFeature } from "../support/basemap.ts";
import { corners, rectangle } from "../support/corners.ts";
import { seededRandom } from "../support/random.ts";

const FRAME: Frame = [0, 0, 100, 60];

/** Reads an archive from memory, and counts the reads. */
function memory(archive: Uint8Array<ArrayBuffer>, etag = "first") {
	const source = { archive, etag, reads: 0 };
	const open = basemapReader(async (offset, length) => {
		source.reads += 1;
		return { bytes: source.archive.slice(offset, offset + length).buffer, etag: source.etag };
	});
	return { source, open };
}

const line = (name: string, kind: string, ...corners: Corner[]): TestFeature => ({
	type: 2,
	properties: { kind, ...(name ? { name } : {}) },
	lines: [corners],
});

const building = (...bounds: Parameters<typeof rectangle>): TestFeature => ({
	type: 3,
	properties: { kind: "building" },
	lines: [rectangle(...bounds)],
});

/** The sketch of one tile at zoom 15, south-east of the middle of the world, around a point in it. */
async function sketchOf(layers: Record<string, readonly TestFeature[]>, lng = 0.001) {
	const { open } = memory(packArchive([{ z: 15, x: 16384, y: 16384, bytes: encodeTile(layers) }]));
	return (await sketchStreets((await open())!, { lat: -0.001, lng }))!;
}

/** Tiles at zoom 15 around a point on the seam of four of them: 16384 is the middle of the world. */
function fourTiles() {
	return [16383, 16384].flatMap((x) =>
		[16383, 16384].map((y) => {
			const [nearX, nearY] = [x === 16383 ? 4000 : 36, y === 16383 ? 4000 : 36];
			return {
				z: 15,
				x,
				y,
				bytes: encodeTile({
					buildings: [building(nearX, nearY, nearX + 60, nearY + 60)],
					roads: [line(`Street ${x}-${y}`, "minor_road", [0, nearY], [4096, nearY])],
					pois: [{ type: 1, properties: { name: `Stop ${x}-${y}` }, lines: [[[nearX, nearY]]] }],
				}),
			};
		}),
	);
}

describe("clipping", () => {
	it("keeps what lies inside as it is, and drops what lies outside", () => {
		const inside = corners("10 10, 50 10, 50 50");
		expect(clipRing(inside, FRAME)).toEqual(inside);
		expect(clipLine(inside, FRAME)).toEqual([inside]);
		const aside = inside.map(([x, y]) => [x + 200, y] as const);
		expect(clipRing(aside, FRAME)).toEqual([]);
		const above = inside.map(([x, y]) => [x, y - 200] as const);
		expect(clipLine(above, FRAME)).toEqual([]);
	});

	it("cuts a ring around the frame to the frame", () => {
		const around = rectangle(-50, -50, 200, 200);
		expect(new Set(clipRing(around, FRAME).map(String))).toEqual(new Set(["0,0", "100,0", "100,60", "0,60"]));
	});

	it("cuts a line that leaves and comes back into two", () => {
		const pieces = clipLine(corners("10 10, 10 -10, 30 -10, 30 10"), FRAME);
		expect(pieces).toEqual([corners("10 10, 10 0"), corners("30 0, 30 10")]);
	});

	it("leaves nothing outside of the frame, whatever comes", () => {
		const random = seededRandom(7);
		const isInside = ([x, y]: Corner) => x >= -1e-9 && x <= 100 + 1e-9 && y >= -1e-9 && y <= 60 + 1e-9;
		for (let round = 0; round < 2000; round += 1) {
			const corners = Array.from(
				{ length: 3 + (round % 6) },
				(): Corner => [random() * 300 - 100, random() * 200 - 70],
			);
			expect(clipRing(corners, FRAME).every(isInside)).toBe(true);
			expect(clipLine(corners, FRAME).flat().every(isInside)).toBe(true);
		}
	});
});

describe("what is drawn", () => {
	it.each([
		["water", {}, "water"],
		["roads", { kind: "highway" }, "highway"],
		["roads", { "pmap:kind": "minor_road" }, "street"],
		["transportation", { class: "primary" }, "road"],
		["transportation", { class: "rail" }, "rail"],
		["landuse", { kind: "park" }, "green"],
		["landuse", { kind: "industrial" }, undefined],
		["buildings", { kind: "address" }, undefined],
		["roads", { kind: "major_road", is_tunnel: true }, undefined],
		["transportation", { class: "rail", brunnel: "tunnel" }, undefined],
		["building", {}, "building"],
	])("%s %o is %s", (layer, properties, kind) => {
		expect(kindOf(layer, properties as Record<string, string | boolean>)).toBe(kind);
	});
});

describe("the street sketch", () => {
	it("joins four tiles at their seam, and names the nearest thing", async () => {
		const { source, open } = memory(packArchive(fourTiles()));
		const basemap = (await open())!;
		const sketch = (await sketchStreets(basemap, { lat: 0.0001, lng: 0.0001 }))!;
		expect(sketch.svg.match(/class="building area" d="([^"]*)"/)![1]!.match(/M/g)).toHaveLength(4);
		expect(sketch.nearby).toMatchObject({ name: "Stop 16384-16383", direction: "s" });
		expect(sketch.svg).toContain("© OpenStreetMap");
		expect(source.reads).toBeLessThanOrEqual(5);
		expect(gzipSync(sketch.svg).length).toBeLessThan(9_000);
	});

	it("draws a house across a seam once, without an outline there", async () => {
		const house = (west: number, east: number) => building(west, 100, east, 200);
		// Each tile repeats 64 units of its neighbour.
		const far = house(-64, -32);
		const tiles = [house(4000, 4160), house(-64, 80)].map((feature, index) => ({
			z: 15,
			x: 16383 + index,
			y: 16384,
			bytes: encodeTile({ buildings: [feature, far] }),
		}));
		const { svg } = (await sketchStreets((await memory(packArchive(tiles)).open())!, { lat: -0.0004, lng: 0 }))!;
		const [, west, east] = /class="building area" d="(M360 [^M]*)(M360 [^M]*)"/.exec(svg)!;
		expect([west, east].join()).not.toContain("z");
	});

	it("draws at most 180 buildings, the nearest ones, within 9 KB", async () => {
		const random = seededRandom(11);
		const houses = Array.from({ length: 3000 }, (): TestFeature => {
			const [x, y] = [Math.floor(random() * 900), Math.floor(random() * 900)];
			const askew = (value: number) => value + Math.floor(random() * 9);
			const lines = [rectangle(x, y, x + 30, y + 30).map((corner): Corner => [askew(corner[0]), askew(corner[1])])];
			return { type: 3, properties: { kind: "building" }, lines };
		});
		const sketch = await sketchOf({ buildings: houses });
		expect(sketch.svg.match(/M/g)!.length).toBeLessThan(190);
		expect(gzipSync(sketch.svg).length).toBeLessThan(9_000);
	});

	it("escapes what tiles say", async () => {
		const street = line("<b>&'\"", "minor_road", [0, 470], [4096, 470]);
		const sketch = await sketchOf({ roads: [street] }, 0.005);
		expect(sketch.svg).toContain("&#60;b&#62;&#38;&#39;&#34;");
		expect(sketch.svg).not.toContain("<b>");
	});

	it("names a street only where all of its name is seen, and no rails", async () => {
		const named = async (name: string, kind: string, from: Corner, to: Corner) =>
			(await sketchOf({ roads: [line(name, kind, from, to)] })).svg.includes(name);
		// The point is at 373, 373 of the tile, of which a metre is 3.35 units; the picture reaches 120 m aside and 80 m down.
		expect(await named("Fadeyi Road", "minor_road", [100, 300], [650, 300])).toBe(true);
		expect(await named("Fadeyi Road", "minor_road", [420, 560], [480, 680])).toBe(false);
		expect(await named("Fadeyi Line", "rail", [100, 300], [650, 300])).toBe(false);
	});

	it("shows nothing where the archive has nothing", async () => {
		const { open } = memory(packArchive(fourTiles()));
		expect(await sketchStreets((await open())!, { lat: 52.5, lng: 13.4 })).toBeUndefined();
	});

	it("refuses tiles of another kind by name", async () => {
		const { open } = memory(packArchive(fourTiles(), 6));
		await expect(open()).rejects.toThrow(
			new BasemapError("The archive holds Mlt tiles. Vector tiles (Mvt) are drawn."),
		);
	});

	it("reads a swapped archive anew", async () => {
		const { source, open } = memory(packArchive(fourTiles()));
		await open();
		const water: TestFeature = { type: 3, properties: {}, lines: [rectangle(0, 0, 4096, 4096)] };
		source.archive = packArchive([{ z: 15, x: 16384, y: 16383, bytes: encodeTile({ buildings: [], water: [water] }) }]);
		source.etag = "second";
		const sketch = await sketchStreets((await open())!, { lat: 0.005, lng: 0.005 });
		expect(sketch?.svg).toContain('class="water area"');
	});

	it("looks once a minute whether the archive was swapped, also where no tile is read", async () => {
		let now = 0;
		const source = { etag: "first" };
		const archive = packArchive(fourTiles());
		const open = basemapReader(
			async (offset, length) => ({ bytes: archive.slice(offset, offset + length).buffer, etag: source.etag }),
			() => now,
		);
		expect((await open())?.etag).toBe("first");
		source.etag = "second";
		expect((await open())?.etag).toBe("first");
		now = 60_000;
		expect((await open())?.etag).toBe("second");
	});

	it("fails with an error, and never hangs or draws nonsense, on archives with damage anywhere", async () => {
		const whole = packArchive(fourTiles());
		const random = seededRandom(5);
		let failed = 0;
		for (let round = 0; round < 300; round += 1) {
			const damaged = whole.slice(0, round % 3 === 0 ? Math.floor(random() * whole.length) : whole.length);
			for (let flips = 0; flips < 4; flips += 1) {
				const at = Math.floor(random() * damaged.length);
				damaged[at] = Math.floor(random() * 256);
			}
			try {
				const basemap = await memory(damaged).open();
				const sketch = basemap && (await sketchStreets(basemap, { lat: 0.0001, lng: 0.0001 }));
				if (sketch) expect(sketch.svg).toMatch(/^<svg class="streets".*<\/svg>$/);
			} catch (error) {
				expect(error).toBeInstanceOf(Error);
				failed += 1;
			}
		}
		expect(failed).toBeGreaterThan(30);
	});
});
