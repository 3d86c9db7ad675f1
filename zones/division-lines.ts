/** Reads the lines of first-level divisions from divisions.lines and divisions-odbl.lines. */
import { readFileSync } from "node:fs";

/**
 * The file of Natural Earth's lines, one per line of text: the numbers of two divisions and then points, the first absolute and each other
 * as the difference from the one before. Lines that begin with # are remarks.
 */
export const DIVISION_LINES = `${import.meta.dirname}/divisions.lines`;
/** The file of OpenStreetMap's lines, under the Open Database License. Its divisions have numbers of their own. */
export const ODBL_LINES = `${import.meta.dirname}/divisions-odbl.lines`;

/** A line between two divisions. */
export interface DivisionLine {
	/** the divisions on its sides, in no order; 0 means none */
	sides: [number, number];
	/** lattice points of 1e-5 degree */
	points: Array<[x: number, y: number]>;
}

export function readDivisionLines(file: string): DivisionLine[] {
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	return lines
		.filter((line) => !line.startsWith("#"))
		.map((line) => {
			const [a = "", b = "", ...steps] = line.split(" ");
			let [x, y] = [0, 0];
			const points = steps.map((step): [number, number] => {
				const [east = 0, north = 0] = step.split(",").map(Number);
				[x, y] = [x + east, y + north];
				return [x, y];
			});
			return { sides: [Number(a), Number(b)], points };
		});
}
