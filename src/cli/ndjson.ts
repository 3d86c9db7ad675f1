/** Files with one JSON value on each line, read in pieces, so that memory stays the same whatever their size. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** The lines of a file, without their line ends. */
export async function* linesOf(file: string): AsyncGenerator<string> {
	let rest = "";
	for await (const piece of createReadStream(file, { encoding: "utf8" })) {
		const lines = (rest + piece).split("\n");
		rest = lines.pop() ?? "";
		yield* lines;
	}
	if (rest !== "") yield rest;
}

/** Gathers lines into batches of at most `count` lines and about `bytes` bytes, which is what one statement of D1 takes. */
export async function* batchesOf(
	lines: AsyncIterable<string>,
	{ count = 1_000, bytes = 1_000_000 } = {},
): AsyncGenerator<string[]> {
	let batch: string[] = [];
	let size = 0;
	for await (const line of lines) {
		if (batch.length === count || (batch.length > 0 && size + line.length > bytes)) {
			yield batch;
			batch = [];
			size = 0;
		}
		batch.push(line);
		size += line.length;
	}
	if (batch.length > 0) yield batch;
}

/** What a manifest says of a file, so that a copy can be proved. */
export interface FileDigest {
	/** Lines, one for each row. */
	rows: number;
	bytes: number;
	/** Hexadecimal. */
	sha256: string;
}

/** Counts and hashes a file of lines. */
export async function digestOf(file: string): Promise<FileDigest> {
	const hash = createHash("sha256");
	const digest = { rows: 0, bytes: 0 };
	for await (const piece of createReadStream(file)) {
		const buffer = piece as Buffer;
		hash.update(buffer);
		digest.bytes += buffer.length;
		for (const byte of buffer) if (byte === 0x0a) digest.rows += 1;
	}
	return { ...digest, sha256: hash.digest("hex") };
}

/** Runs work, so much of it at once. The first that fails ends it, once what is under way is done. */
export async function inParallel(work: (() => Promise<void>)[], atOnce: number): Promise<void> {
	const left = [...work];
	const runner = async () => {
		for (let next = left.shift(); next; next = left.shift()) {
			try {
				await next();
			} catch (error) {
				left.length = 0;
				throw error;
			}
		}
	};
	const ended = await Promise.allSettled(Array.from({ length: atOnce }, runner));
	for (const one of ended) if (one.status === "rejected") throw one.reason;
}
