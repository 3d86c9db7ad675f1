/** Prepares a file of boundaries for `zones:build -- --replace`: gives each polygon a zone number, along the curve on which zones are numbered. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runCommand, UsageError } from "../src/cli/command.ts";
import { gridX, gridY, keyOf } from "../src/zones/morton.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { BoundaryError } from "./faults.ts";
import { parseFeatures, property, readText } from "./official.ts";
import { isObject, positionsOf } from "./official-geometry.ts";

const USAGE = `Number the wards of a GeoJSON file, for npm run zones:build -- --replace:

  npm run zones:number -- wards.geojson                     writes dist/wards.geojson
  npm run zones:number -- wards.geojson --name shapeName    takes names from that property

  --name PROPERTY    the property that holds the name of each ward; name unless you say another
  --out FILE         another file to write`;

/** Wards are spaced over the numbers below this, so that one that fills up finds a free number next to its own; the others are for ground that no ward covers. */
const NUMBERS_FOR_WARDS = 8000;

/** A ward on its way to a zone. */
interface Ward {
	/** Morton key of the middle of its box */
	key: number;
	name: unknown;
	geometry: unknown;
}

/** Morton key of the middle of the box around a geometry; undefined where it has no positions that are coordinates. */
function middleKey(geometry: { coordinates?: unknown }): number | undefined {
	let [west, south, east, north] = [180, 90, -180, -90];
	for (const [lng = 0, lat = 0] of positionsOf(geometry.coordinates)) {
		[west, south, east, north] = [Math.min(west, lng), Math.min(south, lat), Math.max(east, lng), Math.max(north, lat)];
	}
	const isInWorld = -180 <= west && west <= east && east <= 180 && -90 <= south && south <= north && north <= 90;
	return isInWorld ? keyOf(gridX((west + east) / 2), gridY((south + north) / 2)) : undefined;
}

/** The polygons among features. Exports of OpenStreetMap hold points and lines too. */
function wardsOf(features: readonly unknown[], nameProperty: string, file: string): Ward[] {
	const wards = features.flatMap((feature): Ward[] => {
		if (!isObject(feature) || !isObject(feature.geometry)) return [];
		const { geometry } = feature;
		if (geometry.type !== "Polygon" && geometry.type !== "MultiPolygon") return [];
		const key = middleKey(geometry);
		const properties = isObject(feature.properties) ? feature.properties : {};
		return key === undefined ? [] : [{ key, name: property(properties, nameProperty), geometry }];
	});
	if (wards.length === 0) throw new BoundaryError(`${file}: it has no polygon with coordinates in degrees`);
	if (wards.length > ZONE_NUMBERS) {
		throw new BoundaryError(
			`${file}: it has ${wards.length} polygons, and a country has ${ZONE_NUMBERS} numbers: join some`,
		);
	}
	if (wards.every(({ name }) => name === undefined)) {
		const known = new Set(
			features.flatMap((feature) =>
				isObject(feature) && isObject(feature.properties) ? Object.keys(feature.properties) : [],
			),
		);
		throw new UsageError(
			`No polygon has a property ${nameProperty}. Name one of these with --name: ${[...known].join(", ")}.`,
		);
	}
	return wards.sort((a, b) => a.key - b.key);
}

await runCommand(
	{
		usage: USAGE,
		options: { name: { type: "string", default: "name" }, out: { type: "string" } },
		positionalsMax: 1,
	},
	({ values, positionals: [file] }) => {
		if (file === undefined) throw new UsageError("Name a GeoJSON file.");
		const features = parseFeatures(readText(file), file);
		const wards = wardsOf(features, values.name, file);
		const out = values.out ?? path.join("dist", path.basename(file));
		if (path.resolve(out) === path.resolve(file)) throw new UsageError("--out must not be the file that is read.");
		const span = wards.length <= NUMBERS_FOR_WARDS ? NUMBERS_FOR_WARDS : ZONE_NUMBERS;
		const numbered = wards.map(({ name, geometry }, at) => ({
			type: "Feature",
			properties: { zone: Math.floor((at * span) / wards.length), name: name ?? "" },
			geometry,
		}));
		mkdirSync(path.dirname(out), { recursive: true });
		writeFileSync(out, `${JSON.stringify({ type: "FeatureCollection", features: numbered })}\n`);
		const others = features.length - wards.length;
		console.log(
			`${wards.length} wards numbered in ${out}${others > 0 ? `; ${others} features that are no polygons left out` : ""}`,
		);
	},
);
