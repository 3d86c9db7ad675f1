import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { plusCode } from "../../src/codes/plus-code.ts";
import { seededRandom } from "../support/random.ts";

const vectors = readFileSync(`${import.meta.dirname}/../vectors/plus-code-11.csv`, "utf8")
	.split("\n")
	.filter((line) => line && !line.startsWith("#"))
	.map((line) => line.split(",") as [string, string, string]);

it("has the 32 official vectors of 11 digits", () => {
	expect(vectors).toHaveLength(32);
});

it.each(vectors)("%s, %s is %s", (lat, lng, code) => {
	expect(plusCode(Number(lat), Number(lng))).toBe(code);
});

/** The specification's encoding in integers, from hundred-thousandths of a degree, which 11-digit cells divide exactly: no package, no floating point. */
function oracle(lat: number, lng: number): string {
	const alphabet = "23456789CFGHJMPQRVWX";
	const row = Math.floor(((lat + 9_000_000) * 40_000) / 100_000);
	const column = Math.floor(((lng + 18_000_000) * 32_000) / 100_000);
	let pairRow = Math.floor(row / 5);
	let pairColumn = Math.floor(column / 4);
	let code = alphabet[(row % 5) * 4 + (column % 4)] ?? "";
	for (let pair = 0; pair < 5; pair += 1) {
		code = `${alphabet[pairRow % 20]}${alphabet[pairColumn % 20]}${code}`;
		pairRow = Math.floor(pairRow / 20);
		pairColumn = Math.floor(pairColumn / 20);
	}
	return `${code.slice(0, 8)}+${code.slice(8)}`;
}

it("is right for ordinary five-decimal coordinates, which fall on cell edges", () => {
	const random = seededRandom(5);
	const wrong: string[] = [];
	for (let count = 0; count < 40_000; count += 1) {
		const lat = Math.floor(random() * 18_000_000) - 9_000_000;
		const lng = Math.floor(random() * 36_000_000) - 18_000_000;
		if (plusCode(lat / 1e5, lng / 1e5) !== oracle(lat, lng)) wrong.push(`${lat / 1e5}, ${lng / 1e5}`);
	}
	expect(wrong).toEqual([]);
});

it.each([
	[90, 180, "C2X2X2X2+X2R"],
	[-90, -180, "22222222+222"],
	[0, 0, "6FG22222+222"],
	[-0, -0, "6FG22222+222"],
	[1e-7, -1e-7, "6CGX2X2X+2X5"],
])("reads the edge %s, %s", (lat, lng, code) => {
	expect(plusCode(lat, lng)).toBe(code);
});
