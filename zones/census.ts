/** Reads where people live from a census grid: a GeoTIFF such as GPW, WorldPop or GHS-POP, in degrees of WGS 84. */
import { statSync } from "node:fs";
import { fromFile, type GeoTIFFImage } from "geotiff";
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { CELLS_A_SIDE, columnOfKey, gridX, gridY, keyOf, keysAt, rowOfKey, rowsAt } from "../src/zones/morton.ts";
import { areaOfGridPoint, type World } from "./borders.ts";
import { cosine, KM_PER_DEGREE, STEPS_A_ROW } from "./earth.ts";
import { OperatorError } from "./faults.ts";
import type { Land } from "./land.ts";
import { type People, recount, type Tally, tallyOf, totalOf } from "./population.ts";

/** The file cannot be used; the message says why. */
export class CensusError extends OperatorError {
	override readonly name = "CensusError";
}

/** A grid as read, row by row from the north. */
export interface CensusGrid {
	/** degrees */
	west: number;
	north: number;
	/** sides of a pixel in degrees */
	width: number;
	height: number;
	columns: number;
	rows: number;
	/** sums of the file's values in each pixel; 0 if it has none */
	values: Float32Array;
	/** how many pixels of the file one pixel here is along each side */
	merged: number;
}

/** Pixels are merged until they are at least this many degrees wide: finer than any zone that is not in a town. */
const LEAST_PIXEL = 1 / 60;
/** Rows of the file read at a time. */
const STRIP_ROWS = 256;
/** The people of a pixel are spread over points that are at most this many degrees apart. */
const POINT_SPACING = 0.04;
/** Coarsest and finest level of the cells that a census is counted by. */
const LEVELS = [22, 28] as const;

/**
 * Reads a census grid.
 * @throws CensusError when it is no GeoTIFF in degrees, or is cut short.
 */
export async function readCensusGrid(file: string): Promise<CensusGrid> {
	try {
		return await readGrid(file);
	} catch (cause) {
		if (cause instanceof CensusError) throw cause;
		const reason = cause instanceof Error ? cause.message : cause;
		throw new CensusError(`${file}: it cannot be read as GeoTIFF: ${reason}`, { cause });
	}
}

/** Refuses a file that ends before its pixels do: missing pixels would be read as nobody. */
async function requireWhole(file: string, { fileDirectory, isTiled }: GeoTIFFImage): Promise<void> {
	const offsets = await fileDirectory.loadValue(isTiled ? "TileOffsets" : "StripOffsets");
	const lengths = await fileDirectory.loadValue(isTiled ? "TileByteCounts" : "StripByteCounts");
	const ends = Array.from(offsets ?? [], (offset, at) => Number(offset) + Number(lengths?.[at]));
	const end = ends.reduce((last, end) => Math.max(last, end), 0);
	const { size } = statSync(file);
	if (size < end) throw new CensusError(`${file}: it is cut short: it has ${size} bytes of ${end}`);
}

async function readGrid(file: string): Promise<CensusGrid> {
	const tiff = await fromFile(file);
	const image = await tiff.getImage();
	await requireWhole(file, image);
	const [west, south, east, north] = image.getBoundingBox() as [number, number, number, number];
	if (!(west >= -180.01 && east <= 180.01 && south >= -90.01 && north <= 90.01)) {
		throw new CensusError(
			`${file}: it reaches from ${west}, ${south} to ${east}, ${north}, which are no degrees: warp it first, with gdalwarp -t_srs EPSG:4326`,
		);
	}
	const [columns, rows] = [image.getWidth(), image.getHeight()];
	const merged = Math.max(1, Math.ceil((LEAST_PIXEL / ((east - west) / columns)) * 0.999));
	const noData = image.getGDALNoData();
	const grid = {
		west,
		north,
		width: ((east - west) / columns) * merged,
		height: ((north - south) / rows) * merged,
		columns: Math.ceil(columns / merged),
		rows: Math.ceil(rows / merged),
		merged,
	};
	const values = new Float32Array(grid.columns * grid.rows);
	for (let top = 0; top < rows; top += STRIP_ROWS) {
		const bottom = Math.min(rows, top + STRIP_ROWS);
		const strip = (await image.readRasters({
			window: [0, top, columns, bottom],
			samples: [0],
			interleave: true,
		})) as ArrayLike<number>;
		for (let at = 0; at < strip.length; at++) {
			const value = strip[at]!;
			if (!(value > 0) || value === noData) continue;
			const row = Math.floor((top + Math.floor(at / columns)) / merged);
			values[row * grid.columns + Math.floor((at % columns) / merged)]! += value;
		}
	}
	return { ...grid, values };
}

/** Level whose cells are about as high as a pixel. */
function levelFor({ height }: CensusGrid): number {
	const [coarsest, finest] = LEVELS;
	for (let level: number = coarsest; level < finest; level += 2) {
		if ((rowsAt(level) * STEPS_A_ROW) / STEPS_PER_DEGREE <= height) return level;
	}
	return finest;
}

/** A grid covers a country if it has more than this share of its people. A neighbour's grid has a few of them, along the border. */
const LEAST_COVERED = 0.5;

/** Middle of a pixel, or of a part of it, as a grid point. */
function pointOf(grid: CensusGrid, column: number, row: number): [x: number, y: number] {
	return [gridX(grid.west + column * grid.width), gridY(grid.north - row * grid.height)];
}

