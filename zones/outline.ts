/** Tells where an area is, cell by cell: from its edges, and from its inside where no edge passes. */
import { keysAt } from "../src/zones/morton.ts";
import { areaOfGridPoint, edgesThrough, type World } from "./borders.ts";

export interface Outline {
	/** all edges of the world that the area is in */
	edges: Int32Array;
	/** numbers of its own edges among them */
	numbers: readonly number[];
	/** whether a grid point is inside */
	holds(x: number, y: number): boolean;
}

/** The outline of one area or, for area 0, of everything that is in no area. */
export function outlineOf(world: World, area: number): Outline {
	const { edges, sides } = world.arrangement;
	return {
		edges,
		numbers: [...sides.keys()].filter((edge) => sides[edge]!.includes(area)),
		holds: (x, y) => areaOfGridPoint(world, x, y) === area,
	};
}

/** The halves of a cell, each with the numbers of the given edges that pass through it. */
export function halve(edges: Int32Array, numbers: readonly number[], key: number, level: number) {
	return [key, key + keysAt(level + 1)].map((half) => ({
		key: half,
		level: level + 1,
		numbers: edgesThrough(edges, numbers, half, level + 1),
	}));
}
