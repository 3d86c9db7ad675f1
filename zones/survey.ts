/** Surveys what zones are made from: the earth, and who lives where. */
import { lazy } from "../src/schemas/lazy.ts";
import { UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { areaOfGridPoint, arrange, cutWorld } from "./borders.ts";
import { type CensusGrid, peopleByCensus } from "./census.ts";
import { DIVISION_LINES, ODBL_LINES, readDivisionLines } from "./division-lines.ts";
import { surveyLand } from "./land.ts";
import { spreadListed } from "./listed.ts";
import { settlementsByArea } from "./names.ts";
import { readNationalPopulations } from "./nations.ts";
import { readTerritories } from "./patches.ts";
import type { People } from "./population.ts";
import type { RegionFile } from "./region-file.ts";
import { surveyRegions } from "./regions.ts";
import { readIslets, seaOutlines, seaWorld } from "./sea.ts";
import { readSettlements, type Settlement } from "./settlements.ts";
import { readLand, type Territory, toSteps } from "./sources.ts";
import { addUnlisted } from "./unlisted.ts";

/** The borders between territories, the land of the world, and the open sea. */
export function surveyTerritories(territories: readonly Territory[]) {
	const arrangement = arrange(territories.map(({ rings }) => rings));
	const land = surveyLand(readLand());
	const shores = seaOutlines(land, readIslets());
	return {
		territories,
		arrangement,
		world: cutWorld(arrangement),
		land,
		shores,
		sea: seaWorld(shores),
	};
}

/** The survey of the sources' territories, made once in a process. */
export const surveyBorders = lazy(() => surveyTerritories(readTerritories()));

/** The country whose zones hold a point, in degrees of WGS 84; undefined if none do. */
export function countryAt(lat: number, lng: number): string | undefined {
	const { territories, world, sea } = surveyBorders();
	const [x, y] = [toSteps(lng) * UNITS_PER_STEP, toSteps(lat) * UNITS_PER_STEP];
	return areaOfGridPoint(sea, x, y) === 0 ? territories[areaOfGridPoint(world, x, y) - 1]?.country : undefined;
}

/**
 * What is known about the people within the borders, from a list of where they live.
 * @param usesOdbl Whether OpenStreetMap's lines of regions may count, which are under the Open Database License.
 */
export function surveyPeople(
	settlements: readonly Settlement[],
	ownRegions?: ReadonlyMap<string, RegionFile>,
	borders: ReturnType<typeof surveyTerritories> = surveyBorders(),
	usesOdbl = true,
) {
	const { territories, world, land } = borders;
	const regions = surveyRegions(
		(usesOdbl ? [DIVISION_LINES, ODBL_LINES] : [DIVISION_LINES]).map(readDivisionLines),
		settlementsByArea(settlements, world, territories.length),
		territories.map(({ country }) => country),
		ownRegions,
	);
	const { settlementsIn } = regions;
	const isOdbl = ({ country }: Territory, index: number) => regions.mapOf[index + 1] === 1 && !ownRegions?.has(country);
	const odblCountries = territories.filter(isOdbl).map(({ country }) => country);
	const listed = spreadListed(settlementsIn, world, land);
	const national = readNationalPopulations();
	/** of each area, at its number */
	const populations = [0, ...territories.map(({ country }) => national.get(country) ?? 0)];
	const model = lazy(() => addUnlisted(listed, populations, world, land));
	return { ...borders, regions, odblCountries, settlementsIn, listed, populations, model };
}

/** The survey of people by the sources' list, made once in a process. */
export const surveyListed = lazy(() => surveyPeople(readSettlements()));

export type Survey = ReturnType<typeof surveyPeople>;

/**
 * The people of each area, at its number, by a census if it covers the country, otherwise by the model of unlisted.ts; and which areas the
 * census covers.
 */
export function peopleOf(
	{ listed, populations, world, land, model }: Survey,
	census?: CensusGrid,
): { people: People[]; isCounted: boolean[] } {
	const counted = census ? peopleByCensus(census, listed, populations, world, land) : [];
	return {
		people: model().map((modelled, area) => counted[area] ?? modelled),
		isCounted: model().map((_, area) => counted[area] !== undefined),
	};
}
