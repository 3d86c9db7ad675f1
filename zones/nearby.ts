/** Finds settlements around a point. */
import { STEPS_PER_DEGREE } from "../src/zones/geometry.ts";
import { cosine, KM_PER_DEGREE, squaredKm } from "./earth.ts";

/** Side of the buckets in which places are searched, in lattice steps: a quarter of a degree. */
const BUCKET_STEPS = STEPS_PER_DEGREE / 4;
const BUCKETS_AROUND = (360 * STEPS_PER_DEGREE) / BUCKET_STEPS;

/** Finds all places within `reachKm` kilometres of a lattice point, in no particular order. */
export type Nearby<Place> = (x: number, y: number, reachKm: number) => Place[];

function bucketOf(column: number, row: number): number {
	return row * BUCKETS_AROUND + (((column % BUCKETS_AROUND) + BUCKETS_AROUND) % BUCKETS_AROUND);
}

/** A finder for places with lattice points of 1e-5 degree; longitude wraps around. */
export function nearbyFinder<Place extends { x: number; y: number }>(places: readonly Place[]): Nearby<Place> {
	const buckets = Map.groupBy(places, ({ x, y }) =>
		bucketOf(Math.floor(x / BUCKET_STEPS), Math.floor(y / BUCKET_STEPS)),
	);
	return (x, y, reachKm) => {
		const north = (reachKm / KM_PER_DEGREE) * STEPS_PER_DEGREE;
		const east = Math.min(north / Math.max(cosine(y / STEPS_PER_DEGREE), 0.01), 90 * STEPS_PER_DEGREE);
		const isNear = (place: Place) => squaredKm(x, y, place.x, place.y) <= reachKm * reachKm;
		// With a large reach, a sparse country has fewer places than there are buckets.
		if (places.length < (4 * north * east) / BUCKET_STEPS ** 2) return places.filter(isNear);
		const found: Place[] = [];
		for (let row = Math.floor((y - north) / BUCKET_STEPS); row * BUCKET_STEPS <= y + north; row++) {
			for (let column = Math.floor((x - east) / BUCKET_STEPS); column * BUCKET_STEPS <= x + east; column++) {
				for (const place of buckets.get(bucketOf(column, row)) ?? []) if (isNear(place)) found.push(place);
			}
		}
		return found;
	};
}
