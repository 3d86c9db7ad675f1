/** From the sources to planned zones: the whole way of the builder but for writing. */
import { arrange, cutWorld } from "./borders.ts";
import type { Plan } from "./compile.ts";
import { surveyLand } from "./land.ts";
import { nameZones, settlementsByArea } from "./names.ts";
import { type Piece, partition } from "./partition.ts";
import { spreadPeople } from "./population.ts";
import { readLand, readSettlements, readTerritories } from "./sources.ts";

/** What a country's zones came out as, for the report. */
export interface CountryFigures {
	country: string;
	zones: number;
	/** zones with neither land nor people */
	waterZones: number;
	mostPeople: number;
	widestInhabitableKm: number;
	widestKm: number;
}

function figuresOf(country: string, zones: readonly Piece[]): CountryFigures {
	const most = (values: number[]) => values.reduce((largest, value) => Math.max(largest, value), 0);
	return {
		country,
		zones: zones.length,
		waterZones: zones.filter(({ inhabitable }) => !inhabitable).length,
		mostPeople: most(zones.map(({ people }) => people)),
		widestInhabitableKm: most(zones.map(({ inhabitable, widthKm }) => (inhabitable ? widthKm : 0))),
		widestKm: most(zones.map(({ widthKm }) => widthKm)),
	};
}

export function planWorld(): { plan: Plan; figures: CountryFigures[] } {
	const territories = readTerritories();
	const settlements = readSettlements();
	const arrangement = arrange(territories.map(({ rings }) => rings));
	const world = cutWorld(arrangement);
	const land = surveyLand(readLand());
	const people = spreadPeople(settlements, world, territories.length, land);
	const settlementsIn = settlementsByArea(settlements, world, territories.length);
	const figures: CountryFigures[] = [];
	const areas = territories.map(({ country }, index) => {
		const zones = partition(world, index + 1, people[index + 1]!, land);
		figures.push(figuresOf(country, zones));
		const names = nameZones(zones, settlementsIn[index + 1]!, people[index + 1]!);
		const planned = zones.map(({ key, level }, place) => ({ key, level, name: names[place]! }));
		return { country, zones: planned };
	});
	return { plan: { areas, arrangement }, figures };
}
