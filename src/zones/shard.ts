/**
 * One shard of the zone index in memory: a cell of the earth, the borders in it, and the zones of each area in it.
 *
 * An area is the part of a country whose zones are cells of the grid, or one single zone with borders of its own. Where
 * outlines overlap, a label that stands for both is the same as the area that prevails.
 */
import { areaAt, type Borders, indexBorders, passesThrough } from "./borders.ts";
import { bucketsOf, lastAtOrBefore, lastBetween } from "./buckets.ts";
import { ZoneIndexError } from "./format.ts";
import { EDGE_STRIDE } from "./geometry.ts";
import {
	boxOf,
	cellOf,
	columnOfKey,
	DEEPEST_LEVEL,
	type GridBox,
	keysAt,
	rowOfKey,
	southOfRow,
	westOfColumn,
} from "./morton.ts";
import { zoneName } from "./naming.ts";
import { PayloadReader } from "./payload.ts";

/** How an area's zones are stored. */
export const AreaKind = { cells: 0, whole: 1, none: 2, same: 3 } as const;
/** Kinds of node in the tree of halvings that stores the zones of an area. */
export const ZoneNode = { leaf: 0, onlyFirstHalf: 1, onlySecondHalf: 2, bothHalves: 3 } as const;
/** Kind of node in the tree of border cells that is halved again; the others are leaves (zones/FORMAT.md). */
export const BORDER_SPLIT = 0;
/** Codes of a zone's name in a shard; larger codes count back through the names used before. */
export const NameCode = { none: 0, next: 1, recent: 2 } as const;
/** How many names back a name code can reach; a name last used before that is written again. */
export const RECENT_NAMES = 120;

export interface Shard extends Borders {
	/** number in the directory's list of countries, for each area from 1 on */
	areaCountries: Uint16Array;
	/** each area's zones are areaZones[area] up to areaZones[area + 1] */
	areaZones: Uint32Array;
	/** where the buckets of each area's zones begin in zoneFirsts, see buckets.ts; then their first keys and shifts */
	areaBuckets: Uint32Array;
	areaStarts: Uint32Array;
	areaShifts: Uint8Array;
	zoneFirsts: Int32Array;
	/** by the first bits of a key within the shard, each for an equal part of it: the zone that holds all such points, NOWHERE or MIXED */
	quickPlaces: Uint16Array;
	quickShift: number;
	/** first key of each zone's cell */
	zoneStarts: Uint32Array;
	/** zone number of each zone */
	zoneNumbers: Uint16Array;
	/** level of each zone's cell; WHOLE when its area has a box of its own */
	zoneLevels: Uint8Array;
	areaBoxes: Map<number, GridBox>;
	/** place in `names` of each zone's name */
	zoneNames: Uint16Array;
	/** where each zone lies from the place in its name, see naming.ts */
	zoneSuffixes: Uint16Array;
	names: string[];
	/** rough size in memory, for the bound on what is kept */
	memoryBytes: number;
}

/** Stands for the level of a zone that is a whole area, and so has no cell. */
const WHOLE = 255;

/** Halvings of an ordinary shard that make the entries of quickPlaces: 4,096 entries. */
const QUICK_LEVELS = 12;
/** Halvings of a shard that make the entries of quickPlaces where many of its zones have borders of their own: 32,768 entries. */
const QUICK_LEVELS_OF_OFFICIAL = 15;
/** From this many areas with a box of their own, a shard counts as one with official zones; a few zones of the open sea have one too. */
const MANY_BOXES = 24;
/** Entry of quickPlaces for points that no zone holds. */
const NOWHERE = 0xffff;
/** Entry of quickPlaces for points that are not all in one zone, or not known to be. */
const MIXED = 0xfffe;

