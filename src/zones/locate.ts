/**
 * Finds the zone of a coordinate in a zone index, reading only the parts of the index that it needs.
 *
 * The index is reached through a read function, so that the same code runs in the Worker, in the builder and in tests.
 */
import { MINUTE } from "../time/time.ts";
import { edgesIn } from "./borders.ts";
import { decodeGazetteer, decodeNumbers, decodeShard } from "./decode.ts";
import {
	type Directory,
	editionName,
	FIRST_READ_BYTES,
	gazetteerOfKey,
	gazetteersIn,
	partOfCountry,
	readDirectory,
	shardOfKey,
	ZoneIndexError,
} from "./format.ts";
import { type Gazetteer, regionName } from "./gazetteer.ts";
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "./geometry.ts";
import { type Locality, localitiesAt, type NamedPlace, placesNamedIn, regionNumberAt } from "./locality.ts";
import { boxOf, type GridBox, gridX, gridY, keyOf, UNITS_PER_DEGREE } from "./morton.ts";
import type { CountryNumbers } from "./numbers.ts";
import {
	areaOfZone,
	boxOfZone,
	isOfficial,
	locateInShard,
	nameOfZone,
	numberOfZone,
	regionOfZone,
	type Shard,
	zoneCount,
} from "./shard.ts";

/** One ranged read of the index object: `length` bytes from `offset`; `etag` names the object version the bytes came from. */
export type ReadRange = (offset: number, length: number) => Promise<{ bytes: Uint8Array; etag: string }>;

/** A box in degrees, WGS 84. In a box from a caller, west may exceed east: the box then spans the antimeridian. */
export interface Bounds {
	south: number;
	west: number;
	north: number;
	east: number;
}

export interface Zone {
	/** ISO 3166-1 alpha-2, or XK */
	country: string;
	/** 0 to 9999 */
	zone: number;
	/** the settlement that it is named after and where it lies from there, such as `Ikorodu north-east`; it may be empty */
	name: string;
	/** the first-level division of the country, such as a state; it may be empty */
	region: string;
	/** the cell of the zone, which its country's border may cut, or the box around an official zone */
	bounds: Bounds;
	/** whether it is an official zone, with a border of its own */
	isOfficial: boolean;
	/** the edition of the index that it comes from, such as `2-387a6ea5` */
	edition: string;
}

/** What people call the place where a point is. */
export interface NamedPoint {
	zone: Zone;
	/** the first-level division of the country at the point, or that of the zone if nothing more precise is known; it may be empty */
	region: string;
	/** places that its owner may choose among, the likeliest first; empty if no place is near */
	localities: Locality[];
}

/** Where a zone is, for a map of its country. */
export type PlacedZone = Pick<Zone, "zone" | "bounds">;

/** Number of an edition of the index, and the SHA-256 of its contents, hexadecimal. */
export interface ZoneEdition {
	edition: number;
	digest: string;
}

/** A piece of a country's or an official zone's border between two points, each longitude and latitude in degrees. */
type BorderSegment = [lngLatA: [number, number], lngLatB: [number, number]];

export interface ZoneLocator {
	/**
	 * The zone that holds a point (degrees, WGS 84), or undefined if none does.
	 * @throws ZoneIndexError; RangeError if the numbers are not a coordinate.
	 */
	locate(lat: number, lng: number): Promise<Zone | undefined>;
	/** What people call the place where a point is, or undefined if no zone holds it. Reads one more part of the index than `locate`. */
	name(lat: number, lng: number): Promise<NamedPoint | undefined>;
	/** The zone numbers of a country, or undefined for an unknown country. */
	numbersOf(country: string): Promise<CountryNumbers | undefined>;
	/** The edition of the index that is served, and its SHA-256, in hexadecimal. */
	edition(): Promise<ZoneEdition>;
	/**
	 * The zones of a country, each with its cell or the box around it; none for an unknown country. The first call on an index reads all of
	 * its shards, several at a time, and caches which of them each country is in.
	 */
	zonesOf(country: string): Promise<PlacedZone[]>;
	/**
	 * The places of a country in the gazetteer whose names satisfy `isNamed`, each once. The first call on an index reads all of the
	 * gazetteer, and caches which of its parts each country is in.
	 */
	placesNamed(country: string, isNamed: (name: string) => boolean): Promise<NamedPlace[]>;
	/** Every zone whose cell touches a window of at most MAP_WINDOW_DEGREES a side, and the borders of countries and official zones in it. */
	around(bounds: Bounds): Promise<{ zones: Zone[]; borders: BorderSegment[] }>;
}

/**
 * Most bytes of decoded parts an isolate caches: all shards of the world, 11 MB, and the gazetteer of a continent. The least recently used
 * go first.
 */
