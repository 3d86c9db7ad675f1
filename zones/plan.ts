/** Makes planned zones from the sources: all that the builder does except writing. */
import { UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { DEEPEST_LEVEL, keyOf } from "../src/zones/morton.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { areaOfGridPoint } from "./borders.ts";
import type { CensusGrid } from "./census.ts";
import type { EditionCountry } from "./edition.ts";
import { allFaults, BoundaryError } from "./faults.ts";
import { surveyLeftover } from "./leftover.ts";
import { middleOfFinestCell } from "./listed.ts";
import { nameZones } from "./names.ts";
import { nearbyFinder } from "./nearby.ts";
import { freeOf, KeptCells, longestFree, numbersAfter, numbersAlongCurve, retiredNumbers } from "./numbering.ts";
import type { OfficialFile } from "./official.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { type LaidOver, layOver, requireSound } from "./overlay.ts";
import { type Piece, partition } from "./partition.ts";
import { readTerritories } from "./patches.ts";
import { type NamedPlace, nameParts, namePlaces } from "./place-names.ts";
import type { Overlay, Plan, PlannedArea, PlannedPlace } from "./planned.ts";
import { middleOfCell, type People, recount, totalOf } from "./population.ts";
import type { RegionFile } from "./region-file.ts";
import type { Regions } from "./regions.ts";
import { numbersToBuild } from "./reserve.ts";
import { readSettlements, type Settlement } from "./settlements.ts";
import { peopleOf, type Survey, surveyBorders, surveyListed, surveyPeople, surveyTerritories } from "./survey.ts";
import { describeGround, territoriesWith, type View } from "./view.ts";

/** Figures of a country's zones, for the report. */
export interface CountryFigures {
	country: string;
	zones: number;
	/** zones with neither land nor people */
	waterZones: number;
	mostPeople: number;
	widestInhabitableKm: number;
	widestKm: number;
	/** people in all of them */
	people: number;
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
		people: zones.reduce((sum, { people }) => sum + people, 0),
	};
}

/** The people of the cells whose middle, a grid point, satisfies `keep`. */
function peopleWhere(people: People, keep: (x: number, y: number) => boolean): People {
	const [listed, unlisted] = [people.listed, people.unlisted].map((tally) =>
		recount(tally, (key, count) => {
			const { column, row } = middleOfCell(key, tally.level);
			return keep(...middleOfFinestCell(Math.floor(column), Math.floor(row))) ? count : 0;
		}),
	);
	return { listed: listed!, unlisted: unlisted! };
}

/** How many of the free numbers become zones for these people. */
function budgetFor(free: number, { listed, unlisted }: People): number {
	const people = totalOf(listed) + totalOf(unlisted);
	return numbersToBuild(free, people, people === 0 ? 0 : totalOf(unlisted) / people);
}

/** Whether official zones hold most of the zones that a country had: the middles of more than half. */
function holdsMost({ world }: Overlay, { zones }: EditionCountry): boolean {
	const held = [...zones.values()].filter(({ box: { south, west, north, east } }) => {
		return areaOfGridPoint(world, Math.floor((west + east) / 2), Math.floor((south + north) / 2)) !== 0;
	});
	return held.length > zones.size / 2;
}

/** Points along each side of the box around an official zone that decide its division. */
const POINTS_A_SIDE = 9;

/** Gives official zones whose file names no division the one that most of their ground is in. */
function nameRegions({ area, zones, world }: Overlay, { regionAt }: Regions): void {
	for (const [index, zone] of zones.entries()) {
		if (zone.region !== "") continue;
		const { south, west, north, east } = zone.box;
		const counts = new Map<string, number>();
		for (let point = 0; point < POINTS_A_SIDE * POINTS_A_SIDE; point++) {
			const across = ((point % POINTS_A_SIDE) + 0.5) / POINTS_A_SIDE;
			const up = (Math.floor(point / POINTS_A_SIDE) + 0.5) / POINTS_A_SIDE;
			const [x, y] = [Math.floor(west + across * (east - west)), Math.floor(south + up * (north - south))];
			if (areaOfGridPoint(world, x, y) !== index + 1) continue;
			const region = regionAt(area, { x: x / UNITS_PER_STEP, y: y / UNITS_PER_STEP });
			if (region !== "") counts.set(region, (counts.get(region) ?? 0) + 1);
		}
		const [most] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
		const middle = { x: (west + east) / 2 / UNITS_PER_STEP, y: (south + north) / 2 / UNITS_PER_STEP };
		zone.region = most?.[0] ?? regionAt(area, middle);
	}
}

