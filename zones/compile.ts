/** Writes planned zones as an index file: the inverse of src/zones/format.ts and src/zones/shard.ts. */
import { deflateSync } from "fflate";
import { crc32 } from "../src/crc32.ts";
import {
	COUNTRY_ENTRY_BYTES,
	FIRST_READ_BYTES,
	FORMAT_VERSION,
	HEADER_BYTES,
	MAGIC,
	SHARD_ENTRY_BYTES,
} from "../src/zones/format.ts";
import { EDGE_STRIDE } from "../src/zones/geometry.ts";
import { boxOf, type GridBox, keysAt } from "../src/zones/morton.ts";
import { AreaKind, NameCode, RECENT_NAMES, ZoneNode } from "../src/zones/shard.ts";
import {
	type Arrangement,
	areaOfLabel,
	areasInLabel,
	cutBorders,
	edgesThrough,
	labelByWalkingWest,
} from "./borders.ts";

/** Which build of the published dataset this is; raise it whenever the bytes change. */
const EDITION = 1;
/** A shard is halved until it takes no more than this many bytes: with the first read, half of the 128 KiB allowed. */
const SHARD_BYTES = 48 * 1024;

export interface PlannedZone {
	key: number;
	level: number;
	name: string;
}

/** A country's zones in Morton order; a zone's number is its place. */
export interface PlannedArea {
	country: string;
	zones: PlannedZone[];
}

export interface Plan {
	/** areas 1, 2, ... of the arrangement, in the order of their countries' codes */
	areas: PlannedArea[];
	arrangement: Arrangement;
}

/** Bytes that grow. */
class PayloadWriter {
	readonly #bytes: number[] = [];

	unsigned(value: number): void {
		let rest = value;
		while (rest >= 128) {
			this.#bytes.push((rest % 128) + 128);
			rest = Math.floor(rest / 128);
		}
		this.#bytes.push(rest);
	}

	signed(value: number): void {
		this.unsigned(value >= 0 ? 2 * value : -2 * value - 1);
	}

