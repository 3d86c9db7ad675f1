/** What is proved of a zone index before a registry serves it. */
import { FIRST_READ_BYTES, readDirectory, ZoneIndexError } from "../src/zones/format.ts";
import { decodeShard } from "../src/zones/locate.ts";

/**
 * Reads a whole index, every shard of it.
 * @throws ZoneIndexError naming what is wrong with it.
 */
async function readWhole(index: Uint8Array): Promise<void> {
	const directory = readDirectory(index.subarray(0, FIRST_READ_BYTES));
	if (index.length !== directory.fileBytes) {
		throw new ZoneIndexError("truncated", `${index.length} bytes, and its header says ${directory.fileBytes}`);
	}
	for (let number = 0; number < directory.shardStarts.length; number += 1) {
		const stored = index.subarray(directory.shardOffsets[number], directory.shardOffsets[number + 1]);
		await decodeShard(directory, number, stored);
	}
}

/**
 * Proves that a zone index may be published.
 * @param next The index about to be published.
 * @param published The one that the registry serves now; undefined in a new registry.
 * @throws ZoneIndexError when `next` is damaged.
 */
export async function proveIndex(next: Uint8Array, published: Uint8Array | undefined): Promise<void> {
	// A copy, since a Buffer's `slice` is a view, which the reader of the header takes for a copy.
	await readWhole(new Uint8Array(next));
	if (!published) return;
	// The editions' check belongs here: it refuses `next` where it gives a number of `published` other ground.
}
