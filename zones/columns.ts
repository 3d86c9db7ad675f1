/** Writes the columns of a part of the zone index: the inverse of src/zones/columns.ts. */
import { columnStart } from "../src/zones/columns.ts";
import { SUMS_BLOCK, type Sums } from "../src/zones/sums.ts";

/** Joins columns, each beginning at the next multiple of four bytes. */
export function joinColumns(columns: readonly (Uint8Array | Uint16Array | Uint32Array | Int32Array)[]): Uint8Array {
	const starts: number[] = [];
	let end = 0;
	for (const { byteLength } of columns) {
		starts.push(columnStart(end));
		end = columnStart(end) + byteLength;
	}
	const joined = new Uint8Array(end);
	for (const [index, { buffer, byteOffset, byteLength }] of columns.entries()) {
		joined.set(new Uint8Array(buffer, byteOffset, byteLength), starts[index]!);
	}
	return joined;
}

/** Numbers as differences, see src/zones/sums.ts. */
export function sumsOf(numbers: readonly number[]): Sums {
	return {
		firsts: Uint32Array.from(numbers.filter((_, at) => at % SUMS_BLOCK === 0)),
		differences: Int32Array.from(numbers, (number, at) => (at % SUMS_BLOCK === 0 ? 0 : number - numbers[at - 1]!)),
	};
}
