/** Compares the ground that zone numbers have in two editions. */
import type { GridBox } from "../src/zones/morton.ts";
import { zoneName } from "../src/zones/naming.ts";
import { type Edition, type EditionZone, zoneAt } from "./edition.ts";

/** Points along each side of a box at which two outlines are compared. */
const POINTS_A_SIDE = 40;
/** Share of the points in either of two official zones that must be in both for their ground to be the same. */
const LEAST_SHARED = 0.98;

/** A zone number of a country whose ground differs between two editions. */
export interface Difference {
	country: string;
	number: number;
	/** the name that it has, or had */
	name: string;
	kind: /** it was no zone's number, or it was retired */
		| "added"
		/** no zone has it any more */
		| "gone"
		/** it is another zone's */
		| "moved";
}

function around(a: GridBox, b: GridBox): GridBox {
	return {
		south: Math.min(a.south, b.south),
		west: Math.min(a.west, b.west),
		north: Math.max(a.north, b.north),
		east: Math.max(a.east, b.east),
	};
}

/** Whether a number has the same ground in two editions: the same cell, or nearly the same points. */
function hasSameGround(older: Edition, newer: Edition, country: string, was: EditionZone, is: EditionZone): boolean {
	if (was.cell && is.cell) return was.cell.key === is.cell.key && was.cell.level === is.cell.level;
	const { south, west, north, east } = around(was.box, is.box);
	const holds = (edition: Edition, { number }: EditionZone, x: number, y: number) => {
		const found = zoneAt(edition, x, y);
		return found?.zone === number && found.country === country;
	};
	let [both, either] = [0, 0];
	for (let up = 0; up < POINTS_A_SIDE; up++) {
		const y = Math.floor(south + ((up + 0.5) / POINTS_A_SIDE) * (north - south));
		for (let across = 0; across < POINTS_A_SIDE; across++) {
			const x = Math.floor(west + ((across + 0.5) / POINTS_A_SIDE) * (east - west));
			const [before, after] = [holds(older, was, x, y), holds(newer, is, x, y)];
			if (before || after) either += 1;
			if (before && after) both += 1;
		}
	}
	return both >= either * LEAST_SHARED && (either > 0 || sameBox(was.box, is.box));
}

function sameBox(a: GridBox, b: GridBox): boolean {
	return a.south === b.south && a.west === b.west && a.north === b.north && a.east === b.east;
}

/** Every number whose ground differs, ordered by country and number; of all countries unless some are given. */
export function differences(
	older: Edition,
	newer: Edition,
	countries: readonly string[] = [...new Set([...older.countries.keys(), ...newer.countries.keys()])].sort(),
): Difference[] {
	const found: Difference[] = [];
	for (const country of countries) {
		const before = older.countries.get(country)?.zones ?? new Map<number, EditionZone>();
		const after = newer.countries.get(country)?.zones ?? new Map<number, EditionZone>();
		for (const number of [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b)) {
			const [was, is] = [before.get(number), after.get(number)];
			if (was && is && hasSameGround(older, newer, country, was, is)) continue;
			const kind = was && is ? "moved" : was ? "gone" : "added";
			const { place, suffix } = (is ?? was)!.name;
			found.push({ country, number, name: zoneName(place, suffix), kind });
		}
	}
	return found;
}
