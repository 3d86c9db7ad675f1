/** Reads official boundaries, a GeoJSON file (RFC 7946) of a country's zones, and names the features that it cannot use. */

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { BoundaryError, faultsOf } from "./faults.ts";
import { conversionOf, isObject, placeOf, readGeometry } from "./official-geometry.ts";
import type { Ring } from "./sources.ts";

/** Longest name, in characters. */
const LONGEST_NAME = 100;
/** Names of WGS 84, longitude first, in the crs member that GeoJSON had before RFC 7946. */
const WGS_84 = /^(urn:ogc:def:crs:OGC:[\d.]*:CRS84|urn:ogc:def:crs:EPSG:[\d.]*:4326|EPSG:4326|OGC:CRS84)$/i;
/** Invisible characters that join or separate letters, as Persian and Sinhala spelling needs: ZWNJ and ZWJ. */
const JOINERS = /[\u200c\u200d]/gu;

/** A zone as the file draws it. */
export interface OfficialBoundary {
	number: number;
	name: string;
	/** its first-level division; "" if the file does not say */
	region: string;
	/** each with its outer ring first, then its holes; polygons that overlap are united */
	polygons: Ring[][];
	/** how messages name it: its position in the file, its number and name, and a point in it */
	where: string;
}

/** The contents of a file, and what its operator should know about it. */
export interface OfficialFile {
	/** in the order of their numbers */
	boundaries: OfficialBoundary[];
	notes: string[];
	/** what is wrong with features that are not among the boundaries, in the form that a BoundaryError takes */
	faults: readonly string[];
}

/** A property under its name in any case: `name`, `Name`, `NAME`. */
export function property(properties: Record<string, unknown>, name: string): unknown {
	if (name in properties) return properties[name];
	const key = Object.keys(properties).find((key) => key.toLowerCase() === name.toLowerCase());
	return key === undefined ? undefined : properties[key];
}

/** A zone's number, given as a number or as digits; undefined if it is neither. */
function numberOf(zone: unknown): number | undefined {
	const number = typeof zone === "string" && /^\d{1,4}$/.test(zone.trim()) ? Number(zone) : zone;
	const isNumber = typeof number === "number" && Number.isInteger(number) && number >= 0 && number < ZONE_NUMBERS;
	return isNumber ? number : undefined;
}

export function readName(name: unknown, where: string, of: "name" | "region" = "name"): string {
	if (name === undefined || name === null) return "";
	const text = typeof name === "string" ? name.normalize("NFC").replace(/\s+/gu, " ").trim() : undefined;
	if (text !== undefined && [...text].length <= LONGEST_NAME && !/\p{C}/u.test(text.replace(JOINERS, ""))) return text;
	throw new BoundaryError(
		`${where}: its property ${of} is not a text of at most ${LONGEST_NAME} printable characters: fix it, or leave it out`,
	);
}

/** The first bytes, in hexadecimal, of the files in which authorities keep boundaries, and what they are. */
const OTHER_FORMATS: ReadonlyArray<readonly [start: string, format: string]> = [
	["0000270a", "a shapefile"],
	["53514c69746520666f726d61742033", "a GeoPackage or another database"],
	["504b0304", "a ZIP archive: unpack it first; what is in it may be a shapefile"],
	["3c3f786d6c", "XML, such as KML or GML"],
	["3c6b6d6c", "KML"],
	["666762", "FlatGeobuf"],
];

/** Refuses a file in another format than text, and says how to convert it. @throws BoundaryError */
function requireText(bytes: Uint8Array, file: string): void {
	const start = Buffer.from(bytes.subarray(0, 16)).toString("hex");
	const [, format] = OTHER_FORMATS.find(([known]) => start.startsWith(known)) ?? [];
	if (format !== undefined)
		throw new BoundaryError(`${file}: it is ${format}: convert it, for instance with ${conversionOf(file)}`);
}

/** Where a text has characters that could not be decoded: the line, and the feature of a GeoJSON file. */
function placeOfDamage(text: string): string {
	const line = text.slice(0, text.indexOf("\ufffd")).split("\n").length;
	try {
		const { features } = JSON.parse(text) as { features: Array<{ geometry?: unknown }> };
		const index = features.findIndex((feature) => JSON.stringify(feature).includes("\ufffd"));
		if (index >= 0) {
			const place = placeOf(features[index]!.geometry);
			return `feature ${index + 1}${place ? ` (near ${place})` : ""}`;
		}
	} catch {
		// It is not GeoJSON: the line says enough.
	}
	return `line ${line}`;
}

