/** The lines of first-level divisions as they are kept in divisions.lines. */
import { readFileSync } from "node:fs";

/** Where they are kept: a line of text each, two numbers of divisions and then points, the first as it is and others as steps from the one before. */
export const DIVISION_LINES = `${import.meta.dirname}/divisions.lines`;

/** A line between two divisions. */
export interface DivisionLine {
	/** the divisions at its sides, in no order; 0 is none */
	sides: [number, number];
	/** lattice points of 1e-5 degree */
	points: Array<[x: number, y: number]>;
}

export function readDivisionLines(): DivisionLine[] {
	const lines = readFileSync(DIVISION_LINES, "utf8").trimEnd().split("\n");
	return lines.map((line) => {
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
