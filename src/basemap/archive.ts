/** The operator's base map: a PMTiles archive (version 3 of its specification) of vector tiles, read by ranges from R2. */
import { Compression, EtagMismatch, PMTiles, ResolvedValueCache, type Source, TileType } from "pmtiles";

/** Key of the archive in the bucket of the zone index. */
export const BASEMAP_KEY = "basemap.pmtiles";

/** Limits above the size of any directory or tile of a sound archive, in bytes: compressed, and decompressed. */
const RANGE_BYTES_MAX = 2 * 1024 * 1024;
const CONTENT_BYTES_MAX = 8 * 1024 * 1024;

/** Directories that an isolate caches: a city needs one or two. */
const DIRECTORIES_CACHED = 24;

/** How long an isolate trusts the archive's header, or that there is no archive that it can draw, in milliseconds. */
const TRUSTED_MILLISECONDS = 60_000;

/** The deepest zoom that is drawn, where a tile is about a kilometre across. */
export const ZOOM_MAX = 15;

/** An archive that cannot be drawn. The message says why, and what can be drawn. */
export class BasemapError extends Error {
	override name = "BasemapError";
}

/** A base map that can be drawn. */
export interface Basemap {
	/** The ETag of the object: it changes with the archive. */
	etag: string;
	/** The deepest zoom of the archive, at most ZOOM_MAX. */
	zoom: number;
	/** The bytes of a tile; undefined where the archive has none. */
	tile(x: number, y: number): Promise<Uint8Array | undefined>;
}

/** Reads `length` bytes from `offset` of an archive, and its ETag; undefined where there is no archive. */
type ReadArchive = (offset: number, length: number) => Promise<{ bytes: ArrayBuffer; etag: string } | undefined>;

/** Reads ranges of an archive in R2. */
function archiveInBucket(bucket: R2Bucket): ReadArchive {
	return async (offset, length) => {
		const object = await bucket.get(BASEMAP_KEY, { range: { offset, length } });
		return object ? { bytes: await object.arrayBuffer(), etag: object.etag } : undefined;
	};
}

async function inflate(bytes: ArrayBuffer, compression: Compression): Promise<ArrayBuffer> {
	if (compression === Compression.None) return bytes;
	if (compression !== Compression.Gzip) throw new BasemapError("The archive is not compressed with gzip.");
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))) {
		size += chunk.length;
		if (size > CONTENT_BYTES_MAX) throw new BasemapError("A part of the archive is too large to be a tile.");
		chunks.push(chunk);
	}
	return new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer();
}

/** The source that PMTiles reads from. An ETag that has changed makes it read the header again. */
function sourceOf(read: ReadArchive): Source {
	return {
		getKey: () => BASEMAP_KEY,
		async getBytes(offset, length, _signal, etag) {
			if (length > RANGE_BYTES_MAX) throw new BasemapError("A part of the archive is too large to be a tile.");
			const range = await read(offset, length);
			if (!range) throw new BasemapError(`There is no ${BASEMAP_KEY}.`);
			if (etag !== undefined && etag !== range.etag) throw new EtagMismatch();
			return { data: range.bytes, etag: range.etag };
		},
	};
}

/**
 * Creates a reader of the archive at one source, which caches its directories. Only resolved values are cached, because a promise must
 * not outlive its request.
 * @returns A function that opens the archive as it is now; undefined if there is none. It throws BasemapError for one that cannot be
 * drawn.
 */
export function basemapReader(read: ReadArchive, now: () => number = Date.now): () => Promise<Basemap | undefined> {
	const source = sourceOf(read);
	const cache = new ResolvedValueCache(DIRECTORIES_CACHED, false, inflate);
	const archive = new PMTiles(source, cache, inflate);
	let absentUntil = 0;
	let trustedUntil = 0;
	return async () => {
		if (now() < absentUntil) return undefined;
		if (now() >= trustedUntil) {
			trustedUntil = now() + TRUSTED_MILLISECONDS;
			// Only the header is dropped: directories are cached by their ETag.
			await cache.invalidate(source);
		}
		let header: Awaited<ReturnType<PMTiles["getHeader"]>>;
		try {
			header = await archive.getHeader();
		} catch (error) {
			absentUntil = now() + TRUSTED_MILLISECONDS;
			if (error instanceof BasemapError) return undefined;
			throw new BasemapError("The object is not a PMTiles archive.", { cause: error });
		}
		if (header.tileType !== TileType.Mvt) {
			throw new BasemapError(
				`The archive holds ${TileType[header.tileType] ?? "unknown"} tiles. Vector tiles (Mvt) are drawn.`,
			);
		}
		return {
			etag: header.etag ?? "",
			zoom: Math.min(ZOOM_MAX, header.maxZoom),
			async tile(x, y) {
				const found = await archive.getZxy(Math.min(ZOOM_MAX, header.maxZoom), x, y);
				return found && new Uint8Array(found.data);
			},
		};
	};
}

const readers = new WeakMap<R2Bucket, () => Promise<Basemap | undefined>>();

/** Opens the base map of a bucket, as `basemapReader` does, with one reader per bucket and isolate. */
export function openBasemap(bucket: R2Bucket): Promise<Basemap | undefined> {
	const reader = readers.get(bucket) ?? basemapReader(archiveInBucket(bucket));
	readers.set(bucket, reader);
	return reader();
}
