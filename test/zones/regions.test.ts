import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FIRST_READ_BYTES, readDirectory } from "../../src/zones/format.ts";
import { arrange } from "../../zones/borders.ts";
import { compile } from "../../zones/compile.ts";
import { type DivisionLine, ODBL_LINES } from "../../zones/division-lines.ts";
import { creditsOf } from "../../zones/plan.ts";
import { readRegions } from "../../zones/region-file.ts";
import { surveyRegions } from "../../zones/regions.ts";
import { readSettlements, type Settlement } from "../../zones/settlements.ts";
import { surveyBorders, surveyListed, surveyPeople } from "../../zones/survey.ts";
import { directoryEndOf, readIndexFile } from "./support.ts";

/** A map of a country from 34 to 38 degrees east with two divisions, west and east of a meridian, the eastern one up to a second meridian. */
const mapOf = (meridian: number, end = 38): DivisionLine[] => {
	const line = (sides: [number, number], ...corners: Array<[number, number]>): DivisionLine => ({
		sides,
		points: corners.map(([lng, lat]) => [Math.round(lng * 1e5), lat * 1e5]),
	});
	return [
		line([1, 2], [meridian, -1], [meridian, 1]),
		line([1, 0], [meridian, 1], [34, 1], [34, -1], [meridian, -1]),
		line([2, 0], [meridian, -1], [end, -1], [end, 1], [meridian, 1]),
	];
};

/** Places in two rows: those up to 36 degrees east are in West, the others in East. */
const PLACES: Settlement[] = Array.from({ length: 76 }, (_, at) => {
	const lng = 34.1 + 0.1 * (at % 38);
	return {
		...{ id: at, name: `Place ${at}`, country: "KE", featureCode: "PPL", population: 0 },
		...{ region: lng < 36.05 ? "West" : "East", x: Math.round(lng * 1e5), y: at < 38 ? -5e4 : 5e4 },
	};
});
const survey = (...maps: DivisionLine[][]) => surveyRegions(maps, [[], PLACES], ["KE"]);
const pointAt = (lng: number) => ({ x: lng * 1e5, y: 0 });

test("of two maps, the one counts that the list contradicts less, by a third or more", () => {
	// Lines at 36.45 have eight places on the wrong side, those at 36.35 six and those at 36.25 four.
	const chosen = (...maps: DivisionLine[][]) => survey(...maps).mapOf[1];
	expect(chosen(mapOf(36.45), mapOf(36.05))).toBe(1);
	expect(chosen(mapOf(36.35), mapOf(36.25))).toBe(1);
	expect(chosen(mapOf(36.45), mapOf(36.35))).toBe(0);
	expect(chosen(mapOf(36.05), mapOf(36.45))).toBe(0);
	expect(chosen(mapOf(36.05), mapOf(36.05))).toBe(0);
	const { regionAt, mapDivisionAt, possibleAt } = survey(mapOf(36.45), mapOf(36.05));
	for (const [lng, region, division] of [
		[36, "West", 1],
		[36.2, "East", 2],
		[36.6, "East", 2],
	] as const) {
		expect(possibleAt(1, pointAt(lng))).toEqual([region]);
		expect(regionAt(1, pointAt(lng))).toBe(region);
		expect(mapDivisionAt(1, pointAt(lng))).toBe(division);
	}
});

test("no line of a map is left that does not count", () => {
	const longitudes = (...maps: DivisionLine[][]) => {
		const { edges } = survey(...maps).world.arrangement;
		return new Set([...edges].filter((_, at) => at % 2 === 0));
	};
	expect(longitudes(mapOf(36.45), mapOf(36.05))).toEqual(new Set([3_400_000, 3_605_000, 3_800_000]));
	expect(longitudes(mapOf(36.05), mapOf(36.45))).toEqual(new Set([3_400_000, 3_605_000, 3_800_000]));
});

