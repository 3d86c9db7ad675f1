/** Reads the wards of a file, which are to become zones, and numbers them. */
import { UsageError } from "../src/cli/command.ts";
import { gridX, gridY, keyOf } from "../src/zones/morton.ts";
import { ZONE_NUMBERS } from "../src/zones/naming.ts";
import { BoundaryError } from "./faults.ts";
import { property } from "./official.ts";
import { isObject, positionsOf } from "./official-geometry.ts";

/** Wards are spaced over the numbers below this, so that one that fills up finds a free number next to its own; the others are for ground that no ward covers. */
const NUMBERS_FOR_WARDS = 8000;
/** How many in ten of the free numbers in a country with addresses may go to wards. The others are for zones that fill up. */
const TENTHS_FOR_WARDS = 9;

/** The last longitude west of the antimeridian, in degrees. */
const LAST_LNG = 179.9999999;

/** A ward that is to become a zone. */
export interface Ward {
	/** Morton key of the middle of its box */
	key: number;
	name: unknown;
	/** its first-level division; undefined if the file does not say */
	region: unknown;
	geometry: unknown;
}

/**
 * Morton key of the middle of the box around a geometry; undefined if it has no positions that are coordinates. The box of a geometry on
 * both sides of the antimeridian crosses it, and its middle is taken on the side where most of the country is, like its neighbours'.
 * @param isEast Whether most of the country is east of Greenwich.
 */
export function middleKey(geometry: { coordinates?: unknown }, isEast: boolean): number | undefined {
	const positions = [...positionsOf(geometry.coordinates)];
	const isInWorld = positions.every(([lng, lat]) => Math.abs(lng!) <= 180 && Math.abs(lat!) <= 90);
	if (positions.length === 0 || !isInWorld) return undefined;
	const boxAround = (values: readonly number[]) =>
		values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)] as const, [
			Infinity,
			-Infinity,
		] as const);
	const lngs = positions.map(([lng]) => lng!);
	const [west, east] = boxAround(lngs);
	const [westAcross, eastAcross] = boxAround(lngs.map((lng) => (lng < 0 ? lng + 360 : lng)));
	const isAcross = eastAcross - westAcross < east - west;
	const middle = isAcross ? (westAcross + eastAcross) / 2 : (west + east) / 2;
	const side = isAcross && isEast ? Math.min(middle, LAST_LNG) : isAcross ? Math.max(middle, 180) : middle;
	const [south, north] = boxAround(positions.map(([, lat]) => lat!));
	return keyOf(gridX(side >= 180 ? side - 360 : side), gridY((south + north) / 2));
}

/** The first longitude of each feature. */
function lngsOf(features: readonly unknown[]): number[] {
	return features.flatMap((feature) => {
		const geometry = isObject(feature) && isObject(feature.geometry) ? feature.geometry : {};
		for (const [lng = 0] of positionsOf(geometry.coordinates)) return [lng];
		return [];
	});
}

/** The polygons among features. Exports of OpenStreetMap contain points and lines too. */
export function wardsOf(
	features: readonly unknown[],
	{ name: nameProperty, region }: { name: string; region: string },
	file: string,
): Ward[] {
	const isEast = lngsOf(features).reduce((sum, lng) => sum + Math.sign(lng), 0) >= 0;
	const wards = features.flatMap((feature): Ward[] => {
		if (!isObject(feature) || !isObject(feature.geometry)) return [];
		const { geometry } = feature;
		if (geometry.type !== "Polygon" && geometry.type !== "MultiPolygon") return [];
		const key = middleKey(geometry, isEast);
		const properties = isObject(feature.properties) ? feature.properties : {};
		return key === undefined
			? []
			: [{ key, name: property(properties, nameProperty), region: property(properties, region), geometry }];
	});
	if (wards.length === 0) throw new BoundaryError(`${file}: it has no polygon with coordinates in degrees`);
	if (wards.length > ZONE_NUMBERS) {
		throw new BoundaryError(
			`${file}: it has ${wards.length} polygons, and a country has ${ZONE_NUMBERS} numbers: join some`,
		);
	}
	if (wards.every(({ name }) => name === undefined)) {
		const known = new Set(
			features.flatMap((feature) =>
				isObject(feature) && isObject(feature.properties) ? Object.keys(feature.properties) : [],
			),
		);
		throw new UsageError(
			`No polygon has a property ${nameProperty}. Name one of these with --name: ${[...known].join(", ")}.`,
		);
	}
	return wards.sort((a, b) => a.key - b.key);
}

/** Numbers for that many wards along the curve, in a country without addresses. */
export function numbersAfresh(wards: number): number[] {
	const span = wards <= NUMBERS_FOR_WARDS ? NUMBERS_FOR_WARDS : ZONE_NUMBERS;
	return Array.from({ length: wards }, (_, at) => Math.floor((at * span) / wards));
}

/**
 * Numbers for that many wards along the curve, among those that have never been used.
 * @throws BoundaryError that says how many fit.
 */
export function numbersAmong(free: readonly number[], wards: number, file: string): number[] {
	const most = Math.floor((free.length * TENTHS_FOR_WARDS) / 10);
	if (wards <= most) return Array.from({ length: wards }, (_, at) => free[Math.floor((at * free.length) / wards)]!);
	throw new BoundaryError(
		`${file}: it has ${wards} polygons, and of the ${free.length} numbers that nobody has had, ${most} may go to wards. Join wards until there are at most ${most}, take a coarser level, or number them without --before in a country that has no address yet`,
	);
}
