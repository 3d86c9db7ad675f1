import { AppError } from "../errors.ts";
import type { Zone, ZoneLocator } from "./locate.ts";

/**
 * The zone that holds a point.
 * @throws AppError OUTSIDE_ZONES; ZoneIndexError when the index cannot be read.
 */
export async function findZone(locator: ZoneLocator, lat: number, lng: number): Promise<Zone> {
	const zone = await locator.locate(lat, lng);
	if (zone) return zone;
	throw new AppError(
		"OUTSIDE_ZONES",
		"This coordinate is at sea, more than 22.2 km (12 nautical miles) from land, or on land that no country claims. Check that lat and lng are not swapped, and that neither is 0 by mistake.",
	);
}
