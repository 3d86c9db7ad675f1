/** Decodes the shards of the zone index: zones/FORMAT.md, "Shard". */
import { type BorderCell, packBorders } from "./borders.ts";
import { ZoneIndexError } from "./format.ts";
import { EDGE_STRIDE } from "./geometry.ts";
import { DEEPEST_LEVEL, type GridBox, keysAt } from "./morton.ts";
import { PayloadReader } from "./payload.ts";
import { emptyRadixTable, MOST_ZONES, NO_ZONE, SEVERAL_ZONES } from "./radix-table.ts";
import { type Shard, WHOLE } from "./shard.ts";

/** How an area's zones are stored. */
export const AreaKind = { cells: 0, whole: 1, none: 2, same: 3 } as const;
/** Kinds of node in the tree of halvings that stores the zones of an area. */
export const ZoneNode = { leaf: 0, onlyFirstHalf: 1, onlySecondHalf: 2, bothHalves: 3 } as const;
/** Kind of node in the tree of border cells that is halved again; the others are leaves (zones/FORMAT.md). */
export const BORDER_SPLIT = 0;
/** Codes of a zone's name; larger ones count back through the places that names have brought up. */
export const NameCode = { none: 0, next: 1, known: 2 } as const;

const LINE_FEED = 10;
/** A box in a Map, with what the Map takes for it. */
const BOX_BYTES = 80;

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
	const areaSame = Uint16Array.from({ length: count + 1 }, (_, area) => area);
	for (let area = 1; area <= count; area++) {
		areaZones[area] = zones.starts.length;
		const kind = payload.unsigned();
		if (kind > AreaKind.same) throw new ZoneIndexError("corrupt", "unknown kind of area");
		if (kind === AreaKind.none) continue;
		if (kind === AreaKind.same) {
			areaSame[area] = payload.unsigned();
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
	const areaPlaces = Int16Array.from(areaSame, (area) => {
		const zoneCount = areaZones[area + 1]! - areaZones[area]!;
		return zoneCount === 0 ? NO_ZONE : zoneCount === 1 ? areaZones[area]! : SEVERAL_ZONES;
	});
	return {
		areaCountries,
		areaZones,
		areaSame,
		areaPlaces,
		areaBoxes,
		zoneStarts: Uint32Array.from(zones.starts),
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

function readBorderCells(payload: PayloadReader, start: number, level: number): BorderCell[] {
	const cells: BorderCell[] = [];
	const readNode = (key: number, depth: number): void => {
		const node = payload.unsigned();
		if (node === BORDER_SPLIT) {
			if (depth === DEEPEST_LEVEL) throw new ZoneIndexError("corrupt", "bad tree of border cells");
			readNode(key, depth + 1);
			readNode(key + keysAt(depth + 1), depth + 1);
			return;
		}
		const edges: number[] = [];
		let edge = -1;
		for (let left = node % 2 === 1 ? 0 : payload.unsigned(); left > 0; left--) {
			edge += payload.unsigned() + 1;
			edges.push(edge);
		}
		cells.push({ key, area: (node - 1) >>> 1, edges });
	};
	readNode(start, level);
	return cells;
}

function readNames(payload: PayloadReader, zoneCount: number) {
	const zoneNames = new Uint16Array(zoneCount);
	const zoneSuffixes = new Uint16Array(zoneCount);
	let known = 0;
	for (let place = 0; place < zoneCount; place++) {
		const code = payload.unsigned();
		if (code === NameCode.none) continue;
		const name = code === NameCode.next ? ++known : known - (code - NameCode.known);
		if (name < 1) throw new ZoneIndexError("corrupt", "a zone's name is not in its shard");
		zoneNames[place] = name;
		zoneSuffixes[place] = payload.unsigned();
	}
	const nameText = payload.rest();
	const nameStarts = new Uint32Array(known + 1);
	let found = 0;
	if (known > 0) {
		for (let at = nameText.indexOf(LINE_FEED); at >= 0; at = nameText.indexOf(LINE_FEED, at + 1)) {
			nameStarts[++found] = at + 1;
		}
		nameStarts[++found] = nameText.length + 1;
	}
	if (found !== known) throw new ZoneIndexError("corrupt", "names are missing from a shard");
	return { zoneNames, zoneSuffixes, nameText, nameStarts };
}

/** Rough size in memory, in bytes. */
function bytesOf(value: unknown): number {
	if (ArrayBuffer.isView(value)) return value.byteLength;
	if (value instanceof Map) return value.size * BOX_BYTES;
	if (typeof value !== "object" || value === null) return 8;
	return Object.values(value).reduce<number>((sum, part) => sum + bytesOf(part), 0);
}

/**
 * Reads the decompressed payload of a shard.
 * @param start First Morton key of its cell, as the directory has it, and `level` the level of that cell.
 * @throws ZoneIndexError corrupt.
 */
export function readShard(bytes: Uint8Array, start: number, level: number): Shard {
	const payload = new PayloadReader(bytes);
	const areas = readAreas(payload, start, level);
	const { edges, edgeCodes } = readEdges(payload);
	const borders = packBorders(readBorderCells(payload, start, level), edges, edgeCodes);
	const names = readNames(payload, areas.zoneStarts.length);
	if (areas.zoneStarts.length > MOST_ZONES) throw new ZoneIndexError("corrupt", "a shard has too many zones");
	const shard = { start, level, ...areas, ...borders, ...names, ...emptyRadixTable(level, areas.areaBoxes.size) };
	return { ...shard, memoryBytes: bytesOf(shard) };
}
