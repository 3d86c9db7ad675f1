/**
 * Compares the regions that a build tells with those that the newer list of settlements gives, so that no fault of the sources goes
 * unnoticed. What contradicts the list needs a line in region-reasons.csv that says why.
 */
import { UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { CITY_PEOPLE } from "../src/zones/locality.ts";
import { areaOfGridPoint } from "./borders.ts";
import { type DividedPlace, nearestOf, readDivisionNames, sameFinder } from "./divisions.ts";
import { BoundaryError } from "./faults.ts";
import { nearbyFinder } from "./nearby.ts";
import { readText } from "./official.ts";
import { counted } from "./regions.ts";
import { readNewer, readRenamings } from "./settlements.ts";
import type { Survey } from "./survey.ts";
import { readTable } from "./table.ts";

/** So many places of a division of the map, and such a share of them, contradict what it is told to be. */
const PLACES_LEAST = 3;
const PLACES_SHARE = 1 / 3;
/** A city that the newer list lacks, or calls otherwise, is compared with the nearest place of that list up to so many kilometres away. */
const NEAR_KM = 10;

const REASONS = "region-reasons.csv";

/** What a build tells otherwise than the newer list. */
export interface Contradiction {
	country: string;
	/** the region by the newer list */
	listed: string;
	/** the region that is told; of a division that may be several, all of them with a stroke between */
	told: string;
	/** the city, or the places of the division */
	what: string;
}

/** A place of the newer list in the region that its code means there. */
type PlaceInRegion = DividedPlace & { region: string };

/** What the check needs of a survey. */
type Told = Pick<Survey, "territories" | "world" | "regions" | "settlementsIn">;

function ofCities({ territories, settlementsIn }: Told, newer: readonly PlaceInRegion[]): Contradiction[] {
	const sameIn = sameFinder(newer);
	const around = nearbyFinder(newer);
	return settlementsIn.flatMap((settlements, area) => {
		const country = territories[area - 1]?.country;
		return settlements.flatMap((city) => {
			if (city.population < CITY_PEOPLE || city.country !== country) return [];
			const place = { ...city, division: "" };
			const near = () => around(place.x, place.y, NEAR_KM).filter((other) => other.country === city.country);
			const listed = (nearestOf(place, sameIn(place)) ?? nearestOf(place, near()))?.region;
			const what = `${city.name} with ${city.population} people`;
			return listed === undefined || listed === city.region ? [] : [{ country, listed, told: city.region, what }];
		});
	});
}

function ofDivisions({ territories, world, regions }: Told, newer: readonly PlaceInRegion[]): Contradiction[] {
	const areaOf = new Map(territories.map(({ country }, at) => [country, at + 1]));
	const inside = newer.filter(
		({ country, x, y }) => areaOfGridPoint(world, x * UNITS_PER_STEP, y * UNITS_PER_STEP) === areaOf.get(country),
	);
	const drawn = inside.flatMap((place) => {
		const division = regions.mapDivisionAt(areaOf.get(place.country)!, place);
		return division === 0 ? [] : [{ ...place, division: `${place.country} ${division}` }];
	});
	const byDivision = Map.groupBy(drawn, ({ division }) => division);
	return [...byDivision.values()].flatMap((places) => {
		const { country } = places[0]!;
		const told = regions.possibleAt(areaOf.get(country)!, places[0]!);
		const others = places.filter(({ region }) => told.length > 0 && !told.includes(region));
		if (others.length < Math.max(PLACES_LEAST, places.length * PLACES_SHARE)) return [];
		const [most] = [...counted(others.map(({ region }) => region))].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
		const what = `${others.length} of ${places.length} places around ${others[0]!.name}`;
		return [{ country, listed: most![0], told: told.join("/"), what }];
	});
}

/**
 * What a survey tells otherwise than the newer list: the regions of cities of 100,000 people, and divisions of the map of whose places a
 * third is elsewhere.
 * @param newer The newer list, without places whose region has no name.
 */
export function contradictionsIn(told: Told, newer: readonly PlaceInRegion[]): Contradiction[] {
	return [...ofCities(told, newer), ...ofDivisions(told, newer)];
}

/**
 * Refuses contradictions without a reason, and reasons without a contradiction.
 * @param reasons The text of the table of reasons.
 * @throws BoundaryError that names each contradiction, and each line that nothing needs any more.
 */
export function requireReasons(found: readonly Contradiction[], reasons: string): void {
	const rows = readTable(reasons, `zones/${REASONS}`, ["country", "listed", "told", "reason"]);
	const keyOf = ({ country, listed, told }: Omit<Contradiction, "what">) => [country, listed, told].join(", ");
	const known = new Set(rows.filter(({ cells }) => cells.reason !== "").map(({ cells }) => keyOf(cells)));
	const needed = new Set(found.map(keyOf));
	const faults = [
		...found
			.filter((one) => !known.has(keyOf(one)))
			.map(
				({ country, listed, told, what }) =>
					`${country}: it is told to be in ${told || "no region"}, and the newer list has it in ${listed}: ${what}: mend the kind of fault, or give the reason in zones/${REASONS}`,
			),
		...rows
			.filter(({ cells }) => cells.reason === "" || !needed.has(keyOf(cells)))
			.map(({ where, cells }) =>
				cells.reason === "" ? `${where}: give the reason` : `${where}: nothing needs it any more: remove the line`,
			),
	];
	if (faults.length > 0) throw new BoundaryError(faults);
}

/**
 * Refuses a survey of the sources that contradicts the newer list without a reason.
 * @throws BoundaryError
 */
export function requireListedRegions(survey: Survey): void {
	const nameOf = readDivisionNames(readRenamings());
	const newer = readNewer().flatMap((place): PlaceInRegion[] => {
		const region = nameOf(place);
		return region === undefined ? [] : [{ ...place, region }];
	});
	requireReasons(contradictionsIn(survey, newer), readText(`${import.meta.dirname}/${REASONS}`));
}
