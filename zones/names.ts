/** Names zones by their settlements. */

import { lastAtOrBefore } from "../src/zones/buckets.ts";
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { keyOf, keysAt } from "../src/zones/morton.ts";
import { areaOfGridPoint, type World } from "./borders.ts";
import { stepBoxOf } from "./clip.ts";
import { cosine, KM_PER_DEGREE, squaredKm } from "./earth.ts";
import type { Piece } from "./partition.ts";
import { middleOfPeople, type People } from "./population.ts";
import type { Settlement } from "./sources.ts";

/** A zone without a settlement takes the name of the nearest one up to this far: an hour by bicycle or two. */
const REACH_KM = 25;
/** Side of the buckets that settlements are looked for in, in lattice steps: half a degree. */
const BUCKET_STEPS = STEPS_PER_DEGREE / 2;
const BUCKETS_AROUND = (360 * STEPS_PER_DEGREE) / BUCKET_STEPS;
/** Abandoned, destroyed and historical places: nobody lives there, or says so. */
const NO_LONGER: ReadonlySet<string> = new Set(["PPLQ", "PPLW", "PPLH", "PPLCH"]);

/** The settlements in each area where somebody lives, at its number. */
export function settlementsByArea(settlements: readonly Settlement[], world: World, areaCount: number): Settlement[][] {
	const byArea: Settlement[][] = Array.from({ length: areaCount + 1 }, () => []);
	for (const settlement of settlements) {
		if (NO_LONGER.has(settlement.featureCode)) continue;
		const area = areaOfGridPoint(world, settlement.x * UNITS_PER_STEP, settlement.y * UNITS_PER_STEP);
		if (area !== 0) byArea[area]!.push(settlement);
	}
	return byArea;
}

/** Larger first; GeoNames' number settles a tie. */
function isLarger(a: Settlement, b: Settlement): boolean {
	return a.population > b.population || (a.population === b.population && a.id < b.id);
}

function bucketOf(x: number, y: number): string {
	const column = Math.floor(x / BUCKET_STEPS);
	return `${((column % BUCKETS_AROUND) + BUCKETS_AROUND) % BUCKETS_AROUND},${Math.floor(y / BUCKET_STEPS)}`;
}

/** Finds the settlement nearest to a lattice point. */
function nearestFinder(settlements: readonly Settlement[]): (x: number, y: number) => Settlement | undefined {
	const buckets = new Map<string, Settlement[]>();
	for (const settlement of settlements) {
		const bucket = bucketOf(settlement.x, settlement.y);
		const held = buckets.get(bucket);
		if (held) held.push(settlement);
		else buckets.set(bucket, [settlement]);
	}
	const north = (REACH_KM / KM_PER_DEGREE) * STEPS_PER_DEGREE;
	return (x, y) => {
		const east = Math.min(north / Math.max(cosine(y / STEPS_PER_DEGREE), 0.01), 90 * STEPS_PER_DEGREE);
		let nearest: Settlement | undefined;
		let least = REACH_KM * REACH_KM;
		for (let row = Math.floor((y - north) / BUCKET_STEPS); row * BUCKET_STEPS <= y + north; row++) {
			for (let column = Math.floor((x - east) / BUCKET_STEPS); column * BUCKET_STEPS <= x + east; column++) {
				for (const settlement of buckets.get(bucketOf(column * BUCKET_STEPS, row * BUCKET_STEPS)) ?? []) {
					const distance = squaredKm(x, y, settlement.x, settlement.y);
					if (distance > least || (distance === least && nearest && !isLarger(settlement, nearest))) continue;
					nearest = settlement;
					least = distance;
				}
			}
		}
		return nearest;
	};
}

/** Middle of a zone's people, or of its cell where nobody is known to live. */
function middleOf(zone: Piece, people: People): { x: number; y: number } {
	const box = stepBoxOf(zone.key, zone.level);
	return (
		middleOfPeople(people, zone.key, zone.level) ?? { x: (box.west + box.east) / 2, y: (box.south + box.north) / 2 }
	);
}

/** Names of zones in Morton order: the most populous settlement in each, else the nearest within reach, else "". */
export function nameZones(zones: readonly Piece[], settlements: readonly Settlement[], people: People): string[] {
	const starts = Uint32Array.from(zones, ({ key }) => key);
	const largest: Array<Settlement | undefined> = Array.from({ length: zones.length });
	for (const settlement of settlements) {
		const key = keyOf(settlement.x * UNITS_PER_STEP, settlement.y * UNITS_PER_STEP);
		const place = lastAtOrBefore(starts, key, 0, starts.length);
		const zone = zones[place];
		// Settlements in official zones may be in none of these.
		if (!zone || key >= zone.key + keysAt(zone.level)) continue;
		const rival = largest[place];
		if (!rival || isLarger(settlement, rival)) largest[place] = settlement;
	}
	const nearest = nearestFinder(settlements);
	return zones.map((zone, place) => {
		const own = largest[place];
		if (own) return own.name;
		const { x, y } = middleOf(zone, people);
		return nearest(x, y)?.name ?? "";
	});
}
