/** Draws the zones of a country as an index has them, for a person to look at. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runCommand, UsageError } from "../../src/cli/command.ts";
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "../../src/zones/geometry.ts";
import { type GridBox, UNITS_PER_DEGREE } from "../../src/zones/morton.ts";
import { zoneDigits, zoneName } from "../../src/zones/naming.ts";
import { clipToBox, partsInBox, type StepBox } from "../clip.ts";
import { cosine } from "../earth.ts";
import { readEditionFile } from "../edition.ts";
import { OperatorError } from "../faults.ts";
import { readTerritories } from "../patches.ts";
import { countryCodes, doubleArea, placeIn, type Ring, readLand } from "../sources.ts";

const USAGE = `Draw the zones of a country:

  npm run zones:draw -- NG            writes dist/NG.svg
  npm run zones:draw -- NG --geojson  writes dist/NG.geojson, to lay over any map

  --index FILE    another index than zones/world.zones, such as one that is not published yet
  --out FILE      another file to write`;

interface DrawnZone {
	number: number;
	name: string;
	box: GridBox;
}

/** Width of the picture in pixels. */
const PICTURE_WIDTH = 1600;

/**
 * The zones of a country in an index, by number.
 * @throws OperatorError where the index cannot be read, or has official zones there: it holds no outline of each.
 */
async function readZones(file: string, country: string): Promise<DrawnZone[]> {
	const { countries } = await readEditionFile(file);
	const zones = [...(countries.get(country)?.zones.values() ?? [])];
	const official = zones.filter(({ cell }) => !cell);
	if (official.length > 0) {
		throw new OperatorError(
			`${file} has ${official.length} official zones of ${country}: open the GeoJSON file that they were built from`,
		);
	}
	return zones
		.map(({ number, name, box }) => ({ number, name: zoneName(name.place, name.suffix), box }))
		.sort((a, b) => a.number - b.number);
}

/** The territory in a zone's cell, in lattice steps. */
function shapeOf({ box }: DrawnZone, rings: readonly Ring[]): Ring[] {
	return partsInBox(rings, {
		west: box.west / UNITS_PER_STEP,
		south: box.south / UNITS_PER_STEP,
		east: box.east / UNITS_PER_STEP,
		north: box.north / UNITS_PER_STEP,
	});
}

/** Rings as polygons of RFC 7946, section 3.1.6: an outer ring, then the holes that it is the smallest to surround. */
function polygonsOf(rings: readonly Ring[]): Ring[][] {
	const polygons = rings
		.filter((ring) => doubleArea(ring) > 0)
		.sort((a, b) => doubleArea(a) - doubleArea(b))
		.map((outer) => [outer]);
	for (const hole of rings.filter((ring) => doubleArea(ring) < 0)) {
		const corners = Array.from({ length: hole.length / 2 }, (_, at) => [hole[2 * at]!, hole[2 * at + 1]!] as const);
		polygons
			.find(
				([outer]) =>
					doubleArea(outer!) >= -doubleArea(hole) && corners.every(([x, y]) => placeIn([outer!], x, y) !== "outside"),
			)
			?.push(hole);
	}
	return polygons;
}

function toGeoJson(country: string, zones: readonly DrawnZone[], rings: readonly Ring[]): string {
	const line = (ring: Ring) => {
		const points: number[][] = [];
		for (let at = 0; at < ring.length; at += 2) {
			points.push([ring[at]!, ring[at + 1]!].map((steps) => steps / STEPS_PER_DEGREE));
		}
		return [...points, points[0]!];
	};
	const shapes = zones.map((zone) => ({ zone, polygons: polygonsOf(shapeOf(zone, rings)) }));
	const features = shapes
		.filter(({ polygons }) => polygons.length > 0)
		.map(({ zone, polygons }) => ({
			type: "Feature",
			properties: { country, zone: zoneDigits(zone.number), name: zone.name },
			bbox: [zone.box.west, zone.box.south, zone.box.east, zone.box.north].map((side) => side / UNITS_PER_DEGREE),
			geometry: {
				type: "MultiPolygon",
				coordinates: polygons.map((polygon) => polygon.map(line)),
			},
		}));
	return `${JSON.stringify({ type: "FeatureCollection", features })}\n`;
}

const TURN = 360 * STEPS_PER_DEGREE;

