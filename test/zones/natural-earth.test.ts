import { beforeAll, expect, test } from "vitest";
import type { Directory } from "../../src/zones/format.ts";
import { lastAtOrBefore } from "../../src/zones/morton.ts";
import type { Shard } from "../../src/zones/shard.ts";
import { landBorders, naturalEarthCountry } from "../../zones/natural-earth.ts";
import { seededRandom } from "../support/random.ts";
import { bordersOf, distanceFinder } from "./border-distance.ts";
import { isDisputed } from "./disputes.ts";
import { naturalEarthBorders, type Segment } from "./natural-earth.ts";
import { askIndex } from "./oracle.ts";
import { publishedEdition, sharedNaturalEarth } from "./shared.ts";

/** Sources simplify: farther than this from both lines they must agree. */
const MOST_KM = 5;
const POINTS = 50_000;

const COARSE = "Natural Earth is the coarser one; OpenStreetMap agrees with the index";

/** Where Natural Earth is the coarser one, or is out of date: the index keeps the border source's line. */
const NATURAL_EARTH_ERRS: ReadonlyArray<{
	countries: readonly [index: string, naturalEarth: string];
	box: readonly [west: number, south: number, east: number, north: number];
	reason: string;
}> = [
	{
		countries: ["CA", "US"],
		box: [-82.6, 43, -82.1, 45.1],
		reason: "open water: Natural Earth's line through Lake Huron is 15 km off the treaty's",
	},
	{
		countries: ["CD", "TZ"],
		box: [29.2, -6.9, 30, -4.4],
		reason: "open water: Natural Earth has another middle of Lake Tanganyika",
	},
	{ countries: ["CM", "CF"], box: [15, 2.9, 16.1, 4.1], reason: `${COARSE}, along the Kadey and the Lobaye` },
	{ countries: ["CN", "KG"], box: [77.7, 41, 78.4, 41.4], reason: "it lacks the agreement of 1999 on Uzengi-Kuush" },
	{ countries: ["CN", "KZ"], box: [81.7, 45.1, 82.3, 45.4], reason: `${COARSE}, at the Dzungarian Gate` },
	{ countries: ["CN", "KZ"], box: [80, 44.6, 80.5, 44.9], reason: `${COARSE}, east of Zharkent` },
	{
		countries: ["CN", "TJ"],
		box: [74.1, 38.1, 74.9, 38.7],
		reason: "it lacks the agreement of 2002, ratified in 2011, on the Pamir",
	},
	{
		countries: ["DZ", "LY"],
		box: [9.6, 26.8, 10, 27.7],
		reason: "the desert east of Illizi, where no source has more than a few points",
	},
	{ countries: ["PE", "BO"], box: [-69.1, -13.6, -68.7, -12.7], reason: `${COARSE}, along the Heath` },
	{
		countries: ["SA", "IQ"],
		box: [39, 29.4, 44.3, 32.3],
		reason: "it lacks the treaty of 1981, which moved the border of 1922",
	},
	{ countries: ["SS", "ET"], box: [34.6, 5.5, 35.2, 6.7], reason: `${COARSE}, between the Akobo and the Kibish` },
	{ countries: ["SS", "SD"], box: [33, 10.2, 33.9, 12.3], reason: `${COARSE}, south of Kosti` },
];

let directory: Directory;
let shards: Shard[];
let fromIndexLine: (lng: number, lat: number) => number;
let fromNaturalEarthLine: (lng: number, lat: number) => number;
const naturalEarth = sharedNaturalEarth();

beforeAll(async () => {
	({ directory, shards } = await publishedEdition());
	fromIndexLine = distanceFinder(bordersOf(shards));
	fromNaturalEarthLine = distanceFinder(naturalEarthBorders());
});

