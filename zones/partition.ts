/** Cuts a territory into zones: halves of halves of the earth, until each holds few enough people and is small enough. */
import { boxOf, DEEPEST_LEVEL, keysAt } from "../src/zones/morton.ts";
import { areaOfGridPoint, edgesThrough, type World } from "./borders.ts";
import { widthOfCell } from "./earth.ts";
import type { Land } from "./land.ts";
import { type People, peopleIn } from "./population.ts";

/** Zone numbers a country may use at first; the rest of its 10,000 stay in reserve for zones that fill up. */
export const ZONE_BUDGET = 8000;
/** How many of them may go to keeping zones narrow, however few people the sources know of there. */
const NARROW_ZONE_BUDGET = 3000;
/** People in a zone where the numbers allow it: about 9,091 addresses, 1.65 people to an address. */
export const PEOPLE_A_ZONE = 15_000;
/** Zones on land are at most this wide where the numbers allow it: the list has no settlement under 1,000 people. */
const NARROWEST_KM = 5;
/** How much wider zones may get if that keeps their people at PEOPLE_A_ZONE. */
const WIDER_FOR_FEWER_PEOPLE = [1, 2, 4];
/** Ratio between two widths or two populations that are tried one after the other. */
const STEP_UP = 1.04;

/** One cell of a territory. */
export interface Piece {
	key: number;
	level: number;
	people: number;
	widthKm: number;
	/** whether it holds dry land or people; open water may be as wide as it likes */
	inhabitable: boolean;
	/** numbers of the territory's edges that pass through */
	edges: readonly number[];
}

interface Limits {
	people: number;
	widthKm: number;
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
		return { key, level, people, widthKm: widthOfCell(key, level), inhabitable, edges };
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
	return piece.people > limits.people || (piece.inhabitable && piece.widthKm > limits.widthKm);
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

/** The widths and populations a territory's zones keep to: narrow first, then small, as far as its numbers reach. */
function chooseLimits(cutter: Cutter, earth: Piece): Limits {
	const narrowest = smallest(NARROWEST_KM, (widthKm) => {
		return countZones(cutter, earth, { people: Infinity, widthKm }, NARROW_ZONE_BUDGET) <= NARROW_ZONE_BUDGET;
	});
	const fits = (limits: Limits) => countZones(cutter, earth, limits, ZONE_BUDGET) <= ZONE_BUDGET;
	for (const times of WIDER_FOR_FEWER_PEOPLE) {
		const limits = { people: PEOPLE_A_ZONE, widthKm: narrowest * times };
		if (fits(limits)) return limits;
	}
	return { people: smallest(PEOPLE_A_ZONE, (people) => fits({ people, widthKm: narrowest })), widthKm: narrowest };
}

/** Zones of an area in Morton order; their numbers are their places. */
export function partition(world: World, area: number, people: People, land: Land): Piece[] {
	const cutter = new Cutter(world, area, people, land);
	const earth = cutter.earth();
	const zones: Piece[] = [];
	gatherZones(cutter, earth, chooseLimits(cutter, earth), zones);
	return zones;
}
