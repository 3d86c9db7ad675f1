/** Lays official zones over a country: finds how much of each remains visible, and refuses those of which too little does. */
import { UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { boxOf, DEEPEST_LEVEL } from "../src/zones/morton.ts";
import { areaOfGridPoint, arrangementOf, cutWorld, type World } from "./borders.ts";
import { squareMetres } from "./earth.ts";
import { BoundaryError } from "./faults.ts";
import { type ClosedGaps, closeGaps, metresBetween, NARROW_METRES } from "./gaps.ts";
import type { OfficialBoundary, OfficialFile } from "./official.ts";
import { placeText } from "./official-geometry.ts";
import { halve, type Outline } from "./outline.ts";
import { boxesOf, joinOutlines, type Overlap } from "./planar.ts";
import type { Overlay } from "./planned.ts";
import { boxAround, boxesMeet } from "./rings.ts";
import { doubleArea, type Ring, type Territory } from "./sources.ts";

/** Share of a zone that other outlines may cover because they do not quite fit; more is taken for a mistake. */
const MOST_COVERED = 0.1;
/** Overlaps smaller than this, in square metres, are what rounding leaves; they are counted, not listed. */
const LISTED_SQUARE_METRES = 1000;

/** What is known of the countries of the world. */
interface Borders {
	territories: readonly Territory[];
	world: World;
}

/** Areas of a world that reach into an outline, and perhaps others within a finest cell of it. */
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

function describeOverlaps(overlaps: readonly Overlap[], boundaries: readonly OfficialBoundary[]): string[] {
	const sized = overlaps.map((overlap) => ({ ...overlap, metres: squareMetres(overlap.area, overlap.at) }));
	const listed = sized.filter(({ metres }) => metres >= LISTED_SQUARE_METRES).sort((a, b) => b.metres - a.metres);
	const small = sized.length - listed.length;
	return [
		...listed.map(
			({ shown, hidden, metres, at }) =>
				`${boundaries[hidden - 1]!.where}: it shares ${Math.round(metres)} m2 near ${placeText(...at)} with zone ${boundaries[shown - 1]!.number}, which gets them`,
		),
		...(small > 0 ? [`${small} overlaps of less than ${LISTED_SQUARE_METRES} m2 went to the smaller one`] : []),
	];
}

function describeGaps({ closed, gaps }: ClosedGaps): string[] {
	const size = (squareMetres: number) =>
		squareMetres < 1e5 ? `${Math.round(squareMetres)} m2` : `${(squareMetres / 1e6).toFixed(1)} km2`;
	return [
		...(closed > 0 ? [`gaps between zones narrower than ${NARROW_METRES} m, closed: ${closed}`] : []),
		...gaps.map(
			({ squareMetres, at }) =>
				`a gap near ${placeText(...at)}: it is surrounded by zones and in none, and has ${size(squareMetres)}: draw it into one, unless it is meant`,
		),
	];
}

/** The length in metres of a ring. */
function lengthOf(ring: Ring): number {
	let metres = 0;
	for (let at = 0, last = ring.length - 2; at < ring.length; last = at, at += 2)
		metres += metresBetween(ring[last]!, ring[last + 1]!, ring[at]!, ring[at + 1]!);
	return metres;
}

/** Returns a function that says whether polygons lie outside a country for certain: no corner is in it, and its outline is not near. */
function outsideFinder(area: number, { territories, world }: Borders): (rings: readonly Ring[]) => boolean {
	const { rings: outline } = territories[area - 1]!;
	const boxesAlong = outline.flatMap((ring) =>
		Array.from({ length: ring.length / 2 }, (_, at) =>
			boxAround([[...ring.slice(2 * at, 2 * at + 4), ...(2 * at + 2 === ring.length ? ring.slice(0, 2) : [])]]),
		),
	);
	return (rings) => {
		const isInside = rings.some((ring) =>
			ring.some(
				(x, at) => at % 2 === 0 && areaOfGridPoint(world, x * UNITS_PER_STEP, ring[at + 1]! * UNITS_PER_STEP) === area,
			),
		);
		if (isInside) return false;
		const box = boxAround(rings);
		return !boxesAlong.some((edge) => boxesMeet(edge, box));
	};
}

/**
 * Refuses boundaries for what is wrong with them by themselves, or because they lie abroad: found in seconds, while to lay them over
 * their country takes minutes.
 * @param area The country's area.
 * @throws BoundaryError with these faults, and those of the file.
 */
export function requireSound(
	area: number,
	borders: Borders,
	{ boundaries, faults: unreadable }: Pick<OfficialFile, "boundaries" | "faults">,
): void {
	const isOutside = outsideFinder(area, borders);
	const known = new Map<string, string>();
	const faults = boundaries.flatMap(({ polygons, where }): string[] => {
		const rings = polygons.flat();
		const [x, y] = [rings[0]![0]!, rings[0]![1]!];
		const drawn = rings.map((ring) => ring.join()).join(";");
		const twin = known.get(drawn);
		known.set(drawn, twin ?? where);
		if (twin !== undefined) return [`${where}: it is drawn as ${twin} is: remove one of them`];
		const steps = rings.reduce((sum, ring) => sum + doubleArea(ring), 0) / 2;
		const width = (2 * squareMetres(steps, [x, y])) / rings.reduce((sum, ring) => sum + lengthOf(ring), 0);
		if (width > 0 && width < NARROW_METRES)
			return [`${where}: it is a sliver of about ${width.toFixed(1)} m: join it to its neighbour, or remove it`];
		if (!isOutside(rings)) return [];
		const isSwapped = areaOfGridPoint(borders.world, y * UNITS_PER_STEP, x * UNITS_PER_STEP) === area;
		return [
			`${where}: it lies wholly outside the country: ${isSwapped ? "it is inside with latitude and longitude swapped: write longitude first" : "correct its coordinates (longitude first), or remove it"}`,
		];
	});
	if (unreadable.length + faults.length > 0) throw new BoundaryError([...unreadable, ...faults]);
}

/** Official zones laid over their country, and what their operator should know about them. */
export interface LaidOver {
	overlay: Overlay;
	notes: string[];
}

/**
 * The official zones of a country. Where they overlap, the smaller one prevails, and of two equally large the lower number: a small zone
 * within a large one is an enclave for which the large one lacks a hole.
 * @param area The country's area.
 * @param territory The country's outline.
 * @param file What was read from a file. Its faults are thrown here, so that an operator learns of all at once.
 * @throws BoundaryError with all faults of the file and of how its zones lie.
 */
export function layOver(
	area: number,
	territory: Outline,
	{ boundaries, faults: unreadable }: Pick<OfficialFile, "boundaries" | "faults">,
): LaidOver {
	const sizes = boundaries.map(({ polygons }) => polygons.flat().reduce((sum, ring) => sum + doubleArea(ring), 0));
	const { edges, drawn, overlaps } = joinOutlines(
		boundaries.map(({ polygons }) => polygons),
		(zone) => sizes[zone - 1]!,
	);
	const closing = closeGaps(edges);
	const arrangement = arrangementOf(closing.edges, []);
	const world = cutWorld(arrangement);
	const reaching = areasReaching(territory, world);
	const boxes = boxesOf(arrangement);
	const faults = [...unreadable];
	const zones = boundaries.map(({ number, name, region, where }, index) => {
		const own = overlaps.filter(({ hidden }) => hidden === index + 1);
		const share = own.reduce((sum, { area }) => sum + area, 0) / drawn[index + 1]!;
		if (share > MOST_COVERED) {
			const largest = own.reduce((most, overlap) => (overlap.area > most.area ? overlap : most));
			faults.push(
				`${where}: it lies under others by ${Math.ceil(share * 100 - 1e-9)} %, most of it under ${boundaries[largest.shown - 1]!.where}: correct the one or the other (up to ${MOST_COVERED * 100} % is left to the smaller one)`,
			);
		} else if (!reaching.has(index + 1)) {
			faults.push(
				`${where}: it lies wholly outside the country: correct its coordinates (longitude first), or remove it`,
			);
		}
		const [west, south, east, north] = (boxes[index + 1] ?? [0, 0, 0, 0]).map((side) => side * UNITS_PER_STEP);
		return { number, name, region, box: { south: south!, west: west!, north: north!, east: east! } };
	});
	if (faults.length > 0) throw new BoundaryError(faults);
	return {
		overlay: { area, zones, world },
		notes: [...describeOverlaps(overlaps, boundaries), ...describeGaps(closing)],
	};
}
