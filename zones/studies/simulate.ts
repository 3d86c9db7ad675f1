/** Gives every household of the world a code, one after the other in random order, and says where codes run out, and how good the names of zones are. */
import { readFileSync, writeFileSync } from "node:fs";
import { runCommand, UsageError } from "../../src/cli/command.ts";
import { editionName } from "../../src/zones/format.ts";
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "../../src/zones/geometry.ts";
import { columnOfKey, rowOfKey } from "../../src/zones/morton.ts";
import { ZONE_NUMBERS } from "../../src/zones/naming.ts";
import { readCensusGrid } from "../census.ts";
import { type Edition, readEditionFile, zoneAt } from "../edition.ts";
import type { Land } from "../land.ts";
import { middleOfFinestCell } from "../listed.ts";
import { nearbyFinder } from "../nearby.ts";
import { readText } from "../official.ts";
import { namePlaces } from "../place-names.ts";
import { type People, recount, totalOf } from "../population.ts";
import { replaceSection } from "../report.ts";
import { countryCodes } from "../sources.ts";
import { peopleOf, type Survey, surveyListed } from "../survey.ts";
import { type Filling, type FillingZone, fillCountry, overflowDistance } from "./filling.ts";
import { NAMES_HEAD, type NameQuality, nameQuality, namesRow } from "./name-quality.ts";
import { drawPersons, pointsInCell } from "./persons.ts";
import {
	askIndex,
	isRegionRight,
	REGIONS_HEAD,
	readTruePoints,
	regionsRow,
	type Said,
	type TruePoint,
	WORDS_HEAD,
	wordsRow,
} from "./word-quality.ts";

const README = `${import.meta.dirname}/../README.md`;

const USAGE = `Give every household a code, in random order, and say where codes run out:

  npm run zones:simulate             of all countries
  npm run zones:simulate -- IN CN    of some

It also says how many people share a zone, and how far from their zone's number codes are that a full zone gives.

  --names              says instead how near to people are the places that their zones are named after
  --regions FILE.csv   says instead how often an index is wrong on points whose region is known (lat, lng, country, region),
                       and how near to them is the place that their addresses name; repeat it for several files;
                       --wrong lists the points that are wrong
  --persons 12000      says the same, but for regions, of so many persons of each country; --list lists them with what their
                       addresses say, and --skip 0.2 takes others
  --readme             writes what one of these three says into its section of zones/README.md, with the edition of the index

  --population FILE    people as a census grid (GeoTIFF) has them; without it, as the builder models them and as the list has them
  --household 4.5      people to a household
  --index FILE         another index than zones/world.zones`;

/** People of a country in each of its zones, by number. */
function peopleByZone(index: Edition, country: string, { listed, unlisted }: People, land: Land): Float64Array {
	const byZone = new Float64Array(ZONE_NUMBERS);
	const add = (points: Array<[x: number, y: number]>, people: number): void => {
		const zones = points.flatMap(([x, y]) => {
			const found = zoneAt(index, x, y);
			return found?.country === country ? [found.zone] : [];
		});
		for (const zone of zones) byZone[zone]! += people / zones.length;
	};
	recount(listed, (key, people) => {
		add([middleOfFinestCell(columnOfKey(key), rowOfKey(key))], people);
		return people;
	});
	recount(unlisted, (key, people) => {
		if (people > 0) add(pointsInCell(key, unlisted.level, land), people);
		return people;
	});
	return byZone;
}

/** A way in which people may live: those of each area, at its number. */
interface Spread {
	name: string;
	people: readonly People[];
}

async function spreadsOf(survey: Survey, population: string | undefined): Promise<Spread[]> {
	if (population) return [{ name: population, people: peopleOf(survey, await readCensusGrid(population)).people }];
	const model = peopleOf(survey).people;
	const asListed = model.map(({ listed, unlisted }, area): People => {
		const total = totalOf(listed);
		if (total === 0) return { listed, unlisted };
		const scale = Math.max(1, survey.populations[area]! / total);
		return { listed: recount(listed, (_, count) => count * scale), unlisted: recount(unlisted, () => 0) };
	});
	return [
		{ name: "as the builder models them", people: model },
		{ name: "all in listed settlements", people: asListed },
	];
}

/** Households of each zone of a country, scaled so that none is lost at sea or at a border. */
function householdsOf(byZone: Float64Array, numbers: readonly number[], total: number): FillingZone[] {
	const found = byZone.reduce((sum, people) => sum + people, 0);
	return numbers.map((number) => ({
		number,
		households: found === 0 ? total / numbers.length : (byZone[number]! / found) * total,
	}));
}

