import { expect, test } from "vitest";
import { DEMO_CODE } from "../../src/codes/demo.ts";
import {
	FIRST_READ_BYTES,
	FORMAT_VERSION,
	HEADER_BYTES,
	HeaderField,
	readDirectory,
	ZoneIndexError,
	type ZoneIndexFailure,
} from "../../src/zones/format.ts";
import { createZoneLocator } from "../../src/zones/locate.ts";
import { boxOf, UNITS_PER_DEGREE } from "../../src/zones/morton.ts";
import { zoneDigits } from "../../src/zones/naming.ts";
import type { ReadRange } from "../../src/zones/open-index.ts";
import { r2Source } from "../../src/zones/r2-source.ts";
import { directoryEndOf, memorySource, readIndexFile } from "./support.ts";

const file = readIndexFile();
const LAGOS = [6.4541, 3.3947] as const;

async function refusal(work: Promise<unknown>): Promise<ZoneIndexFailure | undefined> {
	const error = await work.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	return error instanceof ZoneIndexError ? error.reason : undefined;
}

function locate(bytes: Uint8Array) {
	return createZoneLocator(memorySource(bytes).read).locate(...LAGOS);
}

/** The file with one byte changed. */
function altered(at: number, change: (byte: number) => number): Uint8Array {
	const copy = file.slice();
	copy[at] = change(copy[at]!);
	return copy;
}

test("a first look-up takes two reads and at most 64 KiB, the next one none", async () => {
	const { read, reads } = memorySource(file);
	const locator = createZoneLocator(read);
	const zone = await locator.locate(...LAGOS);
	expect(zone).toMatchObject({ country: "NG", name: "Lagos" });
	expect(reads.length).toBe(2);
	expect(reads.reduce((sum, [, length]) => sum + length, 0)).toBeLessThanOrEqual(64 * 1024);
	expect(await locator.locate(...LAGOS)).toEqual(zone);
	expect(reads.length).toBe(2);
});

test("points at the poles and on the antimeridian are in one zone or none, and numbers beyond are refused", async () => {
	const locator = createZoneLocator(memorySource(file).read);
	expect(await locator.locate(90, 0)).toBeUndefined();
	expect(await locator.locate(-90, 0)).toMatchObject({ country: "AQ" });
	expect(await locator.locate(-16.8, 180)).toMatchObject({ country: "FJ" });
	expect(await locator.locate(-16.8, 180)).toEqual(await locator.locate(-16.8, -180));
	await expect(locator.locate(90.1, 0)).rejects.toThrow(RangeError);
	await expect(locator.locate(0, Number.NaN)).rejects.toThrow(RangeError);
});

test("a map of a country holds each of its zones, and no other", async () => {
	const locator = createZoneLocator(memorySource(file).read);
	for (const country of ["NG", "RU", "VA"]) {
		const zones = await locator.zonesOf(country);
		expect(new Set(zones.map(({ zone }) => zone))).toEqual(new Set((await locator.numbersOf(country))?.published));
	}
	const lagos = (await locator.zonesOf("NG")).find(({ bounds: { south, west, north, east } }) => {
		return south <= 6.5244 && 6.5244 < north && west <= 3.3792 && 3.3792 < east;
	});
	expect(lagos?.zone).toBe((await locator.locate(6.5244, 3.3792))?.zone);
	expect(await locator.zonesOf("ZZ")).toEqual([]);
});

