/** Writes the shards of an index: the inverse of src/zones/shard-reader.ts. */
import { deflateSync } from "fflate";
import { EDGE_STRIDE } from "../src/zones/geometry.ts";
import { boxOf, DEEPEST_LEVEL, type GridBox, keysAt, UNITS_PER_DEGREE } from "../src/zones/morton.ts";
import { areaSetsOfShard, type Borderlines, type ShardAreaSets } from "./area-sets.ts";
import { cutBorders, edgesThrough } from "./borders.ts";
import { joinColumns, sumsOf } from "./columns.ts";
import { BoundaryError } from "./faults.ts";
import type { Plan, PlannedArea, PlannedZone } from "./planned.ts";

/** A shard is halved until it takes no more than this many bytes: a first look-up reads all of one. */
const SHARD_BYTES = 24 * 1024;
/**
 * The same limit before compression, because a first look-up goes through all of it. Trying to compress more would be most of a build's
 * work.
 */
const SHARD_PAYLOAD_BYTES = 128 * 1024;
/** A shard is halved until its area sets take no more than this many bits, so that the list of them stays short. */
const AREA_SET_BITS = 12;

/** Index of the first zone, in a range of a sorted list, whose cell starts at a key or after it; the end of the range if none does. */
function firstFrom(zones: readonly PlannedZone[], key: number, from = 0, to = zones.length): number {
	let [low, high] = [from, to];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (zones[middle]!.key < key) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** An area's part of a shard. */
interface ShardArea {
	/** number of its country in the directory */
	country: number;
	/** in the order of their keys */
	zones: readonly PlannedZone[];
	/** the box of an area that is one zone: an official one, or one that is larger than the shard */
	box?: GridBox;
}

/** A country's part of a shard; undefined if none of its zones is there. */
function countryPart(area: PlannedArea, country: number, key: number, level: number): ShardArea | undefined {
	const from = firstFrom(area.zones, key);
	const to = firstFrom(area.zones, key + keysAt(level));
	// A zone larger than the shard starts at its first key or before it.
	const around = area.zones[area.zones[from]?.key === key ? from : from - 1];
	if (around && around.level < level && key < around.key + keysAt(around.level)) {
		return { country, zones: [{ ...around, key, level }], box: boxOf(around.key, around.level) };
	}
	return from === to ? undefined : { country, zones: area.zones.slice(from, to) };
}

/** The columns of area sets, areas and boxes. `parts` are the areas from 1 on. */
function areaColumns(setAreas: readonly number[], parts: readonly ShardArea[]) {
	const boxes = parts.flatMap(({ box }) => (box ? [box] : []));
	let zones = 0;
	return {
		setAreas: Uint16Array.from(setAreas),
		areaZones: Uint32Array.from([0, 0, ...parts.map((part) => (zones += part.zones.length))]),
		areaCountries: Uint16Array.from([0, ...parts.map(({ country }) => country)]),
		areaBoxes: Uint16Array.from([0, ...parts.map(({ box }) => (box ? boxes.indexOf(box) + 1 : 0))]),
		boxes: Int32Array.from(boxes.flatMap(({ south, west, north, east }) => [south, west, north, east])),
	};
}

/** The columns of the zones of areas in a shard, and of their names and regions. */
function zoneColumns(zones: readonly PlannedZone[]) {
	const names = [...new Set(zones.flatMap(({ name }) => [name.place, name.region]))].filter((name) => name !== "");
	const numberOf = new Map(names.map((place, at) => [place, at + 1]));
	const texts = names.map((place) => new TextEncoder().encode(place));
	let end = 0;
	const starts = sumsOf(zones.map(({ key }) => key));
	const numbers = sumsOf(zones.map(({ number }) => number));
	const ends = sumsOf(texts.map(({ length }) => (end += length)));
	return {
		startFirsts: starts.firsts,
		starts: starts.differences,
		levels: Uint8Array.from(zones, ({ level }) => level),
		numberFirsts: numbers.firsts,
		numbers: numbers.differences,
		names: Uint16Array.from(zones, ({ name }) => numberOf.get(name.place) ?? 0),
		suffixes: Uint16Array.from(zones, ({ name }) => name.suffix),
		regions: Uint16Array.from(zones, ({ name }) => numberOf.get(name.region) ?? 0),
		nameEndFirsts: ends.firsts,
		nameEnds: ends.differences,
		text: Uint8Array.from(texts.flatMap((bytes) => [...bytes])),
	};
}

/** The columns of edges: the code of each, and the difference of each end from the end before it. */
export function edgeColumns(
	lines: Pick<Borderlines, "drawn" | "sides">,
	numbers: readonly number[],
	codeOf: (area: number) => number,
) {
	const differences = [0, 1, 2, 3].map(() => new Int32Array(numbers.length));
	const codes = new Uint16Array(numbers.length);
	let [x, y] = [0, 0];
	for (const [index, edge] of numbers.entries()) {
		const [a, b] = lines.sides[edge]!;
		codes[index] = codeOf(a) ^ codeOf(b);
		for (const end of [0, 2]) {
			const nextX = lines.drawn[edge * EDGE_STRIDE + end]!;
			const nextY = lines.drawn[edge * EDGE_STRIDE + end + 1]!;
			differences[end]![index] = nextX - x;
			differences[end + 1]![index] = nextY - y;
			[x, y] = [nextX, nextY];
		}
	}
	return { codes, differences };
}

/** The columns of edges and of border cells. */
function borderColumns(
	lines: Borderlines,
	numbers: readonly number[],
	areaSets: ShardAreaSets,
	key: number,
	level: number,
) {
	const edges = new Int32Array(numbers.length * EDGE_STRIDE);
	for (const [index, edge] of numbers.entries()) {
		edges.set(lines.edges.subarray(edge * EDGE_STRIDE, (edge + 1) * EDGE_STRIDE), index * EDGE_STRIDE);
	}
	const { codes, differences } = edgeColumns(lines, numbers, areaSets.of);
	const cells = cutBorders(edges, codes, [...numbers.keys()], key, level, areaSets.corner);
	let end = 0;
	return {
		cellStarts: Uint32Array.from(cells, ({ key }) => key),
		cellAreas: Uint16Array.from(cells, ({ area }) => area),
		cellEnds: Uint32Array.from(cells, (cell) => (end += cell.edges.length)),
		cellEdges: Uint32Array.from(cells.flatMap((cell) => cell.edges)),
		codes,
		differences,
	};
}

/** The bytes of a shard before compression, or undefined if it has too many area sets. */
function writeShard(
	plan: Plan,
	lines: Borderlines,
	candidates: readonly number[],
	key: number,
	level: number,
): Uint8Array | undefined {
	const areaSets = areaSetsOfShard(lines, candidates, key, level, AREA_SET_BITS);
	if (!areaSets) return undefined;
	const partOf = (number: number): ShardArea | undefined => {
		// The open sea has the number after the countries.
		if (number === plan.areas.length + 1) return undefined;
		const area = plan.areas[number - 1];
		if (area) return countryPart(area, number - 1, key, level);
		const layer = lines.layers.findLast((layer) => layer.first <= number)!;
		const zone = plan.overlays[lines.layers.indexOf(layer)]!.zones[number - layer.first]!;
		const name = { place: zone.name, suffix: 0, region: zone.region };
		return { country: layer.area - 1, zones: [{ key, level, number: zone.number, name }], box: zone.box };
	};
	const parts: ShardArea[] = [];
	const known = new Map<number, number>([[0, 0]]);
	const setAreas = areaSets.areas.map((number) => {
		const area = known.get(number);
		if (area !== undefined) return area;
		const part = partOf(number);
		known.set(number, part ? parts.push(part) : 0);
		return known.get(number)!;
	});
	const areas = areaColumns(setAreas, parts);
	const zones = zoneColumns(parts.flatMap((part) => part.zones));
	const { differences, ...borders } = borderColumns(lines, candidates, areaSets, key, level);
	const counts = Uint32Array.of(
		setAreas.length,
		parts.length + 1,
		areas.boxes.length / 4,
		zones.levels.length,
		zones.nameEnds.length,
		zones.text.length,
		borders.codes.length,
		borders.cellStarts.length,
		borders.cellEdges.length,
	);
	// In the order in which src/zones/shard-reader.ts reads them.
	return joinColumns([
		counts,
		...Object.values(areas),
		...Object.values(zones),
		...Object.values(borders),
		...differences,
	]);
}

/** A shard as it is stored: the bytes of a cell, compressed. */
interface StoredShard {
	key: number;
	level: number;
	bytes: Uint8Array;
}

/** Shards of a cell: one if it is small enough, otherwise those of its halves. */
export function writeShards(
	plan: Plan,
	lines: Borderlines,
	candidates: readonly number[],
	key: number,
	level: number,
): StoredShard[] {
	const through = edgesThrough(lines.edges, candidates, key, level);
	// Skips cells that are far too large: a zone takes over half a byte, and so does an edge.
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
