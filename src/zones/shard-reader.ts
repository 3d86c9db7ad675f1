/** Reads the shards of the zone index: zones/FORMAT.md, "Shard". All columns but those of edges are used as stored. */
import { ColumnReader } from "./columns.ts";
import { readEdges } from "./edges.ts";
import type { Shard } from "./shard.ts";
import { readSums } from "./sums.ts";

/**
 * How many numbers a shard begins with: the counts of area sets, areas, boxes, zones, names, bytes of text, edges, border cells and edges
 * of border cells.
 */
const COUNTS = 9;

/**
 * Reads the decompressed payload of a shard; the result holds views of it.
 * @param start First Morton key of its cell, from the directory.
 * @param level Level of that cell, from the directory.
 * @throws RangeError where the payload is too short.
 */
export function readShard(payload: ArrayBuffer, start: number, level: number): Shard {
	const columns = new ColumnReader(payload);
	const [sets = 0, areas = 0, boxes = 0, zones = 0, names = 0, textBytes = 0, edges = 0, cells = 0, cellEdges = 0] =
		columns.uint32(COUNTS);
	const shard = {
		start,
		level,
		setAreas: columns.uint16(sets),
		areaZones: columns.uint32(areas + 1),
		areaCountries: columns.uint16(areas),
		areaBoxes: columns.uint16(areas),
		boxes: columns.int32(4 * boxes),
		zoneStarts: readSums(columns, zones),
		zoneLevels: columns.uint8(zones),
		zoneNumbers: readSums(columns, zones),
		zoneNames: columns.uint16(zones),
		zoneSuffixes: columns.uint16(zones),
		zoneRegions: columns.uint16(zones),
		nameEnds: readSums(columns, names),
		nameText: columns.uint8(textBytes),
		cellStarts: columns.uint32(cells),
		cellAreas: columns.uint16(cells),
		cellEnds: columns.uint32(cells),
		cellEdges: columns.uint32(cellEdges),
		codes: columns.uint16(edges),
		edges: readEdges(columns, edges),
	};
	return { ...shard, memoryBytes: payload.byteLength + shard.edges.byteLength };
}
