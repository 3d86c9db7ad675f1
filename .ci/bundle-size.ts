/** Fails when the Worker that `npm run build` wrote is larger than expected, as by a package that came in unseen. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { modulesIn, WORKER_FOLDER } from "../.dev/worker.ts";

/** In bytes, gzipped as wrangler counts what it uploads. It is no goal: the platform takes 10 MB. */
const BYTES_MAX = 400_000;

const gzipped = gzipSync(Buffer.concat(modulesIn(WORKER_FOLDER).map((file) => readFileSync(file)))).length;
console.log(`The Worker is ${gzipped} bytes gzipped; at most ${BYTES_MAX} are allowed.`);
if (gzipped > BYTES_MAX) process.exitCode = 1;
