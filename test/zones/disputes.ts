import { vectors } from "../support/vectors.ts";

/** Land with the two countries that sources disagree on. */
interface Land {
	countries: string;
	/** In degrees. */
	box: readonly [west: number, south: number, east: number, north: number];
	reason: string;
}

/** The land that a file of test/vectors lists. */
export function readLand(name: string): Land[] {
	return vectors<[string, string, string]>(name).map(([countries, box, reason]) => ({
		countries,
		box: box.split(" ").map(Number) as unknown as Land["box"],
		reason,
	}));
}

/** Whether land covers a point in degrees. */
export function covers({ box: [west, south, east, north] }: Land, lng: number, lat: number): boolean {
	return west <= lng && lng <= east && south <= lat && lat <= north;
}

const disputes = readLand("disputes");

/** Whether a dispute between two countries covers a point in degrees. */
export function isDisputed(a: string, b: string, lng: number, lat: number): boolean {
	return disputes.some((land) => [`${a} ${b}`, `${b} ${a}`].includes(land.countries) && covers(land, lng, lat));
}
