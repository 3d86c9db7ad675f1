/** Reads an index for a later edition: which ground each number has, and which numbers are used up. */
import { readFileSync } from "node:fs";
import { decodeGazetteer, decodeNumbers, decodeShard } from "../src/zones/decode.ts";
import { type Directory, partOfCountry, readDirectory, shardOfKey, ZoneIndexError } from "../src/zones/format.ts";
import { cellOf, type GridBox, keyOf } from "../src/zones/morton.ts";
import {
	areaOfZone,
	boxOfZone,
	locateInShard,
	numberOfZone,
	regionOfZone,
	type Shard,
	titleOfZone,
	zoneCount,
} from "../src/zones/shard.ts";
import { OperatorError } from "./faults.ts";
import type { PlannedArea, PlannedZone, ZoneName } from "./planned.ts";

/** A zone of an edition. */
export interface EditionZone {
	number: number;
	name: ZoneName;
	/** its cell, or the box around an official zone */
	box: GridBox;
	/** first key and level of its cell; undefined for an official zone */
	cell: { key: number; level: number } | undefined;
}

/** A country's part of an edition. */
export interface EditionCountry {
	/** by number */
	zones: Map<number, EditionZone>;
	/** numbers of earlier editions, which are not given to other ground */
	retired: number[];
}

export interface Edition {
	directory: Directory;
	shards: Shard[];
	/** by ISO 3166-1 alpha-2 code */
	countries: Map<string, EditionCountry>;
}

/**
 * Reads a whole index.
 * @throws ZoneIndexError naming what is wrong with it.
 */
export async function readEdition(file: Uint8Array): Promise<Edition> {
	// A copy, because a Buffer's `slice` is a view.
	const bytes = new Uint8Array(file);
	const directory = readDirectory(bytes);
	const partOf = (part: number) => bytes.slice(directory.partOffsets[part]!, directory.partOffsets[part + 1]!);
	const countries = new Map(
		directory.countries.map((country, index): [string, EditionCountry] => {
			const { retired } = decodeNumbers(directory, index, partOf(partOfCountry(directory, index)));
			return [country, { zones: new Map(), retired }];
		}),
	);
	const shards: Shard[] = [];
	for (let at = 0; at < directory.shardStarts.length; at++) {
		const shard = decodeShard(directory, at, partOf(at));
		shards.push(shard);
		for (let position = 0; position < zoneCount(shard); position++) {
			const area = areaOfZone(shard, position);
			const { zones } = countries.get(directory.countries[shard.areaCountries[area]!]!)!;
			const number = numberOfZone(shard, position);
			const box = boxOfZone(shard, area, position);
			const name = {
				place: titleOfZone(shard, position),
				suffix: shard.zoneSuffixes[position]!,
				region: regionOfZone(shard, position),
			};
			zones.set(number, { number, name, box, cell: cellOf(box) });
		}
	}
	// Decoded only to prove that they are intact: no later edition is made from them.
	const first = directory.shardStarts.length + directory.countries.length;
	for (const at of directory.gazetteerStarts.keys()) decodeGazetteer(directory, first + at, partOf(first + at));
	return { directory, shards, countries };
}

/**
 * Reads the index in a file.
 * @throws OperatorError that names the file, if it is missing or damaged.
 */
export async function readEditionFile(file: string): Promise<Edition> {
	try {
		return await readEdition(readFileSync(file));
	} catch (cause) {
		if (!(cause instanceof ZoneIndexError || (cause instanceof Error && "code" in cause))) throw cause;
		throw new OperatorError(`${file}: it cannot be read as a zone index: ${cause.message}`, { cause });
	}
}

/** Country and number of the zone that holds a grid point; undefined if there is none. */
export function zoneAt({ directory, shards }: Edition, x: number, y: number) {
	const key = keyOf(x, y);
	const shard = shards[shardOfKey(directory, key)]!;
	const place = locateInShard(shard, key, x, y);
	if (place < 0) return undefined;
	const area = areaOfZone(shard, place);
	return { country: directory.countries[shard.areaCountries[area]!]!, zone: numberOfZone(shard, place) };
}

/** By country code, the zones of an edition as a new plan takes them over; countries with official zones are left out. */
export function plannedAreas({ countries }: Edition): Map<string, PlannedArea> {
	const planned = new Map<string, PlannedArea>();
	for (const [country, { zones, retired }] of countries) {
		const cells = [...zones.values()].flatMap(({ cell, number, name }): PlannedZone[] =>
			cell ? [{ ...cell, number, name }] : [],
		);
		if (cells.length < zones.size) continue;
		planned.set(country, { country, zones: cells.sort((a, b) => a.key - b.key), retired });
	}
	return planned;
}
