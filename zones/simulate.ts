/**
 * Gives every household of the world a code, one after the other in random order, and says where codes run out:
 * npm run zones:simulate                                       people as the builder models them, and as the list has them
 * npm run zones:simulate -- --population grid.tif              people as a census grid has them
 * npm run zones:simulate -- --household 2.5 --index dist/world.zones IN CN
 * --household is people to a household (4.5), --index the index (zones/world.zones); countries are all by default.
 */
import { parseArgs } from "node:util";
import { shardOfKey } from "../src/zones/format.ts";
import { columnOfKey, columnsAt, keyOf, rowOfKey, rowsAt } from "../src/zones/morton.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { areaOfPlace, locateInShard, numberOfPlace } from "../src/zones/shard.ts";
import { readCensusGrid } from "./census.ts";
import { runCommand } from "./command.ts";
import { type Edition, readEditionFile } from "./edition.ts";
import { OperatorError } from "./faults.ts";
import { type Filling, fillCountry } from "./filling.ts";
import type { Land } from "./land.ts";
import { middleOfFinestCell } from "./listed.ts";
import { type People, recount, totalOf } from "./population.ts";
import { peopleOf, type Survey, surveyBorders, surveyPeople } from "./survey.ts";

/** Points along each side of a cell of unlisted people that they are laid on. */
const POINTS_A_SIDE = 4;

/** Country and number of the zone that holds the middle of a finest cell. */
function zoneAt(
	{ directory, shards }: Edition,
	column: number,
	row: number,
): { country: string; zone: number } | undefined {
	const [x, y] = middleOfFinestCell(column, row);
	const key = keyOf(x, y);
	const shard = shards[shardOfKey(directory, key)]!;
	const place = locateInShard(shard, key, x, y);
	if (place < 0) return undefined;
	const area = areaOfPlace(shard, place);
	return { country: directory.countries[shard.areaCountries[area]!]!, zone: numberOfPlace(shard, place) };
}

/** People of a country in each of its zones, by number. */
function peopleByZone(index: Edition, country: string, { listed, unlisted }: People, land: Land): Float64Array {
	const byZone = new Float64Array(ZONE_NUMBERS);
	const add = (points: Array<[column: number, row: number]>, people: number): void => {
		const zones = points.flatMap(([column, row]) => {
			const found = zoneAt(index, column, row);
			return found?.country === country ? [found.zone] : [];
		});
		for (const zone of zones) byZone[zone]! += people / zones.length;
	};
	recount(listed, (key, people) => {
		add([[columnOfKey(key), rowOfKey(key)]], people);
		return people;
	});
	const [columns, rows] = [columnsAt(unlisted.level), rowsAt(unlisted.level)];
	const steps = Math.min(POINTS_A_SIDE, columns);
	recount(unlisted, (key, people) => {
		if (people === 0) return 0;
		const points = Array.from({ length: steps * steps }, (_, point): [number, number] => [
			columnOfKey(key) + Math.floor((((point % steps) + 0.5) * columns) / steps),
			rowOfKey(key) + Math.floor(((Math.floor(point / steps) + 0.5) * rows) / steps),
		]);
		const dry = points.filter(([column, row]) => land.isDry(column, row));
		add(dry.length > 0 ? dry : points, people);
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
	if (population) return [{ name: population, people: peopleOf(survey, await readCensusGrid(population)) }];
	const model = peopleOf(survey);
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
function householdsOf(byZone: Float64Array, zones: number, total: number): number[] {
	const found = byZone.reduce((sum, people) => sum + people, 0);
	if (found === 0) return Array.from({ length: zones }, () => total / zones);
	const lived = [...byZone].filter((people) => people > 0).map((people) => (people / found) * total);
	return [...lived, ...Array.from({ length: Math.max(0, zones - lived.length) }, () => 0)];
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

function row(name: string, zones: number, { households, served, firstRefusal, opened, mostOpened }: Filling): string {
	const refusal = firstRefusal === undefined ? "never" : percent(firstRefusal, 1);
	const millions = (households / 1e6).toFixed(households < 1e6 ? 3 : 1);
	return `| ${name} | ${millions} | ${zones} | ${opened} | ${mostOpened} | ${refusal} | ${percent(served, households)} |`;
}

async function simulate(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			population: { type: "string" },
			household: { type: "string", default: "4.5" },
			index: { type: "string", default: `${import.meta.dirname}/world.zones` },
		},
	});
	const household = Number(values.household);
	if (!(household > 0))
		throw new OperatorError(`--household ${values.household}: give the people to a household, such as 4.5`);
	const survey = surveyPeople(surveyBorders());
	const index = await readEditionFile(values.index);
	for (const { name, people } of await spreadsOf(survey, values.population)) {
		console.log(`\nPeople: ${name}; ${household} to a household\n`);
		console.log(
			"| country | households, millions | zones | numbers opened | most by one zone | first refusal | served |",
		);
		console.log("|---|---:|---:|---:|---:|---:|---:|");
		let [households, served, zoneCount] = [0, 0, 0];
		for (const [place, { country }] of survey.territories.entries()) {
			if (positionals.length > 0 && !positionals.includes(country)) continue;
			const area = place + 1;
			if (survey.populations[area] === 0) continue;
			const zones = index.directory.zoneCounts[index.directory.countries.indexOf(country)]!;
			const byZone = peopleByZone(index, country, people[area]!, survey.land);
			const filling = fillCountry(
				householdsOf(byZone, zones, survey.populations[area]! / household),
				ZONE_NUMBERS - zones - index.countries.get(country)!.retired.length,
			);
			console.log(row(country, zones, filling));
			households += filling.households;
			served += filling.served;
			zoneCount += zones;
		}
		console.log(`| all | ${(households / 1e6).toFixed(1)} | ${zoneCount} | | | | ${percent(served, households)} |`);
	}
}

await runCommand(
	"npm run zones:simulate -- [--population grid.tif] [--household 4.5] [--index FILE] [IN CN ...]",
	simulate,
);
