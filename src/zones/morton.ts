/**
 * The grid on which zones live.
 *
 * A coordinate is rounded to a whole number of grid units (1e-7 degree, about 1 cm), and the earth is halved 32 times,
 * longitude first, then latitude, in turn: 65,536 columns by 65,536 rows, each cell known by the 32 bits of the halves
 * taken (Morton order). A cell of level L is one of the 2^L pieces after L halvings.
 */

/** Grid units in a degree. */
export const UNITS_PER_DEGREE = 10_000_000;
/** Half of a turn around the earth, in grid units: longitudes run from -HALF_TURN to HALF_TURN. */
const HALF_TURN = 180 * UNITS_PER_DEGREE;
/** Latitudes run from -QUARTER_TURN to QUARTER_TURN grid units. */
const QUARTER_TURN = 90 * UNITS_PER_DEGREE;
/** Columns and rows of the finest level. */
export const CELLS_A_SIDE = 65_536;
/** The finest level: 16 halvings of longitude and 16 of latitude. */
export const DEEPEST_LEVEL = 32;

/** Longitude in degrees to grid units; 180 is the same meridian as -180 and is taken as -180. */
export function gridX(lng: number): number {
	const x = Math.round(lng * UNITS_PER_DEGREE);
	return x === HALF_TURN ? -HALF_TURN : x;
}

/** Latitude in degrees to grid units. */
export function gridY(lat: number): number {
	return Math.round(lat * UNITS_PER_DEGREE);
}

/** Column of the finest level that holds a grid longitude. The product stays below 2^53, so the floor is exact. */
function columnOf(x: number): number {
	return Math.floor(((x + HALF_TURN) * CELLS_A_SIDE) / (2 * HALF_TURN));
}

/** Row of the finest level that holds a grid latitude; the north pole belongs to the last row. */
function rowOf(y: number): number {
	return Math.min(CELLS_A_SIDE - 1, Math.floor(((y + QUARTER_TURN) * CELLS_A_SIDE) / (2 * QUARTER_TURN)));
}

/** Spreads the 16 low bits of a number over the even bits of 32. */
function spread(value: number): number {
	let bits = value & 0xffff;
	bits = (bits | (bits << 8)) & 0x00ff00ff;
	bits = (bits | (bits << 4)) & 0x0f0f0f0f;
	bits = (bits | (bits << 2)) & 0x33333333;
	return (bits | (bits << 1)) & 0x55555555;
}

/** Gathers the even bits of 32: the inverse of `spread`. */
function gather(value: number): number {
	let bits = value & 0x55555555;
	bits = (bits | (bits >>> 1)) & 0x33333333;
	bits = (bits | (bits >>> 2)) & 0x0f0f0f0f;
	bits = (bits | (bits >>> 4)) & 0x00ff00ff;
	return (bits | (bits >>> 8)) & 0xffff;
}

/** Morton key of a column and a row of the finest level. */
export function keyOfCell(column: number, row: number): number {
	return ((spread(column) << 1) | spread(row)) >>> 0;
}

/** Morton key of the finest cell that holds a grid point. */
export function keyOf(x: number, y: number): number {
	return keyOfCell(columnOf(x), rowOf(y));
}

/** Column of the finest level of the cell with a Morton key. */
export function columnOfKey(key: number): number {
	return gather(key >>> 1);
}

/** Row of the finest level of the cell with a Morton key. */
export function rowOfKey(key: number): number {
	return gather(key);
}

/** How many finest columns a cell of this level spans. */
export function columnsAt(level: number): number {
	return 1 << (16 - ((level + 1) >> 1));
}

/** How many finest rows a cell of this level spans. */
export function rowsAt(level: number): number {
	return 1 << (16 - (level >> 1));
}

/** How many keys a cell spans, by its level: a table, because it is asked for very often. */
const KEYS_AT = Float64Array.from({ length: DEEPEST_LEVEL + 1 }, (_, level) => 2 ** (DEEPEST_LEVEL - level));

/** How many keys a cell of this level spans. */
export function keysAt(level: number): number {
	return KEYS_AT[level]!;
}

/** First grid longitude of a column: the smallest whole unit that `columnOf` gives to it. */
export function westOfColumn(column: number): number {
	return Math.ceil((column * 2 * HALF_TURN) / CELLS_A_SIDE) - HALF_TURN;
}

/** First grid latitude of a row: the smallest whole unit that `rowOf` gives to it. */
export function southOfRow(row: number): number {
	return Math.ceil((row * 2 * QUARTER_TURN) / CELLS_A_SIDE) - QUARTER_TURN;
}

/** A box of grid units: south and west belong to it, north and east are where the next cell begins. */
export interface GridBox {
	south: number;
	west: number;
	north: number;
	east: number;
}

/** The box of the cell of a level that starts at a key. */
export function boxOf(key: number, level: number): GridBox {
	const column = columnOfKey(key);
	const row = rowOfKey(key);
	return {
		south: southOfRow(row),
		west: westOfColumn(column),
		north: southOfRow(row + rowsAt(level)),
		east: westOfColumn(column + columnsAt(level)),
	};
}

/** First Morton key and level of the cell with this box, or undefined if no cell has it. */
export function cellOf({ south, west, north, east }: GridBox): { key: number; level: number } | undefined {
	const key = keyOf(west, south);
	for (let level = DEEPEST_LEVEL; level >= 0 && key % keysAt(level) === 0; level--) {
		const cell = boxOf(key, level);
		if (cell.south === south && cell.west === west && cell.north === north && cell.east === east) return { key, level };
	}
	return undefined;
}

/** Index of the last entry of a sorted range that is at most `key`; one before the range when there is none. */
export function lastAtOrBefore(sorted: Uint32Array | Float64Array, key: number, from: number, to: number): number {
	let low = from;
	let high = to;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (sorted[middle]! <= key) low = middle + 1;
		else high = middle;
	}
	return low - 1;
}