	text(text: string): Uint8Array {
		return Uint8Array.from([...this.#bytes, ...new TextEncoder().encode(text)]);
	}
}

/** The zones of a sorted list whose cells start in a range of keys. */
function zonesFrom(zones: readonly PlannedZone[], key: number, level: number): PlannedZone[] {
	const end = key + keysAt(level);
	return zones.filter((zone) => zone.key >= key && zone.key < end);
}

function writeZoneTree(payload: PayloadWriter, zones: readonly PlannedZone[], key: number, level: number): void {
	if (zones.length === 1 && zones[0]!.level === level) {
		payload.unsigned(ZoneNode.leaf);
		return;
	}
	const middle = key + keysAt(level + 1);
	const first = zones.filter((zone) => zone.key < middle);
	const second = zones.slice(first.length);
	payload.unsigned(
		first.length === 0 ? ZoneNode.onlySecondHalf : second.length === 0 ? ZoneNode.onlyFirstHalf : ZoneNode.bothHalves,
	);
	if (first.length > 0) writeZoneTree(payload, first, key, level + 1);
	if (second.length > 0) writeZoneTree(payload, second, middle, level + 1);
}

function writeBox(payload: PayloadWriter, box: GridBox): void {
	payload.signed(box.south);
	payload.signed(box.west);
	payload.signed(box.north);
	payload.signed(box.east);
}

/** Writes one area's part of a shard and returns the names of the zones written. */
function writeArea(payload: PayloadWriter, area: PlannedArea, country: number, key: number, level: number): string[] {
	const around = area.zones.find((zone) => zone.key <= key && key < zone.key + keysAt(zone.level));
	if (around && around.level < level) {
		payload.unsigned(AreaKind.whole);
		payload.unsigned(country);
		payload.unsigned(area.zones.indexOf(around));
		writeBox(payload, boxOf(around.key, around.level));
		return [around.name];
	}
	const zones = zonesFrom(area.zones, key, level);
	const first = zones[0];
	if (!first) {
		payload.unsigned(AreaKind.none);
		return [];
	}
	payload.unsigned(AreaKind.cells);
	payload.unsigned(country);
	payload.unsigned(area.zones.indexOf(first));
	writeZoneTree(payload, zones, key, level);
	return zones.map(({ name }) => name);
}

/** Writes each zone's name as a step back through the names used before, and returns the text of the new ones. */
function writeNames(payload: PayloadWriter, names: readonly string[]): string {
	const recent: string[] = [];
	const fresh: string[] = [];
	for (const name of names) {
		if (name === "") {
			payload.unsigned(NameCode.none);
			continue;
		}
		const back = recent.indexOf(name);
		if (back < 0) {
			payload.unsigned(NameCode.next);
			fresh.push(name);
		} else {
			payload.unsigned(NameCode.recent + back);
			recent.splice(back, 1);
		}
		recent.unshift(name);
		if (recent.length > RECENT_NAMES) recent.pop();
	}
	return fresh.join("\n");
}

/** The labels of the areas in a shard: small numbers, but for areas that lie over others, see Arrangement. */
interface ShardLabels {
	/** area of each label, 0 for labels that cannot come about */
	areas: number[];
	of: (area: number) => number;
	/** label at the shard's south-west corner */
	corner: number;
}

function labelsOfShard(arrangement: Arrangement, edges: readonly number[], key: number, level: number): ShardLabels {
	const { south, west } = boxOf(key, level);
	const cornerAreas = areasInLabel(labelByWalkingWest(arrangement, west, south), arrangement.overlying);
	const present = new Set([...cornerAreas, ...edges.flatMap((edge) => arrangement.sides[edge]!)]);
	const overlying = arrangement.overlying.filter((area) => present.has(area));
	const plain = [...present].filter((area) => area !== 0 && !overlying.includes(area)).sort((a, b) => a - b);
	const bits = 32 - Math.clz32(plain.length);
	const of = (area: number): number => {
		const place = overlying.indexOf(area);
		return place < 0 ? plain.indexOf(area) + 1 : 2 ** (bits + place);
	};
	const areas = [0, ...plain];
	for (let label = areas.length; overlying.length > 0 && label < 2 ** (bits + overlying.length); label++) {
		areas.push(label < 2 ** bits ? 0 : areaOfLabel(label, overlying, bits));
	}
	return { areas, of, corner: cornerAreas.reduce((label, area) => label ^ of(area), 0) };
}

function writeShard(
	plan: Plan,
	countries: readonly string[],
	candidates: readonly number[],
	key: number,
	level: number,
): Uint8Array {
	const { arrangement } = plan;
	const labels = labelsOfShard(arrangement, candidates, key, level);

	const payload = new PayloadWriter();
	payload.unsigned(labels.areas.length - 1);
	const names = labels.areas.slice(1).flatMap((number, index) => {
		const area = plan.areas[number - 1];
		if (!area) {
			payload.unsigned(AreaKind.none);
			return [];
		}
		const first = labels.areas.indexOf(number);
		if (first < index + 1) {
			payload.unsigned(AreaKind.same);
			payload.unsigned(first);
			return [];
		}
		return writeArea(payload, area, countries.indexOf(area.country), key, level);
	});

	payload.unsigned(candidates.length);
	const edges = new Int32Array(candidates.length * EDGE_STRIDE);
	const codes = new Uint16Array(candidates.length);
	let [x, y] = [0, 0];
	candidates.forEach((edge, index) => {
		edges.set(arrangement.edges.subarray(edge * EDGE_STRIDE, (edge + 1) * EDGE_STRIDE), index * EDGE_STRIDE);
		const [a, b] = arrangement.sides[edge]!;
		codes[index] = labels.of(a) ^ labels.of(b);
		for (const end of [0, 2]) {
			const nextX = arrangement.drawn[edge * EDGE_STRIDE + end]!;
			const nextY = arrangement.drawn[edge * EDGE_STRIDE + end + 1]!;
			payload.signed(nextX - x);
			payload.signed(nextY - y);
			[x, y] = [nextX, nextY];
		}
		payload.unsigned(codes[index]!);
	});

	const cells = cutBorders(edges, codes, [...candidates.keys()], key, level, labels.corner);
	for (const number of cells.tree) payload.unsigned(number);
	return payload.text(writeNames(payload, names));
}

interface StoredShard {
	key: number;
	level: number;
	bytes: Uint8Array;
}

/** Shards of a cell: one if it is small enough, else those of its halves. */
function writeShards(
	plan: Plan,
	countries: readonly string[],
	candidates: readonly number[],
	key: number,
	level: number,
): StoredShard[] {
	const through = edgesThrough(plan.arrangement.edges, candidates, key, level);
	// Too much by far to be worth a try: a zone takes over half a byte.
	const zones = plan.areas.reduce((count, area) => count + zonesFrom(area.zones, key, level).length, 0);
	if (zones < SHARD_BYTES) {
		const bytes = deflateSync(writeShard(plan, countries, through, key, level), { level: 9 });
		if (bytes.length <= SHARD_BYTES) return [{ key, level, bytes }];
	}
	return [
		...writeShards(plan, countries, through, key, level + 1),
		...writeShards(plan, countries, through, key + keysAt(level + 1), level + 1),
	];
}

/** The bytes of the index file. */
export function compile(plan: Plan): Uint8Array {
	const countries = plan.areas.map(({ country }) => country);
	const shards = writeShards(plan, countries, [...plan.arrangement.codes.keys()], 0, 0);
	const directoryEnd = HEADER_BYTES + shards.length * SHARD_ENTRY_BYTES + countries.length * COUNTRY_ENTRY_BYTES;
	if (directoryEnd > FIRST_READ_BYTES)
		throw new Error(`a directory of ${directoryEnd} bytes does not fit the first read`);
	const fileBytes = shards.reduce((sum, { bytes }) => sum + bytes.length, directoryEnd);
	const file = new Uint8Array(fileBytes);
	const view = new DataView(file.buffer);
	file.set(MAGIC);
	view.setUint16(8, FORMAT_VERSION, true);
	view.setUint32(16, directoryEnd, true);
	view.setUint32(20, fileBytes, true);
	view.setUint32(24, shards.length, true);
	view.setUint32(28, countries.length, true);
	view.setUint32(32, EDITION, true);
	let at = HEADER_BYTES;
	let offset = directoryEnd;
	for (const { key, level, bytes } of shards) {
		view.setUint32(at, key, true);
		view.setUint32(at + 4, offset, true);
		view.setUint32(at + 8, crc32(bytes), true);
		view.setUint32(at + 12, level, true);
		file.set(bytes, offset);
		at += SHARD_ENTRY_BYTES;
		offset += bytes.length;
	}
	for (const { country, zones } of plan.areas) {
		file.set(new TextEncoder().encode(country), at);
		view.setUint16(at + 2, zones.length, true);
		at += COUNTRY_ENTRY_BYTES;
	}
	view.setUint32(12, crc32(file.subarray(0, directoryEnd)), true);
	return file;
}
