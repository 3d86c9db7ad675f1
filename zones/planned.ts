/** The planned zones of the world, before they are written. */
import type { GridBox } from "../src/zones/morton.ts";
import type { Arrangement, World } from "./borders.ts";
import type { RegionMap } from "./regions.ts";

/** The name of a zone: a place, where the zone lies from it, and the division that it is in. */
export interface ZoneName {
	/** "" for a zone without a name */
	place: string;
	/** see suffixOf in src/zones/naming.ts; 0 for a zone that holds its place */
	suffix: number;
	/** the first-level division of the country, such as a state or a province; "" where none is known */
	region: string;
}

export interface PlannedZone {
	key: number;
	level: number;
	number: number;
	name: ZoneName;
}

/** A country's generated zones in Morton order. */
export interface PlannedArea {
	country: string;
	zones: PlannedZone[];
	/** numbers that earlier editions published and this one does not, ascending */
	retired: number[];
}

/** A zone whose outline an operator has drawn. */
interface OfficialZone {
	number: number;
	name: string;
	/** see ZoneName */
	region: string;
	/** the box around its outline */
	box: GridBox;
}

/** The official zones of a country, which prevail over its generated zones. */
export interface Overlay {
	/** the country's area */
	area: number;
	/** areas 1, 2, ... of their own world */
	zones: OfficialZone[];
	world: World;
}

/** A place of the gazetteer. */
export interface PlannedPlace {
	/** lattice points of 1e-5 degree */
	x: number;
	y: number;
	name: string;
	/** the name that it had before it was renamed */
	former?: string | undefined;
	/** 0 where it is unknown */
	population: number;
	/** "" where none is known */
	region: string;
	/** the city that it is a section of */
	city?: PlannedPlace | undefined;
}

/** The planned gazetteer: what people call where they are. */
export interface PlannedGazetteer {
	map: RegionMap;
	/** the places in each area, at its number */
	placesIn: ReadonlyArray<readonly PlannedPlace[]>;
}

export interface Plan {
	/** areas 1, 2, ... of the arrangement, in the order of their countries' codes */
	areas: PlannedArea[];
	arrangement: Arrangement;
	/** the open sea, where there are no zones, as area 1; unknown if undefined */
	sea?: World;
	overlays: Overlay[];
	/** no gazetteer is written if undefined */
	gazetteer?: PlannedGazetteer;
	/** the sources that the file has to name; none if undefined */
	credits?: string;
}

/** The numbers of a country's zones, ascending. */
export function publishedNumbers({ areas, overlays }: Plan, area: number): number[] {
	const official = overlays.filter((overlay) => overlay.area === area).flatMap(({ zones }) => zones);
	return [...areas[area - 1]!.zones, ...official].map(({ number }) => number).sort((a, b) => a - b);
}
