/**
 * An authority's own view of land in dispute, `--view FILE`: GeoJSON with polygons, each with the country that gets its zones and the reason. Only
 * land without addresses may change hands, because a code names its country for ever.
 */
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import type { Ends, FoundEdge } from "./borders.ts";
import { BoundaryError, faultsOf } from "./faults.ts";
import { describeFeature, parseFeatures, property } from "./official.ts";
import { isObject, placeText, readGeometry } from "./official-geometry.ts";
import { joinOutlines } from "./planar.ts";
import type { Query } from "./registry.ts";
import { boxAround, boxesMeet, traceRings } from "./rings.ts";
import { doubleArea, placeIn, type Ring, type Territory } from "./sources.ts";

/** A piece of land, and the country that gets it. */
export interface View {
	country: string;
	reason: string;
	polygons: Ring[][];
	/** what messages call it */
	where: string;
}

/**
 * The views in a file.
 * @param known Codes of the countries of the index.
 * @throws BoundaryError with all faults.
 */
export function readViews(text: string, file: string, known: ReadonlySet<string>): View[] {
	const views: View[] = [];
	const faults = faultsOf(
		parseFeatures(text, file).map((feature, index) => () => {
			if (!isObject(feature)) throw new BoundaryError(`${file}, feature ${index + 1}: it is not a GeoJSON Feature`);
			const properties = isObject(feature.properties) ? feature.properties : {};
			const [country, reason] = [property(properties, "country"), property(properties, "reason")];
			const where = describeFeature(file, index, undefined, reason, feature.geometry);
			if (typeof country !== "string" || !known.has(country))
				throw new BoundaryError(
					`${where}: its country is ${JSON.stringify(country) ?? "missing"}: give the ISO 3166-1 letters of a country of the index`,
				);
			if (typeof reason !== "string" || reason.trim() === "")
				throw new BoundaryError(`${where}: it has no reason: name the law or the decision that it follows`);
			const { polygons } = readGeometry(feature.geometry, where);
			views.push({ country, reason, polygons, where });
		}),
	);
	if (faults.length > 0) throw new BoundaryError(faults);
	const { overlaps } = joinOutlines(views.map(({ polygons }) => polygons));
	if (overlaps.length > 0)
		throw new BoundaryError(
			overlaps.map(({ hidden, at }) => `${views[hidden - 1]!.where}: it overlaps another near ${placeText(...at)}`),
		);
	return views;
}

/** An edge with an area to its left, or undefined if the area is on neither side. */
function besideArea({ ends, sides }: FoundEdge, area: number): Ends | undefined {
	const [x1, y1, x2, y2] = ends;
	const leftIsBeyond = y1 === y2 ? x1 < x2 : y1 > y2;
	const [left, right] = leftIsBeyond ? sides : [sides[1], sides[0]];
	return left === area ? ends : right === area ? [x2, y2, x1, y1] : undefined;
}

/**
 * Territories in which the land of views belongs to the countries that these name. The territories around a view are joined with it, so
 * that neighbours share each new line; all others stay as they are.
 */
export function territoriesWith(views: readonly View[], territories: readonly Territory[]): Territory[] {
	if (views.length === 0) return [...territories];
	const boxes = views.map(({ polygons }) => boxAround(polygons.flat()));
	const countries = new Set(views.map(({ country }) => country));
	const affected = territories.filter(
		({ country, rings }) => countries.has(country) || boxes.some((box) => boxesMeet(box, boxAround(rings))),
	);
	const sizes = affected.map(({ rings }) => rings.reduce((sum, ring) => sum + doubleArea(ring), 0));
	const { edges } = joinOutlines(
		[...affected.map(({ rings }) => [rings]), ...views.map(({ polygons }) => polygons)],
		// A view precedes all territories. Of two territories that overlap in the source, the smaller comes first.
		(zone) => sizes[zone - 1] ?? -1,
	);
	const ownerOf = (zone: number) => {
		const view = views[zone - affected.length - 1];
		return view ? affected.findIndex(({ country }) => country === view.country) + 1 : zone;
	};
	const owned = edges
		.map(({ ends, sides }): FoundEdge => ({ ends, sides: [ownerOf(sides[0]), ownerOf(sides[1])] }))
		.filter(({ sides: [a, b] }) => a !== b);
	return territories.map((territory) => {
		const area = affected.indexOf(territory) + 1;
		if (area === 0) return territory;
		return {
			...territory,
			rings: traceRings(owned.map((edge) => besideArea(edge, area)).filter((ends) => ends !== undefined)),
		};
	});
}

/**
 * What the operator of a view should know of its ground: by which region its addresses are told. The map of regions knows that ground as
 * another country's.
 * @param regionAt The region of a point of the country; "" where none is known.
 */
export function describeGround(
	{ country, polygons, where }: View,
	regionAt: (point: { x: number; y: number }) => string,
): string {
	const { west, south, east, north } = boxAround(polygons.flat());
	const region = regionAt({ x: Math.round((west + east) / 2), y: Math.round((south + north) / 2) });
	const told = region === "" ? "it has no region" : `it is told to be in ${region}, by the nearest place of ${country}`;
	return `${where}: ${told}: if that is wrong, draw the regions of ${country} there and name the file as --regions ${country}=FILE`;
}

/** @throws BoundaryError if addresses of another country have been issued on the land of a view. */
export async function requireNoAddress(views: readonly View[], query: Query): Promise<void> {
	const faults: string[] = [];
	for (const { country, polygons, where } of views) {
		const box = boxAround(polygons.flat());
		const [south, north, west, east] = [box.south, box.north, box.west, box.east].map(
			(side) => side / STEPS_PER_DEGREE,
		);
		const rows = await query(`select canonical, lat, lng from addresses where lat between ${south} and ${north}
			and lng between ${west} and ${east} and substr(canonical, 1, 2) not in ('${country}', 'ZZ')`);
		const held = rows.filter(({ lat, lng }) => {
			const [x, y] = [Number(lng) * STEPS_PER_DEGREE, Number(lat) * STEPS_PER_DEGREE];
			return polygons.some((rings) => placeIn(rings, x, y) !== "outside");
		});
		if (held.length > 0)
			faults.push(
				`${where}: ${held.length} addresses of other countries have been issued there, such as ${held[0]!.canonical}: their codes stay what they are`,
			);
	}
	if (faults.length > 0) throw new BoundaryError(faults);
}
