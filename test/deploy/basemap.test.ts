import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { inspectBasemap, uploadBasemap } from "../../src/cli/basemap-file.ts";
import { encodeTile, packArchive } from "../support/basemap.ts";
import { temporaryFolder } from "../support/folder.ts";
import { mint, signUp } from "../support/remote.ts";
import { serveRegistry } from "../support/serve.ts";

/** Tile 15/16691/15788 holds 6.5244, 3.3792. */
const TILE = { z: 15, x: 16691, y: 15788 };
const BOUNDS = [3.3689, 6.5157, 3.3895, 6.5331];
const OSM = { attribution: "© OpenStreetMap", vector_layers: [{ id: "roads" }, { id: "pois" }] };

function streetsOf(name: string): Uint8Array {
	const lines = [
		[
			[0, 3310],
			[4096, 3310],
		],
	] as const;
	return encodeTile({ roads: [{ type: 2, properties: { kind: "minor_road", name }, lines }] });
}

function archive(name: string, tileType = 1, about: object = {}, tile: object = {}) {
	const tiles = [{ ...TILE, bytes: streetsOf(name), ...tile }];
	return packArchive(tiles, tileType, { metadata: OSM, bounds: BOUNDS, ...about });
}

const fileOf = (bytes: Uint8Array, size = bytes.length) => ({
	size,
	read: (offset: number, length: number) => bytes.subarray(offset, Math.min(size, offset + length)),
});

describe("what is uploaded", () => {
	it("is told in figures and names", async () => {
		expect(await inspectBasemap(fileOf(archive("Ojuelegba Road")))).toEqual([
			"0 MB, zooms 15 to 15, from 6.5157, 3.3689 to 6.5331, 3.3895",
			"layers that are drawn: roads",
			expect.stringMatching(/^its centre, 6\.524\d*, 3\.379\d*, is drawn in [\d,]+ characters$/),
		]);
	});

	it("is said where it may not be OpenStreetMap's", async () => {
		const lines = await inspectBasemap(fileOf(archive("x", 1, { metadata: {} })));
		expect(lines.at(-1)).toContain("does not name OpenStreetMap");
	});

	const folder = temporaryFolder();
	const whole = archive("x");
	const compressed = whole.slice();
	compressed[98] = 3;
	const scribbled = whole.slice();
	scribbled.fill(7, -20);
	it.each([
		["MLT tiles", archive("x", 6), "The archive contains MLT tiles"],
		["pictures", archive("x", 2), "The archive contains PNG tiles"],
		["brotli", compressed, "The archive is compressed with brotli, but only gzip is supported."],
		["no archive", new Uint8Array(200), "The file is not a PMTiles archive of version 3."],
		["an empty file", new Uint8Array(0), "The file is not a PMTiles archive of version 3."],
		["a part of one", whole.slice(0, -9), "The file is cut off: it has"],
		["a world map", archive("x", 1, {}, { z: 9, x: 0, y: 0 }), "The archive ends at zoom 9"],
		["no bounds", archive("x", 1, { bounds: [0, 0, 0, 0] }), "The bounds of the archive are not valid"],
		["other layers", archive("x", 1, { metadata: { vector_layers: [{ id: "parcels" }] } }), "has the layers parcels"],
		["damaged tiles", scribbled, "The tiles at its centre cannot be decoded"],
	])("is refused by name: %s", async (_, bytes, complaint) => {
		await expect(inspectBasemap(fileOf(bytes))).rejects.toThrow(complaint);
	});

	it("is refused by the command in a sentence, and nothing is uploaded", () => {
		const file = path.join(folder, "mlt.pmtiles");
		writeFileSync(file, archive("x", 6));
		const { status, stdout, stderr } = spawnSync("node", ["src/cli/basemap.ts", file], { encoding: "utf8" });
		expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
		expect(stderr).toBe(
			"The archive contains MLT tiles, but only MVT vector tiles can be drawn. Use an archive of MVT tiles.\n",
		);
	});
});

describe("a base map that is uploaded", () => {
	it("is drawn on the page of an address; a new one takes its place whole, in parts", async () => {
		const served = await serveRegistry(0);
		onTestFinished(() => served.stop());
		const bucket = served.bucket as unknown as R2Bucket;
		await uploadBasemap(bucket, fileOf(archive("Ojuelegba Road")), () => {});
		const { token } = await signUp(served.url);
		// On a busy machine a drawing takes longer than a page waits for it, so it is asked for more than once.
		const expectStreet = async (name: string, lng: number) => {
			const canonical = await mint(served.url, token, { lat: 6.5244, lng });
			const page = async () => (await fetch(`${served.url}/a/${canonical}`)).text();
			await expect.poll(async () => (await page()).includes(name), { timeout: 50_000, interval: 500 }).toBe(true);
		};
		await expectStreet("Ojuelegba Road", 3.3792);

		const larger = archive("Western Avenue");
		const padded = new Uint8Array(33 * 1024 * 1024);
		padded.set(larger);
		const told: string[] = [];
		await uploadBasemap(bucket, fileOf(padded), (line) => told.push(line));
		expect(told).toEqual(["33.6 MB of 34.6 MB", "34.6 MB of 34.6 MB"]);
		await expectStreet("Western Avenue", 3.3793);
	});
});
