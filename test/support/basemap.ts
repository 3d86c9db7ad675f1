/** Writes small archives as operators bring them: vector tiles (Mapbox Vector Tile Specification 2.1) in PMTiles version 3. */
import { gzipSync } from "node:zlib";
import { PbfWriter } from "pbf";
import { zxyToTileId } from "pmtiles";

type Corner = readonly [number, number];

/** A feature in the coordinates of its tile. `type` is 1 for points, 2 for lines, 3 for polygons. */
export interface TestFeature {
	type: 1 | 2 | 3;
	properties: Record<string, string>;
	lines: readonly (readonly Corner[])[];
}

const EXTENT = 4096;

function commandsOf({ type, lines }: TestFeature): number[] {
	const zigzag = (value: number) => (value << 1) ^ (value >> 31);
	const commands: number[] = [];
	let [x, y] = [0, 0];
	const step = ([nextX, nextY]: Corner) => {
		commands.push(zigzag(nextX - x), zigzag(nextY - y));
		[x, y] = [nextX, nextY];
	};
	for (const [first, ...rest] of lines) {
		commands.push(1 | (1 << 3));
		step(first!);
		if (rest.length > 0) commands.push(2 | (rest.length << 3));
		for (const corner of rest) step(corner);
		if (type === 3) commands.push(7 | (1 << 3));
	}
	return commands;
}

/** A vector tile of layers by their names. */
export function encodeTile(layers: Record<string, readonly TestFeature[]>): Uint8Array {
	const writer = new PbfWriter();
	for (const [name, features] of Object.entries(layers)) {
		writer.writeMessage(
			3,
			(_, layer) => {
				const keys = [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))];
				const values = [...new Set(features.flatMap(({ properties }) => Object.values(properties)))];
				layer.writeVarintField(15, 2);
				layer.writeStringField(1, name);
				for (const feature of features) {
					layer.writeMessage(
						2,
						(_, message) => {
							const tags = Object.entries(feature.properties).flatMap(([key, value]) => [
								keys.indexOf(key),
								values.indexOf(value),
							]);
							message.writePackedVarint(2, tags);
							message.writeVarintField(3, feature.type);
							message.writePackedVarint(4, commandsOf(feature));
						},
						feature,
					);
				}
				for (const key of keys) layer.writeStringField(3, key);
				for (const value of values) layer.writeMessage(4, (_, message) => message.writeStringField(1, value), value);
				layer.writeVarintField(5, EXTENT);
			},
			features,
		);
	}
	return writer.finish();
}

/** Bytes 0 to 126 of an archive (PMTiles version 3 specification, section 3.1). */
const HEADER_BYTES = 127;

/**
 * An archive of tiles.
 * @param tileType 1 for vector tiles, 6 for MapLibre's tiles.
 * @param about Its metadata, and its bounds in degrees: west, south, east, north.
 */
export function packArchive(
	tiles: readonly { z: number; x: number; y: number; bytes: Uint8Array }[],
	tileType = 1,
	{ metadata: told = {}, bounds = [-1, -1, 1, 1] }: { metadata?: object; bounds?: readonly number[] } = {},
): Uint8Array<ArrayBuffer> {
	const entries = tiles
		.map(({ z, x, y, bytes }) => ({ id: zxyToTileId(z, x, y), z, data: gzipSync(bytes) }))
		.sort((a, b) => a.id - b.id);
	const directory = new PbfWriter();
	directory.writeVarint(entries.length);
	for (const [index, { id }] of entries.entries()) directory.writeVarint(id - (entries[index - 1]?.id ?? 0));
	for (const _ of entries) directory.writeVarint(1);
	for (const { data } of entries) directory.writeVarint(data.length);
	for (const [index] of entries.entries()) directory.writeVarint(index === 0 ? 1 : 0);
	const root = gzipSync(directory.finish());
	const metadata = gzipSync(JSON.stringify(told));
	const header = new DataView(new ArrayBuffer(HEADER_BYTES));
	for (const [index, character] of [..."PMTiles"].entries()) header.setUint8(index, character.charCodeAt(0));
	header.setUint8(7, 3);
	const length = entries.reduce((sum, { data }) => sum + data.length, 0);
	const sections = [root.length, metadata.length, 0, length];
	let offset = HEADER_BYTES;
	for (const [index, bytes] of sections.entries()) {
		header.setBigUint64(8 + index * 16, BigInt(offset), true);
		header.setBigUint64(16 + index * 16, BigInt(bytes), true);
		offset += bytes;
	}
	for (const index of [0, 1, 2]) header.setBigUint64(72 + index * 8, BigInt(entries.length), true);
	header.setUint8(96, 1);
	header.setUint8(97, 2);
	header.setUint8(98, 2);
	header.setUint8(99, tileType);
	header.setUint8(100, Math.min(...entries.map(({ z }) => z)));
	header.setUint8(101, Math.max(...entries.map(({ z }) => z)));
	const [west = 0, south = 0, east = 0, north = 0] = bounds;
	for (const [index, degrees] of bounds.entries()) header.setInt32(102 + index * 4, Math.round(degrees * 1e7), true);
	header.setInt32(119, Math.round(((west + east) / 2) * 1e7), true);
	header.setInt32(123, Math.round(((south + north) / 2) * 1e7), true);
	return new Uint8Array(
		Buffer.concat([Buffer.from(header.buffer), root, metadata, ...entries.map(({ data }) => data)]),
	);
}
