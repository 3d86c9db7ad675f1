/** From the sources to planned zones: the whole way of the builder but for writing. */
import { DEEPEST_LEVEL, keyOf } from "../src/zones/morton.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { arrange, cutWorld, type World } from "./borders.ts";
import { type CensusGrid, peopleByCensus } from "./census.ts";
import type { OfficialZone, Overlay, Plan } from "./compile.ts";
import { allFaults, BoundaryError } from "./faults.ts";
import { type Land, surveyLand } from "./land.ts";
import { surveyLeftover } from "./leftover.ts";
import { middleOfFinestCell, spreadListed } from "./listed.ts";
import { nameZones, settlementsByArea } from "./names.ts";
import { readNationalPopulations } from "./nations.ts";
import type { OfficialFile } from "./official.ts";
import { outlineOf } from "./outline.ts";
import { type LaidOver, layOver } from "./overlay.ts";
import { type Piece, partition } from "./partition.ts";
import { readTerritories } from "./patches.ts";
import { middleOfCell, type People, recount, totalOf } from "./population.ts";
import { numbersToBuild } from "./reserve.ts";
import { readLand, readSettlements, type Settlement } from "./sources.ts";
import { addUnlisted } from "./unlisted.ts";

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

/** The longest run of numbers that no official zone has. */
function longestFree(zones: readonly OfficialZone[]): { first: number; count: number } {
	let longest = { first: 0, count: 0 };
	let first = 0;
	for (const taken of [...zones.map(({ number }) => number), ZONE_NUMBERS]) {
		if (taken - first > longest.count) longest = { first, count: taken - first };
		first = taken + 1;
	}
	return longest;
}

/** The people of the cells whose middle, a grid point, is one to keep. */
function peopleWhere(people: People, keep: (x: number, y: number) => boolean): People {
	const [listed, unlisted] = [people.listed, people.unlisted].map((tally) =>
		recount(tally, (key, count) => {
			const { column, row } = middleOfCell(key, tally.level);
			return keep(...middleOfFinestCell(Math.floor(column), Math.floor(row))) ? count : 0;
		}),
	);
	return { listed: listed!, unlisted: unlisted! };
}

function everybody({ listed, unlisted }: People): number {
	return totalOf(listed) + totalOf(unlisted);
}

/** Cuts what official zones leave of their country into zones, with numbers that those have not. */
function cutRest(
	world: World,
	overlay: Overlay,
	{ people, settlements, land }: { people: People; settlements: readonly Settlement[]; land: Land },
): { firstNumber: number; zones: Piece[] } {
	const { first, count } = longestFree(overlay.zones);
	const rest = outlineOf(overlay.world, 0);
	const territory = outlineOf(world, overlay.area);
	const leftover = surveyLeftover(territory, rest, settlements, land);
	const isLeft = (x: number, y: number) => rest.holds(x, y) && leftover.touches(keyOf(x, y), DEEPEST_LEVEL);
	const left = peopleWhere(people, isLeft);
	const zones = partition([territory, rest], left, leftover, numbersToBuild(count, everybody(left)));
	if (zones.length > count) {
		throw new BoundaryError(
			`all ${ZONE_NUMBERS} numbers are taken: leave one free for what no boundary covers, and some for zones that fill up`,
		);
	}
	return { firstNumber: first, zones };
}

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

/**
 * The world's zones.
 * @param official By country, boundaries whose zones replace the generated ones; those fill what the boundaries leave.
 * @param census Where people live, for the countries that it covers.
 * @throws BoundaryError
 */
export function planWorld(
	official: ReadonlyMap<string, OfficialFile> = new Map(),
	census?: CensusGrid,
): {
	plan: Plan;
	figures: CountryFigures[];
	/** what the operator should know of the boundaries */
	notes: string[];
} {
	const borders = surveyBorders();
	const { territories, arrangement, world } = borders;
	const laid: LaidOver[] = [];
	allFaults(
		[...official].map(([country, { boundaries }]) => () => {
			const area = territories.findIndex((territory) => territory.country === country) + 1;
			if (area === 0) throw new BoundaryError(`${country} is no country of the index: use its ISO 3166-1 letters`);
			laid.push(layOver(area, outlineOf(world, area), boundaries));
		}),
	);
	const overlays = laid.map(({ overlay }) => overlay);
	const survey = surveyPeople(borders);
	const { land, settlementsIn } = survey;
	const people = peopleOf(survey, census);
	const figures: CountryFigures[] = [];
	const areas = territories.map(({ country }, index) => {
		const area = index + 1;
		const overlay = overlays.find((overlay) => overlay.area === area);
		const generated = overlay
			? cutRest(world, overlay, { people: people[area]!, settlements: settlementsIn[area]!, land })
			: {
					firstNumber: 0,
					zones: partition(
						[outlineOf(world, area)],
						people[area]!,
						land,
						numbersToBuild(ZONE_NUMBERS, everybody(people[area]!)),
					),
				};
		const { firstNumber, zones } = generated;
		figures.push(figuresOf(country, zones));
		const names = nameZones(zones, settlementsIn[area]!, people[area]!);
		const planned = zones.map(({ key, level }, place) => ({ key, level, name: names[place]! }));
		return { country, firstNumber, zones: planned };
	});
	return {
		plan: { areas, arrangement, overlays },
		figures,
		notes: [...official.values(), ...laid].flatMap(({ notes }) => notes),
	};
}
