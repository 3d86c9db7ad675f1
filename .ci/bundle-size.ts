/**
 * Fails when the Worker that `npm run build` wrote is larger than the house allows, with or without its console. Sizes are gzipped, in
 * bytes; a KB is 1,000 of them.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { bundleWorker } from "../.dev/bundle-worker.ts";

/** An isolate compiles all of it before its first answer. What serves the documentation alone is no part of it (.dev/bundle-worker.ts). */
const WITH_CONSOLE_MAX = 193_500;
const WITHOUT_CONSOLE_MAX = 171_700;

const folder = mkdtempSync(path.join(tmpdir(), "without-console-"));
await bundleWorker(folder, undefined, [
	{
		name: "no-console",
		load(id) {
			if (!id.endsWith("/src/my/routes.tsx")) return;
			return 'import { Hono } from "hono/tiny"; export const consoleRoutes = new Hono();';
		},
	},
]);

for (const { what, file, max } of [
	{ what: "The Worker", file: "dist/index.js", max: WITH_CONSOLE_MAX },
	{ what: "The Worker without its console", file: path.join(folder, "index.js"), max: WITHOUT_CONSOLE_MAX },
]) {
	const gzipped = gzipSync(readFileSync(file)).length;
	console.log(`${what} is ${gzipped} bytes gzipped; at most ${max} are allowed.`);
	if (gzipped > max) process.exitCode = 1;
}
rmSync(folder, { recursive: true });
