/** Finds where the open sea begins: farther from land than countries reach by the law of the sea. It has no zones. */
import { readFileSync } from "node:fs";
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { CELLS_A_SIDE } from "../src/zones/morton.ts";
import { arrangementOf, cutWorld, type Ends, type FoundEdge, type World } from "./borders.ts";
import { cosine, KM_PER_DEGREE, STEPS_A_ROW } from "./earth.ts";
import { readIslands } from "./islands.ts";
import type { LandMap } from "./land.ts";
import { traceRings } from "./rings.ts";
import { simplifiedLine } from "./simplify.ts";
import type { Ring } from "./sources.ts";

/**
 * How far zones reach beyond land, in kilometres, where the border source has an outline: beyond the 22 km of the law of the sea (UNCLOS,
 * article 3), because the map of land lacks hundreds of inhabited islands that are farther than that from all land on it.
 */
const SHORE_KM = 60;
/** Finest rows that make up a strip: 2.4 km. */
const ROWS = 8;
const STRIPS = CELLS_A_SIDE / ROWS;
const KM_PER_STEP = KM_PER_DEGREE / STEPS_PER_DEGREE;
const STRIP_STEPS = ROWS * STEPS_A_ROW;
const STRIP_KM = STRIP_STEPS * KM_PER_STEP;
/** How far, in kilometres, the line of the shore may be from its exact place. */
const TOLERANCE_KM = 2;
const HALF_TURN = 180 * STEPS_PER_DEGREE;
const SOUTH_END = -90 * STEPS_PER_DEGREE;

/** Stretches of a strip from west to east, each from one longitude to another, in lattice steps. */
type Stretches = ReadonlyArray<readonly [west: number, east: number]>;

/** Stretches in order and without overlaps, within the map. */
function united(stretches: ReadonlyArray<readonly [number, number]>): Stretches {
	const inOrder = [...stretches].sort((a, b) => a[0] - b[0]);
	const joined: Array<[number, number]> = [];
	for (const [west, east] of inOrder) {
		const [from, to] = [Math.max(west, -HALF_TURN), Math.min(east, HALF_TURN)];
		if (from >= to) continue;
		const last = joined.at(-1);
		if (last && from <= last[1]) last[1] = Math.max(last[1], to);
		else joined.push([from, to]);
	}
	return joined;
}

/** The parts of the map that are in none of these stretches. */
function without(stretches: Stretches): Stretches {
	const ends = [-HALF_TURN, ...stretches.flat(), HALF_TURN];
	const gaps = Array.from({ length: ends.length / 2 }, (_, at) => [ends[2 * at]!, ends[2 * at + 1]!] as const);
	return gaps.filter(([west, east]) => west < east);
}

/** Land in each strip: that of the map, and points that it lacks. */
function landByStrip(land: LandMap, islets: ReadonlyArray<readonly [x: number, y: number]>): Stretches[] {
	const strips = Array.from({ length: STRIPS }, (_, strip) =>
		Array.from({ length: ROWS }, (_, row) => {
			const crossings = land.crossings(strip * ROWS + row);
			return Array.from(
				{ length: crossings.length / 2 },
				(_, at) => [crossings[2 * at]!, crossings[2 * at + 1]!] as [number, number],
			);
		}).flat(),
	);
	for (const [x, y] of islets) strips[Math.floor((y - SOUTH_END) / STRIP_STEPS)]!.push([x, x + 1]);
	return strips.map(united);
}

/** The parts of each strip that are near land. The nearer the strip of a stretch of land, the farther it reaches. */
function nearLand(strips: readonly Stretches[]): Stretches[] {
	const reach = Math.ceil(SHORE_KM / STRIP_KM) + 1;
	return strips.map((_, strip) => {
		const found: Array<readonly [number, number]> = [];
		const south = (strip * STRIP_STEPS + SOUTH_END) / STEPS_PER_DEGREE;
		const farthest = Math.max(Math.abs(south), Math.abs(south + STRIP_STEPS / STEPS_PER_DEGREE));
		for (let other = Math.max(0, strip - reach); other <= Math.min(STRIPS - 1, strip + reach); other++) {
			const apart = Math.max(0, Math.abs(other - strip) - 1) * STRIP_KM;
			if (apart > SHORE_KM) continue;
			const across = Math.sqrt(SHORE_KM * SHORE_KM - apart * apart);
			const steps = Math.min(HALF_TURN, across / (KM_PER_STEP * Math.max(1e-9, cosine(farthest))));
			for (const [west, east] of strips[other]!) {
				found.push([west - steps, east + steps]);
				if (west - steps < -HALF_TURN) found.push([west - steps + 2 * HALF_TURN, HALF_TURN]);
				if (east + steps > HALF_TURN) found.push([-HALF_TURN, east + steps - 2 * HALF_TURN]);
			}
		}
		return united(found);
	});
}