/**
 * The part of the map, in lattice steps, that shows a territory; east may lie beyond 180 degrees. It begins after the widest stretch of meridians without any of it, so that a country
 * across the antimeridian comes out in one piece.
 */
function frameOf(rings: readonly Ring[]): StepBox {
	const xs = rings.map((ring) => ring.filter((_, at) => at % 2 === 0));
	const ys = rings.flatMap((ring) => ring.filter((_, at) => at % 2 === 1));
	const spans = xs.map((of) => [Math.min(...of), Math.max(...of)] as const).sort((a, b) => a[0] - b[0]);
	let west = spans[0]![0];
	let reached = Math.max(...spans.map(([, end]) => end)) - TURN;
	let widest = 0;
	for (const [start, end] of spans) {
		if (start - reached > widest) {
			widest = start - reached;
			west = start;
		}
		reached = Math.max(reached, end);
	}
	const east = Math.max(...spans.map(([start, end]) => end + (start < west ? TURN : 0)));
	return { west, south: Math.min(...ys), east, north: Math.max(...ys) };
}

/** Land in a frame. */
function landIn(frame: StepBox): Ring[] {
	return readLand().flatMap((ring) =>
		[0, TURN].flatMap((shift) => {
			const part = clipToBox([ring], { ...frame, west: frame.west - shift, east: frame.east - shift });
			return part.map((ring) => ring.map((value, at) => (at % 2 === 0 ? value + shift : value)));
		}),
	);
}

function toSvg(country: string, zones: readonly DrawnZone[], rings: readonly Ring[]): string {
	const frame = frameOf(rings);
	const scale = PICTURE_WIDTH / (frame.east - frame.west);
	const stretch = 1 / Math.max(0.1, cosine((frame.north + frame.south) / 2 / STEPS_PER_DEGREE));
	const height = (frame.north - frame.south) * scale * stretch;
	const path = (shapes: readonly Ring[], shift = 0) => {
		let text = "";
		for (const ring of shapes) {
			for (let at = 0; at < ring.length; at += 2) {
				const x = (ring[at]! + shift - frame.west) * scale;
				const y = (frame.north - ring[at + 1]!) * scale * stretch;
				text += `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
			}
			text += "Z";
		}
		return text;
	};
	const drawn = zones.map((zone) => {
		const shapes = shapeOf(zone, rings);
		const shift = shapes.some((ring) => ring[0]! < frame.west - 1) ? TURN : 0;
		const name = zone.name.replace(/&/g, "&amp;").replace(/</g, "&lt;");
		const title = `${country}-${zoneDigits(zone.number)} ${name}`;
		// Neighbours have near numbers: 137 degrees of hue keep them apart.
		const fill = `hsl(${(zone.number * 137) % 360} 60% 60%)`;
		return `<path d="${path(shapes, shift)}" fill="${fill}"><title>${title}</title></path>`;
	});
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PICTURE_WIDTH} ${height.toFixed(0)}">`,
		`<title>Zones of ${country}</title><rect width="100%" height="100%" fill="#dbeaf5"/>`,
		`<path d="${path(landIn(frame))}" fill="#fff"/>`,
		`<g stroke="#333" stroke-width=".4" fill-rule="evenodd" fill-opacity=".45">${drawn.join("\n")}</g></svg>\n`,
	].join("\n");
}

await runCommand(
	{
		usage: USAGE,
		options: {
			geojson: { type: "boolean", default: false },
			index: { type: "string", default: `${import.meta.dirname}/../world.zones` },
			out: { type: "string" },
		},
		positionalsMax: 1,
	},
	async ({ values, positionals: [letters = ""] }) => {
		const country = letters.toUpperCase();
		if (!countryCodes().has(country)) {
			throw new UsageError("Which country? Name it by its two letters in ISO 3166-1.");
		}
		const { rings } = readTerritories().find((territory) => territory.country === country)!;
		const zones = await readZones(values.index, country);
		const out = values.out ?? `dist/${country}.${values.geojson ? "geojson" : "svg"}`;
		mkdirSync(path.dirname(out), { recursive: true });
		writeFileSync(out, values.geojson ? toGeoJson(country, zones, rings) : toSvg(country, zones, rings));
		console.log(`${zones.length} zones of ${country} drawn in ${out}`);
	},
);
