/**
 * One shard of the zone index in memory: a cell of the earth, the borders in it, and the zones of each area in it.
 *
 * An area is the part of a country whose zones are cells of the grid, or one single zone with borders of its own. Where
 * outlines overlap, a label that stands for both is the same as the area that prevails.
 */
import { areaAt, type Borders, indexBorders } from "./borders.ts";
import { bucketsOf, lastAtOrBefore, lastBetween } from "./buckets.ts";
import { ZoneIndexError } from "./format.ts";
import { EDGE_STRIDE } from "./geometry.ts";
import { boxOf, DEEPEST_LEVEL, type GridBox, keysAt } from "./morton.ts";

/** How an area's zones are stored. */
export const AreaKind = { cells: 0, whole: 1, none: 2, same: 3 } as const;
/** Nodes of an area's tree of halvings. */
export const ZoneNode = { leaf: 0, onlyFirstHalf: 1, onlySecondHalf: 2, bothHalves: 3 } as const;
/** Node of the tree of border cells that is halved again; the others are leaves, see FORMAT.md. */
export const BORDER_SPLIT = 0;
/** Codes of a zone's name; larger ones count back through the names used before. */
export const NameCode = { none: 0, next: 1, recent: 2 } as const;
/** How many names back a code can reach; a name last used before that is written again. */
export const RECENT_NAMES = 120;

export interface Shard extends Borders {
	/** number in the directory's list of countries, for each area from 1 on */
	areaCountries: Uint16Array;
	/** zone number of each area's first zone in this shard */
	areaNumbers: Uint16Array;
	/** each area's zones are areaZones[area] up to areaZones[area + 1] */
	areaZones: Uint32Array;
	/** the buckets of all areas' zones, see buckets.ts: where each area's begin, their shifts, and their first zones */
	areaBuckets: Uint32Array;
	areaShifts: Uint8Array;
	zoneFirsts: Int32Array;
	/** first key of each zone's cell */
	zoneStarts: Uint32Array;
	/** level of each zone's cell; WHOLE when its area has a box of its own */
	zoneLevels: Uint8Array;
	areaBoxes: Map<number, GridBox>;
	/** place in `names` of each zone's name */
	zoneNames: Uint16Array;
	names: string[];
	/** rough size in memory, for the bound on what is kept */
	memoryBytes: number;
}

/** Level of a zone that is its area whole. */
const WHOLE = 255;

/** Place in the shard of the zone that holds a grid point, or -1. Allocates nothing. */
export function locateInShard(shard: Shard, key: number, x: number, y: number): number {
	const area = areaAt(shard, key, x, y);
	if (area === 0) return -1;
	const bucket = shard.areaBuckets[area]! + ((key - shard.cellBuckets.start) >>> shard.areaShifts[area]!);
	return lastBetween(shard.zoneFirsts, bucket, shard.zoneStarts, key);
}

/** Area to which the zone at a place belongs. */
export function areaOfPlace(shard: Shard, place: number): number {
	return lastAtOrBefore(shard.areaZones, place, 1, shard.areaZones.length - 1);
}

/** Box of the zone at a place: its cell, cut by the border of its country only. */
export function boxOfPlace(shard: Shard, area: number, place: number): GridBox {
	const level = shard.zoneLevels[place]!;
	return level === WHOLE ? shard.areaBoxes.get(area)! : boxOf(shard.zoneStarts[place]!, level);
}

/** Reads the numbers of a shard's payload one after the other. */
class PayloadReader {
	#at = 0;
	readonly #bytes: Uint8Array;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	/** Unsigned LEB128 number of up to 32 bits. */
	unsigned(): number {
		let value = 0;
		for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
			const byte = this.#bytes[this.#at++];
			if (byte === undefined) throw new ZoneIndexError("corrupt", "a shard's payload ends in a number");
			value += (byte & 127) * scale;
			if (byte < 128) return value;
		}
		throw new ZoneIndexError("corrupt", "a number in a shard is too long");
	}

	/** Signed number, zigzag: 0, -1, 1, -2, ... */
	signed(): number {
		const value = this.unsigned();
		return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
	}

	/** All that is left, as UTF-8 text. */
	text(): string {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#bytes.subarray(this.#at));
	}
}

/** Zones of one area, as the reader gathers them. */
interface ZoneLists {
	starts: number[];
	levels: number[];
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
	const zones: ZoneLists = { starts: [], levels: [] };
	const areaCountries = new Uint16Array(count + 1);
	const areaNumbers = new Uint16Array(count + 1);
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
		areaNumbers[area] = payload.unsigned();
		if (kind === AreaKind.cells) {
			readZoneTree(payload, start, level, zones);
		} else {
			zones.starts.push(start);
			zones.levels.push(WHOLE);
			const [south, west] = [payload.signed(), payload.signed()];
			areaBoxes.set(area, { south, west, north: payload.signed(), east: payload.signed() });
		}
	}
	areaZones[count + 1] = zones.starts.length;
	const zoneStarts = Uint32Array.from(zones.starts);
	const areaBuckets = new Uint32Array(count + 1);
	const areaShifts = new Uint8Array(count + 1);
	const zoneFirsts: number[] = [];
	for (let area = 1; area <= count; area++) {
		const { shift, firsts } = bucketsOf(zoneStarts, areaZones[area]!, areaZones[area + 1]!, start, level);
		areaBuckets[area] = zoneFirsts.length;
		areaShifts[area] = shift;
		const isEmpty = areaZones[area] === areaZones[area + 1];
		for (const first of firsts) zoneFirsts.push(isEmpty ? -1 : first);
	}
	for (const [area, prevailing] of same) {
		areaBuckets[area] = areaBuckets[prevailing]!;
		areaShifts[area] = areaShifts[prevailing]!;
	}
	return {
		areaCountries,
		areaNumbers,
		areaZones,
		areaBoxes,
		areaBuckets,
		areaShifts,
		zoneFirsts: Int32Array.from(zoneFirsts),
		zoneStarts,
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

function readNames(payload: PayloadReader, zoneCount: number): { zoneNames: Uint16Array; names: string[] } {
	const zoneNames = new Uint16Array(zoneCount);
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
	}
	const text = payload.text();
	const names = ["", ...(text === "" ? [] : text.split("\n"))];
	if (names.length !== known + 1) throw new ZoneIndexError("corrupt", "names are missing from a shard");
	return { zoneNames, names };
}

/** Rough size in memory. A short string costs about 24 bytes beside its characters, at most two bytes each. */
function bytesOf(value: unknown): number {
	if (typeof value === "string") return 24 + 2 * value.length;
	if (ArrayBuffer.isView(value)) return value.byteLength;
	if (typeof value !== "object" || value === null) return 8;
	return Object.values(value).reduce<number>((sum, part) => sum + bytesOf(part), 16);
}

/** Reads a shard's payload, decompressed; `start` and `level` are those of its cell in the directory. */
export function readShard(bytes: Uint8Array, start: number, level: number): Shard {
	const payload = new PayloadReader(bytes);
	const areas = readAreas(payload, start, level);
	const edges = readEdges(payload);
	const cells = readBorderCells(payload, start, level);
	const names = readNames(payload, areas.zoneStarts.length);
	const shard = { ...areas, ...names, ...indexBorders({ ...edges, ...cells }, start, level) };
	return { ...shard, memoryBytes: bytesOf(shard) };
}