/** How many people the median person shares a zone with. */
function medianShared(zones: readonly FillingZone[], household: number): number {
	const inOrder = zones.map(({ households }) => households * household).sort((a, b) => a - b);
	let left = inOrder.reduce((sum, people) => sum + people, 0) / 2;
	const shared = inOrder.find((people) => {
		left -= people;
		return left <= 0;
	});
	return shared ?? 0;
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

function row(name: string, zones: readonly FillingZone[], household: number, filling: Filling): string {
	const { households, served, firstRefusal, opened, mostOpened, overflow } = filling;
	const refusal = firstRefusal === undefined ? "never" : percent(firstRefusal, 1);
	const millions = (households / 1e6).toFixed(households < 1e6 ? 3 : 1);
	const codes = overflow.reduce((sum, { codes }) => sum + codes, 0);
	const distances = [0.5, 0.9].map((share) => overflowDistance(filling, share)).join(" | ");
	const shared = medianShared(zones, household).toFixed(0);
	return `| ${name} | ${millions} | ${zones.length} | ${shared} | ${opened} | ${mostOpened} | ${refusal} | ${percent(served, households)} | ${percent(codes, served)} | ${distances} |`;
}

/** The countries of a survey that have people, with the area of each: those that are asked for, or all. */
function countriesOf({ territories, populations }: Survey, asked: readonly string[]) {
	return territories.flatMap(({ country }, place) => {
		const area = place + 1;
		const isAsked = asked.length === 0 || asked.includes(country);
		return isAsked && populations[area]! > 0 ? [{ country, area, population: populations[area]! }] : [];
	});
}

function printFilling(
	survey: Survey,
	index: Edition,
	{ name, people }: Spread,
	asked: readonly string[],
	household: number,
): void {
	console.log(`\nPeople: ${name}; ${household} to a household\n`);
	console.log(
		"| country | households, millions | zones | the median person shares a zone with | numbers opened | most by one zone | first refusal | served | of these under opened numbers | their distance, median | 90 % |",
	);
	console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
	let [households, served, zoneCount] = [0, 0, 0];
	for (const { country, area, population } of countriesOf(survey, asked)) {
		const published = index.countries.get(country)!;
		const byZone = peopleByZone(index, country, people[area]!, survey.land);
		const zones = householdsOf(byZone, [...published.zones.keys()], population / household);
		const filling = fillCountry(zones, published.retired);
		console.log(row(country, zones, household, filling));
		households += filling.households;
		served += filling.served;
		zoneCount += zones.length;
	}
	console.log(
		`| all | ${(households / 1e6).toFixed(1)} | ${zoneCount} | | | | | ${percent(served, households)} | | | |`,
	);
}

/** A table of some countries, and of all together. */
function namesTable(
	survey: Survey,
	index: Edition,
	{ people }: Spread,
	asked: readonly string[],
	all: readonly string[],
): string[] {
	const lines = [NAMES_HEAD];
	const qualities: NameQuality[] = [];
	for (const { country, area } of countriesOf(survey, all)) {
		const byZone = peopleByZone(index, country, people[area]!, survey.land);
		const held = new Set(
			survey.settlementsIn[area]!.map(({ x, y }) => zoneAt(index, x * UNITS_PER_STEP, y * UNITS_PER_STEP)?.zone),
		);
		const zones = [...index.countries.get(country)!.zones.values()];
		const quality = nameQuality(
			zones.map((zone) => ({ zone, people: byZone[zone.number]!, holdsPlace: held.has(zone.number) })),
		);
		qualities.push(quality);
		if (asked.length === 0 || asked.includes(country)) lines.push(namesRow(country, quality));
	}
	const sum = (part: keyof NameQuality) => qualities.reduce((total, quality) => total + quality[part], 0);
	const total = Object.fromEntries(
		(Object.keys(qualities[0]!) as Array<keyof NameQuality>).map((part) => [part, sum(part)]),
	);
	return [...lines, namesRow("all", total as unknown as NameQuality)];
}

/** Writes a table into its section of the README, with the edition that it is of. */
function writeSection(
	section: "names" | "regions" | "persons",
	{ directory }: Edition,
	table: readonly string[],
): void {
	const text = [`Of edition ${editionName(directory)}:`, "", ...table].join("\n");
	writeFileSync(README, replaceSection(readFileSync(README, "utf8"), section, text, "npm run zones:simulate"));
}

/** What an index says of points, a row for each country. */
function wordsTable(survey: Survey, said: readonly Said[]): string[] {
	const rows = [...Map.groupBy(said, ({ point }) => point.country)].map(([country, own]) => {
		const area = survey.territories.findIndex((territory) => territory.country === country) + 1;
		const settlements = survey.settlementsIn[area]!;
		return wordsRow(country, own, namePlaces(settlements, nearbyFinder(settlements)));
	});
	return [WORDS_HEAD, ...rows];
}

/** What an index says of points whose region is known. */
async function printWords(
	survey: Survey,
	index: string,
	points: readonly TruePoint[],
	listed: "wrong" | "all" | undefined,
): Promise<void> {
	const said = await askIndex(index, points);
	console.log(wordsTable(survey, said).join("\n"));
	for (const one of listed === undefined ? [] : said) {
		if (listed === "wrong" && isRegionRight(one)) continue;
		const { point, named } = one;
		const words = JSON.stringify(named ? [named.region, ...named.localities.map(({ name }) => name)] : "in no zone");
		console.log(
			`${point.country} ${point.lat}, ${point.lng}: ${words}${listed === "wrong" ? `, not ${point.regions[0]}` : ""}`,
		);
	}
}

/** Persons of each country by a spread, as points whose region nobody has told. */
function personsOf(
	survey: Survey,
	{ people }: Spread,
	asked: readonly string[],
	count: number,
	skip: number,
): TruePoint[] {
	return countriesOf(survey, asked).flatMap(({ country, area }) =>
		drawPersons(people[area]!, count, survey.land, skip).map(({ x, y }) => ({
			country,
			lat: y / STEPS_PER_DEGREE,
			lng: x / STEPS_PER_DEGREE,
			regions: [],
		})),
	);
}

async function simulate(
	values: {
		population?: string | undefined;
		household: string;
		names: boolean;
		regions: readonly string[];
		wrong: boolean;
		readme: boolean;
		persons?: string | undefined;
		list: boolean;
		skip: string;
		index: string;
	},
	wanted: readonly string[],
): Promise<void> {
	const household = Number(values.household);
	if (!(household > 0))
		throw new UsageError(`--household ${values.household}: give the people to a household, such as 4.5.`);
	const unknown = wanted.find((country) => !countryCodes().has(country));
	if (unknown !== undefined)
		throw new UsageError(`${unknown} is no country of the index: use its letters in ISO 3166-1.`);
	const [persons, skip] = [Number(values.persons ?? 0), Number(values.skip)];
	const isOfPeople = values.population !== undefined && (values.names || persons > 0);
	if (values.readme && values.regions.length === 0 && !isOfPeople)
		throw new UsageError("--readme needs --regions, or --population with --names or --persons.");
	if (!Number.isInteger(persons) || persons < 0 || !(skip >= 0 && skip < 1))
		throw new UsageError("--persons takes a whole number of persons, and --skip a number from 0 up to 1.");
	const survey = surveyListed();
	const index = await readEditionFile(values.index);
	if (values.regions.length > 0) {
		const points = values.regions.flatMap((file) => readTruePoints(readText(file), file));
		const own = points.filter(({ country }) => wanted.length === 0 || wanted.includes(country));
		if (!values.readme) return printWords(survey, values.index, own, values.wrong ? "wrong" : undefined);
		const said = Map.groupBy(await askIndex(values.index, own), ({ point }) => point.country);
		const rows = [...said].sort(([a], [b]) => (a < b ? -1 : 1));
		const lines = (country: string) => (survey.odblCountries.includes(country) ? "OpenStreetMap" : "Natural Earth");
		const table = rows.map(([country, points]) => regionsRow(country, lines(country), points));
		return writeSection("regions", index, [REGIONS_HEAD, ...table]);
	}
	for (const spread of await spreadsOf(survey, values.population)) {
		if (persons > 0) {
			const points = personsOf(survey, spread, wanted, persons, skip);
			if (values.readme) {
				const said = await askIndex(values.index, points);
				writeSection("persons", index, wordsTable(survey, said));
				continue;
			}
			console.log(`\nPersons: ${persons} of each country, ${spread.name}\n`);
			await printWords(survey, values.index, points, values.list ? "all" : undefined);
			continue;
		}
		if (values.names && values.readme) writeSection("names", index, namesTable(survey, index, spread, wanted, []));
		else if (values.names)
			console.log(`\nPeople: ${spread.name}\n\n${namesTable(survey, index, spread, wanted, wanted).join("\n")}`);
		else printFilling(survey, index, spread, wanted, household);
	}
}

await runCommand(
	{
		usage: USAGE,
		options: {
			population: { type: "string" },
			household: { type: "string", default: "4.5" },
			names: { type: "boolean", default: false },
			regions: { type: "string", multiple: true, default: [] },
			readme: { type: "boolean", default: false },
			wrong: { type: "boolean", default: false },
			persons: { type: "string" },
			list: { type: "boolean", default: false },
			skip: { type: "string", default: "0.5" },
			index: { type: "string", default: `${import.meta.dirname}/../world.zones` },
		},
		positionalsMax: Number.POSITIVE_INFINITY,
	},
	({ values, positionals }) =>
		simulate(
			values,
			positionals.map((country) => country.toUpperCase()),
		),
);