const CACHED_BYTES = 16 * 1024 * 1024;
/** Widest window `around` answers for, in degrees: more is a map of a country, not of a neighbourhood. */
const MAP_WINDOW_DEGREES = 2;
/** The object can be replaced while it is read: then what was read is dropped and the look-up starts again, once. */
const ATTEMPTS = 2;

/** What is cached of one version of the index object. Resolved values only: a promise must not outlive its request. */
interface OpenIndex {
	etag: string;
	/** when the etag was last seen in the store, in milliseconds since the epoch */
	provedAt: number;
	directory: Directory;
	/** shards and parts of the gazetteer by the number of each part, in order of last use */
	parts: Map<number, Shard | Gazetteer>;
	/** zone numbers by number of the country, once they have been asked for */
	numbers: Map<number, CountryNumbers>;
	/** numbers of the shards that each country is in, by number of the country, once a map has been asked for */
	shardsOf?: Map<number, number[]>;
	/** the same for the parts of the gazetteer, once places have been asked for by name */
	gazetteersOf?: Map<number, number[]>;
	/** most bytes of decoded parts to cache, see CACHED_BYTES */
	mostBytes: number;
}

/** How long an index is trusted before the store is asked whether it is still the same, in milliseconds. */
const TRUSTED_MILLISECONDS = MINUTE;
/** Parts read at once: a Worker may wait for six connections at a time. */
const READS_AT_ONCE = 6;
/** By how many degrees rounding can make a difference of longitudes too wide. */
const ROUNDING_DEGREES = 1e-9;

/** Reads a part of the object, and makes sure that it is of the version that was opened. */
async function readPart(index: OpenIndex, part: number, read: ReadRange): Promise<Uint8Array> {
	const { partOffsets } = index.directory;
	const { bytes, etag } = await read(partOffsets[part]!, partOffsets[part + 1]! - partOffsets[part]!);
	if (etag === index.etag) return bytes;
	throw new ZoneIndexError("changing", "the object was replaced twice during one look-up");
}

/** A part, from the cache or else from the store. */
async function loadPart<Part extends Shard | Gazetteer>(
	index: OpenIndex,
	number: number,
	read: ReadRange,
	decode: (directory: Directory, number: number, stored: Uint8Array) => Part,
): Promise<Part> {
	const { parts } = index;
	const cached = parts.get(number);
	if (cached !== undefined) {
		parts.delete(number);
		parts.set(number, cached);
		// The number of a part decides how it is decoded, so the cached one has the right type.
		return cached as Part;
	}
	const part = decode(index.directory, number, await readPart(index, number, read));
	// Another request may have loaded the same part meanwhile.
	if (!parts.has(number)) parts.set(number, part);
	let cachedBytes = 0;
	for (const { memoryBytes } of parts.values()) cachedBytes += memoryBytes;
	for (const [oldest, { memoryBytes }] of parts) {
		if (cachedBytes <= index.mostBytes || oldest === number) break;
		parts.delete(oldest);
		cachedBytes -= memoryBytes;
	}
	return part;
}

const loadShard = (index: OpenIndex, number: number, read: ReadRange): Promise<Shard> =>
	loadPart(index, number, read, decodeShard);

/** A box of the grid in degrees. */
function boundsOf({ south, west, north, east }: GridBox): Bounds {
	return {
		south: south / UNITS_PER_DEGREE,
		west: west / UNITS_PER_DEGREE,
		north: north / UNITS_PER_DEGREE,
		east: east / UNITS_PER_DEGREE,
	};
}

/** The zones of a country in a shard. `country` is its number in the directory. */
function placedZones(shard: Shard, country: number): PlacedZone[] {
	return [...shard.areaCountries.keys()].flatMap((area) => {
		if (area === 0 || shard.areaCountries[area] !== country) return [];
		const first = shard.areaZones[area]!;
		return Array.from({ length: shard.areaZones[area + 1]! - first }, (_, at) => ({
			zone: numberOfZone(shard, first + at),
			bounds: boundsOf(boxOfZone(shard, area, first + at)),
		}));
	});
}

/** Which of the given parts each country is in. Parts that are not cached already are read but not cached. */
async function mapCountries<Part extends Shard | Gazetteer>(
	index: OpenIndex,
	read: ReadRange,
	numbers: readonly number[],
	decode: (directory: Directory, number: number, stored: Uint8Array) => Part,
	countriesOf: (part: Part) => Iterable<number>,
): Promise<Map<number, number[]>> {
	const partsOf = new Map<number, number[]>();
	for (let first = 0; first < numbers.length; first += READS_AT_ONCE) {
		const some = numbers.slice(first, first + READS_AT_ONCE).map(async (number) => {
			const part =
				(index.parts.get(number) as Part | undefined) ??
				decode(index.directory, number, await readPart(index, number, read));
			for (const country of new Set(countriesOf(part))) {
				partsOf.set(country, [...(partsOf.get(country) ?? []), number]);
			}
		});
		await Promise.all(some);
	}
	return partsOf;
}

