import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { checkCharacter } from "../../src/codes/check-digit.ts";
import { normalizeCode, parseCode } from "../../src/codes/code.ts";

const assets = path.join(import.meta.dirname, "../../dist/assets");

/** What the field loads once its button is pressed. */
const given = readdirSync(assets).find((name) => name.startsWith("given-code@")) ?? "";

describe("what other people's pages load", () => {
	it.each([
		["client.js", 4000, []],
		["address-code.js", 7000, [given]],
		[given, 700, []],
	])("%s has at most %i bytes gzipped, and imports nothing but %j, once it is asked for", (name, bytesMax, later) => {
		const text = readFileSync(path.join(assets, name));
		// By gzip itself: what Node's own zlib makes is 2 % larger.
		expect(execFileSync("gzip", ["-9"], { input: text }).length).toBeLessThanOrEqual(bytesMax);
		const rest = later.reduce((code, file) => code.replace(`import("./${file}")`, ""), text.toString());
		expect(rest).not.toMatch(/\bimport\s*[("']|\bfrom\s*"/);
	});
});

describe("/vectors.csv", () => {
	const [header = "", ...rows] = readFileSync(path.join(assets, "vectors.csv"), "utf8").trimEnd().split("\r\n");
	const names = header.split(",");

	it("has 2,000 codes, whose countries use every letter in both places", () => {
		expect(new Set(rows.map((row) => row.split(",")[0])).size).toBe(2000);
		for (const place of [0, 1]) expect(new Set(rows.map((row) => row[place])).size).toBe(26);
	});

	it("spells each code so that it reads as the same, and mistypes it so that it is refused", () => {
		for (const row of rows) {
			const cells = row.split(",");
			expect(cells).toHaveLength(names.length);
			const [canonical = ""] = cells;
			expect(checkCharacter(canonical.slice(0, -1))).toBe(canonical.slice(-1));
			for (const spelling of cells.slice(0, -1)) expect(normalizeCode(spelling)).toBe(canonical);
			expect(() => parseCode(cells.at(-1) ?? "")).toThrow("BAD_CHECK_DIGIT");
		}
	});
});
