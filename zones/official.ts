/** Reads official boundaries, a GeoJSON file (RFC 7946) of a country's zones, and says by name what it cannot use. */

import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { doubleArea, type Ring, ringsOf } from "./sources.ts";

/** Longest name: as long as the API says of a zone_name. */
const LONGEST_NAME = 100;

/** The boundaries cannot be used; the message tells the operator which feature to mend, and how. */
export class BoundaryError extends Error {
	override readonly name = "BoundaryError";
}

/** A zone as the file draws it. */
export interface OfficialBoundary {
	number: number;
	name: string;
	rings: Ring[];
	/** what to call it in a message */
	where: string;
}

type Json = { [member: string]: unknown };

function isObject(value: unknown): value is Json {
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

function checkRing(ring: readonly number[][], where: string): void {
	ring.forEach(([lng, lat], at) => {
		if (!(Math.abs(lng!) <= 180 && Math.abs(lat!) <= 90)) {
			throw new BoundaryError(
				`${where}: position ${at + 1} is ${lng}, ${lat}: it must be longitude and latitude, in this order, in degrees of WGS 84`,
			);
		}
		if (at > 0 && Math.abs(lng! - ring[at - 1]![0]!) > 180) {
			throw new BoundaryError(
				`${where}: it jumps over the antimeridian: cut the polygon in two there (RFC 7946, 3.1.9)`,
			);
		}
	});
	const [first, last] = [ring[0], ring.at(-1)];
	if (ring.length < 4 || first![0] !== last![0] || first![1] !== last![1]) {
		throw new BoundaryError(
			`${where}: it is not closed: give it four positions or more, the last the same as the first`,
		);
	}
}

function readRings(geometry: unknown, where: string): Ring[] {
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
	polygons.forEach((polygon, part) => {
		polygon.forEach((ring, at) => {
			checkRing(ring, `${where}, ${polygons.length > 1 ? `polygon ${part + 1}, ` : ""}ring ${at + 1}`);
		});
	});
	// Rings that are less than a lattice step across vanish.
	const rings = ringsOf({ type: "MultiPolygon", coordinates: polygons }, (degrees) =>
		Math.round(degrees * STEPS_PER_DEGREE),
	).filter((ring) => doubleArea(ring) !== 0);
	if (rings.length === 0)
		throw new BoundaryError(`${where}: it has no area: draw it larger than 0.00001 degree, or remove it`);
	return rings;
}

function readNumber(zone: unknown, where: string): number {
	if (typeof zone === "number" && Number.isInteger(zone) && zone >= 0 && zone < ZONE_NUMBERS) return zone;
	const found = zone === undefined ? "it has no property zone" : `its property zone is ${JSON.stringify(zone)}`;
	throw new BoundaryError(`${where}: ${found}: give it a whole number from 0 to ${ZONE_NUMBERS - 1}, without quotes`);
}

function readName(name: unknown, where: string): string {
	if (name === undefined || name === null) return "";
	const text = typeof name === "string" ? name.normalize("NFC").replace(/\s+/gu, " ").trim() : undefined;
	if (text !== undefined && text.length <= LONGEST_NAME && !/\p{C}/u.test(text)) return text;
	throw new BoundaryError(
		`${where}: its property name is no text of at most ${LONGEST_NAME} printable characters: mend it, or leave it out`,
	);
}

/**
 * The zones in a file, in the order of their numbers.
 * @param file What messages call the file.
 * @throws BoundaryError
 */
export function readBoundaries(text: string, file: string): OfficialBoundary[] {
	let collection: unknown;
	try {
		collection = JSON.parse(text);
	} catch (cause) {
		throw new BoundaryError(`${file}: it is not JSON`, { cause });
	}
	if (!isObject(collection) || collection.type !== "FeatureCollection" || !Array.isArray(collection.features)) {
		throw new BoundaryError(`${file}: it is not a GeoJSON FeatureCollection`);
	}
	if (collection.features.length === 0) throw new BoundaryError(`${file}: it has no features`);
	const known = new Map<number, string>();
	const boundaries = collection.features.map((feature: unknown, index): OfficialBoundary => {
		const place = `${file}, feature ${index + 1}`;
		if (!isObject(feature) || feature.type !== "Feature")
			throw new BoundaryError(`${place}: it is not a GeoJSON Feature`);
		const properties = isObject(feature.properties) ? feature.properties : {};
		const number = readNumber(properties.zone, place);
		const where = `${place} (zone ${number})`;
		const first = known.get(number);
		if (first) throw new BoundaryError(`${where}: it has the number of ${first}: give each zone a number of its own`);
		known.set(number, `feature ${index + 1}`);
		return { number, name: readName(properties.name, where), rings: readRings(feature.geometry, where), where };
	});
	return boundaries.sort((a, b) => a.number - b.number);
}