/**
 * The text of a file in UTF-8.
 * @throws BoundaryError that names the file if it cannot be read, and the feature or line if it is in another encoding.
 */
export function readText(file: string): string {
	let bytes: Uint8Array;
	try {
		bytes = readFileSync(file);
	} catch (cause) {
		throw new BoundaryError(`${file}: it cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
	}
	requireText(bytes, file);
	if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
	const place = placeOfDamage(new TextDecoder().decode(bytes));
	throw new BoundaryError(
		`${file}, ${place}: it is not in UTF-8: convert the file, for instance with iconv -f ISO-8859-1 -t UTF-8`,
	);
}

/**
 * The features of a GeoJSON file in WGS 84.
 * @param file What messages call the file.
 * @throws BoundaryError
 */
export function parseFeatures(text: string, file: string): unknown[] {
	let collection: unknown;
	try {
		collection = JSON.parse(text.replace(/^\ufeff/u, ""));
	} catch (cause) {
		throw new BoundaryError(`${file}: it is not valid JSON`, { cause });
	}
	if (!isObject(collection) || collection.type !== "FeatureCollection" || !Array.isArray(collection.features)) {
		throw new BoundaryError(`${file}: it is not a GeoJSON FeatureCollection`);
	}
	const crs =
		isObject(collection.crs) && isObject(collection.crs.properties) ? collection.crs.properties.name : undefined;
	if (collection.crs != null && !(typeof crs === "string" && WGS_84.test(crs))) {
		throw new BoundaryError(
			`${file}: its member crs is ${JSON.stringify(crs ?? collection.crs)}: convert it to WGS 84, for instance with ${conversionOf(file)}`,
		);
	}
	if (collection.features.length === 0) throw new BoundaryError(`${file}: it has no features`);
	return collection.features;
}

/** How a message names a feature. */
export function describeFeature(
	file: string,
	index: number,
	zone: number | undefined,
	name: unknown,
	geometry: unknown,
): string {
	const place = placeOf(geometry);
	const details = [
		zone === undefined ? "" : `zone ${zone}`,
		typeof name === "string" && name !== "" ? `"${name.slice(0, LONGEST_NAME)}"` : "",
		place ? `near ${place}` : "",
	].filter((detail) => detail !== "");
	return `${file}, feature ${index + 1}${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
}

/**
 * The zones in a file.
 * @param file What messages call the file.
 * @throws BoundaryError if the file as a whole cannot be used. Faults of single features are in the result.
 */
export function readBoundaries(text: string, file: string): OfficialFile {
	const features = parseFeatures(text, file);
	const boundaries: OfficialBoundary[] = [];
	const notes: string[] = [];
	const known = new Map<number, string>();
	const propertyNames = new Set<string>();
	const faults = features.flatMap((feature, index) => {
		if (!isObject(feature) || feature.type !== "Feature")
			return [`${file}, feature ${index + 1}: it is not a GeoJSON Feature`];
		const properties = isObject(feature.properties) ? feature.properties : {};
		for (const key of Object.keys(properties)) propertyNames.add(key);
		const zone = property(properties, "zone");
		const number = numberOf(zone);
		const name = property(properties, "name");
		const where = describeFeature(file, index, number, name, feature.geometry);
		const first = number === undefined ? undefined : known.get(number);
		if (number !== undefined && !first) known.set(number, `feature ${index + 1}`);
		const checks = [
			() => {
				if (number !== undefined) return;
				const found = zone === undefined ? "it has no property zone" : `its property zone is ${JSON.stringify(zone)}`;
				throw new BoundaryError(`${where}: ${found}: give it a whole number from 0 to ${ZONE_NUMBERS - 1}`);
			},
			() => {
				if (first)
					throw new BoundaryError(`${where}: it has the number of ${first}: give each zone a number of its own`);
			},
			() => {
				const region = readName(property(properties, "region"), where, "region");
				const read = { name: readName(name, where), ...readGeometry(feature.geometry, where) };
				notes.push(...read.notes);
				if (number === undefined || first || read.polygons.length === 0) return;
				boundaries.push({ number, name: read.name, region, polygons: read.polygons, where });
			},
		];
		return faultsOf(checks);
	});
	if (boundaries.length === 0 && faults.length === 0)
		throw new BoundaryError([`${file}: no feature has an area of 0.00001 degree or more`, ...notes]);
	if (boundaries.length > 0 && boundaries.every(({ name }) => name === "")) {
		notes.push(
			`${file}: no zone has a name: put it into the property name (there are: ${[...propertyNames].join(", ")})`,
		);
	}
	return { boundaries: boundaries.sort((a, b) => a.number - b.number), notes, faults };
}
