/** Writes the shards of an index: the inverse of src/zones/shard-reader.ts. */
import { deflateSync } from "fflate";
import { EDGE_STRIDE } from "../src/zones/geometry.ts";
import { boxOf, DEEPEST_LEVEL, type GridBox, keysAt, UNITS_PER_DEGREE } from "../src/zones/morton.ts";
import { AreaKind, NameCode, ZoneNode } from "../src/zones/shard-reader.ts";
import { areaSetsOfShard, type Borderlines } from "./area-sets.ts";
import { cutBorders, edgesThrough } from "./borders.ts";
import { BoundaryError } from "./faults.ts";
import type { ZoneName } from "./names.ts";
import { PayloadWriter } from "./payload.ts";
import type { OfficialZone, Plan, PlannedArea, PlannedZone } from "./planned.ts";

/** A shard is halved until it takes no more than this many bytes: a first look-up reads all of one. */
const SHARD_BYTES = 24 * 1024;
/** The same before compression: a first look-up decodes all of it. Trying to compress more than that is most of a build's work. */
const SHARD_PAYLOAD_BYTES = 64 * 1024;
/** A shard is halved until its area sets take no more than this many bits, so that the list of them stays short. */
const AREA_SET_BITS = 12;

/** Index of the first zone of a range of a sorted list whose cell starts at a key or after it; the end of the range where none does. */
function firstFrom(zones: readonly PlannedZone[], key: number, from = 0, to = zones.length): number {
	let [low, high] = [from, to];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (zones[middle]!.key < key) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Writes the tree of the zones of a sorted list from one index up to another. */
function writeZoneTree(
	payload: PayloadWriter,
	zones: readonly PlannedZone[],
	from: number,
	to: number,
	key: number,
	level: number,
): void {
	if (to - from === 1 && zones[from]!.level === level) {
		payload.unsigned(ZoneNode.leaf);
		return;
	}
	const middle = key + keysAt(level + 1);
	const second = firstFrom(zones, middle, from, to);
	payload.unsigned(
		second === from ? ZoneNode.onlySecondHalf : second === to ? ZoneNode.onlyFirstHalf : ZoneNode.bothHalves,
	);
	if (second > from) writeZoneTree(payload, zones, from, second, key, level + 1);
	if (second < to) writeZoneTree(payload, zones, second, to, middle, level + 1);
}

function writeBox(payload: PayloadWriter, box: GridBox): void {
	payload.signed(box.south);
	payload.signed(box.west);
	payload.signed(box.north);
	payload.signed(box.east);
}

/** Writes one area's part of a shard and returns the names of the zones written. */
function writeArea(payload: PayloadWriter, area: PlannedArea, country: number, key: number, level: number): ZoneName[] {
	const from = firstFrom(area.zones, key);
	const to = firstFrom(area.zones, key + keysAt(level));
	// A zone larger than the shard starts at its first key or before it.
	const around = area.zones[area.zones[from]?.key === key ? from : from - 1];
	if (around && around.level < level && key < around.key + keysAt(around.level)) {
		payload.unsigned(AreaKind.whole);
		payload.unsigned(country);
		payload.unsigned(around.number);
		writeBox(payload, boxOf(around.key, around.level));
		return [around.name];
	}
	if (from === to) {
		payload.unsigned(AreaKind.none);
		return [];
	}
	payload.unsigned(AreaKind.cells);
	payload.unsigned(country);
	writeZoneTree(payload, area.zones, from, to, key, level);
	const zones = area.zones.slice(from, to);
	let next = 0;
	for (const { number } of zones) {
		payload.signed(number - next);
		next = number + 1;
	}
	return zones.map(({ name }) => name);
}

/** Writes for each zone's name how many places ago it came up, and returns the text of the new ones. */
function writeNames(payload: PayloadWriter, names: readonly ZoneName[]): string {
	const known = new Map<string, number>();
	for (const { place, suffix } of names) {
		if (place === "") {
			payload.unsigned(NameCode.none);
			continue;
		}
		const number = known.get(place);
		payload.unsigned(number === undefined ? NameCode.next : NameCode.known + known.size - number);
		payload.unsigned(suffix);
		if (number === undefined) known.set(place, known.size + 1);
	}
	return [...known.keys()].join("\n");
}

/** Writes an official zone and returns its name. */
function writeOfficial(payload: PayloadWriter, zone: OfficialZone, country: number): ZoneName {
	payload.unsigned(AreaKind.whole);
	payload.unsigned(country);
	payload.unsigned(zone.number);
	writeBox(payload, zone.box);
	return { place: zone.name, suffix: 0 };
}

/** The bytes of a shard before compression, or undefined where it has too many area sets. */
function writeShard(
	plan: Plan,
	lines: Borderlines,
	candidates: readonly number[],
	key: number,
	level: number,
): Uint8Array | undefined {
	const areaSets = areaSetsOfShard(lines, candidates, key, level, AREA_SET_BITS);
	if (!areaSets) return undefined;

	const payload = new PayloadWriter();
	payload.unsigned(areaSets.areas.length - 1);
	const firstSets = new Map<number, number>();
	const names = areaSets.areas.slice(1).flatMap((number, index) => {
		const first = firstSets.get(number);
		if (number === 0) {
			payload.unsigned(AreaKind.none);
			return [];
		}
		if (first !== undefined) {
			payload.unsigned(AreaKind.same);
			payload.unsigned(first);
			return [];
		}
		firstSets.set(number, index + 1);
		const area = plan.areas[number - 1];
		if (area) return writeArea(payload, area, number - 1, key, level);
		const layer = lines.layers.findLast((layer) => layer.first <= number)!;
		const zone = plan.overlays[lines.layers.indexOf(layer)]!.zones[number - layer.first]!;
		return [writeOfficial(payload, zone, layer.area - 1)];
	});

	payload.unsigned(candidates.length);
	const edges = new Int32Array(candidates.length * EDGE_STRIDE);
	const codes = new Uint16Array(candidates.length);
	let [x, y] = [0, 0];
	candidates.forEach((edge, index) => {
		edges.set(lines.edges.subarray(edge * EDGE_STRIDE, (edge + 1) * EDGE_STRIDE), index * EDGE_STRIDE);
		const [a, b] = lines.sides[edge]!;
		codes[index] = areaSets.of(a) ^ areaSets.of(b);
		for (const end of [0, 2]) {
			const nextX = lines.drawn[edge * EDGE_STRIDE + end]!;
			const nextY = lines.drawn[edge * EDGE_STRIDE + end + 1]!;
			payload.signed(nextX - x);
			payload.signed(nextY - y);
			[x, y] = [nextX, nextY];
		}
		payload.unsigned(codes[index]!);
	});

	const cells = cutBorders(edges, codes, [...candidates.keys()], key, level, areaSets.corner);
	for (const number of cells.tree) payload.unsigned(number);
	return payload.text(writeNames(payload, names));
}

/** A shard as it is stored: the bytes of a cell, compressed. */
export interface StoredShard {
	key: number;
	level: number;
	bytes: Uint8Array;
}

/** Shards of a cell: one if it is small enough, else those of its halves. */
export function writeShards(
	plan: Plan,
	lines: Borderlines,
	candidates: readonly number[],
	key: number,
	level: number,
): StoredShard[] {
	const through = edgesThrough(lines.edges, candidates, key, level);
	// Too much by far to be worth a try: a zone takes over half a byte, and so does an edge.
	const end = key + keysAt(level);
	const zones = plan.areas.reduce((count, { zones }) => count + firstFrom(zones, end) - firstFrom(zones, key), 0);
	if (zones + through.length < SHARD_BYTES) {
		const payload = writeShard(plan, lines, through, key, level);
		const isSmall = payload !== undefined && payload.length <= SHARD_PAYLOAD_BYTES;
		const bytes = isSmall ? deflateSync(payload, { level: 9 }) : undefined;
		if (bytes && bytes.length <= SHARD_BYTES) return [{ key, level, bytes }];
	}
	if (level === DEEPEST_LEVEL) {
		const [south, west] = [boxOf(key, level).south, boxOf(key, level).west].map((side) => side / UNITS_PER_DEGREE);
		throw new BoundaryError(
			`too many borders meet near ${south}, ${west}: no shard of the index can hold them: simplify the boundaries there`,
		);
	}
	return [
		...writeShards(plan, lines, through, key, level + 1),
		...writeShards(plan, lines, through, key + keysAt(level + 1), level + 1),
	];
}
