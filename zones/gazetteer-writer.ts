/** Writes the parts of the gazetteer: the inverse of src/zones/gazetteer.ts. */
import { deflateSync } from "fflate";
import { areaAt } from "../src/zones/borders.ts";
import { codeOfDivision, divisionOfCode, PLACE_STEPS_PER_DEGREE, peopleNumber } from "../src/zones/gazetteer.ts";
import { EDGE_STRIDE, STEPS_PER_DEGREE, UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { CITY_PEOPLE, LANDMARK_METRES, NAMED_METRES, radiusOf, TOWN_PEOPLE } from "../src/zones/locality.ts";
import { boxOf, DEEPEST_LEVEL, keyOf, keysAt, lastAtOrBefore } from "../src/zones/morton.ts";
import { edgesThrough } from "./borders.ts";
import { stepBoxOf } from "./clip.ts";
import { joinColumns, sumsOf } from "./columns.ts";
import { squaredKm } from "./earth.ts";
import type { Nearby } from "./nearby.ts";
import { nearbyFinder } from "./nearby.ts";
import type { Plan, PlannedGazetteer, PlannedPlace } from "./planned.ts";
import { edgeColumns } from "./shard-writer.ts";

/**
 * A part is halved until it takes no more than these bytes, compressed and uncompressed, because creating an address reads all of one
 * part. With 64 kB the first look-up of a process took 10 ms instead of 4, half of it to compile loops that ran thousands of times. With
 * 16 kB the index is 0.3 MB larger.
 */
const PART_BYTES = 24 * 1024;
const PART_PAYLOAD_BYTES = 128 * 1024;
/** If more than this many places are nearer to a point, one beyond the side of its cell is not offered. */
const NEARER_PLACES = 8;
/** How far apart, in lattice steps, the points on the side of a cell are whose landmarks it has: about 11 km. */
const LANDMARK_STEPS = 10_000;
/**
 * Offsets along the side of a cell from the point nearest to a place, in lattice steps, at which the place may still be one of the
 * nearest.
 */
const ALONG_SIDE = [0, -10_000, 10_000];

/** The area of names that places had before: its country, one less, is NO_COUNTRY, so that no point is named by them. */
const NO_AREA = 0;

/** A place with the area it is in, or a name that one had before. */
interface Entry extends PlannedPlace {
	area: number;
	key: number;
}

/** All places in the order of their Morton keys, and how to find them. */
interface Entries {
	all: Entry[];
	keys: Uint32Array;
	cities: Entry[];
	around: Nearby<Entry>;
	landmarksAround: (key: number, level: number) => ReadonlySet<Entry>;
	entryOf: ReadonlyMap<PlannedPlace, Entry>;
}

function entriesOf({ placesIn }: PlannedGazetteer): Entries {
	const entryAt = (place: PlannedPlace, area: number): Entry => ({
		...place,
		area,
		key: keyOf(place.x * UNITS_PER_STEP, place.y * UNITS_PER_STEP),
	});
	const all = placesIn.flatMap((places, area) => places.map((place) => entryAt(place, area)));
	const entryOf = new Map(placesIn.flat().map((place, at) => [place, all[at]!]));
	for (const place of placesIn.flat()) {
		const { x, y, former } = place;
		if (former !== undefined)
			all.push(entryAt({ x, y, name: former, population: 0, region: "", city: place }, NO_AREA));
	}
	all.sort((a, b) => a.key - b.key || a.x - b.x || a.y - b.y || (a.name < b.name ? -1 : 1));
	return {
		all,
		keys: Uint32Array.from(all, ({ key }) => key),
		cities: all.filter(({ population }) => population >= CITY_PEOPLE),
		around: nearbyFinder(all),
		landmarksAround: landmarkFinder({ all }),
		entryOf,
	};
}

/** Whether a place outside a cell may be named for a point in it: its disc reaches into the cell, or few places are nearer. */
function mayBeNamed(place: Entry, key: number, level: number, { around }: Entries): boolean {
	const { west, south, east, north } = stepBoxOf(key, level);
	const clamp = (value: number, from: number, to: number) => Math.min(to, Math.max(from, value));
	return ALONG_SIDE.some((across) =>
		ALONG_SIDE.some((up) => {
			const [x, y] = [clamp(place.x + across, west, east), clamp(place.y + up, south, north)];
			const squared = squaredKm(x, y, place.x, place.y);
			const distance = Math.sqrt(squared);
			if (distance > NAMED_METRES / 1000) return false;
			if (distance * 1000 <= radiusOf(place.population)) return true;
			const nearer = around(x, y, distance).filter(
				({ area, region }) => area === place.area && region === place.region,
			);
			return nearer.length <= NEARER_PLACES;
		}),
	);
}

/** Places along the side of a cell: on the lines of a lattice that all cells share, and at its ends. */
function* pointsAlong(from: number, to: number): Generator<number> {
	yield from;
	for (let at = Math.ceil((from + 1) / LANDMARK_STEPS) * LANDMARK_STEPS; at < to; at += LANDMARK_STEPS) yield at;
	yield to;
}

/**
 * Returns a function that finds the places by which a point on the border of a cell may be told, far from any place: the nearest of each
 * country, and the nearest town of each region. A place outside the cell that is the nearest to a point in it is so to where the way there
 * leaves the cell.
 */
function landmarkFinder({ all }: Pick<Entries, "all">): (key: number, level: number) => Set<Entry> {
	const around = nearbyFinder(all.filter(({ area }) => area !== NO_AREA));
	const known = new Map<string, readonly Entry[]>();
	const landmarksOf = (x: number, y: number): readonly Entry[] => {
		const best = new Map<string, { entry: Entry; squared: number }>();
		for (const entry of around(x, y, LANDMARK_METRES / 1000)) {
			const squared = squaredKm(x, y, entry.x, entry.y);
			const kinds = [`${entry.area}`, ...(entry.population >= TOWN_PEOPLE ? [`${entry.area} ${entry.region}`] : [])];
			for (const kind of kinds) {
				const rival = best.get(kind);
				if (!rival || squared < rival.squared) best.set(kind, { entry, squared });
			}
		}
		return [...best.values()].map(({ entry }) => entry);
	};
	return (key, level) => {
		const { west, south, east, north } = stepBoxOf(key, level);
		const found = new Set<Entry>();
		const addAround = (x: number, y: number) => {
			const at = `${x} ${y}`;
			const landmarks = known.get(at) ?? landmarksOf(x, y);
			known.set(at, landmarks);
			for (const entry of landmarks) found.add(entry);
		};
		for (const x of pointsAlong(west, east)) for (const y of [south, north]) addAround(x, y);
		for (const y of pointsAlong(south, north)) for (const x of [west, east]) addAround(x, y);
		return found;
	};
}

/** The places of a part: those in its cell, those around it that may be named there, and the cities of sections. */
function entriesFor(key: number, level: number, entries: Entries): Entry[] {
	const { all, keys, cities, around, landmarksAround, entryOf } = entries;
	const [first, end] = [key - 1, key + keysAt(level) - 1].map((last) => lastAtOrBefore(keys, last, 0, keys.length) + 1);
	const own = all.slice(first, end);
	const { west, south, east, north } = stepBoxOf(key, level);
	const box = { x: (west + east) / 2, y: (south + north) / 2 };
	const near = new Set<Entry>();
	const metresTo = ({ x, y }: Entry) => {
		const [nearX, nearY] = [Math.min(east, Math.max(west, x)), Math.min(north, Math.max(south, y))];
		return Math.sqrt(squaredKm(x, y, nearX, nearY)) * 1000;
	};
	const halfDiagonal =
		Math.sqrt(squaredKm(west, south, box.x, box.y)) + Math.sqrt(squaredKm(box.x, box.y, east, north));
	const candidates = level > 8 ? around(box.x, box.y, halfDiagonal + NAMED_METRES / 1000) : all;
	const isOwn = (entry: Entry) => key <= entry.key && entry.key < key + keysAt(level);
	for (const entry of candidates) {
		if (
			!isOwn(entry) &&
			entry.area !== NO_AREA &&
			metresTo(entry) <= NAMED_METRES &&
			mayBeNamed(entry, key, level, entries)
		)
			near.add(entry);
	}
	for (const entry of landmarksAround(key, level)) if (!isOwn(entry)) near.add(entry);
	for (const city of cities) if (!isOwn(city) && metresTo(city) <= radiusOf(city.population)) near.add(city);
	for (const { city } of [...own, ...near]) {
		const entry = city && entryOf.get(city);
		if (entry && !isOwn(entry)) near.add(entry);
	}
	return [...own, ...near].sort((a, b) => a.key - b.key || a.x - b.x || a.y - b.y || (a.name < b.name ? -1 : 1));
}

/** Numbers things with different keys from `first` on, in the order in which they come. */
class Numbers<Thing> {
	readonly things: Thing[] = [];
	readonly #numbers = new Map<string, number>();
	readonly #first: number;

	constructor(first: number) {
		this.#first = first;
	}

	of(key: string, thing: Thing): number {
		const known = this.#numbers.get(key);
		if (known !== undefined) return known;
		const number = this.#first + this.things.push(thing) - 1;
		this.#numbers.set(key, number);
		return number;
	}
}

/** The bytes of a part before compression. */
function writePart(
	{ map }: PlannedGazetteer,
	places: readonly Entry[],
	edges: readonly number[],
	key: number,
	entryOf: ReadonlyMap<PlannedPlace, Entry>,
): Uint8Array {
	const names = new Numbers<string>(1);
	const regions = new Numbers<{ area: number; name: number }>(0);
	const regionOf = (area: number, name: string) =>
		regions.of(`${area} ${name}`, { area, name: name === "" ? 0 : names.of(name, name) });
	const steps = STEPS_PER_DEGREE / PLACE_STEPS_PER_DEGREE;
	const numberOf = new Map(places.map((place, at) => [place, at + 1]));
	const columns = places.map((place) => ({
		x: Math.round(place.x / steps),
		y: Math.round(place.y / steps),
		people: peopleNumber(place.population),
		region: regionOf(place.area, place.region),
		name: names.of(place.name, place.name),
		city: (place.city && numberOf.get(entryOf.get(place.city)!)) ?? 0,
	}));
	const differences = (values: readonly number[]) =>
		Int32Array.from(values, (value, at) => value - (values[at - 1] ?? 0));
	// Divisions have numbers of their own in each part.
	const local = new Numbers<number>(1);
	const { borders, arrangement } = map.world;
	const localCode = (code: number) => {
		const division = divisionOfCode(code);
		return division === 0 ? 0 : codeOfDivision(local.of(String(division), division));
	};
	const { south, west } = boxOf(key, DEEPEST_LEVEL);
	const corner = localCode(areaAt(borders, key, west, south));
	const lines = edgeColumns(arrangement, edges, localCode);
	const divisionRegions = local.things.map((division) =>
		map.divisions[division]!.flatMap(({ area, regions: own }) => own.map((name) => regionOf(area, name))),
	);
	let end = 0;
	const divisionEnds = Uint16Array.from(divisionRegions, ({ length }) => (end += length));
	const texts = names.things.map((name) => new TextEncoder().encode(name));
	let textEnd = 0;
	const nameEnds = sumsOf(texts.map(({ length }) => (textEnd += length)));
	const counts = Uint32Array.of(
		divisionEnds.length,
		end,
		regions.things.length,
		places.length,
		texts.length,
		textEnd,
		edges.length,
		corner,
	);
	// In the order in which src/zones/gazetteer.ts reads them.
	return joinColumns([
		counts,
		divisionEnds,
		Uint16Array.from(divisionRegions.flat()),
		Uint16Array.from(regions.things, ({ area }) => area - 1),
		Uint16Array.from(regions.things, ({ name }) => name),
		differences(columns.map(({ x }) => x)),
		differences(columns.map(({ y }) => y)),
		Uint8Array.from(columns, ({ people }) => people),
		Uint16Array.from(columns, ({ region }) => region),
		Uint16Array.from(columns, ({ name }, at) => name - (columns[at - 1]?.name ?? 0)),
		Uint16Array.from(columns, ({ city }) => city),
		nameEnds.firsts,
		nameEnds.differences,
		Uint8Array.from(texts.flatMap((bytes) => [...bytes])),
		lines.codes,
		...lines.differences,
	]);
}

/** A part of the gazetteer as it is stored: the bytes of a cell, compressed. */
interface StoredGazetteer {
	key: number;
	bytes: Uint8Array;
}

/** The parts of the gazetteer of a plan, in the order of their keys; empty if the plan has no gazetteer. */
export function writeGazetteer({ gazetteer }: Plan): StoredGazetteer[] {
	if (!gazetteer) return [];
	const entries = entriesOf(gazetteer);
	const { edges } = gazetteer.map.world.arrangement;
	const write = (candidates: readonly number[], key: number, level: number): StoredGazetteer[] => {
		const through = edgesThrough(edges, candidates, key, level);
		const places = entriesFor(key, level, entries);
		// Skips cells that are far too large: a place takes about ten bytes, and an edge four.
		if (places.length * 10 + through.length * 4 < 2 * PART_BYTES) {
			const payload = writePart(gazetteer, places, through, key, entries.entryOf);
			const bytes = payload.length <= PART_PAYLOAD_BYTES ? deflateSync(payload, { level: 9 }) : undefined;
			if (bytes && bytes.length <= PART_BYTES) return [{ key, bytes }];
		}
		const half = key + keysAt(level + 1);
		return [...write(through, key, level + 1), ...write(through, half, level + 1)];
	};
	return write([...edges.keys()].slice(0, edges.length / EDGE_STRIDE), 0, 0);
}
