import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { editionName } from "../../src/zones/format.ts";
import { compile } from "../../zones/compile.ts";
import { planWorld } from "../../zones/plan.ts";
import { figuresTable } from "../../zones/report.ts";
import { NAMES_HEAD } from "../../zones/studies/name-quality.ts";
import { REGIONS_HEAD, WORDS_HEAD } from "../../zones/studies/word-quality.ts";
import { surveyListed } from "../../zones/survey.ts";
import { publishedEdition } from "./shared.ts";
import { INDEX_FILE, readIndexFile } from "./support.ts";

const README_FILE = `${import.meta.dirname}/../../zones/README.md`;

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("the published index is the one its checksum names", () => {
	expect(readFileSync(`${INDEX_FILE}.sha256`, "utf8")).toBe(`${sha256(readIndexFile())}  world.zones\n`);
});

test("figures by persons are those that the command wrote of the published index", async () => {
	const readme = readFileSync(README_FILE, "utf8");
	const name = editionName((await publishedEdition()).directory);
	for (const [section, head] of [
		["names", NAMES_HEAD],
		["regions", REGIONS_HEAD],
		["persons", WORDS_HEAD],
	])
		expect(readme, `${section}: run npm run zones:simulate -- --readme, as the text above the table says`).toContain(
			`<!-- ${section}: written by npm run zones:simulate -->\nOf edition ${name}:\n\n${head}\n|`,
		);
	const { odblCountries } = surveyListed();
	const rows = [...readme.matchAll(/^\| (\w\w) \| (OpenStreetMap|Natural Earth) \|/gm)];
	expect(rows.length).toBeGreaterThan(40);
	for (const [, country = "", lines] of rows)
		expect(lines, country).toBe(odblCountries.includes(country) ? "OpenStreetMap" : "Natural Earth");
});

test("a rebuild gives the same bytes and the same figures", async () => {
	const edition = await publishedEdition();
	const { edition: number, editionBefore } = edition.directory;
	// An edition that is numbered afresh comes from the sources alone.
	const before = editionBefore === 0 ? undefined : edition.countries;
	const { plan, figures } = planWorld({ before });
	expect(sha256(compile(plan, { edition: number, before: editionBefore }))).toBe(sha256(readIndexFile()));
	expect(readFileSync(README_FILE, "utf8")).toContain(figuresTable(figures));
	expect(figures.reduce((sum, { people }) => sum + people, 0)).toBeGreaterThan(8e9);
});
