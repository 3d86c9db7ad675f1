/** How far points are from the borders that the tests judge by. */

import { edgesIn } from "../../src/zones/borders.ts";
import { STEPS_PER_DEGREE } from "../../src/zones/geometry.ts";
import type { Shard } from "../../src/zones/shard.ts";
import { KM_PER_DEGREE } from "../../zones/earth.ts";

/** Side of the boxes that segments are looked for in, in degrees; distances are exact up to it. */
const BOX_DEGREES = 0.25;

type Segment = readonly [x1: number, y1: number, x2: number, y2: number];

/** Distance in kilometres from a point to a segment a few degrees away at most, in degrees, on a plane that touches the earth there. */
function kilometresTo([x1, y1, x2, y2]: Segment, lng: number, lat: number): number {
	const scale = Math.cos((lat * Math.PI) / 180);
	const [ax, ay, bx, by] = [(x1 - lng) * scale, y1 - lat, (x2 - lng) * scale, y2 - lat];
	const [dx, dy] = [bx - ax, by - ay];
	const along = Math.max(0, Math.min(1, -(ax * dx + ay * dy) / (dx * dx + dy * dy || 1)));
	return Math.hypot(ax + along * dx, ay + along * dy) * KM_PER_DEGREE;
}

/** Finds the distance in kilometres from a point to the nearest of many segments; Infinity beyond about 25 km. */
export function distanceFinder(segments: readonly Segment[]): (lng: number, lat: number) => number {
	const boxes = new Map<number, Segment[]>();
	const boxOf = (degrees: number) => Math.floor(degrees / BOX_DEGREES);
	const keyOf = (column: number, row: number) => column * 10_000 + row;
	for (const segment of segments) {
		const [x1, y1, x2, y2] = segment;
		for (let column = boxOf(Math.min(x1, x2)); column <= boxOf(Math.max(x1, x2)); column++) {
			for (let row = boxOf(Math.min(y1, y2)); row <= boxOf(Math.max(y1, y2)); row++) {
				const key = keyOf(column, row);
				const held = boxes.get(key);
				if (held) held.push(segment);
				else boxes.set(key, [segment]);
			}
		}
	}
	return (lng, lat) => {
		// Meridians draw together towards the poles: as many columns more are looked at.
		const reach = Math.ceil(1 / Math.max(0.1, Math.cos((lat * Math.PI) / 180)));
		let least = Infinity;
		for (let column = boxOf(lng) - reach; column <= boxOf(lng) + reach; column++) {
			for (let row = boxOf(lat) - 1; row <= boxOf(lat) + 1; row++) {
				for (const segment of boxes.get(keyOf(column, row)) ?? []) {
					least = Math.min(least, kilometresTo(segment, lng, lat));
				}
			}
		}
		return least;
	};
}

/** Every border in an index, in degrees. */
export function bordersOf(shards: readonly Shard[]): Segment[] {
	return shards.flatMap((shard) =>
		Array.from(edgesIn(shard), ([x1, y1, x2, y2]): Segment => {
			return [x1 / STEPS_PER_DEGREE, y1 / STEPS_PER_DEGREE, x2 / STEPS_PER_DEGREE, y2 / STEPS_PER_DEGREE];
		}),
	);
}
