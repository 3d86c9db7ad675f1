/**
 * Cuts a territory, or what official zones leave of it, into zones: halves the earth again and again until each piece has few enough
 * people and is small enough.
 */
import { boxOf, DEEPEST_LEVEL, keysAt } from "../src/zones/morton.ts";
import { sidesOfCell } from "./earth.ts";
import type { Land } from "./land.ts";
import type { KeptCells } from "./numbering.ts";
import { halve, type Outline } from "./outline.ts";
import { countIn, type People } from "./population.ts";

/** People in a zone if the numbers suffice: about 9,091 addresses, with 1.65 people each. */
const PEOPLE_A_ZONE = 15_000;
/** How far across zones on land are at most, in kilometres, if the numbers suffice: an hour's walk. */
const NARROWEST_KM = 5;
/** If a country has too many people for its numbers, this many tenths of the numbers may still be spent on narrow zones. */
const NARROW_BUDGET_TENTHS = 1;
/** By what factor zones may become wider than that if their people then stay at PEOPLE_A_ZONE. */
const WIDER_FOR_FEWER_PEOPLE = 2;
/** Ratio between two widths or two populations that are tried one after the other. */
const STEP_UP = 1.02;

/** One cell of a territory. */
export interface Piece {
	key: number;
	level: number;
	people: number;
	/** its longer side */
	widthKm: number;
	/** geometric mean of its sides, which halving shortens evenly */
	acrossKm: number;
	/** whether it holds dry land or people; open water may be of any width */
	inhabitable: boolean;
	/** for each outline, the numbers of its edges that pass through */
	edges: ReadonlyArray<readonly number[]>;
}

/** A piece that caches its halves once they have been asked for, because the search for limits walks the same tree again and again. */
interface Cell extends Piece {
	halves: Cell[] | undefined;
}

interface Limits {
	people: number;
	acrossKm: number;
}

/** Halves pieces of what is within all outlines on demand, and caches the halves. */
class Cutter {
	readonly #outlines: readonly Outline[];
	readonly #people: People;
	readonly #land: Land;

	constructor(outlines: readonly Outline[], people: People, land: Land) {
		this.#outlines = outlines;
		this.#people = people;
		this.#land = land;
	}

