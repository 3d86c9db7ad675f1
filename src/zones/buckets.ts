/**
 * A shortcut into a sorted list of Morton keys. The keys of a range fall into equal buckets, and `firsts` holds, for each
 * bucket and for one past the last, the last entry at or before the bucket's first key: most searches end as they begin.
 */
export interface Buckets {
	/** first key of the range */
	start: number;
	/** a key's bucket is its distance from start shifted right by this */
	shift: number;
	firsts: Int32Array;
}

/** Most halvings of a range that make its buckets: 1,024 of them. */
const BUCKET_LEVELS = 10;
/** Entries lie unevenly: this many halvings beyond one bucket for each entry. */
const BUCKET_LEVELS_BEYOND = 3;

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

/** Buckets for the entries `from` up to `to` of a sorted list, for keys from `start` to before `end`. */
export function bucketsOf(sorted: Uint32Array, from: number, to: number, start: number, end: number): Buckets {
	const wanted = BUCKET_LEVELS_BEYOND + Math.ceil(Math.log2(Math.max(1, to - from)));
	const most = 2 ** Math.min(BUCKET_LEVELS, wanted);
	const shift = Math.max(0, Math.ceil(Math.log2((end - start) / most)));
	const buckets = Math.ceil((end - start) / 2 ** shift);
	const firsts = Int32Array.from({ length: buckets + 1 }, (_, bucket) =>
		// The first entry also answers for keys before it.
		Math.max(from, lastAtOrBefore(sorted, start + bucket * 2 ** shift, from, to)),
	);
	return { start, shift, firsts };
}

/** Index of the last entry of a sorted list at or before a key. The key must be in the range of the buckets. */
export function lastInBucket({ start, shift, firsts }: Buckets, sorted: Uint32Array, key: number): number {
	return lastBetween(firsts, (key - start) >>> shift, sorted, key);
}

/** Index of the last entry of a sorted list at or before a key, whose bucket is given by its place in `firsts`. */
export function lastBetween(firsts: Int32Array, bucket: number, sorted: Uint32Array, key: number): number {
	let low = firsts[bucket]!;
	let high = firsts[bucket + 1]!;
	while (low < high) {
		const middle = (low + high + 1) >>> 1;
		if (sorted[middle]! <= key) low = middle;
		else high = middle - 1;
	}
	return low;
}
