/**
 * Writes the sections of src/docs/guides that follow from the code: `npm run guides:build`. A section stands between `<!-- name -->` and
 * `<!-- end of name -->`. test/unit/guides.test.ts holds what is committed to it.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Metafile } from "esbuild";
import * as z from "zod/mini";
import { batchItemSchema } from "../src/addresses/schemas.ts";
import { FURTHER_FIELDS } from "../src/addresses/texts.ts";
import { type Estimate, estimate, nameOfPart, number, USUAL } from "../src/cli/cost.ts";
import { limitSettingsTable, limitsTable } from "../src/docs/limits.ts";
import { languages } from "../src/languages/languages.ts";

const root = path.join(import.meta.dirname, "..");
const folder = path.join(root, "src/docs/guides");

function readJson<Value>(file: string): Value {
	return JSON.parse(readFileSync(path.join(root, file), "utf8")) as Value;
}

function table(heads: string[], rows: string[][]): string {
	return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

interface Package {
	version: string;
	license: string;
	author?: string | { name?: string };
	main?: string;
}

/** Whose the work is: the first line about copyright in a package's licence or code, or else its author. */
function copyrightOf(name: string, { author = {}, main = "" }: Package): string {
	const files = ["LICENSE", "LICENSE.md", "LICENSE.txt", main].map((file) =>
		path.join(root, "node_modules", name, file),
	);
	const lines = files
		.filter((file) => existsSync(file) && statSync(file).isFile())
		.flatMap((file) => /\bCopyright (?:\(c\) )?\d.*$/im.exec(readFileSync(file, "utf8")) ?? []);
	const named = typeof author === "string" ? author : author.name;
	const line = lines[0] ?? `Copyright ${named ?? `the contributors to ${name}`}`;
	return line.replace(/ *<.*>|\.? All rights reserved\.$|\.$/g, "");
}

/** The npm packages that are bundled with the Worker, and with its pages, with their licences. */
function packagesTable(): string {
	const { inputs } = readJson<Metafile>("dist/worker/meta.json");
	const bundled = Object.keys(inputs).flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
	const rows = [...new Set([...bundled, "papaparse"])].sort().map((name) => {
		const described = readJson<Package>(`node_modules/${name}/package.json`);
		const link = `[${name}](https://www.npmjs.com/package/${name})`;
		return [link, described.version, copyrightOf(name, described), described.license];
	});
	return table(["package", "version", "copyright", "licence"], rows);
}

/** What a registry of three sizes costs in a month. */
function costTable(): string {
	const sizes = [1_000_000, 65_000_000, 1_000_000_000];
	const estimates = sizes.map((size) => estimate(size, USUAL));
	const row = (name: string, text: (of: Estimate) => string) => [name, ...estimates.map(text)];
	return table(
		["a month", ...sizes.map((size) => `${number(size)} addresses`)],
		[
			row("accounts", ({ accounts }) => number(accounts)),
			row("GB of addresses", ({ bytesOf }) => number(bytesOf.addresses / 1e9, 1)),
			row("GB of accounts", ({ bytesOf }) => number(bytesOf.accounts / 1e9, 1)),
			row("databases of at most 8 GB", ({ databases }) => number(databases)),
			row("million requests", ({ requests }) => number(requests / 1e6, 1)),
			...Object.keys(estimates[0]!.parts).map((part) =>
				row(nameOfPart(part), ({ parts }) => `$${number(parts[part as keyof typeof parts], 2)}`),
			),
			row("in all", ({ total }) => `$${number(total)}`),
		],
	);
}

/** The languages of pages and of the field for other websites. */
function languagesSentence(): string {
	const names = new Intl.DisplayNames("en", { type: "language" });
	const listed = new Intl.ListFormat("en-GB").format(
		Object.keys(languages).map((language) => names.of(language) ?? language),
	);
	return `The field speaks ${listed}.\n`;
}

/** What a line of a file of points may say of its point, in the words of the documentation of the API. */
function columnsTable(): string {
	const shape: Record<string, z.core.$ZodType> = batchItemSchema().def.shape;
	const rows = FURTHER_FIELDS.map((name) => {
		const schema = shape[name] as z.ZodMiniDefault;
		const described = z.globalRegistry.get(schema) ?? z.globalRegistry.get(schema.def.innerType);
		return [`\`${name}\``, `${described?.description}`];
	});
	return table(["column", "what it holds"], rows);
}

const sections: Record<string, () => string> = {
	"columns of points": columnsTable,
	languages: languagesSentence,
	packages: packagesTable,
	cost: costTable,
	limits: () => table(["what", "counted by", "quota", "past it"], limitsTable),
	"limit settings": () => table(["name", "kind", "default", "meaning"], limitSettingsTable),
};

/** A guide with its sections as the code has them by now. */
export function withSections(markdown: string): string {
	return markdown.replace(
		/^<!-- ([a-z ]+) -->\n[\s\S]*?^<!-- end of \1 -->$/gm,
		(_, name: string) => `<!-- ${name} -->\n${sections[name]?.()}<!-- end of ${name} -->`,
	);
}

if (process.argv[1] === import.meta.filename) {
	for (const name of readdirSync(folder)) {
		const file = path.join(folder, name);
		writeFileSync(file, withSections(readFileSync(file, "utf8")));
	}
}