	earth(): Cell {
		return this.#piece(
			0,
			0,
			this.#outlines.map(({ numbers }) => numbers),
		);
	}

	#piece(key: number, level: number, edges: Piece["edges"]): Cell {
		const isLand = this.#land.touches(key, level);
		const listed = countIn(this.#people.listed, key, level);
		const people = listed + (isLand ? countIn(this.#people.unlisted, key, level) : 0);
		const inhabitable = isLand || people > 0;
		const sides = sidesOfCell(key, level);
		const widthKm = Math.max(sides[0], sides[1]);
		const acrossKm = Math.sqrt(sides[0] * sides[1]);
		return { key, level, people, widthKm, acrossKm, inhabitable, edges, halves: undefined };
	}

	/**
	 * The halves that hold a part of what is within: an outline passes through them, or they are within all. If several outlines pass through
	 * a half, its finest cells decide; one that several pass through counts as a part.
	 */
	halvesOf(piece: Cell): Cell[] {
		piece.halves ??= this.#cut(piece);
		return piece.halves;
	}

	#cut(piece: Cell): Cell[] {
		if (piece.edges.every(({ length }) => length === 0)) {
			// No outline passes through, so both halves are within, like the piece.
			const middle = piece.key + keysAt(piece.level + 1);
			return [piece.key, middle].map((key) => this.#piece(key, piece.level + 1, piece.edges));
		}
		const cut = this.#outlines.map(({ edges }, index) => halve(edges, piece.edges[index]!, piece.key, piece.level));
		return cut[0]!.flatMap(({ key, level }, half) => {
			const edges = cut.map((halves) => halves[half]!.numbers);
			const { west, south } = boxOf(key, level);
			if (!this.#outlines.every((outline, index) => edges[index]!.length > 0 || outline.holds(west, south))) return [];
			const part = this.#piece(key, level, edges);
			const isSure = level === DEEPEST_LEVEL || edges.filter(({ length }) => length > 0).length < 2;
			return isSure || this.halvesOf(part).length > 0 ? [part] : [];
		});
	}
}

function isTooBig(piece: Piece, limits: Limits): boolean {
	if (piece.level === DEEPEST_LEVEL) return false;
	return piece.people > limits.people || (piece.inhabitable && piece.acrossKm > limits.acrossKm);
}

/** How many zones the limits lead to; counting stops at some number above `enough`. */
function countZones(cutter: Cutter, piece: Cell, limits: Limits, enough: number): number {
	if (!isTooBig(piece, limits)) return 1;
	let count = 0;
	for (const half of cutter.halvesOf(piece)) {
		count += countZones(cutter, half, limits, enough - count);
		if (count > enough) break;
	}
	return count;
}

/**
 * Gathers zones: where there were zones they stay as they are, and elsewhere the limits decide.
 * @param limits Called only for new ground, because finding the limits is most of the work.
 */
function gatherZones(cutter: Cutter, piece: Cell, limits: () => Limits, kept: KeptCells, into: Piece[]): void {
	const isKept = kept.numberOf(piece.key, piece.level) !== undefined;
	if (isKept || piece.level === DEEPEST_LEVEL || !(kept.meets(piece.key, piece.level) || isTooBig(piece, limits()))) {
		const { halves, ...zone } = piece;
		into.push(zone);
		return;
	}
	for (const half of cutter.halvesOf(piece)) gatherZones(cutter, half, limits, kept, into);
}

/** The smallest of the values start, start * STEP_UP, ... that is good enough. All larger ones must be so too. */
function smallest(start: number, isGood: (value: number) => boolean): number {
	const values = [start];
	let last = 0;
	while (!isGood(values[last]!)) {
		const next = 2 * last + 1;
		while (values.length <= next) values.push(values.at(-1)! * STEP_UP);
		last = next;
	}
	let first = (last + 1) >> 1;
	while (first < last) {
		const middle = (first + last) >> 1;
		if (isGood(values[middle]!)) last = middle;
		else first = middle + 1;
	}
	return values[last]!;
}

/** The limits of people and width: as few and as narrow as `budget` zones allow. */
function chooseLimits(cutter: Cutter, earth: Cell, budget: number): Limits {
	const narrowBudget = Math.max(1, Math.floor((budget * NARROW_BUDGET_TENTHS) / 10));
	const fits = (limits: Limits, most: number) => countZones(cutter, earth, limits, most) <= most;
	const narrow = smallest(NARROWEST_KM, (acrossKm) => fits({ people: Infinity, acrossKm }, narrowBudget));
	const widest = narrow * WIDER_FOR_FEWER_PEOPLE;
	if (fits({ people: PEOPLE_A_ZONE, acrossKm: widest }, budget)) {
		const acrossKm = smallest(NARROWEST_KM, (km) => fits({ people: PEOPLE_A_ZONE, acrossKm: km }, budget));
		return { people: PEOPLE_A_ZONE, acrossKm };
	}
	return {
		people: smallest(PEOPLE_A_ZONE, (people) => fits({ people, acrossKm: narrow }, budget)),
		acrossKm: narrow,
	};
}

/**
 * Zones of what is within all outlines, in Morton order; empty if nothing is.
 * @param budget How many zones there may be if none are retained, at least 1.
 * @param kept Cells of zones of the previous edition.
 */
export function partition(
	outlines: readonly Outline[],
	people: People,
	land: Land,
	budget: number,
	kept: KeptCells,
): Piece[] {
	const cutter = new Cutter(outlines, people, land);
	const earth = cutter.earth();
	const zones: Piece[] = [];
	let chosen: Limits | undefined;
	const limits = () => {
		chosen ??= chooseLimits(cutter, earth, budget);
		return chosen;
	};
	if (cutter.halvesOf(earth).length > 0) gatherZones(cutter, earth, limits, kept, zones);
	return zones;
}
