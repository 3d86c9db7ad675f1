/** Turns territories into edges with an area on each side, and edges into the border cells that look-ups read. */
import { areaAt, type Borders } from "../src/zones/borders.ts";
import { crosses, EDGE_STRIDE, isWest, UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { boxOf, DEEPEST_LEVEL, type GridBox, keyOf, keysAt } from "../src/zones/morton.ts";
import { doubleArea, placeIn, type Ring } from "./sources.ts";

/** A border cell with more edges than this is halved. Few edges a cell make look-ups fast, but many cells make the index large. */
const EDGES_A_CELL = 4;
/** Level up to which border cells are halved however few edges they have, so that most of the earth has no edges to test. */
const COARSEST_LEVEL = 15;

/**
 * All edges between areas, in the order in which outlines first draw them. Area 0 means no area.
 *
 * The end of a path is computed by exclusive or, which requires that no two areas overlap. A few outlines of the source do overlap, in
 * slivers at sea, where the smaller territory prevails. Its area set is therefore a bit of its own: within both outlines, the exclusive or
 * of both area sets shows both. The area set of any other area is its number.
 */
export interface Arrangement {
	/** as drawn, x1, y1, x2, y2 in lattice steps */
	drawn: Int32Array;
	/** the edges with their southern end first, as look-ups need them */
	edges: Int32Array;
	/** the two areas that each edge separates, in no order */
	sides: Array<[number, number]>;
	/** areas drawn over others, in order; the one at index i has the area set 1 << (AREA_BITS + i) */
	overlying: number[];
	/** exclusive or of the area sets on each edge's sides */
	codes: Uint16Array;
}

/** Bits of an area's number: areas have numbers below 2 ** AREA_BITS. */
const AREA_BITS = 8;
/** How many areas may lie over others, so that an area set fits into 15 bits. */
const MOST_OVERLYING = 7;

/** Both ends of an edge in lattice steps. */
export type Ends = [x1: number, y1: number, x2: number, y2: number];

export interface FoundEdge {
	ends: Ends;
	/** the areas that it separates, in no order */
	sides: [number, number];
}

/** A text that identifies an edge, in whichever direction it is drawn. */
export function edgeKey([x1, y1, x2, y2]: Ends): string {
	return x1 < x2 || (x1 === x2 && y1 < y2) ? `${x1},${y1},${x2},${y2}` : `${x2},${y2},${x1},${y1}`;
}

/** An edge that outlines draw. */
export interface DrawnEdge {
	ends: Ends;
	/** the areas whose outlines draw it an odd number of times */
	owners: number[];
}

/** The edges of lines of points; edges with the same two ends are joined. */
export function joinLines(lines: ReadonlyArray<{ points: readonly number[]; owners: readonly number[] }>): DrawnEdge[] {
	const found = new Map<string, DrawnEdge>();
	for (const { points, owners } of lines) {
		for (let at = 0; at + 3 < points.length; at += 2) {
			const [x1, y1, x2, y2] = [points[at]!, points[at + 1]!, points[at + 2]!, points[at + 3]!];
			if (x1 === x2 && y1 === y2) continue;
			const key = edgeKey([x1, y1, x2, y2]);
			const edge = found.get(key) ?? { ends: [x1, y1, x2, y2], owners: [] };
			for (const owner of owners) {
				const place = edge.owners.indexOf(owner);
				if (place < 0) edge.owners.push(owner);
				else edge.owners.splice(place, 1);
			}
			found.set(key, edge);
		}
	}
	return [...found.values()].filter(({ owners }) => owners.length > 0);
}

/** The edges of the outlines of areas 1, 2, ...; edges with the same two ends are joined. */
export function edgesOfAreas(areas: ReadonlyArray<readonly Ring[]>): DrawnEdge[] {
	return joinLines(
		areas.flatMap((rings, index) =>
			rings.map((ring) => ({ points: [...ring, ring[0]!, ring[1]!], owners: [index + 1] })),
		),
	);
}

/** Areas that lie over a larger one: an edge of either, drawn by it alone, meets the other's inside. A point shared with it is no overlap. */
function findOverlying(areas: ReadonlyArray<readonly Ring[]>, edges: readonly FoundEdge[]): number[] {
	const size = (area: number) => areas[area - 1]!.reduce((sum, ring) => sum + doubleArea(ring), 0);
	const lonely = edges.filter(({ sides }) => sides[1] === 0);
	const overlying = new Set<number>();
	for (const {
		ends,
		sides: [area],
	} of lonely) {
		for (const {
			ends: others,
			sides: [other],
		} of lonely) {
			if (area !== other && doCross(ends, others)) overlying.add(size(area) < size(other) ? area : other);
		}
		const [x, y] = [(ends[0] + ends[2]) / 2, (ends[1] + ends[3]) / 2];
		areas.forEach((rings, index) => {
			const other = index + 1;
			if (other !== area && placeIn(rings, x, y) === "inside") overlying.add(size(area) < size(other) ? area : other);
		});
	}
	return [...overlying].sort((a, b) => a - b);
}

/** Whether two edges cross at a point that ends neither. */
export function doCross(a: Ends, b: Ends): boolean {
	const turn = (ends: Ends, x: number, y: number) =>
		Math.sign((ends[2] - ends[0]) * (y - ends[1]) - (x - ends[0]) * (ends[3] - ends[1]));
	return turn(a, b[0], b[1]) * turn(a, b[2], b[3]) < 0 && turn(b, a[0], a[1]) * turn(b, a[2], a[3]) < 0;
}

/** Joins the outlines of areas 1, 2, ... An edge drawn by two areas separates them; one drawn once borders on no area. */
export function arrange(areas: ReadonlyArray<readonly Ring[]>): Arrangement {
	const kept = edgesOfAreas(areas).map(({ ends, owners: [area = 0, beyond = 0, ...others] }): FoundEdge => {
		if (others.length > 0) throw new Error(`the edge ${ends} is drawn ${others.length + 2} times`);
		return { ends, sides: [area, beyond] };
	});
	const overlying = findOverlying(areas, kept);
	if (areas.length >= 2 ** AREA_BITS || overlying.length > MOST_OVERLYING) {
		throw new Error(`${areas.length} areas, ${overlying.length} of them over others, do not fit the area sets`);
	}
	return arrangementOf(kept, overlying);
}

/** The arrangement of edges that meet only at their ends, except for those of areas that lie over others. */
export function arrangementOf(kept: readonly FoundEdge[], overlying: number[]): Arrangement {
	return {
		drawn: Int32Array.from(kept.flatMap(({ ends }) => ends)),
		edges: Int32Array.from(
			kept.flatMap(({ ends: [x1, y1, x2, y2] }) => (y1 <= y2 ? [x1, y1, x2, y2] : [x2, y2, x1, y1])),
		),
		sides: kept.map(({ sides }) => sides),
		overlying,
		codes: Uint16Array.from(
			kept,
			({ sides: [a, b] }) => areaSetOf(a, overlying, AREA_BITS) ^ areaSetOf(b, overlying, AREA_BITS),
		),
	};
}

/** The area set that stands for one area: its number, or a bit of its own if it lies over others. */
function areaSetOf(area: number, overlying: readonly number[], bits: number): number {
	const place = overlying.indexOf(area);
	return place < 0 ? area : 2 ** (bits + place);
}

/** Every area in an area set. */
export function areasInSet(areaSet: number, overlying: readonly number[]): number[] {
	const over = overlying.filter((_, place) => areaSet & (2 ** (AREA_BITS + place)));
	const plain = areaSet % 2 ** AREA_BITS;
	return plain === 0 ? over : [plain, ...over];
}

/** The area that prevails in an area set: the last of the overlying ones in it, else the number itself. */
export function areaOfSet(areaSet: number, overlying: readonly number[], bits = AREA_BITS): number {
	for (let place = overlying.length - 1; place >= 0; place--) {
		if (areaSet & (1 << (bits + place))) return overlying[place]!;
	}
	return areaSet;
}

/** The area set at a grid point, found by walking west from it to the end of the map, where there is no area. */
export function areaSetByWalkingWest({ edges, codes }: Arrangement, x: number, y: number): number {
	let area = 0;
	for (let edge = 0; edge < codes.length; edge++) {
		const spans =
			edges[edge * EDGE_STRIDE + 1]! * UNITS_PER_STEP <= y && y < edges[edge * EDGE_STRIDE + 3]! * UNITS_PER_STEP;
		if (spans && !isWest(edges, edge * EDGE_STRIDE, x, y)) area ^= codes[edge]!;
	}
	return area;
}

/**
 * Whether the edge at index `at` of an edge array can separate two grid points of a cell's box; exact except for edges that only pass near
 * a corner.
 */
function passesThrough(edges: Int32Array, at: number, { south, west, north, east }: GridBox): boolean {
	if (edges[at + 3]! * UNITS_PER_STEP <= south || edges[at + 1]! * UNITS_PER_STEP >= north) return false;
	const [x1, x2] = [edges[at]! * UNITS_PER_STEP, edges[at + 2]! * UNITS_PER_STEP];
	if ((x1 <= west && x2 <= west) || (x1 >= east && x2 >= east)) return false;
	const corner = isWest(edges, at, west, south);
	return (
		corner !== isWest(edges, at, east - 1, south) ||
		corner !== isWest(edges, at, west, north - 1) ||
		corner !== isWest(edges, at, east - 1, north - 1)
	);
}

/** Numbers of the edges among `candidates` that pass through a cell. */
export function edgesThrough(edges: Int32Array, candidates: readonly number[], key: number, level: number): number[] {
	const box = boxOf(key, level);
	return candidates.filter((edge) => passesThrough(edges, edge * EDGE_STRIDE, box));
}

/** A cell that few edges pass through. */
interface BorderCell {
	/** its first key */
	key: number;
	/** area of its south-west grid point */
	area: number;
	/** numbers of the edges that pass through it */
	edges: readonly number[];
}

/** Halves a cell until each piece has few edges. `candidates` are numbers of edges; the pieces keep their numbering, and come in the order of their keys. */
export function cutBorders(
	edges: Int32Array,
	codes: Uint16Array,
	candidates: readonly number[],
	key: number,
	level: number,
	areaOfCorner: number,
): BorderCell[] {
	const cells: BorderCell[] = [];
	const cut = (within: readonly number[], start: number, depth: number, area: number): void => {
		const isCoarse = within.length > 0 && depth < COARSEST_LEVEL;
		if ((within.length <= EDGES_A_CELL && !isCoarse) || depth === DEEPEST_LEVEL) {
			cells.push({ key: start, area, edges: within });
			return;
		}
		cut(edgesThrough(edges, within, start, depth + 1), start, depth + 1, area);
		const second = start + keysAt(depth + 1);
		const from = boxOf(start, depth);
		const to = boxOf(second, depth + 1);
		const crossed = within.filter((edge) =>
			crosses(edges, edge * EDGE_STRIDE, from.west, from.south, to.west, to.south),
		);
		const areaOfSecond = crossed.reduce((at, edge) => at ^ codes[edge]!, area);
		cut(edgesThrough(edges, within, second, depth + 1), second, depth + 1, areaOfSecond);
	};
	cut(candidates, key, level, areaOfCorner);
	return cells;
}

/** The borders of the whole earth, ready for look-ups. */
export interface World {
	arrangement: Arrangement;
	borders: Borders;
}

export function cutWorld(arrangement: Arrangement): World {
	const all = edgesThrough(arrangement.edges, [...arrangement.codes.keys()], 0, 0);
	const { south, west } = boxOf(0, 0);
	const corner = areaSetByWalkingWest(arrangement, west, south);
	const { edges, codes } = arrangement;
	const cells = cutBorders(edges, codes, all, 0, 0, corner);
	let end = 0;
	return {
		arrangement,
		borders: {
			cellStarts: Uint32Array.from(cells, ({ key }) => key),
			cellAreas: Uint16Array.from(cells, ({ area }) => area),
			cellEnds: Uint32Array.from(cells, (cell) => (end += cell.edges.length)),
			cellEdges: Uint32Array.from(cells.flatMap((cell) => cell.edges)),
			edges,
			codes,
		},
	};
}

/** Area of a grid point, or 0. */
export function areaOfGridPoint({ arrangement, borders }: World, x: number, y: number): number {
	return areaOfSet(areaAt(borders, keyOf(x, y), x, y), arrangement.overlying);
}