/**
 * For each area, at its number, how many people a value of the file stands for in pixels of a given row. Files hold people per pixel or
 * people per square kilometre, and do not say which, so the one nearer to the countries' populations is assumed.
 */
function peopleOfValues(
	grid: CensusGrid,
	world: World,
	populations: readonly number[],
): { isCount: boolean; peopleOf: (value: number, area: number, row: number) => number } {
	const squareKmOf = (row: number) =>
		(grid.width * grid.height * KM_PER_DEGREE ** 2 * cosine(grid.north - (row + 0.5) * grid.height)) / grid.merged ** 2;
	const counts = new Float64Array(populations.length);
	const densities = new Float64Array(populations.length);
	grid.values.forEach((value, at) => {
		if (value === 0) return;
		const [column, row] = [at % grid.columns, Math.floor(at / grid.columns)];
		const area = areaOfGridPoint(world, ...pointOf(grid, column + 0.5, row + 0.5));
		counts[area]! += value;
		densities[area]! += value * squareKmOf(row);
	});
	const error = (totals: Float64Array) =>
		populations.reduce((sum, known, area) => {
			const found = totals[area]!;
			return area === 0 || found === 0 || known === 0 ? sum : sum + known * Math.abs(Math.log(found / known));
		}, 0);
	const isCount = error(counts) <= error(densities);
	const totals = isCount ? counts : densities;
	const scales = populations.map((known, area) => (totals[area]! > known * LEAST_COVERED ? known / totals[area]! : 0));
	return { isCount, peopleOf: (value, area, row) => value * scales[area]! * (isCount ? 1 : squareKmOf(row)) };
}

/** Listed people of an area by pixel. */
function listedByPixel(
	grid: CensusGrid,
	listed: Tally,
): { pixelOf: (key: number) => number; people: Map<number, number> } {
	const degreesEast = grid.west + 180;
	const degreesSouth = 90 - grid.north;
	const pixelOf = (key: number): number => {
		const column = Math.floor((((columnOfKey(key) + 0.5) * 360) / CELLS_A_SIDE - degreesEast) / grid.width);
		const row = Math.floor((180 - ((rowOfKey(key) + 0.5) * 180) / CELLS_A_SIDE - degreesSouth) / grid.height);
		return row * grid.columns + column;
	};
	const people = new Map<number, number>();
	listed.keys.forEach((key, at) => {
		const pixel = pixelOf(key);
		people.set(pixel, (people.get(pixel) ?? 0) + listed.before[at + 1]! - listed.before[at]!);
	});
	return { pixelOf, people };
}

/**
 * All people of each area, at its number, placed by a census and scaled to the population of the country; undefined if the census does not
 * cover the country. In a pixel they live in its listed settlements first, the rest evenly on its dry land.
 */
export function peopleByCensus(
	grid: CensusGrid,
	listed: readonly Tally[],
	populations: readonly number[],
	world: World,
	land: Land,
): Array<People | undefined> {
	const level = levelFor(grid);
	const { isCount, peopleOf } = peopleOfValues(grid, world, populations);
	const known = listed.map((tally) => listedByPixel(grid, tally));
	/** of each area: share of its listed people that the census has, by pixel, and the rest by cell */
	const shares = listed.map(() => new Map<number, number>());
	const rest = listed.map(() => new Map<number, number>());
	const across = Math.ceil(grid.width / POINT_SPACING);
	const up = Math.ceil(grid.height / POINT_SPACING);
	grid.values.forEach((value, pixel) => {
		if (value === 0) return;
		const [column, row] = [pixel % grid.columns, Math.floor(pixel / grid.columns)];
		const points = Array.from({ length: across * up }, (_, point) => {
			const [east, south] = [((point % across) + 0.5) / across, (Math.floor(point / across) + 0.5) / up];
			const [x, y] = pointOf(grid, column + east, row + south);
			return { area: areaOfGridPoint(world, x, y), key: keyOf(x, y) };
		}).filter(({ area }) => area !== 0);
		const dry = points.filter(({ key }) => land.isDry(columnOfKey(key), rowOfKey(key)));
		const used = dry.length > 0 ? dry : points;
		// A density is that of the land in a pixel. If all of the land lies between the points, it counts as about half a point.
		const landShare = isCount ? 1 : Math.max(0.5, dry.length) / (across * up);
		for (const area of new Set(used.map(({ area }) => area))) {
			const within = used.filter((point) => point.area === area);
			const people = (peopleOf(value, area, row) * landShare * within.length) / used.length;
			const inListed = known[area]!.people.get(pixel) ?? 0;
			if (inListed > 0) shares[area]!.set(pixel, Math.min(1, people / inListed));
			for (const { key } of within) {
				const cell = Math.floor(key / keysAt(level));
				rest[area]!.set(cell, (rest[area]!.get(cell) ?? 0) + Math.max(0, people - inListed) / within.length);
			}
		}
	});
	return listed.map((tally, area) => {
		const inListed = recount(tally, (key, count) => count * (shares[area]!.get(known[area]!.pixelOf(key)) ?? 0));
		const cells = [...rest[area]!];
		const elsewhere = tallyOf(
			level,
			cells.map(([cell]) => cell * keysAt(level)),
			cells.map(([, count]) => count),
		);
		const found = totalOf(inListed) + totalOf(elsewhere);
		if (found === 0 || populations[area] === 0) return undefined;
		const scale = populations[area]! / found;
		const scaled = (people: Tally) => recount(people, (_, count) => count * scale);
		return { listed: scaled(inListed), unlisted: scaled(elsewhere) };
	});
}