/** The places of a country in the form of the gazetteer. */
function placesOf(named: readonly NamedPlace[]): PlannedPlace[] {
	const places = named.map(
		({ x, y, plain, former, population, region }): PlannedPlace => ({
			...{ x, y, name: plain, population, region },
			...(former !== undefined && { former: nameParts(former).place }),
		}),
	);
	const placeOf = new Map(named.map(({ id }, at) => [id, places[at]!]));
	for (const [at, { cityId }] of named.entries()) if (cityId !== undefined) places[at]!.city = placeOf.get(cityId);
	return places;
}

/** One country on its way into zones. */
interface Country {
	area: number;
	people: People;
	settlements: readonly Settlement[];
	overlay: Overlay | undefined;
	/** its part of the previous edition, and the numbers that its zones have opened since */
	before: EditionCountry | undefined;
	/** whether none of those zones stays as it is */
	isCutAfresh: boolean;
	opened: readonly number[];
}

/** Cuts a country, or what official zones leave of it, into zones. */
function cutPieces(
	{ world, land }: Survey,
	shore: Outline,
	{ area, people, settlements, overlay }: Country,
	free: number,
	kept: KeptCells,
) {
	const territory = outlineOf(world, area);
	if (!overlay) return partition([territory, shore], people, land, budgetFor(free, people), kept);
	const rest = outlineOf(overlay.world, 0);
	const leftover = surveyLeftover(territory, rest, settlements, land);
	const isLeft = (x: number, y: number) => rest.holds(x, y) && leftover.touches(keyOf(x, y), DEEPEST_LEVEL);
	const left = peopleWhere(people, isLeft);
	return partition([territory, shore, rest], left, leftover, budgetFor(free, left), kept);
}

/** Cuts a country into zones and numbers them. */
function cutCountry(survey: Survey, shore: Outline, country: Country) {
	const { overlay, before, isCutAfresh, opened } = country;
	const official = new Set(overlay?.zones.map(({ number }) => number));
	const free = longestFree(official);
	const kept = new KeptCells(isCutAfresh ? undefined : before, official);
	const pieces = cutPieces(survey, shore, country, free.length, kept);
	if (pieces.length > ZONE_NUMBERS - official.size) {
		throw new BoundaryError(
			`all ${ZONE_NUMBERS} numbers are taken: leave one free for what no boundary covers, and some for zones that fill up`,
		);
	}
	const numbers = before
		? numbersAfter(pieces, kept, before, [...official, ...opened])
		: numbersAlongCurve(pieces, pieces.length <= free.length ? free : freeOf(official));
	return { pieces, numbers, retired: retiredNumbers(before, [...numbers, ...official]) };
}

/**
 * The sources that an index has to name, and the terms on which it may be passed on.
 * @param odblCountries Countries whose lines of regions are OpenStreetMap's.
 */
export function creditsOf(odblCountries: readonly string[]): string {
	const sources =
		"Contains data from GeoNames (geonames.org) and SimpleMaps' World Cities Database, both CC BY 4.0, changed.";
	return odblCountries.length === 0
		? sources
		: `${sources} Lines of regions in ${odblCountries.join(", ")}: (c) OpenStreetMap contributors, openstreetmap.org/copyright. This database is made available under the Open Database License 1.0, opendatacommons.org/licenses/odbl/1-0.`;
}

