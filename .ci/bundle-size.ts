/** Fails when the Worker that `npm run build` wrote is larger than the house allows. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

// The console, in six languages, is about a sixth of it.
const BYTES_MAX = 270 * 1024;

const bytes = gzipSync(readFileSync("dist/index.js")).length;
console.log(`The Worker is ${bytes} bytes gzipped; at most ${BYTES_MAX} are allowed.`);
if (bytes > BYTES_MAX) process.exit(1);
