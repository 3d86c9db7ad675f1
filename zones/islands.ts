/** Reads islands.csv: inhabited islands that the sources lack. */
import { readFileSync } from "node:fs";
import { lazy } from "../src/schemas/lazy.ts";
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { pointOfRow, readTable } from "./table.ts";

interface Island {
	name: string;
	/** the country to which the sea around it is given; "" if the border source has an outline there */
	country: string;
	/** lattice point of 1e-5 degree */
	x: number;
	y: number;
}

/** How far from an island, in lattice steps, the sea is given to its country along either axis. */
const REACH_STEPS = STEPS_PER_DEGREE / 10;

export const readIslands = lazy((): readonly Island[] => {
	const columns = ["lat", "lng", "country", "name", "reason"] as const;
	const text = readFileSync(`${import.meta.dirname}/islands.csv`, "utf8");
	return readTable(text, "zones/islands.csv", columns).map((row) => {
		const { lat, lng } = pointOfRow(row);
		const { name, country, reason } = row.cells;
		if (reason === "") throw new Error(`${row.where}: give the reason`);
		return { name, country, x: Math.round(lng * STEPS_PER_DEGREE), y: Math.round(lat * STEPS_PER_DEGREE) };
	});
});

/** The outline around an island, counter-clockwise. */
export function outlineOfIsland({ x, y }: Island): number[] {
	const [west, south, east, north] = [x - REACH_STEPS, y - REACH_STEPS, x + REACH_STEPS, y + REACH_STEPS];
	return [west, south, east, south, east, north, west, north];
}
