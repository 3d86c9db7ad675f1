/** From the stored bytes of the parts of a zone index to what they say: checked, decompressed and read. */
import { crc32, inflateRawSync } from "node:zlib";
import { type Directory, ZoneIndexError } from "./format.ts";
import { type CountryNumbers, readNumbers } from "./numbers.ts";
import type { Shard } from "./shard.ts";
import { readShard } from "./shard-reader.ts";

/** Decompresses raw DEFLATE at once: a stream would take longer to be made than so few bytes take to read. */
function inflate(bytes: Uint8Array, what: string): Uint8Array {
	try {
		return new Uint8Array(inflateRawSync(bytes));
	} catch (cause) {
		throw new ZoneIndexError("corrupt", `${what} cannot be decompressed`, { cause });
	}
}

/**
 * Checks, decompresses and reads one shard as it is stored.
 * @throws ZoneIndexError truncated or corrupt.
 */
export function decodeShard(directory: Directory, number: number, stored: Uint8Array): Shard {
	const length = directory.shardOffsets[number + 1]! - directory.shardOffsets[number]!;
	if (stored.length < length) {
		throw new ZoneIndexError("truncated", `${stored.length} bytes of ${length} of shard ${number}`);
	}
	if (crc32(stored) !== directory.shardChecksums[number]) {
		throw new ZoneIndexError("corrupt", `the checksum of shard ${number} is wrong`);
	}
	const payload = inflate(stored, `shard ${number}`);
	return readShard(payload, directory.shardStarts[number]!, directory.shardLevels[number]!);
}

/**
 * Checks, decompresses and reads the zone numbers of all countries as they are stored.
 * @throws ZoneIndexError truncated or corrupt.
 */
export function decodeNumbers(directory: Directory, stored: Uint8Array): CountryNumbers[] {
	const length = directory.fileBytes - directory.numbersOffset;
	if (stored.length < length) {
		throw new ZoneIndexError("truncated", `${stored.length} bytes of ${length} of the numbers of countries`);
	}
	if (crc32(stored) !== directory.numbersChecksum) {
		throw new ZoneIndexError("corrupt", "the checksum of the numbers of countries is wrong");
	}
	return readNumbers(inflate(stored, "the numbers of countries"), directory.countries.length);
}
