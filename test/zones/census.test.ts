import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { writeArrayBuffer } from "geotiff";
import { beforeAll, expect, test } from "vitest";
import { gridX, gridY, keysAt } from "../../src/zones/morton.ts";
import { areaOfGridPoint } from "../../zones/borders.ts";
import { CensusError, peopleByCensus, readCensusGrid } from "../../zones/census.ts";
import { cosine, KM_PER_DEGREE } from "../../zones/earth.ts";
import { plannedAreas } from "../../zones/edition.ts";
import { planWorld } from "../../zones/plan.ts";
import type { PlannedArea } from "../../zones/planned.ts";
import { countIn, middleOfCell, type People, totalOf } from "../../zones/population.ts";
import { type Survey, surveyListed } from "../../zones/survey.ts";
import { temporaryFolder } from "../support/folder.ts";
import { publishedEdition } from "./shared.ts";

/** Rwanda and around, in pixels of a tenth of a degree; four fifths of its people live east of the meridian 30. */
const [WEST, NORTH, SIDE, COLUMNS, ROWS] = [28.5, -1, 0.1, 25, 20];
const NO_DATA = -9999;
const folder = temporaryFolder();

let survey: Survey;
let rwanda: number;

beforeAll(() => {
	survey = surveyListed();
	rwanda = survey.territories.findIndex(({ country }) => country === "RW") + 1;
});

/** A GeoTIFF of the values, row by row from the north. */
async function write(name: string, value: (lng: number, lat: number) => number, north = NORTH): Promise<string> {
	const values = Float32Array.from({ length: COLUMNS * ROWS }, (_, at) =>
		value(WEST + ((at % COLUMNS) + 0.5) * SIDE, north - (Math.floor(at / COLUMNS) + 0.5) * SIDE),
	);
	const file = path.join(folder, name);
	const tiff = await writeArrayBuffer(values, {
		width: COLUMNS,
		height: ROWS,
		ModelPixelScale: [SIDE, SIDE, 0],
		ModelTiepoint: [0, 0, 0, WEST, north, 0],
		GDAL_NODATA: `${NO_DATA}\0`,
		GTModelTypeGeoKey: 2,
		GeographicTypeGeoKey: 4326,
	});
	writeFileSync(file, new Uint8Array(tiff as ArrayBuffer));
	return file;
}

async function peopleOf(file: string): Promise<Array<People | undefined>> {
	const { listed, populations, world, land } = survey;
	return peopleByCensus(await readCensusGrid(file), listed, populations, world, land);
}

/** Share of a country's people whose cell is east of a meridian. */
function shareEastOf(people: People, lng: number): number {
	let east = 0;
	for (const tally of [people.listed, people.unlisted]) {
		for (const key of tally.keys) {
			const { column } = middleOfCell(key, tally.level);
			if ((column * 360) / 65_536 - 180 > lng) east += countIn(tally, key, tally.level);
		}
	}
	return east / (totalOf(people.listed) + totalOf(people.unlisted));
}

const density = (lng: number) => (lng > 30 ? 1600 : 400);
const squareKm = (lat: number) => (SIDE * KM_PER_DEGREE) ** 2 * cosine(lat);

test.each([
	["people a square kilometre", (lng: number) => density(lng)],
	["people a pixel", (lng: number, lat: number) => density(lng) * squareKm(lat)],
])("a grid of %s puts a country's people where it has them", async (name, value) => {
	const people = (await peopleOf(await write(`${name}.tif`, value)))[rwanda]!;
	expect(totalOf(people.listed) + totalOf(people.unlisted)).toBeCloseTo(survey.populations[rwanda]!, 0);
	// Of Rwanda's land, 43 % lies east of 30 degrees: four times as dense, three quarters of its people live there.
	expect(shareEastOf(people, 30)).toBeGreaterThan(0.65);
	expect(shareEastOf(people, 30)).toBeLessThan(0.85);
});

test("a country that the grid has nobody of is left to the model", async () => {
	const people = await peopleOf(await write("nobody.tif", (lng) => (lng > 29.5 ? NO_DATA : 100)));
	const brazil = survey.territories.findIndex(({ country }) => country === "BR") + 1;
	expect(people[brazil]).toBeUndefined();
});

test("a grid of one country cuts and numbers that one afresh where asked to, and leaves all others as they are", async () => {
	const published = await publishedEdition();
	const unchanged = plannedAreas(published);
	// Of its neighbours the grid has a few people near the border.
	const isInRwanda = (lng: number, lat: number) => areaOfGridPoint(survey.world, gridX(lng), gridY(lat)) === rwanda;
	const grid = await readCensusGrid(
		await write("afresh.tif", (lng, lat) => (isInRwanda(lng, lat) ? density(lng) : 20)),
	);
	const { plan } = planWorld({ census: { grid, isAfresh: true }, before: published.countries, unchanged });
	const changed = plan.areas.filter((area) => unchanged.get(area.country) !== area);
	expect(changed.map(({ country }) => country)).toEqual(["RW"]);
	const cells = ({ zones }: PlannedArea) => zones.map(({ key, level }) => `${key},${level}`);
	expect(cells(changed[0]!)).not.toEqual(cells(unchanged.get("RW")!));
});

test("in a pixel people live in its listed settlements first, and in no more than it has", async () => {
	const people = (await peopleOf(await write("listed.tif", () => 500)))[rwanda]!;
	const known = survey.listed[rwanda]!;
	for (const [at, key] of people.listed.keys.entries()) {
		expect(known.keys[at]).toBe(key);
	}
	expect(totalOf(people.listed)).toBeGreaterThan(0.5 * totalOf(known));
	expect(keysAt(people.unlisted.level)).toBeGreaterThan(1);
});

test("refuses what is no grid in degrees, and one that is cut short", async () => {
	const text = path.join(folder, "text.tif");
	writeFileSync(text, "no picture");
	await expect(readCensusGrid(text)).rejects.toThrow(CensusError);
	await expect(readCensusGrid(path.join(folder, "missing.tif"))).rejects.toThrow(CensusError);
	const metres = await write("metres.tif", () => 1, 500_000);
	await expect(readCensusGrid(metres)).rejects.toThrow("gdalwarp -t_srs EPSG:4326");
	const cut = path.join(folder, "cut.tif");
	writeFileSync(cut, readFileSync(await write("whole.tif", () => 1)).subarray(0, -100));
	await expect(readCensusGrid(cut)).rejects.toThrow("cut.tif: it is cut short: it has ");
});
