import { AppError, invalidField } from "../errors.ts";
import type { Locality } from "./locality.ts";
import type { NamedPoint, Zone, ZoneLocator } from "./locate.ts";

function held<Found>(found: Found | undefined): Found {
	if (found) return found;
	throw new AppError(
		"OUTSIDE_ZONES",
		"No zone holds this coordinate. Zones cover the land of every country, and the sea around it that the registry's border data gives to the country, at most about 60 km from land. Check that lat and lng are not swapped, and that neither is 0 by mistake.",
	);
}

/**
 * The zone that holds a point.
 * @throws AppError OUTSIDE_ZONES; ZoneIndexError when the index cannot be read.
 */
export async function findZone(locator: ZoneLocator, lat: number, lng: number): Promise<Zone> {
	return held(await locator.locate(lat, lng));
}

/**
 * The zone that holds a point, its region, and the places that people may name for it.
 * @throws AppError OUTSIDE_ZONES; ZoneIndexError when the index cannot be read.
 */
export async function namePoint(locator: ZoneLocator, lat: number, lng: number): Promise<NamedPoint> {
	return held(await locator.name(lat, lng));
}

/**
 * Whether an address with a zone number bears the name of the zone of the same country that now holds its point: the zone has that
 * number, or opened it when it was full, or took the ground of a zone whose number is retired. An address under the number of another zone
 * does not.
 * @throws ZoneIndexError when the index cannot be read.
 */
export async function isNamedBy(locator: ZoneLocator, number: number, { country, zone }: Zone): Promise<boolean> {
	return number === zone || !(await locator.numbersOf(country))?.published.includes(number);
}

/**
 * The locality that an owner has chosen for a point, or else the first one offered there; empty if none is offered.
 * @throws AppError INVALID_REQUEST if the chosen one is not offered. It names those that are.
 */
export function localityOf(localities: readonly Locality[], chosen: string | undefined): string {
	if (chosen === undefined) return localities[0]?.name ?? "";
	if (localities.some(({ name }) => name === chosen)) return chosen;
	const offered = localities.map(({ name }) => `"${name}"`).join(", ");
	throw invalidField(
		"locality",
		offered === ""
			? "No place is near enough to this point to be named. Leave locality out."
			: `Choose one of those near the point: ${offered}. Or leave locality out.`,
	);
}
