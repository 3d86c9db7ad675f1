import { borders } from "@rapideditor/country-coder";
import { beforeAll, expect, test } from "vitest";
import { type Directory, FIRST_READ_BYTES } from "../../src/zones/format.ts";
import { KEYS, keysAt } from "../../src/zones/morton.ts";
import { areaOfPlace, boxOfPlace, nameOfPlace, numberOfPlace, type Shard } from "../../src/zones/shard.ts";
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
		for (let place = 0; place < shard.zoneStarts.length; place++) {
			const area = areaOfPlace(shard, place);
			const country = directory.countries[shard.areaCountries[area]!]!;
			const number = numberOfPlace(shard, place);
			const level = shard.zoneLevels[place]!;
			const whole = level > 32;
			const key = shard.zoneStarts[place]!;
			const ofCountry = zones.get(country) ?? [];
			zones.set(country, ofCountry);
			ofCountry[number] ??= [];
			ofCountry[number].push({
				key,
				end: whole ? key : key + keysAt(level),
				name: nameOfPlace(shard, place),
			});
			const box = boxOfPlace(shard, area, place);
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

test("a country's numbers are 0 to one less than it has published, with at least half of 10,000 left for zones that fill up", () => {
	directory.countries.forEach((country, index) => {
		const found = zones.get(country)!;
		expect(Object.keys(found).length, country).toBe(directory.zoneCounts[index]);
		expect(found.length, country).toBe(directory.zoneCounts[index]);
		expect(found.length, country).toBeLessThanOrEqual(5000);
	});
});

test("numbers follow the curve, and no two zones of a country overlap", () => {
	for (const [country, found] of zones) {
		const cells = found.filter((parts) => parts.length === 1).map((parts) => parts[0]!);
		for (let at = 1; at < cells.length; at++) {
			if (cells[at]!.key < cells[at - 1]!.end) throw new Error(`zone ${at} of ${country} overlaps the one before`);
		}
	}
});

test("a zone has one name, of printable characters in NFC", () => {
	let named = 0;
	for (const [country, found] of zones) {
		for (const parts of found) {
			const name = parts[0]!.name;
			if (parts.some((part) => part.name !== name)) throw new Error(`a zone of ${country} has several names: ${name}`);
			if (name === "") continue;
			named++;
			if (name !== name.normalize("NFC").trim() || /\p{C}/u.test(name)) throw new Error(`bad name ${name}`);
		}
	}
	expect(named).toBeGreaterThan(200_000);
});

test("shards tile the earth and keep to the budget of the first look-up", () => {
	expect(directory.fileBytes).toBeLessThanOrEqual(3_000_000);
	let next = 0;
	for (let shard = 0; shard < shards.length; shard++) {
		expect(directory.shardStarts[shard]).toBe(next);
		next += keysAt(directory.shardLevels[shard]!);
		const bytes = directory.shardOffsets[shard + 1]! - directory.shardOffsets[shard]!;
		expect(FIRST_READ_BYTES + bytes).toBeLessThanOrEqual(128 * 1024);
	}
	expect(next).toBe(KEYS);
});
