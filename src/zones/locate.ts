/** Answers questions about places from a zone index, of which it reads only the parts that it needs. */
import { edgesIn } from "./borders.ts";
import { type Directory, editionName, gazetteerOfKey, shardOfKey } from "./format.ts";
import { type Gazetteer, regionName } from "./gazetteer.ts";
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "./geometry.ts";
import {
	type Landmark,
	type Locality,
	landmarkAt,
	localitiesAt,
	type NamedPlace,
	placesNamedIn,
	regionNumberAt,
} from "./locality.ts";
import { boxOf, type GridBox, gridX, gridY, keyOf, UNITS_PER_DEGREE } from "./morton.ts";
import type { CountryNumbers } from "./numbers.ts";
import { type AskIndex, openIndex, type ZoneIndex } from "./open-index.ts";
import {
	areaOfZone,
	boxOfZone,
	isOfficial,
	locateInShard,
	nameOfZone,
	numberOfZone,
	regionOfZone,
	type Shard,
} from "./shard.ts";

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
	/** The place up to 100 km away that says where a point is, or undefined if there is none or no zone holds it. Reads what `name` reads. */
	landmark(lat: number, lng: number): Promise<Landmark | undefined>;
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
	/** The borders of countries and official zones in a window of at most WINDOW_DEGREES a side. */
	bordersIn(bounds: Bounds): Promise<BorderSegment[]>;
}

/** Widest window `bordersIn` answers for, in degrees: more is a map of a country, not of a neighbourhood. */
const WINDOW_DEGREES = 2;
/** By how many degrees rounding can make a difference of longitudes too wide. */
const ROUNDING_DEGREES = 1e-9;

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
	if (!sane || Math.max(width, north - south) > WINDOW_DEGREES + ROUNDING_DEGREES) {
		throw new RangeError(`a map window has at most ${WINDOW_DEGREES} degrees a side`);
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

async function zoneOf(index: ZoneIndex, { key, x, y }: GridPoint): Promise<Zone | undefined> {
	const shard = await index.shard(shardOfKey(index.directory, key));
	const position = locateInShard(shard, key, x, y);
	return position < 0 ? undefined : zoneAt(index.directory, shard, position);
}

/** The zone that holds a point, the number of its country in the directory, and the part of the gazetteer around it. */
async function surroundings(index: ZoneIndex, point: GridPoint) {
	const part = gazetteerOfKey(index.directory, point.key);
	const [zone, gazetteer] = await Promise.all([
		zoneOf(index, point),
		part === undefined ? undefined : index.gazetteer(part),
	]);
	return { zone, gazetteer, country: zone ? index.directory.countries.indexOf(zone.country) : -1 };
}

/** A locator over an index. */
export function zoneLocator(ask: AskIndex): ZoneLocator {
	return {
		async locate(lat, lng) {
			const point = gridPoint(lat, lng);
			return ask((index) => zoneOf(index, point));
		},

		async name(lat, lng) {
			const point = gridPoint(lat, lng);
			return ask(async (index) => {
				const { zone, gazetteer, country } = await surroundings(index, point);
				return zone && namedPoint(zone, gazetteer, country, point);
			});
		},

		async landmark(lat, lng) {
			const point = gridPoint(lat, lng);
			return ask(async (index) => {
				const { zone, gazetteer, country } = await surroundings(index, point);
				return zone && gazetteer && landmarkAt(gazetteer, country, point.x, point.y);
			});
		},

		numbersOf: (country) =>
			ask(async (index) => {
				const number = index.directory.countries.indexOf(country);
				return number < 0 ? undefined : index.numbersOf(number);
			}),

		zonesOf: (country) =>
			ask(async (index) => {
				const number = index.directory.countries.indexOf(country);
				const zones: PlacedZone[] = [];
				for (const part of number < 0 ? [] : await index.shardsOf(number)) {
					zones.push(...placedZones(await index.shard(part), number));
				}
				return zones;
			}),

		placesNamed: (country, isNamed) =>
			ask(async (index) => {
				const number = index.directory.countries.indexOf(country);
				const places = new Map<string, NamedPlace>();
				for (const part of number < 0 ? [] : await index.gazetteersOf(number)) {
					// A place is stored in every part with a point that may be named after it.
					for (const place of placesNamedIn(await index.gazetteer(part), number, isNamed)) {
						places.set([place.name, place.lat, place.lng].join(), place);
					}
				}
				return [...places.values()];
			}),

		edition: () => ask(async ({ directory: { edition, digest } }) => ({ edition, digest })),

		async bordersIn(bounds) {
			const windows = windowsOf(bounds);
			return ask(async (index) => {
				const { shardStarts, shardLevels } = index.directory;
				const borders = new Map<string, BorderSegment>();
				for (const [number, start] of shardStarts.entries()) {
					const cell = boxOf(start, shardLevels[number]!);
					for (const window of windows) {
						if (touches(cell, window)) gatherBorders(await index.shard(number), window, borders);
					}
				}
				return [...borders.values()];
			});
		},
	};
}

/**
 * A locator over the index that `read` reads. The other parameters are those of `openIndex`.
 * @example
 * ```ts
 * const file = await open("zones/world.zones");
 * const locator = createZoneLocator(async (offset, length) => {
 * 	const { buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
 * 	return { bytes: buffer, etag: "" };
 * });
 * const zone = await locator.locate(6.5244, 3.3792);
 * ```
 */
export function createZoneLocator(...options: Parameters<typeof openIndex>): ZoneLocator {
	return zoneLocator(openIndex(...options));
}
