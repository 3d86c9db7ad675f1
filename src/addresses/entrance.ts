import { AppError } from "../errors.ts";
import { metresBetween } from "../points/plane.ts";
import type { Point } from "../points/point.ts";
import type { Registry } from "../registry.ts";
import { ENTRANCE_METRES_MAX } from "./schemas.ts";

/** Whether an entrance is near enough to the point of its address. */
export function isNearEntrance(point: Point, entrance: Point | null): boolean {
	return !entrance || metresBetween(point, entrance) <= ENTRANCE_METRES_MAX;
}

/**
 * Refuses an entrance that is too far from the point of its address, or in another country.
 * @throws AppError TOO_FAR; ZoneIndexError when the index cannot be read.
 */
export async function assertEntrance(registry: Registry, point: Point, entrance: Point | null): Promise<void> {
	if (!entrance) return;
	if (!isNearEntrance(point, entrance)) {
		throw new AppError("TOO_FAR", `The entrance must be within ${ENTRANCE_METRES_MAX} metres of the point.`);
	}
	const [ofPoint, ofEntrance] = await Promise.all(
		[point, entrance].map(({ lat, lng }) => registry.zones.locate(lat, lng)),
	);
	if (ofPoint?.country !== ofEntrance?.country) {
		throw new AppError("TOO_FAR", "The entrance must be in the country of the point.");
	}
}
