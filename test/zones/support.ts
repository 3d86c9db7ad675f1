/** What the tests and benchmarks of the zones share: the published index in memory. */
import { readFileSync } from "node:fs";
import { decodeShard } from "../../src/zones/decode.ts";
import { type Directory, directoryEnd, readDirectory } from "../../src/zones/format.ts";
import type { ReadRange } from "../../src/zones/open-index.ts";
import type { Shard } from "../../src/zones/shard.ts";

export const INDEX_FILE = `${import.meta.dirname}/../../zones/world.zones`;

export function readIndexFile(): Uint8Array<ArrayBuffer> {
	return new Uint8Array(readFileSync(INDEX_FILE));
}

/** Where the directory of an index ends, and its credits begin. */
export function directoryEndOf(file: Uint8Array): number {
	const { shardStarts, countries, gazetteerStarts } = readDirectory(file);
	return directoryEnd(shardStarts.length, countries.length, gazetteerStarts.length);
}

/** Reads ranges of bytes in memory, and counts what is read. */
export function memorySource(bytes: Uint8Array, etag = "one"): { read: ReadRange; reads: Array<[number, number]> } {
	const reads: Array<[number, number]> = [];
	return {
		reads,
		read: async (offset, length) => {
			const part = bytes.slice(offset, offset + length);
			reads.push([offset, part.length]);
			return { bytes: part, etag };
		},
	};
}

/** The directory and every shard of an index, decoded. */
export function decodeAll(file: Uint8Array): { directory: Directory; shards: Shard[] } {
	const directory = readDirectory(file);
	const shards: Shard[] = [];
	for (let number = 0; number < directory.shardStarts.length; number++) {
		const stored = file.slice(directory.partOffsets[number]!, directory.partOffsets[number + 1]!);
		shards.push(decodeShard(directory, number, stored));
	}
	return { directory, shards };
}