/** The two countries of a point, where the sources disagree farther than MOST_KM from either line. */
function disagreement(lng: number, lat: number): [index: string, naturalEarth: string] | undefined {
	const index = askIndex(directory, shards, [lat, lng]).country;
	const other = naturalEarth(lng, lat);
	// Natural Earth has no sea, and the index has sea and land that is nobody's.
	if (index === "none" || other === undefined || naturalEarthCountry(index) === other) return undefined;
	return Math.min(fromIndexLine(lng, lat), fromNaturalEarthLine(lng, lat)) > MOST_KM ? [index, other] : undefined;
}

const isKnownError = ([index, other]: readonly [string, string], lng: number, lat: number): boolean =>
	NATURAL_EARTH_ERRS.some(
		({ countries, box: [west, south, east, north] }) =>
			countries[0] === index && countries[1] === other && west <= lng && lng <= east && south <= lat && lat <= north,
	);

test("knows where Natural Earth has some places", () => {
	expect([
		naturalEarth(2.35, 48.85),
		naturalEarth(18.63566, 3.65332),
		naturalEarth(-176, 67),
		naturalEarth(179.5, 68),
		naturalEarth(178, -17.8),
		naturalEarth(0, -85),
		naturalEarth(-30, 30),
	]).toEqual(["FR", "CD", "RU", "RU", "FJ", "AQ", undefined]);
});

test("the index and Natural Earth agree farther than 5 km from either's line, but on disputed land", () => {
	const random = seededRandom(31);
	// Long edges are the coarse ones: each is picked as often as it is long.
	const edges = landBorders().flatMap((line) =>
		line.slice(1).map(([x2 = 0, y2 = 0], at): Segment => {
			const [x1 = 0, y1 = 0] = line[at]!;
			return [x1, y1, x2, y2];
		}),
	);
	const lengths = edges.map(([x1, y1, x2, y2]) => Math.hypot(x2 - x1, y2 - y1));
	const starts = new Float64Array(lengths.length);
	lengths.forEach((length, at) => {
		starts[at + 1] = starts[at]! + length;
	});
	const pick = (share: number) => edges[lastAtOrBefore(starts, share * starts.at(-1)!, 0, starts.length)]!;
	const found = new Map<string, string>();
	let asked = 0;
	const ask = (lng: number, lat: number) => {
		if (Math.abs(lng) > 180 || Math.abs(lat) > 90) return;
		asked++;
		const countries = disagreement(lng, lat);
		if (!countries || isDisputed(...countries, lng, lat) || isKnownError(countries, lng, lat)) return;
		const key = `${countries.join(" in Natural Earth ")} near ${lat.toFixed(1)}, ${lng.toFixed(1)}`;
		found.set(key, `${fromIndexLine(lng, lat).toFixed(1)} km`);
	};
	// Anywhere on the sphere, and up to half a degree from the borders on land, where sources can disagree.
	for (let point = 0; point < POINTS; point++) {
		ask(random() * 360 - 180, (Math.asin(2 * random() - 1) * 180) / Math.PI);
		const [x1, y1, x2, y2] = pick(random());
		const along = random();
		ask(x1 + (x2 - x1) * along + random() - 0.5, y1 + (y2 - y1) * along + random() - 0.5);
	}
	expect(asked).toBeGreaterThan(1.9 * POINTS);
	expect([...found].map(([where, distance]) => `${where}, ${distance}`).sort()).toEqual([]);
});

test("a reason is given for each place where Natural Earth errs, and it still does", () => {
	for (const { countries, box, reason } of NATURAL_EARTH_ERRS) {
		const random = seededRandom(7);
		expect(reason.length, countries.join()).toBeGreaterThan(20);
		const [west, south, east, north] = box;
		const points = Array.from({ length: 4000 }, () => [
			west + random() * (east - west),
			south + random() * (north - south),
		]);
		const stillErrs = points.some(([lng, lat]) => disagreement(lng!, lat!)?.join() === countries.join());
		expect.soft(stillErrs, countries.join()).toBe(true);
	}
});
