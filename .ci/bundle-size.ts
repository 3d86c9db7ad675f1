/** Fails when the Worker that `npm run build` wrote is larger than the house allows. Sizes are gzipped, in bytes; a KB is 1,000 of them. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { modulesIn, WORKER_FOLDER } from "../.dev/bundle-worker.ts";

/** What every isolate runs before its first answer; and all that is uploaded, the pages and the drawings besides, as wrangler counts it. */
const REGISTRY_MAX = 121_000;
const WORKER_MAX = 197_000;

for (const { what, files, max } of [
	{ what: "What answers the API", files: [path.join(WORKER_FOLDER, "parts/registry.js")], max: REGISTRY_MAX },
	{ what: "The Worker", files: modulesIn(WORKER_FOLDER), max: WORKER_MAX },
]) {
	const gzipped = gzipSync(Buffer.concat(files.map((file) => readFileSync(file)))).length;
	console.log(`${what} is ${gzipped} bytes gzipped; at most ${max} are allowed.`);
	if (gzipped > max) process.exitCode = 1;
}
