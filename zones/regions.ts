/**
 * Finds the region, the first-level division of its country, that a point is in: by the lines of a map where these are up to date,
 * otherwise by the nearest settlement. Of each country, the map counts that the list of settlements contradicts least.
 *
 * The map and the list are checked against each other. A division of the map is a region if the list has nearly all of the division's
 * settlements in that region. If the list has whole regions within one division, such as the counties within an old province of Kenya, the
 * line around them still holds, and the nearest settlement tells them apart. No name comes from the map, so that none is spelled in two
 * ways. No region is another country's, because both the border and the list must place the settlements in the country.
 */
import { areaAt } from "../src/zones/borders.ts";
import { codeOfDivision, divisionOfCode } from "../src/zones/gazetteer.ts";
import { UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { keyOf } from "../src/zones/morton.ts";
import { arrangementOf, cutWorld, type FoundEdge, type World } from "./borders.ts";
import type { DivisionLine } from "./division-lines.ts";
import { squaredKm } from "./earth.ts";
import { type Nearby, nearbyFinder } from "./nearby.ts";
import { type RegionFile, requireCovered } from "./region-file.ts";
import type { Settlement } from "./settlements.ts";

/** Share of a region's settlements from which it lies within a division of the map, because its own lines are newer than the map. */
const WITHIN_SHARE = 0.4;
/** Share of the settlements of a division of the map that must be in one country for the list to identify the division there. */
const OWN_SHARE = 0.5;
/** A region with less than this share of a division's settlements is there by chance, through wrong codes in the list. */
const LEAST_SHARE = 0.02;
/**
 * A region with so many and such a share of a division's settlements may be a part of it, although most of the region lies elsewhere. It is
 * one if telling settlements by the nearest other one then puts fewer of them wrong, by at least a third of the region's.
 */
const PART_LEAST = 5;
const PART_SHARE = 0.15;
const PART_GAIN = 1 / 3;
/** Another map than the first one is taken for a country if the list contradicts it by so much less. Smaller differences are chance. */
const BETTER_SHARE = 2 / 3;
/** How far around a point, in kilometres, its region is searched for, and how far if the lines leave only a few possible. */
const REGION_KM = 100;
const POSSIBLE_KM = 800;
/** How far away the nearest settlement is searched for at first, in kilometres. */
const NEAR_KM = 8;

/** A lattice point of 1e-5 degree. */
export interface Point {
	x: number;
	y: number;
}

/** The regions of a country that a division of the map may be: one, or several that its lines do not separate. */
interface DivisionRegions {
	/** the country's area, from 1 on */
	area: number;
	regions: readonly string[];
}

export interface RegionMap {
	/** the lines; the areas of this world are codes of divisions, see codeOfDivision */
	world: World;
	/** what each division is, from 1 on; the first entry is empty */
	divisions: ReadonlyArray<readonly DivisionRegions[]>;
}

export interface Regions extends RegionMap {
	/** the settlements in each area, each in the region that its point is in */
	settlementsIn: Settlement[][];
	/** which of the maps counts in each area, from 0 on */
	mapOf: readonly number[];
	/** the division at a point of an area, as the map that counts there numbers it; 0 if there is none */
	mapDivisionAt(area: number, point: Point): number;
	/** the regions of an area that the lines leave possible at a point: one if they are up to date; none if they say nothing */
	possibleAt(area: number, point: Point): readonly string[];
	/** the region of a point of an area; "" where none is known */
	regionAt(area: number, point: Point): string;
}

/** Lines of a map, and what numbers its divisions get; 0 means none. */
interface DrawnLines {
	lines: readonly DivisionLine[];
	numberOf: (division: number) => number;
}

/** The lines of maps as edges that separate divisions. The edges in `more` have codes on their sides already. */
function worldOf(maps: readonly DrawnLines[], more: readonly FoundEdge[] = []): World {
	const edges = maps.flatMap(({ lines, numberOf }) =>
		lines.flatMap(({ sides, points }) => {
			const codes = sides.map((side) => codeOfDivision(numberOf(side))) as [number, number];
			if (codes[0] === codes[1]) return [];
			return points.slice(1).flatMap(([x2, y2], at): FoundEdge[] => {
				const [x1, y1] = points[at]!;
				return x1 === x2 && y1 === y2 ? [] : [{ ends: [x1, y1, x2, y2], sides: codes }];
			});
		}),
	);
	return cutWorld(arrangementOf([...edges, ...more], []));
}

/** The division of the map at a lattice point; 0 if there is none. */
function divisionAt({ borders }: World, { x, y }: Point): number {
	const [gridX, gridY] = [x * UNITS_PER_STEP, y * UNITS_PER_STEP];
	return divisionOfCode(areaAt(borders, keyOf(gridX, gridY), gridX, gridY));
}

/** How many times each text occurs. */
export function counted(texts: readonly string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
	return counts;
}

/** A settlement of a division of the lines. */
interface Held extends Point {
	area: number;
	region: string;
}

/** How many of a division's settlements are in another region than the nearest other one, if the division is these regions. */
function misplaced(held: readonly Held[], regions: readonly string[]): number {
	const wanted = held.filter(({ region }) => regions.includes(region));
	const isWrong = (place: Held) => {
		if (regions.length === 1 || place.region === "") return place.region !== "" && place.region !== regions[0];
		let best = { squared: Number.POSITIVE_INFINITY, region: "" };
		for (const other of wanted) {
			const squared = squaredKm(place.x, place.y, other.x, other.y);
			if (other !== place && squared < best.squared) best = { squared, region: other.region };
		}
		return best.region !== place.region;
	};
	return held.filter(isWrong).length;
}

/**
 * The regions of a division with those that are a part of it, because the line between them has moved since.
 * @param counts How many of its settlements each region has.
 */
function withParts(
	regions: readonly string[],
	held: readonly Held[],
	counts: ReadonlyArray<[string, number]>,
): string[] {
	const found = [...regions];
	const candidates = counts.filter(
		([region, count]) => !regions.includes(region) && count >= Math.max(PART_LEAST, held.length * PART_SHARE),
	);
	for (const [region, count] of candidates.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))) {
		const gain = misplaced(held, found) - misplaced(held, [...found, region]);
		if (gain >= count * PART_GAIN) found.push(region);
	}
	return found;
}

