/**
 * What can be said of the points in each of many equal parts of a shard, so that most look-ups need no more than a glance.
 * A part is looked at when a point in it is first asked for: to look at all of them would keep the first look-up waiting.
 */
import {
	areaByRecord,
	type Borders,
	codeOfEdge,
	edgesOfRecord,
	passesThrough,
	recordOfKey,
	recordOfPart,
} from "./borders.ts";
import { lastAtOrBefore } from "./buckets.ts";
import { EDGE_STRIDE, isWest } from "./geometry.ts";
import { boxOf, DEEPEST_LEVEL } from "./morton.ts";

/** Kinds of glances. */
export const GlanceKind = {
	/** nobody has looked yet */
	unknown: 0,
	/** no border passes: a glance tells the first zone of the part, and how many more begin in it */
	zones: 1,
	/** borders pass: a glance tells where a record of them begins, or a line */
	borders: 2,
	/** no zone holds any of these points */
	nowhere: 3,
} as const;

/** Halvings of an ordinary shard that make its parts: 2,048 parts. */
const LEVELS = 11;
/** Halvings that make the parts of a shard in which many zones have borders of their own: 16,384 parts. */
const LEVELS_OF_OFFICIAL = 14;
/** From this many areas with a box of their own, a shard counts as one with official zones; a few zones of the open sea have one too. */
const MANY_BOXES = 24;

/** A glance has its kind in the uppermost two bits. Of zones, the lowest bits tell the first one, and those between how many more begin in the part. */
const KIND_SHIFT = 30;
const ZONE_BITS = 15;
/** The most zones that a shard may have. */
export const MOST_ZONES = 2 ** ZONE_BITS;
const ZONE_MASK = MOST_ZONES - 1;
/** Of borders, the lowest bits tell where a record begins, and this one whether the part has more than one border cell. */
const SEVERAL_CELLS = 2 ** 29;
/** Of borders, this bit tells that a single edge parts two zones: then the lowest bits tell where its line begins in the sights. */
const ONE_LINE = 2 ** 28;
/** Of borders, this bit tells that the part has a record of its own, with the edges that pass through it alone, in the sights. */
const OWN_RECORD = 2 ** 27;
const PLACE_MASK = OWN_RECORD - 1;
/** Numbers that there is room for in the sights at first. */
const FIRST_SIGHTS = 512;

/** In areaPlaces: the area has no zone here. */
export const NO_ZONE = -1;
/** In areaPlaces: its zones are to be searched. */
export const SEVERAL_ZONES = -2;

/** What of a shard a glance takes in. */
export interface Glanced extends Borders {
	/** first key and level of the shard's cell */
	start: number;
	level: number;
	/** each area's zones are areaZones[area] up to areaZones[area + 1] */
	areaZones: Uint32Array;
	/** the area whose zones are meant: another one where outlines overlap */
	areaSame: Uint16Array;
	/** the zone of each area that has but one here, NO_ZONE or SEVERAL_ZONES */
	areaPlaces: Int16Array;
	/** first key of each zone's cell */
	zoneStarts: Uint32Array;
	/** by the first bits of a key within the shard */
	glances: Int32Array;
	/** a key's part is its distance from the shard's start shifted right by this */
	glanceShift: number;
	/**
	 * What has been seen at parts through which few edges pass, with room for more: of a line the ends of its edge, as in an edge array, and the
	 * places of the zones west and east of it; and records as those of border cells
	 */
	sights: Int32Array;
	/** where the next one begins */
	sightsEnd: number;
	/** rough size of the shard in memory, for the bound on what is kept */
	memoryBytes: number;
}

/** Room for the glances at a shard of a level and with so many areas that have a box of their own. */
export function roomForGlances(
	level: number,
	boxes: number,
): Pick<Glanced, "glances" | "glanceShift" | "sights" | "sightsEnd"> {
	const levels = Math.min(boxes > MANY_BOXES ? LEVELS_OF_OFFICIAL : LEVELS, DEEPEST_LEVEL - level);
	return {
		glances: new Int32Array(2 ** levels),
		glanceShift: DEEPEST_LEVEL - level - levels,
		sights: new Int32Array(0),
		sightsEnd: 0,
	};
}

/** The kind of a glance: one of GlanceKind. */
export function kindOf(glance: number): number {
	return glance >>> KIND_SHIFT;
}

/** The place in the shard of the first zone, from a glance of zones. */
export function firstZoneOf(glance: number): number {
	return glance & ZONE_MASK;
}

/** One past the place in the shard of the last zone, from a glance of zones. */
export function endZoneOf(glance: number): number {
	return (glance & ZONE_MASK) + ((glance >>> ZONE_BITS) & ZONE_MASK) + 1;
}

