import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../zones/compile.ts";
import { readEdition } from "../../zones/edition.ts";
import { planWorld } from "../../zones/plan.ts";
import { INDEX_FILE, readIndexFile } from "./support.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("the published index is the one its checksum names", () => {
	expect(readFileSync(`${INDEX_FILE}.sha256`, "utf8")).toBe(`${sha256(readIndexFile())}  world.zones\n`);
});

test("a rebuild gives the same bytes", async () => {
	const edition = await readEdition(readIndexFile());
	const { edition: number, editionBefore } = edition.directory;
	// An edition that is numbered afresh comes from the sources alone.
	const before = editionBefore === 0 ? undefined : edition.countries;
	const rebuilt = compile(planWorld({ before }).plan, { edition: number, before: editionBefore });
	expect(sha256(rebuilt)).toBe(sha256(readIndexFile()));
}, 300_000);
