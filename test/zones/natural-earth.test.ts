import { beforeAll, expect, test } from "vitest";
import type { Directory } from "../../src/zones/format.ts";
import { lastAtOrBefore } from "../../src/zones/morton.ts";
import type { Shard } from "../../src/zones/shard.ts";
import { landBorders, naturalEarthCountry } from "../../zones/natural-earth.ts";
import { seededRandom } from "../support/random.ts";
import { bordersOf, distanceFinder } from "./border-distance.ts";
import { covers, isDisputed, readLand } from "./disputes.ts";
import { naturalEarthBorders, type Segment } from "./natural-earth.ts";
import { askIndex } from "./oracle.ts";
import { publishedEdition, sharedNaturalEarth } from "./shared.ts";

/** Sources simplify: farther than this from both lines they must agree. */
const MOST_KM = 5;
const POINTS = 50_000;

const knownErrors = readLand("natural-earth-errs");

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

const isKnownError = (countries: readonly string[], lng: number, lat: number): boolean =>
	knownErrors.some((land) => land.countries === countries.join(" ") && covers(land, lng, lat));

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
	for (const { countries, box, reason } of knownErrors) {
		const random = seededRandom(7);
		expect(reason.length, countries).toBeGreaterThan(20);
		const [west, south, east, north] = box;
		const points = Array.from({ length: 4000 }, () => [
			west + random() * (east - west),
			south + random() * (north - south),
		]);
		const stillErrs = points.some(([lng, lat]) => disagreement(lng!, lat!)?.join(" ") === countries);
		expect.soft(stillErrs, countries).toBe(true);
	}
});
