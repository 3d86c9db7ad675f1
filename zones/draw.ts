/**
 * Draws a country's zones as the published index has them, for a person to look at:
 * npm run zones:draw -- NG            writes NG.svg
 * npm run zones:draw -- NG --geojson  writes NG.geojson, to lay over any map
 * --out FILE chooses another name.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { readDirectory } from "../src/zones/format.ts";
import { decodeShard } from "../src/zones/locate.ts";
import { type GridBox, UNITS_PER_DEGREE } from "../src/zones/morton.ts";
import { areaOfPlace, boxOfPlace } from "../src/zones/shard.ts";
import { UNITS_PER_STEP } from "./borders.ts";
import { clipToBox } from "./clip.ts";
import { cosine } from "./earth.ts";
import { type Ring, readLand, readTerritories, STEPS_PER_DEGREE } from "./sources.ts";

interface DrawnZone {
	number: number;
	name: string;
	box: GridBox;
}

/** Width of the picture in pixels. */
const PICTURE_WIDTH = 1600;

async function readZones(country: string): Promise<DrawnZone[]> {
	const file = new Uint8Array(readFileSync(`${import.meta.dirname}/world.zones`));
	const directory = readDirectory(file);
	const zones = new Map<number, DrawnZone>();
	for (let number = 0; number < directory.shardStarts.length; number++) {
		const stored = file.slice(directory.shardOffsets[number]!, directory.shardOffsets[number + 1]!);
		const shard = await decodeShard(directory, number, stored);
		for (let place = 0; place < shard.zoneStarts.length; place++) {
			const area = areaOfPlace(shard, place);
			if (directory.countries[shard.areaCountries[area]!] !== country) continue;
			const zone = shard.areaNumbers[area]! + place - shard.areaZones[area]!;
			const name = shard.names[shard.zoneNames[place]!]!;
			zones.set(zone, { number: zone, name, box: boxOfPlace(shard, area, place) });
		}
	}
	return [...zones.values()].sort((a, b) => a.number - b.number);
}

/** The territory in a zone's cell, in lattice steps. */
function shapeOf({ box }: DrawnZone, rings: readonly Ring[]): Ring[] {
	return clipToBox(rings, {
		west: box.west / UNITS_PER_STEP,
		south: box.south / UNITS_PER_STEP,
		east: box.east / UNITS_PER_STEP,
		north: box.north / UNITS_PER_STEP,
	});
}

function toGeoJson(country: string, zones: readonly DrawnZone[], rings: readonly Ring[]): string {
	const line = (ring: Ring) => {
		const points: number[][] = [];
		for (let at = 0; at < ring.length; at += 2) {
			points.push(
				[ring[at]! / STEPS_PER_DEGREE, ring[at + 1]! / STEPS_PER_DEGREE].map((x) => Math.round(x * 1e7) / 1e7),
			);
		}
		return [...points, points[0]!];
	};
	const features = zones.map((zone) => ({
		type: "Feature",
		properties: { country, zone: String(zone.number).padStart(4, "0"), zone_name: zone.name },
		bbox: [zone.box.west, zone.box.south, zone.box.east, zone.box.north].map((side) => side / UNITS_PER_DEGREE),
		// Holes and outer rings turn in opposite ways, so one polygon a ring fills alike under the even-odd rule.
		geometry: { type: "MultiPolygon", coordinates: shapeOf(zone, rings).map((ring) => [line(ring)]) },
	}));
	return `${JSON.stringify({ type: "FeatureCollection", features })}\n`;
}

/**
 * Longitude at which the picture begins: after the widest stretch of meridians without any of the country's zones, so
 * that a country across the antimeridian comes out in one piece.
 */
function firstMeridian(zones: readonly DrawnZone[]): number {
	const spans = zones.map(({ box }) => [box.west, box.east] as const).sort((a, b) => a[0] - b[0]);
	const turn = 360 * UNITS_PER_DEGREE;
	let first = spans[0]![0];
	let reached = Math.max(...spans.map(([, east]) => east)) - turn;
	let widest = first - reached;
	reached = spans[0]![1];
	for (const [west, east] of spans) {
		if (west - reached > widest) {
			widest = west - reached;
			first = west;
		}
		reached = Math.max(reached, east);
	}
	return first / UNITS_PER_STEP;
}