function zoneAt(directory: Directory, shard: Shard, position: number): Zone {
	const area = areaOfZone(shard, position);
	const box = boxOfZone(shard, area, position);
	return {
		country: directory.countries[shard.areaCountries[area]!]!,
		zone: numberOfZone(shard, position),
		name: nameOfZone(shard, position),
		region: regionOfZone(shard, position),
		bounds: boundsOf(box),
		isOfficial: isOfficial(shard, area, box),
		edition: editionName(directory),
	};
}

/** A point of the grid, and the Morton key of its finest cell. */
interface GridPoint {
	key: number;
	x: number;
	y: number;
}

/** @throws RangeError where the numbers are not a coordinate. */
function gridPoint(lat: number, lng: number): GridPoint {
	if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180)) throw new RangeError("not a coordinate in degrees");
	const [x, y] = [gridX(lng), gridY(lat)];
	return { key: keyOf(x, y), x, y };
}

/** What people call the place where a point of a zone is. An official zone lies in one region, so its own region counts. */
function namedPoint(
	zone: Zone,
	gazetteer: Gazetteer | undefined,
	country: number,
	{ key, x, y }: GridPoint,
): NamedPoint {
	if (!gazetteer) return { zone, region: zone.region, localities: [] };
	const region = regionNumberAt(gazetteer, country, key, x, y);
	const isKnown = region !== undefined && !(zone.isOfficial && zone.region !== "");
	return {
		zone,
		region: isKnown ? regionName(gazetteer, region) : zone.region,
		localities: localitiesAt(gazetteer, country, region, x, y),
	};
}

/** A caller's window in grid units, cut in two at the antimeridian. */
function windowsOf({ south, west, north, east }: Bounds): GridBox[] {
	const width = west <= east ? east - west : east - west + 360;
	const sane = -90 <= south && south <= north && north <= 90 && Math.abs(west) <= 180 && Math.abs(east) <= 180;
	if (!sane || Math.max(width, north - south) > MAP_WINDOW_DEGREES + ROUNDING_DEGREES) {
		throw new RangeError(`a map window has at most ${MAP_WINDOW_DEGREES} degrees a side`);
	}
	const box = (from: number, to: number): GridBox => ({
		south: gridY(south),
		west: Math.round(from * UNITS_PER_DEGREE),
		north: gridY(north),
		east: Math.round(to * UNITS_PER_DEGREE),
	});
	return west <= east ? [box(west, east)] : [box(west, 180), box(-180, east)];
}

function touches(box: GridBox, window: GridBox): boolean {
	return box.west <= window.east && box.east >= window.west && box.south <= window.north && box.north >= window.south;
}

/** Adds a shard's borders within a window, keyed by their coordinates so that those of several shards are added once. */
function gatherBorders(shard: Shard, window: GridBox, into: Map<string, BorderSegment>): void {
	for (const [x1, y1, x2, y2] of edgesIn(shard)) {
		const box: GridBox = {
			south: y1 * UNITS_PER_STEP,
			west: Math.min(x1, x2) * UNITS_PER_STEP,
			north: y2 * UNITS_PER_STEP,
			east: Math.max(x1, x2) * UNITS_PER_STEP,
		};
		if (!touches(box, window)) continue;
		into.set(`${x1},${y1},${x2},${y2}`, [
			[x1 / STEPS_PER_DEGREE, y1 / STEPS_PER_DEGREE],
			[x2 / STEPS_PER_DEGREE, y2 / STEPS_PER_DEGREE],
		]);
	}
}

/**
 * Whether an error means that the store answered with wrong bytes, so that reading once more may help. An object shorter than its
 * directory says has been replaced since the directory was read.
 */
function isDamage(error: unknown): boolean {
	return error instanceof ZoneIndexError && error.reason !== "missing" && error.reason !== "unreadable";
}

/**
 * A locator over the index that `read` reads. It caches what it has read, and asks once a minute whether the object is still the same.
 * @param now Milliseconds since the epoch.
 * @param mostBytes Most bytes of decoded parts to cache.
 */