test("where outlines of two maps overlap at a border, each country has its own region, however far the next settlement is", () => {
	const neighbours = PLACES.map((place) => ({ ...place, country: "TZ", region: "Beyond", x: place.x + 4e5 }));
	const beyond: DivisionLine = {
		sides: [3, 0],
		points: [
			[37.9e5, -1e5],
			[42e5, -1e5],
			[42e5, 1e5],
			[37.9e5, 1e5],
			[37.9e5, -1e5],
		],
	};
	const near = PLACES.filter(({ x }) => x < 37e5);
	const { mapOf: chosen, regionAt } = surveyRegions(
		[[...mapOf(36.45), beyond], mapOf(36.05)],
		[[], near, neighbours],
		["KE", "TZ"],
	);
	expect(chosen).toEqual([0, 1, 0]);
	expect(regionAt(1, pointAt(37.95))).toBe("East");
	expect(regionAt(2, pointAt(37.95))).toBe("Beyond");
});

test("a map that lacks a region of the country does not count, however little is contradicted", () => {
	// Its eastern division ends where few places of East are.
	expect(survey(mapOf(36.45), mapOf(36.05, 36.6)).mapOf[1]).toBe(0);
	expect(survey(mapOf(36.45), []).mapOf[1]).toBe(0);
});

test("of an operator's own regions nothing is from any map", () => {
	const polygon = (west: number, east: number) => ({
		type: "Polygon",
		coordinates: [
			[
				[west, -1],
				[east, -1],
				[east, 1],
				[west, 1],
				[west, -1],
			],
		],
	});
	const features = [
		{ type: "Feature", properties: { region: "Left" }, geometry: polygon(34, 37) },
		{ type: "Feature", properties: { region: "Right" }, geometry: polygon(37, 38) },
	];
	const file = readRegions("KE", JSON.stringify({ type: "FeatureCollection", features }), "own.geojson");
	const { world, possibleAt } = surveyRegions(
		[mapOf(36.45), mapOf(36.05)],
		[[], PLACES],
		["KE"],
		new Map([["KE", file]]),
	);
	expect(new Set([...world.arrangement.edges].filter((_, at) => at % 2 === 0))).toEqual(new Set([34e5, 37e5, 38e5]));
	expect(possibleAt(1, pointAt(36.2))).toEqual(["Left"]);
});

const firstPartAt = (file: Uint8Array) => readDirectory(file).partOffsets[0]!;
const creditsIn = (file: Uint8Array) =>
	new TextDecoder().decode(file.subarray(directoryEndOf(file), firstPartAt(file)));

test("the published index names its sources and the countries with lines under ODbL, within the first read", () => {
	const { odblCountries } = surveyListed();
	expect(odblCountries).toEqual(expect.arrayContaining(["CD", "DZ", "JP", "KE", "PL", "UA", "VN"]));
	expect(odblCountries).not.toContain("FR");
	const file = readIndexFile();
	expect(creditsIn(file)).toBe(creditsOf(odblCountries));
	expect(creditsIn(file)).toMatch(/GeoNames.*OpenStreetMap contributors.*Open Database License 1\.0/);
	expect(firstPartAt(file)).toBeLessThanOrEqual(FIRST_READ_BYTES);
	expect(readFileSync(ODBL_LINES, "utf8")).toMatch(/^# .*OpenStreetMap contributors.*\n# .*Open Database License 1\.0/);
});

test("without the lines under ODbL an index has none of them and says nothing of that licence", () => {
	const { odblCountries, regions } = surveyPeople(readSettlements(), undefined, surveyBorders(), false);
	expect(odblCountries).toEqual([]);
	expect(new Set(regions.mapOf)).toEqual(new Set([0]));
	const zone = { key: 0, level: 0, number: 7, name: { place: "Place", suffix: 0, region: "" } };
	const file = compile({
		areas: [{ country: "NG", zones: [zone], retired: [] }],
		arrangement: arrange([[[2e5, 8e5, 4e5, 8e5, 4e5, 10e5, 2e5, 10e5]]]),
		overlays: [],
		credits: creditsOf(odblCountries),
	});
	expect(creditsIn(file)).toContain("GeoNames");
	expect(creditsIn(file)).not.toMatch(/OpenStreetMap|Open Database/);
});
