/**
 * The zone index file: header, directory and the reasons to refuse one. zones/FORMAT.md draws every byte.
 */
import { crc32 } from "node:zlib";
import { bucketsOf, lastInBucket } from "./buckets.ts";

/** The first bytes of every zone index. Their line ends and ^Z reveal a transfer that changed the file as if it were text (as in PNG). */
export const MAGIC = Uint8Array.of(0x5a, 0x4f, 0x4e, 0x45, 0x53, 0x0d, 0x0a, 0x1a);
/** Version of the file layout that this code writes and reads. */
export const FORMAT_VERSION = 4;
/** Bytes of the header: the fixed part of an index before its directory. */
export const HEADER_BYTES = 80;
/** Byte of the header at which the SHA-256 of all that follows the header begins. */
export const DIGEST_AT = 48;
/** Bytes of one shard's entry in the directory. */
export const SHARD_ENTRY_BYTES = 16;
/** Bytes of one country's entry in the directory. */
export const COUNTRY_ENTRY_BYTES = 4;
/** Bytes of the first read. Header and directory must fit into it, so that one read opens an index. */
export const FIRST_READ_BYTES = 16_384;

export type ZoneIndexFailure =
	/** there is no index object */
	| "missing"
	/** the store failed to answer */
	| "unreadable"
	/** the object is something else */
	| "not_a_zone_index"
	/** written by a newer builder than this reader */
	| "unsupported_version"
	/** the object ends before its directory says it does */
	| "truncated"
	/** a checksum or the layout is wrong */
	| "corrupt"
	/** the object was replaced twice during one look-up */
	| "changing";

/** The zone index cannot be used; `reason` is for the log, never for the caller of the API. */
export class ZoneIndexError extends Error {
	override readonly name = "ZoneIndexError";
	readonly reason: ZoneIndexFailure;

	constructor(reason: ZoneIndexFailure, detail: string, options?: ErrorOptions) {
		super(`zone index ${reason}: ${detail}`, options);
		this.reason = reason;
	}
}

/** What the header and directory say. Shards are in Morton order, and each reaches to where the next one starts. */
export interface Directory {
	/** bytes of the whole object */
	fileBytes: number;
	/** which edition of its zones it is, from 2 on */
	edition: number;
	/** the edition whose numbers it keeps; 0 when it is numbered afresh */
	editionBefore: number;
	/** SHA-256 of all that follows the header, hexadecimal */
	digest: string;
	/** where the numbers of the countries begin in the object, which they end */
	numbersOffset: number;
	/** CRC-32 of the numbers of the countries as stored */
	numbersChecksum: number;
	/** first Morton key of each shard */
	shardStarts: Uint32Array;
	/** where among shardStarts a key can be */
	shardBuckets: Uint16Array;
	/** where each shard begins in the object, and, one entry more, where the last one ends */
	shardOffsets: Uint32Array;
	/** how many halvings of the earth lead to each shard's cell */
	shardLevels: Uint8Array;
	/** CRC-32 of each shard's bytes as stored */
	shardChecksums: Uint32Array;
	/** ISO 3166-1 alpha-2 codes, in order */
	countries: string[];
	/** how many zones each country has */
	zoneCounts: Uint16Array;
}

function checkHeader(bytes: Uint8Array, view: DataView): { directoryEnd: number } {
	if (bytes.length < MAGIC.length || MAGIC.some((byte, at) => bytes[at] !== byte)) {
		throw new ZoneIndexError("not_a_zone_index", "the first bytes are not those of a zone index");
	}
	if (bytes.length < HEADER_BYTES) throw new ZoneIndexError("truncated", `${bytes.length} bytes, no whole header`);
	const version = view.getUint16(8, true);
	if (version !== FORMAT_VERSION) {
		throw new ZoneIndexError("unsupported_version", `format ${version}, this reader knows ${FORMAT_VERSION}`);
	}
	const directoryEnd = view.getUint32(16, true);
	if (directoryEnd < HEADER_BYTES || directoryEnd > FIRST_READ_BYTES) {
		throw new ZoneIndexError("corrupt", `the directory cannot end at byte ${directoryEnd}`);
	}
	if (bytes.length < directoryEnd) {
		throw new ZoneIndexError("truncated", `${bytes.length} bytes of ${directoryEnd} of header and directory`);
	}
	const checked = bytes.slice(0, directoryEnd);
	checked.fill(0, 12, 16);
	if (crc32(checked) !== view.getUint32(12, true)) {
		throw new ZoneIndexError("corrupt", "the checksum of header and directory is wrong");
	}
	return { directoryEnd };
}

function hexOf(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What an edition of the index is called where it is stored or shown: its number and the first digits of its digest, such as `2-387a6ea5`. */
export function editionName({ edition, digest }: Pick<Directory, "edition" | "digest">): string {
	return `${edition}-${digest.slice(0, 8)}`;
}

/**
 * Reads header and directory from the first bytes of an index.
 * @throws ZoneIndexError that says why they cannot be used: not_a_zone_index, unsupported_version, truncated or corrupt.
 */
export function readDirectory(bytes: Uint8Array): Directory {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const { directoryEnd } = checkHeader(bytes, view);
	const fileBytes = view.getUint32(20, true);
	const shardCount = view.getUint32(24, true);
	const countryCount = view.getUint32(28, true);
	if (HEADER_BYTES + shardCount * SHARD_ENTRY_BYTES + countryCount * COUNTRY_ENTRY_BYTES !== directoryEnd) {
		throw new ZoneIndexError("corrupt", `${shardCount} shards and ${countryCount} countries do not fill the directory`);
	}
	const numbersOffset = view.getUint32(40, true);
	if (numbersOffset < directoryEnd || numbersOffset > fileBytes) {
		throw new ZoneIndexError("corrupt", `the numbers of countries cannot begin at byte ${numbersOffset}`);
	}
	const directory = {
		fileBytes,
		edition: view.getUint32(32, true),
		editionBefore: view.getUint32(36, true),
		digest: hexOf(bytes.subarray(DIGEST_AT, HEADER_BYTES)),
		numbersOffset,
		numbersChecksum: view.getUint32(44, true),
		shardStarts: new Uint32Array(shardCount),
		shardOffsets: new Uint32Array(shardCount + 1),
		shardLevels: new Uint8Array(shardCount),
		shardChecksums: new Uint32Array(shardCount),
		countries: [] as string[],
		zoneCounts: new Uint16Array(countryCount),
	};
	let at = HEADER_BYTES;
	for (let shard = 0; shard < shardCount; shard++, at += SHARD_ENTRY_BYTES) {
		directory.shardStarts[shard] = view.getUint32(at, true);
		directory.shardOffsets[shard] = view.getUint32(at + 4, true);
		directory.shardChecksums[shard] = view.getUint32(at + 8, true);
		directory.shardLevels[shard] = view.getUint32(at + 12, true);
	}
	directory.shardOffsets[shardCount] = numbersOffset;
	for (let country = 0; country < countryCount; country++, at += COUNTRY_ENTRY_BYTES) {
		directory.countries.push(String.fromCharCode(bytes[at]!, bytes[at + 1]!));
		directory.zoneCounts[country] = view.getUint16(at + 2, true);
	}
	return { ...directory, shardBuckets: bucketsOf(directory.shardStarts) };
}

/** Number of the shard whose cell holds a Morton key: the last one that starts at or before it. */
export function shardOfKey(directory: Directory, key: number): number {
	return lastInBucket(directory.shardBuckets, directory.shardStarts, key);
}
