/**
 * What can be said of the points in each of many equal parts of a shard, so that most look-ups need no more than a glance.
 * A part is looked at when a point in it is first asked for: to look at all of them would keep the first look-up waiting.
 */
import { areaByRecord, type Borders, edgesOfRecord, passesThrough, recordOfKey } from "./borders.ts";
import { lastAtOrBefore } from "./buckets.ts";
import { boxOf, DEEPEST_LEVEL } from "./morton.ts";

/** Kinds of glances. */
export const GlanceKind = {
	/** nobody has looked yet */
	unknown: 0,
	/** no border passes: a glance tells the first zone of the part, and how many more begin in it */
	zones: 1,
	/** borders pass: a glance tells where the record of the first border cell of the part begins */
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
	areaPlaces: Int32Array;
	/** first key of each zone's cell */
	zoneStarts: Uint32Array;
	/** by the first bits of a key within the shard */
	glances: Int32Array;
	/** a key's part is its distance from the shard's start shifted right by this */
	glanceShift: number;
}

/** Room for the glances at a shard of a level and with so many areas that have a box of their own. */
export function roomForGlances(level: number, boxes: number): Pick<Glanced, "glances" | "glanceShift"> {
	const levels = Math.min(boxes > MANY_BOXES ? LEVELS_OF_OFFICIAL : LEVELS, DEEPEST_LEVEL - level);
	return { glances: new Int32Array(2 ** levels), glanceShift: DEEPEST_LEVEL - level - levels };
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
	return glance & (SEVERAL_CELLS - 1);
}

/** Whether the part reaches into the border cells that follow the first one, from a glance of borders. */
export function hasSeveralCells(glance: number): boolean {
	return (glance & SEVERAL_CELLS) !== 0;
}

/** What there is to see in a cell of the shard. */
function glanceAt(shard: Glanced, from: number, to: number, level: number): number {
	const { records } = shard;
	const record = recordOfKey(shard, from);
	const box = boxOf(from, level);
	const borders = (GlanceKind.borders << KIND_SHIFT) | record;
	if (record !== recordOfKey(shard, to - 1)) return borders | SEVERAL_CELLS;
	if (edgesOfRecord(records, record).some((at) => passesThrough(records, at, box))) return borders;
	const area = shard.areaSame[areaByRecord(records, record, box.west, box.south)]!;
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