/** Where the record of the first border cell begins, from a glance of borders. */
export function recordOf(glance: number): number {
	return glance & PLACE_MASK;
}

/** Whether the part reaches into the border cells that follow the first one, from a glance of borders. */
export function hasSeveralCells(glance: number): boolean {
	return (glance & SEVERAL_CELLS) !== 0;
}

/** Whether a single edge parts the part, from a glance of borders. */
export function isLine(glance: number): boolean {
	return (glance & ONE_LINE) !== 0;
}

/** Whether the record is in the sights, from a glance of borders. */
export function hasOwnRecord(glance: number): boolean {
	return (glance & OWN_RECORD) !== 0;
}

/** Place in the shard of the zone at a grid point, or NO_ZONE, from a glance of one line at the part that holds the point. */
export function placeByLine({ sights }: Glanced, glance: number, x: number, y: number): number {
	const at = glance & PLACE_MASK;
	return sights[isWest(sights, at, x, y) ? at + EDGE_STRIDE : at + EDGE_STRIDE + 1]!;
}

/** The one zone that an area set has in a range of keys, or NO_ZONE; SEVERAL_ZONES where there are more. */
function placeWithin(shard: Glanced, areaSet: number, from: number, to: number): number {
	const place = shard.areaPlaces[areaSet]!;
	if (place !== SEVERAL_ZONES) return place;
	const area = shard.areaSame[areaSet]!;
	const [firstZone, endZone] = [shard.areaZones[area]!, shard.areaZones[area + 1]!];
	const first = lastAtOrBefore(shard.zoneStarts, from, firstZone + 1, endZone);
	return lastAtOrBefore(shard.zoneStarts, to - 1, first + 1, endZone) === first ? first : SEVERAL_ZONES;
}

/** Remembers what has been seen, and returns where it begins. */
function keepSight(shard: Glanced, sight: ArrayLike<number>): number {
	const begins = shard.sightsEnd;
	shard.sightsEnd += sight.length;
	if (shard.sightsEnd > shard.sights.length) {
		const larger = new Int32Array(Math.max(FIRST_SIGHTS, 2 * shard.sights.length));
		larger.set(shard.sights);
		shard.memoryBytes += larger.byteLength - shard.sights.byteLength;
		shard.sights = larger;
	}
	shard.sights.set(sight, begins);
	return begins;
}

/** What there is to see in a cell of the shard. */
function glanceAt(shard: Glanced, from: number, to: number, level: number): number {
	const { records } = shard;
	const record = recordOfKey(shard, from);
	const box = boxOf(from, level);
	const borders = (GlanceKind.borders << KIND_SHIFT) | record;
	if (record !== recordOfKey(shard, to - 1)) return borders | SEVERAL_CELLS;
	const through = edgesOfRecord(records, record).filter((at) => passesThrough(records, at, box));
	const areaSet = areaByRecord(records, record, box.west, box.south);
	const [edge] = through;
	if (edge !== undefined) {
		// The line of an edge that alone parts the points of a cell goes all through it.
		const here = placeWithin(shard, areaSet, from, to);
		const beyond = placeWithin(shard, areaSet ^ codeOfEdge(records, edge), from, to);
		if (through.length > 1 || here === SEVERAL_ZONES || beyond === SEVERAL_ZONES) {
			if (through.length === edgesOfRecord(records, record).length) return borders;
			const own = recordOfPart(records, through, from, areaSet, shard.sightsEnd);
			return (GlanceKind.borders << KIND_SHIFT) | OWN_RECORD | keepSight(shard, own);
		}
		const places = isWest(records, edge, box.west, box.south) ? [here, beyond] : [beyond, here];
		const line = [...records.subarray(edge, edge + EDGE_STRIDE), ...places];
		return (GlanceKind.borders << KIND_SHIFT) | ONE_LINE | keepSight(shard, line);
	}
	const area = shard.areaSame[areaSet]!;
	const [firstZone, endZone] = [shard.areaZones[area]!, shard.areaZones[area + 1]!];
	if (firstZone === endZone) return GlanceKind.nowhere << KIND_SHIFT;
	const first = lastAtOrBefore(shard.zoneStarts, from, firstZone + 1, endZone);
	const last = lastAtOrBefore(shard.zoneStarts, to - 1, first + 1, endZone);
	return (GlanceKind.zones << KIND_SHIFT) | ((last - first) << ZONE_BITS) | first;
}

/** Looks at the part of a shard that holds a key, and remembers what there is to see. */
export function look(shard: Glanced, key: number): number {
	const { start, glances, glanceShift } = shard;
	const part = (key - start) >>> glanceShift;
	const from = start + part * 2 ** glanceShift;
	glances[part] = glanceAt(shard, from, from + 2 ** glanceShift, DEEPEST_LEVEL - glanceShift);
	return glances[part]!;
}
