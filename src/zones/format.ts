/** The zone index file: its header, its directory and the reasons to refuse it. zones/FORMAT.md describes every byte. */
import { nodeZlib } from "../platform/node.ts";
import { ColumnReader, columnStart } from "./columns.ts";
import { lastAtOrBefore } from "./morton.ts";

/** The first bytes of every zone index. Their line ends and ^Z reveal a transfer that changed the file as if it were text (as in PNG). */
export const MAGIC = Uint8Array.of(0x5a, 0x4f, 0x4e, 0x45, 0x53, 0x0d, 0x0a, 0x1a);
/** Version of the file layout that this code writes. */
export const FORMAT_VERSION = 6;
/** The previous version, which this code reads too. An index of that version has no gazetteer. */
const FORMAT_BEFORE = 5;
/** Size in bytes of the header, the fixed part of an index before its directory. */
export const HEADER_BYTES = 64;
/** Offset of each field in the header, in bytes. */
export const HeaderField = {
	version: 8,
	gazetteers: 10,
	checksum: 12,
	shards: 16,
	countries: 20,
	edition: 24,
	before: 28,
	digest: 32,
};
/** Size in bytes of the first read. Header and directory must fit into it, so that one read opens an index. */
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

/**
 * The contents of header and directory. Its columns are views of the bytes. Shards are in Morton order, and each reaches to the start of
 * the next; so do the parts of the gazetteer. The parts of the object are the shards, then the numbers of each country, then the
 * gazetteer.
 */
export interface Directory {
	/** bytes of the whole object */
	fileBytes: number;
	/** number of the edition of its zones, from 2 on */
	edition: number;
	/** the edition whose zone numbers it retains; 0 if it is numbered afresh */
	editionBefore: number;
	/** SHA-256 of all that follows the header, hexadecimal */
	digest: string;
	/** first Morton key of each shard */
	shardStarts: Uint32Array;
	/** how many halvings of the earth lead to each shard's cell */
	shardLevels: Uint8Array;
	/** offset of each part in the object, in bytes; one more entry says where the last part and the object end */
	partOffsets: Uint32Array;
	/** CRC-32 of each part's bytes as stored */
	partChecksums: Uint32Array;
	/** ISO 3166-1 alpha-2 codes, in order */
	countries: string[];
	/** how many zones each country has */
	zoneCounts: Uint16Array;
	/** first Morton key of each part of the gazetteer; empty in an index of the previous version */
	gazetteerStarts: Uint32Array;
}

/** Refuses bytes that do not begin as an index of a version that this code reads. */
function checkHeader(bytes: Uint8Array, view: DataView): void {
	if (bytes.length < MAGIC.length || MAGIC.some((byte, at) => bytes[at] !== byte)) {
		throw new ZoneIndexError("not_a_zone_index", "the first bytes are not those of a zone index");
	}
	if (bytes.length < HEADER_BYTES) throw new ZoneIndexError("truncated", `${bytes.length} bytes, no whole header`);
	const version = view.getUint16(HeaderField.version, true);
	if (version !== FORMAT_VERSION && version !== FORMAT_BEFORE) {
		const known = `${FORMAT_BEFORE} and ${FORMAT_VERSION}`;
		throw new ZoneIndexError("unsupported_version", `format ${version}, this reader knows ${known}`);
	}
}

/** CRC-32 of header and directory, with the four bytes that hold it taken as 0. */
export function directoryChecksum(headAndDirectory: Uint8Array): number {
	const checked = headAndDirectory.slice();
	checked.fill(0, HeaderField.checksum, HeaderField.checksum + 4);
	return nodeZlib().crc32(checked);
}

/** Size of header and directory together, in bytes. */
export function directoryEnd(shards: number, countries: number, gazetteers: number): number {
	const parts = shards + countries + gazetteers;
	const wide = HEADER_BYTES + 4 * (shards + parts + 1 + parts + gazetteers);
	return wide + 2 * columnStart(2 * countries) + shards;
}

function hexOf(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The name under which an edition of the index is stored and shown: its number and the first eight digits of its digest, such as
 * `2-387a6ea5`.
 */
export function editionName({ edition, digest }: Pick<Directory, "edition" | "digest">): string {
	return `${edition}-${digest.slice(0, 8)}`;
}

/**
 * Reads header and directory from the first bytes of an index.
 * @throws ZoneIndexError that says why they cannot be used: not_a_zone_index, unsupported_version, truncated or corrupt.
 */
export function readDirectory(bytes: Uint8Array): Directory {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	checkHeader(bytes, view);
	const shards = view.getUint32(HeaderField.shards, true);
	const countries = view.getUint32(HeaderField.countries, true);
	const gazetteers = view.getUint16(HeaderField.gazetteers, true);
	const end = directoryEnd(shards, countries, gazetteers);
	if (end > FIRST_READ_BYTES) {
		throw new ZoneIndexError("corrupt", `${shards} shards and ${countries} countries do not fit the directory`);
	}
	if (bytes.length < end) {
		throw new ZoneIndexError("truncated", `${bytes.length} bytes of ${end} of header and directory`);
	}
	const own = bytes.slice(0, end);
	if (directoryChecksum(own) !== view.getUint32(HeaderField.checksum, true)) {
		throw new ZoneIndexError("corrupt", "the checksum of header and directory is wrong");
	}
	const columns = new ColumnReader(own.buffer, HEADER_BYTES);
	const parts = shards + countries + gazetteers;
	const shardStarts = columns.uint32(shards);
	const partOffsets = columns.uint32(parts + 1);
	const partChecksums = columns.uint32(parts);
	const gazetteerStarts = columns.uint32(gazetteers);
	const zoneCounts = columns.uint16(countries);
	const letters = columns.uint8(2 * countries);
	return {
		fileBytes: partOffsets[parts]!,
		edition: view.getUint32(HeaderField.edition, true),
		editionBefore: view.getUint32(HeaderField.before, true),
		digest: hexOf(own.subarray(HeaderField.digest, HEADER_BYTES)),
		shardStarts,
		shardLevels: columns.uint8(shards),
		partOffsets,
		partChecksums,
		countries: Array.from({ length: countries }, (_, at) =>
			String.fromCharCode(letters[2 * at]!, letters[2 * at + 1]!),
		),
		zoneCounts,
		gazetteerStarts,
	};
}

/** Number of the shard whose cell holds a Morton key: the last one that starts at or before it. */
export function shardOfKey({ shardStarts }: Directory, key: number): number {
	return lastAtOrBefore(shardStarts, key, 0, shardStarts.length);
}

/** Number of the part that holds the zone numbers of a country. `country` is its number in the directory. */
export function partOfCountry({ shardStarts }: Directory, country: number): number {
	return shardStarts.length + country;
}

/** Numbers of the parts of the gazetteer; none in an index without one. */
export function gazetteersIn({ shardStarts, countries, gazetteerStarts }: Directory): number[] {
	return Array.from(gazetteerStarts, (_, at) => shardStarts.length + countries.length + at);
}

/** Number of the part of the gazetteer whose cell holds a Morton key; undefined in an index without one. */
export function gazetteerOfKey(
	{ shardStarts, countries, gazetteerStarts }: Directory,
	key: number,
): number | undefined {
	if (gazetteerStarts.length === 0) return undefined;
	const place = lastAtOrBefore(gazetteerStarts, key, 0, gazetteerStarts.length);
	return shardStarts.length + countries.length + place;
}
