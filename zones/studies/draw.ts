/** Draws the zones of a country as an index has them, for a person to look at. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runCommand, UsageError } from "../../src/cli/command.ts";
import { edgesIn } from "../../src/zones/borders.ts";
import { shardOfKey } from "../../src/zones/format.ts";
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "../../src/zones/geometry.ts";
import { type GridBox, keyOf, UNITS_PER_DEGREE } from "../../src/zones/morton.ts";
import { zoneDigits, zoneName } from "../../src/zones/naming.ts";
import { clipToBox, partsInBox, type StepBox } from "../clip.ts";
import { cosine } from "../earth.ts";
import { type Edition, type EditionZone, readEditionFile, zoneAt } from "../edition.ts";
import { readTerritories } from "../patches.ts";
import { countryCodes, doubleArea, placeIn, type Ring, readLand } from "../sources.ts";

const USAGE = `Draw the zones of a country:

  npm run zones:draw -- NG            writes dist/NG.svg
  npm run zones:draw -- NG --geojson  writes dist/NG.geojson, to lay over any map

Official zones are drawn by their outlines, over the cells of the generated zones that they cut.

  --index FILE    another index than zones/world.zones, such as one that is not published yet
  --out FILE      another file to write`;

interface DrawnZone {
	number: number;
	name: string;
	box: GridBox;
	/** of an official zone, the pieces of its outline within the country, which the index holds in no order */
	outline?: Line[];
}

/** A straight line between two lattice points. */
type Line = [x1: number, y1: number, x2: number, y2: number];

/** Width of the picture in pixels. */
const PICTURE_WIDTH = 1600;

/** An edge may be visible in part, where it leaves the country. It is judged by pieces of about this length, in lattice steps: 200 m. */
const PIECE_STEPS = 200;

/** Adds the pieces of an edge that have an official zone at one side to the outline of that zone, or of both. */
function addVisible(
	index: Edition,
	isHere: (key: number) => boolean,
	[x1, y1, x2, y2]: Line,
	outlineOf: (zone: ReturnType<typeof zoneAt>) => Line[] | undefined,
): void {
	const [east, north] = [x2 - x1, y2 - y1];
	const longest = Math.max(Math.abs(east), Math.abs(north));
	const count = Math.ceil(longest / PIECE_STEPS);
	for (let piece = 0; piece < count; piece++) {
		const pointAt = (along: number) => [x1 + (east * along) / count, y1 + (north * along) / count] as const;
		const [x, y] = pointAt(piece + 0.5);
		const sides = [-1, 1].map((side): [number, number] => [
			// A fiftieth of a step to either side of the edge.
			Math.round((x + (side * north) / longest / 50) * UNITS_PER_STEP),
			Math.round((y - (side * east) / longest / 50) * UNITS_PER_STEP),
		]);
		if (!isHere(keyOf(...sides[0]!))) continue;
		const [a, b] = sides.map((side) => zoneAt(index, ...side));
		if (a?.country === b?.country && a?.zone === b?.zone) continue;
		for (const zone of [a, b]) outlineOf(zone)?.push([...pointAt(piece), ...pointAt(piece + 1)]);
	}
}

/** The outlines of a country's official zones, by number, from the edges that an index holds. */
function outlinesOf(index: Edition, country: string, official: readonly EditionZone[]): Map<number, Line[]> {
	const outlines = new Map(official.map(({ number }): [number, Line[]] => [number, []]));
	if (official.length === 0) return outlines;
	const place = index.directory.countries.indexOf(country);
	for (const [at, shard] of index.shards.entries()) {
		if (!shard.areaCountries.includes(place)) continue;
		const isHere = (key: number) => shardOfKey(index.directory, key) === at;
		for (const edge of edgesIn(shard)) {
			addVisible(index, isHere, edge, (zone) => (zone?.country === country ? outlines.get(zone.zone) : undefined));
		}
	}
	return outlines;
}

/**
 * The zones of a country in an index, by number.
 * @throws OperatorError where the index cannot be read.
 */
async function readZones(file: string, country: string): Promise<DrawnZone[]> {
	const index = await readEditionFile(file);
	const zones = [...(index.countries.get(country)?.zones.values() ?? [])];
	const outlines = outlinesOf(
		index,
		country,
		zones.filter(({ cell }) => !cell),
	);
	return zones
		.map(({ number, name, box }): DrawnZone => {
			const outline = outlines.get(number);
			return { number, name: zoneName(name.place, name.suffix), box, ...(outline && { outline }) };
		})
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
	const geometryOf = (zone: DrawnZone) =>
		zone.outline
			? {
					type: "MultiLineString",
					coordinates: zone.outline.map(([x1, y1, x2, y2]) => [
						[x1 / STEPS_PER_DEGREE, y1 / STEPS_PER_DEGREE],
						[x2 / STEPS_PER_DEGREE, y2 / STEPS_PER_DEGREE],
					]),
				}
			: { type: "MultiPolygon", coordinates: polygonsOf(shapeOf(zone, rings)).map((polygon) => polygon.map(line)) };
	const features = zones
		.map((zone) => ({ zone, geometry: geometryOf(zone) }))
		.filter(({ geometry }) => geometry.coordinates.length > 0)
		.map(({ zone, geometry }) => ({
			type: "Feature",
			properties: { country, zone: zoneDigits(zone.number), name: zone.name },
			bbox: [zone.box.west, zone.box.south, zone.box.east, zone.box.north].map((side) => side / UNITS_PER_DEGREE),
			geometry,
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
	const titleOf = (zone: DrawnZone) => {
		const name = zone.name.replace(/&/g, "&amp;").replace(/</g, "&lt;");
		return `<title>${country}-${zoneDigits(zone.number)} ${name}</title>`;
	};
	const drawn = zones.map((zone) => {
		if (zone.outline) return "";
		const shapes = shapeOf(zone, rings);
		const shift = shapes.some((ring) => ring[0]! < frame.west - 1) ? TURN : 0;
		// Neighbours have near numbers: 137 degrees of hue keep them apart.
		const fill = `hsl(${(zone.number * 137) % 360} 60% 60%)`;
		return `<path d="${path(shapes, shift)}" fill="${fill}">${titleOf(zone)}</path>`;
	});
	const official = zones.map((zone) => {
		if (!zone.outline) return "";
		const lines = zone.outline.map((line) => path([line], line[0] < frame.west - 1 ? TURN : 0));
		return `<path d="${lines.join("")}">${titleOf(zone)}</path>`;
	});
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PICTURE_WIDTH} ${height.toFixed(0)}">`,
		`<title>Zones of ${country}</title><rect width="100%" height="100%" fill="#dbeaf5"/>`,
		`<path d="${path(landIn(frame))}" fill="#fff"/>`,
		`<g stroke="#333" stroke-width=".4" fill-rule="evenodd" fill-opacity=".45">${drawn.filter(Boolean).join("\n")}</g>`,
		`<g stroke="#000" stroke-width="1.5" fill="none">${official.filter(Boolean).join("\n")}</g></svg>\n`,
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
