/** Reads the geometry of a feature (RFC 7946, section 3.1) onto the lattice, and reports what is wrong with it. */
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { doCross, type Ends } from "./borders.ts";
import { BoundaryError } from "./faults.ts";
import { doubleArea, placeIn, type Ring, ringsOf, turned } from "./sources.ts";

type Json = { [member: string]: unknown };

export function isObject(value: unknown): value is Json {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isArrayOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
	return Array.isArray(value) && value.every(isItem);
}

const isPosition = (value: unknown): value is number[] =>
	Array.isArray(value) && value.length >= 2 && value.every((part) => typeof part === "number");
const isRing = (value: unknown): value is number[][] => isArrayOf(value, isPosition);
const isPolygon = (value: unknown): value is number[][][] => isArrayOf(value, isRing) && value.length > 0;
const isMultiPolygon = (value: unknown): value is number[][][][] => isArrayOf(value, isPolygon) && value.length > 0;

/** The command that makes GeoJSON in degrees of WGS 84, longitude first, of any file that GDAL reads. */
export function conversionOf(file: string): string {
	return `ogr2ogr -f GeoJSON -t_srs EPSG:4326 wgs84.geojson ${file}`;
}

/** A point as messages show it: latitude first, as people read and search for it. */
export function placeText(x: number, y: number): string {
	return `${(y / STEPS_PER_DEGREE).toFixed(4)}, ${(x / STEPS_PER_DEGREE).toFixed(4)}`;
}

/** Every position in the coordinates of a geometry; anything else is left out. */
export function* positionsOf(coordinates: unknown): Generator<number[]> {
	if (isPosition(coordinates)) yield coordinates;
	else if (Array.isArray(coordinates)) for (const part of coordinates) yield* positionsOf(part);
}

/** A point in a geometry, for messages; undefined if it has none that can be read. */
export function placeOf(geometry: unknown): string | undefined {
	let part: unknown = isObject(geometry) ? geometry.coordinates : undefined;
	while (Array.isArray(part) && Array.isArray(part[0])) part = part[0];
	if (!isPosition(part)) return undefined;
	return placeText(part[0]! * STEPS_PER_DEGREE, part[1]! * STEPS_PER_DEGREE);
}

function checkRing(ring: readonly number[][], where: string): void {
	for (const [at, [lng, lat]] of ring.entries()) {
		if (!(Math.abs(lng!) <= 180 && Math.abs(lat!) <= 90)) {
			throw new BoundaryError(
				Math.abs(lng!) <= 90 && Math.abs(lat!) <= 180
					? `${where}: position ${at + 1} is ${lng}, ${lat}: it must be longitude and latitude, in this order: swap them`
					: `${where}: position ${at + 1} is ${lng}, ${lat}: it must be longitude and latitude, in this order, in degrees of WGS 84: convert the file, for instance with ${conversionOf("FILE")}`,
			);
		}
		if (at > 0 && Math.abs(lng! - ring[at - 1]![0]!) > 180) {
			throw new BoundaryError(
				`${where}: it jumps over the antimeridian: cut the polygon in two there (RFC 7946, 3.1.9)`,
			);
		}
	}
	const west = ring.reduce((least, [lng]) => Math.min(least, lng!), 180);
	const east = ring.reduce((most, [lng]) => Math.max(most, lng!), -180);
	if (east - west > 180) {
		throw new BoundaryError(
			`${where}: it reaches around more than half of the earth: if it is meant to cross the antimeridian, cut it in two there (RFC 7946, 3.1.9)`,
		);
	}
	const [first, last] = [ring[0], ring.at(-1)];
	if (ring.length < 4 || first![0] !== last![0] || first![1] !== last![1]) {
		throw new BoundaryError(
			`${where}: it is not closed: give it four positions or more, the last the same as the first`,
		);
	}
}

/** Where a ring first crosses itself: a lattice point, or undefined. */
function selfCrossing(ring: Ring): [x: number, y: number] | undefined {
	const edges: Ends[] = [];
	for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
		edges.push([ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!]);
	}
	edges.sort((a, b) => Math.min(a[0], a[2]) - Math.min(b[0], b[2]));
	for (const [place, own] of edges.entries()) {
		const east = Math.max(own[0], own[2]);
		for (let next = place + 1; next < edges.length; next++) {
			const other = edges[next]!;
			if (Math.min(other[0], other[2]) > east) break;
			if (doCross(own, other)) return [own[0], own[1]];
		}
	}
	return undefined;
}

/** The polygons of a feature, and what an operator should know about them. */
interface ReadGeometry {
	/** each with its outer ring first, then its holes; empty if nothing of the feature has an area */
	polygons: Ring[][];
	notes: string[];
}

/**
 * A geometry on the lattice. Rings that are less than a lattice step across collapse: they are left out with a note.
 * @throws BoundaryError
 */
export function readGeometry(geometry: unknown, where: string): ReadGeometry {
	const { type, coordinates } = isObject(geometry) ? geometry : {};
	if (type !== "Polygon" && type !== "MultiPolygon") {
		throw new BoundaryError(
			`${where}: its geometry is ${JSON.stringify(type) ?? "missing"}: make it Polygon or MultiPolygon`,
		);
	}
	const polygons = type === "Polygon" ? [coordinates] : coordinates;
	if (!isMultiPolygon(polygons)) {
		throw new BoundaryError(
			`${where}: its coordinates are not those of a ${type}: arrays of rings of [longitude, latitude]`,
		);
	}
	const notes: string[] = [];
	let collapsed = 0;
	const islands: Ring[][] = [];
	const read = polygons.map((polygon, part): Ring[] => {
		const nameOf = (at: number) => `${where}, ${polygons.length > 1 ? `polygon ${part + 1}, ` : ""}ring ${at + 1}`;
		for (const [at, ring] of polygon.entries()) checkRing(ring, nameOf(at));
		const rings = ringsOf({ type: "Polygon", coordinates: polygon }, (degrees) =>
			Math.round(degrees * STEPS_PER_DEGREE),
		);
		if (doubleArea(rings[0]!) === 0 && !selfCrossing(rings[0]!)) {
			collapsed++;
			return [];
		}
		return rings.filter((ring, at) => {
			const crossing = selfCrossing(ring);
			if (crossing) {
				notes.push(
					`${nameOf(at)}: it crosses itself near ${placeText(...crossing)}: what it surrounds twice counts as outside`,
				);
			}
			const hasArea = doubleArea(ring) !== 0 || crossing !== undefined;
			if (!hasArea) collapsed++;
			const shell = rings[0]!;
			const isLoose =
				at > 0 &&
				hasArea &&
				!ring.some((_, place) => place % 2 === 0 && placeIn([shell], ring[place]!, ring[place + 1]!) !== "outside");
			// A hole outside its polygon is an island that was written as a hole.
			if (isLoose) islands.push([turned(ring, true)]);
			return hasArea && !isLoose;
		});
	});
	if (islands.length > 0)
		notes.push(`${where}: it has ${islands.length} rings outside their polygon: each is taken as a polygon of its own`);
	const kept = [...read, ...islands].filter((rings) => rings.length > 0);
	if (collapsed > 0) {
		const what = collapsed === 1 ? "a ring has" : `${collapsed} rings have`;
		const effect = kept.length === 0 ? "the feature is left out and its number stays free" : "left out";
		notes.push(`${where}: ${what} no area: ${effect}`);
	}
	return { polygons: kept, notes };
}