/** The regions that each division of the lines stands for, judged by the settlements in it whose region the list knows. */
function judge(world: World, settlementsIn: ReadonlyArray<readonly Settlement[]>): Map<number, DivisionRegions[]> {
	const held = new Map<number, Held[]>();
	const ofRegion = settlementsIn.map((settlements) => counted(settlements.map(({ region }) => region)));
	for (const [area, settlements] of settlementsIn.entries()) {
		for (const settlement of settlements) {
			const division = divisionAt(world, settlement);
			if (division === 0) continue;
			const all = held.get(division) ?? [];
			all.push({ area, region: settlement.region, x: settlement.x, y: settlement.y });
			held.set(division, all);
		}
	}
	const shares = [...held].flatMap(([division, all]) =>
		[...Map.groupBy(all, ({ area }) => area)].flatMap(([area, own]) => {
			const counts = [...counted(own.map(({ region }) => region))].filter(([region]) => region !== "");
			if (own.length < all.length * OWN_SHARE || counts.length === 0) return [];
			const most = Math.max(...counts.map(([, count]) => count));
			const regions = counts.map(([region, count]) => {
				const share = count / ofRegion[area]!.get(region)!;
				return {
					key: `${area} ${region}`,
					region,
					share,
					isMost: count === most,
					// A region that is wholly here is none by chance, however small it is among many.
					isFew: count < own.length * LEAST_SHARE && share <= 0.5,
				};
			});
			const kept = regions.filter(({ share, isMost, isFew }) => isMost || (share >= WITHIN_SHARE && !isFew));
			return [{ division, area, kept, own, counts }];
		}),
	);
	// A region that is a division of its own lies within another one only if most of its settlements do, not half of a few.
	const alone = new Set(shares.flatMap(({ kept: [first, ...more] }) => (more.length === 0 ? [first!.key] : [])));
	const found = new Map<number, DivisionRegions[]>();
	for (const { division, area, kept, own, counts } of shares) {
		const whole = kept
			.filter(({ key, share, isMost }) => isMost || share > 0.5 || !alone.has(key))
			.map(({ region }) => region);
		const regions = withParts(whole, own, counts).sort();
		found.set(division, [...(found.get(division) ?? []), { area, regions }]);
	}
	return found;
}