export function createZoneLocator(
	read: ReadRange,
	now: () => number = Date.now,
	mostBytes: number = CACHED_BYTES,
): ZoneLocator {
	let opened: OpenIndex | undefined;

	/** The open index. If it was last confirmed a minute ago or more, the first bytes in the store confirm it or replace it. */
	async function trusted(): Promise<OpenIndex> {
		const known = opened;
		if (known && now() - known.provedAt < TRUSTED_MILLISECONDS) return known;
		const provedAt = now();
		const { bytes, etag } = await read(0, FIRST_READ_BYTES);
		if (known?.etag === etag) {
			known.provedAt = provedAt;
			return known;
		}
		const directory = readDirectory(bytes);
		opened = { etag, provedAt, directory, parts: new Map(), numbers: new Map(), mostBytes };
		return opened;
	}

	/** Runs a look-up on the open index. If the object was replaced meanwhile or came damaged, drops everything and tries once more. */
	async function withIndex<Answer>(lookup: (index: OpenIndex) => Promise<Answer>): Promise<Answer> {
		for (let attempt = 1; ; attempt += 1) {
			let index: OpenIndex | undefined;
			try {
				index = await trusted();
				return await lookup(index);
			} catch (error) {
				if (!isDamage(error)) throw error;
				if (opened === index) opened = undefined;
				if (attempt === ATTEMPTS) throw error;
			}
		}
	}

	async function zoneOf(index: OpenIndex, { key, x, y }: GridPoint): Promise<Zone | undefined> {
		const shard = await loadShard(index, shardOfKey(index.directory, key), read);
		const position = locateInShard(shard, key, x, y);
		return position < 0 ? undefined : zoneAt(index.directory, shard, position);
	}

	return {
		async locate(lat, lng) {
			const point = gridPoint(lat, lng);
			return withIndex((index) => zoneOf(index, point));
		},

		async name(lat, lng) {
			const point = gridPoint(lat, lng);
			return withIndex(async (index) => {
				const { directory } = index;
				const part = gazetteerOfKey(directory, point.key);
				const [zone, gazetteer] = await Promise.all([
					zoneOf(index, point),
					part === undefined ? undefined : loadPart(index, part, read, decodeGazetteer),
				]);
				return zone && namedPoint(zone, gazetteer, directory.countries.indexOf(zone.country), point);
			});
		},

		async numbersOf(country) {
			return withIndex(async (index) => {
				const { directory } = index;
				const number = directory.countries.indexOf(country);
				if (number < 0) return undefined;
				const known = index.numbers.get(number);
				if (known) return known;
				const numbers = decodeNumbers(directory, number, await readPart(index, partOfCountry(directory, number), read));
				index.numbers.set(number, numbers);
				return numbers;
			});
		},

		async zonesOf(country) {
			return withIndex(async (index) => {
				const number = index.directory.countries.indexOf(country);
				if (number < 0) return [];
				const shards = [...index.directory.shardStarts.keys()];
				const countriesOf = ({ areaCountries }: Shard) => areaCountries.subarray(1);
				index.shardsOf ??= await mapCountries(index, read, shards, decodeShard, countriesOf);
				const zones: PlacedZone[] = [];
				for (const part of index.shardsOf.get(number) ?? []) {
					zones.push(...placedZones(await loadShard(index, part, read), number));
				}
				return zones;
			});
		},

		async placesNamed(country, isNamed) {
			return withIndex(async (index) => {
				const { directory } = index;
				const number = directory.countries.indexOf(country);
				const countriesOf = ({ regionCountries }: Gazetteer) => regionCountries;
				index.gazetteersOf ??= await mapCountries(index, read, gazetteersIn(directory), decodeGazetteer, countriesOf);
				const places = new Map<string, NamedPlace>();
				for (const part of index.gazetteersOf.get(number) ?? []) {
					const gazetteer = await loadPart(index, part, read, decodeGazetteer);
					// A place is stored in every part with a point that may be named after it.
					for (const place of placesNamedIn(gazetteer, number, isNamed)) {
						places.set([place.name, place.lat, place.lng].join(), place);
					}
				}
				return [...places.values()];
			});
		},

		async edition() {
			return withIndex(async ({ directory: { edition, digest } }) => ({ edition, digest }));
		},

		async around(bounds) {
			const windows = windowsOf(bounds);
			return withIndex(async (index) => {
				const { directory } = index;
				const zones = new Map<string, Zone>();
				const borders = new Map<string, BorderSegment>();
				for (let number = 0; number < directory.shardStarts.length; number++) {
					const cell = boxOf(directory.shardStarts[number]!, directory.shardLevels[number]!);
					for (const window of windows) {
						if (!touches(cell, window)) continue;
						const shard = await loadShard(index, number, read);
						gatherBorders(shard, window, borders);
						for (let position = 0; position < zoneCount(shard); position++) {
							if (!touches(boxOfZone(shard, areaOfZone(shard, position), position), window)) continue;
							const zone = zoneAt(directory, shard, position);
							zones.set(`${zone.country}${zone.zone}`, zone);
						}
					}
				}
				return { zones: [...zones.values()], borders: [...borders.values()] };
			});
		},
	};
}
