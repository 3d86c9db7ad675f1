/** Names zones by their settlements. */

import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { keyOf, keysAt, lastAtOrBefore } from "../src/zones/morton.ts";
import { DIRECTIONS, suffixOf } from "../src/zones/naming.ts";
import { areaOfGridPoint, type World } from "./borders.ts";
import { stepBoxOf } from "./clip.ts";
import { cosine, squaredKm } from "./earth.ts";
import { type Nearby, nearbyFinder } from "./nearby.ts";
import type { Piece } from "./partition.ts";
import { isLarger, type NamedPlace } from "./place-names.ts";
import type { ZoneName } from "./planned.ts";
import { middleOfPeople, type People } from "./population.ts";
import type { Point } from "./regions.ts";
import type { Settlement } from "./settlements.ts";

/** Feature codes of abandoned, destroyed and historical places, where nobody lives. */
const NO_LONGER: ReadonlySet<string> = new Set(["PPLQ", "PPLW", "PPLH", "PPLCH"]);
/** Distance in kilometres up to which a name may give only the direction from a place. */
const NEAR_KM = 8;
/** Distance in kilometres up to which a zone may be named after a place; farther away it is named after its division. */
const PLACE_KM = 50;
/** The inhabited settlements in each area, at its number. */
export function settlementsByArea(settlements: readonly Settlement[], world: World, areaCount: number): Settlement[][] {
	const byArea: Settlement[][] = Array.from({ length: areaCount + 1 }, () => []);
	for (const settlement of settlements) {
		if (NO_LONGER.has(settlement.featureCode)) continue;
		const area = areaOfGridPoint(world, settlement.x * UNITS_PER_STEP, settlement.y * UNITS_PER_STEP);
		if (area !== 0) byArea[area]!.push(settlement);
	}
	return byArea;
}

/** Middle of a zone's listed people, or of its cell if it has none. */
function middleOf(zone: Piece, people: People): { x: number; y: number } {
	const box = stepBoxOf(zone.key, zone.level);
	return (
		middleOfPeople(people, zone.key, zone.level) ?? { x: (box.west + box.east) / 2, y: (box.south + box.north) / 2 }
	);
}

/**
 * Number in DIRECTIONS of the eighth of the compass in which a point lies from a place. The tangent of 22.5 degrees is computed as a
 * square root.
 */
function directionFrom(place: NamedPlace, x: number, y: number): number {
	const turn = 360 * STEPS_PER_DEGREE;
	const apart = x - place.x;
	const around = apart > turn / 2 ? apart - turn : apart < -turn / 2 ? apart + turn : apart;
	const east = around * cosine((y + place.y) / 2 / STEPS_PER_DEGREE);
	const north = y - place.y;
	const narrow = Math.SQRT2 - 1;
	const rows = Math.abs(north) > Math.abs(east) * narrow ? Math.sign(north) : 0;
	const columns = Math.abs(east) > Math.abs(north) * narrow ? Math.sign(east) : 0;
	return Math.max(
		0,
		DIRECTIONS.findIndex(({ north, east }) => north === rows && east === columns),
	);
}

/** A zone that holds no place, as seen from the one that it is named after. */
interface Sighting {
	zone: number;
	place: NamedPlace;
	direction: number;
	km: number;
}

/** The nearest place within `mostKm` kilometres of a point; of two equally near, the larger. */
function nearest<Place extends Settlement>({ x, y }: Point, around: Nearby<Place>, mostKm: number): Place | undefined {
	let best: { place: Place; squared: number } | undefined;
	// Searches nearby first, because few places are farther than that from any other.
	for (let reach = Math.min(NEAR_KM, mostKm); ; reach = Math.min(2 * reach, mostKm)) {
		for (const place of around(x, y, reach)) {
			const squared = squaredKm(x, y, place.x, place.y);
			if (best && (squared > best.squared || (squared === best.squared && !isLarger(place, best.place)))) continue;
			best = { place, squared };
		}
		if (reach === mostKm || (best && best.squared <= reach * reach)) return best?.place;
	}
}

/**
 * Suffixes of the zones that lie in one direction from one place: the nearest has no distance if it is near, and the others have whole
 * kilometres.
 */
function suffixesOf(sightings: readonly Sighting[]): Map<number, number> {
	const inOrder = [...sightings].sort((a, b) => a.km - b.km || a.zone - b.zone);
	return new Map(
		inOrder.map(({ zone, direction, km }, at) => [
			zone,
			suffixOf(direction, at === 0 && km <= NEAR_KM ? 0 : Math.max(1, Math.round(km))),
		]),
	);
}

/**
 * Names of a country's zones in Morton order: the most populous place in each, otherwise the direction from the nearest place of its
 * division, otherwise the division.
 * @param places The country's places.
 * @param regionOf Finds the division of a point.
 */
export function nameZones(
	zones: readonly Piece[],
	places: readonly NamedPlace[],
	people: People,
	regionOf: (point: Point) => string,
): ZoneName[] {
	const starts = Uint32Array.from(zones, ({ key }) => key);
	const largest: Array<NamedPlace | undefined> = Array.from({ length: zones.length });
	for (const place of places) {
		const key = keyOf(place.x * UNITS_PER_STEP, place.y * UNITS_PER_STEP);
		const at = lastAtOrBefore(starts, key, 0, starts.length);
		const zone = zones[at];
		// Settlements in official zones may be in none of these zones.
		if (!zone || key >= zone.key + keysAt(zone.level)) continue;
		const rival = largest[at];
		if (!rival || isLarger(place, rival)) largest[at] = place;
	}
	const placesIn = Map.groupBy(places, ({ region }) => region);
	const finders = new Map([...placesIn].map(([region, held]) => [region, nearbyFinder(held)]));
	const byPlace = new Map<string, Sighting[]>();
	const names = zones.map((zone, at): ZoneName => {
		const own = largest[at];
		if (own) return { place: own.title, suffix: 0, region: own.region || regionOf(own) };
		const middle = middleOf(zone, people);
		const region = regionOf(middle);
		const inRegion = finders.get(region);
		const place = inRegion && nearest(middle, inRegion, PLACE_KM);
		if (!place) return { place: region, suffix: 0, region };
		const km = Math.sqrt(squaredKm(middle.x, middle.y, place.x, place.y));
		const seen = { zone: at, place, direction: directionFrom(place, middle.x, middle.y), km };
		const key = `${seen.direction} ${place.id}`;
		const inDirection = byPlace.get(key);
		if (inDirection) inDirection.push(seen);
		else byPlace.set(key, [seen]);
		return { place: place.title, suffix: 0, region };
	});
	for (const sightings of byPlace.values()) {
		for (const [zone, suffix] of suffixesOf(sightings)) names[zone]!.suffix = suffix;
	}
	return names;
}
