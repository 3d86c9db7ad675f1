/**
 * Builds what the Worker has besides its own code, into dist/: the scripts of pages, which are bundled with it, and its static assets. wrangler
 * runs it before it bundles (wrangler.toml), and vitest before the tests of the Worker.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build as bundle } from "esbuild";
import { consoleMessages } from "../src/my/messages.ts";
import { pageMessages } from "../src/web/messages.ts";
import { type Speaker, translatedLanguages, translationFile, writeMessages } from "../src/web/translations.ts";

const root = path.join(import.meta.dirname, "..");
const scripts = path.join(root, "src/web/browser");
const dist = path.join(root, "dist");

/** The folder of static assets (wrangler.toml). */
const assets = path.join(dist, "assets");

/** Where src/data-file.ts reads from. */
const data = path.join(assets, "data");

/** Writes a file only where it changes, so that nobody who watches it starts anew for nothing. */
function update(file: string, content: string | Buffer): void {
	mkdirSync(path.dirname(file), { recursive: true });
	const bytes = Buffer.from(content);
	if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
}

/**
 * Bundles each script for browsers with all that it imports, as a module whose default is the script's text, for a page to hold inline:
 * `name.ts` becomes `dist/browser/name.inline.js`.
 */
async function buildBrowserScripts(): Promise<void> {
	const names = readdirSync(scripts).filter((name) => name.endsWith(".ts"));
	const { outputFiles } = await bundle({
		entryPoints: names.map((name) => path.join(scripts, name)),
		outdir: path.join(dist, "browser"),
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

/** Writes what src/docs makes: each file, and `_headers`, which says what each is served with. */
async function buildDocs(): Promise<void> {
	const outfile = path.join(dist, "docs.js");
	await bundle({
		entryPoints: [path.join(root, "src/docs/files.ts")],
		outfile,
		bundle: true,
		packages: "external",
		platform: "node",
		format: "esm",
	});
	const { docsFiles } = (await import(pathToFileURL(outfile).href)) as typeof import("../src/docs/files.ts");
	const files = docsFiles();
	for (const { name, text } of files) update(path.join(assets, name), text);
	const headers = files
		.filter(({ headers }) => Object.keys(headers).length > 0)
		.map(({ name, headers }) =>
			[
				`/${name.replace(/\.html$/, "")}`,
				...Object.entries(headers).map(([header, value]) => `  ${header}: ${value}`),
			].join("\n"),
		);
	update(path.join(assets, "_headers"), `${headers.join("\n")}\n`);
}

/** Copies every `name.bin` of src to where src/data-file.ts reads it. */
function copyDataFiles(): void {
	const source = path.join(root, "src");
	for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
		if (file.endsWith(".bin")) update(path.join(data, path.basename(file)), readFileSync(path.join(source, file)));
	}
}

/** Writes the messages of each language that the Worker does not hold itself, for src/web/translations.ts. */
function buildTranslations(): void {
	const said = { pages: pageMessages, console: consoleMessages } satisfies Record<Speaker, object>;
	for (const [speaker, messages] of Object.entries(said)) {
		for (const language of translatedLanguages)
			update(path.join(data, translationFile(speaker as Speaker, language)), writeMessages(messages[language]));
	}
}

/** Builds everything. */
export async function build(): Promise<void> {
	await buildBrowserScripts();
	await buildDocs();
	copyDataFiles();
	buildTranslations();
	// A copy of the published index, for a bucket that has none.
	update(path.join(assets, "world.zones"), readFileSync(path.join(root, "zones/world.zones")));
}

if (process.argv[1] === import.meta.filename) await build();
