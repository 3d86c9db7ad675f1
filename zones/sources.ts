/** Reads the pinned npm packages that the zones are made from, and finds the ISO 3166-1 country of every outline. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { borders } from "@rapideditor/country-coder";
import type { MultiPolygon, Polygon } from "geojson";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { CUTS, type Cut, DISPUTED_LAND, RESERVED_CODES } from "./disputed.ts";
import { outlineOfIsland, readIslands } from "./islands.ts";

/** A closed line of lattice points, x and y in turn, the first not repeated at the end. */
export type Ring = readonly number[];

/** All land and water that the border source gives to one country. */
export interface Territory {
	country: string;
	/** outer rings run counter-clockwise, holes clockwise */
	rings: Ring[];
}

type BorderFeature = (typeof borders.features)[number];

/** Codes that ISO 3166-1 assigns, as the border source marks them, and XK. */
const OFFICIAL_CODES: ReadonlySet<string> = new Set(
	borders.features.flatMap(({ properties: { iso1A2, isoStatus } }) =>
		iso1A2 && (isoStatus === "official" || iso1A2 === "XK") ? [iso1A2] : [],
	),
);

/** The country of an outline: from the tables of disputed.ts, or else its own code, or else the first country that it is part of. */
export function countryOf({ properties }: BorderFeature): string | undefined {
	const { id } = properties;
	const ruled = DISPUTED_LAND[id] ?? RESERVED_CODES[id];
	if (ruled) return ruled.country;
	const country = [properties.iso1A2, ...(properties.groups ?? [])].find((code) => code && OFFICIAL_CODES.has(code));
	if (!country) throw new Error(`no country is known for the outline ${id} (${properties.nameEn})`);
	return country;
}

/** The lattice coordinate nearest to one in degrees. */
export function toSteps(degrees: number): number {
	return Math.round(degrees * STEPS_PER_DEGREE);
}

export function toLattice(degrees: number): number {
	const steps = Math.round(degrees * STEPS_PER_DEGREE);
	if (Math.abs(steps - degrees * STEPS_PER_DEGREE) > 1e-3) throw new Error(`${degrees} is finer than the lattice`);
	return steps;
}

/** Twice the signed area of a ring, in square lattice steps: positive when it runs counter-clockwise. */
export function doubleArea(ring: Ring): number {
	let sum = 0;
	for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
		sum += ring[last]! * ring[at + 1]! - ring[at]! * ring[last + 1]!;
	}
	return sum;
}

/** Where a point is: on a ring, inside an odd number of rings, or outside. */
export function placeIn(rings: readonly Ring[], x: number, y: number): "inside" | "on" | "outside" {
	let isInside = false;
	for (const ring of rings) {
		for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2) {
			const [x1, y1, x2, y2] = [ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!];
			if (Math.min(y1, y2) > y || Math.max(y1, y2) < y) continue;
			const turn = (x2 - x1) * (y - y1) - (x - x1) * (y2 - y1);
			if (turn === 0 && Math.min(x1, x2) <= x && x <= Math.max(x1, x2)) return "on";
			if (y1 > y !== y2 > y && (y2 > y1 ? turn > 0 : turn < 0)) isInside = !isInside;
		}
	}
	return isInside ? "inside" : "outside";
}

/** A ring, reversed if necessary to run in a given direction. */
export function turned(ring: readonly number[], counterClockwise: boolean): number[] {
	if (doubleArea(ring) > 0 === counterClockwise) return [...ring];
	const reversed: number[] = [];
	for (let at = ring.length - 2; at >= 0; at -= 2) reversed.push(ring[at]!, ring[at + 1]!);
	return reversed;
}

/** Rings of a GeoJSON geometry on the lattice, outer ones counter-clockwise and holes clockwise. */
export function ringsOf(geometry: Polygon | MultiPolygon, place: (degrees: number) => number = toLattice): Ring[] {
	const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
	return polygons.flatMap((polygon) =>
		polygon.map((line, index) =>
			turned(
				line.slice(0, -1).flatMap(([x, y]) => [place(x!), place(y!)]),
				index === 0,
			),
		),
	);
}

function findVertex(ring: Ring, x: number, y: number): number {
	for (let at = 0; at < ring.length; at += 2) if (ring[at] === x && ring[at + 1] === y) return at;
	throw new Error(`the outline has no vertex ${x},${y} to cut from`);
}

/** The two rings into which a line between two vertices cuts a ring, the southern one first. */
function cutRing(ring: Ring, { line }: Cut): [south: Ring, north: Ring] {
	const from = findVertex(ring, line[0]!, line[1]!);
	const turnedRing = [...ring.slice(from), ...ring.slice(0, from)];
	const to = findVertex(turnedRing, line.at(-2)!, line.at(-1)!);
	const inner = line.slice(2, -2);
	const innerBack: number[] = [];
	for (let at = inner.length - 2; at >= 0; at -= 2) innerBack.push(inner[at]!, inner[at + 1]!);
	const parts = [
		[...turnedRing.slice(0, to + 2), ...innerBack],
		[...turnedRing.slice(to), turnedRing[0]!, turnedRing[1]!, ...inner],
	] as [Ring, Ring];
	const southernmost = (part: Ring) => Math.min(...part.filter((_, at) => at % 2 === 1));
	return southernmost(parts[0]) < southernmost(parts[1]) ? parts : [parts[1], parts[0]];
}

