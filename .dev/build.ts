/**
 * Builds all that is deployed, into dist/: the scripts of pages, which are bundled with the Worker, its static assets, and the Worker.
 * build-once.ts runs it.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build as bundle, type OutputFile } from "esbuild";
import { type PinnedFile, pinnedFile } from "../src/cli/pinned-field.ts";
import type { OpenApiDocument } from "../src/docs/openapi.ts";
import { allStyles } from "../src/forms/console-styles.ts";
import { TRANSPORT_SECURITY } from "../src/http/security-headers.ts";
import { type Language, languages } from "../src/languages/languages.ts";
import { messages } from "../src/languages/messages.ts";
import type { Messages } from "../src/languages/messages-en.ts";
import { type LanguageFile, messagesFile } from "../src/languages/read-messages.ts";
import { type MeasureUnit, type RegionalData, UNITS } from "../src/languages/regional.ts";
import { DOCS_CACHE_CONTROL, IMMUTABLE } from "../src/web/deployed-file-caching.ts";
import { COUNTRY_NAMES } from "../src/zones/naming.ts";
import { apiTypes } from "./api-types.ts";
import { bundleWorker } from "./worker.ts";

const root = path.join(import.meta.dirname, "..");
/** Scripts of pages that are files themselves, and of pages of the documentation, which hold theirs inline. */
const scriptFolders = { files: path.join(root, "src/web/browser"), inline: path.join(root, "src/docs/browser") };
const guidesFolder = path.join(root, "src/docs/guides");
const samplesFolder = path.join(root, "src/docs/samples");
const dist = path.join(root, "dist");

/** The folder of static assets (wrangler.toml). */
const assets = path.join(dist, "assets");

/** Where src/platform/data-file.ts reads from. */
const data = path.join(assets, "data");

/** Writes a file only where it changes, so that nobody who watches it starts again for nothing. */
function update(file: string, content: string | Buffer): void {
	mkdirSync(path.dirname(file), { recursive: true });
	const bytes = Buffer.from(content);
	if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
}

const scriptsOf = (folder: string) =>
	readdirSync(folder).flatMap((file) => (file.endsWith(".ts") ? [{ name: path.parse(file).name, folder }] : []));

/**
 * Makes the files of pages: each script for browsers with all that it imports, `name.ts`, becomes the asset `files/name-HASH.js`, and the
 * styles of the console one more. Their paths stand in `dist/browser/files.js`, with the one under which the field is pinned. Scripts of the
 * documentation become modules whose default is the script's text, `dist/browser/name.inline.js`.
 */
async function buildPageFiles({ field, given }: PinnedFields): Promise<void> {
	const inline = scriptsOf(scriptFolders.inline);
	const scripts = [...scriptsOf(scriptFolders.files), ...inline];
	const { outputFiles } = await bundle({
		entryPoints: Object.fromEntries(scripts.map(({ name, folder }) => [name, path.join(folder, name)])),
		outdir: path.join(dist, "browser"),
		// What the samples import, without the package that is built after this.
		alias: { "address-registry/client": path.join(root, "src/client/index.ts") },
		write: false,
		bundle: true,
		minify: true,
		format: "iife",
		target: "es2020",
		charset: "utf8",
		legalComments: "none",
	});
	const paths: Record<string, string> = {};
	const add = (name: string, type: string, text: string) => {
		const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
		paths[name] = `/files/${name}-${hash}.${type}`;
		update(path.join(assets, paths[name]), text);
	};
	add("console", "css", allStyles);
	for (const { path: file, text } of outputFiles) {
		const { name } = path.parse(file);
		if (inline.some((script) => script.name === name)) {
			if (/<\/script|<!--/i.test(text)) throw new Error(`${file} would end the element that holds it`);
			update(file.replace(/\.js$/, ".inline.js"), `export default ${JSON.stringify(text.trimEnd())};\n`);
		} else {
			add(name, "js", text);
		}
	}
	update(
		path.join(dist, "browser/files.js"),
		`export default ${JSON.stringify({ ...paths, "address-code": `/${field.name}`, "given-code": `/${given.name}` })};\n`,
	);
	for (const name of readdirSync(path.join(assets, "files"))) {
		if (!Object.values(paths).includes(`/files/${name}`)) rmSync(path.join(assets, "files", name));
	}
}

