/**
 * A radix table over the keys of a shard (as in Kipf et al., RadixSpline, 2020): the first bits of a key lead to an entry, which tells what most
 * look-ups need. An entry is made when a point of its part is first asked for: to make all of them would keep the first look-up waiting.
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

/** Kinds of entries. */
export const EntryKind = {
	/** not made yet */
	unknown: 0,
	/** no border passes: an entry tells the first zone of the part, and how many more begin in it */
	zones: 1,
	/** borders pass: an entry tells where a record of them begins, or a line */
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

/** An entry has its kind in the uppermost two bits. Of zones, the lowest bits tell the first one, and those between how many more begin in the part. */
const KIND_SHIFT = 30;
const ZONE_BITS = 15;
/** The most zones that a shard may have. */
export const MOST_ZONES = 2 ** ZONE_BITS;
const ZONE_MASK = MOST_ZONES - 1;
/** Of borders, the lowest bits tell where a record begins, and this one whether the part has more than one border cell. */
const SEVERAL_CELLS = 2 ** 29;
/** Of borders, this bit tells that a single edge parts two zones: then the lowest bits tell where its line begins in partBorders. */
const ONE_LINE = 2 ** 28;
/** Of borders, this bit tells that the part has a record of its own, with the edges that pass through it alone, in partBorders. */
const OWN_RECORD = 2 ** 27;
const PLACE_MASK = OWN_RECORD - 1;
/** Numbers that there is room for in partBorders at first. */
const FIRST_PART_BORDERS = 512;

/** In areaPlaces: the area has no zone here. */
export const NO_ZONE = -1;
/** In areaPlaces: its zones are to be searched. */
export const SEVERAL_ZONES = -2;

/** The radix table of a shard, and what its entries are made of. */
export interface RadixTable extends Borders {
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
	radixEntries: Int32Array;
	/** a key's part is its distance from the shard's start shifted right by this */
	radixShift: number;
	/**
	 * The borders in parts through which few edges pass, with room for more: of a line the ends of its edge, as in an edge array, and the
	 * places of the zones west and east of it; and records as those of border cells
	 */
	partBorders: Int32Array;
	/** where the next one begins */
	partBordersEnd: number;
	/** rough size of the shard in memory, for the bound on what is kept */
	memoryBytes: number;
}

/** An empty radix table for a shard of a level and with so many areas that have a box of their own. */
export function emptyRadixTable(
	level: number,
	boxes: number,
): Pick<RadixTable, "radixEntries" | "radixShift" | "partBorders" | "partBordersEnd"> {
	const levels = Math.min(boxes > MANY_BOXES ? LEVELS_OF_OFFICIAL : LEVELS, DEEPEST_LEVEL - level);
	return {
		radixEntries: new Int32Array(2 ** levels),
		radixShift: DEEPEST_LEVEL - level - levels,
		partBorders: new Int32Array(0),
		partBordersEnd: 0,
	};
}

/** The kind of an entry: one of EntryKind. */
export function kindOf(entry: number): number {
	return entry >>> KIND_SHIFT;
}

/** The place in the shard of the first zone, from an entry of zones. */
export function firstZoneOf(entry: number): number {
	return entry & ZONE_MASK;
}

/** One past the place in the shard of the last zone, from an entry of zones. */
export function endZoneOf(entry: number): number {
	return (entry & ZONE_MASK) + ((entry >>> ZONE_BITS) & ZONE_MASK) + 1;
}

/** Where the record of the first border cell begins, from an entry of borders. */
export function recordOf(entry: number): number {
	return entry & PLACE_MASK;
}

/** Whether the part reaches into the border cells that follow the first one, from an entry of borders. */
export function hasSeveralCells(entry: number): boolean {
	return (entry & SEVERAL_CELLS) !== 0;
}

/** Whether a single edge parts the part, from an entry of borders. */
export function isLine(entry: number): boolean {
	return (entry & ONE_LINE) !== 0;
}

/** Whether the record is in partBorders, from an entry of borders. */
export function hasOwnRecord(entry: number): boolean {
	return (entry & OWN_RECORD) !== 0;
}

/** Place in the shard of the zone at a grid point, or NO_ZONE, from an entry of one line at the part that holds the point. */
export function placeByLine({ partBorders }: RadixTable, entry: number, x: number, y: number): number {
	const at = entry & PLACE_MASK;
	return partBorders[isWest(partBorders, at, x, y) ? at + EDGE_STRIDE : at + EDGE_STRIDE + 1]!;
}

/** The one zone that an area set has in a range of keys, or NO_ZONE; SEVERAL_ZONES where there are more. */
function placeWithin(shard: RadixTable, areaSet: number, from: number, to: number): number {
	const place = shard.areaPlaces[areaSet]!;
	if (place !== SEVERAL_ZONES) return place;
	const area = shard.areaSame[areaSet]!;
	const [firstZone, endZone] = [shard.areaZones[area]!, shard.areaZones[area + 1]!];
	const first = lastAtOrBefore(shard.zoneStarts, from, firstZone + 1, endZone);
	return lastAtOrBefore(shard.zoneStarts, to - 1, first + 1, endZone) === first ? first : SEVERAL_ZONES;
}

/** Keeps a line or a record in partBorders, and returns where it begins. */
function keepPartBorders(shard: RadixTable, numbers: ArrayLike<number>): number {
	const begins = shard.partBordersEnd;
	shard.partBordersEnd += numbers.length;
	if (shard.partBordersEnd > shard.partBorders.length) {
		const larger = new Int32Array(Math.max(FIRST_PART_BORDERS, 2 * shard.partBorders.length));
		larger.set(shard.partBorders);
		shard.memoryBytes += larger.byteLength - shard.partBorders.byteLength;
		shard.partBorders = larger;
	}
	shard.partBorders.set(numbers, begins);
	return begins;
}

/** The entry of a cell of the shard. */
function entryOf(shard: RadixTable, from: number, to: number, level: number): number {
	const { records } = shard;
	const record = recordOfKey(shard, from);
	const box = boxOf(from, level);
	const borders = (EntryKind.borders << KIND_SHIFT) | record;
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
			const own = recordOfPart(records, through, from, areaSet, shard.partBordersEnd);
			return (EntryKind.borders << KIND_SHIFT) | OWN_RECORD | keepPartBorders(shard, own);
		}
		const places = isWest(records, edge, box.west, box.south) ? [here, beyond] : [beyond, here];
		const line = [...records.subarray(edge, edge + EDGE_STRIDE), ...places];
		return (EntryKind.borders << KIND_SHIFT) | ONE_LINE | keepPartBorders(shard, line);
	}
	const area = shard.areaSame[areaSet]!;
	const [firstZone, endZone] = [shard.areaZones[area]!, shard.areaZones[area + 1]!];
	if (firstZone === endZone) return EntryKind.nowhere << KIND_SHIFT;
	const first = lastAtOrBefore(shard.zoneStarts, from, firstZone + 1, endZone);
	const last = lastAtOrBefore(shard.zoneStarts, to - 1, first + 1, endZone);
	return (EntryKind.zones << KIND_SHIFT) | ((last - first) << ZONE_BITS) | first;
}

/** Makes the entry of the part of a shard that holds a key. */
export function fillEntry(shard: RadixTable, key: number): number {
	const { start, radixEntries, radixShift } = shard;
	const part = (key - start) >>> radixShift;
	const from = start + part * 2 ** radixShift;
	radixEntries[part] = entryOf(shard, from, from + 2 ** radixShift, DEEPEST_LEVEL - radixShift);
	return radixEntries[part]!;
}
