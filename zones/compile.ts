/** Writes planned zones as an index file: the inverse of src/zones/format.ts. */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { deflateSync } from "fflate";
import {
	directoryChecksum,
	directoryEnd,
	FIRST_READ_BYTES,
	FORMAT_VERSION,
	HEADER_BYTES,
	HeaderField,
	MAGIC,
} from "../src/zones/format.ts";
import { NUMBER_SET_BYTES } from "../src/zones/numbers.ts";
import { borderlinesOf } from "./area-sets.ts";
import { joinColumns } from "./columns.ts";
import { writeGazetteer } from "./gazetteer-writer.ts";
import { type Plan, publishedNumbers } from "./planned.ts";
import { writeShards } from "./shard-writer.ts";

/** From this edition on, zones retain their numbers. */
const FIRST_EDITION = 3;

/** A set of zone numbers, one bit each. */
function numberSet(numbers: readonly number[]): Uint8Array {
	const set = new Uint8Array(NUMBER_SET_BYTES);
	for (const number of numbers) set[number >>> 3]! |= 1 << (number & 7);
	return set;
}

/** The stored numbers of a country. `country` is its index in the plan. */
function writeNumbers(plan: Plan, country: number): Uint8Array {
	const sets = [publishedNumbers(plan, country + 1), plan.areas[country]!.retired].map(numberSet);
	return deflateSync(joinColumns(sets), { level: 9 });
}

/** The edition of an index, and the one whose numbers it retains: 0 for none. */
interface EditionNumbers {
	edition: number;
	before: number;
}

/** Writes its edition into an index file. */
export function stampEdition(file: Uint8Array, { edition, before }: EditionNumbers): void {
	const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
	view.setUint32(HeaderField.edition, edition, true);
	view.setUint32(HeaderField.before, before, true);
	const end = directoryEnd(
		view.getUint32(HeaderField.shards, true),
		view.getUint32(HeaderField.countries, true),
		view.getUint16(HeaderField.gazetteers, true),
	);
	view.setUint32(HeaderField.checksum, directoryChecksum(file.subarray(0, end)), true);
}

/** The bytes of the index file. */
export function compile(plan: Plan, edition: EditionNumbers = { edition: FIRST_EDITION, before: 0 }): Uint8Array {
	const lines = borderlinesOf(plan);
	const shards = writeShards(plan, lines, [...lines.sides.keys()], 0, 0);
	const gazetteers = writeGazetteer(plan);
	const parts = [
		...shards.map(({ bytes }) => bytes),
		...plan.areas.map((_, country) => writeNumbers(plan, country)),
		...gazetteers.map(({ bytes }) => bytes),
	];
	const credits = new TextEncoder().encode(plan.credits ?? "");
	const creditsAt = directoryEnd(shards.length, plan.areas.length, gazetteers.length);
	let end = creditsAt + credits.length;
	if (end > FIRST_READ_BYTES) throw new Error(`a directory with credits of ${end} bytes does not fit the first read`);
	const partOffsets = Uint32Array.from([end, ...parts.map(({ length }) => (end += length))]);
	const directory = joinColumns([
		Uint32Array.from(shards, ({ key }) => key),
		partOffsets,
		Uint32Array.from(parts, (bytes) => crc32(bytes)),
		Uint32Array.from(gazetteers, ({ key }) => key),
		Uint16Array.from(plan.areas, (_, country) => publishedNumbers(plan, country + 1).length),
		new TextEncoder().encode(plan.areas.map(({ country }) => country).join("")),
		Uint8Array.from(shards, ({ level }) => level),
	]);
	const file = new Uint8Array(end);
	const view = new DataView(file.buffer);
	file.set(MAGIC);
	view.setUint16(HeaderField.version, FORMAT_VERSION, true);
	view.setUint16(HeaderField.gazetteers, gazetteers.length, true);
	view.setUint32(HeaderField.shards, shards.length, true);
	view.setUint32(HeaderField.countries, plan.areas.length, true);
	file.set(directory, HEADER_BYTES);
	file.set(credits, creditsAt);
	for (const [part, bytes] of parts.entries()) file.set(bytes, partOffsets[part]);
	file.set(createHash("sha256").update(file.subarray(HEADER_BYTES)).digest(), HeaderField.digest);
	stampEdition(file, edition);
	return file;
}