test("the borders in a window separate the countries in it, also across the antimeridian", async () => {
	const locator = createZoneLocator(memorySource(file).read);
	const step = 0.02;
	const window = { south: 6.3, west: 2.6, north: 6.6, east: 2.9 };
	const borders = await locator.bordersIn(window);
	const countryAt = async (lat: number, lng: number) => (await locator.locate(lat, lng))?.country;
	/** How many borders a step to the east crosses. */
	const crossed = (lat: number, lng: number) =>
		borders.filter(([[x1, y1], [x2, y2]]) => {
			if (y1 < lat === y2 < lat) return false;
			const x = x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1);
			return lng < x && x < lng + step;
		}).length;
	const countries = new Set<string | undefined>();
	for (let lat = window.south + 0.00123; lat < window.north; lat += step) {
		for (let lng = window.west + 0.00123; lng + step < window.east; lng += step) {
			const [here, there] = [await countryAt(lat, lng), await countryAt(lat, lng + step)];
			countries.add(here);
			if (here !== there) expect(crossed(lat, lng)).toBeGreaterThan(0);
			else expect(crossed(lat, lng) % 2).toBe(0);
		}
	}
	expect(countries).toContain("BJ");
	expect(countries).toContain("NG");

	const sides = [
		{ south: -16, west: 179, north: -15, east: 180 },
		{ south: -16, west: -180, north: -15, east: -179.5 },
	];
	const [west, east] = await Promise.all(sides.map((side) => locator.bordersIn(side)));
	const across = await locator.bordersIn({ ...sides[0]!, east: -179.5 });
	expect(west!.length).toBeGreaterThan(0);
	expect(east!.length).toBeGreaterThan(0);
	expect(new Set(across.map(String))).toEqual(new Set([...west!, ...east!].map(String)));
	await expect(locator.bordersIn({ south: 0, west: 0, north: 3, east: 1 })).rejects.toThrow(RangeError);
});

test("refuses by name what is no usable index", async () => {
	expect(await refusal(locate(new Uint8Array(0)))).toBe("not_a_zone_index");
	expect(await refusal(locate(altered(3, (byte) => byte ^ 1)))).toBe("not_a_zone_index");
	expect(await refusal(locate(file.slice(0, 20)))).toBe("truncated");
	expect(await refusal(locate(file.slice(0, 600)))).toBe("truncated");
	expect(await refusal(locate(altered(HeaderField.version, () => FORMAT_VERSION + 1)))).toBe("unsupported_version");
});

test.each([
	["the checksum", HeaderField.checksum],
	["the number of shards", HeaderField.shards],
	["the number of countries", HeaderField.countries],
	["a shard's first key", HEADER_BYTES + 4],
	["a level, which is the last byte of the directory", directoryEndOf(file) - 1],
])("refuses a flipped bit in %s", async (_, at) => {
	expect(await refusal(locate(altered(at, (byte) => byte ^ 4)))).toBe("corrupt");
});

test("refuses a flipped bit anywhere in a shard, and a file that ends in it", async () => {
	const { read, reads } = memorySource(file);
	await createZoneLocator(read).locate(...LAGOS);
	const [offset, length] = reads[1]!;
	for (const at of [offset, offset + (length >> 1), offset + length - 1]) {
		expect(await refusal(locate(altered(at, (byte) => byte ^ 1)))).toBe("corrupt");
	}
	expect(await refusal(locate(file.slice(0, offset + length - 1)))).toBe("truncated");
});

test("starts again, once, when the object changes between two reads", async () => {
	let reads = 0;
	const read: ReadRange = async (offset, length) => ({
		bytes: file.slice(offset, offset + length),
		etag: reads++ === 0 ? "old" : "new",
	});
	expect(await createZoneLocator(read).locate(...LAGOS)).toMatchObject({ country: "NG" });
	expect(reads).toBe(4);

	let versions = 0;
	const restless: ReadRange = async (offset, length) => ({
		bytes: file.slice(offset, offset + length),
		etag: String(versions++),
	});
	expect(await refusal(createZoneLocator(restless).locate(...LAGOS))).toBe("changing");
});

test("notices within a minute that the object was replaced, though it needs no read", async () => {
	let etag = "old";
	let reads = 0;
	let now = 0;
	const read: ReadRange = async (offset, length) => {
		reads += 1;
		return { bytes: file.slice(offset, offset + length), etag };
	};
	const locator = createZoneLocator(read, () => now);
	await locator.locate(...LAGOS);
	now = 59_000;
	await locator.locate(...LAGOS);
	expect(reads).toBe(2);
	now = 61_000;
	await locator.locate(...LAGOS);
	expect(reads).toBe(3);
	etag = "new";
	now = 122_000;
	expect(await locator.locate(...LAGOS)).toMatchObject({ country: "NG" });
	expect(reads).toBe(5);
});

