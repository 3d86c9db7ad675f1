/** Writes planned zones as an index file: the inverse of src/zones/format.ts. */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { deflateSync } from "fflate";
import {
	COUNTRY_ENTRY_BYTES,
	DIGEST_AT,
	FIRST_READ_BYTES,
	FORMAT_VERSION,
	HEADER_BYTES,
	MAGIC,
	SHARD_ENTRY_BYTES,
} from "../src/zones/format.ts";
import { borderlinesOf } from "./area-sets.ts";
import { PayloadWriter } from "./payload.ts";
import { type Plan, publishedNumbers } from "./planned.ts";
import { writeShards } from "./shard-writer.ts";

/** Numbers are kept from this edition on. */
export const FIRST_EDITION = 2;

/** Writes ascending numbers as runs: how far each begins beyond the end of the one before, and how long it is. */
function writeRuns(payload: PayloadWriter, numbers: readonly number[]): void {
	const runs: Array<{ first: number; end: number }> = [];
	for (const number of numbers) {
		const last = runs.at(-1);
		if (last?.end === number) last.end += 1;
		else runs.push({ first: number, end: number + 1 });
	}
	payload.unsigned(runs.length);
	let next = 0;
	for (const { first, end } of runs) {
		payload.unsigned(first - next);
		payload.unsigned(end - first);
		next = end;
	}
}

function writeNumbers(plan: Plan): Uint8Array {
	const payload = new PayloadWriter();
	for (const [index, { retired }] of plan.areas.entries()) {
		writeRuns(payload, publishedNumbers(plan, index + 1));
		writeRuns(payload, retired);
	}
	return deflateSync(payload.text(""), { level: 9 });
}

/** Which edition an index is, and the one whose numbers it keeps: 0 for none. */
export interface EditionNumbers {
	edition: number;
	before: number;
}

/** Writes into an index file which edition it is. */
export function stampEdition(file: Uint8Array, { edition, before }: EditionNumbers): void {
	const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
	view.setUint32(32, edition, true);
	view.setUint32(36, before, true);
	view.setUint32(12, 0, true);
	view.setUint32(12, crc32(file.subarray(0, view.getUint32(16, true))), true);
}

/** The bytes of the index file. */
export function compile(plan: Plan, edition: EditionNumbers = { edition: FIRST_EDITION, before: 0 }): Uint8Array {
	const lines = borderlinesOf(plan);
	const shards = writeShards(plan, lines, [...lines.sides.keys()], 0, 0);
	const directoryEnd = HEADER_BYTES + shards.length * SHARD_ENTRY_BYTES + plan.areas.length * COUNTRY_ENTRY_BYTES;
	if (directoryEnd > FIRST_READ_BYTES)
		throw new Error(`a directory of ${directoryEnd} bytes does not fit the first read`);
	const numbers = writeNumbers(plan);
	const numbersOffset = shards.reduce((sum, { bytes }) => sum + bytes.length, directoryEnd);
	const fileBytes = numbersOffset + numbers.length;
	const file = new Uint8Array(fileBytes);
	const view = new DataView(file.buffer);
	file.set(MAGIC);
	view.setUint16(8, FORMAT_VERSION, true);
	view.setUint32(16, directoryEnd, true);
	view.setUint32(20, fileBytes, true);
	view.setUint32(24, shards.length, true);
	view.setUint32(28, plan.areas.length, true);
	view.setUint32(40, numbersOffset, true);
	view.setUint32(44, crc32(numbers), true);
	file.set(numbers, numbersOffset);
	let at = HEADER_BYTES;
	let offset = directoryEnd;
	for (const { key, level, bytes } of shards) {
		view.setUint32(at, key, true);
		view.setUint32(at + 4, offset, true);
		view.setUint32(at + 8, crc32(bytes), true);
		view.setUint32(at + 12, level, true);
		file.set(bytes, offset);
		at += SHARD_ENTRY_BYTES;
		offset += bytes.length;
	}
	for (const [index, area] of plan.areas.entries()) {
		file.set(new TextEncoder().encode(area.country), at);
		view.setUint16(at + 2, publishedNumbers(plan, index + 1).length, true);
		at += COUNTRY_ENTRY_BYTES;
	}
	file.set(createHash("sha256").update(file.subarray(HEADER_BYTES)).digest(), DIGEST_AT);
	stampEdition(file, edition);
	return file;
}
