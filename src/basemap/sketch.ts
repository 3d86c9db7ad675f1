/** The streets around a point, drawn from vector tiles (Mapbox Vector Tile Specification 2.1) as one small SVG. */
import { VectorTile, type VectorTileFeature } from "@mapbox/vector-tile";
import { PbfReader } from "pbf";
import { type Direction, directionOf } from "../points/plane.ts";
import type { Point } from "../points/point.ts";
import type { Basemap } from "./archive.ts";
import { type ClippedRing, type Corner, clipLine, clipRing, type Frame, openAtCut } from "./clip.ts";
import { DRAWN_LAYERS, kindOf, NAMED_LAYERS, nameOf, type ShapeKind, STREET_NAME_LAYERS } from "./features.ts";
import { drawSketch, FRAME, HEIGHT, type StreetName, UNITS_PER_METRE, WIDTH } from "./sketch-drawing.ts";

/** Most buildings that are drawn: those nearest to the point. */
const BUILDINGS_MAX = 180;

/** How far lines and rings reach beyond the frame, in units, so that no outline shows at the edge. */
const MARGIN = 24;
const CLIP: Frame = [FRAME[0] - MARGIN, FRAME[1] - MARGIN, FRAME[2] + MARGIN, FRAME[3] + MARGIN];

/** How far away a named thing may be to say where the point is, in metres. */
const NEARBY_METRES_MAX = 400;

/** The length of the equator on the sphere of web tiles, in metres (EPSG:3857). */
const EQUATOR_METRES = 40_075_016.686;

/** The nearest thing with a name, its distance in metres, and the direction in which the point lies from it. */
export interface Nearby {
	name: string;
	metres: number;
	direction: Direction;
}

export interface StreetSketch {
	svg: string;
	nearby: Nearby | undefined;
}

