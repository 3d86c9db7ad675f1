/** What zones are made from: the earth, and who lives where. */
import { arrange, cutWorld } from "./borders.ts";
import { type CensusGrid, peopleByCensus } from "./census.ts";
import { surveyLand } from "./land.ts";
import { spreadListed } from "./listed.ts";
import { settlementsByArea } from "./names.ts";
import { readNationalPopulations } from "./nations.ts";
import { readTerritories } from "./patches.ts";
import type { People } from "./population.ts";
import { readLand, readSettlements } from "./sources.ts";
import { addUnlisted } from "./unlisted.ts";

/** The countries of the world and the borders between them. */
export function surveyBorders() {
	const territories = readTerritories();
	const arrangement = arrange(territories.map(({ rings }) => rings));
	return { territories, arrangement, world: cutWorld(arrangement) };
}

/** What is known of the people within borders. */
export function surveyPeople(borders: ReturnType<typeof surveyBorders>) {
	const { territories, world } = borders;
	const land = surveyLand(readLand());
	const settlementsIn = settlementsByArea(readSettlements(), world, territories.length);
	const listed = spreadListed(settlementsIn, world, land);
	const national = readNationalPopulations();
	/** of each area, at its number */
	const populations = [0, ...territories.map(({ country }) => national.get(country) ?? 0)];
	return { ...borders, land, settlementsIn, listed, populations };
}

export type Survey = ReturnType<typeof surveyPeople>;

/** The people of each area, at its number: by a census where it has them, else by the model of unlisted.ts. */
export function peopleOf({ listed, populations, world, land }: Survey, census?: CensusGrid): People[] {
	const model = addUnlisted(listed, populations, world, land);
	if (!census) return model;
	const counted = peopleByCensus(census, listed, populations, world, land);
	return model.map((modelled, area) => counted[area] ?? modelled);
}
