/** Lays official zones over a country: finds out what of each is to be seen, and refuses those of which too little is. */
import { UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { boxOf, DEEPEST_LEVEL } from "../src/zones/morton.ts";
import { areaOfGridPoint, cutWorld, type World } from "./borders.ts";
import type { Overlay } from "./compile.ts";
import { BoundaryError, type OfficialBoundary } from "./official.ts";
import { halve, type Outline } from "./outline.ts";
import { boxesOf, joinOutlines } from "./planar.ts";

/** Outlines that do not quite fit each other may cover so much of a zone; more is taken for a mistake. */
const MOST_COVERED = 0.1;

/** Areas of a world that reach into an outline; those within a finest cell of it may count although they do not. */
function areasReaching(into: Outline, world: World): Set<number> {
	const { edges, sides } = world.arrangement;
	const found = new Set<number>();
	const visit = (key: number, level: number, border: readonly number[], through: readonly number[]): void => {
		const { west, south } = boxOf(key, level);
		if (border.length === 0 && !into.holds(west, south)) return;
		if (border.length > 0 && through.length > 0 && level < DEEPEST_LEVEL) {
			const halvesOfThrough = halve(edges, through, key, level);
			for (const [index, half] of halve(into.edges, border, key, level).entries()) {
				visit(half.key, half.level, half.numbers, halvesOfThrough[index]!.numbers);
			}
			return;
		}
		found.add(areaOfGridPoint(world, west, south));
		for (const edge of through) for (const area of sides[edge]!) found.add(area);
	};
	visit(0, 0, into.numbers, [...sides.keys()]);
	return found;
}

/**
 * The official zones of a country. Where they overlap, the lower number prevails.
 * @param area The country's area, and `territory` its outline.
 * @throws BoundaryError
 */
export function layOver(area: number, territory: Outline, boundaries: readonly OfficialBoundary[]): Overlay {
	const { arrangement, covered } = joinOutlines(boundaries.map(({ rings }) => rings));
	const world = cutWorld(arrangement);
	const reaching = areasReaching(territory, world);
	const boxes = boxesOf(arrangement);
	const zones = boundaries.map(({ number, name, where }, index) => {
		const { share, by } = covered[index + 1]!;
		if (share > MOST_COVERED) {
			const other = by === undefined ? "itself" : boundaries[by - 1]!.where;
			throw new BoundaryError(
				`${where}: ${Math.ceil(share * 100)} % of it lies under others, first of all under ${other}: mend the one or the other (slivers of up to ${MOST_COVERED * 100} % are left to the lower number)`,
			);
		}
		if (!reaching.has(index + 1)) {
			throw new BoundaryError(
				`${where}: it lies wholly outside the country: correct its coordinates (longitude first), or remove it`,
			);
		}
		const [west, south, east, north] = boxes[index + 1]!.map((side) => side * UNITS_PER_STEP);
		return { number, name, box: { south: south!, west: west!, north: north!, east: east! } };
	});
	return { area, zones, world };
}
