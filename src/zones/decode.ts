/** Decodes the parts of a zone index: checks, decompresses and reads their stored bytes. */
import { nodeZlib } from "../platform/node.ts";
import { type Directory, partOfCountry, ZoneIndexError } from "./format.ts";
import { type Gazetteer, readGazetteer } from "./gazetteer.ts";
import { type CountryNumbers, readNumbers } from "./numbers.ts";
import type { Shard } from "./shard.ts";
import { readShard } from "./shard-reader.ts";

/** Checks, decompresses and reads a stored part. */
function decodePart<Part>(
	{ partOffsets, partChecksums }: Directory,
	part: number,
	stored: Uint8Array,
	read: (payload: ArrayBuffer) => Part,
): Part {
	const length = partOffsets[part + 1]! - partOffsets[part]!;
	if (stored.length < length) {
		throw new ZoneIndexError("truncated", `${stored.length} bytes of ${length} of part ${part}`);
	}
	if (nodeZlib().crc32(stored) !== partChecksums[part]) {
		throw new ZoneIndexError("corrupt", `the checksum of part ${part} is wrong`);
	}
	try {
		// Synchronously, because setting up a stream takes longer than inflating so few bytes. The copy has a buffer of its own for the
		// columns to view.
		return read(new Uint8Array(nodeZlib().inflateRawSync(stored)).buffer);
	} catch (cause) {
		throw new ZoneIndexError("corrupt", `part ${part} cannot be read`, { cause });
	}
}

/**
 * Checks, decompresses and reads a stored shard.
 * @throws ZoneIndexError truncated or corrupt.
 */
export function decodeShard(directory: Directory, number: number, stored: Uint8Array): Shard {
	const { shardStarts, shardLevels } = directory;
	return decodePart(directory, number, stored, (payload) =>
		readShard(payload, shardStarts[number]!, shardLevels[number]!),
	);
}

/**
 * Checks, decompresses and reads the stored zone numbers of a country.
 * @param country Its number in the directory.
 * @throws ZoneIndexError truncated or corrupt.
 */
export function decodeNumbers(directory: Directory, country: number, stored: Uint8Array): CountryNumbers {
	return decodePart(directory, partOfCountry(directory, country), stored, readNumbers);
}

/**
 * Checks, decompresses and reads a stored part of the gazetteer.
 * @throws ZoneIndexError truncated or corrupt.
 */
export function decodeGazetteer(directory: Directory, part: number, stored: Uint8Array): Gazetteer {
	const { shardStarts, countries, gazetteerStarts } = directory;
	const start = gazetteerStarts[part - shardStarts.length - countries.length]!;
	return decodePart(directory, part, stored, (payload) => readGazetteer(payload, start));
}
