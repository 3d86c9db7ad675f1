/** Reads the countries of Natural Earth at 1:10 million, the second source of borders, which is used where the first one is coarse. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { borders } from "@rapideditor/country-coder";
import type { MultiPolygon, Polygon, Position } from "geojson";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, GeometryObject, Topology } from "topojson-specification";

/** A country of Natural Earth, which includes most overseas territories in the state that they belong to. */
interface NaturalEarthCountry {
	/** ISO 3166-1 alpha-2 or XK; undefined for land that Natural Earth gives to no country of ISO 3166-1 */
	country: string | undefined;
	name: string;
	geometry: Polygon | MultiPolygon;
}

type Countries = Topology<{ countries: GeometryCollection }>;

/** Land to which Natural Earth gives no numeric code, by its name there. */
const UNNUMBERED: Readonly<Record<string, string>> = {
	Akrotiri: "GB",
	Baikonur: "KZ",
	"Clipperton I.": "FR",
	"Coral Sea Is.": "AU",
	"Cyprus U.N. Buffer Zone": "CY",
	Dhekelia: "GB",
	"Indian Ocean Ter.": "AU",
	Kosovo: "XK",
	"N. Cyprus": "CY",
	Somaliland: "SO",
	"USNB Guantanamo Bay": "CU",
};

/** Entries of ISO 3166-1 that Natural Earth draws as a part of another. */
const DRAWN_AS_PART_OF: Readonly<Record<string, string>> = {
	BQ: "NL",
	BV: "NO",
	CC: "AU",
	CX: "AU",
	GF: "FR",
	GP: "FR",
	MQ: "FR",
	RE: "FR",
	SJ: "NO",
	TK: "NZ",
	YT: "FR",
};

const CODE_OF_NUMBER: ReadonlyMap<string, string> = new Map(
	borders.features.flatMap(({ properties: { iso1A2, iso1N3, isoStatus } }) =>
		iso1A2 && iso1N3 && isoStatus === "official" ? [[iso1N3, iso1A2] as const] : [],
	),
);

/** The country of Natural Earth that holds a country of the index: itself, or the state that its territory is drawn in. */
export function naturalEarthCountry(country: string): string {
	return DRAWN_AS_PART_OF[country] ?? country;
}

const nameOf = ({ properties }: GeometryObject): string => (properties as { name?: string } | undefined)?.name ?? "";

function codeOf(drawn: GeometryObject): string | undefined {
	return CODE_OF_NUMBER.get(String(drawn.id)) ?? UNNUMBERED[nameOf(drawn)];
}

let topology: Countries | undefined;

function readTopology(): Countries {
	const file = createRequire(import.meta.url).resolve("world-atlas/countries-10m.json");
	topology ??= JSON.parse(readFileSync(file, "utf8")) as Countries;
	return topology;
}

/** All countries as Natural Earth draws them, in degrees. */
export function readNaturalEarth(): NaturalEarthCountry[] {
	const countries = readTopology();
	const { features } = feature(countries, countries.objects.countries);
	return countries.objects.countries.geometries.map((drawn, index) => ({
		country: codeOf(drawn),
		name: nameOf(drawn),
		geometry: features[index]!.geometry as Polygon | MultiPolygon,
	}));
}

/** The lines on which any two countries meet in Natural Earth, in degrees. */
export function landBorders(): Position[][] {
	const countries = readTopology();
	return mesh(countries, countries.objects.countries, (left, right) => left !== right).coordinates;
}

/** The lines on which two countries of the index meet in Natural Earth, in degrees. */
export function bordersBetween(a: string, b: string): Position[][] {
	const countries = readTopology();
	const pair = [naturalEarthCountry(a), naturalEarthCountry(b)];
	const both = (left: GeometryObject, right: GeometryObject) => {
		const codes = [left, right].map((drawn) => codeOf(drawn));
		return left !== right && pair.every((code) => codes.includes(code));
	};
	return mesh(countries, countries.objects.countries, both).coordinates;
}
