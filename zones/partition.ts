/** Cuts a territory into zones: halves of halves of the earth, until each holds few enough people and is small enough. */
import { boxOf, DEEPEST_LEVEL, keysAt } from "../src/zones/morton.ts";
import { areaOfGridPoint, edgesThrough, type World } from "./borders.ts";
import { sidesOfCell } from "./earth.ts";
import type { Land } from "./land.ts";
import { type People, peopleIn } from "./population.ts";

/** Zone numbers a country may use at first; the rest of its 10,000 stay in reserve for zones that fill up. */
const ZONE_BUDGET = 8000;
/** People in a zone where the numbers allow it: about 9,091 addresses, 1.65 people to an address. */
const PEOPLE_A_ZONE = 15_000;
/**
 * Zones on land are at most this far across where the numbers allow it. The list has no settlement under 1,000 people: at
 * the 500 people a square kilometre of crowded countryside, 25 km2 hold 12,500.
 */
const NARROWEST_KM = 5;
/** Where a country has too many people for its numbers, so many may go to keeping zones narrow all the same. */
const NARROW_ZONE_BUDGET = 3000;
/** How much wider than that zones may get if their people then stay at PEOPLE_A_ZONE. */
const WIDER_FOR_FEWER_PEOPLE = 2;
/** Ratio between two widths or two populations that are tried one after the other. */
const STEP_UP = 1.04;

/** One cell of a territory. */
export interface Piece {
	key: number;
	level: number;
	people: number;
	/** its longer side */
	widthKm: number;
	/** geometric mean of its sides, which halving shortens evenly */
	acrossKm: number;
	/** whether it holds dry land or people; open water may be as wide as it likes */
	inhabitable: boolean;
	/** numbers of the territory's edges that pass through */
	edges: readonly number[];
}

interface Limits {
	people: number;
	acrossKm: number;
}

/** Halves pieces of an area on demand, and remembers their halves. */
class Cutter {
	readonly #halves = new Map<Piece, Piece[]>();
	readonly #world: World;
	readonly #area: number;
	readonly #people: People;
	readonly #land: Land;

	constructor(world: World, area: number, people: People, land: Land) {
		this.#world = world;
		this.#area = area;
		this.#people = people;
		this.#land = land;
	}

	earth(): Piece {
		const { sides } = this.#world.arrangement;
		const edges = [...sides.keys()].filter((edge) => sides[edge]!.includes(this.#area));
		return this.#piece(0, 0, edges);
	}

	#piece(key: number, level: number, edges: readonly number[]): Piece {
		const people = peopleIn(this.#people, key, level);
		const inhabitable = people > 0 || this.#land.touches(key, level);
		const sides = sidesOfCell(key, level);
		const widthKm = Math.max(...sides);
		return { key, level, people, widthKm, acrossKm: Math.sqrt(sides[0] * sides[1]), inhabitable, edges };
	}

	/** The halves that hold a part of the area: its border passes through them, or all of it is in the area. */
	halvesOf(piece: Piece): Piece[] {
		const known = this.#halves.get(piece);
		if (known) return known;
		const level = piece.level + 1;
		const halves = [piece.key, piece.key + keysAt(level)].flatMap((key) => {
			const edges = edgesThrough(this.#world.arrangement.edges, piece.edges, key, level);
			const { west, south } = boxOf(key, level);
			const isPart = edges.length > 0 || areaOfGridPoint(this.#world, west, south) === this.#area;
			return isPart ? [this.#piece(key, level, edges)] : [];
		});
		this.#halves.set(piece, halves);
		return halves;
	}
}

function isTooBig(piece: Piece, limits: Limits): boolean {
	if (piece.level === DEEPEST_LEVEL) return false;
	return piece.people > limits.people || (piece.inhabitable && piece.acrossKm > limits.acrossKm);
}

/** How many zones the limits lead to, or some number above `enough` as soon as that many are counted. */
function countZones(cutter: Cutter, piece: Piece, limits: Limits, enough: number): number {
	if (!isTooBig(piece, limits)) return 1;
	let count = 0;
	for (const half of cutter.halvesOf(piece)) {
		count += countZones(cutter, half, limits, enough - count);
		if (count > enough) break;
	}
	return count;
}

function gatherZones(cutter: Cutter, piece: Piece, limits: Limits, into: Piece[]): void {
	if (!isTooBig(piece, limits)) {
		into.push(piece);
		return;
	}
	for (const half of cutter.halvesOf(piece)) gatherZones(cutter, half, limits, into);
}

/** The smallest of the values start, start * STEP_UP, ... that is good enough. */
function smallest(start: number, isGood: (value: number) => boolean): number {
	let value = start;
	while (!isGood(value)) value *= STEP_UP;
	return value;
}

/** The people and the width an area's zones keep to: as few and as narrow as its numbers reach. */
function chooseLimits(cutter: Cutter, earth: Piece): Limits {
	const fits = (limits: Limits, budget: number) => countZones(cutter, earth, limits, budget) <= budget;
	const narrow = smallest(NARROWEST_KM, (acrossKm) => fits({ people: Infinity, acrossKm }, NARROW_ZONE_BUDGET));
	const widest = narrow * WIDER_FOR_FEWER_PEOPLE;
	if (fits({ people: PEOPLE_A_ZONE, acrossKm: widest }, ZONE_BUDGET)) {
		const acrossKm = smallest(NARROWEST_KM, (km) => fits({ people: PEOPLE_A_ZONE, acrossKm: km }, ZONE_BUDGET));
		return { people: PEOPLE_A_ZONE, acrossKm };
	}
	return {
		people: smallest(PEOPLE_A_ZONE, (people) => fits({ people, acrossKm: narrow }, ZONE_BUDGET)),
		acrossKm: narrow,
	};
}

/** Zones of an area in Morton order; their numbers are their places. */
export function partition(world: World, area: number, people: People, land: Land): Piece[] {
	const cutter = new Cutter(world, area, people, land);
	const earth = cutter.earth();
	const zones: Piece[] = [];
	gatherZones(cutter, earth, chooseLimits(cutter, earth), zones);
	return zones;
}
