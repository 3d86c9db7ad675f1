/**
 * Reads an operator's own lines of first-level divisions, `--regions CC=FILE`: GeoJSON with a polygon of each. Reports what it cannot use.
 */
import { iso1A2Code } from "@rapideditor/country-coder";
import { UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { areaOfGridPoint, arrangementOf, cutWorld, type FoundEdge, type World } from "./borders.ts";
import { squareMetres } from "./earth.ts";
import { BoundaryError, faultsOf } from "./faults.ts";
import { closeGaps } from "./gaps.ts";
import { describeFeature, parseFeatures, property, readName } from "./official.ts";
import { isObject, placeText, readGeometry } from "./official-geometry.ts";
import { joinOutlines } from "./planar.ts";
import type { Settlement } from "./settlements.ts";
import type { Ring } from "./sources.ts";

/** Overlaps and gaps smaller than this, in square metres, are what rounding leaves. */
const LEAST_SQUARE_METRES = 10_000;
/** Share of a country's settlements that a file must have to cover the country. */
const LEAST_COVERED = 0.98;
/** How many of the settlements that no region holds are named. */
const NAMED = 5;

/** The regions of a country as an operator draws them. */
export interface RegionFile {
	/** names of regions 1, 2, ... */
	names: readonly string[];
	/** the lines between them, with the regions on their sides; 0 means none */
	edges: readonly FoundEdge[];
	world: World;
	file: string;
}

/** Names under which Natural Earth, geoBoundaries, GADM, OCHA and others carry a country or the ISO 3166-2 code of a region. */
const COUNTRY_PROPERTIES = [
	...["country_code", "cc", "iso1A2", "iso_a2", "iso_a3", "adm0_a3", "adm0_pcode", "gid_0", "shapeGroup"],
	...["iso_3166_2", "ISO3166-2", "shapeISO"],
];

/** The country of an ISO 3166 code: of two letters, of three, or of a region; undefined if it is no such code. */
function countryOfCode(code: unknown): string | undefined {
	const [, letters] = typeof code === "string" ? (/^([A-Z]{2,3})(-|$)/.exec(code) ?? []) : [];
	return letters === undefined ? undefined : (iso1A2Code(letters) ?? undefined);
}

/**
 * The regions in a file. Each feature has a name in `region` or `name`, and features with the same name are one region.
 * @param file What messages call the file.
 * @throws BoundaryError with all faults: no name, another country's code, an overlap, a gap between regions.
 */
export function readRegions(country: string, text: string, file: string): RegionFile {
	const names: string[] = [];
	const polygons: Ring[][][] = [];
	const wheres: string[] = [];
	const faults = faultsOf(
		parseFeatures(text, file).map((feature, index) => () => {
			if (!isObject(feature)) throw new BoundaryError(`${file}, feature ${index + 1}: it is not a GeoJSON Feature`);
			const properties = isObject(feature.properties) ? feature.properties : {};
			const given = property(properties, "region") ?? property(properties, "name");
			const where = describeFeature(file, index, undefined, given, feature.geometry);
			for (const name of COUNTRY_PROPERTIES) {
				const code = property(properties, name);
				if ((countryOfCode(code) ?? country) !== country)
					throw new BoundaryError(`${where}: its ${name} is ${code}, and the file is given for ${country}`);
			}
			const name = readName(given, where, "region");
			if (name === "") throw new BoundaryError(`${where}: it has no name: put it into the property region`);
			const { polygons: own } = readGeometry(feature.geometry, where);
			const known = names.indexOf(name);
			if (known < 0) {
				names.push(name);
				polygons.push(own);
				wheres.push(where);
			} else polygons[known]!.push(...own);
		}),
	);
	if (faults.length > 0) throw new BoundaryError(faults);
	const { edges, overlaps } = joinOutlines(polygons);
	const overlapping = overlaps
		.filter(({ area, at }) => squareMetres(area, at) >= LEAST_SQUARE_METRES)
		.map(
			({ shown, hidden, at }) =>
				`${wheres[hidden - 1]}: it overlaps ${names[shown - 1]} near ${placeText(...at)}: a point lies in one region`,
		);
	const closed = closeGaps(edges);
	const holes = closed.gaps
		.filter((gap) => gap.squareMetres >= LEAST_SQUARE_METRES)
		.map(({ at: [x, y] }) => {
			const beside = closed.edges.filter(
				({ ends: [x1, y1, x2, y2] }) => (x1 === x && y1 === y) || (x2 === x && y2 === y),
			);
			const regions = [...new Set(beside.flatMap(({ sides }) => sides))].flatMap((side) => names[side - 1] ?? []);
			return `${file}: there is a hole beside ${regions.join(" and ")} near ${placeText(x, y)}: draw it into a region`;
		});
	if (overlapping.length + holes.length > 0) throw new BoundaryError([...overlapping, ...holes]);
	return { names, edges: closed.edges, world: cutWorld(arrangementOf(closed.edges, [])), file };
}

/** @throws BoundaryError if a file does not hold the settlements of its country: a region is missing, or the file is another country's. */
export function requireCovered({ world, file }: RegionFile, country: string, settlements: readonly Settlement[]): void {
	const missing = settlements.filter(
		({ x, y }) => areaOfGridPoint(world, x * UNITS_PER_STEP, y * UNITS_PER_STEP) === 0,
	);
	if (missing.length <= settlements.length * (1 - LEAST_COVERED)) return;
	const named = [...missing].sort((a, b) => b.population - a.population || a.id - b.id).slice(0, NAMED);
	const places = named.map(({ name, x, y }) => `${name} (${placeText(x, y)})`).join(", ");
	throw new BoundaryError(
		`${file}: ${missing.length} of ${settlements.length} settlements of ${country} lie in none of its regions, such as ${places}: add what is missing`,
	);
}
