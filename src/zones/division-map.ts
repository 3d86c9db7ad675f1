/**
 * Questions about a point, answered from the map of first-level divisions in a part of the gazetteer: which regions may hold the point,
 * and whether the sea lies between it and a place.
 */
import { METRES_PER_DEGREE } from "../points/plane.ts";
import { areaAt } from "./borders.ts";
import { divisionOfCode, type Gazetteer } from "./gazetteer.ts";
import { EDGE_STRIDE, UNITS_PER_STEP } from "./geometry.ts";
import { UNITS_PER_DEGREE } from "./morton.ts";

/** How near a mapped coast or border, in metres, a point may really be in the division beyond it. The map's lines are up to 2.5 km off. */
const SIMPLIFIED_METRES = 3000;
/** Width in metres from which a bay or strait separates a point from a place. */
const SEA_METRES = 2000;

/** A line of the map: its endpoints, in metres east and north of a point, and the exclusive or of the codes on its two sides. */
interface Line {
	x1: number;
	y1: number;
	x2: number;
	y2: number;
	code: number;
}

/** The lines of the map in a square centred on a grid point. `reach` is the distance from the point to each side, in metres. */
function linesAround({ edges, codes }: Gazetteer, x: number, y: number, reach: number): Line[] {
	const north = METRES_PER_DEGREE / UNITS_PER_DEGREE;
	const east = north * Math.cos(((y / UNITS_PER_DEGREE) * Math.PI) / 180);
	const lines: Line[] = [];
	for (let edge = 0; edge < codes.length; edge++) {
		const at = edge * EDGE_STRIDE;
		const y1 = (edges[at + 1]! * UNITS_PER_STEP - y) * north;
		const y2 = (edges[at + 3]! * UNITS_PER_STEP - y) * north;
		if (y1 > reach || y2 < -reach) continue;
		const x1 = (edges[at]! * UNITS_PER_STEP - x) * east;
		const x2 = (edges[at + 2]! * UNITS_PER_STEP - x) * east;
		if (Math.min(x1, x2) <= reach && Math.max(x1, x2) >= -reach) lines.push({ x1, y1, x2, y2, code: codes[edge]! });
	}
	return lines;
}

/** The distance in metres between a line and the point that its coordinates are relative to. */
function distanceTo({ x1, y1, x2, y2 }: Line): number {
	const [across, up] = [x2 - x1, y2 - y1];
	const along = Math.min(1, Math.max(0, -(x1 * across + y1 * up) / (across * across + up * up)));
	return Math.hypot(x1 + along * across, y1 + along * up);
}

/**
 * Numbers of the regions of a country that a division's code stands for; none if it is the code of no division, or of another country's.
 */
function regionsOf(gazetteer: Gazetteer, country: number, code: number): number[] {
	const { divisionEnds, divisionRegions, regionCountries } = gazetteer;
	const division = divisionOfCode(code);
	if (division === 0 || division > divisionEnds.length) return [];
	const from = division === 1 ? 0 : divisionEnds[division - 2]!;
	return [...divisionRegions.subarray(from, divisionEnds[division - 1])].filter(
		(region) => regionCountries[region] === country,
	);
}

/**
 * Numbers of the regions of a country that may hold a grid point: one, or several if the map lacks the lines between them. If the map has
 * no division of the country at the point, the one beyond the nearest coast or border within 3 km counts. None if the map cannot tell.
 */
export function regionsAt(gazetteer: Gazetteer, country: number, key: number, x: number, y: number): number[] {
	const code = areaAt(gazetteer, key, x, y);
	const regions = regionsOf(gazetteer, country, code);
	if (regions.length > 0) return regions;
	let nearest = regions;
	let least = SIMPLIFIED_METRES;
	for (const line of linesAround(gazetteer, x, y, SIMPLIFIED_METRES)) {
		const distance = distanceTo(line);
		if (distance > least) continue;
		const behind = regionsOf(gazetteer, country, code ^ line.code);
		if (behind.length > 0) [nearest, least] = [behind, distance];
	}
	return nearest;
}

/**
 * Returns a function that tells whether the straight line from a grid point to a place crosses 2 km of sea or more. It takes the metres
 * that the place lies to the east and north, within `reach`. A line that begins or ends at sea must cross 3 km more at that end: the map's
 * shores are up to 2.5 km off, and small islands are missing. A line that meets no shore never counts.
 */
export function seaAround(
	gazetteer: Gazetteer,
	key: number,
	x: number,
	y: number,
	reach: number,
): (east: number, north: number) => boolean {
	let lines: Line[] | undefined;
	return (east, north) => {
		const distance = Math.hypot(east, north);
		// Most places that are asked about are this near, and the map's lines are many.
		if (distance < SEA_METRES) return false;
		lines ??= linesAround(gazetteer, x, y, reach);
		const crossings: Array<{ metres: number; code: number }> = [];
		for (const { x1, y1, x2, y2, code } of lines) {
			if (east * y1 >= north * x1 === east * y2 >= north * x2) continue;
			const way = (x1 * (y2 - y1) - y1 * (x2 - x1)) / (east * (y2 - y1) - north * (x2 - x1));
			if (0 < way && way < 1) crossings.push({ metres: way * distance, code });
		}
		let at = areaAt(gazetteer, key, x, y);
		let shore = SIMPLIFIED_METRES;
		for (const { metres, code } of crossings.sort((a, b) => a.metres - b.metres)) {
			if (at === 0 && metres - shore >= SEA_METRES) return true;
			at ^= code;
			shore = metres;
		}
		return at === 0 && crossings.length > 0 && distance - SIMPLIFIED_METRES - shore >= SEA_METRES;
	};
}
