import { greatCircle } from "./plane.ts";
import type { Point } from "./point.ts";

/** Most passes over all pairs of stops. With a hundred stops, nothing improves after a few. */
const ROUNDS_MAX = 20;

/**
 * A short route from a start through all stops: nearest neighbour first, then 2-opt, which reverses each stretch whose reversal makes
 * the route shorter.
 * @returns The indexes of the stops in the order of the route.
 */
export function shortRound(start: Point, stops: readonly Point[]): number[] {
	const points = [start, ...stops];
	const metres = points.map((from) => points.map((to) => greatCircle(from, to).metres));
	const between = (from: number, to: number) => metres[from]![to]!;
	const way = [0];
	const left = new Set(stops.map((_, index) => index + 1));
	while (left.size > 0) {
		const last = way.at(-1)!;
		const nearest = [...left].reduce((best, stop) => (between(last, stop) < between(last, best) ? stop : best));
		way.push(nearest);
		left.delete(nearest);
	}
	for (let round = 0, hasImproved = true; hasImproved && round < ROUNDS_MAX; round += 1) {
		hasImproved = false;
		for (let from = 1; from < way.length - 1; from += 1) {
			for (let to = from + 1; to < way.length; to += 1) {
				const next = way[to + 1];
				const [before, first, last] = [way[from - 1]!, way[from]!, way[to]!];
				const now = between(before, first) + (next === undefined ? 0 : between(last, next));
				const turned = between(before, last) + (next === undefined ? 0 : between(first, next));
				if (turned >= now - 1e-6) continue;
				way.splice(from, to - from + 1, ...way.slice(from, to + 1).reverse());
				hasImproved = true;
			}
		}
	}
	return way.slice(1).map((index) => index - 1);
}
