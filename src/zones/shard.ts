/**
 * One shard of the zone index in memory: a cell of the earth, the borders in it, and the zones of each area in it.
 *
 * An area is the part of a country whose zones are cells of the grid, or one single zone with borders of its own. Where
 * outlines overlap, an area set that stands for both is the same as the area that prevails.
 */
import { areaByRecord, recordFrom } from "./borders.ts";
import { lastAtOrBefore } from "./buckets.ts";
import { boxOf, cellOf, type GridBox } from "./morton.ts";
import { zoneName } from "./naming.ts";
import {
	EntryKind,
	endZoneOf,
	fillEntry,
	firstZoneOf,
	hasOwnRecord,
	hasSeveralCells,
	isLine,
	kindOf,
	NO_ZONE,
	placeByLine,
	type RadixTable,
	recordOf,
	SEVERAL_ZONES,
} from "./radix-table.ts";

export interface Shard extends RadixTable {
	/** number in the directory's list of countries, for each area from 1 on */
	areaCountries: Uint16Array;
	/** zone number of each zone */
	zoneNumbers: Uint16Array;
	/** level of each zone's cell; WHOLE when its area has a box of its own */
	zoneLevels: Uint8Array;
	areaBoxes: Map<number, GridBox>;
	/** number of the place in each zone's name, from 1 on; 0 for a zone without a name */
	zoneNames: Uint16Array;
	/** where each zone lies from the place in its name, see naming.ts */
	zoneSuffixes: Uint16Array;
	/** the places in names, UTF-8, separated by LF; each is decoded when it is asked for, because strings take thrice the memory */
	nameText: Uint8Array;
	/** where each begins in the text, and, one entry more, past the end of the last one */
	nameStarts: Uint32Array;
}

/** Stands for the level of a zone that is a whole area, and so has no cell. */
export const WHOLE = 255;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Place in the shard of the zone that holds a grid point, or -1 where none does. `key` is the Morton key of the point. */
export function locateInShard(shard: Shard, key: number, x: number, y: number): number {
	const entry = shard.radixEntries[(key - shard.start) >>> shard.radixShift]! || fillEntry(shard, key);
	const kind = kindOf(entry);
	if (kind === EntryKind.zones) {
		return lastAtOrBefore(shard.zoneStarts, key, firstZoneOf(entry) + 1, endZoneOf(entry));
	}
	return kind === EntryKind.nowhere ? NO_ZONE : locateByBorders(shard, entry, key, x, y);
}

/** The same where borders pass, apart from it so that the engine inlines what most look-ups need. */
function locateByBorders(shard: Shard, entry: number, key: number, x: number, y: number): number {
	if (isLine(entry)) return placeByLine(shard, entry, x, y);
	const records = hasOwnRecord(entry) ? shard.partBorders : shard.records;
	const record = hasSeveralCells(entry) ? recordFrom(records, recordOf(entry), key) : recordOf(entry);
	const areaSet = areaByRecord(records, record, x, y);
	const place = shard.areaPlaces[areaSet]!;
	if (place !== SEVERAL_ZONES) return place;
	const area = shard.areaSame[areaSet]!;
	return lastAtOrBefore(shard.zoneStarts, key, shard.areaZones[area]! + 1, shard.areaZones[area + 1]!);
}

/** The area to which the zone at a place in the shard belongs. */
export function areaOfPlace(shard: Shard, place: number): number {
	return lastAtOrBefore(shard.areaZones, place, 1, shard.areaZones.length - 1);
}

/** The number (0 to 9999) of the zone at a place in the shard. */
export function numberOfPlace(shard: Shard, place: number): number {
	return shard.zoneNumbers[place]!;
}

/** The box of the zone at a place in the shard: its cell, which the border of its country may cut, or the box around an official zone. */
export function boxOfPlace(shard: Shard, area: number, place: number): GridBox {
	const level = shard.zoneLevels[place]!;
	return level === WHOLE ? shard.areaBoxes.get(area)! : boxOf(shard.zoneStarts[place]!, level);
}

/** The settlement or district in the name of the zone at a place, without a direction; "" for a zone without a name. */
export function titleOfPlace({ zoneNames, nameStarts, nameText }: Shard, place: number): string {
	const name = zoneNames[place]!;
	return name === 0 ? "" : utf8.decode(nameText.subarray(nameStarts[name - 1]!, nameStarts[name]! - 1));
}

/** The name of the zone at a place in the shard; empty where it has none. */
export function nameOfPlace(shard: Shard, place: number): string {
	return zoneName(titleOfPlace(shard, place), shard.zoneSuffixes[place]!);
}

/** Whether the zone at a place is an official one, with a border of its own: its box is no cell. */
export function isOfficial(shard: Shard, place: number, box: GridBox): boolean {
	return shard.zoneLevels[place] === WHOLE && !cellOf(box);
}