test("opens the index anew when it was replaced by a shorter one", async () => {
	let whole = true;
	const read: ReadRange = async (offset, length) => {
		if (!whole && offset > 0) throw new ZoneIndexError("truncated", "shorter");
		return { bytes: whole ? file.slice(offset, offset + length) : new Uint8Array(length), etag: whole ? "old" : "new" };
	};
	const locator = createZoneLocator(read);
	await locator.locate(...LAGOS);
	whole = false;
	expect(await refusal(locator.locate(-33.45, -70.66))).toBe("not_a_zone_index");
});

/** A point in each shard. */
function pointsOfShards(): Array<readonly [lat: number, lng: number]> {
	const { shardStarts, shardLevels } = readDirectory(file);
	return Array.from(shardStarts, (start, shard) => {
		const { south, west } = boxOf(start, shardLevels[shard]!);
		return [south / UNITS_PER_DEGREE, west / UNITS_PER_DEGREE] as const;
	});
}

test("no look-up anywhere reads more than 64 KiB in a fresh process", () => {
	const { partOffsets, shardStarts } = readDirectory(file);
	const largest = partOffsets
		.slice(1, shardStarts.length + 1)
		.reduce((most, end, shard) => Math.max(most, end - partOffsets[shard]!), 0);
	expect(FIRST_READ_BYTES + largest).toBeLessThanOrEqual(64 * 1024);
});

test("keeps every shard of the world", async () => {
	const { read, reads } = memorySource(file);
	const locator = createZoneLocator(read);
	for (const point of pointsOfShards()) await locator.locate(...point);
	expect(reads.length).toBe(1 + pointsOfShards().length);
	for (const point of pointsOfShards()) await locator.locate(...point);
	expect(reads.length).toBe(1 + pointsOfShards().length);
});

test("keeps the shards used last where there is no room for all", async () => {
	const { read, reads } = memorySource(file);
	const locator = createZoneLocator(read, Date.now, 4 * 1024 * 1024);
	const points = pointsOfShards();
	for (const point of points) await locator.locate(...point);
	expect(reads.length).toBe(1 + points.length);
	await locator.locate(...points.at(-1)!);
	expect(reads.length).toBe(1 + points.length);
	await locator.locate(...points[0]!);
	expect(reads.length).toBe(2 + points.length);
});

test("a failed read is not remembered", async () => {
	let broken = true;
	const { read } = memorySource(file);
	const locator = createZoneLocator(async (offset, length) => {
		if (broken) throw new ZoneIndexError("unreadable", "down");
		return read(offset, length);
	});
	expect(await refusal(locator.locate(...LAGOS))).toBe("unreadable");
	broken = false;
	expect(await locator.locate(...LAGOS)).toMatchObject({ country: "NG" });
});

test("simultaneous look-ups all get their answer", async () => {
	const locator = createZoneLocator(memorySource(file).read);
	const answers = await Promise.all(Array.from({ length: 20 }, () => locator.locate(...LAGOS)));
	expect(new Set(answers.map((zone) => zone?.zone)).size).toBe(1);
});

test("the R2 source names a missing object, a failing bucket and an object that ends too early", async () => {
	const bucket = (get: () => Promise<unknown>, size: number) =>
		({ get, head: async () => ({ size }) }) as unknown as R2Bucket;
	const fail = async () => {
		throw new Error("get: We encountered an internal error. Please try again. (10001)");
	};
	expect(
		await refusal(
			r2Source(
				bucket(async () => null, 0),
				1_000,
			)(0, 10),
		),
	).toBe("missing");
	expect(await refusal(r2Source(bucket(fail, 5000), 1_000)(0, 10))).toBe("unreadable");
	expect(await refusal(r2Source(bucket(fail, 5000), 1_000)(5000, 10))).toBe("truncated");
});

test("the demo address stands in the zone that its code names", async () => {
	const zone = await createZoneLocator(memorySource(file).read).locate(6.5244, 3.3792);
	expect(`${zone?.country}${zoneDigits(zone?.zone ?? 0)}`).toBe(DEMO_CODE.slice(0, 6));
});