/** Cuts a shard into many equal parts, and finds for each the zone that holds all of its points, as far as that is quick to know. */
function classifyParts(shard: Omit<Shard, "memoryBytes" | "quickPlaces" | "quickShift">, start: number, level: number) {
	const { cellStarts, cellAreas, cellEdges, areaZones, zoneStarts } = shard;
	const isOfficial = shard.areaBoxes.size > MANY_BOXES;
	const levels = Math.min(isOfficial ? QUICK_LEVELS_OF_OFFICIAL : QUICK_LEVELS, DEEPEST_LEVEL - level);
	const quickShift = DEEPEST_LEVEL - level - levels;
	const end = start + keysAt(level);
	const quickPlaces = new Uint16Array(2 ** levels).fill(MIXED);
	/** Fills the parts that lie wholly between two keys. */
	const fill = (from: number, to: number, place: number): void => {
		const [first, last] = [Math.ceil((from - start) / 2 ** quickShift), Math.floor((to - start) / 2 ** quickShift)];
		if (first < last) quickPlaces.fill(place, first, last);
	};
	const fillArea = (from: number, to: number, area: number): void => {
		if (area === 0) {
			fill(from, to, NOWHERE);
			return;
		}
		const [firstZone, end] = [areaZones[area]!, areaZones[area + 1]!];
		let place = Math.max(firstZone, lastAtOrBefore(zoneStarts, from, firstZone, end));
		for (let at = from; place < end && at < to; place++) {
			const next = Math.min(to, place + 1 < end ? zoneStarts[place + 1]! : to);
			fill(at, next, place);
			at = next;
		}
	};
	/** Halves a cell with borders until none passes through a piece, or the pieces are as small as the parts. */
	const halve = (key: number, depth: number, edges: readonly number[]): void => {
		if (edges.length === 0) {
			fillArea(key, key + keysAt(depth), areaAt(shard, key, westOfColumn(columnOfKey(key)), southOfRow(rowOfKey(key))));
			return;
		}
		if (keysAt(depth) <= 2 ** quickShift) return;
		for (const half of [key, key + keysAt(depth + 1)]) {
			const through = edges.filter((edge) => passesThrough(shard.edges, edge, half, depth + 1));
			halve(half, depth + 1, through);
		}
	};
	for (let cell = 0; cell < cellStarts.length; cell++) {
		const [from, to] = [cellStarts[cell]!, cellStarts[cell + 1] ?? end];
		const edges = shard.edgeList.subarray(cellEdges[cell]!, cellEdges[cell + 1]!);
		if (edges.length === 0) fillArea(from, to, cellAreas[cell]!);
		else if (isOfficial) halve(from, DEEPEST_LEVEL - Math.log2(to - from), [...edges]);
	}
	return { quickPlaces, quickShift };
}

