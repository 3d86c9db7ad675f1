/** Turns territories into edges with an area at each side, and edges into the border cells that look-up reads. */
import { areaAt, type Borders, indexBorders } from "../src/zones/borders.ts";
import { crosses, EDGE_STRIDE, isWest } from "../src/zones/geometry.ts";
import { boxOf, DEEPEST_LEVEL, keyOf, keysAt } from "../src/zones/morton.ts";
import { BORDER_SPLIT } from "../src/zones/shard.ts";
import type { Ring } from "./sources.ts";

/** A border cell with more edges than this is halved. Few edges make look-ups quick, and many cells make them big. */
const EDGES_A_CELL = 4;
/** Level up to which border cells are halved however few edges they have, so that most of the earth has none near. */
const COARSEST_LEVEL = 15;

/** Grid units in a lattice step. */
export const UNITS_PER_STEP = 100;

/** All edges between areas, in the order in which outlines first draw them. Area 0 is no area. */
export interface Arrangement {
	/** as drawn, x1, y1, x2, y2 in lattice steps */
	drawn: Int32Array;
	/** the same, southern end first, as look-up wants them */
	edges: Int32Array;
	/** the two areas each edge parts, in no order */
	sides: Array<[number, number]>;
	/** exclusive or of the two */
	codes: Uint16Array;
}

/** Joins the outlines of areas 1, 2, ...: an edge drawn by two areas parts them, one drawn once borders on no area. */
export function arrange(areas: readonly Ring[][]): Arrangement {
	const found = new Map<string, { ends: [number, number, number, number]; owners: number[] }>();
	areas.forEach((rings, index) => {
		for (const ring of rings) {
			for (let at = 0; at < ring.length; at += 2) {
				const next = (at + 2) % ring.length;
				const [x1, y1, x2, y2] = [ring[at]!, ring[at + 1]!, ring[next]!, ring[next + 1]!];
				if (x1 === x2 && y1 === y2) continue;
				const key = x1 < x2 || (x1 === x2 && y1 < y2) ? `${x1},${y1},${x2},${y2}` : `${x2},${y2},${x1},${y1}`;
				const edge = found.get(key) ?? { ends: [x1, y1, x2, y2], owners: [] };
				edge.owners.push(index + 1);
				found.set(key, edge);
			}
		}
	});
	const kept = [...found.values()].flatMap(({ ends, owners }) => {
		if (owners.length > 2) throw new Error(`the edge ${ends} is drawn ${owners.length} times`);
		const sides: [number, number] = [owners[0]!, owners[1] ?? 0];
		return sides[0] === sides[1] ? [] : [{ ends, sides }];
	});
	return {
		drawn: Int32Array.from(kept.flatMap(({ ends }) => ends)),
		edges: Int32Array.from(
			kept.flatMap(({ ends: [x1, y1, x2, y2] }) => (y1 <= y2 ? [x1, y1, x2, y2] : [x2, y2, x1, y1])),
		),
		sides: kept.map(({ sides }) => sides),
		codes: Uint16Array.from(kept, ({ sides: [a, b] }) => a ^ b),
	};
}

/** Area at a grid point by walking west from it to the end of the map, where no area is. */
export function areaByWalkingWest({ edges, codes }: Arrangement, x: number, y: number): number {
	let area = 0;
	for (let edge = 0; edge < codes.length; edge++) {
		const spans =
			edges[edge * EDGE_STRIDE + 1]! * UNITS_PER_STEP <= y && y < edges[edge * EDGE_STRIDE + 3]! * UNITS_PER_STEP;
		if (spans && !isWest(edges, edge, x, y)) area ^= codes[edge]!;
	}
	return area;
}

