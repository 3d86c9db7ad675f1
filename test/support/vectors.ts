import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * The rows of a file of test/vectors: fields separated by " | ", of which one in quotes is JSON. Lines that begin with # are remarks.
 * @param name Without its ending.
 */
export function vectors<Row extends string[]>(name: string): Row[] {
	return rowsOf(readFileSync(path.join(import.meta.dirname, `../vectors/${name}.csv`), "utf8"));
}

/** The same of the text of such a file. */
export function rowsOf<Row extends string[]>(text: string): Row[] {
	return text
		.split("\n")
		.filter((line) => line !== "" && !line.startsWith("#"))
		.map((line) => line.split(" | ").map((field) => (field.startsWith('"') ? JSON.parse(field) : field)) as Row);
}
