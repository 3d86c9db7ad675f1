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
		"No zone holds this coordinate: it lies at sea or on land without zones. Check that lat and lng are not swapped.",
	);
}
