/**
 * Builds what the Worker carries besides its own code, into dist/. wrangler runs it before it bundles (wrangler.toml), and vitest before the
 * tests of the Worker.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build as bundle } from "esbuild";

const root = path.join(import.meta.dirname, "..");
const scripts = path.join(root, "src/web/browser");
const out = path.join(root, "dist/browser");

/** Writes a file only where it changes, so that nobody who watches it starts anew for nothing. */
function update(file: string, text: string): void {
	mkdirSync(path.dirname(file), { recursive: true });
	try {
		if (readFileSync(file, "utf8") === text) return;
	} catch {
		// There is none yet.
	}
	writeFileSync(file, text);
}

/**
 * Bundles each script for browsers with all that it imports, as a module whose default is the script's text, for a page to hold inline:
 * `name.ts` becomes `dist/browser/name.inline.js`.
 */
export async function buildBrowserScripts(): Promise<void> {
	const names = readdirSync(scripts).filter((name) => name.endsWith(".ts"));
	const { outputFiles } = await bundle({
		entryPoints: names.map((name) => path.join(scripts, name)),
		outdir: out,
		write: false,
		bundle: true,
		minify: true,
		format: "iife",
		target: "es2020",
		charset: "utf8",
		legalComments: "none",
	});
	for (const { path: file, text } of outputFiles) {
		if (/<\/script|<!--/i.test(text)) throw new Error(`${file} would end the element that holds it`);
		update(file.replace(/\.js$/, ".inline.js"), `export default ${JSON.stringify(text.trimEnd())};\n`);
	}
}

if (process.argv[1] === import.meta.filename) await buildBrowserScripts();