/** Whether an edge can part two grid points of a cell; exact, but for edges that only pass near a corner. */
function passesThrough(edges: Int32Array, edge: number, key: number, level: number): boolean {
	const { south, west, north, east } = boxOf(key, level);
	const [x1, y1, x2, y2] = [0, 1, 2, 3].map((part) => edges[edge * EDGE_STRIDE + part]! * UNITS_PER_STEP) as [
		number,
		number,
		number,
		number,
	];
	if (y2 <= south || y1 >= north || Math.max(x1, x2) <= west || Math.min(x1, x2) >= east) return false;
	const corner = isWest(edges, edge, west, south);
	return (
		corner !== isWest(edges, edge, east - 1, south) ||
		corner !== isWest(edges, edge, west, north - 1) ||
		corner !== isWest(edges, edge, east - 1, north - 1)
	);
}

/** Numbers of the edges among `candidates` that pass through a cell. */
export function edgesThrough(edges: Int32Array, candidates: readonly number[], key: number, level: number): number[] {
	return candidates.filter((edge) => passesThrough(edges, edge, key, level));
}

/** Border cells of one cell, as look-up reads them, and the same as the nodes of a tree, as a shard stores it. */
export interface BorderCells extends Borders {
	tree: number[];
}

/** Halves a cell until each piece has few edges. `candidates` are numbers of edges; the cell keeps their numbering. */
export function cutBorders(
	edges: Int32Array,
	codes: Uint16Array,
	candidates: readonly number[],
	key: number,
	level: number,
	areaOfCorner: number,
): BorderCells {
	const starts: number[] = [];
	const areas: number[] = [];
	const firstEdges: number[] = [];
	const edgeList: number[] = [];
	const tree: number[] = [];
	const cut = (within: readonly number[], start: number, depth: number, area: number): void => {
		const isCoarse = within.length > 0 && depth < COARSEST_LEVEL;
		if ((within.length > EDGES_A_CELL || isCoarse) && depth < DEEPEST_LEVEL) {
			tree.push(BORDER_SPLIT);
			cut(edgesThrough(edges, within, start, depth + 1), start, depth + 1, area);
			const second = start + keysAt(depth + 1);
			const from = boxOf(start, depth);
			const to = boxOf(second, depth + 1);
			const crossed = within.filter((edge) => crosses(edges, edge, from.west, from.south, to.west, to.south));
			const areaOfSecond = crossed.reduce((at, edge) => at ^ codes[edge]!, area);
			cut(edgesThrough(edges, within, second, depth + 1), second, depth + 1, areaOfSecond);
			return;
		}
		starts.push(start);
		areas.push(area);
		firstEdges.push(edgeList.length);
		tree.push(1 + 2 * area + (within.length > 0 ? 1 : 0));
		if (within.length === 0) return;
		tree.push(within.length);
		within.forEach((edge, index) => {
			tree.push(edge - (index === 0 ? 0 : within[index - 1]! + 1));
			edgeList.push(edge);
		});
	};
	cut(candidates, key, level, areaOfCorner);
	firstEdges.push(edgeList.length);
	const stored = {
		cellStarts: Uint32Array.from(starts),
		cellAreas: Uint16Array.from(areas),
		cellEdges: Uint32Array.from(firstEdges),
		edgeList: Uint16Array.from(edgeList),
		edges,
		edgeCodes: codes,
	};
	return { ...indexBorders(stored, key, level), tree };
}

/** The whole earth's border cells. */
export function cutWorld(arrangement: Arrangement): BorderCells {
	const all = edgesThrough(arrangement.edges, [...arrangement.codes.keys()], 0, 0);
	const { south, west } = boxOf(0, 0);
	return cutBorders(arrangement.edges, arrangement.codes, all, 0, 0, areaByWalkingWest(arrangement, west, south));
}

/** Area of a lattice point. */
export function areaOfLatticePoint(borders: Borders, x: number, y: number): number {
	const gridX = x * UNITS_PER_STEP;
	const gridY = y * UNITS_PER_STEP;
	return areaAt(borders, keyOf(gridX, gridY), gridX, gridY);
}
