/** Decides, from the places in a part of the gazetteer, what people at a point would call where they are. */
import { COMPASS, directionOf, METRES_PER_DEGREE } from "../points/plane.ts";
import { regionsAt, seaAround } from "./division-map.ts";
import { type Gazetteer, NO_COUNTRY, PLACE_STEPS_PER_DEGREE, peopleOf, placeName, regionName } from "./gazetteer.ts";
import { keyOf, UNITS_PER_DEGREE } from "./morton.ts";

/** Assumed people per square kilometre of a place: about the density of towns that lack addresses. */
export const PEOPLE_PER_SQUARE_KM = 4000;
/** How far away, in metres, a place may be for a point to be named after it. */
export const NAMED_METRES = 20_000;
/** How far away, in metres, a place may be for an owner to choose it. */
const OFFERED_METRES = 10_000;
/** Population from which a place is a town. Whoever lives farther from any place than that names a town before a hamlet. */
export const TOWN_PEOPLE = 5000;
/** How many times as far as the hamlet the town may be. */
const TOWN_REACH = 1.5;
/** Population from which a place is a city. Points within a city are named after it. */
export const CITY_PEOPLE = 100_000;
/** How far, in metres, a point may be from the middle of the section of a city that counts as its quarter. */
const QUARTER_METRES = 2000;
/** A point within a town is not named after a place with fewer people than the town's divided by this. */
const SMALL_PART = 20;
/** How far away, in metres, the nearest place may be to say where a point is, and its region where the map does not tell that. */
export const LANDMARK_METRES = 100_000;
/** Most places offered for a point. */
export const LOCALITIES_MAX = 4;
/** Longest name of a locality, in characters. */
export const LOCALITY_CHARACTERS_MAX = 60;

/** A place that people may name for a point. */
export interface Locality {
	/** at most 60 characters, such as `Ikeja` or `Model Town, Lahore` */
	name: string;
	/** metres from the point to its middle */
	distance: number;
}

/** A place as seen from a point. */
interface Seen {
	place: number;
	people: number;
	/** metres from the point to its middle, the same to the east and to the north, and metres from its middle to its edge */
	distance: number;
	east: number;
	north: number;
	radius: number;
}

/** The radius in metres of the disc that a place with this population is taken to fill. */
export function radiusOf(people: number): number {
	return Math.sqrt(people / PEOPLE_PER_SQUARE_KM / Math.PI) * 1000;
}

/** Places of a country within `mostMetres` of a grid point, and those whose discs hold it; nearest first. */
function placesAround(gazetteer: Gazetteer, country: number, x: number, y: number, mostMetres: number): Seen[] {
	const { placeXs, placeYs, placePeople, placeRegions, regionCountries } = gazetteer;
	const steps = UNITS_PER_DEGREE / PLACE_STEPS_PER_DEGREE;
	const metresPerStep = METRES_PER_DEGREE / PLACE_STEPS_PER_DEGREE;
	const turn = 360 * PLACE_STEPS_PER_DEGREE;
	const metresPerStepEast = metresPerStep * Math.cos(((y / UNITS_PER_DEGREE) * Math.PI) / 180);
	const seen: Seen[] = [];
	for (let place = 0; place < placeXs.length; place++) {
		const north = (placeYs[place]! - y / steps) * metresPerStep;
		const radius = radiusOf(peopleOf(placePeople[place]!));
		if (Math.abs(north) > mostMetres && Math.abs(north) > radius) continue;
		const across = placeXs[place]! - x / steps;
		const east = (across - turn * Math.round(across / turn)) * metresPerStepEast;
		const distance = Math.hypot(north, east);
		if (distance > mostMetres && distance > radius) continue;
		if (regionCountries[placeRegions[place]!] !== country) continue;
		seen.push({ place, people: peopleOf(placePeople[place]!), distance, east, north, radius });
	}
	return seen.sort((a, b) => a.distance - b.distance || a.place - b.place);
}

/**
 * The number of the region that holds a grid point: from the map if that has the region's lines, otherwise that of the nearest place in
 * one of the possible regions. Undefined if none is known.
 */
