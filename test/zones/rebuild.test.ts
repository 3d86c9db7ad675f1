import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../zones/compile.ts";
import { type CountryFigures, planWorld } from "../../zones/plan.ts";
import { figuresTable } from "../../zones/report.ts";
import { publishedEdition } from "./shared.ts";
import { INDEX_FILE, readIndexFile } from "./support.ts";

const README_FILE = `${import.meta.dirname}/../../zones/README.md`;

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("the published index is the one its checksum names", () => {
	expect(readFileSync(`${INDEX_FILE}.sha256`, "utf8")).toBe(`${sha256(readIndexFile())}  world.zones\n`);
});

test("a rebuild gives the same bytes, and at least 95 % of people a zone with a name of its own, at most 5 % one without", async () => {
	const edition = await publishedEdition();
	const { edition: number, editionBefore } = edition.directory;
	// An edition that is numbered afresh comes from the sources alone.
	const before = editionBefore === 0 ? undefined : edition.countries;
	const { plan, figures } = planWorld({ before });
	expect(sha256(compile(plan, { edition: number, before: editionBefore }))).toBe(sha256(readIndexFile()));
	expect(readFileSync(README_FILE, "utf8")).toContain(figuresTable(figures));
	const sum = (of: (country: CountryFigures) => number) => figures.reduce((total, country) => total + of(country), 0);
	const people = sum((country) => country.people);
	expect(people).toBeGreaterThan(8e9);
	expect(sum(({ nameless }) => nameless) / people).toBeLessThan(0.05);
	expect(sum(({ nameless, sharing }) => nameless + sharing) / people).toBeLessThan(0.05);
}, 300_000);