/** A point in the square of web tiles: 0 to 1 eastward and southward (EPSG:3857). */
function toSquare({ lat, lng }: Point): Corner {
	const sine = Math.sin((lat * Math.PI) / 180);
	return [(lng + 180) / 360, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/** A decoded tile of the archive, with what turns its coordinates into units of the drawing. */
interface PlacedTile {
	tile: VectorTile;
	/** The width of the tile and the position of its upper left corner, in units of the drawing. */
	across: number;
	left: number;
	top: number;
}

/** The one to four tiles under the drawing of a point. */
async function tilesUnder(basemap: Basemap, point: Point): Promise<PlacedTile[]> {
	const [x, y] = toSquare(point);
	const unitsAcrossSquare = EQUATOR_METRES * Math.cos((point.lat * Math.PI) / 180) * UNITS_PER_METRE;
	const count = 2 ** basemap.zoom;
	const across = unitsAcrossSquare / count;
	const reached = (middle: number, units: number) =>
		new Set([-units, units].map((side) => Math.floor((middle + side / 2 / unitsAcrossSquare) * count)));
	const wanted = [...reached(x, WIDTH)].flatMap((column) =>
		[...reached(y, HEIGHT)].map((row) => [column, row] as const),
	);
	const read = wanted
		.filter(([, row]) => row >= 0 && row < count)
		.map(async ([column, row]): Promise<PlacedTile[]> => {
			const bytes = await basemap.tile((column + count) % count, row);
			if (!bytes) return [];
			const left = WIDTH / 2 + (column / count - x) * unitsAcrossSquare;
			const top = HEIGHT / 2 + (row / count - y) * unitsAcrossSquare;
			return [{ tile: new VectorTile(new PbfReader(bytes)), across, left, top }];
		});
	return (await Promise.all(read)).flat();
}

/** Each feature of a tile's layers that reaches into the drawing, with its lines in units of the drawing. */
function* featuresOf(
	{ tile, across, left, top }: PlacedTile,
	layers: readonly string[],
	isWanted: (feature: VectorTileFeature, layer: string) => boolean,
): Generator<{ feature: VectorTileFeature; layer: string; lines: Corner[][] }> {
	for (const name of layers) {
		const layer = tile.layers[name];
		if (!layer) continue;
		const scale = across / layer.extent;
		const [minX, minY] = [(CLIP[0] - left) / scale, (CLIP[1] - top) / scale];
		const [maxX, maxY] = [(CLIP[2] - left) / scale, (CLIP[3] - top) / scale];
		for (let index = 0; index < layer.length; index += 1) {
			const feature = layer.feature(index);
			if (!isWanted(feature, name)) continue;
			const [west = 0, north = 0, east = 0, south = 0] = feature.bbox();
			if (east < minX || west > maxX || south < minY || north > maxY) continue;
			const lines = feature
				.loadGeometry()
				.map((line) => line.map(({ x, y }): Corner => [left + x * scale, top + y * scale]));
			yield { feature, layer: name, lines };
		}
	}
}

const [POINTS, LINES, POLYGONS] = [1, 2, 3];

/** How far the middle of a ring's bounds is from the middle of the drawing, in units. */
function distanceOf({ corners }: ClippedRing): number {
	const middle = (values: number[]) => (Math.min(...values) + Math.max(...values)) / 2;
	return Math.hypot(middle(corners.map(([x]) => x)) - WIDTH / 2, middle(corners.map(([, y]) => y)) - HEIGHT / 2);
}

/**
 * The shapes of all tiles by kind, clipped to the frame and to their tiles, because tiles repeat beyond their edges what their
 * neighbours have.
 */
function shapesOf(tiles: PlacedTile[]): Map<ShapeKind, { rings: ClippedRing[]; lines: Corner[][] }> {
	const shapes = new Map<ShapeKind, { rings: ClippedRing[]; lines: Corner[][] }>();
	for (const placed of tiles) {
		const { left, top, across } = placed;
		const edges: Frame = [left, top, left + across, top + across];
		const frame: Frame = [
			Math.max(CLIP[0], edges[0]),
			Math.max(CLIP[1], edges[1]),
			Math.min(CLIP[2], edges[2]),
			Math.min(CLIP[3], edges[3]),
		];
		const isDrawn = (feature: VectorTileFeature, layer: string) =>
			feature.type !== POINTS && kindOf(layer, feature.properties) !== undefined;
		for (const { feature, layer, lines } of featuresOf(placed, DRAWN_LAYERS, isDrawn)) {
			const kind = kindOf(layer, feature.properties)!;
			const ofKind = shapes.get(kind) ?? { rings: [], lines: [] };
			shapes.set(kind, ofKind);
			if (feature.type === POLYGONS) ofKind.rings.push(...lines.map((ring) => openAtCut(clipRing(ring, frame), edges)));
			else ofKind.lines.push(...lines.flatMap((line) => clipLine(line, frame)));
		}
	}
	const buildings = shapes.get("building");
	if (buildings && buildings.rings.length > BUILDINGS_MAX) {
		buildings.rings = buildings.rings
			.filter(({ corners }) => corners.length > 2)
			.sort((a, b) => distanceOf(a) - distanceOf(b))
			.slice(0, BUILDINGS_MAX);
	}
	return shapes;
}

/** The lines of each street that has a name, inside the frame. */
function streetNames(tiles: PlacedTile[]): StreetName[] {
	const names = new Map<string, StreetName>();
	for (const placed of tiles) {
		const isNamed = (feature: VectorTileFeature) => feature.type === LINES && nameOf(feature.properties) !== "";
		for (const { feature, layer, lines } of featuresOf(placed, STREET_NAME_LAYERS, isNamed)) {
			const name = nameOf(feature.properties);
			const kind = kindOf(layer === "transportation_name" ? "transportation" : layer, feature.properties);
			if (kind === undefined || kind === "rail") continue;
			const street = names.get(name) ?? { name, isRoad: kind === "road" || kind === "highway", lines: [] };
			street.lines.push(...lines.flatMap((line) => clipLine(line, FRAME)));
			names.set(name, street);
		}
	}
	return [...names.values()];
}

/** The nearest thing with a name. */
function nearbyOf(tiles: PlacedTile[]): Nearby | undefined {
	let nearest: Nearby | undefined;
	for (const { tile, across, left, top } of tiles) {
		for (const layerName of NAMED_LAYERS) {
			const layer = tile.layers[layerName];
			for (let index = 0; index < (layer?.length ?? 0); index += 1) {
				const feature = layer!.feature(index);
				const name = nameOf(feature.properties);
				const corner = name && feature.type === POINTS ? feature.loadGeometry()[0]?.[0] : undefined;
				if (!corner) continue;
				const east = (WIDTH / 2 - (left + (corner.x * across) / layer!.extent)) / UNITS_PER_METRE;
				const north = (top + (corner.y * across) / layer!.extent - HEIGHT / 2) / UNITS_PER_METRE;
				const metres = Math.hypot(east, north);
				if (metres <= Math.min(NEARBY_METRES_MAX, nearest?.metres ?? Number.POSITIVE_INFINITY)) {
					nearest = { name, metres, direction: directionOf({ east, north }) };
				}
			}
		}
	}
	return nearest;
}

/**
 * Draws the streets around a point.
 * @returns The drawing, and the nearest thing with a name; undefined if the archive shows nothing there.
 * @throws BasemapError, or whatever the decoder throws for a broken tile.
 */
export async function sketchStreets(basemap: Basemap, point: Point): Promise<StreetSketch | undefined> {
	const tiles = await tilesUnder(basemap, point);
	const shapes = shapesOf(tiles);
	if (shapes.size === 0) return undefined;
	return { svg: drawSketch(shapes, streetNames(tiles)), nearby: nearbyOf(tiles) };
}