/**
 * Outlines that end this near to the antimeridian, in degrees, are meant to end at it. The source's outlines of Russia, Fiji and Tuvalu
 * stop up to 1.8 km short, which would leave a strip of land in no zone.
 */
const SNAP_DEGREES = 0.02;

/** A ring whose vertices near the antimeridian are moved onto it, without the repeated vertices that this makes. */
function snapToAntimeridian(ring: Ring): Ring {
	const antimeridian = 180 * STEPS_PER_DEGREE;
	const snapped: number[] = [];
	for (let at = 0; at < ring.length; at += 2) {
		const isNear = Math.abs(ring[at]!) > antimeridian - SNAP_DEGREES * STEPS_PER_DEGREE;
		const x = isNear ? Math.sign(ring[at]!) * antimeridian : ring[at]!;
		if (snapped.at(-2) !== x || snapped.at(-1) !== ring[at + 1]!) snapped.push(x, ring[at + 1]!);
	}
	return snapped;
}

/** The ISO 3166-1 codes of all countries that have a territory. */
export function countryCodes(): Set<string> {
	const codes = new Set<string>();
	for (const outline of borders.features) {
		const country = outline.geometry && countryOf(outline);
		if (country) codes.add(country);
		const cut = CUTS[outline.properties.id];
		if (cut) codes.add(cut.southernPart);
	}
	return codes;
}

/** Every country's territory as the border source has it, in the order of their codes; patches.ts improves on them. */
export function readSourceTerritories(): Territory[] {
	const byCountry = new Map<string, Ring[]>();
	const give = (country: string, ...rings: Ring[]): void => {
		byCountry.set(country, [...(byCountry.get(country) ?? []), ...rings]);
	};
	for (const outline of borders.features) {
		if (!outline.geometry) continue;
		const country = countryOf(outline);
		if (!country) continue;
		const rings = ringsOf(outline.geometry as MultiPolygon).map(snapToAntimeridian);
		const cut = CUTS[outline.properties.id];
		if (cut) {
			const [south, north] = cutRing(rings[0]!, cut);
			give(cut.southernPart, south);
			give(country, north, ...rings.slice(1));
		} else give(country, ...rings);
	}
	for (const island of readIslands()) if (island.country !== "") give(island.country, outlineOfIsland(island));
	return [...byCountry].sort(([a], [b]) => (a < b ? -1 : 1)).map(([country, rings]) => ({ country, rings }));
}

/**
 * A ring without jumps at the antimeridian: longitudes continue beyond 180 degrees. A ring around the pole, which ends a turn from where
 * it began, is closed along the bottom of the map.
 */
function unwrap(ring: Ring): Ring {
	const turn = 360 * STEPS_PER_DEGREE;
	const pole = -90 * STEPS_PER_DEGREE;
	const unwrapped: number[] = [];
	let shift = 0;
	for (let at = 0; at < ring.length + 2; at += 2) {
		const x = ring[at % ring.length]!;
		const last = at === 0 ? x : ring[at - 2]!;
		if (x - last > turn / 2) shift -= turn;
		else if (last - x > turn / 2) shift += turn;
		if (at < ring.length || shift !== 0) unwrapped.push(x + shift, ring[(at % ring.length) + 1]!);
	}
	return shift === 0 ? unwrapped : [...unwrapped, unwrapped.at(-2)!, pole, unwrapped[0]!, pole];
}

/**
 * Outlines of dry land at 1:10 million, rounded to the lattice: they only steer where people are modelled to live. Each
 * comes three times, a turn apart, so that land beyond the antimeridian is found from both sides.
 */
export function readLand(): Ring[] {
	const file = createRequire(import.meta.url).resolve("world-atlas/land-10m.json");
	const topology = JSON.parse(readFileSync(file, "utf8")) as Topology<{ land: GeometryCollection }>;
	const { features } = feature(topology, topology.objects.land);
	const rings = features.flatMap(({ geometry }) =>
		ringsOf(geometry as MultiPolygon, (degrees) => Math.round(degrees * STEPS_PER_DEGREE)),
	);
	const turn = 360 * STEPS_PER_DEGREE;
	return rings.map(unwrap).flatMap((ring) => {
		const xs = ring.filter((_, at) => at % 2 === 0);
		const reach = xs.reduce(({ west, east }, x) => ({ west: Math.min(west, x), east: Math.max(east, x) }), {
			west: turn,
			east: -turn,
		});
		return [-turn, 0, turn]
			.filter((shift) => reach.west + shift < turn / 2 && reach.east + shift > -turn / 2)
			.map((shift) => ring.map((value, at) => (at % 2 === 0 ? value + shift : value)));
	});
}