/** The nearest wanted place within `mostKm` kilometres of a point; of two equally near, the first in the list. */
function nearestOf<Place extends Point>(
	around: Nearby<Place>,
	{ x, y }: Point,
	mostKm: number,
	isWanted: (place: Place) => boolean,
): Place | undefined {
	for (let reach = NEAR_KM; ; reach = Math.min(2 * reach, mostKm)) {
		let best: { place: Place; squared: number } | undefined;
		for (const place of around(x, y, reach)) {
			if (!isWanted(place)) continue;
			const squared = squaredKm(x, y, place.x, place.y);
			if (!best || squared < best.squared) best = { place, squared };
		}
		if ((best && best.squared <= reach * reach) || reach === mostKm) return best?.place;
	}
}

/** Returns a function that tells the region of a point of an area from those that the lines leave possible there; "" where none is known. */
function regionTeller(settlementsIn: ReadonlyArray<readonly Settlement[]>) {
	const finders = settlementsIn.map((settlements) => nearbyFinder(settlements.filter(({ region }) => region !== "")));
	return (area: number, point: Point, possible: readonly string[]): string => {
		if (possible.length === 1) return possible[0]!;
		const isWanted = (place: Settlement) =>
			place !== point && (possible.length === 0 || possible.includes(place.region));
		const mostKm = possible.length === 0 ? REGION_KM : POSSIBLE_KM;
		return nearestOf(finders[area]!, point, mostKm, isWanted)?.region ?? "";
	};
}

/** A map, and what its divisions are. */
interface JudgedMap {
	lines: readonly DivisionLine[];
	world: World;
	judged: ReadonlyMap<number, DivisionRegions[]>;
}

/** The regions of an area that a division may be. */
function regionsIn(found: readonly DivisionRegions[] | undefined, area: number): readonly string[] {
	return found?.find((division) => division.area === area)?.regions ?? [];
}

/** Whether a map has divisions for at least half of each region's places. */
function drawsAll({ judged, world }: JudgedMap, area: number, known: readonly Settlement[]): boolean {
	return [...Map.groupBy(known, ({ region }) => region).values()].every((places) => {
		const inside = places.filter((place) => regionsIn(judged.get(divisionAt(world, place)), area).length > 0);
		return inside.length >= places.length / 2;
	});
}

/**
 * Which map counts in each area: the first, unless another one draws all of its regions and is contradicted by fewer of its settlements. A
 * settlement contradicts a map that would tell it to be in another region than the list has it in, if the list lacked it.
 */
function chooseMaps(
	maps: readonly JudgedMap[],
	settlementsIn: ReadonlyArray<readonly Settlement[]>,
	tell: ReturnType<typeof regionTeller>,
): number[] {
	return settlementsIn.map((settlements, area) => {
		const known = settlements.filter(({ region }) => region !== "");
		const contradictions = ({ judged, world }: JudgedMap) =>
			known.filter((place) => {
				const possible = regionsIn(judged.get(divisionAt(world, place)), area);
				return tell(area, place, possible) !== place.region;
			}).length;
		const others = maps.flatMap((map, at) => (at > 0 && drawsAll(map, area, known) ? [{ map, at }] : []));
		if (others.length === 0 || known.length === 0) return 0;
		let best = { at: 0, count: contradictions(maps[0]!) };
		for (const { map, at } of others) {
			const count = contradictions(map);
			if (count < best.count && count <= best.count * BETTER_SHARE) best = { at, count };
		}
		return best.at;
	});
}