/** What the field of src/client/address-code.ts says, by language, in the order that it knows. */
function fieldTexts() {
	return Object.fromEntries(
		// In this order they are smallest once compressed.
		(Object.keys(messages) as Language[]).toReversed().map((language) => {
			const said = messages[language];
			const { pages, field } = said;
			const { codeField, codeMalformed, codeLetter, codeWrong } = pages;
			const answered = [pages.retired, pages.notFound].map(({ title }) => `${title}.`);
			const judged = [codeMalformed, codeLetter, codeWrong, ...answered, field.private, field.unchecked];
			const rest = [field.successor, field.ended, field.unlisted, field.give];
			return [language, [codeField, field.unit, said.console.attest.note, ...judged, ...rest].join("|")];
		}),
	);
}

/** What the field's script on other websites is bundled with, but for where it comes from. */
const OF_CLIENT = {
	// A field that a class only declares is left out.
	tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
	define: { FIELD_TEXTS: JSON.stringify(fieldTexts()) },
	bundle: true,
	format: "esm",
	legalComments: "none",
} satisfies BuildOptions;

const OF_OTHERS_PAGES = {
	...OF_CLIENT,
	outdir: assets,
	write: false,
	minify: true,
	target: "es2022",
	charset: "utf8",
} satisfies BuildOptions;

/** The scripts of the field under the names that never stand for other bytes. */
interface PinnedFields {
	field: PinnedFile;
	/** What the field loads once its button is pressed. */
	given: PinnedFile;
}

/** Bundles what other people's pages and programs load: each of src/client's entries becomes a module of the static assets. */
async function buildClient(): Promise<PinnedFields> {
	const second = await bundle({ ...OF_OTHERS_PAGES, entryPoints: [path.join(root, "src/client/given-code.ts")] });
	const [{ contents }] = second.outputFiles as [OutputFile];
	const given = pinnedFile("given-code", Buffer.from(contents));
	update(path.join(assets, given.name), Buffer.from(contents));
	const isOlder = (name: string) => /^given-code@/.test(name) && name !== given.name;
	for (const name of readdirSync(assets).filter(isOlder)) rmSync(path.join(assets, name));
	const { outputFiles } = await bundle({
		...OF_OTHERS_PAGES,
		entryPoints: {
			client: path.join(root, "src/client/index.ts"),
			"address-code": path.join(root, "src/client/address-code.ts"),
		},
		plugins: [
			{
				name: "the second script is loaded by its pinned name",
				setup: ({ onResolve }) =>
					onResolve({ filter: /\/given-code\.ts$/ }, () => ({ path: `./${given.name}`, external: true })),
			},
		],
	});
	for (const { path: file, text } of outputFiles) update(file, text);
	return { field: pinnedFile("address-code", readFileSync(path.join(assets, "address-code.js"))), given };
}

/** Bundles the package: the command that people run without this repository, the client and the field, as errors can show them in lines. */
async function buildPackage(): Promise<void> {
	await bundle({
		...OF_CLIENT,
		entryPoints: {
			"address-registry": path.join(root, "src/cli/address-registry.ts"),
			client: path.join(root, "src/client/index.ts"),
			"address-code": path.join(root, "src/client/address-code.ts"),
		},
		outdir: dist,
		platform: "node",
		target: "node20",
	});
}

/**
 * What the files are served with that the platform serves without the Worker (`run_worker_first` in wrangler.toml): what the Worker would
 * say. Each file of a page is named by itself, because a rule for all would let browsers keep that one is missing.
 */
function headersOfFixedFiles(): [path: string, headers: Record<string, string>][] {
	const common = { "X-Content-Type-Options": "nosniff", "Strict-Transport-Security": TRANSPORT_SECURITY };
	const open = {
		...common,
		"Access-Control-Allow-Origin": "*",
		"Access-Control-Expose-Headers": "*",
		"Cross-Origin-Resource-Policy": "cross-origin",
		"Cache-Control": DOCS_CACHE_CONTROL,
	};
	const ofPages = { ...common, "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": IMMUTABLE };
	return [
		...["client.js", "address-code.js", "vectors.csv"].map((name): [string, typeof open] => [`/${name}`, open]),
		...readdirSync(path.join(assets, "files")).map((name): [string, typeof ofPages] => [`/files/${name}`, ofPages]),
	];
}

