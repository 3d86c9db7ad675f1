/** A country's zones drawn as boxes, coloured by how much of their numbers is issued. */
import type { Bounds, PlacedZone } from "../../zones/locate.ts";

/** Boxes of a drawing at most: about 25 KB gzipped. Where a country has more zones, small neighbours share a box. */
const BOXES_MAX = 7_500;
/** Length of the longer side of a drawing, in its units. */
const SIDE = 1_000;

/** Steps of the colour: from which share of its numbers on a zone has it. */
export const FILL_STEPS = [
	{ from: 0, name: "none issued" },
	{ from: Number.MIN_VALUE, name: "some issued" },
	{ from: 0.1, name: "10 % and more" },
	{ from: 0.5, name: "half and more" },
	{ from: 0.9, name: "90 % and more" },
] as const;

/** Where something is issued, the line around a zone is wide enough to be seen: a zone of a city is smaller than a pixel. */
export const zoneMapStyles = `
.zones{display:block;width:100%;height:auto;max-height:80vh;background:var(--near)}
path[class^=fill]{fill:currentColor}
.zones path{stroke:currentColor;stroke-width:4}
.zones .fill0{stroke:var(--card);stroke-width:.25}
.fill0{color:var(--line)}
.fill1{color:#8fc7e8}
.fill2{color:#3c8dc5}
.fill3{color:#d98a00}
.fill4{color:#b3261e}
.swatch{width:1rem;height:1rem;vertical-align:-.125rem;margin-inline-end:.375rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:0;list-style:none}
`;

/** The step of a share of issued numbers. */
function stepOf(fill: number): number {
	return FILL_STEPS.findLastIndex(({ from }) => fill >= from);
}

/** The boxes of zones, of which those smaller than `side` degrees share the square of a grid: each with the fill of its fullest zone. */
function boxesOf(zones: Filled[], side: number): Map<string, Filled> {
	const boxes = new Map<string, Filled>();
	for (const { fill, bounds } of zones) {
		const isSmall = bounds.north - bounds.south < side && bounds.east - bounds.west < side;
		const south = Math.floor(bounds.south / side) * side;
		const west = Math.floor(bounds.west / side) * side;
		const drawn = isSmall ? { south, west, north: south + side, east: west + side } : bounds;
		const key = `${drawn.south},${drawn.west},${drawn.north},${drawn.east}`;
		boxes.set(key, { bounds: drawn, fill: Math.max(fill, boxes.get(key)?.fill ?? 0) });
	}
	return boxes;
}

interface Filled {
	bounds: Bounds;
	/** Share of the zone's numbers that is issued. */
	fill: number;
}

/**
 * The drawing of a country's zones.
 * @param fillOf The share of a zone's numbers that is issued, by the number of the zone.
 */
export function ZoneMap({
	zones,
	fillOf,
	title,
}: {
	zones: PlacedZone[];
	fillOf: ReadonlyMap<number, number>;
	title: string;
}) {
	const spansTurn = zones.some(({ bounds }) => bounds.west > 90) && zones.some(({ bounds }) => bounds.east < -90);
	// A country on both sides of the antimeridian is drawn in one piece.
	const turned = (lng: number) => (spansTurn && lng < 0 ? lng + 360 : lng);
	const filled = zones.map(({ zone, bounds: { south, west, north, east } }) => ({
		fill: fillOf.get(zone) ?? 0,
		bounds: { south, west: turned(west), north, east: turned(west) + east - west },
	}));
	let side = 180 / 2 ** 16;
	let boxes = boxesOf(filled, side);
	while (boxes.size > BOXES_MAX) {
		side *= 2;
		boxes = boxesOf(filled, side);
	}
	const all = [...boxes.values()];
	const lats = all.flatMap(({ bounds }) => [bounds.south, bounds.north]);
	const lngs = all.flatMap(({ bounds }) => [bounds.west, bounds.east]);
	const [south, north, west, east] = [Math.min(...lats), Math.max(...lats), Math.min(...lngs), Math.max(...lngs)];
	// An equirectangular projection that is true in the middle.
	const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
	const scale = SIDE / Math.max((east - west) * shrink, north - south);
	const x = (lng: number) => Math.round((lng - west) * shrink * scale);
	const y = (lat: number) => Math.round((north - lat) * scale);
	const paths = FILL_STEPS.map(() => "");
	for (const { bounds, fill } of all) {
		const [left, top] = [x(bounds.west), y(bounds.north)];
		const width = x(bounds.east) - left;
		// Relative, because many boxes are of one size, which gzip then writes once.
		paths[stepOf(fill)] += `M${left} ${top}h${width}v${y(bounds.south) - top}h${-width}z`;
	}
	return (
		<svg class="zones" viewBox={`0 0 ${x(east)} ${y(south)}`} role="img" aria-label={title}>
			{paths.map((path, step) => (path ? <path class={`fill${step}`} d={path} /> : null))}
		</svg>
	);
}
