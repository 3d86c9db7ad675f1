/** Names zones by their settlements. */

import { lastAtOrBefore } from "../src/zones/buckets.ts";
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { keyOf, keysAt } from "../src/zones/morton.ts";
import { DIRECTIONS, suffixOf } from "../src/zones/naming.ts";
import { areaOfGridPoint, type World } from "./borders.ts";
import { stepBoxOf } from "./clip.ts";
import { districtsOf } from "./districts.ts";
import { cosine, squaredKm } from "./earth.ts";
import { type Nearby, nearbyFinder } from "./nearby.ts";
import type { Piece } from "./partition.ts";
import { isLarger, type NamedPlace, namePlaces } from "./place-names.ts";
import { middleOfPeople, type People } from "./population.ts";
import type { Settlement } from "./sources.ts";

/** What a zone is called: a place, and where the zone lies from it. */
export interface ZoneName {
	/** "" for a zone without a name */
	place: string;
	/** see suffixOf in src/zones/naming.ts; 0 for a zone that holds its place */
	suffix: number;
}

/** Feature codes of abandoned, destroyed and historical places, where nobody lives. */
const NO_LONGER: ReadonlySet<string> = new Set(["PPLQ", "PPLW", "PPLH", "PPLCH"]);
/** Up to here a zone may be named after a place; farther away it is named after the district of the nearest one. */
const PLACE_KM = 8;
/** A zone farther than this from any place has no name: nobody would say which district it is in. */
const DISTRICT_KM = 100;
/** So far a name can say that a zone lies from the seat of its district: what the index has room for. */
const FARTHEST_KM = 800;
/** A place whose title is a long one, to tell it from others, is taken only if it is so much nearer. */
const QUALIFIED_DETOUR = 1.5;

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

/** Middle of a zone's listed people, or of its cell where none are. */
function middleOf(zone: Piece, people: People): { x: number; y: number } {
	const box = stepBoxOf(zone.key, zone.level);
	return (
		middleOfPeople(people, zone.key, zone.level) ?? { x: (box.west + box.east) / 2, y: (box.south + box.north) / 2 }
	);
}

/** Number in DIRECTIONS of the eighth of the compass in which a point lies from a place; its tangent of 22.5 degrees is a square root. */
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

/** A zone that holds no place, as seen from the one that it is named after, or from the seat of its district. */
interface Sighting {
	zone: number;
	place: NamedPlace;
	direction: number;
	km: number;
}

/** The nearest place up to so many kilometres from a point, but rather one with a short title. */
function nearest(
	{ x, y }: { x: number; y: number },
	around: Nearby<NamedPlace>,
	mostKm: number,
): NamedPlace | undefined {
	let best: { place: NamedPlace; weight: number } | undefined;
	// Looked for nearby first: what weighs no more than the square of the reach outdoes everything beyond it.
	for (let reach = Math.min(PLACE_KM, mostKm); ; reach = Math.min(2 * reach, mostKm)) {
		for (const place of around(x, y, reach)) {
			const squared = squaredKm(x, y, place.x, place.y);
			const weight = squared * (place.isQualified ? QUALIFIED_DETOUR * QUALIFIED_DETOUR : 1);
			if (best && (weight > best.weight || (weight === best.weight && !isLarger(place, best.place)))) continue;
			best = { place, weight };
		}
		if (reach === mostKm || (best && best.weight <= reach * reach)) return best?.place;
	}
}

/** Suffixes of the zones that lie in one direction from one place or seat: as short as tells them apart. */
function suffixesOf(sightings: readonly Sighting[]): Map<number, number> {
	const inOrder = [...sightings].sort((a, b) => a.km - b.km || a.zone - b.zone);
	const taken = new Set<number>();
	const suffixes = new Map<number, number>();
	for (const { zone, direction, km } of inOrder) {
		const tenths = Math.max(1, Math.round(km * 10));
		const whole = 10 * Math.max(1, Math.round(km));
		const beside = [1, 2, 3, 4, 5].flatMap((step) => [tenths + step, tenths - step]);
		const distance = [0, whole, tenths, ...beside].find((choice) => choice >= 0 && !taken.has(choice)) ?? tenths;
		taken.add(distance);
		suffixes.set(zone, suffixOf(direction, distance));
	}
	return suffixes;
}

/**
 * Names of a country's zones in Morton order: the most populous place in each, else where it lies from the nearest one, else where it lies in
 * the district of that one.
 */
export function nameZones(zones: readonly Piece[], settlements: readonly Settlement[], people: People): ZoneName[] {
	const places = namePlaces(settlements, nearbyFinder(settlements));
	const starts = Uint32Array.from(zones, ({ key }) => key);
	const largest: Array<NamedPlace | undefined> = Array.from({ length: zones.length });
	for (const place of places) {
		const key = keyOf(place.x * UNITS_PER_STEP, place.y * UNITS_PER_STEP);
		const at = lastAtOrBefore(starts, key, 0, starts.length);
		const zone = zones[at];
		// Settlements in official zones may be in none of these.
		if (!zone || key >= zone.key + keysAt(zone.level)) continue;
		const rival = largest[at];
		if (!rival || isLarger(place, rival)) largest[at] = place;
	}
	const around = nearbyFinder(places);
	const districts = districtsOf(places);
	const byPlace = new Map<string, Sighting[]>();
	const names = zones.map((zone, at): ZoneName => {
		const own = largest[at];
		if (own) return { place: own.title, suffix: 0 };
		const middle = middleOf(zone, people);
		const near = nearest(middle, around, PLACE_KM);
		const far = near ? undefined : nearest(middle, around, DISTRICT_KM);
		const place = near ?? (far && districts.get(far));
		const km = place && Math.sqrt(squaredKm(middle.x, middle.y, place.x, place.y));
		if (place === undefined || km === undefined || km > FARTHEST_KM) return { place: "", suffix: 0 };
		const seen = { zone: at, place, direction: directionFrom(place, middle.x, middle.y), km };
		const key = `${seen.direction} ${place.title}`;
		const inDirection = byPlace.get(key);
		if (inDirection) inDirection.push(seen);
		else byPlace.set(key, [seen]);
		return { place: place.title, suffix: 0 };
	});
	for (const sightings of byPlace.values()) {
		for (const [zone, suffix] of suffixesOf(sightings)) names[zone]!.suffix = suffix;
	}
	return names;
}