export function regionNumberAt(
	gazetteer: Gazetteer,
	country: number,
	key: number,
	x: number,
	y: number,
): number | undefined {
	const regions = regionsAt(gazetteer, country, key, x, y);
	if (regions.length === 1) return regions[0];
	const isPossible = (region: number) =>
		regions.length > 0 ? regions.includes(region) : gazetteer.regionNames[region] !== 0;
	const nearest = placesAround(gazetteer, country, x, y, LANDMARK_METRES).find(({ place }) =>
		isPossible(gazetteer.placeRegions[place]!),
	);
	return nearest && gazetteer.placeRegions[nearest.place];
}

/** A place of the gazetteer. */
export interface NamedPlace {
	name: string;
	/** The first-level division that it lies in; it may be empty. */
	region: string;
	/** The city that it is a section of; it may be empty. */
	city: string;
	/** Degrees, WGS 84. */
	lat: number;
	lng: number;
	/** How many people live there; 0 where that is unknown. */
	people: number;
	/** The name that it had before it was renamed, if that is the one it was found by. */
	former?: string;
}

/**
 * The places of a country in a part of the gazetteer whose names, of today or before they were renamed, satisfy `isNamed`. A name of
 * before stands in a region of no country, so that no point is named by it; zones/FORMAT.md, "Gazetteer".
 */
export function placesNamedIn(gazetteer: Gazetteer, country: number, isNamed: (name: string) => boolean): NamedPlace[] {
	const { placeXs, placeYs, placePeople, placeRegions, placeCities, regionCountries } = gazetteer;
	const countryOf = (place: number) => regionCountries[placeRegions[place]!]!;
	return [...placeXs.keys()].flatMap((entry): NamedPlace[] => {
		const isFormer = countryOf(entry) === NO_COUNTRY;
		const place = isFormer ? placeCities[entry]! - 1 : entry;
		const name = placeName(gazetteer, entry);
		if (countryOf(place) !== country || !isNamed(name)) return [];
		return [
			{
				name: placeName(gazetteer, place),
				region: regionName(gazetteer, placeRegions[place]!),
				city: placeCities[place] ? placeName(gazetteer, placeCities[place]! - 1) : "",
				lat: placeYs[place]! / PLACE_STEPS_PER_DEGREE,
				lng: placeXs[place]! / PLACE_STEPS_PER_DEGREE,
				people: peopleOf(placePeople[place]!),
				...(isFormer && { former: name }),
			},
		];
	});
}

/**
 * "Model Town, Lahore" for a section of a city; the plain name if that is too long, or if the section's name contains the city's.
 * @param city The place that it is named with; the city that it is a section of unless another is given.
 */
function titleOf(gazetteer: Gazetteer, place: number, city = gazetteer.placeCities[place]! - 1): string {
	const name = placeName(gazetteer, place);
	if (city < 0 || city === place) return name;
	const cityName = placeName(gazetteer, city);
	const title = `${name}, ${cityName}`;
	return name.includes(cityName) || [...title].length > LOCALITY_CHARACTERS_MAX ? name : title;
}

/** Whether a place is a city whose disc holds the point. */
function isInCity({ people, distance, radius }: Seen): boolean {
	return people >= CITY_PEOPLE && distance <= radius;
}

/** The city whose disc holds a point; of several, the one that the point is deepest in. */
function cityAround(seen: readonly Seen[]): Seen | undefined {
	const depth = ({ distance, radius }: Seen) => distance / radius;
	return seen
		.filter(isInCity)
		.reduce<Seen | undefined>((best, city) => (best && depth(best) <= depth(city) ? best : city), undefined);
}

/**
 * The place that says where a point is: the nearest one, but a town before a hamlet that is more than 10 km away.
 * @param seen Places, the nearest first.
 */
function toldFrom(seen: readonly Seen[], isReached: (place: Seen) => boolean = () => true): Seen | undefined {
	const nearest = seen.find(isReached);
	if (!nearest || nearest.distance <= OFFERED_METRES || nearest.people >= TOWN_PEOPLE) return nearest;
	const reach = nearest.distance * TOWN_REACH;
	return seen.find((place) => place.people >= TOWN_PEOPLE && place.distance <= reach && isReached(place)) ?? nearest;
}

