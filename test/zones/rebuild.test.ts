import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../zones/compile.ts";
import { planWorld } from "../../zones/plan.ts";
import { figuresTable } from "../../zones/report.ts";
import { publishedEdition } from "./shared.ts";
import { INDEX_FILE, readIndexFile } from "./support.ts";

const README_FILE = `${import.meta.dirname}/../../zones/README.md`;

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("the published index is the one its checksum names", () => {
	expect(readFileSync(`${INDEX_FILE}.sha256`, "utf8")).toBe(`${sha256(readIndexFile())}  world.zones\n`);
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
