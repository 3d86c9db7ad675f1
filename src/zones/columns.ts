/**
 * The columns that make up a part of the zone index: little-endian arrays of numbers of one width, each beginning at a multiple of four
 * bytes. A column is read as a view of the bytes, so nothing is decoded. All machines that run Workers or Node are little-endian.
 */

/** Alignment of columns in bytes, which views of the widest numbers need. */
const ALIGNMENT = 4;

/** The first position from `at` on where a column may begin. */
export function columnStart(at: number): number {
	return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}

/** Reads columns in the order in which they were written. Each method throws a RangeError if the bytes end before the column does. */
export class ColumnReader {
	readonly #buffer: ArrayBuffer;
	#at: number;

	/** @param from Where the first column begins, in bytes. */
	constructor(buffer: ArrayBuffer, from = 0) {
		this.#buffer = buffer;
		this.#at = from;
	}

	/** Steps over a column, and returns where it begins. */
	#pass(bytes: number): number {
		const start = columnStart(this.#at);
		this.#at = start + bytes;
		return start;
	}

	uint32(count: number): Uint32Array<ArrayBuffer> {
		return new Uint32Array(this.#buffer, this.#pass(4 * count), count);
	}

	int32(count: number): Int32Array<ArrayBuffer> {
		return new Int32Array(this.#buffer, this.#pass(4 * count), count);
	}

	uint16(count: number): Uint16Array<ArrayBuffer> {
		return new Uint16Array(this.#buffer, this.#pass(2 * count), count);
	}

	uint8(count: number): Uint8Array<ArrayBuffer> {
		return new Uint8Array(this.#buffer, this.#pass(count), count);
	}
}
