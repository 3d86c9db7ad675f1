/** Files with one JSON value on each line, read in pieces, so that memory stays the same whatever their size. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** The lines of a file past the first `skipped`, without their line ends. */
export async function* linesOf(file: string, skipped = 0): AsyncGenerator<string> {
	let rest = "";
	let passed = 0;
	for await (const piece of createReadStream(file, { encoding: "utf8" })) {
		const lines = (rest + piece).split("\n");
		rest = lines.pop() ?? "";
		yield* lines.slice(Math.max(0, skipped - passed));
		passed += lines.length;
	}
	if (rest !== "") yield rest;
}

/** About what one statement of D1 takes. */
const BATCH_LINES = 1_000;
const BATCH_BYTES = 1_000_000;

/** Gathers lines into batches for one statement each. */
export async function* batchesOfLines(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
	let batch: string[] = [];
	let size = 0;
	for await (const line of lines) {
		if (batch.length === BATCH_LINES || (batch.length > 0 && size + line.length > BATCH_BYTES)) {
			yield batch;
			batch = [];
			size = 0;
		}
		batch.push(line);
		size += line.length;
	}
	if (batch.length > 0) yield batch;
}

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
	const hash = createHash("sha256");
	for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
	return hash.digest("hex");
}

/** Values in groups of at most `size`. */
export function* chunksOf<Value>(values: Value[], size: number): Generator<Value[]> {
	for (let from = 0; from < values.length; from += size) yield values.slice(from, from + size);
}
