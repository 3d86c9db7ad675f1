/** Single persons of a country, for studies that ask an index about each of them. */
import { UNITS_PER_STEP } from "../../src/zones/geometry.ts";
import { columnOfKey, columnsAt, lastAtOrBefore, rowOfKey, rowsAt } from "../../src/zones/morton.ts";
import type { Land } from "../land.ts";
import { middleOfFinestCell } from "../listed.ts";
import { type People, totalOf } from "../population.ts";
import type { Point } from "../regions.ts";

/** Points along each side of a cell of unlisted people that they are laid on. */
const POINTS_A_SIDE = 4;

/** Grid points that unlisted people of a cell are laid on: those on dry land, or all of them. */
export function pointsInCell(key: number, level: number, land: Land): Array<[x: number, y: number]> {
	const [columns, rows] = [columnsAt(level), rowsAt(level)];
	const steps = Math.min(POINTS_A_SIDE, columns);
	const points = Array.from({ length: steps * steps }, (_, point): [number, number] => [
		columnOfKey(key) + Math.floor((((point % steps) + 0.5) * columns) / steps),
		rowOfKey(key) + Math.floor(((Math.floor(point / steps) + 0.5) * rows) / steps),
	]);
	const dry = points.filter(([column, row]) => land.isDry(column, row));
	return (dry.length > 0 ? dry : points).map(([column, row]) => middleOfFinestCell(column, row));
}

/**
 * So many persons of a country, at lattice points of 1e-5 degree: each stands for as many. They are in the order of Morton keys, those of listed
 * settlements first, and the same at every call.
 * @param skip Which person of each so many it is: from 0 up to 1, for another draw.
 */
export function drawPersons({ listed, unlisted }: People, count: number, land: Land, skip = 0.5): Point[] {
	const inListed = totalOf(listed);
	const all = inListed + totalOf(unlisted);
	if (all === 0) return [];
	return Array.from({ length: count }, (_, at) => {
		const person = ((at + skip) / count) * all;
		const tally = person < inListed ? listed : unlisted;
		const number = person < inListed ? person : person - inListed;
		const cell = lastAtOrBefore(tally.before, number, 0, tally.keys.length);
		const key = tally.keys[cell]!;
		const [from, to] = [tally.before[cell]!, tally.before[cell + 1]!];
		const points =
			tally === listed
				? [middleOfFinestCell(columnOfKey(key), rowOfKey(key))]
				: pointsInCell(key, unlisted.level, land);
		const [x, y] = points[Math.floor(((number - from) / (to - from)) * points.length)]!;
		return { x: Math.round(x / UNITS_PER_STEP), y: Math.round(y / UNITS_PER_STEP) };
	});
}
