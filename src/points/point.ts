/** A point in degrees, WGS 84: latitude -90 to 90, longitude -180 to 180. */
export interface Point {
	lat: number;
	lng: number;
}

/** Decimal places of stored degrees: 0.000001 degree is at most 11 cm. */
const DECIMALS = 6;

/** Degrees rounded to six decimal places, because no receiver measures more. */
export function roundedDegrees(degrees: number): number {
	return Number(degrees.toFixed(DECIMALS)) || 0;
}

/** Whether a latitude and a longitude, in degrees, are in range. False for NaN. */
export function isInWorld({ lat, lng }: Point): boolean {
	return Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
}

/** The point with its latitude and longitude exchanged. */
export function exchanged({ lat, lng }: Point): Point {
	return { lat: lng, lng: lat };
}

/** The point in a match of a pattern that names its groups `lat` and `lng`; undefined if there is no match. */
export function matchedPoint(match: RegExpMatchArray | null | undefined): Point | undefined {
	return match?.groups && { lat: Number(match.groups.lat), lng: Number(match.groups.lng) };
}