/** Edges around the sea, which is to their left, as steps along and between the strips. */
function edgesAround(sea: readonly Stretches[]): Ends[] {
	const rounded = sea.map((stretches) =>
		stretches
			.map(([west, east]) => [Math.round(west), Math.round(east)] as const)
			.filter(([west, east]) => west < east),
	);
	const level = (strip: number) => Math.round(SOUTH_END + strip * STRIP_STEPS);
	const edges: Ends[] = [];
	for (let strip = 0; strip <= STRIPS; strip++) {
		const [below, above] = [rounded[strip - 1] ?? [], rounded[strip] ?? []];
		for (const [west, east] of above) {
			edges.push([west, level(strip + 1), west, level(strip)], [east, level(strip), east, level(strip + 1)]);
		}
		let [isBelow, isAbove, from] = [false, false, 0];
		const stops = [
			...below.flat().map((x) => ({ x, isEndBelow: true })),
			...above.flat().map((x) => ({ x, isEndBelow: false })),
		].sort((a, b) => a.x - b.x);
		for (const { x, isEndBelow } of stops) {
			if (isAbove && !isBelow && from < x) edges.push([from, level(strip), x, level(strip)]);
			if (isBelow && !isAbove && from < x) edges.push([x, level(strip), from, level(strip)]);
			if (isEndBelow) isBelow = !isBelow;
			else isAbove = !isAbove;
			from = x;
		}
	}
	return edges;
}

/** A ring of steps as the line through their middles; along the ends of the map it is unchanged. */
function smoothed(ring: Ring): Array<[x: number, y: number]> {
	const points: Array<[number, number]> = [];
	for (let at = 0; at < ring.length; at += 2) {
		const next = (at + 2) % ring.length;
		const [x1, y1, x2, y2] = [ring[at]!, ring[at + 1]!, ring[next]!, ring[next + 1]!];
		if (Math.abs(x1) === HALF_TURN && x1 === x2) points.push([x1, y1], [x2, y2]);
		else if (x1 === x2) points.push([x1, Math.round((y1 + y2) / 2)]);
	}
	return points;
}

/** A closed line, simplified from its westernmost point and the one farthest from there, which stay. */
function simplifiedRing(ring: Ring): Ring {
	const points = smoothed(ring);
	if (points.length < 4) return [];
	const westernmost = points.reduce((best, [x], at) => (x < points[best]![0] ? at : best), 0);
	const turned = [...points.slice(westernmost), ...points.slice(0, westernmost + 1)];
	const line = simplifiedLine(turned, TOLERANCE_KM).slice(0, -1);
	return line.length < 3 ? [] : line.flat();
}

/** Points of islands, islets and reefs that the map of land lacks, in lattice steps. */
export function readIslets(): Array<[x: number, y: number]> {
	const lines = readFileSync(`${import.meta.dirname}/islets.csv`, "utf8")
		.trimEnd()
		.split("\n");
	const islets = lines
		.filter((line) => !line.startsWith("#"))
		.map((line): [number, number] => {
			const [lat, lng] = line.split(",").map(Number) as [number, number];
			return [Math.round(lng * STEPS_PER_DEGREE), Math.round(lat * STEPS_PER_DEGREE)];
		});
	return [...islets, ...readIslands().map(({ x, y }): [number, number] => [x, y])];
}

/** Outlines of the open sea. They may cross themselves and each other: what counts is whether a point is inside an odd number of times. */
export function seaOutlines(land: LandMap, islets: ReadonlyArray<readonly [x: number, y: number]>): Ring[] {
	const sea = nearLand(landByStrip(land, islets)).map(without);
	return traceRings(edgesAround(sea))
		.map(simplifiedRing)
		.filter(({ length }) => length > 0);
}

/** The open sea as area 1 of a world of its own. */
export function seaWorld(outlines: readonly Ring[]): World {
	const edges = outlines.flatMap((ring) =>
		Array.from({ length: ring.length / 2 }, (_, point): FoundEdge => {
			const [at, next] = [2 * point, (2 * point + 2) % ring.length];
			return { ends: [ring[at]!, ring[at + 1]!, ring[next]!, ring[next + 1]!], sides: [1, 0] };
		}),
	);
	return cutWorld(arrangementOf(edges, []));
}