/** What a build starts from, besides the sources. */
interface PlanOptions {
	/** The list of settlements; that of the sources if undefined. */
	settlements?: readonly Settlement[] | undefined;
	/** By country, an operator's lines of regions, which take the place of the map's. */
	ownRegions?: ReadonlyMap<string, RegionFile> | undefined;
	/** Whether OpenStreetMap's lines of regions may count, which are under the Open Database License. */
	usesOdbl?: boolean;
	/** An authority's own view of land in dispute. */
	views?: readonly View[] | undefined;
	/** By country of the index, boundaries whose zones replace the generated ones; those fill what the boundaries leave. */
	official?: ReadonlyMap<string, OfficialFile>;
	/** Whether countries with boundaries have no address yet, so that boundaries of most of one number the rest afresh. */
	isBeforeAddresses?: boolean;
	/** Whether what boundaries leave of their country is cut and numbered afresh, even where they are of a district. */
	retiresRest?: boolean;
	/** Where people live, for the countries that it covers, and whether these are cut and numbered afresh whatever they were before. */
	census?: { grid: CensusGrid; isAfresh: boolean } | undefined;
	/** By country, the previous edition, whose zones retain their ground and their numbers. */
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
export function planWorld({
	settlements,
	ownRegions,
	usesOdbl = true,
	views = [],
	official = new Map(),
	isBeforeAddresses = false,
	retiresRest = false,
	census,
	before,
	unchanged,
	opened,
}: PlanOptions = {}): {
	plan: Plan;
	/** of the countries that were planned */
	figures: CountryFigures[];
	/** what the operator should know of the boundaries */
	notes: string[];
} {
	const borders = views.length === 0 ? surveyBorders() : surveyTerritories(territoriesWith(views, readTerritories()));
	const { territories, arrangement, world, sea } = borders;
	const laid: LaidOver[] = [];
	const areaOf = (country: string) => territories.findIndex((territory) => territory.country === country) + 1;
	allFaults(
		[...official].map(
			([country, file]) =>
				() =>
					requireSound(areaOf(country), borders, file),
		),
	);
	allFaults(
		[...official].map(([country, file]) => () => {
			laid.push(layOver(areaOf(country), outlineOf(world, areaOf(country)), file));
		}),
	);
	const overlays = laid.map(({ overlay }) => overlay);
	const isListed = !settlements && !ownRegions && usesOdbl && views.length === 0;
	const survey = isListed
		? surveyListed()
		: surveyPeople(settlements ?? readSettlements(), ownRegions, borders, usesOdbl);
	const { settlementsIn, regions } = survey;
	const namedIn = settlementsIn.map((settlements) => namePlaces(settlements, nearbyFinder(settlements)));
	const { people, isCounted } = peopleOf(survey, census?.grid);
	const shore = outlineOf(sea, 0);
	const figures: CountryFigures[] = [];
	const areas = territories.map(({ country }, index): PlannedArea => {
		const area = index + 1;
		const isAfresh = census?.isAfresh && isCounted[area];
		const taken = isAfresh ? undefined : unchanged?.get(country);
		if (taken) return taken;
		const overlay = overlays.find((overlay) => overlay.area === area);
		const known = isAfresh ? undefined : before?.get(country);
		const isRestAfresh =
			overlay !== undefined && known !== undefined && (retiresRest || (isBeforeAddresses && holdsMost(overlay, known)));
		const { pieces, numbers, retired } = cutCountry(survey, shore, {
			area,
			people: people[area]!,
			settlements: settlementsIn[area]!,
			overlay,
			before: isRestAfresh && isBeforeAddresses ? undefined : known,
			isCutAfresh: isRestAfresh,
			opened: opened?.get(country) ?? [],
		});
		const names = nameZones(pieces, namedIn[area]!, people[area]!, (point) => regions.regionAt(area, point));
		if (overlay) nameRegions(overlay, regions);
		figures.push(figuresOf(country, pieces));
		const zones = pieces.map(({ key, level }, place) => ({ key, level, number: numbers[place]!, name: names[place]! }));
		return { country, zones, retired };
	});
	return {
		plan: {
			...{ areas, arrangement, sea, overlays },
			gazetteer: { map: regions, placesIn: namedIn.map(placesOf) },
			credits: creditsOf(survey.odblCountries),
		},
		figures,
		notes: [
			...[...official.values(), ...laid].flatMap(({ notes }) => notes),
			...views.map((view) => describeGround(view, (point) => regions.regionAt(areaOf(view.country), point))),
		],
	};
}
