import { isInWorld, type Point, roundedDegrees } from "./coordinate-text.ts";

/**
 * Metres in a degree of latitude, on a sphere of the Earth's mean radius 6,371,008.8 m (IUGG). Within 0.6 % of the ellipsoid everywhere.
 */
export const METRES_PER_DEGREE = 111_195;
/** Near the poles a degree of longitude shrinks to nothing; plane figures stop following there. */
const COSINE_MIN = 0.02;

/** A way on the plane that touches the Earth at a point, in metres. */
export interface Displacement {
	north: number;
	east: number;
}

function metresPerDegreeEast(lat: number): number {
	return METRES_PER_DEGREE * Math.max(COSINE_MIN, Math.cos((lat * Math.PI) / 180));
}

/** A longitude brought to -180 up to 180 degrees. */
function wrapped(lng: number): number {
	return ((((lng + 180) % 360) + 360) % 360) - 180;
}

/** The way from one point to another. Good for a few kilometres. */
export function displacementBetween(from: Point, to: Point): Displacement {
	return {
		north: (to.lat - from.lat) * METRES_PER_DEGREE,
		east: wrapped(to.lng - from.lng) * metresPerDegreeEast(from.lat),
	};
}

/** How far two points are apart, in metres. Good for a few kilometres. */
export function metresBetween(a: Point, b: Point): number {
	const { north, east } = displacementBetween(a, b);
	return Math.hypot(north, east);
}

/** The point at the end of a way, rounded to 0.000001 degree; the point itself where the way would lead over a pole. */
export function pointAfter(from: Point, { north, east }: Displacement): Point {
	const lat = roundedDegrees(from.lat + north / METRES_PER_DEGREE);
	const lng = roundedDegrees(wrapped(from.lng + east / metresPerDegreeEast(from.lat)));
	return isInWorld({ lat, lng }) ? { lat, lng } : from;
}

/** The eight directions of the compass, clockwise from north. */
export const COMPASS = ["n", "ne", "e", "se", "s", "sw", "w", "nw"] as const;
export type Direction = (typeof COMPASS)[number];

/** The direction of the compass that a way is nearest to. */
export function directionOf({ north, east }: Displacement): Direction {
	const eighths = Math.round(Math.atan2(east, north) / (Math.PI / 4));
	return COMPASS[(eighths + 8) % 8] ?? "n";
}

/** The Earth's mean radius in metres (IUGG). */
const EARTH_RADIUS = 6_371_009;

/**
 * How far a point is from another, in metres, and in which direction it lies at first, along the great circle (haversine formula). For
 * any distance.
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
