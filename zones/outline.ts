/** Where an area is, cell by cell: its edges, and its inside where none of them passes. */
import { keysAt } from "../src/zones/morton.ts";
import { areaOfGridPoint, edgesThrough, type World } from "./borders.ts";

export interface Outline {
	/** edges of the world that it is in */
	edges: Int32Array;
	/** numbers of its own among them */
	numbers: readonly number[];
	/** whether a grid point is inside */
	holds(x: number, y: number): boolean;
}

/** The outline of one area, or, for area 0, of all that is in none. */
export function outlineOf(world: World, area: number): Outline {
	const { edges, sides } = world.arrangement;
	return {
		edges,
		numbers: [...sides.keys()].filter((edge) => sides[edge]!.includes(area)),
		holds: (x, y) => areaOfGridPoint(world, x, y) === area,
	};
}

/** Halves of a cell, each with the numbers of those of the given edges that pass through it. */
export function halve(edges: Int32Array, numbers: readonly number[], key: number, level: number) {
	return [key, key + keysAt(level + 1)].map((half) => ({
		key: half,
		level: level + 1,
		numbers: edgesThrough(edges, numbers, half, level + 1),
	}));
}