/**
 * The regions of the world.
 * @param maps Each map's lines, of which the first counts where no other is better.
 * @param listed The settlements in each area, at its number, each in the region that the list has for it.
 * @param countries The country of each area, from area 1 on.
 * @param own By country, an operator's lines, which replace the maps'.
 * @throws BoundaryError if an operator's lines leave out a part of their country.
 */
export function surveyRegions(
	maps: ReadonlyArray<readonly DivisionLine[]>,
	listed: ReadonlyArray<readonly Settlement[]>,
	countries: readonly string[],
	own: ReadonlyMap<string, RegionFile> = new Map(),
): Regions {
	// A region that the list gives to another country is none of this one.
	const settlementsIn = listed.map((settlements, area) =>
		settlements.map((settlement) =>
			["", countries[area - 1]].includes(settlement.country) ? settlement : { ...settlement, region: "" },
		),
	);
	const tell = regionTeller(settlementsIn);
	const all = maps.map((lines): JudgedMap => {
		const world = worldOf([{ lines, numberOf: (division) => division }]);
		return { lines, world, judged: judge(world, settlementsIn) };
	});
	const mapOf = chooseMaps(all, settlementsIn, tell);
	const ownAreas = new Set([...own.keys()].map((country) => countries.indexOf(country) + 1));
	for (const [country, file] of own) requireCovered(file, country, listed[countries.indexOf(country) + 1]!);
	const divisions: DivisionRegions[][] = [[]];
	const numbers = new Map<string, number>([["[]", 0]]);
	// Divisions with the same regions become one, so that no line is left that separates nothing.
	const drawn = all.map(({ lines, judged }, map) => ({
		lines,
		numberOf: (division: number) => {
			const found = (judged.get(division) ?? []).filter(({ area }) => mapOf[area] === map && !ownAreas.has(area));
			const key = JSON.stringify(found);
			const known = numbers.get(key) ?? divisions.push(found) - 1;
			numbers.set(key, known);
			return known;
		},
	}));
	const ownEdges = [...own].flatMap(([country, { names, edges }]) => {
		const area = countries.indexOf(country) + 1;
		const first = divisions.length;
		for (const name of names) divisions.push([{ area, regions: [name] }]);
		const codeOf = (region: number) => codeOfDivision(region && first + region - 1);
		return edges.map(({ ends, sides: [a, b] }): FoundEdge => ({ ends, sides: [codeOf(a), codeOf(b)] }));
	});
	const world = worldOf(drawn, ownEdges);
	const possibleAt = (area: number, point: Point) => regionsIn(divisions[divisionAt(world, point)], area);
	const mapDivisionAt = (area: number, point: Point) => divisionAt(all[mapOf[area]!]!.world, point);
	const regionAt = (area: number, point: Point) => {
		const possible = possibleAt(area, point);
		if (possible.length > 0 || ownAreas.has(area)) return tell(area, point, possible);
		// Where the outlines of two maps overlap at a border, they stand for no division together, and for one alone.
		return tell(area, point, regionsIn(all[mapOf[area]!]!.judged.get(mapDivisionAt(area, point)), area));
	};
	const placed = settlementsIn.map((settlements, area) =>
		settlements.map((settlement) => {
			const possible = possibleAt(area, settlement);
			const isListed = settlement.region !== "" && (possible.length === 0 || possible.includes(settlement.region));
			return isListed ? settlement : { ...settlement, region: regionAt(area, settlement) };
		}),
	);
	return { world, divisions, settlementsIn: placed, mapOf, mapDivisionAt, possibleAt, regionAt };
}
