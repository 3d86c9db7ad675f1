import { isInWorld, type Point, roundedDegrees } from "./point.ts";

/**
 * Metres in a degree of latitude, on a sphere of the Earth's mean radius 6,371,008.8 m (IUGG). Within 0.6 % of the ellipsoid everywhere.
 */
export const METRES_PER_DEGREE = 111_195;
/** Smallest cosine of a latitude. Near the poles a degree of longitude shrinks to nothing, and plane geometry no longer holds. */
const COSINE_MIN = 0.02;

/** A displacement on the plane that touches the Earth at a point, in metres. */
export interface Displacement {
	north: number;
	east: number;
}

function metresPerDegreeEast(lat: number): number {
	return METRES_PER_DEGREE * Math.max(COSINE_MIN, Math.cos((lat * Math.PI) / 180));
}

/** A longitude wrapped into the range from -180 to just below 180 degrees. */
function wrapped(lng: number): number {
	return ((((lng + 180) % 360) + 360) % 360) - 180;
}

/**
 * The displacement from one point to another. Accurate for a few kilometres.
 * @example
 * ```ts
 * displacementBetween({ lat: 0, lng: 0 }, { lat: 1, lng: 0 }) // { north: 111195, east: 0 }
 * ```
 */
export function displacementBetween(from: Point, to: Point): Displacement {
	return {
		north: (to.lat - from.lat) * METRES_PER_DEGREE,
		east: wrapped(to.lng - from.lng) * metresPerDegreeEast(from.lat),
	};
}

/**
 * The distance between two points, in metres. Accurate for a few kilometres.
 * @example
 * ```ts
 * Math.round(metresBetween({ lat: 6.5244, lng: 3.3792 }, { lat: 6.5253, lng: 3.3792 })) // 100
 * ```
 */
export function metresBetween(a: Point, b: Point): number {
	const { north, east } = displacementBetween(a, b);
	return Math.hypot(north, east);
}

/** The point at the end of a displacement, rounded to 0.000001 degree; the start itself if the displacement would cross a pole. */
export function pointAfter(from: Point, { north, east }: Displacement): Point {
	const lat = roundedDegrees(from.lat + north / METRES_PER_DEGREE);
	const lng = roundedDegrees(wrapped(from.lng + east / metresPerDegreeEast(from.lat)));
	return isInWorld({ lat, lng }) ? { lat, lng } : from;
}

/** The eight directions of the compass, clockwise from north. */
export const COMPASS = ["n", "ne", "e", "se", "s", "sw", "w", "nw"] as const;
export type Direction = (typeof COMPASS)[number];

/** The compass direction nearest to that of a displacement. */
export function directionOf({ north, east }: Displacement): Direction {
	const eighths = Math.round(Math.atan2(east, north) / (Math.PI / 4));
	return COMPASS[(eighths + 8) % 8] ?? "n";
}

/** The Earth's mean radius in metres (IUGG). */
const EARTH_RADIUS = 6_371_009;

/**
 * The distance from one point to another, in metres, and the direction in which it starts, along the great circle (haversine formula).
 * Accurate for any distance.
 */
export function greatCircle(from: Point, to: Point): { metres: number; direction: Direction } {
	const radians = (degrees: number) => (degrees * Math.PI) / 180;
	const [fromLat, toLat, turn] = [radians(from.lat), radians(to.lat), radians(to.lng - from.lng)];
	const haversine =
		Math.sin((toLat - fromLat) / 2) ** 2 + Math.cos(fromLat) * Math.cos(toLat) * Math.sin(turn / 2) ** 2;
	return {
		metres: 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(haversine))),
		direction: directionOf({
			north: Math.cos(fromLat) * Math.sin(toLat) - Math.sin(fromLat) * Math.cos(toLat) * Math.cos(turn),
			east: Math.sin(turn) * Math.cos(toLat),
		}),
	};
}
