/**
 * Fails when the Worker that `npm run build` wrote is larger than the house allows, with or without its console. Sizes are gzipped, in bytes; a KB
 * is 1,000 of them.
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** An isolate compiles all of it before its first answer. We want 200,000 and are beyond it: these lines stop it from growing further. */
const WITH_CONSOLE_MAX = 250_000;
const WITHOUT_CONSOLE_MAX = 231_000;

/** The Worker as wrangler bundles it, with nothing in the place of the console. */
async function withoutConsole(): Promise<Uint8Array> {
	const { outputFiles } = await build({
		entryPoints: ["src/index.ts"],
		bundle: true,
		minify: true,
		write: false,
		format: "esm",
		target: "es2024",
		conditions: ["workerd", "worker", "browser"],
		external: ["node:*", "fs"],
		plugins: [
			{
				name: "no-console",
				setup({ onLoad }) {
					onLoad({ filter: /src\/my\/routes\.tsx$/ }, () => ({
						contents: 'import { Hono } from "hono/tiny"; export const consoleRoutes = new Hono();',
						loader: "ts",
					}));
				},
			},
		],
	});
	return outputFiles[0]!.contents;
}

for (const { what, bytes, max } of [
	{ what: "The Worker", bytes: readFileSync("dist/index.js"), max: WITH_CONSOLE_MAX },
	{ what: "The Worker without its console", bytes: await withoutConsole(), max: WITHOUT_CONSOLE_MAX },
]) {
	const gzipped = gzipSync(bytes).length;
	console.log(`${what} is ${gzipped} bytes gzipped; at most ${max} are allowed.`);
	if (gzipped > max) process.exitCode = 1;
}
