/** Natural Earth as tests ask it: the country of a point, by ray casting. */
import type { Position } from "geojson";
import { readNaturalEarth } from "../../zones/natural-earth.ts";

/** Height of the rows that edges are sorted into, in degrees. */
const ROW_DEGREES = 0.02;

export type Segment = readonly [x1: number, y1: number, x2: number, y2: number];

/**
 * A ring's edges without jumps over the antimeridian: longitudes run on beyond 180 degrees. The ring around the pole, which ends a
 * turn from where it began, is closed along the bottom of the map.
 */
function edgesOf(ring: readonly Position[]): Segment[] {
	let shift = 0;
	const edges = ring.slice(1).map(([x2 = 0, y2 = 0], index): Segment => {
		const [x1 = 0, y1 = 0] = ring[index]!;
		const from = x1 + shift;
		if (x2 - x1 > 180) shift -= 360;
		else if (x1 - x2 > 180) shift += 360;
		return [from, y1, x2 + shift, y2];
	});
	if (shift === 0) return edges;
	const [startX, startY, , , endX, endY] = [...edges[0]!, ...edges.at(-1)!.slice(2)] as number[];
	return [...edges, [endX!, endY!, endX!, -90], [endX!, -90, startX!, -90], [startX!, -90, startX!, startY!]];
}

/** Every border of Natural Earth, in degrees. */
export function naturalEarthBorders(): Segment[] {
	return readNaturalEarth().flatMap(({ geometry }) =>
		(geometry.type === "Polygon" ? geometry.coordinates : geometry.coordinates.flat()).flatMap(edgesOf),
	);
}

/** Finds the country of Natural Earth at a point in degrees; undefined at sea and on land that it gives to none. */
export function naturalEarthFinder(): (lng: number, lat: number) => string | undefined {
	const rows = new Map<number, Array<readonly [country: number, edge: Segment]>>();
	const countries = readNaturalEarth();
	countries.forEach(({ geometry }, country) => {
		const rings = geometry.type === "Polygon" ? geometry.coordinates : geometry.coordinates.flat();
		for (const edge of rings.flatMap(edgesOf)) {
			const [first, last] = [Math.min(edge[1], edge[3]), Math.max(edge[1], edge[3])].map((y) =>
				Math.floor(y / ROW_DEGREES),
			) as [number, number];
			for (let row = first; row <= last; row++) {
				const held = rows.get(row);
				if (held) held.push([country, edge]);
				else rows.set(row, [[country, edge]]);
			}
		}
	});
	return (lng, lat) => {
		const inside = new Set<number>();
		for (const [country, [x1, y1, x2, y2]] of rows.get(Math.floor(lat / ROW_DEGREES)) ?? []) {
			if (y1 > lat === y2 > lat) continue;
			const x = x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1);
			for (const turn of [-360, 0, 360]) {
				if (lng + turn < x && !inside.delete(country)) inside.add(country);
			}
		}
		const [found] = inside;
		return found === undefined ? undefined : countries[found]!.country;
	};
}
