/** The districts of a country, as far as its settlements tell of them: GeoNames' second-level divisions, and regions where those are unknown. */
import { isLarger, type NamedPlace, nameParts } from "./place-names.ts";

/** Feature codes of the seat of a district, and of a region. */
const DISTRICT_SEAT = "PPLA2";
const REGION_SEATS: ReadonlySet<string> = new Set(["PPLC", "PPLA"]);

function groupBy(places: readonly NamedPlace[], keyOf: (place: NamedPlace) => string): NamedPlace[][] {
	const groups = new Map<string, NamedPlace[]>();
	for (const place of places) {
		const key = keyOf(place);
		const group = groups.get(key);
		if (group) group.push(place);
		else groups.set(key, [place]);
	}
	return [...groups.values()];
}

function largestOf(places: readonly NamedPlace[]): NamedPlace | undefined {
	return places.reduce<NamedPlace | undefined>(
		(best, place) => (best && isLarger(best, place) ? best : place),
		undefined,
	);
}

/**
 * The district of each settlement of a country, as a place at its seat: "Kitale district". Where the list has no district, or not its seat, it
 * is the region at its capital, or at its largest town where no capital is listed: "Nakuru region".
 */
export function districtsOf(places: readonly NamedPlace[]): Map<NamedPlace, NamedPlace> {
	const districts = new Map<NamedPlace, NamedPlace>();
	const taken = new Set<string>();
	const give = (members: readonly NamedPlace[], seat: NamedPlace, kind: "district" | "region"): void => {
		const short = `${nameParts(seat.name).place} ${kind}`;
		const title = taken.has(short) ? `${seat.title} ${kind}` : short;
		taken.add(title);
		const district = { ...seat, title };
		for (const place of members) if (!districts.has(place)) districts.set(place, district);
	};
	const inDistricts = places.filter(({ district }) => district !== "");
	for (const members of groupBy(inDistricts, ({ region, district }) => `${region} ${district}`)) {
		const seat = largestOf(members.filter(({ featureCode }) => featureCode === DISTRICT_SEAT));
		if (seat) give(members, seat, "district");
	}
	for (const members of groupBy(places, ({ region }) => region)) {
		const seat = largestOf(members.filter(({ featureCode }) => REGION_SEATS.has(featureCode))) ?? largestOf(members);
		if (seat) give(members, seat, "region");
	}
	return districts;
}
