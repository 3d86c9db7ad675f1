/**
 * One part of the gazetteer of the zone index in memory: the places of a cell of the earth and around it, and the lines of first-level
 * divisions in the cell. zones/FORMAT.md, "Gazetteer", draws every byte.
 */
import type { Borders } from "./borders.ts";
import { ColumnReader } from "./columns.ts";
import { readEdges } from "./edges.ts";
import { type Names, nameIn } from "./names.ts";
import { readSums } from "./sums.ts";

/** Places lie on a lattice of 1e-4 degree: 11 m. */
export const PLACE_STEPS_PER_DEGREE = 10_000;

export interface Gazetteer extends Borders, Names {
	/** regions of each division on the map, from 1 on, end here in divisionRegions; they begin where those of the one before end */
	divisionEnds: Uint16Array;
	/** numbers of regions, from 0 on: a division on the map is one region of today, or several whose lines the map does not have */
	divisionRegions: Uint16Array;
	/** number of each region's country in the directory */
	regionCountries: Uint16Array;
	/** number of each region's name, from 1 on; 0 stands for a part of a country whose region is unknown */
	regionNames: Uint16Array;
	/** longitude and latitude of each place, in steps of 1e-4 degree */
	placeXs: Int32Array;
	placeYs: Int32Array;
	/** how many people each place has, see peopleOf */
	placePeople: Uint8Array;
	/** number of each place's region */
	placeRegions: Uint16Array;
	/** number of each place's name, from 1 on */
	placeNames: Uint16Array;
	/** number of the city, from 1 on, that a place is a section of; 0 for others */
	placeCities: Uint16Array;
	/** size in memory, for the bound on what is cached */
	memoryBytes: number;
}

/**
 * How many numbers begin a part: those of divisions, their regions, regions, places, names, bytes of text and edges, then the code of the
 * division at the corner of the cell.
 */
const COUNTS = 8;

/** Sums of differences. Iterators, here and in firstNumbers, take a new process 1.5 ms of the 4 ms of its first look-up. */
function summed<Numbers extends Int32Array | Uint16Array>(differences: Numbers): Numbers {
	for (let at = 1; at < differences.length; at++) differences[at]! += differences[at - 1]!;
	return differences;
}

/** The numbers from 0 on. */
function firstNumbers(count: number): Uint32Array {
	const numbers = new Uint32Array(count);
	for (let at = 0; at < count; at++) numbers[at] = at;
	return numbers;
}

/**
 * Reads the decompressed payload of a part, of which it keeps views. Few look-ups ask it, so its edges are in no cells: all are tried.
 * @param start First Morton key of its cell, as the directory has it.
 * @throws RangeError where the payload is too short.
 */
export function readGazetteer(payload: ArrayBuffer, start: number): Gazetteer {
	const columns = new ColumnReader(payload);
	const [divisions = 0, shares = 0, regions = 0, places = 0, names = 0, text = 0, edges = 0, corner = 0] =
		columns.uint32(COUNTS);
	return {
		memoryBytes: payload.byteLength + 8 * edges * Int32Array.BYTES_PER_ELEMENT,
		divisionEnds: columns.uint16(divisions),
		divisionRegions: columns.uint16(shares),
		regionCountries: columns.uint16(regions),
		regionNames: columns.uint16(regions),
		placeXs: summed(columns.int32(places)),
		placeYs: summed(columns.int32(places)),
		placePeople: columns.uint8(places),
		placeRegions: columns.uint16(places),
		placeNames: summed(columns.uint16(places)),
		placeCities: columns.uint16(places),
		nameEnds: readSums(columns, names),
		nameText: columns.uint8(text),
		codes: columns.uint16(edges),
		edges: readEdges(columns, edges),
		cellStarts: Uint32Array.of(start),
		cellAreas: Uint16Array.of(corner),
		cellEnds: Uint32Array.of(edges),
		cellEdges: firstNumbers(edges),
	};
}

/**
 * The number that stands for a division in the edges of a map: its own doubled, and one more where that makes its one-bits odd in number.
 * Where outlines overlap, the exclusive or of two of them has an even number of one-bits: it stands for no division.
 */
export function codeOfDivision(division: number): number {
	let bits = division;
	for (const shift of [8, 4, 2, 1]) bits ^= bits >>> shift;
	return division === 0 ? 0 : 2 * division + (bits & 1 ? 0 : 1);
}

/** The division that a code stands for; 0 where it stands for none. */
export function divisionOfCode(code: number): number {
	const division = code >>> 1;
	return codeOfDivision(division) === code ? division : 0;
}

/** Name of a region; "" where it is unknown. */
export function regionName(gazetteer: Gazetteer, region: number): string {
	return nameIn(gazetteer, gazetteer.regionNames[region]!);
}

export function placeName(gazetteer: Gazetteer, place: number): string {
	return nameIn(gazetteer, gazetteer.placeNames[place]!);
}

/** How many numbers stand for populations between a power of two and the next. */
const STEPS_A_DOUBLING = 8;

/**
 * A population as a number of 0 to 255, which is exact to within a sixteenth: 8 for each doubling, and the eighths on the way to the next.
 * 0 is an unknown one.
 */
export function peopleNumber(population: number): number {
	const people = Math.min(2 ** 31, Math.floor(population));
	if (people < 1) return 0;
	const doublings = 31 - Math.clz32(people);
	return Math.min(255, 1 + STEPS_A_DOUBLING * doublings + Math.floor((people / 2 ** doublings - 1) * STEPS_A_DOUBLING));
}

/** About how many people a number stands for: the middle of those, because a city's disc would else end short. */
export function peopleOf(number: number): number {
	if (number === 0) return 0;
	const doublings = Math.floor((number - 1) / STEPS_A_DOUBLING);
	return 2 ** doublings * (1 + (((number - 1) % STEPS_A_DOUBLING) + 0.5) / STEPS_A_DOUBLING);
}
