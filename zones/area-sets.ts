/**
 * Combines all borders of a plan, and makes the area sets by which a shard tells what they separate. An area set is a number that stands
 * for all areas whose outlines hold a point.
 */
import { boxOf } from "../src/zones/morton.ts";
import { areaOfGridPoint, areaOfSet, areaSetByWalkingWest, areasInSet } from "./borders.ts";
import type { Plan } from "./planned.ts";

/** Official zones of one country among the areas: `first`, `first + 1`, ... */
interface Layer {
	/** the country's area */
	area: number;
	first: number;
	count: number;
}

/**
 * The borders of countries, and over them the line where the open sea begins, and the borders of official zones. Areas are numbered
 * consecutively: countries from 1, then the sea, which lies over all of them, then the official zones, country by country. Each country
 * with official zones is a layer of its own. Its zones may end short of the country's border or reach beyond it, and no border need be cut
 * where it crosses one of another layer.
 */
export interface Borderlines {
	/** x1, y1, x2, y2 of each edge in lattice steps, as drawn */
	drawn: Int32Array;
	/** the edges with their southern end first */
	edges: Int32Array;
	/** the two areas of its layer that each edge separates, in no order */
	sides: Array<[number, number]>;
	/** countries that lie over others, see Arrangement, and the sea */
	overlying: readonly number[];
	layers: Layer[];
	/** every area whose outline holds a grid point */
	areasAt(x: number, y: number): number[];
}

function joined(parts: readonly Int32Array[]): Int32Array {
	const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}

export function borderlinesOf({ areas, arrangement, sea, overlays }: Plan): Borderlines {
	const layers: Layer[] = [];
	const seaArea = areas.length + 1;
	let first = seaArea + 1;
	for (const { area, zones } of overlays) {
		layers.push({ area, first, count: zones.length });
		first += zones.length;
	}
	const shore = sea ? [sea.arrangement] : [];
	const official = overlays.map(({ world }) => world.arrangement);
	return {
		drawn: joined([arrangement, ...shore, ...official].map(({ drawn }) => drawn)),
		edges: joined([arrangement, ...shore, ...official].map(({ edges }) => edges)),
		sides: [
			...arrangement.sides,
			...shore.flatMap(({ sides }) => sides.map((): [number, number] => [seaArea, 0])),
			...official.flatMap(({ sides }, index) => {
				const before = layers[index]!.first - 1;
				return sides.map(([a, b]): [number, number] => [a && a + before, b && b + before]);
			}),
		],
		overlying: [...arrangement.overlying, seaArea],
		layers,
		areasAt: (x, y) => [
			...areasInSet(areaSetByWalkingWest(arrangement, x, y), arrangement.overlying),
			...(sea && areaOfGridPoint(sea, x, y) !== 0 ? [seaArea] : []),
			...overlays.flatMap(({ world }, index) => {
				const zone = areaOfGridPoint(world, x, y);
				return zone === 0 ? [] : [layers[index]!.first - 1 + zone];
			}),
		],
	};
}

/** The area sets in a shard. They are small numbers, except for countries that lie over others and for official zones. */
export interface ShardAreaSets {
	/** area of each area set; 0 for area sets that cannot occur */
	areas: number[];
	of: (area: number) => number;
	/** area set at the shard's south-west corner */
	corner: number;
}

/** How many bits it takes to count up to a number. */
function bitsFor(count: number): number {
	return 32 - Math.clz32(count);
}

/**
 * Area sets for what the given edges separate in a cell, or undefined if they would take more than `mostBits` bits.
 *
 * The lowest bits count the countries. Countries that lie over others have one bit each above those. Each layer of official zones has bits
 * of its own further up: they prevail where the lower bits give their country, and mean nothing elsewhere.
 */
export function areaSetsOfShard(
	{ overlying, layers, sides, areasAt }: Borderlines,
	edges: readonly number[],
	key: number,
	level: number,
	mostBits: number,
): ShardAreaSets | undefined {
	const { south, west } = boxOf(key, level);
	const cornerAreas = areasAt(west, south);
	const present = new Set(cornerAreas);
	for (const edge of edges) for (const area of sides[edge]!) present.add(area);
	const sorted = [...present].filter((area) => area !== 0).sort((a, b) => a - b);
	const inLayers = layers.map(({ area, first, count }) => ({
		country: area,
		zones: sorted.filter((part) => part >= first && part < first + count),
	}));
	const over = sorted.filter((area) => overlying.includes(area));
	const firstOfLayers = layers[0]?.first ?? Infinity;
	const plain = sorted.filter((area) => area < firstOfLayers && !overlying.includes(area));
	const bits = bitsFor(plain.length);
	if (inLayers.reduce((sum, { zones }) => sum + bitsFor(zones.length), bits + over.length) > mostBits) return undefined;

	const areaSets = new Map([[0, 0]]);
	for (const [place, area] of plain.entries()) areaSets.set(area, place + 1);
	for (const [place, area] of over.entries()) areaSets.set(area, 2 ** (bits + place));
	const areas = [0, ...plain];
	for (let areaSet = areas.length; over.length > 0 && areaSet < 2 ** (bits + over.length); areaSet++) {
		areas.push(areaSet < 2 ** bits ? 0 : areaOfSet(areaSet, over, bits));
	}
	let width = bits + over.length;
	for (const { country, zones } of inLayers) {
		if (zones.length === 0) continue;
		while (areas.length < 2 ** width) areas.push(0);
		const below = areas.slice();
		for (const [place, zone] of zones.entries()) {
			areaSets.set(zone, (place + 1) * 2 ** width);
			for (const area of below) areas.push(area === country ? zone : area);
		}
		width += bitsFor(zones.length);
	}
	const of = (area: number): number => areaSets.get(area)!;
	return { areas, of, corner: cornerAreas.reduce((areaSet, area) => areaSet ^ of(area), 0) };
}
