/** How well the names of an index say where people live: the table of `npm run zones:simulate -- --names`. */
import { DIRECTIONS, zoneName } from "../../src/zones/naming.ts";
import type { EditionZone } from "../edition.ts";

/** People of a country by the names of their zones. */
export interface NameQuality {
	people: number;
	/** in zones that are named after a place in them */
	inside: number;
	/** in zones that are named after a place at most 10 km from their middle, and after one beyond */
	near: number;
	far: number;
	/** in zones that are named after their division, and in those without a name */
	division: number;
	nameless: number;
	/** in zones with a region */
	withRegion: number;
	/** in zones whose name another zone of the same country and region has too */
	sharing: number;
}

const NEAR_KM = 10;

/** @param zones Of one country, with the people in each and whether a settlement is. */
export function nameQuality(
	zones: ReadonlyArray<{ zone: EditionZone; people: number; holdsPlace: boolean }>,
): NameQuality {
	const textOf = ({ name: { place, suffix, region } }: EditionZone) => `${zoneName(place, suffix)}\n${region}`;
	const bearers = new Map<string, number>();
	for (const { zone } of zones) bearers.set(textOf(zone), (bearers.get(textOf(zone)) ?? 0) + 1);
	const sum = (keep: (zone: EditionZone, holdsPlace: boolean) => boolean) =>
		zones.reduce((sum, { zone, people, holdsPlace }) => (keep(zone, holdsPlace) ? sum + people : sum), 0);
	// A name without a distance is that of a place nearer than 10 km.
	const kilometres = ({ name: { suffix } }: EditionZone) => Math.floor((suffix - 1) / DIRECTIONS.length);
	const isNear = (zone: EditionZone) => zone.name.suffix > 0 && kilometres(zone) <= NEAR_KM;
	return {
		people: sum(() => true),
		inside: sum(({ name }, holdsPlace) => name.place !== "" && name.suffix === 0 && holdsPlace),
		near: sum(isNear),
		far: sum((zone) => zone.name.suffix > 0 && !isNear(zone)),
		division: sum(({ name }, holdsPlace) => name.place !== "" && name.suffix === 0 && !holdsPlace),
		nameless: sum(({ name }) => name.place === ""),
		withRegion: sum(({ name }) => name.region !== ""),
		sharing: sum((zone) => zone.name.place !== "" && bearers.get(textOf(zone))! > 1),
	};
}

export const NAMES_HEAD = [
	"| country | people, millions | a place in the zone | one within 10 km | one within 50 km | its division | no name | with a region | name shared in the region |",
	"|---|---:|---:|---:|---:|---:|---:|---:|---:|",
].join("\n");

export function namesRow(country: string, { people, ...parts }: NameQuality): string {
	const shares = Object.values(parts).map((part) => `${((100 * part) / people).toFixed(1)} %`);
	return `| ${country} | ${(people / 1e6).toFixed(1)} | ${shares.join(" | ")} |`;
}
