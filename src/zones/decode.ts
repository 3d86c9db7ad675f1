/** From the stored bytes of the parts of a zone index to what they say: checked, decompressed and read. */
import { crc32 } from "../crc32.ts";
import { type Directory, ZoneIndexError } from "./format.ts";
import { type CountryNumbers, readNumbers } from "./numbers.ts";
import type { Shard } from "./shard.ts";
import { readShard } from "./shard-reader.ts";

/** Decompresses raw DEFLATE with the platform's own stream. */
async function inflate(bytes: Uint8Array<ArrayBuffer>, what: string): Promise<Uint8Array> {
	const { readable, writable } = new DecompressionStream("deflate-raw");
	const writer = writable.getWriter();
	// What fails here fails for the reader too, which says so.
	writer.write(bytes).catch(() => undefined);
	writer.close().catch(() => undefined);
	const chunks: Uint8Array[] = [];
	let length = 0;
	try {
		for await (const chunk of readable) {
			chunks.push(chunk);
			length += chunk.length;
		}
	} catch (cause) {
		throw new ZoneIndexError("corrupt", `${what} cannot be decompressed`, { cause });
	}
	const inflated = new Uint8Array(length);
	let at = 0;
	for (const chunk of chunks) {
		inflated.set(chunk, at);
		at += chunk.length;
	}
	return inflated;
}

/**
 * Checks, decompresses and reads one shard as it is stored.
 * @throws ZoneIndexError truncated or corrupt.
 */
export async function decodeShard(directory: Directory, number: number, stored: Uint8Array): Promise<Shard> {
	const length = directory.shardOffsets[number + 1]! - directory.shardOffsets[number]!;
	if (stored.length < length) {
		throw new ZoneIndexError("truncated", `${stored.length} bytes of ${length} of shard ${number}`);
	}
	if (crc32(stored) !== directory.shardChecksums[number]) {
		throw new ZoneIndexError("corrupt", `the checksum of shard ${number} is wrong`);
	}
	const payload = await inflate(new Uint8Array(stored), `shard ${number}`);
	return readShard(payload, directory.shardStarts[number]!, directory.shardLevels[number]!);
}

/**
 * Checks, decompresses and reads the zone numbers of all countries as they are stored.
 * @throws ZoneIndexError truncated or corrupt.
 */
export async function decodeNumbers(directory: Directory, stored: Uint8Array): Promise<CountryNumbers[]> {
	const length = directory.fileBytes - directory.numbersOffset;
	if (stored.length < length) {
		throw new ZoneIndexError("truncated", `${stored.length} bytes of ${length} of the numbers of countries`);
	}
	if (crc32(stored) !== directory.numbersChecksum) {
		throw new ZoneIndexError("corrupt", "the checksum of the numbers of countries is wrong");
	}
	return readNumbers(await inflate(new Uint8Array(stored), "the numbers of countries"), directory.countries.length);
}
