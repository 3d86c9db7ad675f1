/** What zones are made from: the earth, and who lives where. */
import { arrange, cutWorld } from "./borders.ts";
import { type CensusGrid, peopleByCensus } from "./census.ts";
import { surveyLand } from "./land.ts";
import { spreadListed } from "./listed.ts";
import { settlementsByArea } from "./names.ts";
import { readNationalPopulations } from "./nations.ts";
import { readTerritories } from "./patches.ts";
import type { People } from "./population.ts";
import { readIslets, seaOutlines, seaWorld } from "./sea.ts";
import { readSettlements, type Settlement } from "./settlements.ts";
import { readLand } from "./sources.ts";
import { addUnlisted } from "./unlisted.ts";

/** The countries of the world, the borders between them, its land, and the open sea. */
export function surveyBorders() {
	const territories = readTerritories();
	const arrangement = arrange(territories.map(({ rings }) => rings));
	const land = surveyLand(readLand());
	return {
		territories,
		arrangement,
		world: cutWorld(arrangement),
		land,
		sea: seaWorld(seaOutlines(land, readIslets())),
	};
}

/** What is known of the people within borders. */
export function surveyPeople(
	borders: ReturnType<typeof surveyBorders>,
	settlements: readonly Settlement[] = readSettlements(),
) {
	const { territories, world, land } = borders;
	const settlementsIn = settlementsByArea(settlements, world, territories.length);
	const listed = spreadListed(settlementsIn, world, land);
	const national = readNationalPopulations();
	/** of each area, at its number */
	const populations = [0, ...territories.map(({ country }) => national.get(country) ?? 0)];
	return { ...borders, settlementsIn, listed, populations };
}

export type Survey = ReturnType<typeof surveyPeople>;

/** The people of each area, at its number, by a census where it covers the country, else by the model of unlisted.ts; and which ones it covers. */
export function peopleOf(
	{ listed, populations, world, land }: Survey,
	census?: CensusGrid,
): { people: People[]; isCounted: boolean[] } {
	const model = addUnlisted(listed, populations, world, land);
	const counted = census ? peopleByCensus(census, listed, populations, world, land) : [];
	return {
		people: model.map((modelled, area) => counted[area] ?? modelled),
		isCounted: model.map((_, area) => counted[area] !== undefined),
	};
}