function toSvg(country: string, zones: readonly DrawnZone[], rings: readonly Ring[], land: readonly Ring[]): string {
	const start = firstMeridian(zones);
	const shift = (x: number, west: number) => x + (west < start ? 360 * STEPS_PER_DEGREE : 0) - start;
	const width = Math.max(...zones.map(({ box }) => shift(box.east / UNITS_PER_STEP, box.west / UNITS_PER_STEP)));
	const north = Math.max(...zones.map(({ box }) => box.north)) / UNITS_PER_STEP;
	const south = Math.min(...zones.map(({ box }) => box.south)) / UNITS_PER_STEP;
	const scale = PICTURE_WIDTH / width;
	const stretch = 1 / Math.max(0.1, cosine((north + south) / 2 / STEPS_PER_DEGREE));
	const height = (north - south) * scale * stretch;
	const path = (shapes: readonly Ring[], west: number) =>
		shapes
			.map((ring) => {
				let text = "";
				for (let at = 0; at < ring.length; at += 2) {
					const x = shift(ring[at]!, west) * scale;
					const y = (north - ring[at + 1]!) * scale * stretch;
					text += `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
				}
				return `${text}Z`;
			})
			.join("");
	const drawn = zones.map((zone) => {
		const hue = (zone.number * 137) % 360;
		const shape = path(shapeOf(zone, rings), zone.box.west / UNITS_PER_STEP);
		const title = `${country}-${String(zone.number).padStart(4, "0")} ${zone.name}`
			.replace(/&/g, "&amp;")
			.replace(/</g, "&lt;");
		return `<path d="${shape}" fill="hsl(${hue} 60% 60%)" fill-opacity=".45"><title>${title}</title></path>`;
	});
	// Land comes shifted already.
	const ground = path(land, start);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PICTURE_WIDTH} ${height.toFixed(0)}">`,
		`<title>Zones of ${country}</title><rect width="100%" height="100%" fill="#dbeaf5"/>`,
		`<path d="${ground}" fill="#fff" fill-rule="evenodd"/>`,
		`<g stroke="#333" stroke-width=".4" fill-rule="evenodd">${drawn.join("\n")}</g></svg>\n`,
	].join("\n");
}

/** Land whose box meets that of the country; the rest would only make the picture heavy. */
function landNear(zones: readonly DrawnZone[]): Ring[] {
	const boxes = zones.map(({ box }) => box);
	const south = Math.min(...boxes.map((box) => box.south)) / UNITS_PER_STEP;
	const north = Math.max(...boxes.map((box) => box.north)) / UNITS_PER_STEP;
	const start = firstMeridian(zones);
	const end = Math.max(
		...boxes.map(
			({ west, east }) => east / UNITS_PER_STEP + (west / UNITS_PER_STEP < start ? 360 * STEPS_PER_DEGREE : 0),
		),
	);
	const turn = 360 * STEPS_PER_DEGREE;
	return readLand().flatMap((ring) =>
		[0, turn].flatMap((shift) => {
			const inWindow = clipToBox([ring], { west: start - shift, south, east: end - shift, north });
			return inWindow.map((part) => part.map((value, at) => (at % 2 === 0 ? value + shift : value)));
		}),
	);
}

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { geojson: { type: "boolean", default: false }, out: { type: "string" } },
});
const country = positionals[0]?.toUpperCase() ?? "";
const rings = readTerritories().find((territory) => territory.country === country)?.rings;
if (!rings) {
	console.error("Which country? For instance: npm run zones:draw -- NG");
	process.exit(2);
}
const zones = await readZones(country);
const out = values.out ?? `${country}.${values.geojson ? "geojson" : "svg"}`;
writeFileSync(out, values.geojson ? toGeoJson(country, zones, rings) : toSvg(country, zones, rings, landNear(zones)));
console.log(`${zones.length} zones of ${country} drawn in ${out}`);
