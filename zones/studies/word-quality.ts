/** How well an index says the region and the locality of true points: the table of `npm run zones:simulate -- --regions FILE.csv`. */
import { readFileSync } from "node:fs";
import { CITY_PEOPLE, type Landmark, radiusOf } from "../../src/zones/locality.ts";
import { createZoneLocator, type NamedPoint } from "../../src/zones/locate.ts";
import { squaredKm } from "../earth.ts";
import { BoundaryError, faultsOf } from "../faults.ts";
import { nearbyFinder } from "../nearby.ts";
import type { NamedPlace } from "../place-names.ts";
import { toSteps } from "../sources.ts";
import { pointOfRow, readTable } from "../table.ts";

/** A point, and the region that holds it: several spellings are right. */
export interface TruePoint {
	lat: number;
	lng: number;
	country: string;
	regions: readonly string[];
}

/** Words of names of regions that lists add or leave out. */
const KINDS =
	/\b(state|county|province|provincia|region|governorate|division|department|district|federal|capital|territory|special|autonomous|of|the)\b/g;

/** A name of a region by which spellings are compared: without accents, case, and the word for its kind. */
export function plainRegion(name: string): string {
	const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
	const words = plain
		.replace(KINDS, " ")
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.trim();
	return words === "" ? plain.trim() : words;
}

/** @throws BoundaryError that names the lines that cannot be used. */
export function readTruePoints(text: string, file: string): TruePoint[] {
	const points: TruePoint[] = [];
	const steps = readTable(text, file, ["lat", "lng", "country", "region"]).map((row) => () => {
		const { country, region } = row.cells;
		if (!/^[A-Z]{2}$/.test(country))
			throw new BoundaryError(
				`${row.where}: its country is ${JSON.stringify(country)}: give its letters in ISO 3166-1`,
			);
		if (region === "") throw new BoundaryError(`${row.where}: it has no region`);
		points.push({ ...pointOfRow(row), country, regions: region.split("|") });
	});
	const faults = faultsOf(steps);
	if (faults.length > 0) throw new BoundaryError(faults);
	return points;
}

/** What an index says of a point. */
export interface Said {
	point: TruePoint;
	named: NamedPoint | undefined;
	/** the place that says where it is */
	landmark: Landmark | undefined;
}

export async function askIndex(index: string, points: readonly TruePoint[]): Promise<Said[]> {
	const bytes = new Uint8Array(readFileSync(index));
	const read = async (offset: number, length: number) => ({ bytes: bytes.slice(offset, offset + length), etag: index });
	const locator = createZoneLocator(read, undefined, bytes.length * 8);
	const said: Said[] = [];
	for (const point of points) {
		const { lat, lng } = point;
		said.push({ point, named: await locator.name(lat, lng), landmark: await locator.landmark(lat, lng) });
	}
	return said;
}

/** Whether the region that an index says is a right one. */
export function isRegionRight({ point, named }: Said): boolean {
	return named !== undefined && point.regions.some((region) => plainRegion(region) === plainRegion(named.region));
}

export const REGIONS_HEAD = "| country | lines | points | region wrong |\n|---|---|---:|---:|";

/** A row of the table of regions alone. @param lines Whose lines of regions the index has for the country. */
export function regionsRow(country: string, lines: string, said: readonly Said[]): string {
	const wrong = said.filter((one) => !isRegionRight(one)).length;
	return `| ${country} | ${lines} | ${said.length} | ${((100 * wrong) / said.length).toFixed(1)} % |`;
}

const OFFERED_KM = 10;
const TOLD_KM = 50;

export const WORDS_HEAD = [
	"| country | points | region wrong | no region | a locality within 10 km | any listed place within 10 km | no locality | told from a place within 50 km | within 100 km | within a city | of these, with its name |",
	"|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
].join("\n");

/**
 * A row of the table.
 * @param places The listed places of the country.
 */
export function wordsRow(country: string, said: readonly Said[], places: readonly NamedPlace[]): string {
	const around = nearbyFinder(places);
	const cities = places.filter(({ population }) => population >= CITY_PEOPLE);
	const stepsOf = ({ lat, lng }: TruePoint) => ({ x: toSteps(lng), y: toSteps(lat) });
	const citiesOf = ({ point, named }: Said) => {
		const { x, y } = stepsOf(point);
		return cities.filter(
			(city) =>
				squaredKm(x, y, city.x, city.y) <= (radiusOf(city.population) / 1000) ** 2 && city.region === named?.region,
		);
	};
	const inCity = said.filter((one) => citiesOf(one).length > 0);
	const hasCityName = (one: Said) => citiesOf(one).some(({ plain }) => one.named?.localities[0]?.name.includes(plain));
	const isNear = ({ named }: Said) => (named?.localities[0]?.distance ?? Infinity) <= OFFERED_KM * 1000;
	const hasPlace = ({ point }: Said) => {
		const { x, y } = stepsOf(point);
		return around(x, y, OFFERED_KM).length > 0;
	};
	const percent = (part: readonly Said[], whole: readonly Said[]) =>
		whole.length === 0 ? "" : `${((100 * part.length) / whole.length).toFixed(1)} %`;
	const known = said.filter(({ point }) => point.regions.length > 0);
	const cells = [
		percent(
			known.filter((one) => !isRegionRight(one)),
			known,
		),
		percent(
			said.filter(({ named }) => !named?.region),
			said,
		),
		percent(said.filter(isNear), said),
		percent(said.filter(hasPlace), said),
		percent(
			said.filter(({ named }) => !named?.localities.length),
			said,
		),
		percent(
			said.filter(({ landmark }) => (landmark?.distance ?? Infinity) <= TOLD_KM * 1000),
			said,
		),
		percent(
			said.filter(({ landmark }) => landmark),
			said,
		),
		percent(inCity, said),
		percent(inCity.filter(hasCityName), inCity),
	];
	return `| ${country} | ${said.length} | ${cells.join(" | ")} |`;
}
