import { borders } from "@rapideditor/country-coder";
import { beforeAll, expect, test } from "vitest";
import type { Directory } from "../../src/zones/format.ts";
import { keysAt } from "../../src/zones/morton.ts";
import { areaOfZone, boxOfZone, nameOfZone, numberOfZone, type Shard, zoneCount } from "../../src/zones/shard.ts";
import { sumAt } from "../../src/zones/sums.ts";
import { publishedEdition } from "./shared.ts";

interface FoundZone {
	key: number;
	end: number;
	name: string;
}

let directory: Directory;
let shards: Shard[];
/** By country and number; a zone that lies in several shards is found in each. */
const zones = new Map<string, FoundZone[][]>();

beforeAll(async () => {
	({ directory, shards } = await publishedEdition());
	for (const shard of shards) {
		for (let place = 0; place < zoneCount(shard); place++) {
			const area = areaOfZone(shard, place);
			const country = directory.countries[shard.areaCountries[area]!]!;
			const number = numberOfZone(shard, place);
			const hasOwnBox = shard.areaBoxes[area] !== 0;
			const key = sumAt(shard.zoneStarts, place);
			const ofCountry = zones.get(country) ?? [];
			zones.set(country, ofCountry);
			ofCountry[number] ??= [];
			ofCountry[number].push({
				key,
				end: hasOwnBox ? key : key + keysAt(shard.zoneLevels[place]!),
				name: nameOfZone(shard, place),
			});
			const box = boxOfZone(shard, area, place);
			if (!(box.south < box.north && box.west < box.east)) throw new Error(`${country} ${number} has an empty box`);
		}
	}
});

test("every ISO 3166-1 territory and Kosovo has zones", () => {
	const official = borders.features.flatMap(({ properties: { iso1A2, isoStatus } }) =>
		iso1A2 && (isoStatus === "official" || iso1A2 === "XK") ? [iso1A2] : [],
	);
	expect(official.length).toBe(250);
	expect([...zones.keys()].sort()).toEqual(official.sort());
	expect(directory.countries).toEqual(official.sort());
});

test("a country has numbers left for zones that fill up, and beside its zones", () => {
	directory.countries.forEach((country, index) => {
		const numbers = Object.keys(zones.get(country)!).map(Number);
		expect(numbers.length, country).toBe(directory.zoneCounts[index]);
		expect(numbers.length, country).toBeLessThanOrEqual(8000);
		// The largest gap between two numbers is about what even spacing gives, or less than what a crowded zone is given.
		const gaps = numbers.slice(1).map((number, at) => number - numbers[at]!);
		expect(Math.max(0, ...gaps), country).toBeLessThan(Math.max(200, 20_000 / numbers.length));
	});
});

test("numbers follow the curve but for those of new ground, and no two zones of a country overlap", () => {
	let ahead = 0;
	for (const [country, found] of zones) {
		const cells = Object.values(found)
			.filter((parts) => parts.length === 1)
			.map((parts) => parts[0]!);
		for (let at = 1; at < cells.length; at++) if (cells[at]!.key < cells[at - 1]!.end) ahead++;
		cells.sort((a, b) => a.key - b.key);
		for (let at = 1; at < cells.length; at++) {
			if (cells[at]!.key < cells[at - 1]!.end) throw new Error(`zone ${at} of ${country} overlaps the one before`);
		}
	}
	// Edition 4 has 2,209 zones of new ground, whose numbers count down from 9999.
	expect(ahead).toBeLessThan(2300);
});

test("a zone has one name, of printable characters in NFC", () => {
	let named = 0;
	for (const [country, found] of zones) {
		for (const parts of Object.values(found)) {
			const name = parts[0]!.name;
			if (parts.some((part) => part.name !== name)) throw new Error(`a zone of ${country} has several names: ${name}`);
			if (name === "") continue;
			named++;
			if (name !== name.normalize("NFC").trim() || /\p{C}/u.test(name)) throw new Error(`bad name ${name}`);
		}
	}
	expect(named).toBeGreaterThan(200_000);
});

test("shards tile the earth", () => {
	let next = 0;
	for (let shard = 0; shard < shards.length; shard++) {
		expect(directory.shardStarts[shard]).toBe(next);
		next += keysAt(directory.shardLevels[shard]!);
	}
	expect(next).toBe(keysAt(0));
});
