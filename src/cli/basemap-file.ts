/** Checks a base map, and uploads it into the bucket. */
import { Compression, type Header, PMTiles, TileType } from "pmtiles";
import { BASEMAP_KEY, basemapReader } from "../basemap/archive.ts";
import { DRAWN_LAYERS } from "../basemap/features.ts";
import { sketchStreets } from "../basemap/sketch.ts";

/** Streets are in the tiles of this zoom and deeper ones. */
const ZOOM_MIN = 13;

/** Layers of which at least one must be present. */
const STREETS = ["roads", "transportation"];

/**
 * Length in bytes of all parts of an upload but the last. The platform takes 5 MiB to 5 GiB and 10,000 parts, and a request of at most 100
 * MB.
 */
const PART_BYTES = 32 * 1024 * 1024;

const megabytes = (bytes: number) => `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;

/** An archive on this machine. */
export interface BasemapFile {
	/** In bytes. */
	size: number;
	/** Reads bytes of it; fewer at its end. */
	read(offset: number, length: number): Uint8Array;
}

function assertHeader(header: Header, size: number): void {
	const { tileType, tileCompression, internalCompression, maxZoom, minLon, minLat, maxLon, maxLat } = header;
	if (tileType !== TileType.Mvt) {
		const found = TileType[tileType]?.toUpperCase() ?? "unknown";
		throw new Error(
			`The archive contains ${found} tiles, but only MVT vector tiles can be drawn. Use an archive of MVT tiles.`,
		);
	}
	for (const compression of [tileCompression, internalCompression]) {
		if (compression === Compression.Gzip || compression === Compression.None) continue;
		const found = Compression[compression]?.toLowerCase() ?? "unknown";
		throw new Error(`The archive is compressed with ${found}, but only gzip is supported. Create it again with gzip.`);
	}
	if (maxZoom < ZOOM_MIN) {
		throw new Error(
			`The archive ends at zoom ${maxZoom}, which shows no streets. Extract it to at least zoom ${ZOOM_MIN}, preferably 15.`,
		);
	}
	if (!(minLon < maxLon && minLat < maxLat && minLon >= -180 && maxLon <= 180 && minLat >= -90 && maxLat <= 90)) {
		throw new Error(
			`The bounds of the archive are not valid: ${[minLon, minLat, maxLon, maxLat].join(", ")}. Extract it with --bbox.`,
		);
	}
	const end = Math.max(
		header.tileDataOffset + (header.tileDataLength ?? 0),
		header.leafDirectoryOffset + (header.leafDirectoryLength ?? 0),
	);
	if (size < end) {
		throw new Error(`The file is cut off: it has ${size} bytes, but its header says ${end}. Download it again.`);
	}
}

/**
 * Checks that an archive can be drawn: its header, its layers, and a tile at its centre.
 * @returns A description of the archive, in lines for the operator.
 * @throws Error that says why it must not be uploaded and what to do.
 */
export async function inspectBasemap({ size, read }: BasemapFile): Promise<string[]> {
	const range = async (offset: number, length: number) => ({
		bytes: Uint8Array.from(read(offset, length)).buffer,
		etag: "file",
	});
	const archive = new PMTiles({
		getKey: () => "file",
		getBytes: async (offset, length) => ({ data: (await range(offset, length)).bytes }),
	});
	const header = await archive.getHeader().catch((error: unknown) => {
		throw new Error("The file is not a PMTiles archive of version 3. Make one with `pmtiles extract`.", {
			cause: error,
		});
	});
	assertHeader(header, size);
	const metadata = (await archive.getMetadata().catch(() => ({}))) as {
		vector_layers?: { id: string }[];
		attribution?: string;
	};
	const layers = (metadata.vector_layers ?? []).map(({ id }) => id);
	if (layers.length > 0 && !STREETS.some((layer) => layers.includes(layer))) {
		throw new Error(
			`The archive has the layers ${layers.join(", ")}, but streets are read from ${STREETS.join(" or ")}, as Protomaps and OpenMapTiles name them.`,
		);
	}
	const basemap = await basemapReader(range)();
	const centre = { lat: header.centerLat, lng: header.centerLon };
	const sketch = await sketchStreets(basemap!, centre).catch((error: unknown) => {
		throw new Error(`The tiles at its centre cannot be decoded: ${error}. Extract the archive again.`, {
			cause: error,
		});
	});
	const { minLon, minLat, maxLon, maxLat, minZoom, maxZoom } = header;
	const isOfOpenStreetMap = /openstreetmap/i.test(metadata.attribution ?? "");
	return [
		`${megabytes(size)}, zooms ${minZoom} to ${maxZoom}, from ${minLat}, ${minLon} to ${maxLat}, ${maxLon}`,
		`layers that are drawn: ${DRAWN_LAYERS.filter((layer) => layers.includes(layer)).join(", ") || "not named in its metadata"}`,
		sketch
			? `its centre, ${centre.lat}, ${centre.lng}, is drawn in ${sketch.svg.length.toLocaleString("en")} characters`
			: `nothing is drawn at its centre, ${centre.lat}, ${centre.lng}`,
		...(isOfOpenStreetMap
			? []
			: [
					"Its metadata does not name OpenStreetMap. Pages say “© OpenStreetMap” under each drawing: use this map only if that is true.",
				]),
	];
}

/**
 * Uploads an archive in parts. The present map is served until all of them have arrived, and the new one from then on.
 * @param report Called with the progress.
 */
export async function uploadBasemap(
	bucket: R2Bucket,
	{ size, read }: BasemapFile,
	report: (line: string) => void,
): Promise<void> {
	const upload = await bucket.createMultipartUpload(BASEMAP_KEY);
	try {
		const parts: R2UploadedPart[] = [];
		for (let offset = 0; offset < size; offset += PART_BYTES) {
			parts.push(await upload.uploadPart(parts.length + 1, read(offset, PART_BYTES)));
			report(`${megabytes(Math.min(size, offset + PART_BYTES))} of ${megabytes(size)}`);
		}
		await upload.complete(parts);
	} catch (error) {
		await upload.abort().catch(() => {});
		throw error;
	}
}
