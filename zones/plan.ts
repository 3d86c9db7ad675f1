/** From the sources to planned zones: the whole way of the builder but for writing. */
import { DEEPEST_LEVEL, keyOf } from "../src/zones/morton.ts";
import { ZONE_NUMBERS, zoneName } from "../src/zones/naming.ts";
import type { World } from "./borders.ts";
import type { CensusGrid } from "./census.ts";
import type { EditionCountry } from "./edition.ts";
import { allFaults, BoundaryError } from "./faults.ts";
import type { Land } from "./land.ts";
import { surveyLeftover } from "./leftover.ts";
import { middleOfFinestCell } from "./listed.ts";
import { nameZones, type ZoneName } from "./names.ts";
import { KeptCells, numberZones, retiredNumbers } from "./numbering.ts";
import type { OfficialFile } from "./official.ts";
import { outlineOf } from "./outline.ts";
import { type LaidOver, layOver } from "./overlay.ts";
import { type Piece, partition } from "./partition.ts";
import type { OfficialZone, Overlay, Plan, PlannedArea } from "./planned.ts";
import { middleOfCell, type People, recount, totalOf } from "./population.ts";
import { numbersToBuild } from "./reserve.ts";
import type { Settlement } from "./sources.ts";
import { peopleOf, surveyBorders, surveyPeople } from "./survey.ts";

/** What a country's zones came out as, for the report. */
export interface CountryFigures {
	country: string;
	zones: number;
	/** zones with neither land nor people */
	waterZones: number;
	mostPeople: number;
	widestInhabitableKm: number;
	widestKm: number;
	/** people in all of them, and of those who in one without a name, and who in one whose name another one of the country has too */
	people: number;
	nameless: number;
	sharing: number;
}

function figuresOf(country: string, zones: readonly Piece[], names: readonly ZoneName[]): CountryFigures {
	const most = (values: number[]) => values.reduce((largest, value) => Math.max(largest, value), 0);
	const texts = names.map(({ place, suffix }) => zoneName(place, suffix));
	const bearers = new Map<string, number>();
	for (const text of texts) bearers.set(text, (bearers.get(text) ?? 0) + 1);
	const peopleIn = (matches: (name: string) => boolean) =>
		zones.reduce((sum, { people }, at) => (matches(texts[at]!) ? sum + people : sum), 0);
	return {
		country,
		zones: zones.length,
		waterZones: zones.filter(({ inhabitable }) => !inhabitable).length,
		mostPeople: most(zones.map(({ people }) => people)),
		widestInhabitableKm: most(zones.map(({ inhabitable, widthKm }) => (inhabitable ? widthKm : 0))),
		widestKm: most(zones.map(({ widthKm }) => widthKm)),
		people: peopleIn(() => true),
		nameless: peopleIn((name) => name === ""),
		sharing: peopleIn((name) => name !== "" && bearers.get(name)! > 1),
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

/** One country on its way into zones. */
interface Country {
	area: number;
	people: People;
	settlements: readonly Settlement[];
	overlay: Overlay | undefined;
	/** its part of the edition before, and the numbers that its zones have opened meanwhile */
	before: EditionCountry | undefined;
	opened: readonly number[];
}

/** Cuts a country, or what official zones leave of it, into zones. */
function cutPieces(
	world: World,
	land: Land,
	{ area, people, settlements, overlay }: Country,
	free: number,
	kept: KeptCells,
) {
	const territory = outlineOf(world, area);
	if (!overlay) return partition([territory], people, land, numbersToBuild(free, everybody(people)), kept);
	const rest = outlineOf(overlay.world, 0);
	const leftover = surveyLeftover(territory, rest, settlements, land);
	const isLeft = (x: number, y: number) => rest.holds(x, y) && leftover.touches(keyOf(x, y), DEEPEST_LEVEL);
	const left = peopleWhere(people, isLeft);
	return partition([territory, rest], left, leftover, numbersToBuild(free, everybody(left)), kept);
}

/** Cuts a country into zones and numbers them. */
function cutCountry(world: World, land: Land, country: Country) {
	const { overlay, before, opened } = country;
	const official = new Set(overlay?.zones.map(({ number }) => number));
	const { first, count } = longestFree(overlay?.zones ?? []);
	const kept = new KeptCells(before, official);
	const pieces = cutPieces(world, land, country, count, kept);
	if (pieces.length > ZONE_NUMBERS - official.size) {
		throw new BoundaryError(
			`all ${ZONE_NUMBERS} numbers are taken: leave one free for what no boundary covers, and some for zones that fill up`,
		);
	}
	const numbers = numberZones(pieces, kept, before, official, opened, first);
	return { pieces, numbers, retired: retiredNumbers(before, [...numbers, ...official]) };
}

/** What a build starts from, beside the sources. */
export interface PlanOptions {
	/** By country of the index, boundaries whose zones replace the generated ones; those fill what the boundaries leave. */
	official?: ReadonlyMap<string, OfficialFile>;
	/** Where people live, for the countries that it covers. */
	census?: CensusGrid | undefined;
	/** By country, the edition before, whose zones keep their ground and their numbers. */
	before?: ReadonlyMap<string, EditionCountry> | undefined;
	/** By country, zones of an index that was made from the same sources. They are taken over as they are, which saves planning them again. */
	unchanged?: ReadonlyMap<string, PlannedArea> | undefined;
	/** By country, numbers that full zones of the registry have opened. */
	opened?: ReadonlyMap<string, readonly number[]>;
}

/**
 * The world's zones.
 * @throws BoundaryError
 */
export function planWorld({ official = new Map(), census, before, unchanged, opened }: PlanOptions = {}): {
	plan: Plan;
	/** of the countries that were planned */
	figures: CountryFigures[];
	/** what the operator should know of the boundaries */
	notes: string[];
} {
	const borders = surveyBorders();
	const { territories, arrangement, world } = borders;
	const laid: LaidOver[] = [];
	allFaults(
		[...official].map(([country, file]) => () => {
			const area = territories.findIndex((territory) => territory.country === country) + 1;
			laid.push(layOver(area, outlineOf(world, area), file));
		}),
	);
	const overlays = laid.map(({ overlay }) => overlay);
	const survey = surveyPeople(borders);
	const { land, settlementsIn } = survey;
	const people = peopleOf(survey, census);
	const figures: CountryFigures[] = [];
	const areas = territories.map(({ country }, index): PlannedArea => {
		const known = unchanged?.get(country);
		if (known) return known;
		const area = index + 1;
		const { pieces, numbers, retired } = cutCountry(world, land, {
			area,
			people: people[area]!,
			settlements: settlementsIn[area]!,
			overlay: overlays.find((overlay) => overlay.area === area),
			before: before?.get(country),
			opened: opened?.get(country) ?? [],
		});
		const names = nameZones(pieces, settlementsIn[area]!, people[area]!);
		figures.push(figuresOf(country, pieces, names));
		const zones = pieces.map(({ key, level }, place) => ({ key, level, number: numbers[place]!, name: names[place]! }));
		return { country, zones, retired };
	});
	return {
		plan: { areas, arrangement, overlays },
		figures,
		notes: [...official.values(), ...laid].flatMap(({ notes }) => notes),
	};
}
