/**
 * A column of whole numbers stored as differences, which compress well. The first number of each block is stored whole, and the others are
 * summed when they are asked for. Summing all of them ahead would cost a new isolate milliseconds.
 */
import type { ColumnReader } from "./columns.ts";
import { lastAtOrBefore } from "./morton.ts";

export interface Sums {
	/** the number at the first position of each block */
	firsts: Uint32Array;
	/** at each position the difference from the number before it; 0 at the first position of a block */
	differences: Int32Array;
}

const BLOCK_SHIFT = 5;
/** Positions in a block. */
export const SUMS_BLOCK = 2 ** BLOCK_SHIFT;

/** Reads `count` numbers. @throws RangeError where the bytes end before them. */
export function readSums(columns: ColumnReader, count: number): Sums {
	return { firsts: columns.uint32(Math.ceil(count / SUMS_BLOCK)), differences: columns.int32(count) };
}

/** The number at a position. */
export function sumAt({ firsts, differences }: Sums, position: number): number {
	const block = position >>> BLOCK_SHIFT;
	let sum = firsts[block]!;
	for (let at = block << BLOCK_SHIFT; at < position; ) sum += differences[++at]!;
	return sum;
}

/**
 * The last position from `from` to before `to` whose number is at most `most`; `from` if there is none. Numbers must ascend in that range.
 */
export function lastSumAtMost({ firsts, differences }: Sums, most: number, from: number, to: number): number {
	const block = lastAtOrBefore(firsts, most, (from >>> BLOCK_SHIFT) + 1, ((to - 1) >>> BLOCK_SHIFT) + 1);
	let at = block << BLOCK_SHIFT;
	let sum = firsts[block]!;
	while (at < from) sum += differences[++at]!;
	const last = Math.min(to, (block + 1) << BLOCK_SHIFT) - 1;
	while (at < last) {
		sum += differences[at + 1]!;
		if (sum > most) break;
		at += 1;
	}
	return at;
}
