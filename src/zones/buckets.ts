/** Searches in sorted lists of Morton keys. */

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

/** Halvings of the earth that make the buckets of a list: 65,536 of them, about as fine as the shards of official zones. */
const BUCKET_LEVELS = 16;
/** A key's bucket is the key shifted right by this. */
const BUCKET_SHIFT = 32 - BUCKET_LEVELS;

/**
 * A shortcut into a list of sorted keys of which the first is 0: for each bucket, an equal part of all keys, and for one past the last, the
 * last entry at or before the bucket's first key. Most searches end as they begin.
 */
export function bucketsOf(sorted: Uint32Array): Uint16Array {
	const firsts = new Uint16Array(2 ** BUCKET_LEVELS + 1);
	const bucketFrom = (at: number) => (at < sorted.length ? Math.ceil(sorted[at]! / 2 ** BUCKET_SHIFT) : firsts.length);
	for (let at = 0; at < sorted.length; at++) firsts.fill(at, bucketFrom(at), bucketFrom(at + 1));
	return firsts;
}

/** Index of the last entry of a list at or before a key, by the list's buckets. */
export function lastInBucket(firsts: Uint16Array, sorted: Uint32Array, key: number): number {
	const bucket = key >>> BUCKET_SHIFT;
	return lastAtOrBefore(sorted, key, firsts[bucket]! + 1, firsts[bucket + 1]! + 1);
}
