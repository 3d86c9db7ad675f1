/**
 * One shard of the zone index in memory: a cell of the earth, the borders in it, and the zones of each area in it.
 *
 * An area is the part of a country whose zones are cells of the grid, or one single zone with borders of its own. Borders separate area
 * sets; each set names the area that prevails in it. Area 0 means no area, and has no zones.
 */
import { areaAt, type Borders } from "./borders.ts";
import { boxOf, cellOf, type GridBox, lastAtOrBefore } from "./morton.ts";
import { type Names, nameIn } from "./names.ts";
import { zoneName } from "./naming.ts";
import { lastSumAtMost, type Sums, sumAt } from "./sums.ts";

export interface Shard extends Borders, Names {
	/** first key and level of the shard's cell */
	start: number;
	level: number;
	/** the area that prevails in each area set */
	setAreas: Uint16Array;
	/** each area's zones are areaZones[area] up to areaZones[area + 1] */
	areaZones: Uint32Array;
	/** number in the directory's list of countries, for each area from 1 on */
	areaCountries: Uint16Array;
	/** for each area that is one zone with a box of its own, the number of that box, from 1 on; 0 for others */
	areaBoxes: Uint16Array;
	/** south, west, north, east of each box, in grid units */
	boxes: Int32Array;
	/** first key of each zone's cell */
	zoneStarts: Sums;
	/** level of each zone's cell; meaningless if its area has a box of its own */
	zoneLevels: Uint8Array;
	/** zone number of each zone, 0 to 9999 */
	zoneNumbers: Sums;
	/** number of the place in each zone's name, from 1 on; 0 for a zone without a name */
	zoneNames: Uint16Array;
	/** where each zone lies from the place in its name, see naming.ts */
	zoneSuffixes: Uint16Array;
	/** number of the name of each zone's region, from 1 on; 0 where none is known */
	zoneRegions: Uint16Array;
	/** size in memory in bytes, for the limit on what is cached */
	memoryBytes: number;
}

/** Stands for a zone's position where there is no zone. */
const NO_ZONE = -1;

/** Position in the shard of the zone that holds a grid point, or -1 if none does. `key` is the Morton key of the point. */
export function locateInShard(shard: Shard, key: number, x: number, y: number): number {
	const area = shard.setAreas[areaAt(shard, key, x, y)]!;
	const first = shard.areaZones[area]!;
	const end = shard.areaZones[area + 1]!;
	// All points of an area are in its zones, so none lies before the first or in a gap.
	return first === end ? NO_ZONE : lastSumAtMost(shard.zoneStarts, key, first, end);
}

/** The area to which the zone at a position in the shard belongs. */
export function areaOfZone({ areaZones }: Shard, position: number): number {
	return lastAtOrBefore(areaZones, position, 1, areaZones.length - 1);
}

/** The number (0 to 9999) of the zone at a position in the shard. */
export function numberOfZone(shard: Shard, position: number): number {
	return sumAt(shard.zoneNumbers, position);
}

/** The box of the zone at a position: its cell, which the border of its country may cut, or the box around an official zone. */
export function boxOfZone(shard: Shard, area: number, position: number): GridBox {
	const own = shard.areaBoxes[area]!;
	if (own === 0) return boxOf(sumAt(shard.zoneStarts, position), shard.zoneLevels[position]!);
	const [south = 0, west = 0, north = 0, east = 0] = shard.boxes.subarray(4 * (own - 1), 4 * own);
	return { south, west, north, east };
}

/** The settlement or division in the name of the zone at a position, without a direction; "" for a zone without a name. */
export function titleOfZone(shard: Shard, position: number): string {
	return nameIn(shard, shard.zoneNames[position]!);
}

/** The first-level division of its country that the zone at a position is in, such as a state or a province; "" where none is known. */
export function regionOfZone(shard: Shard, position: number): string {
	return nameIn(shard, shard.zoneRegions[position]!);
}

/** How many zones a shard has. Each is at a position, from 0 on. */
export function zoneCount({ zoneLevels }: Shard): number {
	return zoneLevels.length;
}

/** The name of the zone at a position in the shard; empty where it has none. */
export function nameOfZone(shard: Shard, position: number): string {
	return zoneName(titleOfZone(shard, position), shard.zoneSuffixes[position]!);
}

/** Whether the zone at a position is an official one, with a border of its own: its box is no cell. */
export function isOfficial(shard: Shard, area: number, box: GridBox): boolean {
	return shard.areaBoxes[area] !== 0 && !cellOf(box);
}