/** Rules that the platform reads of `_headers`; it passes over the rest (developers.cloudflare.com/workers/static-assets/headers). */
const HEADER_RULES_MAX = 100;

/** Writes what src/docs makes: each file, and `_headers`, which says what each is served with. */
async function buildDocs({ field, given }: PinnedFields): Promise<void> {
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
	const guides = readdirSync(guidesFolder).map((name) => ({
		name: path.parse(name).name.toLowerCase(),
		markdown: readFileSync(path.join(guidesFolder, name), "utf8"),
	}));
	const samples = readdirSync(samplesFolder).map((name) => ({
		name,
		text: readFileSync(path.join(samplesFolder, name), "utf8")
			.replace("address-code@VERSION.js", field.name)
			.replace("sha384-DIGEST", field.integrity)
			.replace("given-code@VERSION.js", given.name)
			.replace("sha384-GIVEN", given.integrity),
	}));
	const changelog = readFileSync(path.join(root, ".github/CHANGELOG.md"), "utf8");
	const files = docsFiles(guides, samples, changelog);
	const document = JSON.parse(files.find(({ name }) => name === "openapi.json")?.text ?? "") as OpenApiDocument;
	update(path.join(dist, "api-types.d.ts"), apiTypes(document.components.schemas));
	for (const { name, text } of files) update(path.join(assets, name), text);
	const rules = [
		...headersOfFixedFiles(),
		...files
			.filter(({ headers }) => Object.keys(headers).length > 0)
			.map(({ name, headers }) => [`/${name.replace(/\.html$/, "")}`, headers] as const),
	].map(([file, headers]) =>
		[file, ...Object.entries(headers).map(([header, value]) => `  ${header}: ${value}`)].join("\n"),
	);
	if (rules.length > HEADER_RULES_MAX)
		throw new Error(`_headers has ${rules.length} rules, and ${HEADER_RULES_MAX} hold`);
	update(path.join(assets, "_headers"), `${rules.join("\n")}\n`);
}

/** Copies every `name.bin` of src to where src/platform/data-file.ts reads it. */
function copyDataFiles(): void {
	const source = path.join(root, "src");
	for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
		if (file.endsWith(".bin")) update(path.join(data, path.basename(file)), readFileSync(path.join(source, file)));
	}
}

/** What the file of a language holds; with what Node knows of it from the Unicode CLDR where Workers do not. */
function languageFile(language: Language, messages: Messages): LanguageFile {
	if (!("isUnknownToWorkers" in languages[language])) return { messages };
	const names = new Intl.DisplayNames([language], { type: "region" });
	const months = (month: "long" | "short") => {
		const format = new Intl.DateTimeFormat(language, { month, timeZone: "UTC" });
		return Array.from({ length: 12 }, (_, index) => format.format(Date.UTC(2026, index, 15)));
	};
	const unit = (name: MeasureUnit): [string, string] => {
		const unitDisplay = /^(day|minute)$/.test(name) ? "long" : "short";
		const format = new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay });
		return [format.format(1).replace("1", "{0}"), format.format(2).replace("2", "{0}")];
	};
	const regional: RegionalData = {
		months: { long: months("long"), short: months("short") },
		countries: Object.fromEntries(Object.keys(COUNTRY_NAMES).map((code) => [code, names.of(code) ?? code])),
		units: Object.fromEntries(UNITS.map((name) => [name, unit(name)])) as RegionalData["units"],
	};
	return { messages, regional };
}

/** Writes the messages of each language, for src/languages/read-messages.ts. */
function buildTranslations(): void {
	for (const language of Object.keys(messages) as Language[])
		update(path.join(data, messagesFile(language)), JSON.stringify(languageFile(language, messages[language])));
}

export async function build(): Promise<void> {
	const fields = await buildClient();
	await buildPageFiles(fields);
	await buildDocs(fields);
	await buildPackage();
	copyDataFiles();
	buildTranslations();
	// A copy of the published index, for a bucket that has none.
	update(path.join(assets, "world.zones"), readFileSync(path.join(root, "zones/world.zones")));
	await bundleWorker();
}