/** Place in the shard of the zone that holds a grid point, or -1 where none does. `key` is the Morton key of the point. It allocates nothing. */
export function locateInShard(shard: Shard, key: number, x: number, y: number): number {
	const quick = shard.quickPlaces[(key - shard.cellBuckets.start) >>> shard.quickShift]!;
	if (quick < MIXED) return quick;
	if (quick === NOWHERE) return -1;
	const area = areaAt(shard, key, x, y);
	if (area === 0) return -1;
	// An official zone is all of its area: nothing to search for.
	const first = shard.areaZones[area]!;
	if (shard.areaZones[area + 1]! - first === 1) return first;
	const bucket = shard.areaBuckets[area]! + ((key - shard.areaStarts[area]!) >>> shard.areaShifts[area]!);
	return lastBetween(shard.zoneFirsts, bucket, shard.zoneStarts, key);
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

/** The name of the zone at a place in the shard; empty where it has none. */
export function nameOfPlace(shard: Shard, place: number): string {
	return zoneName(shard.names[shard.zoneNames[place]!]!, shard.zoneSuffixes[place]!);
}

/** Whether the zone at a place is an official one, with a border of its own: its box is no cell. */
export function isOfficial(shard: Shard, place: number, box: GridBox): boolean {
	return shard.zoneLevels[place] === WHOLE && !cellOf(box);
}

/** Zones of one area, as the reader gathers them. */
interface ZoneLists {
	starts: number[];
	levels: number[];
	numbers: number[];
}

function readZoneTree(payload: PayloadReader, key: number, level: number, into: ZoneLists): void {
	const node = payload.unsigned();
	if (node === ZoneNode.leaf) {
		into.starts.push(key);
		into.levels.push(level);
		return;
	}
	if (node > ZoneNode.bothHalves || level === DEEPEST_LEVEL) throw new ZoneIndexError("corrupt", "bad zone tree");
	if (node !== ZoneNode.onlySecondHalf) readZoneTree(payload, key, level + 1, into);
	if (node !== ZoneNode.onlyFirstHalf) readZoneTree(payload, key + keysAt(level + 1), level + 1, into);
}

function readAreas(payload: PayloadReader, start: number, level: number) {
	const count = payload.unsigned();
	const zones: ZoneLists = { starts: [], levels: [], numbers: [] };
	const areaCountries = new Uint16Array(count + 1);
	const areaZones = new Uint32Array(count + 2);
	const areaBoxes = new Map<number, GridBox>();
	const same = new Map<number, number>();
	for (let area = 1; area <= count; area++) {
		areaZones[area] = zones.starts.length;
		const kind = payload.unsigned();
		if (kind > AreaKind.same) throw new ZoneIndexError("corrupt", "unknown kind of area");
		if (kind === AreaKind.none) continue;
		if (kind === AreaKind.same) {
			same.set(area, payload.unsigned());
			continue;
		}
		areaCountries[area] = payload.unsigned();
		if (kind === AreaKind.cells) {
			readZoneTree(payload, start, level, zones);
			let next = 0;
			while (zones.numbers.length < zones.starts.length) {
				const number = next + payload.signed();
				zones.numbers.push(number);
				next = number + 1;
			}
		} else {
			zones.numbers.push(payload.unsigned());
			zones.starts.push(start);
			zones.levels.push(WHOLE);
			const [south, west] = [payload.signed(), payload.signed()];
			areaBoxes.set(area, { south, west, north: payload.signed(), east: payload.signed() });
		}
	}
	areaZones[count + 1] = zones.starts.length;
	const zoneStarts = Uint32Array.from(zones.starts);
	const areaBuckets = new Uint32Array(count + 1);
	const areaStarts = new Uint32Array(count + 1);
	const areaShifts = new Uint8Array(count + 1);
	const { levels } = zones;
	const zoneFirsts: number[] = [];
	for (let area = 1; area <= count; area++) {
		const [from, to] = [areaZones[area]!, areaZones[area + 1]!];
		areaBuckets[area] = zoneFirsts.length;
		if (from === to) {
			// Nothing to find: one bucket for all keys, with no zone.
			areaStarts[area] = start;
			areaShifts[area] = DEEPEST_LEVEL - 1;
			zoneFirsts.push(-1, -1);
			continue;
		}
		// Only keys in the area's own zones are looked for, so its buckets span no more.
		const last = to - 1;
		const end = levels[last] === WHOLE ? start + keysAt(level) : zoneStarts[last]! + keysAt(levels[last]!);
		const { shift, firsts } = bucketsOf(zoneStarts, from, to, zoneStarts[from]!, end);
		areaStarts[area] = zoneStarts[from]!;
		areaShifts[area] = shift;
		for (const first of firsts) zoneFirsts.push(first);
	}
	for (const [area, prevailing] of same) {
		areaBuckets[area] = areaBuckets[prevailing]!;
		areaStarts[area] = areaStarts[prevailing]!;
		areaShifts[area] = areaShifts[prevailing]!;
	}
	return {
		areaCountries,
		areaZones,
		areaBoxes,
		areaBuckets,
		areaStarts,
		areaShifts,
		zoneFirsts: Int32Array.from(zoneFirsts),
		zoneStarts,
		zoneNumbers: Uint16Array.from(zones.numbers),
		zoneLevels: Uint8Array.from(zones.levels),
	};
}

function readEdges(payload: PayloadReader): { edges: Int32Array; edgeCodes: Uint16Array } {
	const count = payload.unsigned();
	const edges = new Int32Array(count * EDGE_STRIDE);
	const edgeCodes = new Uint16Array(count);
	let x = 0;
	let y = 0;
	for (let edge = 0; edge < count; edge++) {
		const fromX = x + payload.signed();
		const fromY = y + payload.signed();
		x = fromX + payload.signed();
		y = fromY + payload.signed();
		edges.set(fromY <= y ? [fromX, fromY, x, y] : [x, y, fromX, fromY], edge * EDGE_STRIDE);
		edgeCodes[edge] = payload.unsigned();
	}
	return { edges, edgeCodes };
}

function readBorderCells(payload: PayloadReader, start: number, level: number) {
	const starts: number[] = [];
	const areas: number[] = [];
	const firstEdges: number[] = [];
	const edgeList: number[] = [];
	const readNode = (key: number, depth: number): void => {
		const node = payload.unsigned();
		if (node === BORDER_SPLIT) {
			if (depth === DEEPEST_LEVEL) throw new ZoneIndexError("corrupt", "bad tree of border cells");
			readNode(key, depth + 1);
			readNode(key + keysAt(depth + 1), depth + 1);
			return;
		}
		starts.push(key);
		areas.push((node - 1) >>> 1);
		firstEdges.push(edgeList.length);
		if (node % 2 === 1) return;
		let edge = -1;
		for (let left = payload.unsigned(); left > 0; left--) {
			edge += payload.unsigned() + 1;
			edgeList.push(edge);
		}
	};
	readNode(start, level);
	firstEdges.push(edgeList.length);
	return {
		cellStarts: Uint32Array.from(starts),
		cellAreas: Uint16Array.from(areas),
		cellEdges: Uint32Array.from(firstEdges),
		edgeList: Uint16Array.from(edgeList),
	};
}

function readNames(payload: PayloadReader, zoneCount: number) {
	const zoneNames = new Uint16Array(zoneCount);
	const zoneSuffixes = new Uint16Array(zoneCount);
	const recent: number[] = [];
	let known = 0;
	for (let place = 0; place < zoneCount; place++) {
		const code = payload.unsigned();
		if (code === NameCode.none) continue;
		const name = code === NameCode.next ? ++known : recent.splice(code - NameCode.recent, 1)[0];
		if (name === undefined) throw new ZoneIndexError("corrupt", "a zone's name is not in its shard");
		recent.unshift(name);
		if (recent.length > RECENT_NAMES) recent.pop();
		zoneNames[place] = name;
		zoneSuffixes[place] = payload.unsigned();
	}
	const text = payload.text();
	const names = ["", ...(text === "" ? [] : text.split("\n"))];
	if (names.length !== known + 1) throw new ZoneIndexError("corrupt", "names are missing from a shard");
	return { zoneNames, zoneSuffixes, names };
}

/** Rough size of a value in memory, in bytes. A short string costs about 24 bytes beside its characters, which take at most two bytes each. */
function bytesOf(value: unknown): number {
	if (typeof value === "string") return 24 + 2 * value.length;
	if (ArrayBuffer.isView(value)) return value.byteLength;
	if (typeof value !== "object" || value === null) return 8;
	return Object.values(value).reduce<number>((sum, part) => sum + bytesOf(part), 16);
}

/**
 * Reads the decompressed payload of a shard.
 * @param start First Morton key of its cell, as the directory has it, and `level` the level of that cell.
 * @throws ZoneIndexError corrupt.
 */
export function readShard(bytes: Uint8Array, start: number, level: number): Shard {
	const payload = new PayloadReader(bytes);
	const areas = readAreas(payload, start, level);
	const edges = readEdges(payload);
	const cells = readBorderCells(payload, start, level);
	const names = readNames(payload, areas.zoneStarts.length);
	const contents = { ...areas, ...names, ...indexBorders({ ...edges, ...cells }, start, level) };
	const shard = { ...contents, ...classifyParts(contents, start, level) };
	return { ...shard, memoryBytes: bytesOf(shard) };
}
