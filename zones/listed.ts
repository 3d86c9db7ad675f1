/** Spreads the people of listed settlements: each evenly over a disc, on dry land of its own country. */
import { STEPS_PER_DEGREE, UNITS_PER_STEP } from "../src/zones/geometry.ts";
import { PEOPLE_PER_SQUARE_KM } from "../src/zones/locality.ts";
import {
	CELLS_A_SIDE,
	DEEPEST_LEVEL,
	keyOf,
	keyOfCell,
	rowOfKey,
	southOfRow,
	westOfColumn,
} from "../src/zones/morton.ts";
import { areaOfGridPoint, type World } from "./borders.ts";
import { cosine, KM_PER_DEGREE, latitudeOfRow, STEPS_A_COLUMN, STEPS_A_ROW } from "./earth.ts";
import type { Land } from "./land.ts";
import { type Tally, tallyOf } from "./population.ts";
import { SECTION, type Settlement } from "./settlements.ts";

/** If fewer than one in this many cells of a disc is dry, the map of land is too coarse for the islands there. */
const LEAST_DRY_SHARE = 5;

/** Grid point in the middle of a finest cell. */
export function middleOfFinestCell(column: number, row: number): [x: number, y: number] {
	return [
		Math.floor((westOfColumn(column) + westOfColumn(column + 1)) / 2),
		Math.floor((southOfRow(row) + southOfRow(row + 1)) / 2),
	];
}

/** The dry finest cells within a settlement's disc whose middle is in its area; its own cell if there are none. */
function cellsOf(settlement: Settlement, area: number, world: World, land: Land): number[] {
	const own = keyOf(settlement.x * UNITS_PER_STEP, settlement.y * UNITS_PER_STEP);
	const squaredRadius = settlement.population / PEOPLE_PER_SQUARE_KM / Math.PI;
	const kmPerRow = (KM_PER_DEGREE * STEPS_A_ROW) / STEPS_PER_DEGREE;
	const ownRow = rowOfKey(own);
	const reach = Math.ceil(Math.sqrt(squaredRadius) / kmPerRow);
	const column = settlement.x / STEPS_A_COLUMN + CELLS_A_SIDE / 2;
	const row = settlement.y / STEPS_A_ROW + CELLS_A_SIDE / 2;
	const dry: number[] = [];
	const all: number[] = [];
	for (let at = Math.max(0, ownRow - reach); at <= Math.min(CELLS_A_SIDE - 1, ownRow + reach); at++) {
		const north = (at + 0.5 - row) * kmPerRow;
		const squaredRest = squaredRadius - north * north;
		if (squaredRest < 0) continue;
		const kmPerColumn = ((KM_PER_DEGREE * STEPS_A_COLUMN) / STEPS_PER_DEGREE) * cosine(latitudeOfRow(at + 0.5));
		const half = Math.sqrt(squaredRest) / kmPerColumn;
		for (let across = Math.ceil(column - half - 0.5); across + 0.5 <= column + half; across++) {
			const wrapped = ((across % CELLS_A_SIDE) + CELLS_A_SIDE) % CELLS_A_SIDE;
			const key = keyOfCell(wrapped, at);
			if (areaOfGridPoint(world, ...middleOfFinestCell(wrapped, at)) !== area) continue;
			all.push(key);
			if (land.isDry(wrapped, at)) dry.push(key);
		}
	}
	if (all.length === 0) return [own];
	return dry.length * LEAST_DRY_SHARE < all.length ? all : dry;
}

/** The people of each area, at its number, by finest cells. */
export function spreadListed(byArea: ReadonlyArray<readonly Settlement[]>, world: World, land: Land): Tally[] {
	return byArea.map((settlements, area) => {
		const found: number[] = [];
		const counts: number[] = [];
		for (const settlement of settlements) {
			if (settlement.featureCode === SECTION) continue;
			const cells = cellsOf(settlement, area, world, land);
			const share = Math.floor(settlement.population / cells.length);
			let left = settlement.population - share * cells.length;
			for (const key of cells) {
				found.push(key);
				counts.push(share + (left-- > 0 ? 1 : 0));
			}
		}
		return tallyOf(DEEPEST_LEVEL, found, counts);
	});
}
