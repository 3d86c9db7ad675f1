/** Fails when the Worker that `npm run build` wrote is larger than the house allows. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** Issue 13 asks for 190 KB, of 1,000 bytes each. */
const BYTES_MAX = 190_000;

const bytes = gzipSync(readFileSync("dist/index.js")).length;
console.log(`The Worker is ${bytes} bytes gzipped; at most ${BYTES_MAX} are allowed.`);
if (bytes > BYTES_MAX) process.exit(1);
