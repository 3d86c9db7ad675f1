/**
 * One part of the gazetteer of the zone index in memory: the places in and around a cell of the earth, and the lines of first-level
 * divisions in the cell. zones/FORMAT.md, "Gazetteer", describes every byte.
 */
import type { Borders } from "./borders.ts";
import { ColumnReader } from "./columns.ts";
import { readEdges } from "./edges.ts";
import { type Names, nameIn } from "./names.ts";
import { readSums } from "./sums.ts";

/** Places lie on a lattice of 1e-4 degree: 11 m. */
export const PLACE_STEPS_PER_DEGREE = 10_000;

/** The country of a region that is none: that of names which places had before they were renamed. */
export const NO_COUNTRY = 65_535;

export interface Gazetteer extends Borders, Names {
	/** where the regions of each division on the map, from 1 on, end in divisionRegions; they begin where those of the previous one end */
	divisionEnds: Uint16Array;
	/** numbers of regions, from 0 on: a division on the map is one region of today, or several if the map lacks the lines between them */
	divisionRegions: Uint16Array;
	/** number of each region's country in the directory */
	regionCountries: Uint16Array;
	/** number of each region's name, from 1 on; 0 stands for a part of a country whose region is unknown */
	regionNames: Uint16Array;
	/** longitude and latitude of each place, in steps of 1e-4 degree */
	placeXs: Int32Array;
	placeYs: Int32Array;
	/** population of each place as an encoded number, see peopleOf */
	placePeople: Uint8Array;
	/** number of each place's region */
	placeRegions: Uint16Array;
	/** number of each place's name, from 1 on */
	placeNames: Uint16Array;
	/** number of the city, from 1 on, of which a place is a section, or of the place that had a name before; 0 for other places */
	placeCities: Uint16Array;
	/** size in memory in bytes, for the limit on what is cached */
	memoryBytes: number;
}

/**
 * How many numbers a part begins with: the counts of divisions, their regions, regions, places, names, bytes of text and edges, then the
 * code of the division at the south-west corner of the cell.
 */
const COUNTS = 8;

/**
 * Turns differences into their running sums, in place. Iterators, here and in firstNumbers, would cost a new process 1.5 ms of the 4 ms of
 * its first look-up.
 */
function summed<Numbers extends Int32Array | Uint16Array>(differences: Numbers): Numbers {
	for (let at = 1; at < differences.length; at++) differences[at]! += differences[at - 1]!;
	return differences;
}

/** The first `count` whole numbers, from 0 on. */
function firstNumbers(count: number): Uint32Array {
	const numbers = new Uint32Array(count);
	for (let at = 0; at < count; at++) numbers[at] = at;
	return numbers;
}

/**
 * Reads the decompressed payload of a part; the result holds views of it. Few look-ups need its map, so its edges are not split into
 * cells: each look-up tries all of them.
 * @param start First Morton key of its cell, from the directory.
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
 * The code of a division in the edges of a map: its number doubled, and one more if that makes the count of one-bits odd. Where two
 * outlines overlap, the exclusive or of their codes has an even count of one-bits and stands for no division.
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

/** How many numbers encode the populations from one power of two to the next. */
const STEPS_A_DOUBLING = 8;

/**
 * Encodes a population as a number from 0 to 255, exact to within a sixteenth: 8 for each doubling, and the eighths of the way to the
 * next. 0 stands for an unknown population.
 */
export function peopleNumber(population: number): number {
	const people = Math.min(2 ** 31, Math.floor(population));
	if (people < 1) return 0;
	const doublings = 31 - Math.clz32(people);
	return Math.min(255, 1 + STEPS_A_DOUBLING * doublings + Math.floor((people / 2 ** doublings - 1) * STEPS_A_DOUBLING));
}

/** The approximate population that a number encodes: the middle of its range, because a city's disc would otherwise end short. */
export function peopleOf(number: number): number {
	if (number === 0) return 0;
	const doublings = Math.floor((number - 1) / STEPS_A_DOUBLING);
	return 2 ** doublings * (1 + (((number - 1) % STEPS_A_DOUBLING) + 0.5) / STEPS_A_DOUBLING);
}