/** The place that says where a point is, as people would: "27 km north of Cox's Bāzār". */
export interface Landmark {
	/** such as `Cox's Bāzār` or `Model Town, Lahore` */
	name: string;
	/** metres from its middle to the point */
	distance: number;
	/** the direction in which the point lies from it, as a number in DIRECTIONS */
	direction: number;
}

/** The place of the country up to 100 km away that says where a grid point is; undefined if there is none. */
export function landmarkAt(gazetteer: Gazetteer, country: number, x: number, y: number): Landmark | undefined {
	const told = toldFrom(placesAround(gazetteer, country, x, y, LANDMARK_METRES));
	if (!told) return undefined;
	const { place, distance, east, north } = told;
	return {
		name: titleOf(gazetteer, place),
		distance: Math.round(distance),
		// DIRECTIONS and the compass have one order.
		direction: COMPASS.indexOf(directionOf({ north: -north, east: -east })),
	};
}

/**
 * The places that people may name for a grid point, the likeliest first. That one is the city whose disc holds the point, or its quarter;
 * otherwise the nearest place, but not a hamlet at the edge of a town or far away. It is in the point's own region if that has a place, and
 * never beyond the sea, except for a city on both sides of a bay. The others are the nearest in any region, because near a border between
 * regions the owner of an address knows best.
 */
export function localitiesAt(
	gazetteer: Gazetteer,
	country: number,
	region: number | undefined,
	x: number,
	y: number,
): Locality[] {
	const { placeRegions, placeCities } = gazetteer;
	const isOfRegion = ({ place }: Seen) =>
		region === undefined || placeRegions[place] === region || gazetteer.regionNames[placeRegions[place]!] === 0;
	const around = placesAround(gazetteer, country, x, y, NAMED_METRES);
	const isBeyondSea = seaAround(gazetteer, keyOf(x, y), x, y, NAMED_METRES * TOWN_REACH);
	// Asked of a place only where it would otherwise be chosen: it costs far more than the rest.
	const isReached = (seen: Seen) => isInCity(seen) || !isBeyondSea(seen.east, seen.north);
	const own = around.filter(isOfRegion);
	// A place in another region names a point only if the point's own region has none, and a city or a distant place never does.
	const isNextRegion = ({ people, distance }: Seen) => people < CITY_PEOPLE && distance <= OFFERED_METRES;
	const seen = own.some(isReached) ? own : around.filter(isNextRegion);
	const nearest = seen.find(isReached);
	if (!nearest) return [];
	const offered: Locality[] = [];
	const places = new Set<number>();
	const offer = ({ place, distance }: Seen, city?: number): void => {
		if (places.has(place)) return;
		places.add(place);
		offered.push({ name: titleOf(gazetteer, place, city), distance: Math.round(distance) });
	};
	const city = cityAround(seen);
	if (city) {
		const isFar = city.distance > OFFERED_METRES;
		const isQuarter = ({ place, distance, people }: Seen) =>
			place !== city.place &&
			distance <= OFFERED_METRES &&
			(isFar ? people * 2 < city.people : placeCities[place] === city.place + 1 && distance <= QUARTER_METRES);
		const quarter = seen.find((candidate) => isQuarter(candidate) && isReached(candidate));
		if (quarter) offer(quarter, city.place);
		offer(city);
	} else {
		const town = seen
			.filter((candidate) => candidate.distance <= candidate.radius && isReached(candidate))
			.reduce<Seen | undefined>((best, held) => (best && best.people >= held.people ? best : held), undefined);
		// Few points are so far from any place that a town beyond those around may be told.
		const isFar = seen === own && nearest.distance > OFFERED_METRES;
		const wide = isFar ? placesAround(gazetteer, country, x, y, nearest.distance * TOWN_REACH).filter(isOfRegion) : [];
		const told = toldFrom(wide, isReached) ?? nearest;
		offer(town && nearest.people * SMALL_PART <= town.people ? town : told);
	}
	for (const place of around) if (place.distance <= OFFERED_METRES) offer(place);
	const names = offered.map(({ name }) => name);
	return offered
		.filter(({ name }, at) => names.indexOf(name) === at && [...name].length <= LOCALITY_CHARACTERS_MAX)
		.slice(0, LOCALITIES_MAX);
}
